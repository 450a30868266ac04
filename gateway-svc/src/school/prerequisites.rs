//! Units that count as met for a student because the teacher says so, or no more; placements of a class.

use turnwise_kit::{CallContext, Fault, ids};
use turnwise_proto::{
    common::v1::ErrorReason,
    session::v1::{BeginPlacementsRequest, MarkPrerequisiteRequest, UndoPlacementRequest},
};

use super::School;
use crate::upstream::Step;

impl School {
    /// Marks a unit, or takes the mark back; answers all that are marked.
    pub(crate) async fn mark(
        &self,
        context: &CallContext,
        mark: MarkPrerequisiteRequest,
    ) -> Result<Vec<String>, Fault> {
        for (field, id) in [
            ("student_id", &mark.student_id),
            ("course_id", &mark.course_id),
            ("unit_id", &mark.unit_id),
        ] {
            ids::check(field, id)?;
        }
        ids::check_key("idempotency_key", &mark.idempotency_key)?;
        // The store does not know courses; the policy does.
        let course = self
            .standing(context, &mark.course_id, "", Vec::new())
            .await?;
        if !course.units.iter().any(|unit| unit.unit_id == mark.unit_id) {
            return Err(Fault::new(
                ErrorReason::UnknownUnit,
                format!(
                    "the course has no unit `{}` in which a badge can be earned; name one that ClassReport lists",
                    mark.unit_id
                ),
            )
            .meta("course_id", &mark.course_id)
            .meta("unit_id", &mark.unit_id)
            .field("unit_id", "no such unit"));
        }
        let step = Step::Session.of(context);
        let marked = self
            .upstreams
            .session_admin
            .clone()
            .mark_prerequisite(step.request(mark))
            .await
            .map_err(|status| step.fault(&status))?;
        Ok(marked.into_inner().unit_ids)
    }

    /// Begins a placement for everybody in the class who has had none.
    pub(crate) async fn begin_placements(
        &self,
        context: &CallContext,
        begin: BeginPlacementsRequest,
    ) -> Result<(), Fault> {
        ids::check("course_id", &begin.course_id)?;
        ids::check_key("idempotency_key", &begin.idempotency_key)?;
        // Only to refuse a course that nobody serves.
        self.standing(context, &begin.course_id, "", Vec::new())
            .await?;
        let step = Step::Session.of(context);
        self.upstreams
            .session_admin
            .clone()
            .begin_placements(step.request(begin))
            .await
            .map_err(|status| step.fault(&status))?;
        Ok(())
    }

    /// Lets what a placement showed count as met no more; answers what still does. The unit may have left the course.
    pub(crate) async fn undo_placement(
        &self,
        context: &CallContext,
        undo: UndoPlacementRequest,
    ) -> Result<Vec<String>, Fault> {
        ids::check("student_id", &undo.student_id)?;
        ids::check("course_id", &undo.course_id)?;
        if !undo.unit_id.is_empty() {
            ids::check("unit_id", &undo.unit_id)?;
        }
        ids::check_key("idempotency_key", &undo.idempotency_key)?;
        // Only to refuse a course that nobody serves.
        self.standing(context, &undo.course_id, "", Vec::new())
            .await?;
        let step = Step::Session.of(context);
        let undone = self
            .upstreams
            .session_admin
            .clone()
            .undo_placement(step.request(undo))
            .await
            .map_err(|status| step.fault(&status))?;
        Ok(undone.into_inner().unit_ids)
    }
}
