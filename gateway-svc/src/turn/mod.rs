//! One turn, phase by phase: begin, map, plan, gather, decide, prompt, call the model, resolve, commit.
//!
//! The store is asked twice, the model at most once. Whatever goes wrong between begin and commit, the student gets an
//! answer that the policy allows, or, where the policy itself cannot be asked, a fixed safe text.

mod gather;
mod lease;
mod log;
mod model;

use std::{net::IpAddr, time::Duration};

use jiff::Timestamp;
use prost::Message;
use sha2::{Digest, Sha256};
use turnwise_kit::{CallContext, Caller, Fault, Kit, ids, time};
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::CompleteRequest,
    policy::v1::{
        DecideRequest, DecideResponse, Plan, PlanRequest, Policy, Reply, ResolveReplyRequest,
    },
    session::v1::{BeginTurnRequest, CommitTurnRequest, TurnStart, TurnState, begin_turn_response},
    tutor::v1::{
        Button, DegradedReason, Role, SnapshotLite, TakeTurnRequest, TakeTurnResponse, TutorMessage,
    },
};
use uuid::Uuid;

pub(crate) use gather::question_statuses;

use crate::{
    error::public,
    input::{Input, Unredacted},
    prompt::{PromptInput, PromptSheets},
    rosters::Rosters,
    upstream::Upstreams,
};
use gather::{Gathered, gather, map_message};
use lease::Lease;
use log::log_turn;
use model::ComeBack;

/// How many earlier messages a turn reads.
const HISTORY: i32 = 6;
/// How often a commit whose outcome is unknown is sent: it is idempotent.
const COMMIT_ATTEMPTS: usize = 2;
/// The most bytes of a place ticket; those that are handed out are shorter.
const PLACE_TICKET_MAX_BYTES: usize = 512;
/// What is said when the policy cannot be asked. It promises nothing and needs no course.
const SAFE_TEXT: &str =
    "I can't look at your course right now. Please try again in a moment; nothing you did is lost.";

/// Takes turns.
pub struct Turns {
    upstreams: Upstreams,
    sheets: PromptSheets,
    rosters: Rosters,
    message_max_chars: usize,
    reply_reserve: Duration,
    kit: Kit,
}

/// What the phases between begin and commit came to.
struct Composed {
    reply: Reply,
    buttons: Vec<Button>,
    standing: Option<SnapshotLite>,
    /// Absent: the record stays as it is.
    turn_state: Option<TurnState>,
    target_locked: bool,
    degraded: Vec<DegradedReason>,
    model: String,
    come_back: ComeBack,
}

impl Turns {
    /// Turns over these services.
    pub fn new(
        upstreams: Upstreams,
        sheets: PromptSheets,
        message_max_chars: usize,
        reply_reserve: Duration,
        kit: Kit,
    ) -> Self {
        Self {
            rosters: Rosters::new(upstreams.session_admin.clone()),
            upstreams,
            sheets,
            message_max_chars,
            reply_reserve,
            kit,
        }
    }

    /// Takes one turn, or answers the stored one of the same key. `address` is where it came from, for limits.
    pub async fn take(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: TakeTurnRequest,
        address: Option<IpAddr>,
    ) -> Result<TakeTurnResponse, Fault> {
        ids::check("thread_id", &request.thread_id)?;
        ids::check("course_id", &request.course_id)?;
        ids::check_key("idempotency_key", &request.idempotency_key)?;
        if request.place_ticket.len() > PLACE_TICKET_MAX_BYTES {
            return Err(Fault::invalid("place_ticket", "is no ticket; leave it out"));
        }
        let input = Unredacted::read(&request, self.message_max_chars)?;
        let body_hash = body_hash(&request);

        let start = match self.begin(context, caller, &request, &body_hash).await? {
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
        let turn_id = Uuid::new_v4().to_string();
        let class_id = start.thread.as_ref().map_or("", |t| t.class_id.as_str());
        let (input, composed) = lease
            .during(context, async {
                let roster = self.rosters.of(context, &caller.tenant, class_id).await?;
                let input = input.redact(&roster);
                let composed = self
                    .compose(context, &request, address, &start, &input, &turn_id)
                    .await?;
                Ok((input, composed))
            })
            .await?;
        let answer = answer(
            &start,
            &request,
            input,
            turn_id,
            &composed,
            self.kit.clock.now(),
        );
        let commit = CommitTurnRequest {
            student_id: caller.subject.clone(),
            course_id: request.course_id,
            thread_id: request.thread_id,
            fencing_token: lease.fencing_token(),
            idempotency_key: request.idempotency_key,
            body_hash: body_hash.into(),
            turn_state: composed.turn_state,
            target_locked: composed.target_locked,
            messages: answer.messages.clone(),
            answer: answer.encode_to_vec().into(),
            carry: start.carry.clone(),
            ..CommitTurnRequest::default()
        };
        self.commit(context, commit).await?;
        lease.committed();
        Ok(answer)
    }

    /// Stores the turn. A commit whose outcome is unknown is sent once more: sent again it changes nothing.
    async fn commit(&self, context: &CallContext, commit: CommitTurnRequest) -> Result<(), Fault> {
        let mut session = self.upstreams.session.clone();
        let mut attempt = 1;
        loop {
            let Err(status) = session.commit_turn(context.request(commit.clone())).await else {
                return Ok(());
            };
            let fault = public(&status);
            let unknown = matches!(
                fault.reason(),
                ErrorReason::DependencyUnavailable | ErrorReason::StorageUnavailable
            );
            if !unknown || attempt == COMMIT_ATTEMPTS {
                return Err(fault);
            }
            attempt += 1;
        }
    }

    async fn begin(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: &TakeTurnRequest,
        body_hash: &[u8],
    ) -> Result<Begun, Fault> {
        let response = self
            .upstreams
            .session
            .clone()
            .begin_turn(context.request(BeginTurnRequest {
                student_id: caller.subject.clone(),
                course_id: request.course_id.clone(),
                thread_id: request.thread_id.clone(),
                idempotency_key: request.idempotency_key.clone(),
                body_hash: body_hash.to_vec().into(),
                history_limit: HISTORY,
                ..BeginTurnRequest::default()
            }))
            .await
            .map_err(|status| public(&status))?
            .into_inner();
        match response.outcome {
            Some(begin_turn_response::Outcome::StoredAnswer(bytes)) => {
                TakeTurnResponse::decode(bytes)
                    .map(|answer| Begun::Stored(Box::new(answer)))
                    .map_err(|_| {
                        Fault::new(
                            ErrorReason::RecordCorrupted,
                            "the stored answer cannot be read; send the turn again with a new key",
                        )
                        .meta("record", "answer")
                    })
            }
            Some(begin_turn_response::Outcome::Start(start)) => Ok(Begun::Start(Box::new(start))),
            None => Err(Fault::new(
                ErrorReason::Internal,
                "something went wrong here; report the x-request-id",
            )),
        }
    }

    /// Everything between begin and commit. Fails only where the request itself is at fault.
    async fn compose(
        &self,
        context: &CallContext,
        request: &TakeTurnRequest,
        address: Option<IpAddr>,
        start: &TurnStart,
        input: &Input,
        turn_id: &str,
    ) -> Result<Composed, Fault> {
        let student_id = &context.caller()?.subject;
        let course_id = start
            .thread
            .as_ref()
            .map(|t| t.course_id.as_str())
            .unwrap_or_default();
        // Kept back so that a fallback and the commit still fit before the caller's deadline.
        let working = context.keeping_back(self.reply_reserve);
        let (mapped_units, mapping_fault) = map_message(
            &self.upstreams,
            &working,
            course_id,
            input,
            &start.recent_messages,
        )
        .await;
        let now = Some(time::to_proto(self.kit.clock.now()));
        let plan = self
            .upstreams
            .policy
            .clone()
            .plan(working.request(PlanRequest {
                course_id: course_id.to_owned(),
                pack_hash: String::new(),
                snapshot: start.snapshot.clone(),
                mapped_units,
                event: input.event.clone(),
                target_locked: start.target_locked,
                now,
            }))
            .await;
        let plan = match plan.map(|r| r.into_inner().plan) {
            Ok(Some(plan)) => plan,
            Ok(None) => return Ok(without_policy(start)),
            Err(status) => return policy_failed(&status, start),
        };

        let mut gathered = gather(
            &self.upstreams,
            &working,
            student_id,
            &plan,
            input,
            &start.recent_messages,
        )
        .await;
        if let Some(reason) = mapping_fault
            && !gathered.degraded.contains(&reason)
        {
            gathered.degraded.push(reason);
        }
        let decision = self
            .upstreams
            .policy
            .clone()
            .decide(working.request(DecideRequest {
                plan: Some(plan.clone()),
                turn_id: turn_id.to_owned(),
                candidate_question_ids: gathered.candidate_ids.clone(),
                statuses: gathered.statuses.clone(),
                exam_system_unavailable: gathered.exam_away,
            }))
            .await;
        let decision = match decision {
            Ok(response) => response.into_inner(),
            Err(status) => return policy_failed(&status, start),
        };
        let Some(policy) = decision.policy.clone() else {
            return Ok(without_policy(start));
        };
        let asked = CompleteRequest {
            class_id: start
                .thread
                .as_ref()
                .map_or_else(String::new, |thread| thread.class_id.clone()),
            thread_id: request.thread_id.clone(),
            place_ticket: request.place_ticket.clone(),
            client_address: address.map_or_else(String::new, |address| address.to_string()),
            ..CompleteRequest::default()
        };
        self.reply(
            context, asked, start, input, plan, policy, decision, gathered,
        )
        .await
    }

    /// Prompt, model, resolution.
    #[expect(clippy::too_many_arguments, reason = "one phase's inputs, used once")]
    async fn reply(
        &self,
        context: &CallContext,
        asked: CompleteRequest,
        start: &TurnStart,
        input: &Input,
        plan: Plan,
        policy: Policy,
        decision: DecideResponse,
        gathered: Gathered,
    ) -> Result<Composed, Fault> {
        let standing = decision.standing.unwrap_or_default();
        let messages = self.sheets.render(&PromptInput {
            policy: &policy,
            summary: &decision.summary.unwrap_or_default(),
            anchors: &gathered.anchors,
            chunks: &gathered.chunks,
            recent: &start.recent_messages,
            input,
        });
        let messages = messages.map_err(|error| {
            tracing::error!(%error, "a prompt sheet cannot be filled in");
            Fault::new(
                ErrorReason::Internal,
                "something went wrong here; report the x-request-id",
            )
        })?;
        let came = model::complete(
            &self.upstreams,
            context,
            self.reply_reserve,
            CompleteRequest {
                messages,
                json_schema: decision.reply_schema,
                ..asked
            },
        )
        .await;
        let resolved = self
            .upstreams
            .policy
            .clone()
            .resolve_reply(context.request(ResolveReplyRequest {
                policy: Some(policy.clone()),
                outcome: Some(came.outcome),
            }))
            .await;
        let resolved = match resolved {
            Ok(response) => response.into_inner(),
            Err(status) => return policy_failed(&status, start),
        };
        log_turn(&plan, &policy, &resolved, &came.model);
        let mut degraded = gathered.degraded;
        if resolved.fallback_reason() != DegradedReason::Unspecified {
            degraded.push(resolved.fallback_reason());
        }
        Ok(Composed {
            reply: resolved.reply.unwrap_or_default(),
            buttons: decision.buttons,
            standing: Some(standing),
            turn_state: Some(TurnState {
                focus_unit_id: plan.focus_unit_id,
                last_turn_analysis: resolved.analysis,
                last_turn_at: Some(time::to_proto(self.kit.clock.now())),
            }),
            target_locked: plan.target_locked,
            degraded,
            model: came.model,
            come_back: came.come_back,
        })
    }
}

enum Begun {
    Stored(Box<TakeTurnResponse>),
    Start(Box<TurnStart>),
}

/// What the client asked for, without the key that names the asking and the ticket that it waits with.
fn body_hash(request: &TakeTurnRequest) -> Vec<u8> {
    let body = TakeTurnRequest {
        idempotency_key: String::new(),
        place_ticket: String::new(),
        ..request.clone()
    };
    Sha256::digest(body.encode_to_vec()).to_vec()
}

/// The policy refused or could not be asked. A refusal that is about the request goes to the client.
fn policy_failed(status: &tonic::Status, start: &TurnStart) -> Result<Composed, Fault> {
    let fault = Fault::from_status(status);
    match fault.reason() {
        ErrorReason::UnknownCourse | ErrorReason::UnknownUnit => Err(fault),
        reason => {
            tracing::error!(reason = reason.wire_name(), "the policy cannot be asked");
            Ok(without_policy(start))
        }
    }
}

/// The answer without a policy: a fixed text, no card, no model, the record untouched.
fn without_policy(start: &TurnStart) -> Composed {
    Composed {
        reply: Reply {
            text: SAFE_TEXT.to_owned(),
            ..Reply::default()
        },
        buttons: Vec::new(),
        standing: None,
        turn_state: None,
        target_locked: start.target_locked,
        degraded: vec![DegradedReason::PolicyUnavailable],
        model: String::new(),
        come_back: ComeBack::default(),
    }
}

/// The answer of a turn: the student's message as it will be stored, and the tutor's.
fn answer(
    start: &TurnStart,
    request: &TakeTurnRequest,
    input: Input,
    turn_id: String,
    composed: &Composed,
    now: Timestamp,
) -> TakeTurnResponse {
    let create_time = Some(time::to_proto(now));
    let last_id = start.thread.as_ref().map_or(0, |t| t.message_count);
    let said = TutorMessage {
        id: last_id + 1,
        thread_id: request.thread_id.clone(),
        role: Role::User.into(),
        text: input.text,
        latex: input.latex,
        create_time,
        event: input.event,
        ..TutorMessage::default()
    };
    let replied = TutorMessage {
        id: last_id + 2,
        thread_id: request.thread_id.clone(),
        role: Role::Assistant.into(),
        text: composed.reply.text.clone(),
        card: composed.reply.card.clone(),
        create_time,
        buttons: composed.buttons.clone(),
        ..TutorMessage::default()
    };
    TakeTurnResponse {
        turn_id,
        thread_id: request.thread_id.clone(),
        messages: vec![said, replied],
        snapshot_lite: composed.standing.clone(),
        degraded_reasons: composed.degraded.iter().map(|r| (*r).into()).collect(),
        model: composed.model.clone(),
        retry_after: composed
            .come_back
            .after
            .and_then(|after| after.try_into().ok()),
        place_ticket: composed.come_back.place_ticket.clone(),
    }
}
