//! Placements that a teacher begins for a class, or takes back. That one is begun is kept with the class; what is taken back
//! is an edit of the student's evidence, as marks are.

use turnwise_proto::session::v1::{BeginPlacementsResponse, Evidence, UndoPlacementResponse};
use turnwise_session_store::StudentKey;

use crate::{
    error::SessionError,
    sessions::{
        Idempotency, Sessions,
        audit::{Actor, Deed},
    },
};

/// Placements that are to be begun.
#[derive(Debug, Clone)]
pub struct Begin {
    /// The class whose teacher does it.
    pub class_id: String,
    /// The course.
    pub course_id: String,
    /// Makes it safe to send again.
    pub idempotency: Idempotency,
}

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
    /// Begins a placement in a course for a class: one waits for whoever is in it and has had none.
    pub async fn begin_placements(&self, actor: &Actor, begin: Begin) -> Result<(), SessionError> {
        let deed = Deed {
            kind: "placements-begun",
            class_id: &begin.class_id,
            facts: vec![("course", begin.course_id.clone())],
            ..Deed::default()
        };
        let set = self.set_class_placement(&actor.tenant, &begin.class_id, &begin.course_id);
        self.once(actor, &begin.idempotency, deed, async {
            set.await.map(|()| BeginPlacementsResponse {})
        })
        .await?;
        Ok(())
    }

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
            .once(actor, &undo.idempotency, deed, self.take_back(&undo))
            .await?;
        Ok(done.unit_ids)
    }

    async fn take_back(&self, undo: &Undo) -> Result<UndoPlacementResponse, SessionError> {
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
