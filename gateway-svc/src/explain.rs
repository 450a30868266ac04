//! Why a turn went as it did, for staff: its record, and the policy's reasons.

use prost::Message;
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{ExplainTurnRequest, ExplainTurnResponse, TurnFacts, TurnRecord, TurnTexts},
    policy::v1::{ExplainRequest, Explanation},
    session::v1::{GetTurnLogRequest, TurnLog},
};

use crate::{
    record,
    upstream::{Step, Upstreams},
};

/// The record of a turn of the tutor, explained.
pub(crate) async fn turn(
    upstreams: &Upstreams,
    context: &CallContext,
    request: ExplainTurnRequest,
) -> Result<ExplainTurnResponse, Fault> {
    let step = Step::Session.of(context);
    let log = upstreams
        .session
        .clone()
        .get_turn_log(step.request(GetTurnLogRequest {
            student_id: request.student_id,
            turn_id: request.turn_id,
        }))
        .await
        .map_err(|status| step.fault(&status))?
        .into_inner()
        .turn_log
        .unwrap_or_default();
    let record = read_log(log)?;
    let explanation = explanation(upstreams, context, record.facts.as_ref()).await;
    Ok(ExplainTurnResponse {
        record: Some(record),
        explanation,
    })
}

/// The decision's reasons, made again by the policy; the record stands without them. Where nothing was decided there
/// are none.
async fn explanation(
    upstreams: &Upstreams,
    context: &CallContext,
    facts: Option<&TurnFacts>,
) -> Option<Explanation> {
    let facts = facts.filter(|facts| facts.policy.is_some())?;
    let request = ExplainRequest {
        decide: Some(record::decide_request(facts)?),
    };
    upstreams
        .policy
        .clone()
        .explain(Step::Policy.of(context).request(request))
        .await
        .map_err(|status| tracing::warn!(code = ?status.code(), "a turn was not explained"))
        .ok()?
        .into_inner()
        .explanation
}

/// The chain of a stored log.
fn read_log(log: TurnLog) -> Result<TurnRecord, Fault> {
    if !record::is_of_tutor(log.kind) {
        return Err(Fault::new(
            ErrorReason::UnknownTurn,
            "the turn is not the tutor's; only turns of the tutor are explained",
        )
        .meta("turn_id", log.turn_id.clone())
        .field("turn_id", "is not a turn of the tutor"));
    }
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
        kind: log.kind,
        facts: Some(TurnFacts::decode(log.facts).map_err(corrupted)?),
        texts,
    })
}
