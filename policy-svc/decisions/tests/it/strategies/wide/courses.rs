//! Courses as odd as they may be: every rule varied within its bounds, cycles, units without drills or badges.

use proptest::{collection::vec, prelude::*, sample::Index};
use turnwise_decisions::{
    CourseSpec, ExamQuestion, PrereqWalk, Progress, Rules, Snapshot, StuckRule, Tier,
};

use super::MOST_UNITS;
use crate::{
    fixtures::{Turn, now, question, unit},
    strategies::id,
};

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

/// A course of 60 to 140 units and a student who is far on its path, with gaps.
pub fn long_course() -> impl Strategy<Value = (CourseSpec, Turn)> {
    let shape = (
        prop::option::weighted(0.3, any::<Index>()),
        prop::bool::weighted(0.9),
    );
    let gaps = vec(prop::bool::weighted(0.02), 140);
    (vec(shape, 60..140), any::<Index>(), gaps, any::<bool>()).prop_map(
        |(shapes, far, gaps, by_mark)| {
            let mut course = CourseSpec {
                entry_unit: "unit-0".to_owned(),
                ..CourseSpec::default()
            };
            for (n, (needed, assessable)) in shapes.into_iter().enumerate() {
                let needed = needed
                    .filter(|_| n > 0)
                    .map(|at| format!("unit-{}", at.index(n)));
                let mut unit = unit(&format!("unit-{n}"), &[]);
                unit.prerequisites.extend(needed);
                unit.assessable = assessable;
                course.units.push(unit);
            }
            let mut snapshot = Snapshot::default();
            let far = far.index(course.units.len() + 1);
            for (unit, gap) in course.units.iter().zip(gaps).take(far) {
                if gap {
                    continue;
                }
                if by_mark && unit.id.ends_with('7') {
                    snapshot.prerequisite_overrides.insert(unit.id.clone());
                    continue;
                }
                let progress = Progress {
                    tier: Tier::Bronze,
                    ..Progress::default()
                };
                snapshot.progress.insert(unit.id.clone(), progress);
            }
            let turn = Turn {
                snapshot,
                mapped_units: Vec::new(),
                event: None,
                target_locked: false,
                now: now(),
            };
            (course, turn)
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

pub(super) const QUESTIONS: [(&str, Tier); 7] = [
    ("bronze-1", Tier::Bronze),
    ("bronze-2", Tier::Bronze),
    ("bronze-3", Tier::Bronze),
    ("silver-1", Tier::Silver),
    ("silver-2", Tier::Silver),
    ("gold-1", Tier::Gold),
    ("gold-2", Tier::Gold),
];
