//! Grades of drills: mathematics' word, a model's, and what becomes of both.

mod properties;

use serde_json::{Value, json};
use turnwise_decisions::{
    Course, DrillCheck, FallbackReason, Grade, GradeObservation, GradedBy, Outcome, Verdict,
    course::Unit, grade::feedback, grade_schema, resolve_grade,
};
use turnwise_messages::Texts;

use crate::fixtures::course;

pub fn unit(course: &Course) -> &Unit {
    course.unit(course.find("B").unwrap())
}

pub fn check(verdict: Verdict) -> DrillCheck {
    let reason = match verdict {
        Verdict::Right => "equal_to_solution",
        Verdict::Wrong => "not_a_solution",
        Verdict::CannotTell => "undecided",
    };
    DrillCheck {
        verdict,
        task: "solve".to_owned(),
        reason: reason.to_owned(),
        counts_llm: true,
        has_key: false,
    }
}

fn written(correct: bool, tag: Option<&str>) -> Value {
    json!({
        "isCorrect": correct,
        "feedbackText": " Look at the sign again. ",
        "commonMistakeTag": tag,
    })
}

fn graded(check: &DrillCheck, reply: &Value) -> Grade {
    graded_bytes(check, &serde_json::to_vec(reply).unwrap())
}

fn graded_bytes(check: &DrillCheck, bytes: &[u8]) -> Grade {
    let course = course();
    let outcome = Some(Outcome::Completion(bytes));
    resolve_grade(course.texts(), unit(&course), check, outcome)
}

fn alone(check: &DrillCheck) -> Grade {
    let course = course();
    resolve_grade(course.texts(), unit(&course), check, None)
}

#[test]
fn without_a_model_mathematics_decides_or_nobody() {
    for verdict in [Verdict::Right, Verdict::Wrong] {
        let grade = alone(&check(verdict));
        assert_eq!(grade.verdict, verdict);
        assert_eq!(grade.graded_by, Some(GradedBy::Rules));
        assert!(grade.is_evidence);
        assert_eq!(grade.mistake_tag, None);
        assert_eq!(grade.fallback_reason, None);
    }
    let grade = alone(&check(Verdict::CannotTell));
    assert_eq!(grade.verdict, Verdict::CannotTell);
    assert_eq!(grade.graded_by, None);
    assert!(!grade.is_evidence);
    assert!(
        grade
            .feedback_text
            .starts_with("I could not check that, try again"),
        "{}",
        grade.feedback_text
    );
}

#[test]
fn a_model_words_what_mathematics_decided() {
    let grade = graded(&check(Verdict::Wrong), &written(false, Some("sign")));
    assert_eq!(grade.verdict, Verdict::Wrong);
    assert_eq!(grade.graded_by, Some(GradedBy::Rules));
    assert_eq!(grade.feedback_text, "Look at the sign again.");
    assert_eq!(grade.mistake_tag.as_deref(), Some("sign"));
    assert!(grade.is_evidence);
    assert_eq!(grade.observations, []);
    let grade = graded(&check(Verdict::Right), &written(true, None));
    assert_eq!(grade.verdict, Verdict::Right);
    assert_eq!(grade.feedback_text, "Look at the sign again.");
}

#[test]
fn a_model_that_disagrees_is_observed_and_not_heard() {
    for (verdict, said) in [(Verdict::Right, false), (Verdict::Wrong, true)] {
        let grade = graded(&check(verdict), &written(said, Some("sign")));
        let expected = Grade {
            observations: vec![GradeObservation::GradeDisagreement],
            ..alone(&check(verdict))
        };
        assert_eq!(grade, expected);
    }
}

#[test]
fn where_mathematics_cannot_tell_a_model_decides() {
    for (said, verdict, tag) in [
        (true, Verdict::Right, None),
        (false, Verdict::Wrong, Some("sign".to_owned())),
    ] {
        let reply = written(said, Some("sign"));
        let mut check = check(Verdict::CannotTell);
        let grade = graded(&check, &reply);
        assert_eq!(grade.verdict, verdict);
        assert_eq!(grade.graded_by, Some(GradedBy::Llm));
        assert!(grade.is_evidence);
        assert_eq!(grade.mistake_tag, tag);
        // The student reads the same where the course says that it does not count.
        check.counts_llm = false;
        let expected = Grade {
            is_evidence: false,
            ..grade
        };
        assert_eq!(graded(&check, &reply), expected);
    }
}

#[test]
fn where_the_course_gives_the_answer_no_model_decides() {
    let mut check = check(Verdict::CannotTell);
    check.has_key = true;
    for said in [true, false] {
        assert_eq!(graded(&check, &written(said, Some("sign"))), alone(&check));
    }
    assert_eq!(graded_bytes(&check, b"banana"), alone(&check));
    assert_eq!(alone(&check).verdict, Verdict::CannotTell);
    // What mathematics decided is worded by a model as ever.
    check.verdict = Verdict::Wrong;
    let grade = graded(&check, &written(false, Some("sign")));
    assert_eq!(grade.feedback_text, "Look at the sign again.");
    assert!(grade.is_evidence);
}

#[test]
fn a_tag_that_the_unit_does_not_list_is_none() {
    for verdict in [Verdict::Wrong, Verdict::CannotTell] {
        let grade = graded(&check(verdict), &written(false, Some("blunder")));
        assert_eq!(grade.verdict, Verdict::Wrong);
        assert_eq!(grade.mistake_tag, None);
        assert_eq!(grade.observations, [GradeObservation::UnknownTag]);
        assert!(grade.is_evidence);
    }
    // With a right answer there is no mistake to name.
    let grade = graded(&check(Verdict::Right), &written(true, Some("blunder")));
    assert_eq!((grade.mistake_tag, grade.observations), (None, vec![]));
}

#[test]
fn a_grade_that_breaks_the_contract_is_none() {
    let with = |key: &str, value: Value| {
        let mut reply = written(false, Some("sign"));
        reply[key] = value;
        reply.to_string().into_bytes()
    };
    let without = |key: &str| {
        let mut reply = written(false, Some("sign"));
        reply.as_object_mut().unwrap().remove(key);
        reply.to_string().into_bytes()
    };
    for (bytes, reason) in [
        (b"".to_vec(), "llm_non_json"),
        (b"The answer is right.".to_vec(), "llm_non_json"),
        (b"[true]".to_vec(), "llm_non_json"),
        (vec![b' '; 64 * 1024 + 1], "limits_exceeded"),
        (
            br#"{"isCorrect":true,"isCorrect":false,"feedbackText":"x","commonMistakeTag":null}"#
                .to_vec(),
            "schema_violation",
        ),
        (without("isCorrect"), "schema_violation"),
        (without("feedbackText"), "schema_violation"),
        (without("commonMistakeTag"), "schema_violation"),
        (with("is_correct", json!(true)), "schema_violation"),
        (with("mastery", json!("gold")), "schema_violation"),
        (with("isCorrect", json!("true")), "schema_violation"),
        (with("isCorrect", json!(1)), "schema_violation"),
        (with("feedbackText", Value::Null), "schema_violation"),
        (
            with("commonMistakeTag", json!(["sign"])),
            "schema_violation",
        ),
        (with("feedbackText", json!("\u{c}rac")), "schema_violation"),
        (with("feedbackText", json!("")), "empty_message"),
        (with("feedbackText", json!(" \n")), "empty_message"),
        (
            with("feedbackText", json!("ü".repeat(601))),
            "limits_exceeded",
        ),
    ] {
        for verdict in Verdict::ALL {
            let grade = graded_bytes(&check(verdict), &bytes);
            let name = grade.fallback_reason.map(FallbackReason::as_str);
            assert_eq!(name, Some(reason), "{}", String::from_utf8_lossy(&bytes));
            assert!(grade.violation.is_some());
            let expected = Grade {
                fallback_reason: grade.fallback_reason,
                violation: grade.violation.clone(),
                ..alone(&check(verdict))
            };
            assert_eq!(grade, expected);
        }
    }
    let most = with("feedbackText", json!("ü".repeat(600)));
    assert_eq!(
        graded_bytes(&check(Verdict::Wrong), &most).fallback_reason,
        None
    );
}

#[test]
fn a_model_that_wrote_nothing_leaves_mathematics_alone() {
    let course = course();
    for reason in FallbackReason::ALL {
        for verdict in Verdict::ALL {
            let check = check(verdict);
            let outcome = Some(Outcome::Failure(reason));
            let grade = resolve_grade(course.texts(), unit(&course), &check, outcome);
            let expected = Grade {
                fallback_reason: Some(reason),
                ..alone(&check)
            };
            assert_eq!(grade, expected);
        }
    }
}

#[test]
fn a_schema_names_the_tags_of_the_unit() {
    let schema = grade_schema(unit(&course()));
    let tags = &schema["properties"]["commonMistakeTag"]["enum"];
    assert_eq!(*tags, json!(["sign", "slip", null]));
    assert!(jsonschema::is_valid(&schema, &written(true, None)));
    assert!(jsonschema::is_valid(&schema, &written(false, Some("slip"))));
    assert!(!jsonschema::is_valid(
        &schema,
        &written(false, Some("blunder"))
    ));
    let mut more = written(true, None);
    more["mastery"] = json!("gold");
    assert!(!jsonschema::is_valid(&schema, &more));
}

#[test]
fn codes_that_are_not_known_get_words_that_are_always_true() {
    for (verdict, text) in [
        (Verdict::Right, "That is right."),
        (Verdict::Wrong, "That is not the answer yet."),
        (Verdict::CannotTell, "I could not check that, try again."),
    ] {
        let said = feedback::text(&Texts::default(), verdict, "integrate", "by_parts");
        assert!(said.starts_with(text), "{said}");
    }
}
