//! A turn of the tutor.
//!
//! | module | is about |
//! | --- | --- |
//! | `compose` | the phases between begin and commit: map, plan, gather, decide, prompt, model, resolve |
//! | `gather`, `notices` | what the phases ask of others, and what they tell |
//! | `answer`, `writes` | the answer, and what else a turn leaves |
//! | `log` | the turn in the process's log |
//!
//! The store is asked twice, the model at most once. Whatever goes wrong between begin and commit, the student gets an
//! answer that the policy allows, or, where the policy itself cannot be asked, a fixed safe text.

mod answer;
mod compose;
mod gather;
mod log;
mod notices;
mod writes;

use std::net::IpAddr;

use turnwise_kit::{CallContext, Caller, Fault};
use turnwise_proto::{
    explain::v1::{TurnFacts, TurnTexts},
    session::v1::{BeginTurnRequest, CommitTurnRequest, ThreadKind},
    tutor::v1::{TakeTurnRequest, TakeTurnResponse},
};
use uuid::Uuid;

use crate::{
    conversation::{
        Begun, Core, PLACE_TICKET_MAX_BYTES, Progress, Request, body_hash,
        clarification::{self, Questions},
        guards::class_id,
        turn_log,
    },
    input::Unredacted,
    record,
};
use compose::{Composed, Composing};

/// How many earlier messages a turn reads.
const HISTORY: i32 = 6;

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
    let wanted = BeginTurnRequest {
        history_limit: HISTORY,
        ..BeginTurnRequest::default()
    };
    let turn = match core.begin_turn(&request, wanted).await? {
        Begun::Stored(answer) => return Ok(answer),
        Begun::Start(turn) => turn,
    };
    let start = &turn.start;
    let thread = start.thread.as_ref();
    let composed = turn
        .during(async {
            let roster = core.roster(&request, thread).await?;
            let screened = core.screen(input, &roster);
            let composing = Composing {
                core,
                request: &request,
                place_ticket: &message.place_ticket,
                progress,
                start,
                facts: TurnFacts {
                    format: record::FORMAT,
                    turn_id: Uuid::new_v4().to_string(),
                    thread_id: message.thread_id.clone(),
                    student_id: caller.subject.clone(),
                    class_id: class_id(thread).to_owned(),
                    course_id: thread.map_or_else(String::new, |thread| thread.course_id.clone()),
                    event: screened.event,
                    snapshot: start.snapshot.clone(),
                    class_policy: start.class_policy,
                    target_locked: start.target_locked,
                    ..TurnFacts::default()
                },
                texts: TurnTexts {
                    input: Some(screened.input),
                    recent_messages: core.screen_history(&start.recent_messages),
                    ..TurnTexts::default()
                },
                questions: Questions::of(start),
            };
            composing.run(screened.hit).await
        })
        .await;
    let composed = match composed {
        Ok(composed) => composed,
        Err(fault) => {
            turn.give_back().await;
            return Err(fault);
        }
    };
    log::log_turn(&composed.facts);
    let now = core.kit.clock.now();
    let answer = answer::answer(start, caller, &core.tokens, &composed, now);
    let Composed {
        facts,
        texts,
        questions,
        ..
    } = composed;
    let made = CommitTurnRequest {
        turn_log: Some(turn_log(&facts, &texts)),
        events: writes::events(&facts),
        alert: writes::alert(&facts),
        activity: Some(writes::activity(&facts)),
        escalation: clarification::escalation(&facts),
        turn_state: facts.turn_state,
        target_locked: facts.target_locked_after,
        pending_change: questions.change,
        messages: answer.messages.clone(),
        ..CommitTurnRequest::default()
    };
    let answer = turn.commit(answer, made).await?;
    core.access
        .tell("turn", &request, &facts.class_id, &facts.turn_id);
    Ok(answer)
}
