//! Conditions and values in the procedure's language.

use turnwise_course_pack::gates::{Reading, State, Unmet, Value};
use turnwise_messages::{keys, text};

/// A condition that does not hold, and what is known of its variables, as a sentence without a full stop.
pub(crate) fn unmet(locale: &str, unmet: &Unmet) -> String {
    let readings: Vec<String> = unmet
        .readings
        .iter()
        .map(|read| reading(locale, read))
        .collect();
    let condition = ("condition", unmet.condition.clone().into());
    if readings.is_empty() {
        return text(locale, keys::PROCEDURE_UNMET_ALONE, &[condition]);
    }
    let readings = ("readings", readings.join(", ").into());
    text(locale, keys::PROCEDURE_UNMET, &[condition, readings])
}

/// What is known of a variable.
pub(crate) fn reading(locale: &str, reading: &Reading) -> String {
    let name = ("name", reading.name.clone().into());
    match &reading.state {
        State::Missing => text(locale, keys::PROCEDURE_VAR_MISSING, &[name]),
        State::Unusable { .. } => text(locale, keys::PROCEDURE_VAR_UNUSABLE, &[name]),
        State::Known(known) => {
            let value = format!("{} {}", value(known), reading.unit);
            let value = ("value", value.trim_end().to_owned().into());
            text(locale, keys::PROCEDURE_VAR_KNOWN, &[name, value])
        }
    }
}

/// A value as it is written.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Double(number) => number.to_string(),
        Value::Text(word) => word.clone(),
    }
}
