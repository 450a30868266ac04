//! What people read is in the course's language, and in the course's own words where it has some.

use std::fs;

use turnwise_proto::{
    exam::v1::QuestionState,
    policy::v1::{
        ApplyEvidenceRequest, CheckDrillRequest, DecideRequest, DrillCheck, DrillGraded,
        DrillVerdict, ExamResult, ExplainRequest, GetExamQuestionRequest, PlanRequest,
        ResolveGradeRequest, SupportViewed, apply_evidence_request::Event,
        resolve_reply_request::Outcome,
    },
    session::v1::StudentSnapshot,
    tutor::v1::{Button, ClientEventKind, DegradedReason, MasteryTier},
};

use crate::fixture::*;

/// A service over the small pack in a language, with this `texts.yaml`, if any.
async fn service_in(locale: &str, texts: &str) -> Service {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join(COURSE);
    write_pack(&pack, COURSE);
    let course = fs::read_to_string(pack.join("course.yaml")).unwrap();
    assert!(course.contains("locale: en"));
    let course = course.replace("locale: en", &format!("locale: {locale}"));
    fs::write(pack.join("course.yaml"), course).unwrap();
    if !texts.is_empty() {
        fs::write(pack.join("texts.yaml"), texts).unwrap();
    }
    service_of(folder).await
}

fn labels(buttons: &[Button]) -> impl Iterator<Item = String> {
    buttons.iter().map(|button| button.label.clone())
}

/// The feedback on ONE's drill with this verdict.
async fn feedback(service: &Service, verdict: DrillVerdict, task: &str, reason: &str) -> String {
    let mut client = service.client.clone();
    let request = ResolveGradeRequest {
        check: Some(DrillCheck {
            course_id: COURSE.to_owned(),
            pack_hash: service.hash.clone(),
            unit_id: "ONE".to_owned(),
            verdict: verdict.into(),
            task: task.to_owned(),
            reason: reason.to_owned(),
            grader: turnwise_grading::GRADER.to_owned(),
            ..DrillCheck::default()
        }),
        ..ResolveGradeRequest::default()
    };
    let grade = client.resolve_grade(request).await.unwrap().into_inner();
    grade.feedback_text
}

async fn all_feedback(service: &Service) -> Vec<String> {
    let mut said = Vec::new();
    for (verdict, task, reasons) in [
        (
            DrillVerdict::Right,
            "evaluate",
            &["equal_to_solution", "equal_in_form", "matches_key"][..],
        ),
        (DrillVerdict::Right, "simplify", &["equal_in_form"]),
        (DrillVerdict::Right, "expand", &["equal_in_form"]),
        (DrillVerdict::Right, "factor", &["equal_in_form"]),
        (DrillVerdict::Right, "convert", &["equal_in_form"]),
        (DrillVerdict::Right, "compare", &["equal_in_form"]),
        (
            DrillVerdict::Wrong,
            "solve",
            &[
                "incomplete_solution_set",
                "not_a_solution",
                "copied_question",
                "not_factored",
                "not_expanded",
                "not_simplified",
                "not_converted",
                "wrong_unit",
                "not_equal",
            ],
        ),
        (DrillVerdict::Wrong, "evaluate", &["not_equal"]),
        (DrillVerdict::Wrong, "expand", &["not_equal"]),
        (DrillVerdict::Wrong, "convert", &["not_equal"]),
        (DrillVerdict::Wrong, "compare", &["not_equal"]),
        (
            DrillVerdict::CannotTell,
            "solve",
            &[
                "unreadable_answer",
                "not_evaluated",
                "not_factored",
                "not_expanded",
                "not_simplified",
                "not_converted",
                "unclear_steps",
                "copied_question",
                "undecided",
            ],
        ),
    ] {
        for reason in reasons {
            said.push(feedback(service, verdict, task, reason).await);
        }
    }
    said
}

/// What is told before a reply, the buttons below it, and every explanation.
async fn told(service: &Service, request: PlanRequest, close: bool) -> Vec<String> {
    let plan = service.plan(request).await.unwrap();
    let mut decide: DecideRequest = decide_request(plan);
    if close {
        decide.statuses = vec![
            status("ONE-B1", QuestionState::Locked),
            status("ONE-B2", QuestionState::Passed),
        ];
    }
    let decision = service.decide(decide.clone()).await.unwrap();
    let mut said: Vec<_> = labels(&decision.buttons).collect();
    let announcement = decision.policy.unwrap().announcement;
    said.extend(Some(announcement).filter(|text| !text.is_empty()));
    let request = ExplainRequest {
        decide: Some(decide),
    };
    let explained = service.client.clone().explain(request).await.unwrap();
    let why = explained.into_inner().explanation.unwrap();
    said.extend(why.actions.into_iter().map(|action| action.text));
    let units = [why.target, why.focus, why.next_unit, why.prereq_nudge];
    said.extend(units.into_iter().flatten().map(|unit| unit.text));
    said
}

async fn all_told(service: &Service) -> Vec<String> {
    let mut new = plan_request(StudentSnapshot {
        student_id: "ben".to_owned(),
        course_id: COURSE.to_owned(),
        ..StudentSnapshot::default()
    });
    new.target_locked = false;
    let mut led = snapshot("ONE", &[("ONE", drills(1, 1))]);
    led.turn.as_mut().unwrap().target_unit_id = "TWO".to_owned();
    let mut blocked = plan_request(snapshot("START", &[("ONE", drills(1, 1))]));
    blocked.mapped_units = vec![mapped("TWO", 0.82)];
    let mut drilled = plan_request(ready());
    drilled.event = Some(event(ClientEventKind::RequestDrill, "ONE"));
    let mut said = Vec::new();
    for (request, close) in [
        (plan_request(ready()), false),
        (plan_request(ready()), true),
        (
            plan_request(snapshot("ONE", &[("ONE", drills(3, 0))])),
            false,
        ),
        (new, false),
        (plan_request(led), false),
        (blocked, false),
        (drilled, true),
    ] {
        said.extend(told(service, request, close).await);
    }
    said
}

/// What is told with results, and all buttons of cards.
async fn all_results(service: &Service) -> Vec<String> {
    let mut client = service.client.clone();
    let (question_id, unit_id) = ("ONE-B1".to_owned(), "ONE".to_owned());
    let tier = MasteryTier::Bronze.into();
    let exam = |passed| {
        Event::ExamResult(ExamResult {
            question_id: question_id.clone(),
            unit_id: unit_id.clone(),
            tier,
            passed,
            locked_until: None,
        })
    };
    let looked = Event::SupportViewed(SupportViewed {
        question_id: question_id.clone(),
        unit_id: unit_id.clone(),
        tier,
        locked: true,
        locked_until: Some(NOW),
    });
    let drill = Event::DrillGraded(DrillGraded {
        unit_id: unit_id.clone(),
        correct: true,
        ..DrillGraded::default()
    });
    let mut said = Vec::new();
    for event in [exam(true), exam(false), looked, drill] {
        let request = ApplyEvidenceRequest {
            course_id: COURSE.to_owned(),
            snapshot: Some(ready()),
            now: Some(NOW),
            event: Some(event),
            ..ApplyEvidenceRequest::default()
        };
        let applied = client.apply_evidence(request).await.unwrap().into_inner();
        said.extend(Some(applied.text).filter(|text| !text.is_empty()));
        said.extend(labels(&applied.buttons));
        let revisit = applied.standing.unwrap().revisit.unwrap();
        let opens = revisit.entries.into_iter().filter_map(|entry| entry.button);
        said.extend(opens.map(|button| button.label));
    }
    let request = GetExamQuestionRequest {
        course_id: COURSE.to_owned(),
        question_id: "ONE-G1".to_owned(),
        ..GetExamQuestionRequest::default()
    };
    let question = client.get_exam_question(request).await.unwrap();
    said.extend(labels(&question.into_inner().buttons));
    let mut request = plan_request(ready());
    request.event = Some(event(ClientEventKind::RequestDrill, "ONE"));
    let plan = service.plan(request).await.unwrap();
    let policy = service.decide(decide_request(plan)).await.unwrap().policy;
    let silent = Outcome::Failure(DegradedReason::LlmTimeout.into());
    let resolved = service.resolve(policy.unwrap(), silent).await.unwrap();
    said.extend(labels(&resolved.reply.unwrap().card.unwrap().buttons));
    said
}

async fn everything(service: &Service) -> Vec<String> {
    let mut said = all_feedback(service).await;
    said.extend(all_told(service).await);
    said.extend(all_results(service).await);
    said
}

/// The parts of a text that hold words of ours, long enough to be no other language's by chance.
fn phrases(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(['.', '?', ':', ';', ',', '(', ')']);
    parts
        .map(str::trim)
        .filter(|part| part.contains(' ') && part.len() > 12)
}

#[tokio::test]
async fn a_german_course_speaks_german() {
    let english = everything(&service_in("en", "").await).await;
    for locale in ["de", "de-CH"] {
        let german = everything(&service_in(locale, "").await).await;
        assert_eq!(english.len(), german.len());
        for (english, german) in english.iter().zip(&german) {
            assert!(!german.trim().is_empty(), "{english}");
            for phrase in phrases(english) {
                assert!(!german.contains(phrase), "{locale}: {german}");
            }
            assert_ne!(english, german);
            let is_swiss = locale == "de-CH";
            assert!(!is_swiss || !german.contains(['ß', '„', '“']), "{german}");
        }
    }
    // A language that the catalogue does not have gets English.
    assert_eq!(everything(&service_in("fi", "").await).await, english);
}

#[tokio::test]
async fn a_courses_own_words_come_first() {
    let own = "\
feedback-right-value: Super, das ist der Wert!
button-continue: Auf geht's
way-before: {de: 'Zuerst { $unit }, dann { $target }.', en: '{ $target } after { $unit }.'}
feedback-wrong-value: {en: Try again.}
";
    let service = service_in("de-CH", own).await;
    let right = feedback(&service, DrillVerdict::Right, "evaluate", "equal_in_form").await;
    assert_eq!(right, "Super, das ist der Wert!");
    // In another language it is not the course's.
    let wrong = feedback(&service, DrillVerdict::Wrong, "evaluate", "not_equal").await;
    assert!(wrong.starts_with("Das ist nicht der Wert."), "{wrong}");
    let said = everything(&service).await;
    assert!(said.iter().any(|text| text == "Auf geht's"));
    assert!(said.iter().all(|text| text != "Weiter"));
    let way = "Zuerst Unit ONE, dann Unit TWO. Noch ein Schritt.";
    assert!(said.iter().any(|text| text == way), "{said:?}");
}

#[tokio::test]
async fn a_check_names_the_language_for_graders() {
    let service = service_in("de-CH", "").await;
    let request = CheckDrillRequest {
        course_id: COURSE.to_owned(),
        unit_id: "ONE".to_owned(),
        prompt: "Work out the value.".to_owned(),
        question_latex: "2 + 3".to_owned(),
        answer: "5".to_owned(),
        drill_id: "ONE-D1".to_owned(),
        ..CheckDrillRequest::default()
    };
    let checked = service.client.clone().check_drill(request).await.unwrap();
    assert_eq!(checked.into_inner().locale, "de-CH");
}
