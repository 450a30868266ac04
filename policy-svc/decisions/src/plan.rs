//! First step of a turn: what the student works on, before the exam system is asked.

use crate::{
    course::UnitIndex,
    graph,
    mapping::Confidences,
    policy::Policy,
    record::Record,
    scope,
    score::{ScoreParts, Scorer},
    snapshot::MappedUnit,
    standing::{self, Standing},
    target::{self, Way},
    words::{Event, Tier},
};

/// What a plan is made from, beside the record.
#[derive(Debug, Clone, Default)]
pub struct PlanInput {
    /// What the message is about, as retrieval says.
    pub mapped_units: Vec<MappedUnit>,
    /// The button that was pressed.
    pub event: Option<Event>,
    /// Whether the thread is about a unit for certain.
    pub target_locked: bool,
}

/// What a turn is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What the student probably asks about in this turn.
    pub primary_target_unit_id: String,
    /// What was asked for, in this turn or before: the thread should keep it.
    pub target_unit_id: String,
    /// How sure this turn's message is of the target, or 1 where a button names it; `None` where the student stays at the
    /// unit of the record.
    pub target_confidence: Option<f64>,
    /// The missing prerequisite to do first.
    pub prereq_blocking_unit_id: Option<String>,
    /// The unit to work on now: the blocking one, else the target.
    pub focus_unit_id: String,
    /// The badge on the focus.
    pub focus_tier: Tier,
    /// The drills on the focus.
    pub focus_drills: DrillFacts,
    /// The focus has a badge, and its latest drills would no longer earn it. It keeps the badge.
    pub needs_review: bool,
    /// Stuck on the focus, by the evidence of drills.
    pub stuck: bool,
    /// A badge can be earned on the focus, it is not blocked, and its drills are good enough.
    pub exam_ready: bool,
    /// The next tier to reach.
    pub desired_exam_tier: Tier,
    /// The units that were considered, best first.
    pub candidates: Vec<ScoredUnit>,
    /// The units that the reply may be about, the focus first.
    pub scoped_unit_ids: Vec<String>,
    /// The mapping as it was used, best first.
    pub mapped_units: Vec<MappedUnit>,
    /// What the thread should keep.
    pub target_locked: bool,
    /// The message could not be placed, and nothing but a question is allowed.
    pub clamped: bool,
    /// The event that was planned for.
    pub event: Option<Event>,
    /// The whole revisit queue, oldest first.
    pub revisit_question_ids: Vec<String>,
    /// The queue's entries for the focus and the desired tier, oldest first.
    pub focus_revisit_question_ids: Vec<String>,
    /// What people see, before the exam system was asked about locks.
    pub standing: Standing,
    /// Units with evidence that have more to show, most recent first.
    pub units_in_progress: Vec<String>,
    /// The unit to go on with once the focus has nothing more to offer.
    pub next_unit_id: Option<String>,
    /// The focus is met, and the next unit leads on to what was asked for.
    pub next_leads_to_target: bool,
    /// The units that the message may be about, best first, where it could not be placed.
    pub choice_unit_ids: Vec<String>,
    /// The blocking unit's drills are good enough for its exam question.
    pub prereq_check_open: bool,
    /// The focus's own missing prerequisites, in file order; empty unless the course looks one prerequisite far only.
    pub focus_missing_unit_ids: Vec<String>,
}

/// How the drills on a unit went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DrillFacts {
    /// Graded drills.
    pub attempts: u32,
    /// Right drills in a row, up to now.
    pub streak_correct: u32,
    /// Wrong drills in a row, up to now.
    pub streak_wrong: u32,
}

/// A unit that was considered, and why it ranks where it does.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredUnit {
    /// The unit.
    pub unit_id: String,
    /// The parts of its score.
    pub parts: ScoreParts,
}

/// An event names a unit that the course does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the course has no unit `{0}`")]
pub struct UnknownUnit(pub String);

/// Makes the plan of a turn.
///
/// # Errors
/// The event names a unit that the course does not have.
pub fn plan(record: &Record<'_>, input: &PlanInput) -> Result<Plan, UnknownUnit> {
    let course = record.course();
    let rules = course.rules();
    let event_unit = match &input.event {
        Some(event) => Some(
            course
                .find(&event.unit_id)
                .ok_or_else(|| UnknownUnit(event.unit_id.clone()))?,
        ),
        None => None,
    };
    let confidences = Confidences::new(record, &input.mapped_units, event_unit);
    let scorer = Scorer::new(record, confidences.joined());
    let mapping = confidences.rank(&scorer);

    let certain = event_unit.map(|at| (at, 1.0)).or_else(|| {
        let best = mapping.own.first().copied();
        best.filter(|(_, confidence)| *confidence >= rules.target_confidence)
    });
    let target_locked = input.target_locked || certain.is_some();
    let target = certain.map_or_else(|| record.focus(), |(at, _)| at);
    let blocker = graph::blocker(record, &scorer, target);
    let focus = blocker.unwrap_or(target);
    let progress = record.progress(focus);
    let desired_exam_tier = progress.tier.next();
    let is_drilled = record.is_drilled(focus);
    let missing: Vec<_> = graph::missing(record, focus).collect();
    let asked_for = target::after(
        record,
        certain.map(|(at, _)| at),
        input.event.as_ref().map(|event| event.kind),
        target,
    );
    let first = match asked_for == target {
        true => blocker,
        false => graph::blocker(record, &scorer, asked_for),
    };
    let way = Way::to(record, asked_for, first);
    let in_progress = scope::in_progress_by_score(record, &scorer);
    let next_unit = graph::next_unit(record, &scorer, &in_progress, focus, &way);
    let clamped = !target_locked && record.focus() == course.entry();
    let mut choices: Vec<_> = mapping
        .own
        .iter()
        .filter(|(at, confidence)| clamped && *at != course.entry() && *confidence > 0.0)
        .map(|(at, _)| *at)
        .collect();
    // What is met is asked about less often than what is not.
    choices.sort_by_key(|&at| record.is_met(at));
    choices.truncate(Policy::MOST_CHOICES);
    let exam_ready =
        blocker.is_none() && course.unit(focus).assessable && missing.is_empty() && is_drilled;

    let ids = |units: &[UnitIndex]| units.iter().map(|&at| course.id(at).to_owned()).collect();
    let revisit_ids = |on_focus: bool| -> Vec<String> {
        record
            .revisit()
            .iter()
            .filter(|q| !on_focus || q.fits(course.id(focus), desired_exam_tier))
            .map(|q| q.id.clone())
            .collect()
    };
    let revisit_question_ids = revisit_ids(false);
    Ok(Plan {
        primary_target_unit_id: course.id(target).to_owned(),
        target_unit_id: course.id(way.target()).to_owned(),
        target_confidence: certain.map(|(_, confidence)| confidence),
        prereq_blocking_unit_id: blocker.map(|at| course.id(at).to_owned()),
        focus_unit_id: course.id(focus).to_owned(),
        focus_tier: progress.tier,
        focus_drills: DrillFacts {
            attempts: progress.attempts,
            streak_correct: progress.streak_correct,
            streak_wrong: progress.streak_wrong,
        },
        needs_review: record.needs_review(focus),
        stuck: record.is_stuck(focus),
        exam_ready,
        desired_exam_tier,
        candidates: scope::candidates(record, &scorer, &mapping, &in_progress)
            .into_iter()
            .map(|(at, parts)| ScoredUnit {
                unit_id: course.id(at).to_owned(),
                parts,
            })
            .collect(),
        scoped_unit_ids: ids(&scope::scoped(
            record,
            &mapping,
            &in_progress,
            focus,
            blocker,
            target,
        )),
        mapped_units: mapping
            .ranked
            .iter()
            .map(|(at, confidence)| MappedUnit {
                unit_id: course.id(*at).to_owned(),
                confidence: *confidence,
            })
            .collect(),
        target_locked,
        clamped,
        event: input.event.clone(),
        focus_revisit_question_ids: revisit_ids(true),
        standing: standing::standing(
            record,
            focus,
            blocker,
            &way,
            standing::revisit(
                &revisit_question_ids,
                standing::entries(record),
                &standing::Statuses::default(),
            ),
        ),
        revisit_question_ids,
        units_in_progress: ids(record.units_in_progress()),
        next_leads_to_target: next_unit.is_some()
            && record.is_met(focus)
            && next_unit == way.next(record, focus),
        next_unit_id: next_unit.map(|at| course.id(at).to_owned()),
        choice_unit_ids: ids(&choices),
        prereq_check_open: blocker.is_some() && missing.is_empty() && is_drilled,
        focus_missing_unit_ids: ids(&missing),
    })
}
