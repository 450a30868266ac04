//! The inferred step, what may be highlighted, the schema of a model's output, and the help that needs no model.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use turnwise_course_pack::{
    ProcedureStep, UiTarget,
    gates::{Reading, State, Unmet, Var, Vars},
};
use turnwise_messages::{keys, text};
use turnwise_procedure_steps::{self as steps, Inference, RunState};

use crate::{
    HelpedProcedure,
    resolve::{MOST_EXPLANATIONS, MOST_MESSAGE_CHARS, MOST_SENTENCES},
    sentences, words,
};

/// The most characters of a message that a model is asked for. Servers turn such a bound into a grammar.
const MOST_ASKED_CHARS: usize = 300;
/// The most characters of an explanation that a model is asked for.
const MOST_ASKED_PART_CHARS: usize = 150;

/// What a student gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Help {
    /// One or two sentences.
    pub message: String,
    /// The id of the target that is highlighted.
    pub highlight: Option<String>,
    /// Further points, at most [`MOST_EXPLANATIONS`].
    pub explanations: Vec<String>,
}

/// Where a student is, and what help may say and point at. Its texts are in the procedure's language.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan<'p> {
    /// How far the step is.
    pub status: steps::Status,
    /// The step; none once the procedure is finished.
    pub step: Option<&'p ProcedureStep>,
    /// The step behind it.
    pub next: Option<&'p ProcedureStep>,
    /// The first condition that does not hold, in words.
    pub blocked_by: Option<String>,
    /// The variables of the step's gates without a usable value, in words.
    pub unknown: Vec<String>,
    /// The furthest step that the run was at, if it is behind this one.
    pub stepped_back_from: Option<&'p ProcedureStep>,
    /// What may be highlighted, in the procedure's order.
    pub targets: Vec<&'p UiTarget>,
    /// The JSON Schema of a model's output; none once the procedure is finished.
    pub output_schema: Option<String>,
    /// The help that needs no model.
    pub fallback: Help,
}

impl HelpedProcedure {
    /// Plans help, and notes in `state` what has settled. `since` are the times since when the variables have had their
    /// values, and `now_ms` is the time, all in milliseconds of the simulator's or page's clock: see
    /// [`infer_since`](steps::infer_since).
    #[must_use]
    pub fn plan(
        &self,
        state: &mut RunState,
        vars: &Vars,
        since: &BTreeMap<String, i64>,
        now_ms: i64,
    ) -> Plan<'_> {
        let locale = &self.procedure.locale;
        let told = steps::infer_since(&self.procedure, state, vars, since, now_ms);
        let targets = told.step.map(|step| self.scope(step)).unwrap_or_default();
        let unknown = told
            .step
            .map(|step| unknown(step, vars))
            .unwrap_or_default();
        let unknown = unknown
            .iter()
            .map(|reading| words::reading(locale, reading));
        let unobserved = !self.procedure.telemetry.iter().any(|entry| {
            let value = vars.get(&entry.var.name);
            value.and_then(|value| entry.var.admit(value)).is_some()
        });
        Plan {
            fallback: fallback(locale, &told, &targets, unobserved),
            output_schema: told.step.map(|step| schema(step, &targets)),
            blocked_by: told
                .blocked_by
                .as_ref()
                .map(|unmet| words::unmet(locale, unmet)),
            unknown: unknown.collect(),
            status: told.status,
            step: told.step,
            next: told.next,
            stepped_back_from: told.stepped_back_from,
            targets,
        }
    }

    /// The variables that have a usable value, in the procedure's order: the raw name, the variable, the value as it is
    /// written.
    pub fn known<'p>(&'p self, vars: &'p Vars) -> impl Iterator<Item = (&'p str, &'p Var, String)> {
        self.procedure.telemetry.iter().filter_map(|entry| {
            let value = entry.var.admit(vars.get(&entry.var.name)?)?;
            Some((entry.raw.as_str(), &entry.var, words::value(&value)))
        })
    }
}

/// What the step's gates read and is not known.
fn unknown(step: &ProcedureStep, vars: &Vars) -> Vec<Reading> {
    let gates = step.entry.iter().chain([&step.completion]);
    let mut unknown: Vec<Reading> = Vec::new();
    for var in gates.flat_map(|gate| gate.vars()) {
        let state = match vars.get(&var.name) {
            None => State::Missing,
            Some(value) if var.admit(value).is_none() => State::Unusable { wanted: "" },
            Some(_) => continue,
        };
        if !unknown.iter().any(|reading| reading.name == var.name) {
            unknown.push(Reading {
                name: var.name.clone(),
                unit: var.unit.clone(),
                state,
            });
        }
    }
    unknown
}

/// The step's own words, after one sentence on what stands in the way. While the step cannot be done, nothing is highlighted.
fn fallback(locale: &str, told: &Inference<'_>, targets: &[&UiTarget], unobserved: bool) -> Help {
    let Some(step) = told.step else {
        return Help {
            message: text(locale, keys::PROCEDURE_FINISHED, &[]),
            ..Help::default()
        };
    };
    let pending = told.status == steps::Status::Pending;
    let before = if unobserved {
        Some(keys::PROCEDURE_UNOBSERVED)
    } else if told.stepped_back_from.is_some() {
        Some(keys::PROCEDURE_STEPPED_BACK)
    } else if pending {
        Some(keys::PROCEDURE_PENDING)
    } else {
        None
    };
    let before = before.map(|key| text(locale, key, &[]));
    let about = [&step.short_explanation, &step.official_step];
    let about = about.into_iter().find(|text| sentences::count(text) > 0);
    let about = about
        .cloned()
        .unwrap_or_else(|| text(locale, keys::PROCEDURE_CHECKLIST, &[]));
    let most = MOST_SENTENCES - before.iter().len();
    let parts: Vec<&str> = before
        .as_deref()
        .into_iter()
        .chain([sentences::first(&about, most)])
        .collect();
    let unmet = told.blocked_by.as_ref();
    let unmet = unmet.filter(|unmet| pending || !unobserved && is_unknown(unmet));
    // Of an author's texts none is longer; a condition over hundreds of digits helps nobody.
    let unmet = unmet
        .map(|unmet| words::unmet(locale, unmet))
        .filter(|unmet| unmet.chars().count() <= MOST_MESSAGE_CHARS);
    let own = targets
        .iter()
        .find(|target| step.target.as_ref() == Some(&target.id));
    Help {
        message: parts.join(" "),
        highlight: own.filter(|_| !pending).map(|target| target.id.clone()),
        explanations: unmet
            .into_iter()
            .chain(step.tutor_prompts.iter().cloned())
            .take(MOST_EXPLANATIONS)
            .collect(),
    }
}

/// Whether a condition does not hold because something is not known.
fn is_unknown(unmet: &Unmet) -> bool {
    let known = |reading: &Reading| matches!(reading.state, State::Known(_));
    !unmet.readings.iter().all(known)
}

/// What a model is asked for. Keys are in the order in which it should write them: what it points at before what it says.
fn schema(step: &ProcedureStep, targets: &[&UiTarget]) -> String {
    let mut properties = Map::new();
    let mut add = |key: &str, value: Json| properties.insert(key.to_owned(), value);
    add(
        "status",
        json!({"type": "string", "enum": ["ok", "fallback", "error"]}),
    );
    add("step_id", json!({"type": "string", "enum": [step.id]}));
    if !targets.is_empty() {
        let ids: Vec<&str> = targets.iter().map(|target| target.id.as_str()).collect();
        add(
            "overlay",
            json!({
                "type": "object",
                "properties": {
                    "intent": {"type": "string", "enum": ["highlight"]},
                    "target": {"type": "string", "enum": ids},
                },
                "required": ["intent", "target"],
                "additionalProperties": false,
            }),
        );
    }
    add(
        "message",
        json!({"type": "string", "minLength": 1, "maxLength": MOST_ASKED_CHARS}),
    );
    add(
        "explanations",
        json!({
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": MOST_ASKED_PART_CHARS},
            "maxItems": MOST_EXPLANATIONS,
        }),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": ["status", "step_id", "message"],
        "additionalProperties": false,
    })
    .to_string()
}
