//! A turn made again of its record: every request that depends on the record alone is sent again, and every answer is
//! compared with the recorded one, byte for byte.

use std::fmt;

use prost::Message;
use turnwise_kit::{CallContext, Fault, client::GrpcClient, time};
use turnwise_prompts::Sheets;
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{TurnFacts, TurnRecord, TurnTexts},
    policy::v1::{Plan, policy_service_client::PolicyServiceClient},
    tutor::v1::StudentInput,
};

use crate::record;

/// What a replay came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The parts of the turn, in its order.
    pub parts: Vec<Part>,
}

impl Report {
    /// Whether every part that was made again is the recorded one.
    #[must_use]
    pub fn is_same(&self) -> bool {
        !self
            .parts
            .iter()
            .any(|part| matches!(part.outcome, PartOutcome::Differs { .. }))
    }

    /// Whether every part of the turn was made again.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self
            .parts
            .iter()
            .any(|part| matches!(part.outcome, PartOutcome::Skipped(_)))
    }
}

/// A part of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name: `plan`, `policy`, `summary`, `prompt`, `verdict`, `reply`, `snapshot change`.
    pub name: &'static str,
    /// What became of it.
    pub outcome: PartOutcome,
}

/// What became of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartOutcome {
    /// Every byte is the recorded one.
    Same,
    /// Some byte is another.
    Differs {
        /// The first byte that differs, from 0.
        offset: usize,
        /// What the record holds, for people.
        recorded: String,
        /// What was made now.
        replayed: String,
    },
    /// It was not made again, and why.
    Skipped(&'static str),
}

/// Why a turn cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The record is of another kind of conversation.
    #[error("the turn is not the tutor's; only turns of the tutor are replayed")]
    Kind,
    /// The record is empty or was too large to be kept whole.
    #[error("the turn's record was not kept whole; it can be explained, not replayed")]
    Incomplete,
    /// The texts were erased.
    #[error("the turn's texts were erased; without them it cannot be replayed")]
    Erased,
    /// The record's form is another.
    #[error("the record has form {0}; this version reads form 1 to {form}", form = record::FORMAT)]
    Format(i32),
    /// The rules were others.
    #[error(
        "the turn was decided under the rules `{recorded}`; this version has `{current}`: replay it with the version that took it"
    )]
    Semantics {
        /// The recorded rules.
        recorded: String,
        /// This version's.
        current: String,
    },
    /// The course's version is not at hand.
    #[error(
        "the course pack {pack_hash} of `{course_id}` is not at hand: the turn can be explained, not replayed; give the folder that holds this version"
    )]
    Pack {
        /// The course.
        course_id: String,
        /// The version.
        pack_hash: String,
    },
    /// A text that the record names is gone.
    #[error(
        "the record names the text `{id}`, which the course pack {pack_hash} does not hold: the turn can be explained, not replayed"
    )]
    Text {
        /// The unit, chunk or question.
        id: String,
        /// The version.
        pack_hash: String,
    },
    /// The prompt sheets are others.
    #[error(
        "the prompt was made with the sheets {recorded}, and these are {current}: give the folder that holds those"
    )]
    Sheets {
        /// The recorded sheets.
        recorded: String,
        /// Those at hand.
        current: String,
    },
    /// The policy cannot be asked.
    #[error("the policy cannot be asked: {0}")]
    Policy(#[from] Box<Fault>),
    /// A sheet cannot be filled in.
    #[error("a prompt sheet cannot be filled in")]
    Prompt(#[from] turnwise_prompts::RenderError),
}

/// What a replay of a turn without a plan comes to, which asks nobody and needs no course; `None` where there is a plan.
///
/// # Errors
/// The record cannot be replayed.
pub fn without_plan(record: &TurnRecord) -> Result<Option<Report>, ReplayError> {
    let (recorded, _) = kept(record)?;
    Ok(recorded.plan.is_none().then(|| unplanned(recorded)))
}

fn unplanned(recorded: &TurnFacts) -> Report {
    let why = match recorded.guardrail.as_str() {
        "" => undecided(recorded),
        _ => "the message met a guardrail",
    };
    let mut compare = Compare::default();
    compare.skip("plan", why);
    compare.report
}

/// What is kept of a turn that can be replayed.
fn kept(record: &TurnRecord) -> Result<(&TurnFacts, &TurnTexts), ReplayError> {
    if !record::is_of_tutor(record.kind) {
        return Err(ReplayError::Kind);
    }
    let recorded = record.facts.as_ref().ok_or(ReplayError::Incomplete)?;
    if recorded.incomplete {
        return Err(ReplayError::Incomplete);
    }
    if !(1..=record::FORMAT).contains(&recorded.format) {
        return Err(ReplayError::Format(recorded.format));
    }
    let texts = record.texts.as_ref().ok_or(ReplayError::Erased)?;
    Ok((recorded, texts))
}

/// Makes a turn again. The policy must hold the course's version, whose words the record must have by now; `context`
/// carries the deadline of its calls.
pub async fn replay(
    record: &TurnRecord,
    context: &CallContext,
    mut policy: PolicyServiceClient<GrpcClient>,
    sheets: &Sheets,
) -> Result<Report, ReplayError> {
    let (recorded, texts) = kept(record)?;
    let Some(plan) = &recorded.plan else {
        return Ok(unplanned(recorded));
    };
    let mut compare = Compare::default();

    let request = record::plan_request(recorded, texts, &plan.pack_hash);
    let planned = policy
        .plan(context.request(request))
        .await
        .map_err(|status| unasked(&status, recorded, &plan.pack_hash))?
        .into_inner()
        .plan
        .unwrap_or_default();
    if planned.policy_semantics != plan.policy_semantics {
        return Err(ReplayError::Semantics {
            recorded: plan.policy_semantics.clone(),
            current: planned.policy_semantics,
        });
    }
    if let Some(id) = record::without_words(recorded, texts) {
        return Err(ReplayError::Text {
            id: id.to_owned(),
            pack_hash: plan.pack_hash.clone(),
        });
    }
    let planned = Plan {
        // A setting of the policy's, and no decision.
        asks_for_context: plan.asks_for_context,
        ..planned
    };
    compare.messages("plan", plan, &planned);

    // What follows is made of what was made, not of what was recorded: a difference shows where it begins.
    let mut made = TurnFacts {
        plan: Some(planned),
        ..recorded.clone()
    };
    let (Some(policy_recorded), Some(request)) = (&recorded.policy, record::decide_request(&made))
    else {
        compare.skip("policy", undecided(recorded));
        return Ok(compare.report);
    };
    let decided = policy
        .decide(context.request(request))
        .await
        .map_err(|status| unasked(&status, recorded, &plan.pack_hash))?
        .into_inner();
    let decided_policy = decided.policy.unwrap_or_default();
    compare.messages("policy", policy_recorded, &decided_policy);
    let summary = decided.summary.unwrap_or_default();
    compare.messages(
        "summary",
        &recorded.summary.clone().unwrap_or_default(),
        &summary,
    );
    made.policy = Some(decided_policy);
    made.summary = Some(summary);
    prompt(&mut compare, recorded, &made, texts, sheets)?;

    let met = recorded.met.clone().unwrap_or_default();
    let (Some(verdict), Some(request)) = (
        &recorded.verdict,
        record::resolve_request(&made, texts, met),
    ) else {
        compare.skip("verdict", "the policy did not answer");
        return Ok(compare.report);
    };
    let resolved = policy
        .resolve_reply(context.request(request))
        .await
        .map_err(|status| unasked(&status, recorded, &plan.pack_hash))?
        .into_inner();
    compare.messages("verdict", verdict, &record::verdict(&resolved));
    compare.messages(
        "reply",
        &texts.reply.clone().unwrap_or_default(),
        &resolved.reply.clone().unwrap_or_default(),
    );
    let at = recorded
        .turn_state
        .as_ref()
        .and_then(|state| time::from_proto(state.last_turn_at.as_ref()?))
        .unwrap_or_default();
    compare.messages(
        "snapshot change",
        &recorded.turn_state.clone().unwrap_or_default(),
        &record::turn_state(&made, &resolved, at).unwrap_or_default(),
    );
    Ok(compare.report)
}

/// Why a turn has no decision, or none of a kind.
fn undecided(recorded: &TurnFacts) -> &'static str {
    match (&recorded.clarification, &recorded.context) {
        (Some(_), _) => "a question was asked",
        (None, Some(context)) if context.opened && context.slots.is_empty() => {
            "the message is answered later"
        }
        (None, Some(context)) if context.opened => "the message waits for what its answer needs",
        (None, Some(context)) if context.apology => "what the answer needs was not supplied",
        (None, _) => "the policy did not answer",
    }
}

fn prompt(
    compare: &mut Compare,
    recorded: &TurnFacts,
    made: &TurnFacts,
    texts: &TurnTexts,
    sheets: &Sheets,
) -> Result<(), ReplayError> {
    // Where no model was to be called, nothing was asked of one.
    if recorded.no_model {
        return Ok(());
    }
    let no_input = StudentInput::default();
    let (Some(identity), Some(prompt)) = (
        &recorded.prompt,
        record::turn_prompt(made, texts, &no_input),
    ) else {
        compare.skip("prompt", "there was none");
        return Ok(());
    };
    if identity.sheets_hash != sheets.hash() {
        return Err(ReplayError::Sheets {
            recorded: identity.sheets_hash.clone(),
            current: sheets.hash().to_owned(),
        });
    }
    let max_tokens = usize::try_from(identity.max_tokens).unwrap_or_default();
    let rendered = sheets.turn(record::locale(made), &prompt, max_tokens)?;
    compare.texts("prompt", &identity.hash, &rendered.hash);
    Ok(())
}

fn unasked(status: &tonic::Status, facts: &TurnFacts, pack_hash: &str) -> ReplayError {
    let fault = Fault::from_status(status);
    match fault.reason() {
        ErrorReason::UnknownPackVersion | ErrorReason::UnknownCourse => ReplayError::Pack {
            course_id: facts.course_id.clone(),
            pack_hash: pack_hash.to_owned(),
        },
        _ => ReplayError::Policy(Box::new(fault)),
    }
}

#[derive(Default)]
struct Compare {
    report: Report,
}

impl Compare {
    fn messages<M: Message + fmt::Debug>(&mut self, name: &'static str, recorded: &M, made: &M) {
        let (a, b) = (recorded.encode_to_vec(), made.encode_to_vec());
        let outcome = match first_difference(&a, &b) {
            None => PartOutcome::Same,
            Some(offset) => PartOutcome::Differs {
                offset,
                recorded: format!("{recorded:#?}"),
                replayed: format!("{made:#?}"),
            },
        };
        self.report.parts.push(Part { name, outcome });
    }

    fn texts(&mut self, name: &'static str, recorded: &str, made: &str) {
        let outcome = match first_difference(recorded.as_bytes(), made.as_bytes()) {
            None => PartOutcome::Same,
            Some(offset) => PartOutcome::Differs {
                offset,
                recorded: recorded.to_owned(),
                replayed: made.to_owned(),
            },
        };
        self.report.parts.push(Part { name, outcome });
    }

    fn skip(&mut self, name: &'static str, why: &'static str) {
        let outcome = PartOutcome::Skipped(why);
        self.report.parts.push(Part { name, outcome });
    }
}

fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    (common < a.len() || common < b.len()).then_some(common)
}
