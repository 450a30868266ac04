//! Placements that a teacher takes back: an edit of a student's evidence, as a mark is.

use turnwise_proto::session::v1::{Evidence, UndoPlacementResponse};
use turnwise_session_store::StudentKey;

use crate::{
    error::SessionError,
    sessions::{
        Idempotency, Sessions,
        audit::{Actor, Deed},
    },
};

/// What is to be undone.
#[derive(Debug, Clone)]
pub struct Undo {
    /// The class whose teacher does it.
    pub class_id: String,
    /// The student.
    pub student: StudentKey,
    /// The course.
    pub course_id: String,
    /// The unit; none: all of them, and the placement.
    pub unit_id: Option<String>,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
}

impl Sessions {
    /// Lets placed units count as met no more; answers all units of the course that still do.
    pub async fn undo_placement(
        &self,
        actor: &Actor,
        undo: Undo,
    ) -> Result<Vec<String>, SessionError> {
        if !self.works_in(&undo.student, &undo.class_id).await? {
            return Err(SessionError::UnknownStudent);
        }
        let unit = undo.unit_id.iter().map(|unit| ("unit", unit.clone()));
        let deed = Deed {
            kind: "placement-undone",
            class_id: &undo.class_id,
            student: Some(&undo.student),
            facts: std::iter::once(("course", undo.course_id.clone()))
                .chain(unit)
                .collect(),
            ..Deed::default()
        };
        let done = self
            .once(actor, &undo.idempotency, deed, self.withdraw(&undo))
            .await?;
        Ok(done.unit_ids)
    }

    async fn withdraw(&self, undo: &Undo) -> Result<UndoPlacementResponse, SessionError> {
        let edit = |evidence: &mut Evidence| {
            let is_forgotten = undo.unit_id.is_none() && evidence.placement.take().is_some();
            let mut is_changed = is_forgotten;
            for unit in &mut evidence.placed {
                let is_meant = undo.unit_id.as_ref().is_none_or(|id| *id == unit.unit_id);
                if is_meant && !unit.undone {
                    unit.undone = true;
                    is_changed = true;
                }
            }
            let left = evidence.placed.iter().filter(|unit| !unit.undone);
            let left: Vec<_> = left.map(|unit| unit.unit_id.clone()).collect();
            (is_changed, left)
        };
        let unit_ids = self
            .edit_evidence(&undo.student, &undo.course_id, &undo.idempotency, edit)
            .await?;
        Ok(UndoPlacementResponse { unit_ids })
    }
}
