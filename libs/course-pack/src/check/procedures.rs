//! Procedures: gates are read and analysed, targets looked up, and every step must be one that can be reached.

use turnwise_gates::{Answer, Gate, Truth, Var, can_be};

use crate::draft::{Draft, ProcedureDraft, ScriptDraft, StepDraft};
use crate::fault::{Faults, Sink};
use crate::fields::{Located, shorten};
use crate::procedure::{MAX_STEPS, Procedure, ProcedureStep, UiTarget};

/// Makes the procedures, as far as they could be read; whatever is wrong with them is noted.
pub(crate) fn procedures(draft: &Draft<'_>, faults: &mut Faults) -> Vec<Procedure> {
    let course_locale = draft.course.as_ref().map(|course| &course.course.locale);
    let made = draft.procedures.iter().filter_map(|(id, parts)| {
        let script = parts.script.as_ref()?;
        let sink = &mut Sink::new(script.file, faults);
        let steps = steps(script, parts, sink);
        reachable(&script.steps, &steps, sink);
        for unit in &script.units {
            let is_there = draft.units.iter().any(|known| known.unit.id == unit.value);
            if !is_there && !draft.units_incomplete {
                sink.add(
                    unit.line,
                    format!("`{}` is no unit of the course", shorten(&unit.value)),
                    "correct the id, or remove it from `units`",
                );
            }
        }
        Some(Procedure {
            id: id.clone(),
            title: script.title.clone(),
            locale: (script.locale.as_ref().or(course_locale).cloned()).unwrap_or_default(),
            contract_version: script.contract_version.clone(),
            units: script.units.iter().map(|unit| unit.value.clone()).collect(),
            phases: script.phases.clone(),
            steps: steps.into_iter().flatten().collect(),
            telemetry: parts.telemetry.clone().unwrap_or_default(),
            targets: parts.targets.clone().unwrap_or_default(),
        })
    });
    made.collect()
}

/// The steps, each if its gates are in order.
fn steps(
    script: &ScriptDraft<'_>,
    parts: &ProcedureDraft<'_>,
    sink: &mut Sink<'_>,
) -> Vec<Option<ProcedureStep>> {
    let telemetry = parts.telemetry.as_ref();
    let vars: Option<Vec<Var>> =
        telemetry.map(|vars| vars.iter().map(|entry| entry.var.clone()).collect());
    let read = |text: &Option<Located<String>>, key: &str, step: &str, sink: &mut Sink<'_>| {
        gate(text.as_ref()?, key, step, vars.as_ref()?, sink)
    };
    let step = |step: &StepDraft| {
        let id = &step.id.value;
        let entry = read(&step.entry, "entry", id, sink);
        let completion = read(&step.completion, "completion", id, sink);
        let named = step
            .target
            .iter()
            .chain(step.allowed_targets.iter().flatten());
        for target in named {
            known(target, parts.targets.as_deref(), sink);
        }
        if entry.is_none() && step.entry.is_some() {
            return None;
        }
        Some(ProcedureStep {
            id: id.clone(),
            phase: step.phase.clone(),
            official_step: step.official_step.clone(),
            short_explanation: step.short_explanation.clone(),
            tutor_prompts: step.tutor_prompts.clone(),
            entry,
            completion: completion?,
            target: step.target.as_ref().map(|target| target.value.clone()),
            allowed_targets: in_scope(step, script, parts.targets.as_deref().unwrap_or_default()),
            settle_ms: step.settle_ms,
        })
    };
    script.steps.iter().map(step).collect()
}

/// The gate, if it is one that holds at some times and not at others.
fn gate(
    text: &Located<String>,
    key: &str,
    step: &str,
    vars: &[Var],
    sink: &mut Sink<'_>,
) -> Option<Gate> {
    let gate = match Gate::parse(&text.value, vars) {
        Ok(gate) => gate,
        Err(error) => {
            sink.add(
                text.line,
                format!("the `{key}` gate of the step `{step}`, {}", shorten_long(&error.to_string())),
                "write conditions over the variables of telemetry.yaml, as in `vars.ph >= 7.0 && !vars.tap_open`",
            );
            return None;
        }
    };
    let (says, remedy) = match gate.truth() {
        Truth::Sometimes => return Some(gate),
        Truth::Undecided => {
            sink.warn(
                text.line,
                format!("it cannot be decided whether the `{key}` gate of the step `{step}` holds at some times only"),
                "write it more simply, or make sure by hand",
            );
            return Some(gate);
        }
        Truth::Never => ("never holds", "correct it, or the ranges and values"),
        Truth::Always if key == "entry" => (
            "always holds",
            "remove it, or correct the ranges and values",
        ),
        Truth::Always => ("always holds", "correct it, or the ranges and values"),
    };
    sink.add(
        text.line,
        format!("the `{key}` gate of the step `{step}` {says} within the ranges and values of telemetry.yaml"),
        format!("{remedy} of its variables"),
    );
    None
}

/// A text for a message, cut where it would fill the screen.
fn shorten_long(text: &str) -> String {
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn known(target: &Located<String>, targets: Option<&[UiTarget]>, sink: &mut Sink<'_>) {
    let Some(targets) = targets else { return };
    if !targets.iter().any(|known| known.id == target.value) {
        sink.add(
            target.line,
            format!("the target `{}` has no element", shorten(&target.value)),
            "correct it, or add it in ui.yaml",
        );
    }
}

/// The targets of a step in the map's order: its own, and those that it allows or, if it says nothing, those of its phase.
fn in_scope(step: &StepDraft, script: &ScriptDraft<'_>, targets: &[UiTarget]) -> Vec<String> {
    let allowed = |id: &str| {
        let is_it = |target: &Located<String>| target.value == id;
        let of_phase = || {
            let steps = script
                .steps
                .iter()
                .filter(|other| other.phase == step.phase);
            steps.flat_map(|other| &other.target).any(is_it)
        };
        let more = match &step.allowed_targets {
            Some(allowed) => allowed.iter().any(is_it),
            None => of_phase(),
        };
        more || step.target.as_ref().is_some_and(is_it)
    };
    let ids = targets.iter().map(|target| target.id.clone());
    ids.filter(|id| allowed(id)).collect()
}

/// Notes the first step that cannot be reached, or of which that cannot be decided: a step is due while all before it are
/// complete and it is not.
fn reachable(drafts: &[StepDraft], steps: &[Option<ProcedureStep>], sink: &mut Sink<'_>) {
    if steps.len() > MAX_STEPS {
        return;
    }
    let mut before = Vec::with_capacity(steps.len());
    for (draft, step) in drafts.iter().zip(steps) {
        // Of a step that is not in order nothing can be said, and of those behind it neither.
        let Some(step) = step else { return };
        let (id, line) = (&step.id, draft.id.line);
        let remedy = "gates are about how things are, not about what was once done: correct them, or the order of the steps";
        match can_be(&before, &[&step.completion]) {
            Answer::No => {
                let message = format!(
                    "the step `{id}` is never reached: it is complete whenever those before it are"
                );
                return sink.add(line, message, remedy);
            }
            Answer::Unknown => return undecided(id, line, sink),
            Answer::Yes => {
                let entered: Vec<&Gate> = before.iter().copied().chain(&step.entry).collect();
                match can_be(&entered, &[&step.completion]) {
                    Answer::No => {
                        let message = format!(
                            "the step `{id}` can never be begun: its entry gate does not hold while those before it are \
                             complete and it is not"
                        );
                        sink.add(line, message, remedy);
                    }
                    Answer::Unknown => return undecided(id, line, sink),
                    Answer::Yes => {}
                }
            }
        }
        before.push(&step.completion);
        match can_be(&before, &[]) {
            Answer::No => {
                let message = format!(
                    "nothing behind the step `{id}` is ever reached: it and those before it cannot all be complete at once"
                );
                return sink.add(line, message, remedy);
            }
            Answer::Unknown => return undecided(id, line, sink),
            Answer::Yes => {}
        }
    }
}

fn undecided(id: &str, line: usize, sink: &mut Sink<'_>) {
    sink.warn(
        line,
        format!("it cannot be decided whether the step `{id}` can be reached, begun and completed"),
        "write the gates more simply, or make sure by hand",
    );
}
