//! Arbitrary courses, records, messages and replies.

pub mod replies;
pub mod wide;

use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::{Value, json};
use turnwise_decisions::{
    Action, Course, CourseSpec, DecideInput, EventKind, Policy, PrereqWalk, QuestionState,
    QuestionStatus, Rules, StuckRule, Tier,
};

use crate::fixtures::{Turn, event, now, questions, unit};

/// The id of the n-th unit. Ids sort otherwise than the file does, so that the two orders cannot be mixed up unseen.
pub fn id(n: usize) -> String {
    format!("U{:02}", (n * 37 + 11) % 100)
}

/// A course of 1 to `most` units, mostly many; the first is the entry. With `acyclic`, edges point to earlier units only.
pub fn course(most: usize, acyclic: bool) -> impl Strategy<Value = Course> {
    let shape = (
        vec(any::<Index>(), 0..4),
        prop::bool::weighted(0.9),
        0..3_usize,
    );
    (
        prop_oneof![1 => vec(shape.clone(), 1..=most), 4 => vec(shape, most)],
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

/// An input whose event, if any, names a unit of the course.
pub fn plan_input(course: &Course) -> impl Strategy<Value = Turn> + use<> {
    let units = course.unit_count();
    let kinds = vec![
        EventKind::RequestDrill,
        EventKind::RequestExam,
        EventKind::DrillContinue,
        EventKind::ExamContinue,
        EventKind::StuckHint,
        EventKind::ChooseUnit,
    ];
    (
        wide::snapshot(),
        wide::mapped(),
        prop::option::of((prop::sample::select(kinds), 0..units)),
        any::<bool>(),
    )
        .prop_map(|(snapshot, mapped_units, pressed, target_locked)| Turn {
            snapshot,
            mapped_units,
            event: pressed.and_then(|(kind, n)| event(kind, &id(n))),
            target_locked,
            now: now(),
        })
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
        vec(wide::question_id(), 0..6),
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
        open_drill_unit_id: String::new(),
        matched_unit_id: String::new(),
    }
}

/// What a model may write: rubbish, or a reply made of mostly right parts.
pub fn completion(policy: &Policy) -> impl Strategy<Value = Vec<u8>> + use<> {
    let rubbish = prop_oneof![
        vec(any::<u8>(), 0..200),
        "[{}\\[\\]\":,a-z0-9 ]{0,60}".prop_map(String::into_bytes),
    ];
    prop_oneof![1 => rubbish, 9 => parts(policy).prop_map(|v| serde_json::to_vec(&v).unwrap())]
}

/// One of the right values, or now and then one of the wrong ones.
fn mostly<T: Clone + std::fmt::Debug + 'static>(
    right: Vec<T>,
    wrong: Vec<T>,
) -> impl Strategy<Value = T> + use<T> {
    let right = if right.is_empty() {
        wrong.clone()
    } else {
        right
    };
    prop_oneof![
        8 => prop::sample::select(right),
        1 => prop::sample::select(wrong),
    ]
}

fn parts(policy: &Policy) -> impl Strategy<Value = Value> + use<> {
    // The last allowed action is the rarest one: an exam question or a concept card.
    let mut actions: Vec<_> = policy.allowed_actions.iter().map(|a| a.as_str()).collect();
    actions.extend(
        actions
            .last()
            .copied()
            .map(|last| [last; 4])
            .into_iter()
            .flatten(),
    );
    let every_action = Action::ALL.map(Action::as_str).to_vec();
    let focus = policy.focus_unit_id.clone();
    let mut targets = policy.scoped_unit_ids.clone();
    targets.push("nowhere".to_owned());
    let wrong_exams = vec!["made-up".to_owned(), format!("{focus}-bronze-1")];
    (
        mostly(actions, every_action),
        mostly(vec![focus], targets),
        mostly(
            vec!["What next?", "Fine."],
            vec!["A. B? C? D?", "", "\u{0}"],
        ),
        mostly(policy.exam_candidate_ids.clone(), wrong_exams),
        mostly(
            vec![policy.desired_exam_tier.as_str()],
            vec!["bronze", "gold"],
        ),
        // The card that belongs to the action, another one, or none.
        prop_oneof![8 => Just(0_u8), 1 => Just(1), 1 => Just(2)],
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
            let key = match (card, action) {
                (0, "DRILL_CARD") | (1, _) => Some("drill_card"),
                (0, "CONCEPT_CARD") => Some("concept_card"),
                (0, "EXAM_BLOCK") => Some("exam_suggestion"),
                _ => None,
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
