//! The state of the suite as a gRPC service.

use std::sync::Arc;

use tonic::{Request, Response, Status};
use turnwise_kit::{CallContext, Caller, Clock, Fault, ids, page, time};
use turnwise_proto::{
    session::v1::{
        AbandonTurnRequest, AbandonTurnResponse, BeginTurnRequest, BeginTurnResponse,
        CommitEvidenceRequest, CommitEvidenceResponse, CommitTurnRequest, CommitTurnResponse,
        CreateThreadRequest, CreateThreadResponse, GetSnapshotRequest, GetSnapshotResponse,
        GetThreadRequest, GetThreadResponse, ListThreadsRequest, ListThreadsResponse,
        RenewLeaseRequest, RenewLeaseResponse, begin_turn_response, commit_evidence_response,
        session_service_server::SessionService,
    },
    tutor::v1::Thread,
};
use uuid::Uuid;

use super::check;
use crate::{
    access,
    store::{
        BeginTurn, Begun, CommitEvidence, CommitTurn, EvidenceOutcome, NewThread, Store, StudentKey,
    },
};

/// Pages of threads: the usual and the largest size.
const THREADS_PAGE: (usize, usize) = (20, 100);
/// Pages of messages: the usual and the largest size.
const MESSAGES_PAGE: (usize, usize) = (50, 200);

/// Serves `turnwise.session.v1.SessionService`.
pub struct SessionGrpc {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
}

impl SessionGrpc {
    /// The service over a store.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }
}

/// Checks the student's id and whether the caller may act for them.
fn student(caller: &Caller, student_id: &str) -> Result<StudentKey, Fault> {
    ids::check("student_id", student_id)?;
    access::student(caller, student_id)
}

/// The caller and the message of a request.
fn open<T>(request: Request<T>) -> Result<(Caller, T), Fault> {
    let caller = CallContext::of(&request).caller()?.clone();
    Ok((caller, request.into_inner()))
}

#[tonic::async_trait]
impl SessionService for SessionGrpc {
    async fn create_thread(
        &self,
        request: Request<CreateThreadRequest>,
    ) -> Result<Response<CreateThreadResponse>, Status> {
        let (caller, message) = open(request)?;
        let student = student(&caller, &message.student_id)?;
        ids::check("course_id", &message.course_id)?;
        ids::check("class_id", &message.class_id)?;
        check::title(&message.title)?;
        let idempotency = check::idempotency(message.idempotency_key, message.body_hash)?;
        access::class(&caller, &message.class_id)?;
        let now = Some(time::to_proto(self.clock.now()));
        let new = NewThread {
            thread: Thread {
                thread_id: Uuid::new_v4().to_string(),
                course_id: message.course_id,
                class_id: message.class_id,
                title: message.title,
                create_time: now,
                update_time: now,
                message_count: 0,
            },
            idempotency,
        };
        let thread = self
            .store
            .create_thread(&student, new)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(CreateThreadResponse {
            thread: Some(thread),
        }))
    }

    async fn list_threads(
        &self,
        request: Request<ListThreadsRequest>,
    ) -> Result<Response<ListThreadsResponse>, Status> {
        let (caller, message) = open(request)?;
        let student = student(&caller, &message.student_id)?;
        let limit = page::size(message.page_size, THREADS_PAGE.0, THREADS_PAGE.1)?;
        let before = check::page_token(&message.page_token)?;
        let page = self
            .store
            .list_threads(&student, before, limit)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(ListThreadsResponse {
            threads: page.threads,
            next_page_token: page.before.map_or_else(String::new, |b| b.to_string()),
        }))
    }

    async fn get_thread(
        &self,
        request: Request<GetThreadRequest>,
    ) -> Result<Response<GetThreadResponse>, Status> {
        let (caller, message) = open(request)?;
        let student = student(&caller, &message.student_id)?;
        ids::check("thread_id", &message.thread_id)?;
        let limit = page::size(message.page_size, MESSAGES_PAGE.0, MESSAGES_PAGE.1)?;
        let after = check::page_token(&message.page_token)?.unwrap_or(0);
        let page = self
            .store
            .get_thread(&student, &message.thread_id, after, limit)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(GetThreadResponse {
            thread: Some(page.thread),
            messages: page.messages,
            next_page_token: page.after.map_or_else(String::new, |a| a.to_string()),
        }))
    }

    async fn begin_turn(
        &self,
        request: Request<BeginTurnRequest>,
    ) -> Result<Response<BeginTurnResponse>, Status> {
        let (caller, message) = open(request)?;
        let student = student(&caller, &message.student_id)?;
        ids::check("course_id", &message.course_id)?;
        ids::check("thread_id", &message.thread_id)?;
        let begin = BeginTurn {
            history_limit: check::history_limit(message.history_limit)?,
            idempotency: check::idempotency(message.idempotency_key, message.body_hash)?,
            course_id: message.course_id,
            thread_id: message.thread_id,
        };
        let begun = self
            .store
            .begin_turn(&student, begin)
            .await
            .map_err(Fault::from)?;
        let outcome = match begun {
            Begun::Answered(answer) => begin_turn_response::Outcome::StoredAnswer(answer),
            Begun::Started(start) => begin_turn_response::Outcome::Start(*start),
        };
        Ok(Response::new(BeginTurnResponse {
            outcome: Some(outcome),
        }))
    }

    async fn commit_turn(
        &self,
        request: Request<CommitTurnRequest>,
    ) -> Result<Response<CommitTurnResponse>, Status> {
        let (caller, message) = open(request)?;
        let student = student(&caller, &message.student_id)?;
        ids::check("course_id", &message.course_id)?;
        ids::check("thread_id", &message.thread_id)?;
        check::messages(&message.thread_id, &message.messages)?;
        check::answer(&message.answer)?;
        let commit = CommitTurn {
            idempotency: check::idempotency(message.idempotency_key, message.body_hash)?,
            course_id: message.course_id,
            thread_id: message.thread_id,
            fencing_token: message.fencing_token,
            turn_state: message.turn_state,
            target_locked: message.target_locked,
            messages: message.messages,
            answer: message.answer,
            time: time::to_proto(self.clock.now()),
        };
        self.store
            .commit_turn(&student, commit)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(CommitTurnResponse {}))
    }

    async fn renew_lease(
        &self,
        request: Request<RenewLeaseRequest>,
    ) -> Result<Response<RenewLeaseResponse>, Status> {
        let (caller, message) = open(request)?;
        let student = student(&caller, &message.student_id)?;
        ids::check("thread_id", &message.thread_id)?;
        let lease_ttl = self
            .store
            .renew_lease(&student, &message.thread_id, message.fencing_token)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(RenewLeaseResponse {
            lease_ttl: prost_types::Duration::try_from(lease_ttl).ok(),
        }))
    }

    async fn abandon_turn(
        &self,
        request: Request<AbandonTurnRequest>,
    ) -> Result<Response<AbandonTurnResponse>, Status> {
        let (caller, message) = open(request)?;
        let student = student(&caller, &message.student_id)?;
        ids::check("thread_id", &message.thread_id)?;
        self.store
            .abandon_turn(&student, &message.thread_id, message.fencing_token)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(AbandonTurnResponse {}))
    }

    async fn get_snapshot(
        &self,
        request: Request<GetSnapshotRequest>,
    ) -> Result<Response<GetSnapshotResponse>, Status> {
        let (caller, message) = open(request)?;
        let student = student(&caller, &message.student_id)?;
        ids::check("course_id", &message.course_id)?;
        let snapshot = self
            .store
            .get_snapshot(&student, &message.course_id)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(GetSnapshotResponse {
            snapshot: Some(snapshot),
        }))
    }

    async fn commit_evidence(
        &self,
        request: Request<CommitEvidenceRequest>,
    ) -> Result<Response<CommitEvidenceResponse>, Status> {
        let (caller, message) = open(request)?;
        let student = student(&caller, &message.student_id)?;
        ids::check("course_id", &message.course_id)?;
        check::question_records(&message.question_records)?;
        if message.expected_version < 0 {
            return Err(Fault::invalid("expected_version", "must be 0 or more").into());
        }
        let commit = CommitEvidence {
            idempotency: check::idempotency(message.idempotency_key, message.body_hash)?,
            course_id: message.course_id,
            expected_version: message.expected_version,
            evidence: message
                .evidence
                .ok_or_else(|| Fault::invalid("evidence", "is required"))?,
            question_records: message.question_records,
        };
        let outcome = self
            .store
            .commit_evidence(&student, commit)
            .await
            .map_err(Fault::from)?;
        let outcome = match outcome {
            EvidenceOutcome::Committed(version) => {
                commit_evidence_response::Outcome::CommittedVersion(version)
            }
            EvidenceOutcome::Conflict(current) => {
                commit_evidence_response::Outcome::Conflict(*current)
            }
        };
        Ok(Response::new(CommitEvidenceResponse {
            outcome: Some(outcome),
        }))
    }
}
