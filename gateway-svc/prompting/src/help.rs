//! The prompt of help with a procedure: rules in the system role; where the student is, as data, in the user role.

use jiff::Timestamp;
use minijinja::{Value, context};
use serde::Serialize;
use turnwise_proto::{
    policy::v1::{ProcedureHelpPlan, ProcedureStepStatus, ProcedureStepSummary},
    procedure::v1::{Delta, DeltaSource},
    retrieval::v1::Chunk,
};

use crate::{block::block, fault::RenderError, prompt::Trimmed};

/// Names the prompt of help, in answers and records.
pub const HELP_PROMPT_ID: &str = "help_v1";

/// What the prompt of help is made from.
#[derive(Debug, Clone, Copy)]
pub struct HelpPrompt<'a> {
    /// Where the student is, and what may be said and pointed at.
    pub plan: &'a ProcedureHelpPlan,
    /// The latest changes, oldest first.
    pub recent_deltas: &'a [Delta],
    /// Course text about the step, best first; may be empty.
    pub chunks: &'a [Chunk],
}

/// What of a help prompt's data is in the prompt.
pub(crate) struct HelpParts<'a> {
    chunks: &'a [Chunk],
    vars: usize,
    trimmed: Trimmed,
}

/// In the order of how long each part stays the same: the procedure's, the step's, this moment's.
#[derive(Serialize)]
struct Situation<'a> {
    session: Session<'a>,
    procedure: &'a str,
    pack_step_summaries: Vec<Summary<'a>>,
    overlay_target_allowlist: Vec<Target<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rag_snippets: Vec<Snippet<'a>>,
    inferred_step: InferredStep<'a>,
    vars: Vec<Var<'a>>,
    recent_deltas: Vec<DeltaView<'a>>,
}

/// Which session it is, is no part of it: a prompt has no random id.
#[derive(Serialize)]
struct Session<'a> {
    pack_id: String,
    contract_version: &'a str,
    llm_prompt_version: &'static str,
}

#[derive(Serialize)]
struct InferredStep<'a> {
    step_id: &'a str,
    status: &'static str,
    phase: &'a str,
    short_explanation: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    blocked_by: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    unknown: &'a [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    stepped_back_from: &'a str,
}

#[derive(Serialize)]
struct Summary<'a> {
    step_id: &'a str,
    official_step: &'a str,
    short_explanation: &'a str,
    tutor_prompts: &'a [String],
}

#[derive(Serialize)]
struct Var<'a> {
    name: &'a str,
    value: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    unit: &'a str,
}

#[derive(Serialize)]
struct DeltaView<'a> {
    name: &'a str,
    old: &'a str,
    new: &'a str,
    timestamp: String,
    source: &'static str,
}

#[derive(Serialize)]
struct Target<'a> {
    target: &'a str,
    label: &'a str,
    element_id: &'a str,
}

#[derive(Serialize)]
struct Snippet<'a> {
    source: &'a str,
    section: &'a str,
    text: &'a str,
}

impl<'a> HelpParts<'a> {
    pub(crate) fn all(input: &HelpPrompt<'a>) -> Self {
        Self {
            chunks: input.chunks,
            vars: input.plan.variables.len(),
            trimmed: Trimmed::default(),
        }
    }

    pub(crate) fn trimmed(&self) -> Trimmed {
        self.trimmed
    }

    /// Leaves out the last piece of course text, then the last variable. False if nothing more can be left out.
    pub(crate) fn reduce(&mut self) -> bool {
        if let [rest @ .., _] = self.chunks {
            self.chunks = rest;
            self.trimmed.chunks_dropped += 1;
        } else if self.vars > 0 {
            self.vars /= 2;
            self.trimmed.texts_cut += 1;
        } else {
            return false;
        }
        true
    }
}

/// The variables of help's system sheet: the same for every step.
pub(crate) fn system_variables(locale: &str) -> Value {
    context! { locale }
}

/// The variables of help's user sheet.
pub(crate) fn user_variables(
    input: &HelpPrompt<'_>,
    parts: &HelpParts<'_>,
    locale: &str,
) -> Result<Value, RenderError> {
    let plan = input.plan;
    let step = plan.step.as_ref();
    let situation = Situation {
        session: Session {
            pack_id: format!("{}/{}", plan.course_id, plan.procedure_id),
            contract_version: &plan.contract_version,
            llm_prompt_version: HELP_PROMPT_ID,
        },
        procedure: &plan.title,
        inferred_step: InferredStep {
            step_id: step_id(plan),
            status: match plan.status() {
                ProcedureStepStatus::Active => "active",
                _ => "pending",
            },
            phase: step.map_or("", |step| &step.phase),
            short_explanation: step.map_or("", |step| &step.short_explanation),
            blocked_by: &plan.blocked_by,
            unknown: &plan.unknown,
            stepped_back_from: &plan.stepped_back_from,
        },
        pack_step_summaries: step
            .into_iter()
            .chain(&plan.next_step)
            .map(summary)
            .collect(),
        vars: plan.variables[..parts.vars]
            .iter()
            .map(|var| Var {
                name: &var.name,
                value: &var.value,
                unit: &var.unit,
            })
            .collect(),
        recent_deltas: input.recent_deltas.iter().map(delta).collect(),
        overlay_target_allowlist: plan
            .targets
            .iter()
            .map(|target| Target {
                target: &target.target,
                label: &target.label,
                element_id: &target.element_id,
            })
            .collect(),
        rag_snippets: parts.chunks.iter().map(snippet).collect(),
    };
    Ok(context! { locale, situation => block("SITUATION", &situation)? })
}

fn step_id(plan: &ProcedureHelpPlan) -> &str {
    plan.step.as_ref().map_or("", |step| &step.step_id)
}

fn summary(step: &ProcedureStepSummary) -> Summary<'_> {
    Summary {
        step_id: &step.step_id,
        official_step: &step.official_step,
        short_explanation: &step.short_explanation,
        tutor_prompts: &step.tutor_prompts,
    }
}

fn delta(delta: &Delta) -> DeltaView<'_> {
    let at = delta.client_time.as_ref();
    let at = at.and_then(|at| Timestamp::new(at.seconds, at.nanos).ok());
    DeltaView {
        name: &delta.name,
        old: &delta.old_value,
        new: &delta.new_value,
        timestamp: at.map_or_else(String::new, |at| at.to_string()),
        source: match delta.source() {
            DeltaSource::Gating => "gating",
            DeltaSource::Telemetry | DeltaSource::Unspecified => "telemetry",
        },
    }
}

fn snippet(chunk: &Chunk) -> Snippet<'_> {
    let citation = chunk.citation.as_ref();
    Snippet {
        source: match citation {
            Some(citation) if !citation.title.is_empty() => &citation.title,
            _ => &chunk.source_id,
        },
        section: &chunk.section,
        text: &chunk.text,
    }
}
