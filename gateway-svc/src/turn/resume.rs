//! The answer of a message that waited for what it needs: a turn like any other, but for the message, which is in the
//! timeline already, and the model, which is asked in the band of what nobody waits for.

use std::{collections::BTreeMap, pin::pin};

use prost::Message;
use sha2::{Digest, Sha256};
use turnwise_kit::{CallContext, Caller, Fault};
use turnwise_proto::{
    explain::v1::{ContextFacts, TurnTexts},
    llm::v1::Purpose,
    session::v1::{
        AnswerContextRequest, AppendEventsRequest, BeginTurnRequest, ContextRequest, NewEvent,
        ThreadKind,
    },
    tutor::v1::{TakeTurnResponse, TurnStage},
};

use super::{
    Turn, commit,
    compose::{Composed, Composing},
    facts, wanted,
};
use crate::{
    context::needs::{Needs, pending},
    conversation::{Begun, Core, Progress, Request, body_hash, clarification::Questions},
    open_card,
    upstream::Step,
};

/// The message that is answered.
pub(crate) struct Resumed<'a> {
    pub(crate) thread_id: &'a str,
    pub(crate) course_id: &'a str,
    pub(crate) request_id: &'a str,
    /// Whether it can only be answered with an apology: who asked cannot be proved any more.
    pub(crate) is_refused: bool,
}

/// What came of it.
pub(crate) struct Done {
    pub(crate) request: ContextRequest,
    pub(crate) facts: Option<ContextFacts>,
}

/// Answers a message whose request is open no more; nothing where it was answered before, or needs no answer.
pub(crate) async fn resume(
    core: &Core,
    context: &CallContext,
    caller: &Caller,
    resumed: Resumed<'_>,
) -> Result<Option<Done>, Fault> {
    let key = format!("context-{}", resumed.request_id);
    let body = AnswerContextRequest {
        request_id: resumed.request_id.to_owned(),
        ..AnswerContextRequest::default()
    };
    let request = Request {
        context,
        caller,
        address: None,
        kind: ThreadKind::Tutor,
        thread_id: resumed.thread_id,
        course_id: resumed.course_id,
        idempotency_key: &key,
        body_hash: body_hash("AnswerContextRequest", &body),
    };
    let turn: Turn<'_> = match core
        .begin_turn::<TakeTurnResponse>(&request, in_background())
        .await?
    {
        Begun::Stored(_) => return Ok(None),
        Begun::Start(turn) => turn,
    };
    let waiting = pending(&turn.start).filter(|open| open.request_id == resumed.request_id);
    let Some(waiting) = waiting.cloned() else {
        turn.give_back().await;
        return Ok(None);
    };
    let composed = turn
        .during(pin!(compose(
            core,
            &request,
            &turn,
            &waiting,
            resumed.is_refused
        )))
        .await;
    match composed {
        Ok(composed) => {
            let (_, facts) = commit(core, &request, turn, composed).await?;
            Ok(Some(Done {
                request: waiting,
                facts,
            }))
        }
        Err(fault) => {
            turn.give_back().await;
            Err(fault)
        }
    }
}

/// Nobody waits at a screen: whatever the student sends meanwhile comes first, and this is done again.
fn in_background() -> BeginTurnRequest {
    BeginTurnRequest {
        in_background: true,
        ..wanted(None)
    }
}

async fn compose(
    core: &Core,
    request: &Request<'_>,
    turn: &Turn<'_>,
    waiting: &ContextRequest,
    is_refused: bool,
) -> Result<Composed, Fault> {
    tell(core, request, waiting).await;
    let start = &turn.start;
    let used = open_card::used(&start.recent_messages, None, "", start.graded.as_deref());
    let mut recent = core.screen_history(used);
    // The message is the turn's own.
    recent.retain(|message| message.id != waiting.message_id);
    let progress = Progress::unheard();
    let facts = facts(request, start, None);
    let composing = Composing {
        core,
        request,
        place_ticket: "",
        progress: &progress,
        purpose: Purpose::Batch,
        start,
        texts: TurnTexts {
            input: waiting.query.clone(),
            recent_messages: recent,
            graded: start.graded.clone(),
            ..TurnTexts::default()
        },
        questions: Questions::default(),
        needs: Needs::resuming(waiting.clone(), &facts.turn_id, is_refused),
        facts,
    };
    // The words met no guardrail when they were accepted.
    Box::pin(composing.run(None)).await
}

/// Tells who watches that the message is being answered. It is news, not state: if it gets lost, nothing is.
async fn tell(core: &Core, request: &Request<'_>, waiting: &ContextRequest) {
    let event = NewEvent {
        kind: "turn:stage".to_owned(),
        related_id: waiting.request_id.clone(),
        facts: BTreeMap::from([
            ("message_id".to_owned(), waiting.message_id.to_string()),
            (
                "stage".to_owned(),
                TurnStage::Reading.as_str_name().to_owned(),
            ),
        ]),
        ..NewEvent::default()
    };
    let told = AppendEventsRequest {
        student_id: request.caller.subject.clone(),
        thread_id: request.thread_id.to_owned(),
        body_hash: Sha256::digest(event.encode_to_vec()).to_vec().into(),
        events: vec![event],
        idempotency_key: format!("stage-{}", waiting.request_id),
        alert: None,
    };
    let step = Step::Session.of(request.context);
    let mut session = core.upstreams.session.clone();
    if let Err(error) = session.append_events(step.request(told)).await {
        tracing::debug!(code = ?error.code(), "a stage is not told");
    }
}
