//! The short form of a reply, which is what a model is asked for: one text in the place of the analysis, no mapping. What it
//! leaves out the search and the graph know better, and each token of it is time for which a pupil waits.
//!
//! A reply whose analysis is written out keeps the whole contract.

use serde_json::{Map, Value, json};

use crate::words::{StudentIntent, UnderstandingSignal};

const ANALYSIS: &str = "turn_analysis";

/// Every analysis in short, such as `solve confident`.
pub(crate) fn analyses() -> Vec<String> {
    let of = |intent: &'static str| {
        UnderstandingSignal::ALL
            .into_iter()
            .map(move |signal| format!("{intent} {signal}"))
    };
    StudentIntent::ALL.into_iter().flat_map(of).collect()
}

/// Writes out a reply in the short form, whatever stands between its two words. Any other stays as it is, and the schema
/// says what is wrong with it.
pub(crate) fn write_out(reply: &mut Map<String, Value>) {
    let said = reply.get(ANALYSIS).and_then(Value::as_str);
    let mut words = said
        .unwrap_or_default()
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty());
    let (Some(intent), Some(signal), None) = (words.next(), words.next(), words.next()) else {
        return;
    };
    if !StudentIntent::ALL.contains(&intent) || !UnderstandingSignal::ALL.contains(&signal) {
        return;
    }
    let analysis = json!({
        "student_intent": intent,
        "understanding_signal": signal,
        "suggested_prereq_units": [],
    });
    reply.insert(ANALYSIS.to_owned(), analysis);
    reply
        .entry("mapped_units")
        .or_insert_with(|| Value::Array(Vec::new()));
}
