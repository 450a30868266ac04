//! One turn: begin, compose, commit.
//!
//! | module | is about |
//! | --- | --- |
//! | `begin` | the first round trip to the store |
//! | `compose` | the phases between: guardrails, map, plan, gather, decide, prompt, model, resolve |
//! | `gather`, `model`, `notices` | what the phases ask of others, and what they tell |
//! | `answer`, `commit` | the answer, and the second round trip to the store |
//! | `lease`, `progress`, `log` | beside it all |
//!
//! The store is asked twice, the model at most once. Whatever goes wrong between begin and commit, the student gets an
//! answer that the policy allows, or, where the policy itself cannot be asked, a fixed safe text.

mod answer;
mod begin;
mod commit;
mod compose;
mod gather;
mod lease;
mod log;
mod model;
mod notices;
mod progress;

use std::{net::IpAddr, sync::Arc, time::Duration};

use prost::Message;
use turnwise_guardrails::Guardrails;
use turnwise_kit::{CallContext, Caller, Fault, Kit, ids};
use turnwise_prompts::SheetLibrary;
use turnwise_proto::{
    explain::v1::{TurnFacts, TurnTexts},
    session::v1::{CommitTurnRequest, TurnStart},
    tutor::v1::{TakeTurnRequest, TakeTurnResponse},
};
use uuid::Uuid;

pub(crate) use model::complete;
pub(crate) use progress::Progress;

use crate::{
    exam::ExamPort, input::Unredacted, record, rosters::Rosters, safeguarding, tokens::CardTokens,
    upstream::Upstreams,
};
use begin::{Begun, begin, body_hash};
use compose::{Composed, Composing};
use lease::Lease;

/// The most bytes of a place ticket; those that are handed out are shorter.
const PLACE_TICKET_MAX_BYTES: usize = 512;

/// Takes turns.
pub(crate) struct Turns {
    pub(crate) upstreams: Upstreams,
    pub(crate) exam: ExamPort,
    pub(crate) sheets: Arc<SheetLibrary>,
    pub(crate) tokens: Arc<CardTokens>,
    pub(crate) guardrails: Arc<Guardrails>,
    pub(crate) rosters: Arc<Rosters>,
    pub(crate) message_max_chars: usize,
    pub(crate) prompt_max_tokens: usize,
    pub(crate) reply_reserve: Duration,
    pub(crate) kit: Kit,
}

impl Turns {
    /// Takes one turn, or answers the stored one of the same key. `address` is where it came from, for limits.
    pub(crate) async fn take(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: TakeTurnRequest,
        address: Option<IpAddr>,
        progress: &Progress,
    ) -> Result<TakeTurnResponse, Fault> {
        ids::check("thread_id", &request.thread_id)?;
        ids::check("course_id", &request.course_id)?;
        ids::check_key("idempotency_key", &request.idempotency_key)?;
        if request.place_ticket.len() > PLACE_TICKET_MAX_BYTES {
            return Err(Fault::invalid("place_ticket", "is no ticket; leave it out"));
        }
        let input = Unredacted::read(&request, self.message_max_chars)?;
        let body_hash = body_hash(&request);

        let start = match begin(&self.upstreams, context, caller, &request, &body_hash).await? {
            Begun::Stored(answer) => return Ok(*answer),
            Begun::Start(start) => start,
        };
        let lease = Lease::new(
            self.upstreams.session.clone(),
            self.kit.clone(),
            caller.clone(),
            request.thread_id.clone(),
            start.fencing_token,
            start
                .lease_ttl
                .and_then(|d| Duration::try_from(d).ok())
                .unwrap_or(Duration::from_secs(15)),
        );
        let class_id = start.thread.as_ref().map_or("", |t| t.class_id.as_str());
        let composed = lease
            .during(context, async {
                let roster = self.rosters.of(context, &caller.tenant, class_id).await?;
                let (input, event) = input.redact(&roster);
                let composing = Composing {
                    turns: self,
                    context,
                    request: &request,
                    address,
                    progress,
                    start: &start,
                    facts: TurnFacts {
                        format: record::FORMAT,
                        turn_id: Uuid::new_v4().to_string(),
                        thread_id: request.thread_id.clone(),
                        student_id: caller.subject.clone(),
                        class_id: class_id.to_owned(),
                        course_id: course_id(&start),
                        event,
                        snapshot: start.snapshot.clone(),
                        target_locked: start.target_locked,
                        ..TurnFacts::default()
                    },
                    texts: TurnTexts {
                        input: Some(input),
                        recent_messages: safeguarding::without_hits(
                            &self.guardrails,
                            &start.recent_messages,
                        ),
                        ..TurnTexts::default()
                    },
                };
                composing.run().await
            })
            .await?;
        log::log_turn(&composed.facts);
        let now = self.kit.clock.now();
        let answer = answer::answer(&start, caller, &self.tokens, &composed, now);
        let Composed { facts, texts, .. } = composed;
        let commit = CommitTurnRequest {
            turn_log: Some(commit::turn_log(&facts, &texts)),
            events: commit::events(&facts),
            student_id: facts.student_id,
            course_id: request.course_id,
            thread_id: facts.thread_id,
            fencing_token: lease.fencing_token(),
            idempotency_key: request.idempotency_key,
            body_hash: body_hash.into(),
            turn_state: facts.turn_state,
            target_locked: facts.target_locked_after,
            messages: answer.messages.clone(),
            answer: answer.encode_to_vec().into(),
            carry: start.carry.clone(),
            ..CommitTurnRequest::default()
        };
        commit::commit(&self.upstreams, context, commit).await?;
        lease.committed();
        Ok(answer)
    }
}

fn course_id(start: &TurnStart) -> String {
    start
        .thread
        .as_ref()
        .map_or_else(String::new, |t| t.course_id.clone())
}
