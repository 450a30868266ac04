//! A lesson's words on what is asked about, where that is not what the rest of the reply is about.

use turnwise_messages::keys;

use super::{lesson::Lesson, said, situation::Situation};
use crate::{course::Course, limits, policy::Policy, words::Action};

/// What the course says of another unit than the focus to a student who asks about it: it comes before everything else, as a
/// lesson may be read whatever is to do first. `None` where no text answers, where it was said already, and where the policy
/// allows no such words.
#[must_use]
pub fn answer_elsewhere(
    course: &Course,
    policy: &Policy,
    situation: &Situation<'_>,
) -> Option<String> {
    let passage = situation.passage_elsewhere.as_ref()?;
    let may_be_told = situation.asks_for_lesson() && policy.allows(Action::SocraticQuestion);
    if !may_be_told || !passage.answers() {
        return None;
    }
    let lesson = Lesson::new(course, policy, situation);
    let text = passage.quoted(course.texts(), keys::TEACHING_QUOTE)?;
    let was_said = said::last(&text, situation.said) > 0 || said::repeats(&text, situation.said);
    let reply = lesson.saying(Action::SocraticQuestion, text);
    // The reply behind it asks, too.
    let asks = limits::question_marks(&reply.tutor_text);
    let is_fit = asks < limits::MOST_QUESTIONS && lesson.may_be_said(&reply);
    (is_fit && !was_said).then_some(reply.tutor_text)
}

/// Whether the latest of what was said begins with such words. Behind those on the focus nothing stands.
pub(super) fn was_quoted(course: &Course, said: &[String]) -> bool {
    let known = [("idea", "\n".into()), ("source", "\n".into())];
    let quote = course.texts().text(keys::TEACHING_QUOTE, &known);
    let begins = quote.split('\n').next().unwrap_or_default();
    let last = said.last().and_then(|last| last.split_once("\n\n"));
    last.is_some_and(|(first, _)| first.starts_with(begins))
}
