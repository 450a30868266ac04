//! Grades: what must hold for whatever a model wrote.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};
use turnwise_decisions::{
    DrillCheck, FallbackReason, GradeObservation, GradedBy, Outcome, Verdict, grade_schema, limits,
    resolve_grade,
};

use super::unit;
use crate::fixtures::course;

fn checks() -> impl Strategy<Value = DrillCheck> {
    let codes = |known: &[&'static str]| prop_oneof![3 => select(known.to_vec()), 1 => Just("?")];
    (
        select(Verdict::ALL.to_vec()),
        codes(&[
            "solve", "evaluate", "simplify", "expand", "factor", "convert", "unknown",
        ]),
        codes(&[
            "equal_to_solution",
            "not_equal",
            "copied_question",
            "unreadable_answer",
        ]),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(verdict, task, reason, counts_llm, has_key)| DrillCheck {
            verdict,
            task: task.to_owned(),
            reason: reason.to_owned(),
            counts_llm,
            has_key,
        })
}

/// What a model may write: mostly a grade, sometimes with something wrong about it, sometimes anything at all.
fn completions() -> impl Strategy<Value = Vec<u8>> {
    let tag = select(vec![
        Value::Null,
        json!("sign"),
        json!("slip"),
        json!("blunder"),
        json!(""),
        json!(3),
    ]);
    let text = prop_oneof![
        4 => "[a-z ]{0,40}",
        1 => Just("See https://example.org".to_owned()),
        1 => Just("ü".repeat(601)),
        1 => any::<String>(),
    ];
    let correct = prop_oneof![8 => any::<bool>().prop_map(Value::Bool), 1 => Just(json!("yes"))];
    let foreign = prop::option::weighted(0.1, select(vec!["mastery", "is_correct", "verdict"]));
    let grade = (correct, text, tag, foreign).prop_map(|(correct, text, tag, foreign)| {
        let mut reply = json!({
            "isCorrect": correct,
            "feedbackText": text,
            "commonMistakeTag": tag,
        });
        if let Some(key) = foreign {
            reply[key] = json!("gold");
        }
        reply.to_string().into_bytes()
    });
    let damaged = (grade.clone(), any::<prop::sample::Index>(), any::<u8>()).prop_map(
        |(mut bytes, at, byte)| {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes
        },
    );
    prop_oneof![6 => grade, 2 => damaged, 1 => vec(any::<u8>(), 0..60)]
}

#[derive(Debug, Clone)]
enum Came {
    Nothing,
    Failure(FallbackReason),
    Completion(Vec<u8>),
}

fn outcomes() -> impl Strategy<Value = Came> {
    prop_oneof![
        1 => Just(Came::Nothing),
        1 => select(FallbackReason::ALL.to_vec()).prop_map(Came::Failure),
        8 => completions().prop_map(Came::Completion),
    ]
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    #[test]
    fn whatever_came_of_a_model_the_rules_are_kept(check in checks(), came in outcomes()) {
        let course = course();
        let unit = unit(&course);
        let outcome = match &came {
            Came::Nothing => None,
            Came::Failure(reason) => Some(Outcome::Failure(*reason)),
            Came::Completion(bytes) => Some(Outcome::Completion(bytes)),
        };
        let graded = |outcome| resolve_grade(course.texts(), unit, &check, outcome);
        let grade = graded(outcome);
        prop_assert_eq!(&grade, &graded(outcome));

        // Mathematics is never overruled, and where it decided it counts.
        if check.verdict != Verdict::CannotTell {
            prop_assert_eq!(grade.verdict, check.verdict);
            prop_assert_eq!(grade.graded_by, Some(GradedBy::Rules));
            prop_assert!(grade.is_evidence);
        }
        // Nothing counts without a verdict, and a model's only where the course counts it.
        prop_assert_eq!(grade.graded_by.is_none(), grade.verdict == Verdict::CannotTell);
        let by_model = grade.graded_by == Some(GradedBy::Llm);
        prop_assert!(!(by_model && check.has_key));
        prop_assert_eq!(
            grade.is_evidence,
            grade.graded_by == Some(GradedBy::Rules) || (by_model && check.counts_llm)
        );
        // A mistake is one of the unit's, and belongs to a wrong answer.
        if let Some(tag) = &grade.mistake_tag {
            prop_assert_eq!(grade.verdict, Verdict::Wrong);
            prop_assert!(unit.mistake_tags.contains(tag));
        }
        // What the student reads is always there, short and plain.
        let text = &grade.feedback_text;
        prop_assert!(!text.trim().is_empty());
        prop_assert!(text.chars().count() <= 600);
        prop_assert!(!limits::has_control_characters(text));
        // A model that was not used leaves no trace but the reason.
        prop_assert_eq!(grade.fallback_reason.is_some(), matches!(came, Came::Failure(_))
            || grade.violation.is_some());
        if grade.fallback_reason.is_some() {
            let own = graded(None);
            prop_assert_eq!(&grade.feedback_text, &own.feedback_text);
            prop_assert_eq!(grade.verdict, own.verdict);
            prop_assert_eq!(&grade.mistake_tag, &None);
            prop_assert_eq!(&grade.observations, &vec![]);
        }
    }

    /// Whatever the schema allows, within the bounds that it cannot say, is used; whatever is used keeps the schema, but
    /// for a tag of the model's own, which is observed.
    #[test]
    fn the_schema_and_the_reading_agree(check in checks(), bytes in completions()) {
        let course = course();
        let unit = unit(&course);
        let outcome = Some(Outcome::Completion(&bytes));
        let grade = resolve_grade(course.texts(), unit, &check, outcome);
        // What is asked again is not read.
        if check.has_key && check.verdict == Verdict::CannotTell {
            return Ok(());
        }
        let Ok(value) = serde_json::from_slice::<Value>(&bytes) else {
            prop_assert!(grade.fallback_reason.is_some());
            return Ok(());
        };
        let valid = jsonschema::is_valid(&grade_schema(unit), &value);
        match grade.fallback_reason {
            None => {
                let right = value["isCorrect"] == json!(true);
                let unknown = grade.observations.contains(&GradeObservation::UnknownTag);
                prop_assert!(valid || unknown || right, "{value}");
            }
            Some(FallbackReason::SchemaViolation) => {
                let text = value["feedbackText"].as_str().unwrap_or_default();
                let damaged = limits::has_control_characters(text);
                prop_assert!(!valid || damaged, "{value}");
            }
            Some(_) => {}
        }
    }
}
