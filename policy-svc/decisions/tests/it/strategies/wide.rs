//! Courses, records and answers as odd as they may be: every rule varied within its bounds, cycles, units without drills
//! or badges, ids of removed units, times in the future, ties, and words that contradict each other.

use jiff::SignedDuration;
use proptest::{collection::vec, prelude::*, sample::Index};
use turnwise_decisions::{
    CourseSpec, Event, EventKind, ExamQuestion, MappedUnit, PrereqWalk, Progress, QuestionState,
    QuestionStatus, Rules, Snapshot, StuckRule, Tier,
};

use super::{id, tier};
use crate::fixtures::{Turn, now, question, unit};

/// The most units of a course here. Records name a few more.
const MOST_UNITS: usize = 14;

fn any_id() -> impl Strategy<Value = String> {
    prop_oneof![12 => (0..MOST_UNITS + 2).prop_map(id), 1 => Just(String::new())]
}

fn rules() -> impl Strategy<Value = Rules> {
    let confidence = prop_oneof![
        4 => Just(0.55),
        1 => prop::sample::select(vec![0.0, 0.25, 0.5, 0.9, 1.0]),
        1 => 0.0..=1.0_f64,
    ];
    let window = prop::sample::select(vec![72.0, 72.0, 1.0, 24.0, 8760.0]);
    (
        (any::<bool>(), any::<bool>(), confidence, window),
        (1..9_usize, 0..6_usize, 0..6_usize, 0..5_usize, 0..5_usize),
        (1..5_u32, 1..5_u32, 1..5_usize),
        (20..60_u32, 0..2_u32, 1..5_u32, 1..4_u32),
    )
        .prop_map(
            |(
                (transitive, by_streak, target_confidence, recency_window_hours),
                (max_scoped_units, candidates_mapped, candidates_in_progress, mapped, progress),
                (stuck_attempts, ready_streak, max_exam_candidates),
                (max_concept_words, max_worked_examples, max_key_ideas, drill_max_steps),
            )| Rules {
                stuck_rule: if by_streak {
                    StuckRule::AttemptsWithoutStreak
                } else {
                    StuckRule::ConsecutiveWrong
                },
                prereq_walk: if transitive {
                    PrereqWalk::Transitive
                } else {
                    PrereqWalk::First
                },
                target_confidence,
                recency_window_hours,
                max_scoped_units,
                candidates_mapped,
                candidates_in_progress,
                scope_mapped: mapped,
                scope_in_progress: progress,
                stuck_attempts,
                ready_streak,
                max_concept_words,
                max_worked_examples,
                max_key_ideas,
                drill_max_steps,
                max_exam_candidates,
            },
        )
}

/// A course of 1 to 14 units, mostly many. With `acyclic`, edges point to units that come earlier in a hidden order,
/// which is not the file's; otherwise anywhere, to the unit itself too.
pub fn course(acyclic: bool) -> impl Strategy<Value = CourseSpec> {
    let shape = (
        vec(any::<Index>(), 0..4),
        prop::bool::weighted(0.85),
        0..3_usize,
        prop::bool::weighted(0.2),
    );
    let shapes = prop_oneof![1 => vec(shape.clone(), 1..=MOST_UNITS), 4 => vec(shape, MOST_UNITS)];
    let sparse = (1..=3_usize, prop::bool::weighted(0.5));
    let order = vec(any::<u32>(), MOST_UNITS);
    (shapes, sparse, any::<Index>(), order, rules()).prop_map(
        move |(shapes, (most_edges, default_rules), entry, order, rules)| {
            let count = shapes.len();
            let mut units = Vec::new();
            let mut questions = Vec::new();
            for (n, (edges, assessable, drills, shared)) in shapes.into_iter().enumerate() {
                let reach = if acyclic { n } else { count };
                let mut needs: Vec<String> = Vec::new();
                for edge in edges.iter().filter(|_| reach > 0).take(most_edges) {
                    let needed = id(edge.index(reach));
                    if !needs.contains(&needed) {
                        needs.push(needed);
                    }
                }
                let needs: Vec<_> = needs.iter().map(String::as_str).collect();
                let mut unit = unit(&id(n), &needs);
                unit.assessable = assessable;
                unit.drills.truncate(drills);
                if assessable {
                    questions.extend(catalogue(&id(n), shared.then(|| id((n + 1) % count))));
                }
                units.push(unit);
            }
            // The file's order is none that a walk could take for granted.
            let mut file: Vec<_> = order.iter().zip(units).collect();
            file.sort_by_key(|(place, _)| **place);
            let units = file.into_iter().map(|(_, unit)| unit).collect();
            let entry_unit = if acyclic {
                id(0)
            } else {
                id(entry.index(count))
            };
            CourseSpec {
                entry_unit,
                units,
                questions,
                rules: if default_rules {
                    Rules::default()
                } else {
                    rules
                },
            }
        },
    )
}

/// A unit's questions; one of them may test another unit, too.
fn catalogue(unit: &str, other: Option<String>) -> Vec<ExamQuestion> {
    let mut list: Vec<_> = QUESTIONS
        .iter()
        .map(|(rest, tier)| question(&format!("{unit}-{rest}"), unit, *tier))
        .collect();
    if let Some(first) = list.first_mut() {
        first.units.extend(other);
    }
    list
}

const QUESTIONS: [(&str, Tier); 5] = [
    ("bronze-1", Tier::Bronze),
    ("bronze-2", Tier::Bronze),
    ("silver-1", Tier::Silver),
    ("gold-1", Tier::Gold),
    ("gold-2", Tier::Gold),
];

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

fn mapped() -> impl Strategy<Value = Vec<MappedUnit>> {
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
        mapped(),
        prop::option::of(-100_i64..10),
        prop::collection::btree_map(any_id(), progress(), 0..MOST_UNITS + 2),
        vec(any_id(), 0..10),
        vec(question_id(), 0..8),
        prop::collection::btree_set(any_id(), 0..4),
    )
        .prop_map(
            |(
                focus_unit_id,
                last_mapped_units,
                last_turn,
                progress,
                units_in_progress,
                revisit_question_ids,
                prerequisite_overrides,
            )| Snapshot {
                focus_unit_id,
                last_mapped_units,
                last_turn_at: last_turn.map(|h| now() + SignedDuration::from_hours(h)),
                progress,
                units_in_progress,
                revisit_question_ids,
                prerequisite_overrides,
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

fn status() -> impl Strategy<Value = QuestionStatus> {
    let states = vec![
        QuestionState::Available,
        QuestionState::Available,
        QuestionState::Locked,
        QuestionState::Locked,
        QuestionState::Passed,
    ];
    (prop::sample::select(states), prop::option::of(-50_i64..50)).prop_map(|(state, hours)| {
        QuestionStatus {
            state,
            locked_until: hours
                .filter(|_| state == QuestionState::Locked)
                .map(|h| now() + SignedDuration::from_hours(h)),
        }
    })
}

/// What retrieval found, what the exam system said, and whether it was out of reach.
#[derive(Debug, Clone)]
pub struct ExamAnswer {
    pub retrieved: Vec<String>,
    pub words: Vec<(String, QuestionStatus)>,
    pub unavailable: bool,
}

/// Some of the catalogue in any order, ids that it does not have, and a word on most questions; sometimes two.
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
    let words = vec(
        (
            prop::option::weighted(0.9, status()),
            prop::option::weighted(0.2, status()),
        ),
        all.len(),
    )
    .prop_map(move |words| {
        let first = all
            .iter()
            .zip(&words)
            .filter_map(|(id, (word, _))| Some((id.clone(), (*word)?)));
        let second = all
            .iter()
            .zip(&words)
            .filter_map(|(id, (_, word))| Some((id.clone(), (*word)?)));
        first.chain(second).collect()
    });
    (retrieved, words, prop::bool::weighted(0.05)).prop_map(|(retrieved, words, unavailable)| {
        ExamAnswer {
            retrieved,
            words,
            unavailable,
        }
    })
}
