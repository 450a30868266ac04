//! A turn of the tutor.
//!
//! | module | is about |
//! | --- | --- |
//! | `compose` | the phases between begin and commit: map, plan, gather, decide, prompt, model, resolve |
//! | `gather`, `notices` | what the phases ask of others, and what they tell |
//! | `locks`, `beside` | what the exam system says of questions that decide nothing, which no turn waits for |
//! | `buttons` | what may be pressed below the reply |
//! | `passes` | a pass that only the platform knows |
//! | `resume` | the answer of a message that waited for what it needs |
//! | `answer`, `writes` | the answer, and what else a turn leaves |
//! | `log` | the turn in the process's log |
//!
//! The store is asked twice, the model at most once. Whatever goes wrong between begin and commit, the student gets an
//! answer that the policy allows, or, where the policy itself cannot be asked, a fixed safe text.

mod answer;
mod beside;
mod buttons;
mod compose;
mod gather;
mod locks;
mod log;
mod notices;
mod passes;
mod resume;
mod writes;

use std::{net::IpAddr, pin::pin};

use turnwise_kit::{CallContext, Caller, Fault};
use turnwise_proto::{
    explain::v1::{ContextFacts, TurnFacts, TurnTexts},
    llm::v1::Purpose,
    session::v1::{BeginTurnRequest, CommitTurnRequest, ThreadKind, TurnStart},
    tutor::v1::{ClientEvent, TakeTurnRequest, TakeTurnResponse},
};
use uuid::Uuid;

use crate::{
    context::needs::Needs,
    conversation::{
        Begun, Core, PLACE_TICKET_MAX_BYTES, Progress, Request, Turn, body_hash,
        clarification::{self, Questions},
        guards::class_id,
        turn_log,
    },
    input::Unredacted,
    open_card, record,
};
pub(crate) use beside::beside;
use compose::{Composed, Composing};
pub(crate) use gather::readable;
pub(crate) use resume::{Resumed, resume};

/// How many earlier messages a turn reads. session-svc goes further back, to the last card or the last exam question.
const HISTORY: i32 = 20;
/// How many of them are looked through for the card that a button names.
const LONG_HISTORY: i32 = 50;

/// Takes one turn, or answers the stored one of the same key. `address` is where it came from, for limits.
pub(crate) async fn take(
    core: &Core,
    context: &CallContext,
    caller: &Caller,
    message: TakeTurnRequest,
    address: Option<IpAddr>,
    progress: &Progress,
) -> Result<TakeTurnResponse, Fault> {
    if message.place_ticket.len() > PLACE_TICKET_MAX_BYTES {
        return Err(Fault::invalid("place_ticket", "is no ticket; leave it out"));
    }
    let input = Unredacted::read(&message, core.message_max_chars)?;
    let mut needs = Needs::of(&message, &core.sheets.current())?;
    let request = Request {
        context,
        caller,
        address,
        kind: ThreadKind::Tutor,
        thread_id: &message.thread_id,
        course_id: &message.course_id,
        idempotency_key: &message.idempotency_key,
        body_hash: body_hash(
            "TakeTurn",
            &TakeTurnRequest {
                idempotency_key: String::new(),
                place_ticket: String::new(),
                ..message.clone()
            },
        ),
    };
    let turn = match core
        .begin_turn(&request, wanted(message.event.as_ref()))
        .await?
    {
        Begun::Stored(answer) => return Ok(answer),
        Begun::Start(turn) => turn,
    };
    let composed = turn
        .during(pin!(async {
            let roster = core.roster(&request, turn.start.thread.as_ref()).await?;
            needs.redact(&roster);
            let mut screened = core.screen(input, &roster, &needs.notes());
            // It goes with the texts: the facts outlive them.
            let card_token = (screened.event.as_mut())
                .map_or_else(String::new, |event| std::mem::take(&mut event.card_token));
            let recent = &turn.start.recent_messages;
            let graded = turn.start.graded.as_deref();
            let recent = open_card::used(recent, screened.event.as_ref(), &card_token, graded);
            let recent_messages = core.screen_history(recent);
            let composing = Composing {
                core,
                request: &request,
                place_ticket: &message.place_ticket,
                progress,
                purpose: Purpose::Turn,
                start: &turn.start,
                facts: facts(&request, &turn.start, screened.event),
                texts: TurnTexts {
                    input: Some(screened.input),
                    recent_messages,
                    graded: turn.start.graded.clone(),
                    card_token,
                    ..TurnTexts::default()
                },
                questions: Questions::of(&turn.start),
                needs,
            };
            // The phases are large: on the heap they make no caller's future larger.
            Box::pin(composing.run(screened.hit)).await
        }))
        .await;
    match composed {
        Ok(composed) => commit(core, &request, turn, composed)
            .await
            .map(|(answer, _)| answer),
        Err(fault) => {
            turn.give_back().await;
            Err(fault)
        }
    }
}

/// What a turn reads beside its thread and the student's record.
fn wanted(event: Option<&ClientEvent>) -> BeginTurnRequest {
    let names_card = event.is_some_and(|event| !event.card_token.is_empty());
    BeginTurnRequest {
        history_limit: if names_card { LONG_HISTORY } else { HISTORY },
        ..BeginTurnRequest::default()
    }
}

/// What is known of a turn before its phases.
fn facts(request: &Request<'_>, start: &TurnStart, event: Option<ClientEvent>) -> TurnFacts {
    let thread = start.thread.as_ref();
    TurnFacts {
        format: record::FORMAT,
        turn_id: Uuid::new_v4().to_string(),
        thread_id: request.thread_id.to_owned(),
        student_id: request.caller.subject.clone(),
        class_id: class_id(thread).to_owned(),
        course_id: thread.map_or_else(String::new, |thread| thread.course_id.clone()),
        event,
        snapshot: start.snapshot.clone(),
        class_policy: start.class_policy,
        target_locked: start.target_locked,
        thread_focus: start.thread_focus.clone(),
        ..TurnFacts::default()
    }
}

/// Stores what the phases came to; answers it, and what it had to do with a request.
async fn commit(
    core: &Core,
    request: &Request<'_>,
    turn: Turn<'_>,
    composed: Composed,
) -> Result<(TakeTurnResponse, Option<ContextFacts>), Fault> {
    log::log_turn(&composed.facts);
    let now = core.kit.clock.now();
    let answer = answer::answer(&turn.start, request.caller, &core.tokens, &composed, now);
    let Composed {
        facts,
        texts,
        questions,
        needs,
        ..
    } = composed;
    let made = CommitTurnRequest {
        turn_log: Some(turn_log(&facts, texts)),
        events: writes::events(&facts),
        alert: writes::alert(&facts),
        activity: Some(writes::activity(&facts)),
        escalation: clarification::escalation(&facts),
        turn_state: facts.turn_state,
        target_locked: facts.target_locked_after,
        // A thread waits for one thing: of the two at most one takes a step.
        pending_change: needs.change.or(questions.change),
        messages: answer.messages.clone(),
        ..CommitTurnRequest::default()
    };
    let answer = turn.commit(answer, made).await?;
    core.access
        .tell("turn", request, &facts.class_id, &facts.turn_id);
    if answer.context_required.is_some() {
        core.context_metrics.opened();
    }
    Ok((answer, facts.context))
}
