//! The card that a student works on, as the thread's messages and the record show it.

use sha2::{Digest, Sha256};
use turnwise_proto::{
    exam::v1::QuestionState,
    explain::v1::{TurnFacts, TurnTexts},
    session::v1::GradedDrill,
    tutor::v1::{
        ClientEvent, ClientEventKind, ExamCard, Role, TutorCard, TutorMessage, tutor_card::Content,
    },
};

use crate::standing::{knows_pass, waits};

/// How many of the latest messages a turn uses.
const LATEST: usize = 6;

/// The most other drills that a reply is held against.
const OTHERS: usize = 3;

/// How many drills a thread knows to be graded before the latest. No more cards than these can be among the messages that a
/// turn reads, the latest drill's with them.
const GRADED_BEFORE: usize = 24;

/// Of the messages that a turn read, those that it uses: the latest, and of those before the card that the student works on,
/// the hints that were asked for on it, and the last exam question.
pub(crate) fn used<'a>(
    messages: &'a [TutorMessage],
    event: Option<&ClientEvent>,
    card_token: &str,
    graded: Option<&GradedDrill>,
) -> impl Iterator<Item = &'a TutorMessage> {
    let latest = messages.len().saturating_sub(LATEST);
    let work = Work::of(messages, event, card_token, graded);
    let exam = messages.iter().rposition(|message| exam(message).is_some());
    let messages = messages.iter().enumerate();
    messages.filter_map(move |(at, message)| {
        let is_of_card = work.card == Some(at) || work.hints.contains(&at);
        let is_used = at >= latest || is_of_card || exam == Some(at);
        is_used.then_some(message)
    })
}

/// Where among the messages the card stands that the student works on, and the hints that were asked for on it.
struct Work {
    card: Option<usize>,
    hints: Vec<usize>,
}

impl Work {
    /// The card that the button stands on; else the one of the latest hint since a card was set, until that drill is graded;
    /// else the last card.
    fn of(
        messages: &[TutorMessage],
        event: Option<&ClientEvent>,
        card_token: &str,
        graded: Option<&GradedDrill>,
    ) -> Self {
        let (mut last, mut current) = (None, None);
        // Each hint with its card.
        let mut hints = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            if message.card.is_some() {
                last = Some(at);
                current = last;
            } else if asks_for_hint(message) {
                let pressed = message.event.as_ref();
                let card_token = pressed.map_or("", |event| event.card_token.as_str());
                let card = named(&messages[..at], pressed, card_token);
                current = card.or(current);
                // One whose card was not read is on none of these.
                let on = current.filter(|_| card.is_some() || card_token.is_empty());
                hints.extend(on.map(|card| (at, card)));
            }
        }
        let is_graded = |at: &usize| {
            let card = messages.get(*at).and_then(|message| message.card.as_ref());
            card.is_some_and(|card| is_graded(graded, token(card)))
        };
        let current = current.filter(|at| !is_graded(at)).or(last);
        let card = named(messages, event, card_token).or(current);
        hints.retain(|(_, on)| Some(*on) == card);
        Self {
            card,
            hints: hints.into_iter().map(|(at, _)| at).collect(),
        }
    }

    fn in_turn(event: Option<&ClientEvent>, texts: &TurnTexts) -> Self {
        let graded = texts.graded.as_deref();
        Self::of(&texts.recent_messages, event, &texts.card_token, graded)
    }

    /// The card, among the same messages.
    fn card<'a>(&self, texts: &'a TurnTexts) -> Option<&'a TutorCard> {
        texts.recent_messages.get(self.card?)?.card.as_ref()
    }
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

/// What a thread keeps of the drills that were graded before the next one.
pub(crate) fn graded_before(latest: Option<&GradedDrill>) -> Vec<u64> {
    let Some(latest) = latest else {
        return Vec::new();
    };
    let hash = token_hash(&latest.card_token);
    let before = latest.graded_before.iter().copied();
    let mut graded: Vec<u64> = before.filter(|before| *before != hash).collect();
    graded.push(hash);
    graded.drain(..graded.len().saturating_sub(GRADED_BEFORE));
    graded
}

/// Whether the drill with this token was graded in its thread.
fn is_graded(graded: Option<&GradedDrill>, card_token: &str) -> bool {
    graded.is_some_and(|latest| {
        latest.card_token == card_token || latest.graded_before.contains(&token_hash(card_token))
    })
}

fn token_hash(card_token: &str) -> u64 {
    let digest = Sha256::digest(card_token);
    let first = digest.first_chunk::<8>();
    first.map_or(0, |first| u64::from_be_bytes(*first))
}

/// Whether the drill that the student works on was graded, and another one since.
pub(crate) fn is_graded_before(event: Option<&ClientEvent>, texts: &TurnTexts) -> bool {
    let card_token = Work::in_turn(event, texts).card(texts).map(token);
    let latest = texts.graded.as_deref();
    card_token.is_some_and(|card_token| {
        is_graded(latest, card_token) && latest.is_some_and(|it| it.card_token != card_token)
    })
}

/// The drill or exam question that the student works on; none where the last card is an explanation, or it is done: a
/// drill that was graded in this thread, an exam question that is passed or locked.
pub(crate) fn open<'a>(facts: &TurnFacts, texts: &'a TurnTexts) -> Option<&'a TutorCard> {
    ungraded(facts, texts).filter(|card| match &card.content {
        Some(Content::Exam(exam)) => !is_passed_or_locked(facts, &exam.question_id),
        _ => true,
    })
}

/// The other drills among the messages that the turn uses that were not graded, the latest first.
pub(crate) fn others<'a>(
    facts: &TurnFacts,
    texts: &'a TurnTexts,
) -> impl Iterator<Item = &'a TutorCard> {
    let open = open(facts, texts).map(token);
    let cards = texts.recent_messages.iter().rev();
    let cards = cards.filter_map(|message| message.card.as_ref());
    let is_other = move |card: &&TutorCard| {
        let token = token(card);
        !token.is_empty() && open != Some(token) && !is_graded(texts.graded.as_deref(), token)
    };
    cards.filter(is_other).take(OTHERS)
}

/// The card that waits for an answer as far as that is known before the exam system is asked: a drill that was not graded in
/// this thread, or an exam question whose pass the record does not know.
pub(crate) fn waiting<'a>(facts: &TurnFacts, texts: &'a TurnTexts) -> Option<&'a TutorCard> {
    ungraded(facts, texts).filter(|card| match (&card.content, &facts.snapshot) {
        (Some(Content::Exam(exam)), Some(record)) => !knows_pass(record, &exam.question_id),
        _ => true,
    })
}

fn ungraded<'a>(facts: &TurnFacts, texts: &'a TurnTexts) -> Option<&'a TutorCard> {
    let card = Work::in_turn(facts.event.as_ref(), texts).card(texts)?;
    let is_done = match &card.content {
        Some(Content::Drill(drill)) => is_graded(texts.graded.as_deref(), &drill.drill_token),
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

/// How often a hint was asked for on the card that the student works on, before this turn.
pub(crate) fn hints(facts: &TurnFacts, texts: &TurnTexts) -> usize {
    let work = Work::in_turn(facts.event.as_ref(), texts);
    work.hints.len()
}

fn asks_for_hint(message: &TutorMessage) -> bool {
    let pressed = message.event.as_ref().map(ClientEvent::kind);
    message.role() == Role::User && pressed == Some(ClientEventKind::StuckHint)
}
