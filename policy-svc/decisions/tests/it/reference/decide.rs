//! What is allowed in a turn, once the exam system has answered.

use jiff::Timestamp;
use turnwise_decisions::{Action, Availability, CourseSpec, Event, EventKind, QuestionState, Tier};

use super::{add_once, plan::Plan, record::World, standing::Word};

/// What the exam system and retrieval said.
#[derive(Debug, Clone, Copy)]
pub struct ExamAnswer<'a> {
    /// In retrieval's order.
    pub retrieved: &'a [String],
    /// Everything that the exam system said, one word after the other.
    pub words: &'a [(String, Word)],
    pub unavailable: bool,
}

impl ExamAnswer<'_> {
    /// Of several words on one question the most restrictive counts: passed, then locked, then available; of two locks
    /// the one that ends later, and one without an end ends last. An exam system that did not answer said nothing.
    pub fn word(&self, question: &str) -> Option<Word> {
        if self.unavailable {
            return None;
        }
        let mut strictest: Option<Word> = None;
        for (id, word) in self.words {
            if id == question && strictest.is_none_or(|known| is_stricter(*word, known)) {
                strictest = Some(*word);
            }
        }
        strictest
    }
}

fn is_stricter(word: Word, than: Word) -> bool {
    let rank = |state| match state {
        QuestionState::Available => 0,
        QuestionState::Locked => 1,
        QuestionState::Passed => 2,
    };
    if rank(word.0) != rank(than.0) {
        return rank(word.0) > rank(than.0);
    }
    match (word.1, than.1) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(mine), Some(theirs)) => mine > theirs,
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub availability: Availability,
    pub candidates: Vec<String>,
    pub next_eligible_at: Option<Timestamp>,
    /// What the rules allow, before a button narrows it.
    pub permitted: Vec<Action>,
    pub allowed: Vec<Action>,
}

pub fn decide(
    world: &World<'_>,
    plan: &Plan,
    event: Option<&Event>,
    exam: &ExamAnswer<'_>,
) -> Decision {
    let asked = candidates(world, plan, exam);
    let states: Vec<(String, Option<Word>)> =
        asked.iter().map(|id| (id.clone(), exam.word(id))).collect();
    let mut available = Vec::new();
    let mut locked = false;
    let mut next_eligible_at: Option<Timestamp> = None;
    for (id, word) in states {
        match word {
            Some((QuestionState::Available, _)) => available.push(id),
            Some((QuestionState::Locked, until)) => {
                locked = true;
                if let Some(until) = until {
                    next_eligible_at =
                        Some(next_eligible_at.map_or(until, |earliest| earliest.min(until)));
                }
            }
            Some((QuestionState::Passed, _)) | None => {}
        }
    }
    available.truncate(world.course.rules.max_exam_candidates);
    let availability = if !available.is_empty() {
        next_eligible_at = None;
        Availability::Available
    } else if locked {
        Availability::Locked
    } else {
        Availability::None
    };
    let permitted = permitted(world.course, plan, availability);
    Decision {
        allowed: narrowed(world.course, plan, event, &permitted),
        availability,
        candidates: available,
        next_eligible_at,
        permitted,
    }
}

/// Looked up only for a student who is ready. The catalogue's questions of the focus and the desired tier: those in the
/// revisit queue first, oldest first, then retrieval's.
fn candidates(world: &World<'_>, plan: &Plan, exam: &ExamAnswer<'_>) -> Vec<String> {
    let mut list = Vec::new();
    if plan.exam_ready {
        for id in plan.revisit.iter().chain(exam.retrieved) {
            if world.question_is_for(id, &plan.focus, plan.desired_tier) {
                add_once(&mut list, id);
            }
        }
    }
    list
}

/// A question always; no card while the message cannot be placed, and none on the entry unit. Else a drill, a concept
/// card for who is stuck, an exam for who is ready and has one available.
fn permitted(course: &CourseSpec, plan: &Plan, availability: Availability) -> Vec<Action> {
    let mut actions = vec![Action::SocraticQuestion];
    if plan.clamped || plan.focus == course.entry_unit {
        return actions;
    }
    actions.push(Action::DrillCard);
    if plan.stuck {
        actions.push(Action::ConceptCard);
    }
    if plan.exam_ready && availability == Availability::Available {
        actions.push(Action::ExamBlock);
    }
    actions
}

/// A button does what it says where that is permitted.
fn narrowed(
    course: &CourseSpec,
    plan: &Plan,
    event: Option<&Event>,
    permitted: &[Action],
) -> Vec<Action> {
    let Some(event) = event else {
        return permitted.to_vec();
    };
    match event.kind {
        EventKind::RequestDrill if plan.focus != course.entry_unit => vec![Action::DrillCard],
        EventKind::RequestExam
            if event.unit_id == plan.focus && permitted.contains(&Action::ExamBlock) =>
        {
            vec![Action::ExamBlock]
        }
        EventKind::StuckHint => vec![Action::SocraticQuestion],
        EventKind::DrillContinue | EventKind::ExamContinue
            if plan.focus_tier == Tier::Gold || plan.leads_to_target =>
        {
            vec![Action::SocraticQuestion]
        }
        _ => permitted.to_vec(),
    }
}

/// The units that a reply with this action may be about. An exam belongs to the focus, and so does whatever a button
/// asked for; on the entry unit the one question may look for the unit. No drill is on the entry unit.
pub fn targets(
    course: &CourseSpec,
    plan: &Plan,
    allowed: &[Action],
    action: Action,
) -> Vec<String> {
    let asked_for = allowed.len() == 1 && plan.focus != course.entry_unit;
    if action == Action::ExamBlock || asked_for {
        return vec![plan.focus.clone()];
    }
    let mut units = plan.scope.clone();
    if action == Action::DrillCard {
        units.retain(|id| *id != course.entry_unit);
    }
    units
}
