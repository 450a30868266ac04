//! Why a turn went as it did, for staff and teachers: its record, and the policy's reasons. Before a student's words are
//! handed out, the audit log names the reader.

use prost::Message;
use turnwise_kit::{CallContext, Fault, ids};
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{TurnFacts, TurnRecord, TurnTexts},
    policy::v1::{ExplainRequest, Explanation},
    session::v1::{GetTurnLogRequest, RecordAccessRequest, ThreadKind, TurnLog},
};

use crate::{
    record,
    upstream::{Step, Upstreams, own},
};

/// A turn, explained. The reasons are absent where nothing was decided or the policy cannot be asked now.
pub(crate) type Explained = (TurnRecord, Option<Explanation>);

/// The record of a turn, explained: one of the homework helper by its record alone. `class_id` is the only class whose turn it may be; none: any of the tenant.
pub(crate) async fn turn(
    upstreams: &Upstreams,
    context: &CallContext,
    student_id: &str,
    turn_id: &str,
    class_id: Option<&str>,
) -> Result<Explained, Fault> {
    ids::check("student_id", student_id)?;
    ids::check("turn_id", turn_id)?;
    let caller = context.caller()?;
    let step = Step::Session.of(context);
    // A teacher may see turns of a class, which the store cannot tell before the log is read.
    let inside = own(context, &caller.tenant, step.wait());
    let log = upstreams
        .session
        .clone()
        .get_turn_log(inside.request(GetTurnLogRequest {
            student_id: student_id.to_owned(),
            turn_id: turn_id.to_owned(),
        }))
        .await
        .map_err(|status| step.fault(&status))?
        .into_inner()
        .turn_log
        .unwrap_or_default();
    let record = match (read_log(log), class_id) {
        (Ok(record), _) => record,
        // Whose it is cannot be told, so it is nothing for a teacher.
        (Err(_), Some(_)) => return Err(unknown_turn(turn_id)),
        (Err(fault), None) => return Err(fault),
    };
    let class_of_turn = record.facts.as_ref().map_or("", |facts| &facts.class_id);
    if class_id.is_some_and(|only| only != class_of_turn) {
        return Err(unknown_turn(turn_id));
    }
    let step = Step::Session.of(context);
    upstreams
        .session_admin
        .clone()
        .record_access(step.request(RecordAccessRequest {
            class_id: class_of_turn.to_owned(),
            student_id: student_id.to_owned(),
            turn_id: turn_id.to_owned(),
        }))
        .await
        .map_err(|status| step.fault(&status))?;
    let explanation = explanation(upstreams, context, record.facts.as_ref()).await;
    Ok((record, explanation))
}

/// As the store answers for a turn that is not there: whose it is, is nobody's business.
fn unknown_turn(turn_id: &str) -> Fault {
    Fault::new(
        ErrorReason::UnknownTurn,
        format!("no log of turn `{turn_id}` is kept; name a later turn of this student"),
    )
    .meta("turn_id", turn_id)
    .field("turn_id", "no such turn")
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
    if ThreadKind::try_from(log.kind).is_err() {
        return Err(Fault::new(
            ErrorReason::UnknownTurn,
            "the turn is of a kind that this version does not know",
        )
        .meta("turn_id", log.turn_id.clone())
        .field("turn_id", "is a turn of a newer kind"));
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
