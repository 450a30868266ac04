//! CheckDrill and ResolveGrade: mathematics first, then a model's words.

mod refused;

use std::fs;

use serde_json::{Value, json};
use tonic::Status;
use turnwise_grading::{Reason, Task};
use turnwise_kit::Kit;
use turnwise_proto::{
    policy::v1::{
        CheckDrillRequest, CheckDrillResponse, DrillCheck, DrillVerdict, ResolveGradeRequest,
        ResolveGradeResponse, resolve_grade_request::Outcome,
    },
    tutor::v1::{DegradedReason, GradedBy},
};

use crate::fixture::*;

async fn check(
    service: &Service,
    request: CheckDrillRequest,
) -> Result<CheckDrillResponse, Status> {
    let mut client = service.client.clone();
    Ok(client.check_drill(request).await?.into_inner())
}

async fn resolve(
    service: &Service,
    check: Option<DrillCheck>,
    outcome: Option<Outcome>,
) -> Result<ResolveGradeResponse, Status> {
    let mut client = service.client.clone();
    let request = ResolveGradeRequest {
        check,
        outcome,
        ..ResolveGradeRequest::default()
    };
    Ok(client.resolve_grade(request).await?.into_inner())
}

/// An answer to ONE's ready-made drill.
fn answer(text: &str) -> CheckDrillRequest {
    CheckDrillRequest {
        course_id: COURSE.to_owned(),
        unit_id: "ONE".to_owned(),
        prompt: "Work out the value.".to_owned(),
        question_latex: "2 + 3".to_owned(),
        answer: text.to_owned(),
        drill_id: "ONE-D1".to_owned(),
        ..CheckDrillRequest::default()
    }
}

/// An answer that no mathematics can read.
fn unclear() -> CheckDrillRequest {
    CheckDrillRequest {
        prompt: "Say it in your own words.".to_owned(),
        question_latex: String::new(),
        drill_id: String::new(),
        ..answer("because it is so")
    }
}

fn grade(correct: bool, tag: Value) -> Option<Outcome> {
    says(correct, "Count once more.", tag)
}

fn says(correct: bool, feedback: &str, tag: Value) -> Option<Outcome> {
    let grade = json!({
        "isCorrect": correct,
        "feedbackText": feedback,
        "commonMistakeTag": tag,
    });
    Some(Outcome::Completion(grade.to_string().into_bytes().into()))
}

#[tokio::test]
async fn a_drill_is_checked_with_all_that_a_grader_needs() {
    let service = service().await;
    let checked = check(&service, answer("5")).await.unwrap();
    let said = checked.check.unwrap();
    assert_eq!(said.verdict(), DrillVerdict::Right);
    assert_eq!(said.course_id, COURSE);
    assert_eq!(said.pack_hash, service.hash);
    assert_eq!(said.unit_id, "ONE");
    assert_eq!(said.grader, turnwise_grading::GRADER);
    assert!(!said.counts_llm);
    assert!(said.has_key);
    assert_eq!(checked.unit_title, "Unit ONE");
    assert_eq!(checked.locale, "en");
    assert_eq!(checked.key, "5");
    let tags: Vec<_> = checked
        .mistake_tags
        .iter()
        .map(|tag| (tag.tag.as_str(), tag.meaning.as_str()))
        .collect();
    assert_eq!(tags, [("slip", "A slip.")]);
    let schema: Value = serde_json::from_str(&checked.grade_schema).unwrap();
    let tags = &schema["properties"]["commonMistakeTag"]["enum"];
    assert_eq!(*tags, json!(["slip", null]));

    let checked = check(&service, answer("6")).await.unwrap();
    assert_eq!(checked.check.unwrap().verdict(), DrillVerdict::Wrong);
    let checked = check(&service, unclear()).await.unwrap();
    assert_eq!(checked.check.unwrap().verdict(), DrillVerdict::CannotTell);
}

#[tokio::test]
async fn the_key_is_that_of_the_drill_as_it_reads() {
    let service = service().await;
    type Row = (&'static str, fn(&mut CheckDrillRequest));
    let rows: &[Row] = &[
        ("5", |_| {}),
        ("5", |r| r.prompt = "  Work out the value.\n".to_owned()),
        ("", |r| r.drill_id.clear()),
        ("", |r| r.drill_id = "ONE-D9".to_owned()),
        // A drill of another unit, or one whose text was changed since the card was made.
        ("", |r| r.drill_id = "TWO-D1".to_owned()),
        ("", |r| r.question_latex = "2 + 4".to_owned()),
        ("", |r| r.prompt = "Double the value.".to_owned()),
    ];
    for (key, change) in rows {
        let mut request = answer("5");
        change(&mut request);
        assert_eq!(check(&service, request).await.unwrap().key, *key);
    }
}

#[tokio::test]
async fn feedback_against_the_verdict_gives_way_to_our_own_words() {
    let service = service().await;
    for (typed, correct, feedback, is_withheld) in [
        ("6", false, "Exactly! 6 is correct.", true),
        ("6", false, "Ja, das stimmt genau.", true),
        ("6", false, "What would be right?", false),
        ("5", true, "No, that is wrong.", true),
        ("5", true, "Well done, that is right!", false),
    ] {
        let checked = check(&service, answer(typed)).await.unwrap().check;
        let alone = resolve(&service, checked.clone(), None).await.unwrap();
        let outcome = says(correct, feedback, Value::Null);
        let worded = resolve(&service, checked, outcome).await.unwrap();
        assert_eq!(worded.verdict(), alone.verdict(), "{feedback}");
        let (text, violation, reason) = if is_withheld {
            let reason = DegradedReason::FalseMathematics;
            (alone.feedback_text.as_str(), "false_verdict", reason)
        } else {
            (feedback, "", DegradedReason::Unspecified)
        };
        assert_eq!(worded.feedback_text, text);
        assert_eq!(worded.violation, violation, "{feedback}");
        assert_eq!(worded.fallback_reason(), reason, "{feedback}");
    }
}

#[tokio::test]
async fn a_model_words_what_mathematics_decided() {
    let service = service().await;
    let checked = check(&service, answer("6")).await.unwrap().check;
    let alone = resolve(&service, checked.clone(), None).await.unwrap();
    assert_eq!(alone.verdict(), DrillVerdict::Wrong);
    assert_eq!(alone.graded_by(), GradedBy::Rules);
    assert!(alone.is_evidence);
    assert_eq!(alone.fallback_reason(), DegradedReason::Unspecified);
    assert!(
        !alone.feedback_text.contains('5'),
        "{}",
        alone.feedback_text
    );

    let worded = resolve(&service, checked.clone(), grade(false, json!("slip"))).await;
    let expected = ResolveGradeResponse {
        feedback_text: "Count once more.".to_owned(),
        mistake_tag: "slip".to_owned(),
        ..alone.clone()
    };
    assert_eq!(worded.unwrap(), expected);

    let disagrees = resolve(&service, checked.clone(), grade(true, Value::Null)).await;
    let expected = ResolveGradeResponse {
        observations: vec!["grade_disagreement".to_owned()],
        ..alone.clone()
    };
    assert_eq!(disagrees.unwrap(), expected);

    let timeout = Some(Outcome::Failure(DegradedReason::LlmTimeout.into()));
    let silent = resolve(&service, checked, timeout).await;
    let expected = ResolveGradeResponse {
        fallback_reason: DegradedReason::LlmTimeout.into(),
        ..alone
    };
    assert_eq!(silent.unwrap(), expected);
}

#[tokio::test]
async fn where_mathematics_cannot_tell_a_model_is_shown_and_not_counted() {
    let service = service().await;
    let checked = check(&service, unclear()).await.unwrap().check;
    let alone = resolve(&service, checked.clone(), None).await.unwrap();
    assert_eq!(alone.verdict(), DrillVerdict::CannotTell);
    assert_eq!(alone.graded_by(), GradedBy::Unspecified);
    assert!(!alone.is_evidence);
    assert!(alone.feedback_text.starts_with("I could not check that"));

    let graded = resolve(&service, checked.clone(), grade(false, json!("blunder")))
        .await
        .unwrap();
    assert_eq!(graded.verdict(), DrillVerdict::Wrong);
    assert_eq!(graded.graded_by(), GradedBy::Llm);
    assert!(!graded.is_evidence);
    assert_eq!(graded.mistake_tag, "");
    assert_eq!(graded.observations, ["unknown_tag"]);

    let prose = Some(Outcome::Completion("Well done!".into()));
    let refused = resolve(&service, checked, prose).await.unwrap();
    assert_eq!(refused.fallback_reason(), DegradedReason::LlmNonJson);
    assert_eq!(refused.verdict(), DrillVerdict::CannotTell);
    assert_eq!(refused.feedback_text, alone.feedback_text);
    assert!(!refused.is_evidence);

    let metrics = service.kit.metrics.encode();
    for line in [
        r#"policy_drill_checks_total{task="unknown",verdict="cannot_tell"} 1"#,
        r#"policy_drill_grades_total{verdict="cannot_tell",graded_by="none",model="not_asked"} 1"#,
        r#"policy_drill_grades_total{verdict="wrong",graded_by="llm",model="accepted"} 1"#,
        r#"policy_drill_grades_total{verdict="cannot_tell",graded_by="none",model="llm_non_json"} 1"#,
        r#"policy_drill_grade_observations_total{observation="unknown_tag"} 1"#,
    ] {
        assert!(metrics.contains(line), "{line} is not in:\n{metrics}");
    }
}

#[tokio::test]
async fn a_course_may_say_that_models_count_where_there_is_no_key() {
    let folder = tempfile::tempdir().unwrap();
    write_pack(folder.path(), COURSE);
    let yaml = folder.path().join("course.yaml");
    let mut text = fs::read_to_string(&yaml).unwrap();
    text += "policy:\n  llm_grades: count\n";
    fs::write(&yaml, text).unwrap();
    let mut client = start(folder.path(), &Kit::for_tests()).await;
    let checked = client.check_drill(unclear()).await.unwrap().into_inner();
    let checked = checked.check.unwrap();
    assert!(checked.counts_llm && !checked.has_key);
    let request = ResolveGradeRequest {
        check: Some(checked),
        outcome: grade(true, Value::Null),
        ..ResolveGradeRequest::default()
    };
    let graded = client.resolve_grade(request).await.unwrap().into_inner();
    assert_eq!(graded.verdict(), DrillVerdict::Right);
    assert_eq!(graded.graded_by(), GradedBy::Llm);
    assert_eq!(graded.feedback_text, "Count once more.");
    assert!(graded.is_evidence);

    // With a key no model decides, whatever the course says of models.
    for text in ["banana", "5 is wrong", "not 5", "2 + 3 + 0"] {
        let checked = client.check_drill(answer(text)).await.unwrap().into_inner();
        let checked = checked.check.unwrap();
        assert_eq!(checked.verdict(), DrillVerdict::CannotTell, "{text}");
        assert!(checked.has_key);
        let request = ResolveGradeRequest {
            check: Some(checked),
            outcome: grade(true, Value::Null),
            ..ResolveGradeRequest::default()
        };
        let graded = client.resolve_grade(request).await.unwrap().into_inner();
        assert_eq!(graded.verdict(), DrillVerdict::CannotTell, "{text}");
        assert_eq!(graded.graded_by(), GradedBy::Unspecified);
        assert!(!graded.is_evidence);
        assert!(
            graded.feedback_text.contains("try again"),
            "{}",
            graded.feedback_text
        );
    }
}

/// The texts go by the grader's codes; one that is spelled otherwise there would get the plainest words.
#[tokio::test]
async fn every_code_of_the_grader_has_words_of_its_own() {
    let service = service().await;
    let base = check(&service, answer("6")).await.unwrap().check.unwrap();
    let said = |verdict: DrillVerdict, task: Task, reason: &str| {
        let check = DrillCheck {
            verdict: verdict.into(),
            task: task.as_str().to_owned(),
            reason: reason.to_owned(),
            ..base.clone()
        };
        let resolved = resolve(&service, Some(check), None);
        async { resolved.await.unwrap().feedback_text }
    };
    for (verdict, task, reason) in [
        (DrillVerdict::Right, Task::Solve, Reason::EqualToSolution),
        (DrillVerdict::Right, Task::Evaluate, Reason::EqualInForm),
        (DrillVerdict::Right, Task::Simplify, Reason::EqualInForm),
        (DrillVerdict::Right, Task::Expand, Reason::EqualInForm),
        (DrillVerdict::Right, Task::Factor, Reason::EqualInForm),
        (DrillVerdict::Right, Task::Convert, Reason::EqualInForm),
        (DrillVerdict::Right, Task::Compare, Reason::EqualInForm),
        (
            DrillVerdict::Wrong,
            Task::Solve,
            Reason::IncompleteSolutionSet,
        ),
        (DrillVerdict::Wrong, Task::Solve, Reason::NotASolution),
        (DrillVerdict::Wrong, Task::Expand, Reason::CopiedQuestion),
        (DrillVerdict::Wrong, Task::Factor, Reason::NotFactored),
        (DrillVerdict::Wrong, Task::Expand, Reason::NotExpanded),
        (DrillVerdict::Wrong, Task::Simplify, Reason::NotSimplified),
        (DrillVerdict::Wrong, Task::Convert, Reason::NotConverted),
        (DrillVerdict::Wrong, Task::Convert, Reason::WrongUnit),
        (DrillVerdict::Wrong, Task::Evaluate, Reason::NotEqual),
        (DrillVerdict::Wrong, Task::Simplify, Reason::NotEqual),
        (DrillVerdict::Wrong, Task::Expand, Reason::NotEqual),
        (DrillVerdict::Wrong, Task::Factor, Reason::NotEqual),
        (DrillVerdict::Wrong, Task::Convert, Reason::NotEqual),
        (DrillVerdict::Wrong, Task::Compare, Reason::NotEqual),
        (
            DrillVerdict::CannotTell,
            Task::Unknown,
            Reason::UnreadableAnswer,
        ),
        (
            DrillVerdict::CannotTell,
            Task::Unknown,
            Reason::CopiedQuestion,
        ),
        (
            DrillVerdict::CannotTell,
            Task::Evaluate,
            Reason::NotEvaluated,
        ),
        (DrillVerdict::CannotTell, Task::Factor, Reason::NotFactored),
        (DrillVerdict::CannotTell, Task::Expand, Reason::NotExpanded),
        (
            DrillVerdict::CannotTell,
            Task::Simplify,
            Reason::NotSimplified,
        ),
        (
            DrillVerdict::CannotTell,
            Task::Convert,
            Reason::NotConverted,
        ),
        (DrillVerdict::CannotTell, Task::Solve, Reason::UnclearSteps),
    ] {
        let own = said(verdict, task, reason.as_str()).await;
        let plain = said(verdict, Task::Unknown, "another").await;
        assert_ne!(own, plain, "{task:?} {reason:?}");
    }
}
