//! A turn of any kind of conversation: it holds its thread's lease from begin to commit.

use std::{future::Future, pin::Pin};

use prost::Message;
use turnwise_kit::Fault;
use turnwise_proto::session::v1::{
    BeginTurnRequest, CommitTurnRequest, TurnStart, begin_turn_response::Outcome,
};

use super::{Begun, Core, Request, lease::Lease, send_once_more, stored};
use crate::upstream::Step;

/// A turn that has begun. Dropped without a commit, it gives its lease back.
pub(crate) struct Turn<'a> {
    core: &'a Core,
    request: &'a Request<'a>,
    pub(crate) start: TurnStart,
    lease: Lease,
}

impl Core {
    /// Begins a turn; its answer is an `A`. `wanted` says what the turn reads beside its thread and the student's record:
    /// what names the turn is filled in here.
    pub(crate) async fn begin_turn<'a, A: Message + Default>(
        &'a self,
        request: &'a Request<'a>,
        wanted: BeginTurnRequest,
    ) -> Result<Begun<A, Turn<'a>>, Fault> {
        request.check()?;
        let step = Step::Session.of(request.context);
        let begun = self
            .upstreams
            .session
            .clone()
            .begin_turn(step.request(BeginTurnRequest {
                student_id: request.caller.subject.clone(),
                course_id: request.course_id.to_owned(),
                thread_id: request.thread_id.to_owned(),
                idempotency_key: request.idempotency_key.to_owned(),
                body_hash: request.body_hash.clone(),
                kind: request.kind.into(),
                ..wanted
            }))
            .await
            .map_err(|status| step.fault(&status))?;
        match begun.into_inner().outcome {
            Some(Outcome::StoredAnswer(bytes)) => stored(bytes).map(Begun::Stored),
            Some(Outcome::Start(start)) => Ok(Begun::Start(Turn {
                core: self,
                request,
                lease: Lease::new(self, request, &start),
                start,
            })),
            None => Err(Step::Session.malformed()),
        }
    }
}

impl Turn<'_> {
    /// Does the turn's work and keeps its lease meanwhile.
    pub(crate) async fn during<T>(&self, work: Pin<&mut impl Future<Output = T>>) -> T {
        self.lease.during(self.request.context, work).await
    }

    /// Ends a turn that came to nothing.
    pub(crate) async fn give_back(self) {
        self.lease.give_back().await;
    }

    /// Stores all that the turn made, its answer and the end of its lease, in one atomic step. What names the turn is
    /// filled in here; `made` holds the rest.
    pub(crate) async fn commit<A: Message>(
        self,
        answer: A,
        made: CommitTurnRequest,
    ) -> Result<A, Fault> {
        let request = self.request;
        let commit = CommitTurnRequest {
            student_id: request.caller.subject.clone(),
            course_id: request.course_id.to_owned(),
            thread_id: request.thread_id.to_owned(),
            fencing_token: self.start.fencing_token,
            idempotency_key: request.idempotency_key.to_owned(),
            body_hash: request.body_hash.clone(),
            answer: answer.encode_to_vec().into(),
            carry: self.start.carry.clone(),
            ..made
        };
        send_once_more(request.context, commit, |commit| {
            let mut session = self.core.upstreams.session.clone();
            async move { session.commit_turn(commit).await }
        })
        .await?;
        self.lease.committed();
        Ok(answer)
    }
}
