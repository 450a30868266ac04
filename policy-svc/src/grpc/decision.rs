//! What a turn is about, and what is allowed in it.

use tonic::Status;
use turnwise_decisions as decisions;
use turnwise_kit::ids;
use turnwise_proto::policy::v1::{
    DecideRequest, DecideResponse, Plan, PlanAndDecideRequest, PlanAndDecideResponse, PlanRequest,
};

use super::{Policies, placement, read, topic, write};
use crate::error::PolicyError;

impl Policies {
    /// The plan of a turn.
    pub(super) fn planned(&self, mut request: PlanRequest) -> Result<Plan, Status> {
        let loaded = self.version_or_current(&request.course_id, &request.pack_hash)?;
        let placement_question = (request.snapshot.as_ref())
            .and_then(|snapshot| placement::open_question(&loaded, snapshot));
        let record = read::record(&loaded, request.snapshot.take(), request.now.take())?;
        let pressed = request.event.clone();
        topic::settle(&loaded, &mut request)?;
        let input = read::plan_input(request)?;
        let plan = decisions::plan(&record, &input).map_err(|error| PolicyError::UnknownUnit {
            field: "event.unit_id".to_owned(),
            unit_id: error.0,
        })?;
        Ok(Plan {
            placement_question,
            context_handoff_off: !self.context_handoff,
            asks_for_context: self.context_handoff && loaded.context.asks_without_project(),
            ..write::plan(&loaded, plan, pressed)
        })
    }

    /// The decision of a plan.
    pub(super) fn decided(&self, request: DecideRequest) -> Result<DecideResponse, Status> {
        let plan = request.plan.as_ref();
        let plan = plan.ok_or_else(|| PolicyError::missing("plan"))?;
        let fields = ("plan.course_id", "plan.pack_hash");
        let loaded = self.version(fields, &plan.course_id, &plan.pack_hash)?;
        ids::check("turn_id", &request.turn_id)?;
        let (way_told, name_schema) = (request.way_told, request.name_schema);
        let input = read::decide_input(request)?;
        let decision = decisions::decide(&loaded.course, &input)
            .map_err(|fault| PolicyError::impossible("plan", &fault))?;
        Ok(write::decision(&loaded, decision, way_told, name_schema))
    }

    /// The plan and, where it needs no more, its decision.
    pub(super) fn planned_and_decided(
        &self,
        request: PlanAndDecideRequest,
    ) -> Result<PlanAndDecideResponse, Status> {
        let plan = request.plan.ok_or_else(|| PolicyError::missing("plan"))?;
        ids::check("turn_id", &request.turn_id)?;
        let plan = self.planned(plan)?;
        let waits_for_more = plan.exam_ready || plan.choice_unit_ids.len() > 1;
        let decision = match waits_for_more {
            true => None,
            false => Some(self.decided(DecideRequest {
                way_told: request.thread_focus.is_some_and(|stood| {
                    stood.focus_unit_id == plan.focus_unit_id
                        && stood.target_unit_id == plan.target_unit_id
                }),
                turn_id: request.turn_id,
                open_drill_unit_id: request.open_drill_unit_id,
                name_schema: true,
                plan: Some(plan.clone()),
                ..DecideRequest::default()
            })?),
        };
        Ok(PlanAndDecideResponse {
            plan: Some(plan),
            decision,
        })
    }
}
