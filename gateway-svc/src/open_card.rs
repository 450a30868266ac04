//! The card that a student works on, as the thread's messages and the record show it.

use turnwise_proto::{
    exam::v1::QuestionState,
    explain::v1::{TurnFacts, TurnTexts},
    tutor::v1::{
        ClientEvent, ClientEventKind, ExamCard, Role, TutorCard, TutorMessage, tutor_card::Content,
    },
};

use crate::standing::{knows_pass, waits};

/// How many of the latest messages a turn uses.
const LATEST: usize = 6;

/// Of the messages that a turn read, those that it uses: the latest, and of those before the card that the student works on,
/// the hints that were asked for on it, and the last exam question.
pub(crate) fn used<'a>(
    messages: &'a [TutorMessage],
    event: Option<&ClientEvent>,
    card_token: &str,
) -> impl Iterator<Item = &'a TutorMessage> {
    let latest = messages.len().saturating_sub(LATEST);
    let card = place(messages, event, card_token).unwrap_or(latest);
    let exam = messages.iter().rposition(|message| exam(message).is_some());
    let messages = messages.iter().enumerate();
    messages.filter_map(move |(at, message)| {
        let is_used =
            at >= latest || at == card || (at > card && asks_for_hint(message)) || exam == Some(at);
        is_used.then_some(message)
    })
}

/// The message with the card that the student works on: the one that the button stands on, else the last card.
fn place(
    messages: &[TutorMessage],
    event: Option<&ClientEvent>,
    card_token: &str,
) -> Option<usize> {
    named(messages, event, card_token)
        .or_else(|| messages.iter().rposition(|message| message.card.is_some()))
}

/// The message with the card whose token the button has, and whose unit.
fn named(
    messages: &[TutorMessage],
    event: Option<&ClientEvent>,
    card_token: &str,
) -> Option<usize> {
    let event = event.filter(|_| !card_token.is_empty())?;
    messages.iter().rposition(|message| {
        let card = message.card.as_ref();
        card.is_some_and(|card| card.unit_id == event.unit_id && token(card) == card_token)
    })
}

/// Whether the button has a token of no drill of its unit in the messages that were read.
pub(crate) fn is_forged(event: Option<&ClientEvent>, texts: &TurnTexts) -> bool {
    let (messages, card_token) = (&texts.recent_messages, &texts.card_token);
    !card_token.is_empty() && named(messages, event, card_token).is_none()
}

/// The token of a drill; empty for other cards.
pub(crate) fn token(card: &TutorCard) -> &str {
    match &card.content {
        Some(Content::Drill(drill)) => &drill.drill_token,
        _ => "",
    }
}

/// The drill or exam question that the student works on; none where the last card is an explanation, or it is done: a
/// drill that was graded last in this thread, an exam question that is passed or locked.
pub(crate) fn open<'a>(facts: &TurnFacts, texts: &'a TurnTexts) -> Option<&'a TutorCard> {
    ungraded(facts, texts).filter(|card| match &card.content {
        Some(Content::Exam(exam)) => !is_passed_or_locked(facts, &exam.question_id),
        _ => true,
    })
}

/// Whether the card that the student works on is a drill that was not graded last in this thread, or an exam question, as far as
/// it is known before the exam system is asked: whatever became of it.
pub(crate) fn is_last(facts: &TurnFacts, texts: &TurnTexts) -> bool {
    ungraded(facts, texts).is_some()
}

fn ungraded<'a>(facts: &TurnFacts, texts: &'a TurnTexts) -> Option<&'a TutorCard> {
    let messages = &texts.recent_messages;
    let place = place(messages, facts.event.as_ref(), &texts.card_token)?;
    let card = messages.get(place)?.card.as_ref()?;
    let is_done = match &card.content {
        Some(Content::Drill(drill)) => {
            let graded = texts.graded.as_ref();
            graded.is_some_and(|graded| graded.card_token == drill.drill_token)
        }
        Some(Content::Exam(_)) => false,
        Some(Content::Concept(_)) | None => true,
    };
    (!is_done).then_some(card)
}

/// The latest exam question that waits for an answer, whatever was set since: one that is neither passed nor locked.
pub(crate) fn waiting_exam<'a>(facts: &TurnFacts, texts: &'a TurnTexts) -> Option<&'a ExamCard> {
    let mut exams = texts.recent_messages.iter().rev().filter_map(exam);
    exams.find(|exam| !is_passed_or_locked(facts, &exam.question_id))
}

fn exam(message: &TutorMessage) -> Option<&ExamCard> {
    match &message.card.as_ref()?.content {
        Some(Content::Exam(exam)) => Some(exam),
        _ => None,
    }
}

/// As the exam system says; where it was not asked, or did not answer, as the record says.
fn is_passed_or_locked(facts: &TurnFacts, question_id: &str) -> bool {
    let mut statuses = facts.statuses.iter();
    if let Some(status) = statuses.find(|status| status.question_id == question_id) {
        return matches!(
            status.state(),
            QuestionState::Passed | QuestionState::Locked
        );
    }
    let snapshot = facts.snapshot.as_ref();
    snapshot.is_some_and(|record| knows_pass(record, question_id) || waits(record, question_id))
}

/// How often a hint was asked for since the card was set that the student works on, before this turn.
pub(crate) fn hints(facts: &TurnFacts, texts: &TurnTexts) -> usize {
    let messages = &texts.recent_messages;
    let card = place(messages, facts.event.as_ref(), &texts.card_token);
    let since = card.map_or(messages.len(), |at| at + 1);
    let since = messages.iter().skip(since);
    since.filter(|message| asks_for_hint(message)).count()
}

fn asks_for_hint(message: &TutorMessage) -> bool {
    let pressed = message.event.as_ref().map(ClientEvent::kind);
    message.role() == Role::User && pressed == Some(ClientEventKind::StuckHint)
}
