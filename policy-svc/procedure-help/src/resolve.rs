//! Any bytes in: the model's help if it is valid, otherwise the plan's.

use serde::Deserialize;
use serde_json::{Map, Value};
use turnwise_course_pack::ProcedureStep;
use turnwise_decisions::{FallbackReason, json, limits, validate};
use turnwise_reply_guard::{Context, Form, Guard, Met, Reason, Spoken, Text, form_fault};

use crate::{HelpedProcedure, plan::Help, rules::Rules, sentences};

/// The most sentences of a message.
pub(crate) const MOST_SENTENCES: usize = 2;
/// The most characters of a message, and of an explanation.
pub const MOST_MESSAGE_CHARS: usize = 600;
/// The most explanations.
pub const MOST_EXPLANATIONS: usize = 3;

/// What came of the model.
#[derive(Debug, Clone, Copy)]
pub enum Outcome<'a> {
    /// What it wrote.
    Completion(&'a [u8]),
    /// Why it wrote nothing.
    Failure(FallbackReason),
}

/// Whose words help is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The model's, valid and sure; or that the procedure is finished.
    Ok,
    /// The plan's; or the model's, valid, and the model says that it is unsure.
    Fallback,
}

/// Help that a plan allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// Whose words it is.
    pub status: Status,
    /// What the student gets. What it highlights is in the step's scope.
    pub help: Help,
    /// Why the plan's help is given.
    pub reason: Option<FallbackReason>,
    /// What was wrong, for the log, without a text of the model's.
    pub violation: Option<String>,
    /// What the model's words were refused for.
    pub flags: Vec<&'static str>,
    /// Whether the model wanted to do to the simulator or page what it may not.
    pub overlay_refused: bool,
    /// Those of the context's hashes that the model's words hold.
    pub met: Met,
}

/// A model's output, without its overlay.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Output {
    status: OutputStatus,
    step_id: String,
    message: String,
    #[serde(default)]
    explanations: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OutputStatus {
    Ok,
    /// The model is unsure.
    Fallback,
    Error,
}

/// What is wrong with an output.
struct Refusal {
    reason: FallbackReason,
    detail: String,
    flags: Vec<&'static str>,
}

impl Refusal {
    fn new(reason: FallbackReason, detail: impl Into<String>) -> Self {
        Self {
            reason,
            detail: detail.into(),
            flags: Vec::new(),
        }
    }
}

impl HelpedProcedure {
    /// Makes help of whatever came of the model. `step` is the plan's, none if the procedure is finished, and `fallback` the
    /// plan's help. Whatever they are, the result highlights a target in the step's scope or nothing.
    #[must_use]
    pub fn resolve(
        &self,
        step: Option<&ProcedureStep>,
        fallback: Help,
        outcome: Outcome<'_>,
        rules: &Rules,
        guard: &Guard,
        context: &Context<'_>,
    ) -> Resolution {
        let mut met = Met::default();
        let refusal = match (step, outcome) {
            // Nothing is left to say, whatever a model said.
            (None, _) => None,
            (_, Outcome::Failure(reason)) => Some(Refusal {
                reason,
                detail: String::new(),
                flags: Vec::new(),
            }),
            (Some(step), Outcome::Completion(bytes)) => {
                match self.read(step, bytes, rules, guard, context, &mut met) {
                    Err(refusal) => Some(refusal),
                    Ok((status, help)) => {
                        return Resolution {
                            status,
                            help,
                            reason: None,
                            violation: None,
                            flags: Vec::new(),
                            overlay_refused: false,
                            met,
                        };
                    }
                }
            }
        };
        let status = match refusal {
            None => Status::Ok,
            Some(_) => Status::Fallback,
        };
        let reason = refusal.as_ref().map(|refusal| refusal.reason);
        let (violation, flags) = refusal
            .map(|refusal| (refusal.detail, refusal.flags))
            .unwrap_or_default();
        let highlight = fallback.highlight.filter(|id| {
            let scope = step.map(|step| self.scope(step)).unwrap_or_default();
            scope.iter().any(|target| target.id == *id)
        });
        Resolution {
            status,
            help: Help {
                highlight,
                ..fallback
            },
            reason,
            violation: Some(violation).filter(|violation| !violation.is_empty()),
            flags,
            overlay_refused: reason == Some(FallbackReason::OverlayNotAllowed),
            met,
        }
    }

    /// The help in a model's output.
    fn read(
        &self,
        step: &ProcedureStep,
        bytes: &[u8],
        rules: &Rules,
        guard: &Guard,
        context: &Context<'_>,
        met: &mut Met,
    ) -> Result<(Status, Help), Refusal> {
        let mut object = json::read_object(bytes).map_err(|fault| {
            let violation = validate::json_violation(fault);
            Refusal::new(violation.reason, violation.detail)
        })?;
        let highlight = self.highlight(step, &mut object)?;
        let output: Output = serde_json::from_value(Value::Object(object)).map_err(|_| {
            let detail = "does not have the contract's keys and types";
            Refusal::new(FallbackReason::SchemaViolation, detail)
        })?;
        if output.status == OutputStatus::Error {
            return Err(Refusal::new(FallbackReason::LlmError, "status"));
        }
        if output.step_id != step.id {
            return Err(Refusal::new(FallbackReason::SchemaViolation, "step_id"));
        }
        check_form(&output)?;
        let texts: Vec<&str> = [&output.message]
            .into_iter()
            .chain(&output.explanations)
            .map(String::as_str)
            .collect();
        let mut flags = self.known.flags(&texts, rules);
        // What the course itself says is no harm, whatever it is about; how it is written is looked at all the same.
        let others = |text: &&str| -> String {
            let sentences = sentences::split(text).into_iter();
            sentences
                .filter(|sentence| !self.known.says(sentence))
                .collect()
        };
        let others: Vec<String> = texts.iter().map(others).collect();
        let said: Vec<Text<'_>> = others
            .iter()
            .map(|text| Text {
                text,
                form: Form::Prose,
            })
            .collect();
        let form_fault = texts.iter().find_map(|text| form_fault(text, Form::Prose));
        let verdict = guard.judge(
            &Spoken {
                texts: &said,
                exercise: None,
                example: None,
            },
            context,
        );
        *met = verdict.met;
        flags.extend(form_fault.or(verdict.withheld).map(Reason::as_str));
        if !flags.is_empty() {
            let is_false = flags == [Reason::FalseMathematics.as_str()];
            return Err(Refusal {
                reason: match is_false {
                    true => FallbackReason::FalseMathematics,
                    false => FallbackReason::UnsafeMessage,
                },
                detail: flags.join(", "),
                flags,
            });
        }
        let help = |highlight| Help {
            message: output.message.trim().to_owned(),
            highlight,
            explanations: output.explanations,
        };
        Ok(match output.status {
            // One that is unsure points at nothing.
            OutputStatus::Fallback => (Status::Fallback, help(None)),
            _ => (Status::Ok, help(highlight)),
        })
    }

    /// The target that an output highlights; takes the overlay out of it.
    fn highlight(
        &self,
        step: &ProcedureStep,
        output: &mut Map<String, Value>,
    ) -> Result<Option<String>, Refusal> {
        let overlay = match output.remove("overlay") {
            None | Some(Value::Null) => return Ok(None),
            Some(overlay) => overlay,
        };
        let refused = |detail| Refusal::new(FallbackReason::OverlayNotAllowed, detail);
        let keys = overlay.as_object().filter(|keys| keys.len() == 2);
        let keys = keys.ok_or_else(|| refused("overlay is not intent and target"))?;
        if keys.get("intent").and_then(Value::as_str) != Some("highlight") {
            return Err(refused("overlay.intent"));
        }
        let named = keys.get("target").and_then(Value::as_str);
        let scope = self.scope(step);
        let target = scope.iter().find(|target| named == Some(&target.id));
        let target = target.ok_or_else(|| refused("overlay.target"))?;
        Ok(Some(target.id.clone()))
    }
}

/// Checks how long the texts are, and that they say something.
fn check_form(output: &Output) -> Result<(), Refusal> {
    let exceeded = |detail| Err(Refusal::new(FallbackReason::LimitsExceeded, detail));
    if output.explanations.len() > MOST_EXPLANATIONS {
        return exceeded("more than 3 explanations");
    }
    match sentences::count(&output.message) {
        0 => return Err(Refusal::new(FallbackReason::EmptyMessage, "message")),
        1..=MOST_SENTENCES => {}
        _ => return exceeded("more than 2 sentences"),
    }
    for text in [&output.message].into_iter().chain(&output.explanations) {
        if text.chars().count() > MOST_MESSAGE_CHARS {
            return exceeded("more than 600 characters");
        }
        if limits::has_control_characters(text) {
            let detail = "control characters";
            return Err(Refusal::new(FallbackReason::SchemaViolation, detail));
        }
        if sentences::count(text) == 0 {
            return Err(Refusal::new(
                FallbackReason::SchemaViolation,
                "an explanation is blank",
            ));
        }
    }
    Ok(())
}
