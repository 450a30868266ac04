//! Beginning evidence: one transaction reads all that it is applied to, and takes no lease.

use turnwise_proto::{session::v1::EvidenceStart, tutor::v1::Role};
use turnwise_session_store::{Outcome, Read, StudentKey, Transaction};

use super::{
    BeginEvidence, EvidenceBegun,
    read::{erasure, question_records, questions, snapshot, snapshot_reads},
};
use crate::{
    error::SessionError,
    record,
    sessions::{
        Sessions,
        fence::{Since, none_under_way},
        fields::Reads,
        idempotency::IdempotencyEntry,
        keys::{self, Operation},
        stored::StoredThread,
        threads::{is_about, is_of_kind, messages, not_about, not_of_kind},
    },
};

impl Sessions {
    /// Reads all that evidence is applied to, or answers what the idempotency key stored before.
    pub async fn begin_evidence(
        &self,
        student: &StudentKey,
        begin: BeginEvidence,
    ) -> Result<EvidenceBegun, SessionError> {
        let entry =
            IdempotencyEntry::new(Operation::Evidence, &begin.idempotency, &begin.course_id);
        let [halves, fence] = snapshot_reads(&begin.course_id);
        let mut reads = vec![
            StoredThread::read(&keys::thread(&begin.thread_id)),
            halves,
            fence,
            Since::read(),
            questions(&begin.course_id),
            Read::LogBefore {
                key: keys::timeline(&begin.thread_id),
                before: i64::MAX,
                limit: 1,
            },
        ];
        if let Some(nonce) = &begin.drill_nonce {
            reads.push(Read::Fields {
                key: keys::nonce(nonce),
                fields: vec!["verdict".into()],
            });
        }
        let transaction = Transaction {
            checks: vec![
                entry.unused(),
                is_of_kind(&begin.thread_id, begin.kind),
                is_about(&begin.thread_id, &begin.course_id),
                none_under_way(),
            ],
            writes: Vec::new(),
            reads,
        };
        match self
            .transact(&self.partition(student).await?, transaction)
            .await?
        {
            Outcome::Applied(applied) => {
                let start = self
                    .evidence_start(student, &begin, Reads::new(applied.found))
                    .await?;
                Ok(EvidenceBegun::Started(Box::new(start)))
            }
            Outcome::Refused(refused) => match refused.check {
                0 => Ok(EvidenceBegun::Answered(entry.stored_text(refused)?)),
                1 => Err(not_of_kind(refused.told, &begin.thread_id)),
                3 => Err(SessionError::ErasureUnderWay),
                _ => Err(not_about(refused.told, &begin.thread_id, &begin.course_id)),
            },
        }
    }

    async fn evidence_start(
        &self,
        student: &StudentKey,
        begin: &BeginEvidence,
        mut reads: Reads,
    ) -> Result<EvidenceStart, SessionError> {
        let stored = StoredThread::decode(reads.fields()?)?
            .ok_or(SessionError::RecordCorrupted { record: "thread" })?;
        let (halves, erasure) = (reads.fields()?, erasure(reads.fields()?)?);
        let since = Since::decode(reads.fields()?)?;
        let mut snapshot = snapshot(student, &begin.course_id, halves, erasure)?;
        let question_records = question_records(reads.record()?)?;
        let latest = messages(reads.entries()?)?.pop();
        let verdict = match begin.drill_nonce {
            Some(_) => reads.fields()?.take(),
            None => None,
        };
        if self.is_to_be_indexed(&stored) {
            // The next reset must find the thread, so that the answer's text goes with it.
            self.index(student, &stored.thread.class_id, &begin.thread_id, since)
                .await?;
        }
        let class_id = &stored.thread.class_id;
        let (class_policy, is_placed) = self
            .decided_of_class(&student.tenant, class_id, &begin.course_id)
            .await?;
        snapshot.class_placement = is_placed;
        Ok(EvidenceStart {
            thread: Some(stored.thread),
            snapshot: Some(snapshot),
            question_records,
            already_graded: verdict
                .map(|verdict| record::unstamp("nonce", &verdict))
                .transpose()?,
            class_policy: Some(class_policy),
            thread_focus: stored.focus,
            graded: stored.graded.map(Box::new),
            said: latest
                .filter(|message| message.role() == Role::Assistant)
                .map_or_else(String::new, |message| message.text),
        })
    }
}
