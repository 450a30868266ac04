//! The lease of a running turn: renewed while the turn runs, given back when it ends without a commit.

use std::{future::Future, pin::Pin, time::Duration};

use tokio::time::Instant;
use turnwise_kit::{CallContext, Caller, Kit, client::GrpcClient};
use turnwise_proto::session::v1::{
    AbandonTurnRequest, RenewLeaseRequest, TurnStart, session_service_client::SessionServiceClient,
};

use super::{Core, Request};
use crate::upstream::Step;

/// How long a lease lasts where session-svc does not say.
const USUAL_TTL: Duration = Duration::from_secs(15);

/// How long giving a lease back may take.
const ABANDON_TIMEOUT: Duration = Duration::from_secs(2);

/// A held lease. Dropping it gives it back in the background, so that a caller who goes away in the middle of a turn
/// does not block the thread until the lease runs out.
pub(super) struct Lease {
    session: SessionServiceClient<GrpcClient>,
    kit: Kit,
    caller: Caller,
    thread_id: String,
    fencing_token: i64,
    ttl: Duration,
    held: bool,
}

impl Lease {
    pub(super) fn new(core: &Core, request: &Request<'_>, start: &TurnStart) -> Self {
        let ttl = start.lease_ttl.and_then(|ttl| ttl.try_into().ok());
        Self {
            session: core.upstreams.session.clone(),
            kit: core.kit.clone(),
            caller: request.caller.clone(),
            thread_id: request.thread_id.to_owned(),
            fencing_token: start.fencing_token,
            ttl: ttl.unwrap_or(USUAL_TTL),
            held: true,
        }
    }

    /// The commit has given the lease back.
    pub(super) fn committed(mut self) {
        self.held = false;
    }

    /// Gives it back before the caller is answered, who may send the next message at once.
    pub(super) async fn give_back(mut self) {
        self.abandon().await;
        self.held = false;
    }

    fn abandon(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut session = self.session.clone();
        let context = CallContext::background(Some(self.caller.clone()), ABANDON_TIMEOUT);
        let request = context.request(AbandonTurnRequest {
            student_id: self.caller.subject.clone(),
            thread_id: self.thread_id.clone(),
            fencing_token: self.fencing_token,
        });
        async move {
            if let Err(status) = session.abandon_turn(request).await {
                tracing::warn!(code = ?status.code(), "the lease was not given back; it will run out");
            }
        }
    }

    /// Does the work and renews the lease every third of its time meanwhile. A renewal that fails is no reason to stop:
    /// the commit finds out whether the lease was really lost. Work is large: it stays where it was pinned.
    pub(super) async fn during<T>(
        &self,
        context: &CallContext,
        mut work: Pin<&mut impl Future<Output = T>>,
    ) -> T {
        let mut session = self.session.clone();
        loop {
            let pause = tokio::time::sleep(self.ttl / 3);
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = pause => {}
            }
            // One that hangs must not keep the next from being sent: it may go to another replica.
            let step = Step::Session.of(&context.until(Instant::now() + self.ttl / 3));
            let renewal = async {
                let request = step.request(RenewLeaseRequest {
                    student_id: self.caller.subject.clone(),
                    thread_id: self.thread_id.clone(),
                    fencing_token: self.fencing_token,
                });
                if let Err(status) = session.renew_lease(request).await {
                    tracing::warn!(code = ?status.code(), "the turn's lease was not renewed");
                }
            };
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = renewal => {}
            }
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !self.held {
            return;
        }
        self.kit.tasks.spawn(self.abandon());
    }
}
