//! The state of the suite as a gRPC service.

use std::sync::Arc;

use tonic::{Request, Response, Status};
use turnwise_kit::{CallContext, Caller, Clock, Fault, Kit, PageTokens, ids, page, time};
use turnwise_proto::{
    session::v1::{
        AbandonTurnRequest, AbandonTurnResponse, AppendEventsRequest, AppendEventsResponse,
        BeginEvidenceRequest, BeginEvidenceResponse, BeginTurnRequest, BeginTurnResponse,
        ChangeContextRequestRequest, ChangeContextRequestResponse, ChangeOverlayRequest,
        ChangeOverlayResponse, ClaimDueWorkRequest, ClaimDueWorkResponse, CommitEvidenceRequest,
        CommitEvidenceResponse, CommitTurnRequest, CommitTurnResponse, CompleteDueWorkRequest,
        CompleteDueWorkResponse, CreateThreadRequest, CreateThreadResponse, DeferWorkRequest,
        DeferWorkResponse, GetSnapshotRequest, GetSnapshotResponse, GetThreadRequest,
        GetThreadResponse, GetTurnLogRequest, GetTurnLogResponse, ListContextRequestsRequest,
        ListContextRequestsResponse, ListEventsRequest, ListEventsResponse, ListThreadsRequest,
        ListThreadsResponse, PutArtifactRequest, PutArtifactResponse, ReadArtifactRequest,
        ReadArtifactResponse, ReadBatchRequest, ReadBatchResponse, ReadContextPayloadRequest,
        ReadContextPayloadResponse, ReadHelpSessionRequest, ReadHelpSessionResponse,
        RenewDueWorkRequest, RenewDueWorkResponse, RenewLeaseRequest, RenewLeaseResponse,
        StoreHelpRunRequest, StoreHelpRunResponse, SupplyContextRequest, SupplyContextResponse,
        WatchEventsRequest, begin_turn_response, session_service_server::SessionService,
    },
    tutor::v1::Thread,
};
use uuid::Uuid;

use super::{artifacts, check, context, due, events, evidence, help_sessions};
use crate::{
    access,
    sessions::{
        Sessions,
        cursor::Cursor,
        threads::NewThread,
        turns::{BeginTurn, Begun, Carry, CommitTurn},
    },
};
use turnwise_session_store::StudentKey;

/// Pages of threads: the usual and the largest size.
const THREADS_PAGE: (usize, usize) = (20, 100);
/// Pages of messages: the usual and the largest size.
const MESSAGES_PAGE: (usize, usize) = (50, 200);

/// Serves `turnwise.session.v1.SessionService`.
pub struct SessionGrpc {
    pub(super) sessions: Sessions,
    clock: Arc<dyn Clock>,
    pages: PageTokens,
}

impl SessionGrpc {
    /// The service over all operations.
    pub fn new(sessions: Sessions, kit: &Kit) -> Self {
        Self {
            sessions,
            clock: Arc::clone(&kit.clock),
            pages: kit.pages.clone(),
        }
    }
}

/// Checks the student's id and whether the caller may act for them.
pub(super) fn student(caller: &Caller, student_id: &str) -> Result<StudentKey, Fault> {
    ids::check("student_id", student_id)?;
    access::student(caller, student_id)
}

/// The caller and the message of a request.
pub(super) fn open<T>(request: Request<T>) -> Result<(Caller, T), Fault> {
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
        let kind = check::thread_kind(message.kind)?;
        let new = NewThread {
            kind,
            procedure: help_sessions::procedure(kind, message.procedure)?,
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
            .sessions
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
        let kind = check::thread_kind(message.kind)?;
        let filter = [&*message.student_id, kind.as_str_name()];
        let pages = self.pages.list("ListThreads", Some(&caller), &filter);
        let before: Option<Cursor> = pages.start(&message.page_token)?;
        let page = self
            .sessions
            .list_threads(&student, kind, before, limit)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(ListThreadsResponse {
            threads: page.threads,
            next_page_token: pages.next(page.before),
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
        let kind = check::thread_kind(message.kind)?;
        let filter = [&*message.student_id, &message.thread_id, kind.as_str_name()];
        let pages = self.pages.list("GetThread", Some(&caller), &filter);
        let after = pages.start(&message.page_token)?.unwrap_or(0);
        let page = self
            .sessions
            .get_thread(&student, kind, &message.thread_id, after, limit)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(GetThreadResponse {
            thread: Some(page.thread),
            messages: page.messages,
            next_page_token: pages.next(page.after),
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
            kind: check::thread_kind(message.kind)?,
            memory_scope: check::memory_scope(message.memory_scope)?,
            in_background: message.in_background,
        };
        let begun = self
            .sessions
            .begin_turn(&student, begin)
            .await
            .map_err(Fault::from)?;
        let outcome = match begun {
            Begun::Answered(answer) => begin_turn_response::Outcome::StoredAnswer(answer),
            Begun::Started(start) => {
                let class_id = start.thread.as_ref().map_or("", |thread| &thread.class_id);
                if let Err(refused) = access::class_of_thread(&caller, class_id) {
                    // The thread is not held by whom it does not serve; if this fails, the lease runs out.
                    let thread_id = start.thread.map_or_else(String::new, |t| t.thread_id);
                    let token = start.fencing_token;
                    let _ = self
                        .sessions
                        .abandon_turn(&student, &thread_id, token)
                        .await;
                    return Err(refused.into());
                }
                begin_turn_response::Outcome::Start(*start)
            }
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
        check::events(&message.events)?;
        check::memory_turns(&message.memory_turns)?;
        check::turn_log(message.turn_log.as_ref())?;
        check::pending_change(message.pending_change.as_ref())?;
        let carry = Carry::read(message.carry).ok_or_else(|| {
            Fault::invalid("carry", "must be what the beginning of the turn answered")
        })?;
        let commit = CommitTurn {
            idempotency: check::idempotency(message.idempotency_key, message.body_hash)?,
            course_id: message.course_id,
            thread_id: message.thread_id,
            fencing_token: message.fencing_token,
            turn_state: message.turn_state,
            target_locked: message.target_locked,
            messages: message.messages,
            answer: message.answer,
            carry,
            memory_turns: message.memory_turns,
            pending_change: message.pending_change,
            escalation: message.escalation,
            events: message.events,
            turn_log: message.turn_log,
            alert: check::alert(message.alert)?,
            activity: check::turn_activity(message.activity)?,
            overlay: help_sessions::overlay(message.overlay)?,
        };
        // A commit is large: on the heap it makes the futures around it no larger.
        let committing = self.sessions.commit_turn(&student, commit);
        let pending = Box::pin(committing).await.map_err(Fault::from)?;
        Ok(Response::new(CommitTurnResponse { pending }))
    }

    async fn renew_lease(
        &self,
        request: Request<RenewLeaseRequest>,
    ) -> Result<Response<RenewLeaseResponse>, Status> {
        let (caller, message) = open(request)?;
        let student = student(&caller, &message.student_id)?;
        ids::check("thread_id", &message.thread_id)?;
        let lease_ttl = self
            .sessions
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
        self.sessions
            .abandon_turn(&student, &message.thread_id, message.fencing_token)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(AbandonTurnResponse {}))
    }

    async fn get_snapshot(
        &self,
        request: Request<GetSnapshotRequest>,
    ) -> Result<Response<GetSnapshotResponse>, Status> {
        evidence::get_snapshot(&self.sessions, request).await
    }

    async fn begin_evidence(
        &self,
        request: Request<BeginEvidenceRequest>,
    ) -> Result<Response<BeginEvidenceResponse>, Status> {
        evidence::begin_evidence(&self.sessions, request).await
    }

    async fn commit_evidence(
        &self,
        request: Request<CommitEvidenceRequest>,
    ) -> Result<Response<CommitEvidenceResponse>, Status> {
        evidence::commit_evidence(&self.sessions, request).await
    }

    async fn append_events(
        &self,
        request: Request<AppendEventsRequest>,
    ) -> Result<Response<AppendEventsResponse>, Status> {
        events::append_events(&self.sessions, request).await
    }

    async fn list_events(
        &self,
        request: Request<ListEventsRequest>,
    ) -> Result<Response<ListEventsResponse>, Status> {
        events::list_events(&self.sessions, request).await
    }

    async fn get_turn_log(
        &self,
        request: Request<GetTurnLogRequest>,
    ) -> Result<Response<GetTurnLogResponse>, Status> {
        events::get_turn_log(&self.sessions, request).await
    }

    async fn supply_context(
        &self,
        request: Request<SupplyContextRequest>,
    ) -> Result<Response<SupplyContextResponse>, Status> {
        context::supply_context(&self.sessions, request).await
    }

    async fn change_context_request(
        &self,
        request: Request<ChangeContextRequestRequest>,
    ) -> Result<Response<ChangeContextRequestResponse>, Status> {
        context::change_context_request(&self.sessions, request).await
    }

    async fn list_context_requests(
        &self,
        request: Request<ListContextRequestsRequest>,
    ) -> Result<Response<ListContextRequestsResponse>, Status> {
        context::list_context_requests(&self.sessions, &self.pages, request).await
    }

    async fn read_context_payload(
        &self,
        request: Request<ReadContextPayloadRequest>,
    ) -> Result<Response<ReadContextPayloadResponse>, Status> {
        context::read_context_payload(&self.sessions, request).await
    }

    async fn put_artifact(
        &self,
        request: Request<PutArtifactRequest>,
    ) -> Result<Response<PutArtifactResponse>, Status> {
        artifacts::put_artifact(&self.sessions, request).await
    }

    async fn read_batch(
        &self,
        request: Request<ReadBatchRequest>,
    ) -> Result<Response<ReadBatchResponse>, Status> {
        artifacts::read_batch(&self.sessions, request).await
    }

    async fn read_artifact(
        &self,
        request: Request<ReadArtifactRequest>,
    ) -> Result<Response<ReadArtifactResponse>, Status> {
        artifacts::read_artifact(&self.sessions, request).await
    }

    async fn read_help_session(
        &self,
        request: Request<ReadHelpSessionRequest>,
    ) -> Result<Response<ReadHelpSessionResponse>, Status> {
        help_sessions::read_help_session(&self.sessions, request).await
    }

    async fn store_help_run(
        &self,
        request: Request<StoreHelpRunRequest>,
    ) -> Result<Response<StoreHelpRunResponse>, Status> {
        help_sessions::store_help_run(&self.sessions, request).await
    }

    async fn change_overlay(
        &self,
        request: Request<ChangeOverlayRequest>,
    ) -> Result<Response<ChangeOverlayResponse>, Status> {
        help_sessions::change_overlay(&self.sessions, request).await
    }

    async fn defer_work(
        &self,
        request: Request<DeferWorkRequest>,
    ) -> Result<Response<DeferWorkResponse>, Status> {
        due::defer_work(&self.sessions, request).await
    }

    async fn claim_due_work(
        &self,
        request: Request<ClaimDueWorkRequest>,
    ) -> Result<Response<ClaimDueWorkResponse>, Status> {
        due::claim_due_work(&self.sessions, request).await
    }

    async fn renew_due_work(
        &self,
        request: Request<RenewDueWorkRequest>,
    ) -> Result<Response<RenewDueWorkResponse>, Status> {
        due::renew_due_work(&self.sessions, request).await
    }

    async fn complete_due_work(
        &self,
        request: Request<CompleteDueWorkRequest>,
    ) -> Result<Response<CompleteDueWorkResponse>, Status> {
        due::complete_due_work(&self.sessions, request).await
    }

    type WatchEventsStream = events::WatchStream;

    async fn watch_events(
        &self,
        request: Request<WatchEventsRequest>,
    ) -> Result<Response<Self::WatchEventsStream>, Status> {
        events::watch_events(&self.sessions, request).await
    }
}
