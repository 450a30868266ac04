//! The button that a student pressed: what decides, and what the client says beside it.

use turnwise_decisions as decisions;
use turnwise_kit::ids;
use turnwise_proto::tutor::v1 as tutor;

use super::{
    read::{self, Read},
    words,
};
use crate::error::PolicyError;

/// Reads an event; `None` where no button was pressed.
pub(super) fn read(
    field: &str,
    event: Option<tutor::ClientEvent>,
) -> Read<Option<decisions::Event>> {
    let event = event.unwrap_or_default();
    client_words(field, &event)?;
    let tutor::ClientEvent {
        kind,
        unit_id,
        question_id,
        ..
    } = event;
    let unit_field = format!("{field}.unit_id");
    match words::event_kind(kind) {
        None => Err(PolicyError::invalid(
            format!("{field}.kind"),
            "must be an event of the contract",
        )),
        Some(None) if unit_id.is_empty() => Ok(None),
        Some(None) => Err(PolicyError::invalid(
            unit_field,
            "must be empty without an event",
        )),
        Some(Some(kind)) => Ok(Some(decisions::Event {
            kind,
            unit_id: read::id(&unit_field, unit_id)?,
            question_id,
        })),
    }
}

/// What a client says of how it went decides nothing and is copied; it still has to be of the contract, and with the event
/// that it belongs to.
fn client_words(field: &str, event: &tutor::ClientEvent) -> Read<()> {
    let refuse = |name: &str, problem: &str| {
        let field = format!("{field}.{name}");
        Err(PolicyError::invalid(field, problem))
    };
    let only_with =
        |name: &str, kind: &str| refuse(name, &format!("must be empty but with {kind}"));
    if tutor::DrillResult::try_from(event.drill_result).is_err() {
        return refuse("drill_result", "must be a result of the contract");
    }
    if tutor::ExamResult::try_from(event.exam_result).is_err() {
        return refuse("exam_result", "must be a result of the contract");
    }
    let kind = tutor::ClientEventKind::try_from(event.kind);
    if event.drill_result != 0 && kind != Ok(tutor::ClientEventKind::DrillContinue) {
        return only_with("drill_result", "DRILL_CONTINUE");
    }
    if event.exam_result != 0 && kind != Ok(tutor::ClientEventKind::ExamContinue) {
        return only_with("exam_result", "EXAM_CONTINUE");
    }
    if !matches!(
        kind,
        Ok(tutor::ClientEventKind::ExamContinue | tutor::ClientEventKind::RequestExam)
    ) {
        if !event.question_id.is_empty() {
            return only_with("question_id", "EXAM_CONTINUE and REQUEST_EXAM");
        }
    } else if !event.question_id.is_empty() && !ids::is_valid(&event.question_id) {
        return refuse("question_id", read::WRONG_ID);
    }
    Ok(())
}
