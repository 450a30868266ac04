//! Buttons as data: below a reply, on each kind of card, with each kind of result.

use serde_json::{Value, json};
use turnwise_proto::{
    policy::v1::{
        ApplyEvidenceRequest, ApplyEvidenceResponse, DrillGraded, ExamResult,
        GetExamQuestionRequest, OpenDrill, Policy, PrerequisiteMarked, ResolveReplyRequest,
        SupportViewed, apply_evidence_request::Event, resolve_reply_request::Outcome,
    },
    session::v1::Evidence,
    tutor::v1::{
        Button, ButtonCall, ClientEvent, ClientEventKind, DegradedReason, MasteryTier,
        StudentInput, tutor_card::Content,
    },
};

use crate::fixture::*;

/// The buttons in short: label, call, and the event's kind, unit and question. The primary one is marked.
fn shown(buttons: &[Button]) -> Vec<String> {
    let primary: Vec<_> = buttons.iter().map(|button| button.primary).collect();
    assert!(
        primary.iter().skip(1).all(|primary| !primary),
        "{buttons:?}"
    );
    buttons
        .iter()
        .map(|button| {
            let event = button.event.as_ref().map_or_else(String::new, |event| {
                let ClientEvent {
                    unit_id,
                    question_id,
                    ..
                } = event;
                format!(" {:?} {unit_id} {question_id}", event.kind())
            });
            let is_turn = button.call() == ButtonCall::Turn;
            assert_eq!(is_turn, button.event.is_some(), "{button:?}");
            let mark = if button.primary { "*" } else { "" };
            let text = format!("{mark}{} {:?}{event}", button.label_key, button.call());
            text.trim_end().to_owned()
        })
        .collect()
}

fn reply(action: &str, key: &str, card: Value) -> Outcome {
    let mut reply = json!({
        "action": action,
        "target_unit_id": "ONE",
        "tutor_text": "Have a look.",
        "mapped_units": [],
        "turn_analysis": {
            "student_intent": "check",
            "understanding_signal": "confident",
            "suggested_prereq_units": [],
        },
    });
    reply[key] = card;
    Outcome::Completion(serde_json::to_vec(&reply).unwrap().into())
}

/// The buttons on the card of this reply, and the ready-made drill that it shows.
async fn on_card(service: &Service, policy: Policy, outcome: Outcome) -> (Vec<String>, String) {
    let resolved = service.resolve(policy, outcome).await.unwrap();
    assert_eq!(resolved.violation, "");
    let reply = resolved.reply.unwrap();
    (shown(&reply.card.unwrap().buttons), reply.drill_id)
}

async fn policy_of(service: &Service, attempts: i32, streak: i32) -> Policy {
    let snapshot = snapshot("ONE", &[("ONE", drills(attempts, streak))]);
    let plan = service.plan(plan_request(snapshot)).await.unwrap();
    let decision = service.decide(decide_request(plan)).await.unwrap();
    decision.policy.unwrap()
}

#[tokio::test]
async fn below_a_reply() {
    let service = service().await;
    let plan = service.plan(plan_request(ready())).await.unwrap();
    assert_eq!(plan.locale, "en");
    assert_eq!(plan.policy_semantics, turnwise_decisions::POLICY_SEMANTICS);
    let decision = service.decide(decide_request(plan)).await.unwrap();
    assert_eq!(
        shown(&decision.buttons),
        [
            "*take_exam Turn RequestExam ONE",
            "try_drill Turn RequestDrill ONE",
            "ask_hint Turn StuckHint ONE",
        ]
    );
}

/// What is offered for this message while a drill is open, whatever came of the model.
async fn for_typed(service: &Service, typed: StudentInput, open: bool) -> Option<Button> {
    let request = ResolveReplyRequest {
        policy: Some(policy_of(service, 0, 0).await),
        outcome: Some(Outcome::Failure(DegradedReason::LlmTimeout.into())),
        open_drill: open.then(|| OpenDrill {
            unit_id: "ONE".to_owned(),
            prompt: "Solve the equation.".to_owned(),
            question_latex: "x + 3 = 7".to_owned(),
            said: String::new(),
        }),
        typed: Some(typed),
        ..ResolveReplyRequest::default()
    };
    let resolved = service.client.clone().resolve_reply(request).await;
    resolved.unwrap().into_inner().check_typed
}

#[tokio::test]
async fn a_message_that_reads_as_the_answer_may_be_checked() {
    let service = service().await;
    let text = |text: &str| StudentInput {
        text: text.to_owned(),
        ..StudentInput::default()
    };
    // Nobody learns from the button whether it is right.
    for typed in [
        text("x=4"),
        text("x = 5"),
        text("5?"),
        text("is it 4?"),
        StudentInput {
            latex: "\\frac{8}{2}".to_owned(),
            ..StudentInput::default()
        },
    ] {
        let button = for_typed(&service, typed.clone(), true).await.unwrap();
        let shown = shown(std::slice::from_ref(&button));
        assert_eq!(shown, ["*check_typed GradeDrill"]);
        assert_eq!(button.typed_answer.as_ref(), Some(&typed));
        assert_eq!(button.card_token, "");
        // Without an open drill it answers nothing.
        assert_eq!(for_typed(&service, typed, false).await, None);
    }
    // Of several lines the last one, and nothing that only asks whether it is right.
    for (message, answer) in [
        ("x + 3 - 3 = 7 - 3\nx = 4", "x = 4"),
        ("x = 5 and I checked it", "x = 5"),
    ] {
        let button = for_typed(&service, text(message), true).await.unwrap();
        assert_eq!(button.typed_answer, Some(text(answer)));
    }
    for message in ["", "why?", "x + 3 = 7", "I don't get it", "is it 4 or 5?"] {
        assert_eq!(for_typed(&service, text(message), true).await, None);
    }
}

#[tokio::test]
async fn on_a_concept_card() {
    let service = service().await;
    let stuck = policy_of(&service, 3, 0).await;
    let card = json!({"key_ideas": ["An idea."]});
    let (buttons, drill_id) =
        on_card(&service, stuck, reply("CONCEPT_CARD", "concept_card", card)).await;
    assert_eq!(
        buttons,
        ["*try_drill Turn RequestDrill ONE", "ask_follow_up Compose",]
    );
    assert_eq!(drill_id, "");
}

#[tokio::test]
async fn on_a_drill_card() {
    let service = service().await;
    let expected = ["*check_answer GradeDrill", "ask_hint Turn StuckHint ONE"];
    for (prompt, latex, id) in [
        ("Work out the sum.", "2 + 3", ""),
        ("Work out the value.", "2 + 4", ""),
        ("Work out the value.", "2 + 3", "ONE-D1"),
    ] {
        let card = json!({"prompt": prompt, "question_latex": latex});
        let outcome = reply("DRILL_CARD", "drill_card", card);
        let policy = policy_of(&service, 0, 0).await;
        let (buttons, drill_id) = on_card(&service, policy, outcome).await;
        assert_eq!(buttons, expected);
        assert_eq!(drill_id, id);
    }
    // The one that comes without a model is the course's own.
    let mut request = plan_request(snapshot("ONE", &[]));
    request.event = Some(event(ClientEventKind::RequestDrill, "ONE"));
    let plan = service.plan(request).await.unwrap();
    let policy = service.decide(decide_request(plan)).await.unwrap().policy;
    let silent = Outcome::Completion("Sure!".into());
    let resolved = service.resolve(policy.unwrap(), silent).await.unwrap();
    let reply = resolved.reply.unwrap();
    assert_eq!(reply.drill_id, "ONE-D1");
    assert_eq!(shown(&reply.card.unwrap().buttons), expected);
}

#[tokio::test]
async fn on_an_exam_card() {
    let service = service().await;
    let card = json!({"question_id": "ONE-B1", "difficultyTier": "bronze"});
    let outcome = reply("EXAM_BLOCK", "exam_suggestion", card);
    let policy = policy_of(&service, 2, 2).await;
    let resolved = service.resolve(policy, outcome).await.unwrap();
    let card = resolved.reply.unwrap().card.unwrap();
    assert_eq!(shown(&card.buttons), ["*submit_answer SubmitExam"]);
    let Some(Content::Exam(exam)) = card.content else {
        panic!("no exam card");
    };
    // Its state and its token are others' to say.
    assert_eq!((exam.state, exam.offer_token.as_str()), (0, ""));

    for (id, expected) in [
        ("ONE-B1", &["*submit_answer SubmitExam"][..]),
        (
            "ONE-S1",
            &["*submit_answer SubmitExam", "view_memo ViewMemo"],
        ),
        (
            "ONE-G1",
            &[
                "*submit_answer SubmitExam",
                "view_memo ViewMemo",
                "view_video ViewVideo",
            ],
        ),
    ] {
        let request = GetExamQuestionRequest {
            course_id: COURSE.to_owned(),
            question_id: id.to_owned(),
            ..GetExamQuestionRequest::default()
        };
        let described = service.client.clone().get_exam_question(request).await;
        assert_eq!(shown(&described.unwrap().into_inner().buttons), expected);
    }
}

async fn apply(
    service: &Service,
    evidence: Option<Evidence>,
    event: Event,
) -> ApplyEvidenceResponse {
    let mut sent = snapshot("ONE", &[]);
    sent.evidence = evidence;
    let request = ApplyEvidenceRequest {
        course_id: COURSE.to_owned(),
        snapshot: Some(sent),
        now: Some(NOW),
        event: Some(event),
        ..ApplyEvidenceRequest::default()
    };
    let mut client = service.client.clone();
    client.apply_evidence(request).await.unwrap().into_inner()
}

#[tokio::test]
async fn with_a_result() {
    let service = service().await;
    let (question_id, unit_id) = ("ONE-B1".to_owned(), "ONE".to_owned());
    let tier = MasteryTier::Bronze.into();
    let drill = |correct| {
        Event::DrillGraded(DrillGraded {
            unit_id: "ONE".to_owned(),
            correct,
            mistake_tag: String::new(),
            exercise: 0,
        })
    };
    let exam = ExamResult {
        question_id: question_id.clone(),
        unit_id: unit_id.clone(),
        tier,
        passed: true,
        locked_until: None,
    };
    let support = SupportViewed {
        question_id,
        unit_id: unit_id.clone(),
        tier,
        locked: true,
        locked_until: None,
    };
    let mark = PrerequisiteMarked { unit_id, met: true };
    let after_drill = [
        "*continue Turn DrillContinue ONE",
        "try_another Turn RequestDrill ONE",
    ];
    let after_exam = ["*continue Turn ExamContinue ONE ONE-B1"];
    for (event, expected) in [
        (drill(true), &after_drill[..]),
        (drill(false), &after_drill),
        (Event::ExamResult(exam), &after_exam),
        (Event::SupportViewed(support), &after_exam),
        (Event::PrerequisiteMarked(mark), &[]),
    ] {
        let applied = apply(&service, None, event).await;
        assert_eq!(shown(&applied.buttons), expected);
    }
}

/// The standing is that of the record with the event in it, as it is told outside of a turn.
#[tokio::test]
async fn a_result_comes_with_the_standing_after_it() {
    let service = service().await;
    let evidence = ready().evidence;
    let event = Event::ExamResult(ExamResult {
        question_id: "ONE-B1".to_owned(),
        unit_id: "ONE".to_owned(),
        tier: MasteryTier::Bronze.into(),
        passed: true,
        locked_until: None,
    });
    let applied = apply(&service, evidence, event).await;
    let passed = "Passed: you now have bronze in ";
    assert!(applied.text.starts_with(passed), "{}", applied.text);
    let standing = applied.standing.unwrap();
    assert_eq!(
        standing.focus.as_ref().unwrap().mastery_tier(),
        MasteryTier::Bronze
    );
    assert_eq!(standing.progress.unwrap().bronze, 1);

    let event = Event::ExamResult(ExamResult {
        question_id: "ONE-S1".to_owned(),
        unit_id: "ONE".to_owned(),
        tier: MasteryTier::Silver.into(),
        passed: false,
        locked_until: Some(prost_types::Timestamp {
            seconds: 1_767_225_600,
            nanos: 0,
        }),
    });
    let applied = apply(&service, applied.evidence, event).await;
    let text = &applied.text;
    for part in [
        "The silver question of",
        "2026-01-01 00:00 UTC",
        "Until then you can practise",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let mut described = snapshot("ONE", &[]);
    described.evidence = applied.evidence;
    let request = turnwise_proto::policy::v1::DescribeStandingRequest {
        course_id: COURSE.to_owned(),
        snapshot: Some(described),
        now: Some(NOW),
        ..Default::default()
    };
    let expected = service.client.clone().describe_standing(request).await;
    let expected = expected.unwrap().into_inner().standing;
    assert_eq!(applied.standing, expected);
    assert_eq!(
        expected.unwrap().revisit.unwrap().next_question_id,
        "ONE-S1"
    );
}
