//! Reading what evidence is applied to, and writing it once: applied again where somebody else wrote first.

use std::{future::Future, time::Duration};

use bytes::Bytes;
use jiff::Timestamp;
use prost::Message;
use sha2::{Digest, Sha256};
use turnwise_kit::{CallContext, Caller, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    session::v1::{
        BeginEvidenceRequest, CommitEvidenceRequest, DrillActivity, EvidenceStart, GradedDrill,
        QuestionRecord, StudentSnapshot, ThreadKind, begin_evidence_response,
        commit_evidence_response,
    },
};

use super::Evidence;
use crate::{
    conversation::{Begun, Request, send_once_more, stored},
    open_card,
    record::from_thread,
    upstream::Step,
};

/// How often evidence is applied at the most.
const MOST_TRIES: usize = 8;
/// When to try again after so many conflicts.
const RETRY: Duration = Duration::from_millis(200);

/// A request for evidence.
pub(super) struct EvidenceRequest<'a> {
    pub(super) request: Request<'a>,
    /// Empty where no drill can be spent.
    pub(super) drill_nonce: String,
    /// When it happened.
    pub(super) now: Timestamp,
}

/// One event, applied to a record.
pub(super) struct Draft<A> {
    /// Absent where nothing is to be written: the answer alone matters.
    pub(super) write: Option<Write>,
    pub(super) answer: A,
}

/// What a draft writes.
pub(super) struct Write {
    pub(super) evidence: turnwise_proto::session::v1::Evidence,
    pub(super) question_records: Vec<QuestionRecord>,
    /// Codes only; kept with the nonce.
    pub(super) drill_verdict: Vec<u8>,
    /// What it counts for in the class; absent where no drill counts. A graded drill spends its nonce only with it.
    pub(super) drill: Option<DrillActivity>,
    /// What the thread keeps of it; absent where it is no graded drill.
    pub(super) graded: Option<GradedDrill>,
}

/// One event that can be applied to whatever the record is.
pub(super) trait Event: Sync {
    /// The call's answer.
    type Answer: Message + Default;

    /// Applies it.
    fn apply(
        &self,
        snapshot: &StudentSnapshot,
        records: &[QuestionRecord],
    ) -> impl Future<Output = Result<Draft<Self::Answer>, Fault>> + Send;
}

/// What writing came to.
pub(super) enum Committed<A> {
    /// It is written, or there was nothing to write.
    Done(A),
    /// It was done before under this key; this was its answer.
    Stored(A),
    /// The drill's nonce was spent in between.
    AlreadyGraded,
}

impl<'a> EvidenceRequest<'a> {
    /// A request in a thread of the tutor's, by which no drill is spent yet.
    pub(super) fn of_tutor(
        context: &'a CallContext,
        caller: &'a Caller,
        (thread_id, course_id): (&'a str, &'a str),
        idempotency_key: &'a str,
        body_hash: Bytes,
        now: Timestamp,
    ) -> Self {
        Self {
            request: Request {
                context,
                caller,
                address: None,
                kind: ThreadKind::Tutor,
                thread_id,
                course_id,
                idempotency_key,
                body_hash,
            },
            drill_nonce: String::new(),
            now,
        }
    }

    /// The key under which a platform's exam system knows this request: the same for each retry, another for each student
    /// and for each other request.
    pub(super) fn platform_key(&self) -> String {
        let mut hash = Sha256::new();
        let request = &self.request;
        for part in [
            request.caller.tenant.as_bytes(),
            request.caller.subject.as_bytes(),
            request.idempotency_key.as_bytes(),
            &request.body_hash,
        ] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hex::encode(hash.finalize())
    }
}

impl Evidence {
    /// The first round trip. The record is as the thread sees it: what another thread asks for is not this one's target.
    pub(super) async fn begin<A: Message + Default>(
        &self,
        asked: &EvidenceRequest<'_>,
    ) -> Result<Begun<A, Box<EvidenceStart>>, Fault> {
        let request = &asked.request;
        request.check()?;
        let step = Step::Session.of(request.context);
        let response = self
            .core
            .upstreams
            .session
            .clone()
            .begin_evidence(step.request(BeginEvidenceRequest {
                student_id: request.caller.subject.clone(),
                course_id: request.course_id.to_owned(),
                thread_id: request.thread_id.to_owned(),
                idempotency_key: request.idempotency_key.to_owned(),
                body_hash: request.body_hash.clone(),
                drill_nonce: asked.drill_nonce.clone(),
                kind: request.kind.into(),
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner();
        match response.outcome {
            Some(begin_evidence_response::Outcome::StoredAnswer(bytes)) => {
                stored(bytes).map(Begun::Stored)
            }
            Some(begin_evidence_response::Outcome::Start(mut start)) => {
                let snapshot = start.snapshot.take();
                let thread = start.thread_focus.as_ref();
                start.snapshot = snapshot.map(|snapshot| from_thread(snapshot, thread));
                Ok(Begun::Start(Box::new(start)))
            }
            None => Err(Step::Session.malformed()),
        }
    }

    /// Applies the event and writes what follows, again and again while others write first.
    pub(super) async fn commit<E: Event>(
        &self,
        asked: &EvidenceRequest<'_>,
        start: Box<EvidenceStart>,
        event: &E,
    ) -> Result<Committed<E::Answer>, Fault> {
        let EvidenceStart {
            snapshot,
            question_records: mut records,
            thread_focus,
            mut graded,
            ..
        } = *start;
        let mut snapshot = snapshot.unwrap_or_default();
        let request = &asked.request;
        for _ in 0..MOST_TRIES {
            let Draft { write, answer } = event.apply(&snapshot, &records).await?;
            let Some(write) = write else {
                return Ok(Committed::Done(answer));
            };
            let spends = write.drill.is_some() || write.graded.is_none();
            let drill_nonce = if spends {
                asked.drill_nonce.clone()
            } else {
                String::new()
            };
            let commit = CommitEvidenceRequest {
                student_id: request.caller.subject.clone(),
                course_id: request.course_id.to_owned(),
                expected_version: snapshot.evidence_version,
                evidence: Some(write.evidence),
                question_records: write.question_records,
                idempotency_key: request.idempotency_key.to_owned(),
                body_hash: request.body_hash.clone(),
                drill_nonce,
                drill_verdict: write.drill_verdict.into(),
                answer: answer.encode_to_vec().into(),
                drill: write.drill,
                thread_id: request.thread_id.to_owned(),
                graded: write.graded.map(|drill| GradedDrill {
                    graded_before: open_card::graded_before(graded.as_deref()),
                    ..drill
                }),
            };
            let is_graded = commit.graded.is_some();
            let committed = send_once_more(request.context, commit, |commit| {
                let mut session = self.core.upstreams.session.clone();
                async move { session.commit_evidence(commit).await }
            })
            .await?;
            match committed.outcome {
                Some(commit_evidence_response::Outcome::CommittedVersion(_)) => {
                    return Ok(Committed::Done(answer));
                }
                Some(commit_evidence_response::Outcome::Conflict(current)) => {
                    self.metrics.conflict();
                    let current = StudentSnapshot {
                        class_placement: snapshot.class_placement,
                        ..current
                    };
                    snapshot = from_thread(current, thread_focus.as_ref());
                    records = committed.question_records;
                    // It may be another drill of the thread that was graded. Where this cannot be read, the next try says so.
                    if is_graded
                        && let Ok(Begun::Start(now)) =
                            Box::pin(self.begin::<E::Answer>(asked)).await
                    {
                        graded = now.graded;
                    }
                }
                Some(commit_evidence_response::Outcome::AlreadyGraded(_)) => {
                    return Ok(Committed::AlreadyGraded);
                }
                Some(commit_evidence_response::Outcome::StoredAnswer(bytes)) => {
                    return stored(bytes).map(Committed::Stored);
                }
                None => return Err(Step::Session.malformed()),
            }
        }
        Err(Fault::new(
            ErrorReason::VersionConflict,
            "others keep changing this student's record; nothing was written; try again with the same key",
        )
        .retry_after(RETRY))
    }
}
