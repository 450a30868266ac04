//! Reading what evidence is applied to, and writing it once: sent again where the outcome is unknown, applied again where
//! somebody else wrote first.

use std::{future::Future, time::Duration};

use bytes::Bytes;
use jiff::Timestamp;
use prost::Message;
use sha2::{Digest, Sha256};
use turnwise_kit::{CallContext, Caller, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    session::v1::{
        BeginEvidenceRequest, CommitEvidenceRequest, CommitEvidenceResponse, EvidenceStart,
        QuestionRecord, StudentSnapshot, begin_evidence_response, commit_evidence_response,
    },
};

use super::Evidence;
use crate::upstream::Step;

/// How often evidence is applied at the most.
const MOST_TRIES: usize = 8;
/// How often a commit whose outcome is unknown is sent: it is idempotent.
const COMMIT_ATTEMPTS: usize = 2;
/// When to try again after so many conflicts.
const RETRY: Duration = Duration::from_millis(200);

/// A request for evidence, as the store knows it.
pub(super) struct Asked<'a> {
    pub(super) context: &'a CallContext,
    pub(super) caller: &'a Caller,
    pub(super) thread_id: &'a str,
    pub(super) course_id: &'a str,
    pub(super) idempotency_key: &'a str,
    /// SHA-256 of the call's name and of what the client asked for, without the key.
    pub(super) body_hash: Bytes,
    /// Empty where no drill can be spent.
    pub(super) drill_nonce: String,
    /// When it happened.
    pub(super) now: Timestamp,
}

/// What a beginning came to.
pub(super) enum Begun<A> {
    /// It was done before under this key; this was its answer.
    Stored(A),
    /// It begins.
    Start(Box<EvidenceStart>),
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

/// SHA-256 of a call's name and of a request without its key.
pub(super) fn body_hash(call: &str, request: &impl Message) -> Bytes {
    let mut hash = Sha256::new();
    hash.update((call.len() as u64).to_be_bytes());
    hash.update(call);
    hash.update(request.encode_to_vec());
    hash.finalize().to_vec().into()
}

impl Asked<'_> {
    /// The key under which a platform's exam system knows this request: the same for each retry, another for each student
    /// and for each other request.
    pub(super) fn platform_key(&self) -> String {
        let mut hash = Sha256::new();
        for part in [
            self.caller.tenant.as_bytes(),
            self.caller.subject.as_bytes(),
            self.idempotency_key.as_bytes(),
            &self.body_hash,
        ] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hex::encode(hash.finalize())
    }
}

impl Evidence {
    /// The first round trip.
    pub(super) async fn begin<A: Message + Default>(
        &self,
        asked: &Asked<'_>,
    ) -> Result<Begun<A>, Fault> {
        let context = asked.context;
        let response = self
            .upstreams
            .session
            .clone()
            .begin_evidence(Step::Session.of(context).request(BeginEvidenceRequest {
                student_id: asked.caller.subject.clone(),
                course_id: asked.course_id.to_owned(),
                thread_id: asked.thread_id.to_owned(),
                idempotency_key: asked.idempotency_key.to_owned(),
                body_hash: asked.body_hash.clone(),
                drill_nonce: asked.drill_nonce.clone(),
            }))
            .await
            .map_err(|status| Step::Session.fault(context, &status))?
            .into_inner();
        match response.outcome {
            Some(begin_evidence_response::Outcome::StoredAnswer(bytes)) => {
                stored(bytes).map(Begun::Stored)
            }
            Some(begin_evidence_response::Outcome::Start(start)) => {
                Ok(Begun::Start(Box::new(start)))
            }
            None => Err(Step::Session.nonsense()),
        }
    }

    /// Applies the event and writes what follows, again and again while others write first.
    pub(super) async fn commit<E: Event>(
        &self,
        asked: &Asked<'_>,
        start: Box<EvidenceStart>,
        event: &E,
    ) -> Result<Committed<E::Answer>, Fault> {
        let EvidenceStart {
            snapshot,
            question_records: mut records,
            ..
        } = *start;
        let mut snapshot = snapshot.unwrap_or_default();
        for _ in 0..MOST_TRIES {
            let Draft { write, answer } = event.apply(&snapshot, &records).await?;
            let Some(write) = write else {
                return Ok(Committed::Done(answer));
            };
            let request = CommitEvidenceRequest {
                student_id: asked.caller.subject.clone(),
                course_id: asked.course_id.to_owned(),
                expected_version: snapshot.evidence_version,
                evidence: Some(write.evidence),
                question_records: write.question_records,
                idempotency_key: asked.idempotency_key.to_owned(),
                body_hash: asked.body_hash.clone(),
                drill_nonce: asked.drill_nonce.clone(),
                drill_verdict: write.drill_verdict.into(),
                answer: answer.encode_to_vec().into(),
            };
            let response = self.send(asked.context, request).await?;
            match response.outcome {
                Some(commit_evidence_response::Outcome::CommittedVersion(_)) => {
                    return Ok(Committed::Done(answer));
                }
                Some(commit_evidence_response::Outcome::Conflict(current)) => {
                    self.metrics.conflict();
                    snapshot = current;
                    records = response.question_records;
                }
                Some(commit_evidence_response::Outcome::AlreadyGraded(_)) => {
                    return Ok(Committed::AlreadyGraded);
                }
                Some(commit_evidence_response::Outcome::StoredAnswer(bytes)) => {
                    return stored(bytes).map(Committed::Stored);
                }
                None => return Err(Step::Session.nonsense()),
            }
        }
        Err(Fault::new(
            ErrorReason::VersionConflict,
            "others keep changing this student's record; nothing was written; try again with the same key",
        )
        .retry_after(RETRY))
    }

    /// One commit, sent once more where its outcome is unknown.
    async fn send(
        &self,
        context: &CallContext,
        request: CommitEvidenceRequest,
    ) -> Result<CommitEvidenceResponse, Fault> {
        let mut session = self.upstreams.session.clone();
        let mut attempt = 1;
        loop {
            let sent = Step::Session.of(context).request(request.clone());
            let status = match session.commit_evidence(sent).await {
                Ok(response) => return Ok(response.into_inner()),
                Err(status) => status,
            };
            let fault = Step::Session.fault(context, &status);
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
}

/// An answer as it was stored.
fn stored<A: Message + Default>(bytes: Bytes) -> Result<A, Fault> {
    if bytes.is_empty() {
        return Err(Fault::new(
            ErrorReason::TurnErased,
            "the answer to this request was erased; what it counted for still counts",
        ));
    }
    A::decode(bytes).map_err(|_| {
        Fault::new(
            ErrorReason::RecordCorrupted,
            "the stored answer cannot be read; send the request again with a new key",
        )
        .meta("record", "answer")
    })
}
