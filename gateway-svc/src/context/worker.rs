//! What is due: reminders and ends of requests, and the answers of messages that waited. Every gateway claims work under a
//! lease, so that what a killed one had is done by another; what is done twice changes nothing the second time.

use std::{sync::Arc, time::Duration};

use tracing::Instrument;
use turnwise_kit::{CallContext, Caller, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    session::v1::{
        ChangeContextRequestRequest, ChangeOverlayRequest, ClaimDueWorkRequest, ClaimedWork,
        CompleteDueWorkRequest, ContextRequestChange, ContextRequestState, DueWork, OverlayChange,
        RenewDueWorkRequest, WorkKind,
    },
};

use crate::{
    access::SERVICE,
    background::{self, request_in},
    conversation::Core,
    tokens::SealedClaims,
    turn::{self, Resumed},
};

/// How much is worked on at a time.
const AT_A_TIME: usize = 64;
/// How long a call to session-svc may take.
const WAIT: Duration = Duration::from_secs(5);
/// How long an answer may take; the model is waited for that long in the batch band.
const ANSWER: Duration = Duration::from_secs(120);
/// The wait before the second attempt; it doubles with each, up to the longest.
const BACK_OFF: Duration = Duration::from_millis(250);
const BACK_OFF_MAX: Duration = Duration::from_secs(5);
/// How often work is tried under one claim.
const ATTEMPTS: u32 = 12;
/// How long a claim lasts where session-svc does not say.
const USUAL_TTL: Duration = Duration::from_secs(30);

/// Does what is due.
pub(crate) struct Worker {
    core: Arc<Core>,
    /// How long an overlay's acknowledgement is waited for.
    ack_wait: Duration,
}

impl Worker {
    /// Works until the process ends.
    pub(crate) fn start(core: &Arc<Core>, ack_wait: Duration) {
        let worker = Arc::new(Self {
            core: Arc::clone(core),
            ack_wait,
        });
        core.kit.tasks.spawn(async move { worker.run().await });
    }

    async fn run(self: Arc<Self>) {
        let claim = |free| self.claim(free);
        let work = |(claimed, ttl)| {
            let worker = Arc::clone(&self);
            let span = tracing::info_span!("due work");
            async move { worker.work(claimed, ttl).await }.instrument(span)
        };
        let end = &self.core.kit.shutdown;
        let mut running = background::work_until(end, AT_A_TIME, claim, work).await;
        // What is unfinished gives its thread back; another gateway claims it when its time here is over.
        running.shutdown().await;
    }

    /// Claimed work, and how long each claim lasts.
    async fn claim(&self, limit: usize) -> Vec<(ClaimedWork, Duration)> {
        let request = ClaimDueWorkRequest {
            limit: i32::try_from(limit).unwrap_or(1),
        };
        let mut session = self.core.upstreams.session.clone();
        match session.claim_due_work(request_in(None, request)).await {
            Ok(answer) => {
                let answer = answer.into_inner();
                let ttl = answer.lease_ttl.and_then(|ttl| ttl.try_into().ok());
                let ttl = ttl.unwrap_or(USUAL_TTL);
                answer.claimed.into_iter().map(|work| (work, ttl)).collect()
            }
            Err(error) => {
                tracing::debug!(code = ?error.code(), "there is no telling what is due");
                Vec::new()
            }
        }
    }

    /// Does a piece of work and takes it out of the due set. It is tried again until it is done or can never be done; after
    /// some attempts it is left to a later claim, so that others are not kept waiting.
    async fn work(&self, claimed: ClaimedWork, ttl: Duration) {
        let Some(work) = claimed.work else { return };
        if WorkKind::try_from(work.kind).is_err() {
            // The claim runs out; a gateway of that version will have it.
            tracing::warn!(
                kind = work.kind,
                "due work of a kind that only a newer version knows"
            );
            return;
        }
        let token = claimed.fencing_token;
        let doing = async {
            let mut back_off = BACK_OFF;
            for _ in 0..ATTEMPTS {
                let Err(fault) = self.attempt(&work).await else {
                    return true;
                };
                if is_over(&fault) {
                    tracing::info!(
                        reason = fault.reason().wire_name(),
                        kind = work.kind().as_str_name(),
                        "due work has nothing to do any more"
                    );
                    return true;
                }
                tracing::debug!(
                    reason = fault.reason().wire_name(),
                    "due work is tried again"
                );
                tokio::time::sleep(back_off).await;
                back_off = (back_off * 2).min(BACK_OFF_MAX);
            }
            false
        };
        let is_done = tokio::select! {
            biased;
            is_done = doing => is_done,
            () = self.lost(&work, token, ttl) => false,
        };
        if !is_done {
            // The claim runs out, and others have their turn first.
            return;
        }
        let complete = CompleteDueWorkRequest {
            work_id: work.work_id.clone(),
            fencing_token: token,
        };
        let request = request_in(Some(&work.tenant), complete);
        let mut session = self.core.upstreams.session.clone();
        if let Err(error) = session.complete_due_work(request).await {
            // It is claimed again, and then there is nothing left to do.
            tracing::debug!(code = ?error.code(), "done work is not taken out yet");
        }
    }

    /// Renews the claim; ends once it is lost.
    async fn lost(&self, work: &DueWork, token: i64, ttl: Duration) {
        loop {
            tokio::time::sleep(ttl / 3).await;
            let request = RenewDueWorkRequest {
                work_id: work.work_id.clone(),
                fencing_token: token,
            };
            let request = request_in(Some(&work.tenant), request);
            let mut session = self.core.upstreams.session.clone();
            if let Err(status) = session.renew_due_work(request).await
                && Fault::from_status(&status).reason() == ErrorReason::VersionConflict
            {
                return;
            }
        }
    }

    async fn attempt(&self, work: &DueWork) -> Result<(), Fault> {
        match work.kind() {
            WorkKind::ContextReminder => self.change(work, ContextRequestChange::Remind).await,
            WorkKind::ContextEnd => self.change(work, ContextRequestChange::Expire).await,
            WorkKind::ContextResume | WorkKind::DeferredTurn => Box::pin(self.resume(work)).await,
            WorkKind::OverlayOverdue => self.overdue(work).await,
            WorkKind::Unspecified => {
                tracing::error!(kind = work.kind, "due work of a kind that nobody makes");
                Ok(())
            }
        }
    }

    async fn change(&self, work: &DueWork, change: ContextRequestChange) -> Result<(), Fault> {
        let request = ChangeContextRequestRequest {
            student_id: work.student_id.clone(),
            thread_id: work.thread_id.clone(),
            request_id: work.subject_id.clone(),
            change: change.into(),
        };
        self.core
            .upstreams
            .session
            .clone()
            .change_context_request(request_in(Some(&work.tenant), request))
            .await
            .map(drop)
            .map_err(|status| Fault::from_status(&status))
    }

    /// An overlay that was not acknowledged in time is asked for once more, or has failed.
    async fn overdue(&self, work: &DueWork) -> Result<(), Fault> {
        let attempt = std::str::from_utf8(&work.payload).ok();
        let request = ChangeOverlayRequest {
            student_id: work.student_id.clone(),
            thread_id: work.thread_id.clone(),
            overlay_id: work.subject_id.clone(),
            change: OverlayChange::Overdue.into(),
            attempt: attempt.and_then(|n| n.parse().ok()).unwrap_or_default(),
            ack_wait: self.ack_wait.try_into().ok(),
            ..ChangeOverlayRequest::default()
        };
        let mut session = self.core.upstreams.session.clone();
        let changed = session.change_overlay(request_in(Some(&work.tenant), request));
        changed
            .await
            .map(drop)
            .map_err(|status| Fault::from_status(&status))
    }

    /// Answers the message of a request that is open no more, as the student who sent it. Where the claims do not prove any
    /// more who that was, the answer is an apology.
    async fn resume(&self, work: &DueWork) -> Result<(), Fault> {
        let now = self.core.kit.clock.now();
        let opened = self.core.tokens.open(now, &work.claims, &work.thread_id);
        let opened = opened.filter(|claims| {
            claims.caller.tenant == work.tenant && claims.caller.subject == work.student_id
        });
        let is_refused = opened.is_none();
        let claims = match opened {
            Some(claims) => claims,
            None => self.unproved(work).await?,
        };
        let context = CallContext::background(Some(claims.caller.clone()), ANSWER);
        let resumed = Resumed {
            thread_id: &work.thread_id,
            course_id: &claims.course_id,
            request_id: &work.subject_id,
            is_refused,
        };
        let done = turn::resume(&self.core, &context, &claims.caller, resumed);
        let Some(done) = done.await? else {
            return Ok(());
        };
        let ended = done.facts.as_ref();
        let outcome = match ended.map(|facts| (facts.apology, facts.state())) {
            Some((true, _)) => "apology",
            _ if done.request.slots.is_empty() => "deferred",
            Some((_, ContextRequestState::Satisfied)) => "satisfied",
            Some((_, ContextRequestState::Skipped)) => "skipped",
            Some((_, ContextRequestState::Forced)) => "forced",
            _ => "expired",
        };
        let waited = self.core.waited(&done.request);
        self.core.context_metrics.answered(outcome, waited);
        Ok(())
    }

    async fn unproved(&self, work: &DueWork) -> Result<SealedClaims, Fault> {
        tracing::error!(
            request_id = work.subject_id,
            "the claims of a message that waits are not good any more; its answer is an apology"
        );
        let caller = Caller {
            tenant: work.tenant.clone(),
            subject: work.student_id.clone(),
            role: SERVICE.to_owned(),
            groups: Vec::new(),
        };
        let context = CallContext::background(Some(caller.clone()), WAIT);
        let (student_id, thread_id) = (&work.student_id, &work.thread_id);
        let request = self
            .core
            .context_request(&context, student_id, thread_id, &work.subject_id)
            .await?;
        Ok(SealedClaims {
            caller,
            course_id: request.course_id,
        })
    }
}

/// Whether trying again cannot help: what it was about has ended otherwise, or is gone.
fn is_over(fault: &Fault) -> bool {
    matches!(
        fault.reason(),
        ErrorReason::ContextRequestClosed
            | ErrorReason::UnknownThread
            | ErrorReason::TurnErased
            | ErrorReason::PermissionDenied
            | ErrorReason::InvalidArgument
            | ErrorReason::RecordCorrupted
    )
}
