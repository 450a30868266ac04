//! Redirects, suggestions and check questions: the author's, or the catalogue's.

use turnwise_messages::{Key, keys, text};

use crate::{Intent, Redirect};

/// So many topics are named in a redirect.
const NAMED_TOPICS: usize = 3;

/// The answer of a redirect without words of the author. `lesson` is a title or what the scope calls the lesson.
pub(crate) fn redirect(locale: &str, reason: Redirect, topics: &[String], lesson: &str) -> String {
    let named = topics.iter().take(NAMED_TOPICS).cloned();
    let named = named.collect::<Vec<_>>().join(", ");
    let key = match (reason, named.is_empty()) {
        (Redirect::TextLanguage, _) => {
            return text(locale, keys::HELPER_REDIRECT_TEXT_LANGUAGE, &[]);
        }
        (Redirect::Topic, false) => keys::HELPER_REDIRECT_TOPIC,
        (Redirect::OutOfScope, false) => keys::HELPER_REDIRECT_SCOPE,
        (_, true) => {
            let lesson = lesson.to_owned();
            return text(
                locale,
                keys::HELPER_REDIRECT_LESSON,
                &[("lesson", lesson.into())],
            );
        }
    };
    text(locale, key, &[("topics", named.into())])
}

/// The question of a light answer without one of the author.
pub(crate) fn check_question(locale: &str, intent: Intent) -> String {
    let key = match intent {
        Intent::Debug => keys::HELPER_CHECK_DEBUG,
        Intent::Concept => keys::HELPER_CHECK_CONCEPT,
        Intent::Strategy => keys::HELPER_CHECK_STRATEGY,
        Intent::Reflection => keys::HELPER_CHECK_REFLECTION,
        Intent::Status => keys::HELPER_CHECK_STATUS,
        Intent::General => keys::HELPER_CHECK_GENERAL,
    };
    text(locale, key, &[])
}

/// Messages to send next, at most `most`: what goes with the intent, then the topics, the one at hand first.
pub(crate) fn suggestions(
    locale: &str,
    intent: Intent,
    topics: &[String],
    at_hand: Option<usize>,
    redirected: bool,
    most: usize,
) -> Vec<String> {
    let by_intent: [Key; 2] = match intent {
        Intent::Debug => [
            keys::HELPER_SUGGEST_DEBUG_FIND,
            keys::HELPER_SUGGEST_DEBUG_TEST,
        ],
        Intent::Concept => [
            keys::HELPER_SUGGEST_CONCEPT_EXAMPLE,
            keys::HELPER_SUGGEST_CONCEPT_WORDS,
        ],
        Intent::Strategy => [
            keys::HELPER_SUGGEST_STRATEGY_FIRST,
            keys::HELPER_SUGGEST_STRATEGY_GIVEN,
        ],
        Intent::Reflection => [
            keys::HELPER_SUGGEST_REFLECTION_CHECK,
            keys::HELPER_SUGGEST_REFLECTION_OTHER,
        ],
        Intent::Status => [
            keys::HELPER_SUGGEST_STATUS_NEXT,
            keys::HELPER_SUGGEST_STATUS_HARDER,
        ],
        Intent::General => [
            keys::HELPER_SUGGEST_GENERAL_START,
            keys::HELPER_SUGGEST_GENERAL_EXAMPLE,
        ],
    };
    let by_intent = by_intent
        .iter()
        .filter(|_| !redirected)
        .map(|key| text(locale, *key, &[]));
    let first = at_hand.and_then(|at| topics.get(at));
    let others = topics.iter().filter(|topic| Some(*topic) != first);
    let about = first.into_iter().chain(others).map(|topic| {
        let topic = topic.clone();
        text(
            locale,
            keys::HELPER_SUGGEST_TOPIC,
            &[("topic", topic.into())],
        )
    });
    by_intent.chain(about).take(most).collect()
}
