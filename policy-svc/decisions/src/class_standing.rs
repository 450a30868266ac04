//! How a student stands in each unit of a course, for whoever teaches the class.

use std::collections::BTreeMap;

use crate::{
    course::UnitIndex,
    graph,
    mapping::Confidences,
    record::Record,
    score::{Scorer, clamp01},
    words::Tier,
};

/// How a student stands in one unit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitStanding {
    /// The unit.
    pub unit_id: String,
    /// The badge.
    pub tier: Tier,
    /// Whether there is evidence.
    pub worked_on: bool,
    /// Whether the student is stuck, by the evidence of drills alone.
    pub stuck: bool,
    /// Wrong drills in a row, up to now.
    pub wrong_in_a_row: u32,
    /// Exam questions that are locked now.
    pub locked_questions: u32,
    /// Whether a teacher marked it as met.
    pub met_by_teacher: bool,
    /// Whether a placement showed it to be known. It has no badge.
    pub placed: bool,
    /// The missing prerequisite to do first, where the unit has no badge.
    pub blocking_unit_id: Option<String>,
}

/// How a student stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StudentStanding {
    /// The units of which there is something to tell, in the order of the course's path.
    pub units: Vec<UnitStanding>,
    /// What the latest turn was about, if a prerequisite is missing, and that prerequisite.
    pub blocked: Option<(String, String)>,
}

/// How a student stands in a course. `locked` are the exam questions that are locked now; one that tests several units is
/// locked in each of them.
#[must_use]
pub fn student_standing<'a>(
    record: &Record<'_>,
    locked: impl IntoIterator<Item = &'a str>,
) -> StudentStanding {
    let course = record.course();
    let confidences = Confidences::new(record, &[], None);
    let scorer = Scorer::new(record, confidences.joined());
    let mut locks: BTreeMap<&str, u32> = BTreeMap::new();
    let questions = locked.into_iter().filter_map(|id| course.question(id));
    for unit in questions.flat_map(|question| &question.units) {
        *locks.entry(unit).or_default() += 1;
    }
    let id = |at: UnitIndex| course.id(at).to_owned();
    let units = course.path().iter().filter_map(|&at| {
        let progress = record.progress(at);
        let tier = record.tier(at);
        let blocker = (tier == Tier::None)
            .then(|| graph::blocker(record, &scorer, at))
            .flatten();
        let standing = UnitStanding {
            unit_id: String::new(),
            tier,
            worked_on: tier > Tier::None
                || progress.attempts > 0
                || progress.last_touched_at.is_some(),
            stuck: record.is_stuck(at),
            wrong_in_a_row: progress.streak_wrong,
            locked_questions: locks.get(course.id(at)).copied().unwrap_or(0),
            met_by_teacher: record.is_marked_met(at),
            placed: record.is_placed(at),
            blocking_unit_id: blocker.map(id),
        };
        (standing != UnitStanding::default()).then(|| UnitStanding {
            unit_id: id(at),
            ..standing
        })
    });
    let target = record
        .last_mapped()
        .iter()
        .map(|(at, sure)| (*at, clamp01(*sure)))
        // Of equals the first by id.
        .max_by(|(a, sure), (b, surer)| sure.total_cmp(surer).then_with(|| id(*b).cmp(&id(*a))))
        .map(|(at, _)| at);
    let blocked = target.and_then(|at| Some((id(at), id(graph::blocker(record, &scorer, at)?))));
    StudentStanding {
        units: units.collect(),
        blocked,
    }
}
