//! The first round trip of a turn: all that it needs, and the thread's lease.

use prost::Message;
use sha2::{Digest, Sha256};
use turnwise_kit::{CallContext, Caller, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    session::v1::{BeginTurnRequest, TurnStart, begin_turn_response::Outcome},
    tutor::v1::{TakeTurnRequest, TakeTurnResponse},
};

use crate::upstream::{Step, Upstreams};

/// How many earlier messages a turn reads.
const HISTORY: i32 = 6;

/// What a beginning came to.
pub(super) enum Begun {
    /// The turn was taken before under this key; this was its answer.
    Stored(Box<TakeTurnResponse>),
    /// It begins.
    Start(Box<TurnStart>),
}

/// Begins a turn.
pub(super) async fn begin(
    upstreams: &Upstreams,
    context: &CallContext,
    caller: &Caller,
    request: &TakeTurnRequest,
    body_hash: &[u8],
) -> Result<Begun, Fault> {
    let step = Step::Session.of(context);
    let mut session = upstreams.session.clone();
    let call = session.begin_turn(step.request(BeginTurnRequest {
        student_id: caller.subject.clone(),
        course_id: request.course_id.clone(),
        thread_id: request.thread_id.clone(),
        idempotency_key: request.idempotency_key.clone(),
        body_hash: body_hash.to_vec().into(),
        history_limit: HISTORY,
        ..BeginTurnRequest::default()
    }));
    let response = call
        .await
        .map_err(|status| Step::Session.fault(context, &status))?
        .into_inner();
    match response.outcome {
        Some(Outcome::StoredAnswer(bytes)) => TakeTurnResponse::decode(bytes)
            .map(|answer| Begun::Stored(Box::new(answer)))
            .map_err(|_| {
                Fault::new(
                    ErrorReason::RecordCorrupted,
                    "the stored answer cannot be read; send the turn again with a new key",
                )
                .meta("record", "answer")
            }),
        Some(Outcome::Start(start)) => Ok(Begun::Start(Box::new(start))),
        None => Err(Step::Session.nonsense()),
    }
}

/// What the client asked for, without the key that names the asking and the ticket that it waits with.
pub(super) fn body_hash(request: &TakeTurnRequest) -> Vec<u8> {
    let body = TakeTurnRequest {
        idempotency_key: String::new(),
        place_ticket: String::new(),
        ..request.clone()
    };
    Sha256::digest(body.encode_to_vec()).to_vec()
}
