//! Third step of a turn: whatever came of the model, a reply that the policy allows.

use std::{borrow::Cow, collections::BTreeSet};

use turnwise_reply_guard::plain_text;

pub use crate::reply::Card;
use crate::{
    buttons::Button,
    course::Course,
    fallback::fallback,
    limits,
    policy::{Policy, PolicyFault},
    reply::LlmReply,
    snapshot::MappedUnit,
    teaching::Situation,
    validate::{Violation, validate},
    words::{Action, FallbackReason, StudentIntent, UnderstandingSignal},
};

/// What came of the model.
#[derive(Debug, Clone, Copy)]
pub enum Outcome<'a> {
    /// What it wrote: any bytes.
    Completion(&'a [u8]),
    /// Why it wrote nothing.
    Failure(FallbackReason),
}

/// A reply that the policy allows, and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    /// What the reply does.
    pub action: Action,
    /// What it is about.
    pub target_unit_id: String,
    /// What the tutor says.
    pub text: String,
    /// What stands below; `None` with a Socratic question, and where the course has no drill to set.
    pub card: Option<Card>,
    /// The ready-made drill that the card shows, whoever wrote it down; `None` for another drill and other cards.
    pub drill_id: Option<String>,
    /// What may be pressed on the card, the primary button first; none without a card.
    pub card_buttons: Vec<Button>,
    /// Why this is a fallback; `None` if it is the model's own reply.
    pub fallback_reason: Option<FallbackReason>,
    /// What was wrong with the model's reply; holds no text of the model's.
    pub violation: Option<String>,
    /// What the model made of the message; `None` in a fallback.
    pub analysis: Option<Analysis>,
    /// Things worth counting that are no fault.
    pub observations: Vec<Observation>,
}

impl Resolution {
    /// Whether the words are the model's own and not a fallback's.
    #[must_use]
    pub fn is_models_own(&self) -> bool {
        self.fallback_reason.is_none()
    }
}

/// What a model made of a message. Units outside the course are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The units that it saw in the message.
    pub mapped_units: Vec<MappedUnit>,
    /// What the student wants.
    pub student_intent: StudentIntent,
    /// How sure the student sounds.
    pub understanding_signal: UnderstandingSignal,
    /// Units that it would look at first.
    pub suggested_prereq_units: Vec<String>,
}

/// Something worth counting that is no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observation {
    /// A prerequisite is missing and the reply is about another unit.
    TargetNotBlocker,
    /// A Socratic reply asks two questions.
    TwoQuestions,
    /// A model's drill cannot be graded by mathematics, so one of the course's stands for it.
    DrillNotCheckable,
    /// A model's drill repeats one that counted, so one of the course's stands for it.
    DrillRepeated,
}

impl Observation {
    /// The name that logs and metrics use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TargetNotBlocker => "target_not_blocker",
            Self::TwoQuestions => "two_questions",
            Self::DrillNotCheckable => "drill_not_checkable",
            Self::DrillRepeated => "drill_repeated",
        }
    }
}

/// Makes the reply of a turn of which nothing is known: see [`resolve_in`].
pub fn resolve(
    course: &Course,
    policy: &Policy,
    outcome: Outcome<'_>,
) -> Result<Resolution, PolicyFault> {
    resolve_in(course, policy, Situation::default, outcome)
}

/// Makes the reply: the model's own if it is valid, otherwise the fallback, which alone asks for the situation. Refuses only a
/// policy that no decision makes.
pub fn resolve_in<'a>(
    course: &Course,
    policy: &Policy,
    situation: impl FnOnce() -> Situation<'a>,
    outcome: Outcome<'_>,
) -> Result<Resolution, PolicyFault> {
    policy.check(course)?;
    let verdict = match outcome {
        Outcome::Completion(bytes) => validate(course, policy, bytes),
        Outcome::Failure(reason) => Err(Violation {
            reason,
            detail: String::new(),
        }),
    };
    Ok(match verdict {
        Ok(reply) => Resolution {
            analysis: Some(analysis(course, &reply)),
            observations: observations(policy, &reply),
            ..resolution(course, policy, plain(course, reply))
        },
        Err(violation) => Resolution {
            fallback_reason: Some(violation.reason),
            violation: Some(violation.detail).filter(|detail| !detail.is_empty()),
            ..resolution(course, policy, fallback(course, policy, &situation()))
        },
    })
}

/// A model's reply with plain texts. A ready-made drill keeps its words, and formulas are no prose.
fn plain(course: &Course, mut reply: LlmReply) -> LlmReply {
    let mut texts = vec![&mut reply.tutor_text];
    if let Some(concept) = &mut reply.concept_card {
        texts.extend(&mut concept.key_ideas);
    }
    let target = course.find(&reply.target_unit_id).map(|at| course.unit(at));
    if let Some(drill) = &mut reply.drill_card
        && target.is_none_or(|unit| {
            unit.drill_like(&drill.prompt, &drill.question_latex)
                .is_none()
        })
    {
        texts.push(&mut drill.prompt);
    }
    for text in texts {
        if let Cow::Owned(plain) = plain_text(text) {
            *text = plain;
        }
    }
    reply
}

/// The part of a reply that the student sees.
pub(crate) fn resolution(course: &Course, policy: &Policy, reply: LlmReply) -> Resolution {
    let written = reply.card();
    let card = written.and_then(|card| card.shown(course));
    let card_buttons = written.map_or_else(Vec::new, |card| {
        card.buttons(course, policy, &reply.target_unit_id)
    });
    let target = course.find(&reply.target_unit_id).map(|at| course.unit(at));
    let drill_id = match (&card, target) {
        (Some(Card::Drill(drill)), Some(unit)) => unit
            .drill_like(&drill.prompt, &drill.question_latex)
            .map(|drill| drill.id.clone()),
        _ => None,
    };
    Resolution {
        drill_id,
        card_buttons,
        action: reply.action,
        target_unit_id: reply.target_unit_id,
        text: reply.tutor_text.trim().to_owned(),
        card,
        fallback_reason: None,
        violation: None,
        analysis: None,
        observations: Vec::new(),
    }
}

fn analysis(course: &Course, reply: &LlmReply) -> Analysis {
    let known = |id: &String, seen: &mut BTreeSet<String>| {
        course.find(id).is_some() && seen.insert(id.clone())
    };
    let mut mapped = BTreeSet::new();
    let mut suggested = BTreeSet::new();
    Analysis {
        mapped_units: reply
            .mapped_units
            .iter()
            .filter(|unit| known(&unit.unit_id, &mut mapped))
            .map(|unit| MappedUnit {
                unit_id: unit.unit_id.clone(),
                confidence: unit.confidence,
            })
            .collect(),
        student_intent: reply.turn_analysis.student_intent,
        understanding_signal: reply.turn_analysis.understanding_signal,
        suggested_prereq_units: reply
            .turn_analysis
            .suggested_prereq_units
            .iter()
            .filter(|id| known(id, &mut suggested))
            .cloned()
            .collect(),
    }
}

fn observations(policy: &Policy, reply: &LlmReply) -> Vec<Observation> {
    let mut observations = Vec::new();
    if policy
        .prereq_blocking_unit_id
        .as_ref()
        .is_some_and(|blocker| *blocker != reply.target_unit_id)
    {
        observations.push(Observation::TargetNotBlocker);
    }
    if reply.action == Action::SocraticQuestion
        && limits::question_marks(&reply.tutor_text) == limits::MOST_QUESTIONS
    {
        observations.push(Observation::TwoQuestions);
    }
    observations
}
