//! A lesson's words on what is asked about, where that is not what the rest of the reply is about.

use turnwise_messages::keys;

use super::{
    authored::KeyIdea,
    lesson::Lesson,
    said,
    situation::{Asks, Situation},
};
use crate::{course::Course, limits, policy::Policy, quote::quotable, words::Action};

/// What the course says of another unit than the focus to a student who asks about it: the text that answers, else the key
/// idea of the unit that the message names. It comes before everything else, as a lesson may be read whatever is to do first.
/// `None` where the course says nothing of it, where it was said already, and where the policy allows no such words.
#[must_use]
pub fn answer_elsewhere(
    course: &Course,
    policy: &Policy,
    situation: &Situation<'_>,
) -> Option<String> {
    // `slope`, and nothing is open: what is asked for is its lesson.
    let names_topic = situation.asks == Asks::Nothing
        && situation.open.is_none()
        && situation.own.is_none()
        && policy.about() != policy.focus_unit_id;
    if !(names_topic || situation.asks_for_lesson(policy))
        || !policy.allows(Action::SocraticQuestion)
    {
        return None;
    }
    let lesson = Lesson::new(course, policy, situation);
    let passage = situation.passage_elsewhere.as_ref();
    let passage = passage.filter(|passage| passage.answers());
    let quoted = passage.and_then(|passage| passage.quoted(course.texts(), keys::TEACHING_QUOTE));
    let is_fit = |text: &String| {
        let was_said = said::last(text, situation.said) > 0 || said::repeats(text, situation.said);
        let reply = lesson.saying(Action::SocraticQuestion, text.clone());
        // The reply behind it asks, too.
        let asks = limits::question_marks(text);
        !was_said && asks < limits::MOST_QUESTIONS && lesson.may_be_said(&reply)
    };
    let mut texts = quoted
        .into_iter()
        .chain(key_idea(course, policy, situation));
    texts.find(is_fit)
}

/// The key idea of the unit that the message names, where that is not the focus, and no text on the focus answers.
fn key_idea(course: &Course, policy: &Policy, situation: &Situation<'_>) -> Option<String> {
    let about = policy.about();
    let is_named = about != policy.focus_unit_id && policy.choice_unit_ids.is_empty();
    // An exercise has its own rule.
    if !is_named || situation.own.is_some() || situation.passage.is_some_and(|it| it.answers()) {
        return None;
    }
    let unit = course.unit(course.find(about)?);
    let KeyIdea { text, source } = unit.teaching.key_idea.as_ref()?;
    let source = quotable(source, limits::MOST_PART_CHARS);
    let known = [("idea", text.clone().into()), ("source", source.into())];
    Some(course.texts().text(keys::TEACHING_QUOTE, &known))
}

/// Whether the latest of what was said begins with such words. Behind those on the focus nothing stands.
pub(super) fn was_quoted(course: &Course, said: &[String]) -> bool {
    let known = [("idea", "\n".into()), ("source", "\n".into())];
    let quote = course.texts().text(keys::TEACHING_QUOTE, &known);
    let begins = quote.split('\n').next().unwrap_or_default();
    let last = said.last().and_then(|last| last.split_once("\n\n"));
    last.is_some_and(|(first, _)| first.starts_with(begins))
}
