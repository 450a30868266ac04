//! Units that a teacher marks as met: an edit of a student's evidence, made as any other, by its version.

use prost::Message;
use turnwise_proto::session::v1::{Evidence, MarkPrerequisiteResponse};
use turnwise_session_store::StudentKey;

use crate::{
    error::SessionError,
    record,
    sessions::{
        Idempotency, Sessions,
        audit::{Actor, Deed},
        evidence::{CommitEvidence, EvidenceOutcome},
    },
};

/// How often it is tried while other evidence comes in between.
const TRIES: usize = 8;

/// A unit to mark, or whose mark is to go.
#[derive(Debug, Clone)]
pub struct Mark {
    /// The class whose teacher does it.
    pub class_id: String,
    /// The student.
    pub student: StudentKey,
    /// The course.
    pub course_id: String,
    /// The unit.
    pub unit_id: String,
    /// Whether it counts as met.
    pub met: bool,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
}

impl Sessions {
    /// Marks a unit as met, or takes the mark back; answers all units of the course that are marked.
    pub async fn mark_prerequisite(
        &self,
        actor: &Actor,
        mark: Mark,
    ) -> Result<Vec<String>, SessionError> {
        if !self.works_in(&mark.student, &mark.class_id).await? {
            return Err(SessionError::UnknownStudent);
        }
        let deed = Deed {
            kind: match mark.met {
                true => "prerequisite-marked-met",
                false => "prerequisite-unmarked",
            },
            class_id: &mark.class_id,
            student: Some(&mark.student),
            facts: vec![
                ("course", mark.course_id.clone()),
                ("unit", mark.unit_id.clone()),
            ],
            ..Deed::default()
        };
        let done = self
            .once(actor, &mark.idempotency, deed, self.edit(&mark))
            .await?;
        Ok(done.unit_ids)
    }

    async fn edit(&self, mark: &Mark) -> Result<MarkPrerequisiteResponse, SessionError> {
        let edit = |evidence: &mut Evidence| {
            let marked = &mut evidence.prerequisite_overrides;
            let before = marked.len();
            marked.retain(|unit| *unit != mark.unit_id);
            if mark.met {
                marked.push(mark.unit_id.clone());
                marked.sort_unstable();
            }
            // Else it is as it was: marked already, or not marked.
            (marked.len() != before, marked.clone())
        };
        let unit_ids = self
            .edit_evidence(&mark.student, &mark.course_id, &mark.idempotency, edit)
            .await?;
        Ok(MarkPrerequisiteResponse { unit_ids })
    }

    /// Edits a student's evidence, again where other evidence comes in between. `edit` says whether it changed anything,
    /// and what is answered.
    pub(super) async fn edit_evidence<R>(
        &self,
        student: &StudentKey,
        course_id: &str,
        idempotency: &Idempotency,
        edit: impl Fn(&mut Evidence) -> (bool, R),
    ) -> Result<R, SessionError> {
        for _ in 0..TRIES {
            let (now, _) = self.evidence_now(student, course_id).await?;
            let mut evidence = now.snapshot.evidence.unwrap_or_default();
            if usize::try_from(now.snapshot.evidence_size) != Ok(evidence.encoded_len()) {
                return Err(record::newer("evidence"));
            }
            let (is_changed, answer) = edit(&mut evidence);
            if !is_changed {
                return Ok(answer);
            }
            let commit = CommitEvidence {
                course_id: course_id.to_owned(),
                expected_version: now.snapshot.evidence_version,
                evidence,
                question_records: Vec::new(),
                idempotency: idempotency.clone(),
                drill: None,
                counted: None,
                answer: bytes::Bytes::new(),
                graded: None,
            };
            match self.commit_evidence(student, commit).await? {
                EvidenceOutcome::Committed(_) | EvidenceOutcome::Answered(_) => return Ok(answer),
                EvidenceOutcome::Conflict(_) | EvidenceOutcome::AlreadyGraded(_) => {}
            }
        }
        Err(SessionError::Contended)
    }
}
