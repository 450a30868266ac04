//! Arbitrary courses, records, messages and replies.

use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::{Value, json};
use turnwise_decisions::{
    Course, CourseSpec, DecideInput, EventKind, MappedUnit, PlanInput, Policy, PrereqWalk,
    Progress, QuestionState, QuestionStatus, Rules, Snapshot, StuckRule, Tier,
};

use crate::fixtures::{event, now, questions, unit};

/// The id of the n-th unit. Ids sort otherwise than the file does, so that the two orders cannot be mixed up unseen.
pub fn id(n: usize) -> String {
    format!("U{:02}", (n * 37 + 11) % 100)
}

fn id_or_other() -> impl Strategy<Value = String> {
    prop_oneof![9 => (0..12_usize).prop_map(id), 1 => Just("nowhere".to_owned())]
}

/// A course of 1 to `most` units; the first is the entry. With `acyclic`, edges point to later units only.
pub fn course(most: usize, acyclic: bool) -> impl Strategy<Value = Course> {
    (
        vec(
            (
                vec(any::<Index>(), 0..4),
                prop::bool::weighted(0.9),
                0..3_usize,
            ),
            1..=most,
        ),
        prop::bool::weighted(0.8),
        prop::bool::weighted(0.8),
        3..8_usize,
    )
        .prop_map(move |(shapes, transitive, by_streak, max_scoped_units)| {
            let count = shapes.len();
            let units: Vec<_> = shapes
                .into_iter()
                .enumerate()
                .map(|(n, (edges, assessable, drills))| {
                    let reach = if acyclic { n } else { count };
                    let mut needs: Vec<_> = edges
                        .iter()
                        .filter(|_| reach > 0)
                        .map(|e| id(e.index(reach)))
                        .collect();
                    needs.dedup();
                    let needs: Vec<_> = needs.iter().map(String::as_str).collect();
                    let mut unit = unit(&id(n), &needs);
                    unit.assessable = assessable && n > 0;
                    unit.drills.truncate(drills);
                    unit
                })
                .collect();
            Course::new(CourseSpec {
                entry_unit: id(0),
                questions: questions(&units),
                units,
                rules: Rules {
                    prereq_walk: if transitive {
                        PrereqWalk::Transitive
                    } else {
                        PrereqWalk::First
                    },
                    stuck_rule: if by_streak {
                        StuckRule::AttemptsWithoutStreak
                    } else {
                        StuckRule::ConsecutiveWrong
                    },
                    max_scoped_units,
                    ..Rules::default()
                },
            })
            .unwrap()
        })
}

pub fn tier() -> impl Strategy<Value = Tier> {
    prop::sample::select(vec![Tier::None, Tier::Bronze, Tier::Silver, Tier::Gold])
}

fn progress() -> impl Strategy<Value = Progress> {
    (
        tier(),
        prop::option::of(-200_i64..50),
        0..5_u32,
        0..4_u32,
        0..4_u32,
    )
        .prop_map(
            |(tier, hours, attempts, streak_correct, streak_wrong)| Progress {
                tier,
                last_touched_at: hours.map(|h| now() + jiff::SignedDuration::from_hours(h)),
                attempts,
                streak_correct,
                streak_wrong,
            },
        )
}

fn mapped() -> impl Strategy<Value = Vec<MappedUnit>> {
    let confidence = prop_oneof![
        Just(0.0),
        Just(0.55),
        Just(1.0),
        0.0..1.0_f64,
        Just(f64::NAN)
    ];
    vec(
        (id_or_other(), confidence).prop_map(|(unit_id, confidence)| MappedUnit {
            unit_id,
            confidence,
        }),
        0..6,
    )
}

fn question_id() -> impl Strategy<Value = String> {
    (
        id_or_other(),
        prop::sample::select(vec!["bronze-1", "bronze-2", "silver-1", "gold-1"]),
    )
        .prop_map(|(unit, rest)| format!("{unit}-{rest}"))
}

pub fn snapshot() -> impl Strategy<Value = Snapshot> {
    (
        id_or_other(),
        mapped(),
        prop::option::of(-100_i64..10),
        prop::collection::btree_map(id_or_other(), progress(), 0..10),
        vec(id_or_other(), 0..8),
        vec(question_id(), 0..6),
        prop::collection::btree_set(id_or_other(), 0..3),
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
                last_turn_at: last_turn.map(|h| now() + jiff::SignedDuration::from_hours(h)),
                progress,
                units_in_progress,
                revisit_question_ids,
                prerequisite_overrides,
            },
        )
}

/// An input whose event, if any, names a unit of the course.
pub fn plan_input(course: &Course) -> impl Strategy<Value = PlanInput> + use<> {
    let units = course.unit_count();
    let kinds = vec![
        EventKind::RequestDrill,
        EventKind::RequestExam,
        EventKind::DrillContinue,
        EventKind::ExamContinue,
        EventKind::StuckHint,
    ];
    (
        snapshot(),
        mapped(),
        prop::option::of((prop::sample::select(kinds), 0..units)),
        any::<bool>(),
    )
        .prop_map(
            |(snapshot, mapped_units, pressed, target_locked)| PlanInput {
                snapshot,
                mapped_units,
                event: pressed.and_then(|(kind, n)| event(kind, &id(n))),
                target_locked,
                now: now(),
            },
        )
}

pub fn status() -> impl Strategy<Value = QuestionStatus> {
    let states = vec![
        QuestionState::Available,
        QuestionState::Available,
        QuestionState::Locked,
        QuestionState::Passed,
    ];
    (prop::sample::select(states), prop::option::of(-50_i64..50)).prop_map(|(state, hours)| {
        QuestionStatus {
            state,
            locked_until: hours.map(|h| now() + jiff::SignedDuration::from_hours(h)),
        }
    })
}

/// Which questions exist and what the exam system says of them.
pub type ExamAnswer = (Vec<String>, Vec<(String, QuestionStatus)>, bool);

pub fn exam_answer() -> impl Strategy<Value = ExamAnswer> {
    let all: Vec<String> = (0..12)
        .flat_map(|n| {
            ["bronze-1", "bronze-2", "silver-1", "gold-1"].map(|rest| format!("{}-{rest}", id(n)))
        })
        .collect();
    let answers = all.clone();
    (
        vec(question_id(), 0..6),
        vec(status(), all.len()),
        prop::bool::weighted(0.1),
    )
        .prop_map(move |(extra, statuses, unavailable)| {
            let mut candidates = extra;
            candidates.extend(all.iter().cloned());
            let answers = answers.iter().cloned().zip(statuses).collect();
            (candidates, answers, unavailable)
        })
}

pub fn decide_input(plan: turnwise_decisions::Plan, answer: ExamAnswer) -> DecideInput {
    DecideInput {
        plan,
        turn_id: "t".to_owned(),
        candidate_question_ids: answer.0,
        statuses: answer.1.into_iter().collect(),
        exam_system_unavailable: answer.2,
    }
}

/// What a model may write: rubbish, or a reply made of right and wrong parts.
pub fn completion(policy: &Policy) -> impl Strategy<Value = Vec<u8>> + use<> {
    let rubbish = prop_oneof![
        vec(any::<u8>(), 0..200),
        "[{}\\[\\]\":,a-z0-9 ]{0,60}".prop_map(String::into_bytes),
    ];
    prop_oneof![1 => rubbish, 6 => parts(policy).prop_map(|v| serde_json::to_vec(&v).unwrap())]
}

fn parts(policy: &Policy) -> impl Strategy<Value = Value> + use<> {
    let mut targets = policy.scoped_unit_ids.clone();
    targets.push("nowhere".to_owned());
    let mut exams = policy.exam_candidate_ids.clone();
    exams.extend([
        "made-up".to_owned(),
        format!("{}-bronze-1", policy.focus_unit_id),
    ]);
    let desired = policy.desired_exam_tier.as_str();
    let texts = vec!["What next?", "A. B? C? D?", "", "Fine.", "\u{0}"];
    let actions = vec![
        "SOCRATIC_QUESTION",
        "DRILL_CARD",
        "CONCEPT_CARD",
        "EXAM_BLOCK",
    ];
    (
        prop::sample::select(actions),
        prop::sample::select(targets),
        prop::sample::select(texts),
        prop::sample::select(exams),
        prop::sample::select(vec![desired, desired, "bronze", "gold"]),
        0..4_u8,
        prop::bool::weighted(0.05),
    )
        .prop_map(|(action, target, text, exam, tier, card, foreign)| {
            let mut reply = json!({
                "action": action,
                "target_unit_id": target,
                "tutor_text": text,
                "mapped_units": [],
                "turn_analysis": {
                    "student_intent": "unknown",
                    "understanding_signal": "confused",
                    "suggested_prereq_units": [],
                },
            });
            // Mostly the card that belongs to the action, sometimes another one.
            let key = match (action, card) {
                (_, 0) | ("SOCRATIC_QUESTION", 2..) => None,
                (_, 1) => Some("drill_card"),
                ("DRILL_CARD", _) => Some("drill_card"),
                ("CONCEPT_CARD", _) => Some("concept_card"),
                _ => Some("exam_suggestion"),
            };
            if let Some(key) = key {
                reply[key] = match key {
                    "drill_card" => json!({"prompt": "Solve.", "question_latex": "x = 1"}),
                    "concept_card" => json!({"key_ideas": ["An idea."]}),
                    _ => json!({"question_id": exam, "difficultyTier": tier}),
                };
            }
            if foreign {
                reply["mastery"] = json!("gold");
            }
            reply
        })
}
