//! The homework helper: a chat beside a lesson. What an answer may be about is in the signed scope; the policy decides, a
//! model proposes, and the policy resolves.
//!
//! | module | is about |
//! | --- | --- |
//! | `compose` | the phases between begin and commit: decide, gather, prompt, model, resolve |
//! | `gather` | the lesson's reference and course text |
//! | `answer` | the answer, and what else it leaves |
//! | `health`, `mint` | whether the helper can answer; scopes signed for a lesson's page |
//! | `take_over` | a newer message takes over the place of one that waits for a model |
//! | `metrics` | what became of messages |

mod answer;
mod compose;
mod gather;
mod health;
mod metrics;
mod mint;
mod take_over;

use std::{net::IpAddr, pin::pin, sync::Arc};

use bytes::Bytes;
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use turnwise_kit::{CallContext, Caller, Fault, ids};
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{ChatFacts, TurnFacts, TurnTexts},
    helper::v1::{ChatRequest, ChatResponse},
    session::v1::{self as session, BeginTurnRequest, CommitTurnRequest, ThreadKind},
    tutor::v1::StudentInput,
};
use turnwise_redaction::redact_with;
use uuid::Uuid;

pub(crate) use metrics::ChatMetrics;

use crate::{
    access::STUDENT,
    conversation::{
        Begun, Core, PLACE_TICKET_MAX_BYTES, Progress, Request, body_hash,
        clarification::{self, Questions, is_of_clarification},
    },
    input::{check_event, check_text},
    record,
    tokens::scope::{ScopeTokens, VerifiedScope},
    upstream::Step,
};
use compose::Composing;

/// The class and the course of conversations without a scope.
const NONE: &str = "-";

/// Answers messages.
pub(crate) struct Helper {
    pub(crate) core: Arc<Core>,
    pub(crate) scopes: ScopeTokens,
    pub(crate) metrics: ChatMetrics,
    pub(crate) response_max_chars: usize,
}

impl Helper {
    /// Answers one message, or gives the stored answer of the same key. `address` is where it came from, for limits.
    pub(crate) async fn chat(
        &self,
        context: &CallContext,
        caller: &Caller,
        message: ChatRequest,
        address: Option<IpAddr>,
        progress: &Progress,
    ) -> Result<ChatResponse, Fault> {
        let answered = self
            .answer(context, caller, message, address, progress)
            .await;
        self.metrics.answered(&answered);
        answered
    }

    async fn answer(
        &self,
        context: &CallContext,
        caller: &Caller,
        message: ChatRequest,
        address: Option<IpAddr>,
        progress: &Progress,
    ) -> Result<ChatResponse, Fault> {
        let begun = Instant::now();
        let core = &*self.core;
        check(&message, core.message_max_chars)?;
        let scope = self.scope(caller, &message.scope_token)?;
        let named = scope.as_ref();
        let memory_scope = match named {
            Some(scope) => scope.memory_scope(),
            None => Sha256::digest(format!("{}/{}", caller.tenant, caller.subject)).into(),
        };
        let memory_scope = Bytes::copy_from_slice(&memory_scope);
        let key = match message.idempotency_key.as_str() {
            "" => Uuid::new_v4().to_string(),
            key => key.to_owned(),
        };
        let mut request = Request {
            context,
            caller,
            address,
            kind: ThreadKind::Helper,
            thread_id: &message.conversation_id,
            course_id: named.map_or(NONE, |scope| &scope.course_id),
            idempotency_key: &key,
            body_hash: body_of(&message, &memory_scope),
        };
        let class_id = named.map_or(NONE, |scope| &scope.class_id);
        let opened;
        if request.thread_id.is_empty() {
            opened = self.open(&request, class_id).await?;
            request.thread_id = &opened;
        }
        let wanted = BeginTurnRequest {
            memory_scope,
            ..BeginTurnRequest::default()
        };
        let (begun_turn, taken_over) = self.begin(&request, class_id, wanted).await;
        let turn = match begun_turn.map_err(of_conversation)? {
            Begun::Stored(answer) => return Ok(answer),
            Begun::Start(turn) => turn,
        };
        let place_ticket = match message.place_ticket.as_str() {
            "" => &taken_over,
            ticket => ticket,
        };
        let start = &turn.start;
        let thread = start.thread.as_ref();
        if thread.is_none_or(|thread| thread.class_id != class_id) {
            return Err(foreign_conversation());
        }
        let composed = turn
            .during(pin!(async {
                let roster = core.roster(&request, thread).await?;
                let said = redact_with(&message.message, &roster).into_owned();
                let hit = core.met([said.as_str()]);
                let composing = Composing {
                    helper: self,
                    request: &request,
                    place_ticket,
                    progress,
                    start,
                    questions: Questions {
                        translate_to: match scope.as_ref() {
                            Some(scope) if core.translates_questions => {
                                scope.scope.language.clone()
                            }
                            _ => String::new(),
                        },
                        ..Questions::of(start)
                    },
                    chat: ChatFacts {
                        scope: scope.as_ref().map(|scope| scope.scope.clone()),
                        ..ChatFacts::default()
                    },
                    facts: TurnFacts {
                        format: record::FORMAT,
                        turn_id: Uuid::new_v4().to_string(),
                        thread_id: request.thread_id.to_owned(),
                        student_id: caller.subject.clone(),
                        class_id: class_id.to_owned(),
                        course_id: request.course_id.to_owned(),
                        class_policy: start.class_policy,
                        event: message.event.clone(),
                        ..TurnFacts::default()
                    },
                    texts: TurnTexts {
                        input: Some(StudentInput {
                            text: said,
                            ..StudentInput::default()
                        }),
                        memory: start.memory.clone(),
                        ..TurnTexts::default()
                    },
                };
                // A record is large: it does not lie on the stack of every call around it.
                Box::pin(composing.run(hit)).await
            }))
            .await;
        let composed = match composed {
            Ok(composed) => composed,
            Err(fault) => {
                turn.give_back().await;
                return Err(held_in(fault, request.thread_id));
            }
        };
        let facts = composed.facts();
        answer::log(&facts);
        let answer = answer::answer(&request, start, &composed, scope.is_some(), begun);
        let made = CommitTurnRequest {
            messages: answer::messages(start, &composed, core.kit.clock.now()),
            memory_turns: answer::memory_turns(&composed),
            pending_change: composed.questions.change.clone(),
            escalation: clarification::escalation(&facts),
            ..answer::left(&facts, composed.texts)
        };
        let answer = turn.commit(answer, made).await?;
        core.access.tell("chat", &request, class_id, &facts.turn_id);
        Ok(answer)
    }

    /// What the scope token says; none where there is none and none is needed.
    fn scope(&self, caller: &Caller, token: &str) -> Result<Option<VerifiedScope>, Fault> {
        if token.is_empty() && !caller.is(STUDENT) {
            return Ok(None);
        }
        let now = self.core.kit.clock.now();
        self.scopes.verify(now, token, caller).map(Some)
    }

    /// Opens a conversation; the same key opens the same.
    async fn open(&self, request: &Request<'_>, class_id: &str) -> Result<String, Fault> {
        let step = Step::Session.of(request.context);
        let opened = self
            .core
            .upstreams
            .session
            .clone()
            .create_thread(step.request(session::CreateThreadRequest {
                student_id: request.caller.subject.clone(),
                course_id: request.course_id.to_owned(),
                class_id: class_id.to_owned(),
                title: String::new(),
                idempotency_key: request.idempotency_key.to_owned(),
                body_hash: request.body_hash.clone(),
                kind: request.kind.into(),
                procedure: None,
            }))
            .await
            .map_err(|status| step.fault(&status))?;
        let thread = opened.into_inner().thread;
        Ok(thread.ok_or_else(|| Step::Session.malformed())?.thread_id)
    }
}

fn check(message: &ChatRequest, max_chars: usize) -> Result<(), Fault> {
    if let Some(event) = &message.event {
        check_event(event)?;
        if !is_of_clarification(event) {
            return Err(Fault::invalid(
                "event.kind",
                "must be one of a clarification; the helper has no other buttons",
            ));
        }
    } else if message.message.is_empty() {
        return Err(Fault::new(
            ErrorReason::MissingMessage,
            "`message` is empty; send what the student typed",
        )
        .field("message", "is empty"));
    }
    check_text("message", &message.message, max_chars)?;
    if !message.conversation_id.is_empty() {
        ids::check("conversation_id", &message.conversation_id)?;
    }
    if !message.idempotency_key.is_empty() {
        ids::check_key("idempotency_key", &message.idempotency_key)?;
    }
    if message.place_ticket.len() > PLACE_TICKET_MAX_BYTES {
        return Err(Fault::invalid("place_ticket", "is no ticket; leave it out"));
    }
    Ok(())
}

/// What was asked for: a scope token that was signed again for the same lesson asks for the same.
fn body_of(message: &ChatRequest, memory_scope: &Bytes) -> Bytes {
    body_hash(
        "Chat",
        &ChatRequest {
            message: message.message.clone(),
            event: message.event.clone(),
            scope_token: hex::encode(memory_scope),
            ..ChatRequest::default()
        },
    )
}

/// As the store answers for a conversation that is not there.
fn foreign_conversation() -> Fault {
    let problem =
        "is no conversation of this caller in this class; leave it out to begin a new one";
    Fault::new(
        ErrorReason::UnknownThread,
        format!("`conversation_id` {problem}"),
    )
    .field("conversation_id", problem)
}

/// A thread is called a conversation here.
fn of_conversation(fault: Fault) -> Fault {
    match fault.reason() {
        ErrorReason::UnknownThread => foreign_conversation(),
        _ => fault,
    }
}

/// A refusal that may be tried again names the conversation: a place is held in it.
fn held_in(fault: Fault, conversation_id: &str) -> Fault {
    match fault.retry_delay() {
        Some(_) => fault.meta("conversation_id", conversation_id),
        None => fault,
    }
}
