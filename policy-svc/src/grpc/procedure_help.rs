//! Help with procedures: what was observed, made a plan; a plan and whatever came of the model, made help.

use std::collections::BTreeMap;

use turnwise_course_pack::{
    ProcedureStep, UiTarget,
    gates::{Value, Vars},
};
use turnwise_procedure_help::{self as help, HelpedProcedure, Outcome, Rules, count_sentences};
use turnwise_procedure_steps::{self as steps, RunState};
use turnwise_proto::policy::v1::{
    KnownVariable, PlanProcedureHelpRequest, PlanProcedureHelpResponse, ProcedureHelp,
    ProcedureHelpPlan, ProcedureHelpStatus, ProcedureStepStatus, ProcedureStepSummary,
    ProcedureTarget, ResolveProcedureHelpRequest, ResolveProcedureHelpResponse,
    resolve_procedure_help_request,
};
use turnwise_proto::procedure::v1::{ObservedVariable, Variable, variable::Value as Sent};
use turnwise_reply_guard::{Context, Guard};

use super::{
    guard::Known,
    read::{self, Read},
    words,
};
use crate::{courses::LoadedCourse, error::PolicyError};

/// The most variables of a request.
const MOST_VARIABLES: usize = 10_000;
/// The most bytes of a run's state; that of 100 steps has some 5,000.
const MOST_STATE_BYTES: usize = 65_536;
/// The most characters of a text of a plan's fallback: an author's texts have at most 1,000, and a sentence stands before.
const MOST_FALLBACK_CHARS: usize = 3_000;

/// The plan, and the run's state behind it.
pub(super) fn plan(
    loaded: &LoadedCourse,
    request: PlanProcedureHelpRequest,
) -> Read<PlanProcedureHelpResponse> {
    let procedure = procedure(loaded, "procedure_id", &request.procedure_id)?;
    let begins = request.run_state.is_empty();
    let now_ms = read::required_time("now", request.now)?.as_millisecond();
    let mut state = match request.run_state.as_ref() {
        [] => RunState::default(),
        bytes if bytes.len() <= MOST_STATE_BYTES => serde_json::from_slice(bytes)
            .map_err(|_| PolicyError::invalid("run_state", "must be that of a response"))?,
        _ => {
            return Err(PolicyError::invalid(
                "run_state",
                "must be that of a response",
            ));
        }
    };
    let (vars, since) = observed(procedure, request.variables)?;
    let plan = procedure.plan(&mut state, &vars, &since, now_ms);
    let of = procedure.procedure();
    let known = procedure
        .known(&vars)
        .map(|(raw, var, value)| KnownVariable {
            raw: raw.to_owned(),
            name: var.name.clone(),
            value,
            unit: var.unit.clone(),
        });
    let plan = ProcedureHelpPlan {
        course_id: loaded.id.clone(),
        pack_hash: loaded.pack_hash.clone(),
        procedure_id: of.id.clone(),
        contract_version: of.contract_version.clone(),
        title: of.title.clone(),
        locale: of.locale.clone(),
        status: match plan.status {
            steps::Status::Active => ProcedureStepStatus::Active,
            steps::Status::Pending => ProcedureStepStatus::Pending,
            steps::Status::Finished => ProcedureStepStatus::Finished,
        }
        .into(),
        step: plan.step.map(|step| summary(procedure, step)),
        next_step: plan.next.map(|step| summary(procedure, step)),
        blocked_by: plan.blocked_by.unwrap_or_default(),
        unknown: plan.unknown,
        stepped_back_from: plan
            .stepped_back_from
            .map(|step| step.id.clone())
            .unwrap_or_default(),
        variables: known.collect(),
        targets: plan.targets.into_iter().map(target).collect(),
        output_schema: plan.output_schema.unwrap_or_default(),
        fallback: Some(written(procedure, plan.fallback)),
        unit_ids: of.units.clone(),
    };
    let run_state = serde_json::to_vec(&state)
        .map_err(|_| PolicyError::invalid("run_state", "must be that of a response"))?;
    Ok(PlanProcedureHelpResponse {
        plan: Some(plan),
        run_state: run_state.into(),
        raw_names: match begins {
            true => of.telemetry.iter().map(|entry| entry.raw.clone()).collect(),
            false => Vec::new(),
        },
    })
}

/// Help that the plan allows. `loaded` is the plan's course.
pub(super) fn resolve(
    loaded: &LoadedCourse,
    rules: &Rules,
    guard: &Guard,
    request: ResolveProcedureHelpRequest,
) -> Read<ResolveProcedureHelpResponse> {
    let known = Known::read(request.known)?;
    let plan = request.plan.ok_or_else(|| PolicyError::missing("plan"))?;
    let procedure = procedure(loaded, "plan.procedure_id", &plan.procedure_id)?;
    let finished = plan.status() == ProcedureStepStatus::Finished;
    let step = match plan.step {
        None if finished => None,
        Some(step) if !finished => Some(procedure.step(&step.step_id).ok_or_else(|| {
            PolicyError::invalid("plan.step.step_id", "must be a step of the procedure")
        })?),
        _ => {
            let problem = "is there exactly if the procedure is not finished";
            return Err(PolicyError::invalid("plan.step", problem));
        }
    };
    let fallback = plan
        .fallback
        .ok_or_else(|| PolicyError::missing("plan.fallback"))?;
    let fallback = planned(procedure, step, fallback)?;
    use resolve_procedure_help_request::Outcome as Sent;
    let outcome = match &request.outcome {
        Some(Sent::Completion(bytes)) => Outcome::Completion(bytes),
        Some(Sent::Failure(reason)) => Outcome::Failure(read::failure(*reason)?),
        None => return Err(PolicyError::missing("outcome")),
    };
    let exams = known.exams_with(Some(loaded));
    let context = Context {
        turn_id: "",
        prompt: known.prompt(),
        exams: &exams,
        blocked_terms: known.blocked_terms(),
        open_drill: None,
        said: &[],
    };
    let resolved = procedure.resolve(step, fallback, outcome, rules, guard, &context);
    Ok(ResolveProcedureHelpResponse {
        status: match resolved.status {
            help::Status::Ok => ProcedureHelpStatus::Ok,
            help::Status::Fallback => ProcedureHelpStatus::Fallback,
        }
        .into(),
        step_id: step.map(|step| step.id.clone()).unwrap_or_default(),
        help: Some(written(procedure, resolved.help)),
        fallback_reason: words::fallback_reason_to_proto(resolved.reason),
        violation: resolved.violation.unwrap_or_default(),
        safety_flags: resolved.flags.into_iter().map(str::to_owned).collect(),
        overlay_refused: resolved.overlay_refused,
        met: Some(known.met(resolved.met)),
    })
}

fn procedure<'c>(loaded: &'c LoadedCourse, field: &str, id: &str) -> Read<&'c HelpedProcedure> {
    let mut all = loaded.procedures.iter();
    let found = all.find(|procedure| procedure.procedure().id == id);
    found.ok_or_else(|| PolicyError::invalid(field, "must be a procedure of the course"))
}

/// The latest values of the procedure's variables, and since when in milliseconds, where it was sent.
fn observed(
    procedure: &HelpedProcedure,
    variables: Vec<ObservedVariable>,
) -> Read<(Vars, BTreeMap<String, i64>)> {
    if variables.len() > MOST_VARIABLES {
        let problem = "must have at most 10,000 items";
        return Err(PolicyError::invalid("variables", problem));
    }
    let of_raw = procedure.procedure().telemetry.iter();
    let of_raw: BTreeMap<&str, &str> = of_raw
        .map(|entry| (entry.raw.as_str(), entry.var.name.as_str()))
        .collect();
    let (mut vars, mut times) = (Vars::new(), BTreeMap::new());
    for ObservedVariable { variable, since } in variables {
        let Variable { name: raw, value } = variable.unwrap_or_default();
        let Some(name) = of_raw.get(raw.as_str()) else {
            continue;
        };
        let value = value.map(|value| match value {
            Sent::Truth(value) => Value::Bool(value),
            Sent::Integer(number) => Value::Int(number),
            Sent::Number(number) => Value::Double(number),
            Sent::Word(word) => Value::Text(word),
        });
        match value {
            Some(value) => vars.insert((*name).to_owned(), value),
            None => vars.remove(*name),
        };
        match read::optional_time("variables.since", since)? {
            Some(time) => times.insert((*name).to_owned(), time.as_millisecond()),
            None => times.remove(*name),
        };
    }
    Ok((vars, times))
}

/// The fallback of a plan, which its step allows.
fn planned(
    procedure: &HelpedProcedure,
    step: Option<&ProcedureStep>,
    fallback: ProcedureHelp,
) -> Read<help::Help> {
    let impossible = |field: &str| {
        let field = format!("plan.fallback.{field}");
        Err(PolicyError::invalid(field, "is one that no plan has"))
    };
    let too_long = |text: &String| text.chars().count() > MOST_FALLBACK_CHARS;
    if too_long(&fallback.message) || !matches!(count_sentences(&fallback.message), 1..=2) {
        return impossible("message");
    }
    let explanations = &fallback.explanations;
    if explanations.len() > help::MOST_EXPLANATIONS || explanations.iter().any(too_long) {
        return impossible("explanations");
    }
    let highlight = fallback.highlight.map(|target| target.target);
    let scope = step.map(|step| procedure.scope(step)).unwrap_or_default();
    if let Some(id) = &highlight
        && !scope.iter().any(|target| target.id == *id)
    {
        return impossible("highlight");
    }
    Ok(help::Help {
        message: fallback.message,
        highlight,
        explanations: fallback.explanations,
    })
}

fn summary(procedure: &HelpedProcedure, step: &ProcedureStep) -> ProcedureStepSummary {
    let mut phases = procedure.procedure().phases.iter();
    let phase = phases.find(|phase| phase.id == step.phase);
    ProcedureStepSummary {
        step_id: step.id.clone(),
        phase: phase.map(|phase| phase.title.clone()).unwrap_or_default(),
        official_step: step.official_step.clone(),
        short_explanation: step.short_explanation.clone(),
        tutor_prompts: step.tutor_prompts.clone(),
    }
}

fn target(target: &UiTarget) -> ProcedureTarget {
    ProcedureTarget {
        target: target.id.clone(),
        element_id: target.element.clone(),
        label: target.label.clone(),
    }
}

/// Help as it is sent; the element of what it highlights is the procedure's.
fn written(procedure: &HelpedProcedure, help: help::Help) -> ProcedureHelp {
    let highlight = help
        .highlight
        .and_then(|id| procedure.procedure().target(&id));
    ProcedureHelp {
        message: help.message,
        highlight: highlight.map(target),
        explanations: help.explanations,
    }
}
