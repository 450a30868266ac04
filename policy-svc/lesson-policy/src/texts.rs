//! Redirects, suggestions and check questions: the author's, or the catalogue's.

use std::{collections::HashMap, sync::LazyLock};

use turnwise_messages::{Key, LOCALES, keys, text};
use turnwise_text::normalise;

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
            if !is_readable(lesson) {
                return text(locale, keys::HELPER_REDIRECT_UNNAMED, &[]);
            }
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

/// Whether this is a name that people read, and no slug.
fn is_readable(name: &str) -> bool {
    let is_slug = |c: char| "-_/.:".contains(c) || c.is_ascii_digit();
    name.contains(char::is_alphabetic)
        && (name.trim().contains(char::is_whitespace) || !name.contains(is_slug))
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
    // Behind a redirect the topics lead back; where none can be named, any beginning does.
    let keys = match (redirected, topics.is_empty()) {
        (false, _) => by_intent(intent).to_vec(),
        (true, true) => by_intent(Intent::General).to_vec(),
        (true, false) => Vec::new(),
    };
    let by_intent = keys.iter().map(|key| text(locale, *key, &[]));
    let first = at_hand.and_then(|at| topics.get(at));
    let others = topics.iter().filter(|topic| Some(*topic) != first);
    let about = first
        .into_iter()
        .chain(others)
        .map(|topic| about_topic(locale, topic));
    by_intent.chain(about).take(most).collect()
}

fn by_intent(intent: Intent) -> [Key; 2] {
    match intent {
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
    }
}

fn about_topic(locale: &str, topic: &str) -> String {
    let topic = topic.to_owned();
    text(
        locale,
        keys::HELPER_SUGGEST_TOPIC,
        &[("topic", topic.into())],
    )
}

/// The suggestions that name no topic, in all languages, folded.
static GENERAL: LazyLock<HashMap<String, Option<usize>>> = LazyLock::new(|| {
    let intents = [
        Intent::Debug,
        Intent::Concept,
        Intent::Strategy,
        Intent::Reflection,
        Intent::Status,
        Intent::General,
    ];
    let keys = intents.into_iter().flat_map(by_intent);
    keys.flat_map(|key| LOCALES.map(|(locale, _)| (folded(&text(locale, key, &[])), None)))
        .collect()
});

/// Every message that may be suggested in a chat about these topics, folded, with the place of the topic that it names.
pub(crate) fn suggested(topics: &[String]) -> HashMap<String, Option<usize>> {
    let mut all = GENERAL.clone();
    for (place, topic) in topics.iter().enumerate() {
        for (locale, _) in LOCALES {
            all.entry(folded(&about_topic(locale, topic)))
                .or_insert(Some(place));
        }
    }
    all
}

/// A message as it is compared with the suggestions, which Swiss German spells without ß.
pub(crate) fn folded(message: &str) -> String {
    let normalised = normalise(message).replace('ß', "ss");
    let words: Vec<&str> = normalised.split_whitespace().collect();
    words
        .join(" ")
        .trim_end_matches(['?', '.', '!', ' '])
        .to_owned()
}
