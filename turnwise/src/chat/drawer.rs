//! The debug drawer: why a turn went as it did, for staff. A student never sees it, since it takes a staff token.

use std::{fmt::Write, path::Path, time::Duration};

use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{
        ExplainTurnRequest, ExplainTurnResponse, TurnFacts, TurnRecord,
        explain_service_client::ExplainServiceClient,
    },
    policy::v1::{Explanation, UnitExplanation},
    tutor::v1::{DegradedReason, MasteryTier},
};

use crate::{
    client::{ConnectArgs, EndpointArgs},
    edge::{lower, tier},
    render::{
        Ink,
        ink::{WIDTH, line, wrap},
        standing::time,
    },
    wire,
};

/// How long a look may take.
const LOOK: Duration = Duration::from_secs(30);
/// Columns of a row's name.
const NAME: usize = 11;

/// How the drawer is opened.
pub struct Access<'a> {
    /// Whose turns they are, and where the suite is.
    pub connect: &'a ConnectArgs,
    /// A file with a staff token.
    pub staff_token_file: Option<&'a Path>,
}

impl Access<'_> {
    /// What stands in the drawer of a turn: text, or its policy as JSON.
    ///
    /// # Errors
    ///
    /// What the suite refuses. Where there is no token to ask with, the text says so.
    pub async fn open(&self, turn_id: &str, json: bool, ink: Ink) -> Result<String, Fault> {
        let endpoint = EndpointArgs {
            token_file: self.staff_token_file.map(Path::to_owned),
            ..self.connect.endpoint.clone()
        };
        let explained = match explain(&endpoint, &self.connect.student, turn_id).await {
            Ok(explained) => explained?,
            Err(no_token) => {
                let text = format!(
                    "The drawer is for staff, and there is no staff token: give a file with one by --staff-token-file, or \
                     the data directory of your `turnwise up` by --data-dir. ({no_token:#})"
                );
                return Ok(wrap(&text, WIDTH - 2)
                    .iter()
                    .map(|line| format!("  {line}\n"))
                    .collect());
            }
        };
        if json {
            let policy = explained
                .record
                .and_then(|record| record.facts)
                .and_then(|facts| facts.policy);
            return Ok(match policy {
                Some(policy) => {
                    wire::to_json("turnwise.policy.v1.Policy", &policy)
                        .map_err(|error| Fault::new(ErrorReason::Internal, error.to_string()))?
                        + "\n"
                }
                None => "  This turn had no policy.\n".to_owned(),
            });
        }
        Ok(drawer(&explained, ink))
    }
}

/// Asks why a turn went as it did. The outer error says that there is no token to ask with.
pub(crate) async fn explain(
    endpoint: &EndpointArgs,
    student_id: &str,
    turn_id: &str,
) -> anyhow::Result<Result<ExplainTurnResponse, Fault>> {
    let authorization = endpoint.authorization("staff", "turnwise-explain", &[])?;
    let mut client = ExplainServiceClient::new(endpoint.channel()?);
    let mut request = CallContext::background(None, LOOK).request(ExplainTurnRequest {
        student_id: student_id.to_owned(),
        turn_id: turn_id.to_owned(),
    });
    request
        .metadata_mut()
        .insert("authorization", authorization);
    let answer = client.explain_turn(request).await;
    Ok(answer
        .map(tonic::Response::into_inner)
        .map_err(|status| Fault::from_status(&status)))
}

/// The drawer as text.
pub fn drawer(explained: &ExplainTurnResponse, ink: Ink) -> String {
    let none = TurnRecord::default();
    let record = explained.record.as_ref().unwrap_or(&none);
    let Some(facts) = &record.facts else {
        return "  Nothing is kept of this turn.\n".to_owned();
    };
    let mut out = Drawer {
        out: String::new(),
        ink,
    };
    out.head(&format!("why · turn {}", line(&facts.turn_id)));
    match &explained.explanation {
        Some(explanation) => reasons(&mut out, explanation),
        None => out.row(
            "reasons",
            "not to be had: the policy was not asked, or no longer holds this version of the course",
        ),
    }
    policy(&mut out, facts);
    scores(&mut out, facts);
    standing(&mut out, facts);
    verdict(&mut out, facts);
    found(&mut out, facts);
    calls(&mut out, facts);
    if record.texts.is_none() {
        out.row("texts", "erased; this turn cannot be replayed");
    }
    out.out
}

struct Drawer {
    out: String,
    ink: Ink,
}

impl Drawer {
    fn head(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {}", self.ink.strong(text));
    }

    /// A name and what there is to say of it. Nothing is said of what is empty.
    fn row(&mut self, name: &str, text: &str) {
        let mut name = name;
        for text in wrap(text, WIDTH - NAME - 4) {
            let head = self.ink.faint(&format!("{name:<NAME$}"));
            let _ = writeln!(self.out, "  {head} {text}");
            name = "";
        }
    }

    fn list<'t>(&mut self, name: &str, texts: impl IntoIterator<Item = &'t String>) {
        let texts: Vec<String> = texts.into_iter().map(|text| line(text)).collect();
        self.row(name, &texts.join(", "));
    }
}

fn reasons(out: &mut Drawer, explanation: &Explanation) {
    let unit = |out: &mut Drawer, name: &str, unit: Option<&UnitExplanation>| {
        let Some(unit) = unit else { return };
        let named = if unit.unit_id.is_empty() {
            "none".to_owned()
        } else {
            line(&unit.unit_id)
        };
        out.row(name, &format!("{named}. {}", line(&unit.text)));
    };
    unit(out, "target", explanation.target.as_ref());
    unit(out, "focus", explanation.focus.as_ref());
    unit(out, "first", explanation.prereq_nudge.as_ref());
    unit(out, "next", explanation.next_unit.as_ref());
    for action in &explanation.actions {
        let mark = if action.allowed {
            "✓ allowed"
        } else {
            "✗ not"
        };
        let name = lower(action.action().as_str_name(), "TUTOR_ACTION_").replace('_', " ");
        let codes: Vec<String> = action
            .reasons
            .iter()
            .map(|reason| lower(reason.code().as_str_name(), "DECISION_REASON_CODE_"))
            .collect();
        out.row(
            mark,
            &format!("{name}. {} [{}]", line(&action.text), codes.join(", ")),
        );
    }
}

fn policy(out: &mut Drawer, facts: &TurnFacts) {
    let Some(policy) = &facts.policy else {
        out.row("policy", "was not asked, or did not answer");
        return;
    };
    let allowed: Vec<String> = policy
        .allowed_actions()
        .map(|action| lower(action.as_str_name(), "TUTOR_ACTION_"))
        .collect();
    out.row("allowed", &allowed.join(", "));
    out.list("scope", &policy.scoped_unit_ids);
    let stuck = if policy.stuck { "stuck" } else { "not stuck" };
    let ready = if policy.exam_ready {
        "ready"
    } else {
        "not ready"
    };
    let availability = lower(
        policy.exam_availability().as_str_name(),
        "EXAM_AVAILABILITY_",
    );
    let next = policy
        .exam_next_eligible_at
        .as_ref()
        .and_then(time)
        .map_or_else(String::new, |at| format!(" until {at}"));
    out.row(
        "exam",
        &format!(
            "{stuck}; {ready}; wants {}; questions: {availability}{next}",
            tier(policy.desired_exam_tier())
        ),
    );
    out.list("candidates", &policy.exam_candidate_ids);
}

fn scores(out: &mut Drawer, facts: &TurnFacts) {
    let mapped: Vec<String> = facts
        .mapped_units
        .iter()
        .map(|unit| format!("{} {:.2}", line(&unit.unit_id), unit.confidence))
        .collect();
    out.row("mapped", &mapped.join(", "));
    let Some(plan) = &facts.plan else { return };
    for (at, unit) in plan.candidates.iter().enumerate() {
        let name = if at == 0 { "scores" } else { "" };
        out.row(
            name,
            &format!(
                "{} {:.3} = intent {:.2}, recency {:.2}, in progress {:.0}, tier {:.2}, drills {:.2}",
                line(&unit.unit_id),
                unit.score,
                unit.intent,
                unit.recency,
                unit.in_progress,
                unit.tier_need,
                unit.drill_evidence
            ),
        );
    }
}

/// Badges of the units in scope, drills on the focus, and what there is to come back to.
fn standing(out: &mut Drawer, facts: &TurnFacts) {
    let evidence = facts
        .snapshot
        .as_ref()
        .and_then(|snapshot| snapshot.evidence.as_ref());
    if let Some(plan) = &facts.plan {
        let badge = |unit: &str| {
            evidence
                .and_then(|evidence| evidence.unit_progress.iter().find(|p| p.unit_id == unit))
                .map_or(MasteryTier::None, |progress| progress.mastery_tier())
        };
        let badges: Vec<String> = plan
            .scoped_unit_ids
            .iter()
            .map(|unit| format!("{} {}", line(unit), tier(badge(unit))))
            .collect();
        out.row("badges", &badges.join(", "));
        if let Some(drills) = &plan.focus_drills {
            out.row(
                "drills",
                &format!(
                    "{} graded on the focus; {} right, {} wrong in a row",
                    drills.attempts, drills.streak_correct, drills.streak_wrong
                ),
            );
        }
        out.list("revisit", &plan.revisit_question_ids);
    }
    let statuses: Vec<String> = facts
        .statuses
        .iter()
        .map(|status| {
            let state = lower(status.state().as_str_name(), "QUESTION_STATE_");
            let until = status
                .locked_until
                .as_ref()
                .and_then(time)
                .map_or_else(String::new, |at| format!(" until {at}"));
            format!("{} {state}{until}", line(&status.question_id))
        })
        .collect();
    out.row("questions", &statuses.join(", "));
    if facts.exam_system_unavailable {
        out.row("questions", "the exam system did not answer");
    }
}

fn verdict(out: &mut Drawer, facts: &TurnFacts) {
    if let Some(finding) = &facts.guardrail_finding {
        let mut text = line(&finding.kind);
        if !finding.model.is_empty() {
            let (score, threshold) = (finding.score, finding.threshold);
            let model = line(&finding.model);
            text.push_str(&format!("; {score:.3} of {threshold:.3} by {model}"));
        }
        if !finding.stopped {
            text.push_str("; uncertain, the turn went on");
        }
        out.row("guardrail", &text);
    } else if !facts.guardrail.is_empty() {
        // A record of before there were findings.
        out.row("guardrail", &line(&facts.guardrail));
    }
    if let Some(verdict) = &facts.verdict {
        let action = lower(verdict.action().as_str_name(), "TUTOR_ACTION_").replace('_', " ");
        let mut text = format!("{action} on {}", line(&verdict.target_unit_id));
        if facts.no_model {
            text.push_str("; the policy's own reply");
        } else if verdict.fallback_reason() == DegradedReason::Unspecified {
            text.push_str("; the model's own reply");
        } else {
            let reason = lower(verdict.fallback_reason().as_str_name(), "DEGRADED_REASON_");
            text.push_str(&format!("; a fallback: {reason}"));
        }
        if !verdict.violation.is_empty() {
            text.push_str(&format!(" ({})", line(&verdict.violation)));
        }
        for (name, id) in [
            ("drill", &verdict.drill_id),
            ("question", &verdict.question_id),
        ] {
            if !id.is_empty() {
                text.push_str(&format!("; {name} {}", line(id)));
            }
        }
        out.row("verdict", &text);
        out.list("observed", &verdict.observations);
    }
    let degraded: Vec<String> = facts
        .degraded_reasons()
        .map(|reason| lower(reason.as_str_name(), "DEGRADED_REASON_"))
        .collect();
    out.row("degraded", &degraded.join(", "));
}

fn found(out: &mut Drawer, facts: &TurnFacts) {
    let chunks: Vec<String> = facts
        .chunks
        .iter()
        .map(|chunk| format!("{} {:.3}", line(&chunk.chunk_id), chunk.score))
        .collect();
    out.row("chunks", &chunks.join(", "));
}

fn calls(out: &mut Drawer, facts: &TurnFacts) {
    if let Some(prompt) = &facts.prompt {
        out.row(
            "prompt",
            &format!(
                "{} of at most {} tokens; {}…, sheets {}…",
                prompt.tokens,
                prompt.max_tokens,
                head(&prompt.hash),
                head(&prompt.sheets_hash)
            ),
        );
    }
    if facts.no_model {
        out.row("model", "none is to be called");
    } else if let Some(call) = &facts.model_call {
        let mut text = if call.model.is_empty() {
            "none answered".to_owned()
        } else {
            format!("{} by {}", line(&call.model), line(&call.backend))
        };
        if call.failure() != DegradedReason::Unspecified {
            let failure = lower(call.failure().as_str_name(), "DEGRADED_REASON_");
            text.push_str(&format!("; {failure}"));
        }
        text.push_str(&format!(
            "; {} tokens in, {} out; {} attempt(s); {} in line, {} in all",
            call.input_tokens,
            call.output_tokens,
            call.attempts,
            span(call.queue_wait.as_ref()),
            span(call.total.as_ref())
        ));
        out.row("model", &text);
    }
    let times: Vec<String> = facts
        .times
        .iter()
        .map(|time| format!("{} {}", line(&time.phase), span(time.took.as_ref())))
        .collect();
    out.row("times", &times.join(", "));
    if facts.incomplete {
        out.row(
            "log",
            "too large to be kept whole; this turn cannot be replayed",
        );
    }
}

/// The beginning of a hash, enough to tell two apart.
fn head(hash: &str) -> String {
    line(hash).chars().take(12).collect()
}

fn span(time: Option<&prost_types::Duration>) -> String {
    match time.and_then(|time| Duration::try_from(*time).ok()) {
        Some(time) if time >= Duration::from_secs(1) => format!("{:.1} s", time.as_secs_f64()),
        Some(time) => format!("{:.1} ms", time.as_secs_f64() * 1000.0),
        None => "?".to_owned(),
    }
}
