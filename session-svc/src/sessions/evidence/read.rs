//! A student's record in a course, as it is read: the snapshot, and what the built-in exam system knows.

use std::borrow::Cow;

use bytes::Bytes;
use turnwise_proto::session::v1::{QuestionRecord, StudentSnapshot};
use turnwise_session_store::{Read, StudentKey};

use super::EvidenceNow;
use crate::{
    error::SessionError,
    record,
    sessions::{
        Sessions,
        fields::{self, Fields},
        keys,
    },
};

/// The fields of a snapshot: what turns write, what evidence writes, and how often the latter was written.
const SNAPSHOT_FIELDS: [&str; 3] = ["turn", "evidence", "version"];

impl Sessions {
    /// A student's record in a course.
    pub async fn get_snapshot(
        &self,
        student: &StudentKey,
        course_id: &str,
    ) -> Result<StudentSnapshot, SessionError> {
        let wanted = snapshot_reads(course_id).into();
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        snapshot(
            student,
            course_id,
            reads.fields()?,
            erasure(reads.fields()?)?,
        )
    }

    /// What evidence is applied to, read in one step, and the token of the latest erasure of the student; 0 if there was
    /// none.
    pub async fn evidence_now(
        &self,
        student: &StudentKey,
        course_id: &str,
    ) -> Result<(EvidenceNow, i64), SessionError> {
        let [halves, fence] = snapshot_reads(course_id);
        let wanted = vec![halves, fence, questions(course_id)];
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        let (halves, erasure) = (reads.fields()?, erasure(reads.fields()?)?);
        let now = EvidenceNow {
            snapshot: snapshot(student, course_id, halves, erasure)?,
            question_records: question_records(reads.record()?)?,
        };
        Ok((now, erasure))
    }
}

/// Reads what [`snapshot`] needs: the halves, and what an erasure left.
pub(in crate::sessions) fn snapshot_reads(course_id: &str) -> [Read; 2] {
    [
        Read::Fields {
            key: keys::snapshot(course_id),
            fields: SNAPSHOT_FIELDS.map(Cow::Borrowed).to_vec(),
        },
        Read::Fields {
            key: keys::erased(),
            fields: vec!["fence".into()],
        },
    ]
}

/// Reads what [`question_records`] needs. The record grows with the questions that the student passed or that were
/// locked for them, and so up to the catalogue of the course: nobody writes of a question that it does not have.
pub(in crate::sessions) fn questions(course_id: &str) -> Read {
    Read::Record {
        key: keys::questions(course_id),
    }
}

/// The token of the latest erasure; 0 if there was none.
pub(in crate::sessions) fn erasure(mut erased: Fields) -> Result<i64, SessionError> {
    erased.number("erasure")
}

/// A snapshot from its halves, and from the token of the latest erasure. What is kept with the class is not in it yet.
pub(in crate::sessions) fn snapshot(
    student: &StudentKey,
    course_id: &str,
    mut stored: Fields,
    erasure: i64,
) -> Result<StudentSnapshot, SessionError> {
    let turn = stored.take();
    let (evidence, size) = match stored.take() {
        Some(bytes) => {
            let (evidence, size) = record::look_sized("evidence", &bytes)?;
            (Some(evidence), size)
        }
        None => (None, 0),
    };
    let version = match stored.take() {
        Some(version) => fields::number("evidence", &version)?,
        None => erasure,
    };
    Ok(StudentSnapshot {
        student_id: student.student.clone(),
        course_id: course_id.to_owned(),
        turn: turn
            .map(|bytes| record::look("turn_state", &bytes))
            .transpose()?,
        evidence,
        evidence_version: version,
        class_placement: false,
        evidence_size: i64::try_from(size).unwrap_or(i64::MAX),
    })
}

/// What the built-in exam system knows, by question.
pub(in crate::sessions) fn question_records(
    stored: Vec<(String, Bytes)>,
) -> Result<Vec<QuestionRecord>, SessionError> {
    stored
        .iter()
        .map(|(_, bytes)| record::look("question", bytes))
        .collect()
}
