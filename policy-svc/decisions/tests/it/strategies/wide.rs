//! Courses, records and answers as odd as they may be: ids of removed units, times in the future, ties, and words that
//! contradict each other.

mod courses;

use jiff::SignedDuration;
use proptest::{collection::vec, prelude::*, sample::Index};
use turnwise_decisions::{
    CourseSpec, Event, EventKind, MappedUnit, Progress, QuestionState, QuestionStatus, Snapshot,
    Tier,
};

pub use courses::{course, long_course};

use super::{id, tier};
use crate::fixtures::{Turn, now};
use courses::QUESTIONS;

/// The most units of a course here. Records name a few more.
const MOST_UNITS: usize = 14;

fn any_id() -> impl Strategy<Value = String> {
    prop_oneof![12 => (0..MOST_UNITS + 2).prop_map(id), 1 => Just(String::new())]
}

/// The id of a question that the catalogue may have.
pub fn question_id() -> impl Strategy<Value = String> {
    (any_id(), prop::sample::select(QUESTIONS.to_vec()))
        .prop_map(|(unit, (rest, _))| format!("{unit}-{rest}"))
}

fn progress() -> impl Strategy<Value = Progress> {
    (
        prop_oneof![2 => Just(Tier::None), 3 => tier()],
        prop::option::of(prop_oneof![Just(-24_i64), Just(0), -200_i64..50]),
        prop_oneof![8 => 0..6_u32, 1 => Just(u32::MAX)],
        prop::sample::select(vec![0, 0, 1, 2, 3, 4, u32::MAX]),
        prop_oneof![8 => 0..4_u32, 1 => Just(u32::MAX)],
    )
        .prop_map(
            |(tier, hours, attempts, streak_correct, streak_wrong)| Progress {
                tier,
                last_touched_at: hours.map(|h| now() + SignedDuration::from_hours(h)),
                attempts,
                streak_correct,
                streak_wrong,
            },
        )
}

pub fn mapped() -> impl Strategy<Value = Vec<MappedUnit>> {
    let confidence = prop_oneof![
        prop::sample::select(vec![0.0, 0.5, 0.55, 0.55, 0.9, 1.0, 1.0]),
        0.0..1.0_f64,
        prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -3.0, 7.5]),
    ];
    vec(
        (any_id(), confidence).prop_map(|(unit_id, confidence)| MappedUnit {
            unit_id,
            confidence,
        }),
        0..8,
    )
}

pub fn snapshot() -> impl Strategy<Value = Snapshot> {
    (
        any_id(),
        any_id(),
        mapped(),
        prop::option::of(-100_i64..10),
        prop::collection::btree_map(any_id(), progress(), 0..MOST_UNITS + 2),
        vec(any_id(), 0..10),
        vec(question_id(), 0..8),
        prop::collection::btree_set(any_id(), 0..4),
        prop::collection::btree_set(any_id(), 0..4),
        prop::collection::btree_set(any_id(), 0..4),
    )
        .prop_map(
            |(
                focus_unit_id,
                target_unit_id,
                last_mapped_units,
                last_turn,
                progress,
                units_in_progress,
                revisit_question_ids,
                prerequisite_overrides,
                placed,
                unplaced,
            )| Snapshot {
                focus_unit_id,
                target_unit_id,
                last_mapped_units,
                last_turn_at: last_turn.map(|h| now() + SignedDuration::from_hours(h)),
                progress,
                units_in_progress,
                revisit_question_ids,
                prerequisite_overrides,
                placed,
                unplaced,
                ..Snapshot::default()
            },
        )
}

/// How a student stands on the focus, besides what chance makes of it.
#[derive(Debug, Clone, Copy)]
enum Stand {
    Anyhow,
    AtEntry,
    /// Everything before the focus is met, and its drills went well.
    Ready,
    /// Everything before the focus is met, and its drills went badly.
    Stuck,
    /// Both counters speak at once.
    Odd,
}

impl Stand {
    fn make(self, course: &CourseSpec, which: Index, snapshot: &mut Snapshot) {
        let unit = which.get(&course.units);
        let mut progress = snapshot.progress.get(&unit.id).copied().unwrap_or_default();
        match self {
            Self::Anyhow => return,
            Self::AtEntry => {
                snapshot.focus_unit_id.clone_from(&course.entry_unit);
                return;
            }
            Self::Ready => (progress.streak_correct, progress.streak_wrong) = (4, 0),
            Self::Stuck => (progress.streak_correct, progress.streak_wrong) = (0, 4),
            Self::Odd => (progress.streak_correct, progress.streak_wrong) = (4, 4),
        }
        progress.attempts = 4;
        snapshot.focus_unit_id.clone_from(&unit.id);
        snapshot.progress.insert(unit.id.clone(), progress);
        snapshot
            .prerequisite_overrides
            .extend(unit.prerequisites.iter().cloned());
        let queue = &mut snapshot.revisit_question_ids;
        let place = which.index(queue.len() + 1);
        for rest in ["gold-1", "silver-2", "bronze-2", "bronze-3"] {
            queue.insert(place, format!("{}-{rest}", unit.id));
        }
    }
}

/// A turn, at the turns of the rules more often than chance has it. Its event may name a unit that the course does not
/// have.
pub fn turn(course: &CourseSpec) -> impl Strategy<Value = Turn> + use<> {
    let kinds = vec![
        EventKind::RequestDrill,
        EventKind::RequestExam,
        EventKind::DrillContinue,
        EventKind::ExamContinue,
        EventKind::StuckHint,
        EventKind::ChooseUnit,
    ];
    let known: Vec<_> = course.units.iter().map(|unit| unit.id.clone()).collect();
    let course = course.clone();
    let stand = prop_oneof![
        4 => Just(Stand::Anyhow),
        2 => Just(Stand::AtEntry),
        4 => Just(Stand::Ready),
        2 => Just(Stand::Stuck),
        1 => Just(Stand::Odd),
    ];
    let message = prop_oneof![1 => Just(Vec::new()), 2 => mapped()];
    let pressed = (
        prop::sample::select(kinds),
        prop_oneof![20 => prop::sample::select(known), 1 => any_id()],
    );
    (
        (snapshot(), stand, any::<Index>()),
        message,
        prop::option::of(pressed),
        any::<bool>(),
        prop::bool::weighted(0.4),
    )
        .prop_map(
            move |(
                (mut snapshot, stand, which),
                mapped_units,
                pressed,
                target_locked,
                on_the_focus,
            )| {
                stand.make(&course, which, &mut snapshot);
                let focus = snapshot.focus_unit_id.clone();
                let event = pressed.map(|(kind, unit)| Event {
                    kind,
                    unit_id: if on_the_focus && !focus.is_empty() {
                        focus
                    } else {
                        unit
                    },
                    question_id: String::new(),
                });
                Turn {
                    snapshot,
                    mapped_units,
                    event,
                    target_locked,
                    now: now(),
                }
            },
        )
}

fn status(states: &[QuestionState]) -> impl Strategy<Value = QuestionStatus> + use<> {
    (
        prop::sample::select(states.to_vec()),
        prop::option::of(-50_i64..50),
    )
        .prop_map(|(state, hours)| QuestionStatus {
            state,
            locked_until: hours
                .filter(|_| state == QuestionState::Locked)
                .map(|h| now() + SignedDuration::from_hours(h)),
        })
}

/// What retrieval found, what the exam system said, and whether it was out of reach.
#[derive(Debug, Clone)]
pub struct ExamAnswer {
    pub retrieved: Vec<String>,
    pub words: Vec<(String, QuestionStatus)>,
    pub unavailable: bool,
}

/// A word on most questions, sometimes two.
fn words(
    ids: Vec<String>,
    states: &[QuestionState],
) -> impl Strategy<Value = Vec<(String, QuestionStatus)>> + use<> {
    let word = (
        prop::option::weighted(0.9, status(states)),
        prop::option::weighted(0.2, status(states)),
    );
    vec(word, ids.len()).prop_map(move |words| {
        let (first, second): (Vec<_>, Vec<_>) = words.into_iter().unzip();
        let said = ids.iter().zip(first).chain(ids.iter().zip(second));
        said.filter_map(|(id, word)| Some((id.clone(), word?)))
            .collect()
    })
}

/// Some of the catalogue in any order, ids that it does not have, and what the exam system says.
pub fn exam_answer(course: &CourseSpec) -> impl Strategy<Value = ExamAnswer> + use<> {
    let mut all: Vec<String> = course.questions.iter().map(|q| q.id.clone()).collect();
    all.push("made-up".to_owned());
    let retrieved = (
        Just(all.clone()).prop_shuffle(),
        any::<Index>(),
        vec(question_id(), 0..4),
    )
        .prop_map(|(mut all, cut, extra)| {
            all.truncate(all.len() - cut.index(all.len()) / 2);
            all.extend(extra);
            all
        });
    let (open, shut, done) = (
        QuestionState::Available,
        QuestionState::Locked,
        QuestionState::Passed,
    );
    let words = prop_oneof![
        2 => words(all.clone(), &[open, open, shut, shut, done]),
        1 => words(all.clone(), &[open, open, open, done]),
        1 => words(all, &[shut, shut, shut, done]),
    ];
    (retrieved, words, prop::bool::weighted(0.05)).prop_map(|(retrieved, words, unavailable)| {
        ExamAnswer {
            retrieved,
            words,
            unavailable,
        }
    })
}
