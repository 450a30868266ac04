//! Replies as a model writes them, one of each kind, and the policies that allow them.

use serde_json::{Value, json};
use turnwise_decisions::{Action, Course, Policy, Record, decide, plan};

use crate::course;

/// A typical reply of each action: its name, the policy, the bytes.
pub fn typical(course: &Course) -> Vec<(&'static str, Policy, Vec<u8>)> {
    let policies: Vec<_> = course::students(course, 500)
        .iter()
        .map(|student| {
            let record = Record::new(course, &student.snapshot, course::now());
            let planned = plan(&record, &student.input).unwrap();
            let input = course::decide_input(course, planned);
            decide(course, &input).unwrap().policy
        })
        .collect();
    [
        ("question", &policies[0], Action::SocraticQuestion),
        ("drill", &policies[0], Action::DrillCard),
        ("exam question", &policies[0], Action::ExamBlock),
        ("concept", &policies[1], Action::ConceptCard),
    ]
    .into_iter()
    .map(|(name, policy, action)| {
        let bytes = serde_json::to_vec(&reply(policy, action)).unwrap();
        (name, policy.clone(), bytes)
    })
    .collect()
}

/// The same policy with another scope, so that nothing is kept for it; the n-th of many.
pub fn another(course: &Course, policy: &Policy, n: usize) -> Policy {
    let mut other = policy.clone();
    let last = other.scoped_unit_ids.len() - 1;
    other.scoped_unit_ids[last] = course::id(1000 + n % (course.unit_count() - 1000));
    other
}

fn reply(policy: &Policy, action: Action) -> Value {
    let mut reply = json!({
        "action": action.as_str(),
        "target_unit_id": policy.focus_unit_id,
        "tutor_text": "You moved the 2 to the other side and kept its sign. What has to happen to $+2$ when it \
                       crosses the equals sign, and how could you check your answer with $x = 3$?",
        "mapped_units": [
            {"unit_id": policy.focus_unit_id, "confidence": 0.82},
            {"unit_id": policy.scoped_unit_ids[1], "confidence": 0.4},
        ],
        "turn_analysis": {
            "student_intent": "solve",
            "understanding_signal": "uncertain",
            "suggested_prereq_units": [policy.scoped_unit_ids[1]],
        },
    });
    match action {
        Action::SocraticQuestion => {}
        Action::DrillCard => {
            reply["drill_card"] = json!({"prompt": "Solve for x.", "question_latex": "3x + 2 = 8"});
        }
        Action::ConceptCard => {
            reply["concept_card"] = json!({
                "key_ideas": [
                    "An equation stays true when the same is done to both sides.",
                    "To undo adding 2, take 2 away on both sides.",
                    "Put your answer back into the equation to check it.",
                ],
                "worked_example": {
                    "problem_latex": "3x + 2 = 8",
                    "final_answer_latex": "x = 2",
                    "steps_latex": ["3x + 2 - 2 = 8 - 2", "3x = 6", "x = 2"],
                },
            });
        }
        Action::ExamBlock => {
            reply["exam_suggestion"] = json!({
                "question_id": policy.exam_candidate_ids[0],
                "difficultyTier": policy.desired_exam_tier.as_str(),
            });
        }
    }
    reply
}
