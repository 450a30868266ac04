//! The answer of a turn: the student's message as it will be stored, and the tutor's with its card and tokens.

use jiff::Timestamp;
use turnwise_kit::{Caller, time};
use turnwise_proto::{
    exam::v1::QuestionState,
    explain::v1::TurnFacts,
    policy::v1::Reply,
    session::v1::TurnStart,
    tutor::v1::{
        ButtonCall, ClientEvent, ClientEventKind, DialogState, ExamCard, Role, TakeTurnResponse,
        TutorCard, TutorMessage, tutor_card::Content,
    },
};

use super::compose::Composed;
use crate::{
    context::needs,
    conversation::clarification,
    notice_texts::notice_texts,
    record,
    tokens::{CardTokens, DrillClaims, OfferClaims},
};

/// Makes the answer.
pub(super) fn answer(
    start: &TurnStart,
    caller: &Caller,
    tokens: &CardTokens,
    composed: &Composed,
    now: Timestamp,
) -> TakeTurnResponse {
    let Composed { facts, texts, .. } = composed;
    let create_time = Some(time::to_proto(now));
    let last_id = start.thread.as_ref().map_or(0, |t| t.message_count);
    // A message that waited is in the timeline already.
    let reply_id = last_id + if composed.needs.is_resumed() { 1 } else { 2 };
    let input = texts.input.clone().unwrap_or_default();
    let said = TutorMessage {
        id: last_id + 1,
        thread_id: facts.thread_id.clone(),
        role: Role::User.into(),
        text: input.text,
        latex: input.latex,
        create_time,
        event: facts.event.clone().map(|event| ClientEvent {
            card_token: texts.card_token.clone(),
            ..event
        }),
        ..TutorMessage::default()
    };
    let reply = texts.reply.clone().unwrap_or_default();
    let open = composed.questions.open.as_ref();
    let replied = TutorMessage {
        id: reply_id,
        thread_id: facts.thread_id.clone(),
        role: Role::Assistant.into(),
        card: signed(&reply, composed.worded.as_ref(), caller, tokens, facts, now),
        text: reply.text
            + &needs::footer(facts, record::locale(facts))
            + &clarification::footer(facts, texts),
        create_time,
        buttons: composed.buttons.clone(),
        ..TutorMessage::default()
    };
    let notices: Vec<i32> = composed.notices.iter().map(|n| (*n).into()).collect();
    let context_required = composed.needs.required.clone();
    let waits = composed.needs.waits();
    let messages = match (waits, composed.needs.is_resumed()) {
        (true, _) => vec![said],
        (false, true) => vec![replied],
        (false, false) => vec![said, replied],
    };
    TakeTurnResponse {
        turn_id: facts.turn_id.clone(),
        thread_id: facts.thread_id.clone(),
        messages,
        snapshot_lite: composed.standing.clone(),
        degraded_reasons: facts.degraded_reasons.clone(),
        model: facts
            .model_call
            .as_ref()
            .map_or_else(String::new, |call| call.model.clone()),
        retry_after: composed
            .retry_hint
            .after
            .and_then(|after| after.try_into().ok()),
        place_ticket: composed.retry_hint.place_ticket.clone(),
        notice_texts: notice_texts(record::locale(facts), &notices),
        notices,
        dialog_state: match &context_required {
            Some(_) => DialogState::ContextRequired,
            None if waits => DialogState::Queued,
            None => clarification::dialog_state(open),
        }
        .into(),
        session_status: clarification::session_status(start, facts.clarification.as_ref()).into(),
        clarification: open.map(clarification::progress),
        context_required,
    }
}

/// The reply's card with the token that proves it ours, and an exam question with its words.
fn signed(
    reply: &Reply,
    worded: Option<&ExamCard>,
    caller: &Caller,
    tokens: &CardTokens,
    facts: &TurnFacts,
    now: Timestamp,
) -> Option<TutorCard> {
    let mut card = reply.card.clone()?;
    match card.content.as_mut()? {
        Content::Concept(_) => {}
        Content::Drill(drill) => {
            drill.drill_token = tokens.drill(
                now,
                &DrillClaims {
                    tenant: &caller.tenant,
                    student_id: &facts.student_id,
                    thread_id: &facts.thread_id,
                    course_id: &facts.course_id,
                    unit_id: &card.unit_id,
                    prompt: &drill.prompt,
                    question_latex: &drill.question_latex,
                },
                &reply.drill_id,
            );
            for event in card.buttons.iter_mut().filter_map(|b| b.event.as_mut()) {
                if event.kind() == ClientEventKind::StuckHint {
                    event.card_token.clone_from(&drill.drill_token);
                }
            }
        }
        Content::Exam(exam) => {
            if let Some(worded) = worded {
                exam.prompt.clone_from(&worded.prompt);
                exam.question_latex.clone_from(&worded.question_latex);
                exam.options.clone_from(&worded.options);
            }
            // Only what the exam system calls available is a candidate; what cannot be read cannot be answered now.
            exam.state = QuestionState::Available.into();
            if exam.prompt.is_empty() {
                exam.state = QuestionState::Locked.into();
                card.buttons
                    .retain(|button| button.call() != ButtonCall::SubmitExam);
            }
            exam.offer_token = tokens.offer(
                now,
                &OfferClaims {
                    tenant: &caller.tenant,
                    student_id: &facts.student_id,
                    thread_id: &facts.thread_id,
                    course_id: &facts.course_id,
                    unit_id: &card.unit_id,
                    question_id: &exam.question_id,
                    tier: exam.tier(),
                },
            );
        }
    }
    Some(card)
}
