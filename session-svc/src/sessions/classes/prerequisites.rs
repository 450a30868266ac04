//! Units that a teacher marks as met: an edit of a student's evidence, made as any other, by its version.

use turnwise_proto::session::v1::MarkPrerequisiteResponse;
use turnwise_session_store::StudentKey;

use crate::{
    error::SessionError,
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
        for _ in 0..TRIES {
            let (now, _) = self.evidence_now(&mark.student, &mark.course_id).await?;
            let mut evidence = now.snapshot.evidence.unwrap_or_default();
            let marked = &mut evidence.prerequisite_overrides;
            let before = marked.len();
            marked.retain(|unit| *unit != mark.unit_id);
            if mark.met {
                marked.push(mark.unit_id.clone());
                marked.sort_unstable();
            }
            let answer = MarkPrerequisiteResponse {
                unit_ids: marked.clone(),
            };
            if marked.len() == before {
                // As it was: marked already, or not marked.
                return Ok(answer);
            }
            let commit = CommitEvidence {
                course_id: mark.course_id.clone(),
                expected_version: now.snapshot.evidence_version,
                evidence,
                question_records: Vec::new(),
                idempotency: mark.idempotency.clone(),
                drill: None,
                counted: None,
                answer: bytes::Bytes::new(),
                graded: None,
            };
            match self.commit_evidence(&mark.student, commit).await? {
                EvidenceOutcome::Committed(_) | EvidenceOutcome::Answered(_) => return Ok(answer),
                EvidenceOutcome::Conflict(_) | EvidenceOutcome::AlreadyGraded(_) => {}
            }
        }
        Err(SessionError::Contended)
    }
}
