//! Drills that are exam questions, of the course or of a platform: none is set, none is graded, and no pack has one.

use std::{fs, path::Path};

use serde_json::json;
use tempfile::TempDir;
use turnwise_course_pack::{LibrarySettings, load};
use turnwise_kit::Kit;
use turnwise_policy_svc::{courses, exam_drills};
use turnwise_proto::{
    policy::v1::{
        CheckDrillRequest, DecideRequest, DrillVerdict, KnownTexts, PlanRequest,
        ResolveReplyRequest, resolve_reply_request::Outcome,
    },
    session::v1::{Evidence, StudentSnapshot},
    tutor::v1::{ClientEventKind, DegradedReason, tutor_card::Content},
};
use turnwise_reply_guard::expressions;

use crate::{
    drill_keys::pack_with,
    fixture::*,
    reply_guard::{resolve, says, sets},
};

/// The line of the drill's id in the small pack.
fn id_line(folder: &TempDir) -> String {
    let units = folder.path().join(COURSE).join("units/units.yaml");
    let text = fs::read_to_string(&units).unwrap();
    let at = text.lines().position(|line| line.contains("id: ONE-D1"));
    format!("{}:{}: ", units.display(), at.unwrap() + 1)
}

#[test]
fn a_drill_that_is_an_exam_question_refuses_the_pack() {
    for (prompt, question) in [
        ("Work out the value.", "2+2"),
        ("Work out $2 + 2$.", ""),
        ("Work out the value.", "2.0 + 2"),
        // It has no expression to compare, and reads the same.
        ("Name  the capital of Peru.", ""),
    ] {
        let prompt_line = format!("prompt: {prompt}");
        let question_line = format!("question_latex: '{question}'");
        let mut lines = vec![prompt_line.as_str(), "answer: '4'"];
        if !question.is_empty() {
            lines.push(&question_line);
        }
        let folder = pack_with(&lines);
        let exams = folder.path().join(COURSE).join("exams/exams.yaml");
        let more = "  - {id: ONE-B3, units: [ONE], tier: bronze, prompt: Name the capital of Peru., answer: Lima}\n";
        let text = fs::read_to_string(&exams).unwrap();
        fs::write(&exams, text + more).unwrap();
        let pack = load(&folder.path().join(COURSE)).unwrap();
        let faults = exam_drills::faults(&pack);
        assert_eq!(faults.len(), 1, "{prompt}: {faults:?}");
        let fault = faults[0].to_string();
        assert!(fault.starts_with(&id_line(&folder)), "{fault}");
        assert!(
            fault.contains("the drill `ONE-D1` asks what the exam question `ONE-"),
            "{fault}"
        );
        let refused = courses::open(
            &LibrarySettings::new(folder.path().to_owned(), 0),
            &Kit::for_tests(),
        );
        let refused = refused.err().map(|error| error.to_string());
        let refused = refused.unwrap_or_default();
        assert!(refused.contains("the drill `ONE-D1` asks"), "{refused}");
    }
}

#[tokio::test]
async fn the_words_of_a_drill_that_is_never_set_are_still_an_exams() {
    let words = "Evaluate the expression and find its final value.";
    let folder = pack_with(&[
        "parameters: [a in 2..3]",
        &format!("prompt: {words}"),
        "question_latex: '4 + [[a]]'",
        "answer: '[[a + 4]]'",
    ]);
    let exams = folder.path().join(COURSE).join("exams/exams.yaml");
    let mut text = fs::read_to_string(&exams).unwrap();
    for (n, question, answer) in [(3, "4 + 2", 6), (4, "4 + 3", 7)] {
        text += &format!(
            "  - {{id: ONE-B{n}, units: [ONE], tier: bronze, prompt: {words}, question_latex: '{question}', answer: '{answer}'}}\n"
        );
    }
    fs::write(&exams, text).unwrap();
    let mut pack = load(&folder.path().join(COURSE)).unwrap();
    assert_eq!(exam_drills::faults(&pack), []);
    let (warnings, _) = exam_drills::leave_out(&mut pack);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let warning = warnings[0].to_string();
    assert!(warning.starts_with(&id_line(&folder)), "{warning}");
    assert!(
        warning.contains("all exercises of the drill `ONE-D1` are exam questions"),
        "{warning}"
    );

    let service = service_of(folder).await;
    let resolved = resolve(&service, &says(words), &KnownTexts::default(), None).await;
    assert_eq!(resolved.violation, "exam_question");
}

#[tokio::test]
async fn no_drill_of_the_courses_that_a_platform_asks_is_set_or_graded() {
    let service = service().await;
    let known = KnownTexts {
        exam_expressions: expressions("", "3+2"),
        ..KnownTexts::default()
    };
    let mut ready_made = sets("2 + 3");
    ready_made["drill_card"]["prompt"] = json!("Work out the value.");
    let nothing = KnownTexts::default();
    let resolved = resolve(&service, &ready_made, &nothing, None).await;
    assert_eq!(resolved.reply.unwrap().drill_id, "ONE-D1");
    let resolved = resolve(&service, &ready_made, &known, None).await;
    assert_eq!(resolved.violation, "");
    let reply = resolved.reply.unwrap();
    assert_eq!((reply.drill_id.as_str(), reply.card), ("", None));
    // Nor is it what stands for a model's.
    let unknown = KnownTexts {
        exams_unknown: true,
        ..known.clone()
    };
    let resolved = resolve(&service, &sets("7 + 8"), &unknown, None).await;
    assert_eq!(resolved.reply.unwrap().drill_id, "");
    let mut request = plan_request(snapshot("ONE", &[]));
    request.event = Some(event(ClientEventKind::RequestDrill, "ONE"));
    let plan = service.plan(request).await.unwrap();
    let policy = service.decide(decide_request(plan)).await.unwrap().policy;
    let request = ResolveReplyRequest {
        policy,
        outcome: Some(Outcome::Failure(DegradedReason::LlmTimeout.into())),
        known: Some(known.clone()),
        ..ResolveReplyRequest::default()
    };
    let resolved = service.client.clone().resolve_reply(request).await;
    let reply = resolved.unwrap().into_inner().reply.unwrap();
    assert_eq!((reply.drill_id.as_str(), reply.card), ("", None));
    assert!(reply.text.contains("Write down a small example"));

    let check = |known: KnownTexts| {
        let mut client = service.client.clone();
        let request = CheckDrillRequest {
            course_id: COURSE.to_owned(),
            unit_id: "ONE".to_owned(),
            prompt: "Work out the value.".to_owned(),
            question_latex: "2 + 3".to_owned(),
            answer: "5".to_owned(),
            drill_id: "ONE-D1".to_owned(),
            known: Some(known),
            ..CheckDrillRequest::default()
        };
        async move {
            let checked = client.check_drill(request).await.unwrap().into_inner();
            let check = checked.check.unwrap();
            (check.verdict(), check.reason)
        }
    };
    assert_eq!(check(nothing).await.0, DrillVerdict::Right);
    let refused = (DrillVerdict::CannotTell, "exam_question".to_owned());
    assert_eq!(check(known).await, refused);
}

/// A model that copies an exam question, word for word, sets another drill, and an answer to it is not judged.
#[tokio::test]
async fn no_exam_question_of_the_courses_is_set_or_graded() {
    let courses = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../courses"));
    let client = start(courses, &Kit::for_tests()).await;
    for course in ["algebra-foundations", "terme-und-gleichungen"] {
        let pack = load(&courses.join(course)).unwrap();
        for question in &pack.questions {
            let unit = &question.units[0];
            let (id, mut client) = (&question.id, client.clone());
            let check = CheckDrillRequest {
                course_id: course.to_owned(),
                unit_id: unit.clone(),
                prompt: question.prompt.clone(),
                question_latex: question.question_latex.clone(),
                answer: "5".to_owned(),
                ..CheckDrillRequest::default()
            };
            let checked = client.check_drill(check).await.unwrap().into_inner();
            let check = checked.check.unwrap();
            assert_eq!(check.verdict(), DrillVerdict::CannotTell, "{id}");

            let plan = PlanRequest {
                course_id: course.to_owned(),
                event: Some(event(ClientEventKind::RequestDrill, unit)),
                ..plan_request(StudentSnapshot {
                    course_id: course.to_owned(),
                    evidence: Some(Evidence {
                        prerequisite_overrides: pack
                            .units
                            .iter()
                            .map(|unit| unit.id.clone())
                            .collect(),
                        ..Evidence::default()
                    }),
                    ..snapshot(unit, &[])
                })
            };
            let plan = client.plan(plan).await.unwrap().into_inner().plan;
            let decide = DecideRequest {
                plan,
                turn_id: TURN.to_owned(),
                ..DecideRequest::default()
            };
            let decided = client.decide(decide).await.unwrap().into_inner();
            let copied = json!({
                "action": "DRILL_CARD", "target_unit_id": unit, "tutor_text": "Try this one.",
                "drill_card": {"prompt": question.prompt, "question_latex": question.question_latex},
            });
            let request = ResolveReplyRequest {
                policy: decided.policy,
                outcome: Some(Outcome::Completion(copied.to_string().into_bytes().into())),
                ..ResolveReplyRequest::default()
            };
            let resolved = client.resolve_reply(request).await.unwrap().into_inner();
            let card = resolved
                .reply
                .and_then(|reply| reply.card)
                .and_then(|card| card.content);
            if let Some(Content::Drill(drill)) = card {
                let set = (&drill.prompt, &drill.question_latex);
                assert_ne!(set, (&question.prompt, &question.question_latex), "{id}");
            }
        }
    }
}
