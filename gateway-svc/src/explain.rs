//! ExplainService: why a turn went as it did, for staff.

use prost::Message;
use tonic::{Request, Response, Status};
use turnwise_kit::{CallContext, Fault, ids};
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{
        ExplainTurnRequest, ExplainTurnResponse, TurnFacts, TurnRecord, TurnTexts,
        explain_service_server::ExplainService,
    },
    policy::v1::{ExplainRequest, Explanation},
    session::v1::{GetTurnLogRequest, TurnLog},
};

use crate::{
    record,
    upstream::{Step, Upstreams},
};

/// Who may see what a student never sees.
const STAFF: &[&str] = &["staff", "service"];

/// Serves `turnwise.explain.v1.ExplainService`.
pub struct Explain {
    pub(crate) upstreams: Upstreams,
}

#[tonic::async_trait]
impl ExplainService for Explain {
    async fn explain_turn(
        &self,
        request: Request<ExplainTurnRequest>,
    ) -> Result<Response<ExplainTurnResponse>, Status> {
        let context = CallContext::of(&request);
        context.caller()?.require(STAFF)?;
        let request = request.into_inner();
        ids::check("student_id", &request.student_id)?;
        ids::check("turn_id", &request.turn_id)?;
        let log = self
            .upstreams
            .session
            .clone()
            .get_turn_log(Step::Session.of(&context).request(GetTurnLogRequest {
                student_id: request.student_id,
                turn_id: request.turn_id,
            }))
            .await
            .map_err(|status| Step::Session.fault(&context, &status))?
            .into_inner()
            .turn_log
            .unwrap_or_default();
        let record = read_log(log)?;
        let explanation = self.explanation(&context, record.facts.as_ref()).await;
        Ok(Response::new(ExplainTurnResponse {
            record: Some(record),
            explanation,
        }))
    }
}

impl Explain {
    /// The decision's reasons, made again by the policy; the record stands without them. Where nothing was decided there
    /// are none.
    async fn explanation(
        &self,
        context: &CallContext,
        facts: Option<&TurnFacts>,
    ) -> Option<Explanation> {
        let facts = facts.filter(|facts| facts.policy.is_some())?;
        let request = ExplainRequest {
            decide: Some(record::decide_request(facts)?),
        };
        self.upstreams
            .policy
            .clone()
            .explain(Step::Policy.of(context).request(request))
            .await
            .map_err(|status| tracing::warn!(code = ?status.code(), "a turn was not explained"))
            .ok()?
            .into_inner()
            .explanation
    }
}

/// The chain of a stored log.
fn read_log(log: TurnLog) -> Result<TurnRecord, Fault> {
    let corrupted = |_| {
        Fault::new(
            ErrorReason::RecordCorrupted,
            "the turn's log cannot be read; others can",
        )
        .meta("record", "turn_log")
    };
    let texts = (!log.erased)
        .then(|| TurnTexts::decode(log.text))
        .transpose()
        .map_err(corrupted)?;
    Ok(TurnRecord {
        facts: Some(TurnFacts::decode(log.facts).map_err(corrupted)?),
        texts,
    })
}
