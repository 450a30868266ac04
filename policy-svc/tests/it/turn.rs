//! A turn: Plan, Decide, ResolveReply; and the standing outside of one.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    policy::v1::{
        DecideRequest, DescribeStandingRequest, ResolveReplyRequest, resolve_reply_request::Outcome,
    },
    session::v1::{RevisitEntry, StudentSnapshot},
    tutor::v1::{
        ClientEventKind, DegradedReason, ExamAvailability, MasteryTier, StudentIntent, TutorAction,
        tutor_card::Content,
    },
};

use crate::fixture::*;

fn reply(action: &str, target: &str) -> Value {
    json!({
        "action": action,
        "target_unit_id": target,
        "tutor_text": "Shall we see what you know?",
        "mapped_units": [{"unit_id": "TWO", "confidence": 0.5}, {"unit_id": "gone", "confidence": 1}],
        "turn_analysis": {
            "student_intent": "check",
            "understanding_signal": "confident",
            "suggested_prereq_units": ["ONE", "gone"],
        },
    })
}

fn completion(reply: &Value) -> Outcome {
    Outcome::Completion(serde_json::to_vec(reply).unwrap().into())
}

#[tokio::test]
async fn a_ready_student_gets_an_exam_question() {
    let service = service().await;
    let plan = service.plan(plan_request(ready())).await.unwrap();
    assert_eq!(plan.course_id, COURSE);
    assert_eq!(plan.pack_hash, service.hash);
    assert_eq!(plan.focus_unit_id, "ONE");
    assert_eq!(plan.desired_exam_tier(), MasteryTier::Bronze);
    assert!(plan.exam_ready && !plan.stuck && !plan.clamped);
    assert_eq!(plan.scoped_unit_ids, ["ONE", "START"]);
    assert!(plan.candidates[0].score > 0.0);

    let decision = service.decide(decide_request(plan.clone())).await.unwrap();
    let named = DecideRequest {
        name_schema: true,
        ..decide_request(plan)
    };
    let named = service.decide(named).await.unwrap();
    let hash = hex::encode(Sha256::digest(&decision.reply_schema));
    assert_eq!(named.reply_schema, format!("sha256:{hash}"));
    assert_eq!(named.policy, decision.policy);
    let policy = decision.policy.unwrap();
    assert_eq!(policy.turn_id, TURN);
    assert_eq!(policy.pack_hash, service.hash);
    assert_eq!(policy.exam_availability(), ExamAvailability::Available);
    assert_eq!(policy.exam_candidate_ids, ["ONE-B2", "ONE-B1"]);
    assert_eq!(
        policy.allowed_actions().collect::<Vec<_>>(),
        [
            TutorAction::SocraticQuestion,
            TutorAction::DrillCard,
            TutorAction::ExamBlock
        ]
    );
    let schema: Value = serde_json::from_str(&decision.reply_schema).unwrap();
    assert_eq!(schema["anyOf"].as_array().unwrap().len(), 3);
    let labels: Vec<_> = decision
        .buttons
        .iter()
        .map(|b| b.label_key.as_str())
        .collect();
    assert_eq!(labels, ["take_exam", "try_drill", "ask_hint"]);
    assert!(decision.buttons[0].primary);
    assert_eq!(decision.standing.unwrap().progress.unwrap().total, 2);

    let mut reply = reply("EXAM_BLOCK", "ONE");
    reply["exam_suggestion"] = json!({"question_id": "ONE-B2", "difficultyTier": "bronze"});
    let resolved = service.resolve(policy, completion(&reply)).await.unwrap();
    assert_eq!(resolved.fallback_reason(), DegradedReason::Unspecified);
    assert_eq!(resolved.violation, "");
    let analysis = resolved.analysis.unwrap();
    assert_eq!(analysis.mapped_units, [mapped("TWO", 0.5)]);
    assert_eq!(analysis.suggested_prereq_units, ["ONE"]);
    assert_eq!(analysis.student_intent(), StudentIntent::Check);
    let shown = resolved.reply.unwrap();
    assert_eq!(shown.action(), TutorAction::ExamBlock);
    let card = shown.card.unwrap();
    assert_eq!(card.unit_id, "ONE");
    let Some(Content::Exam(exam)) = card.content else {
        panic!("no exam card");
    };
    assert_eq!(exam.prompt, "Choose the value.");
    assert_eq!(exam.question_latex, "2 + 2");
    let options: Vec<_> = exam.options.iter().map(|o| o.option_id.as_str()).collect();
    assert_eq!(options, ["a", "b"]);
}

#[tokio::test]
async fn a_new_student_is_only_asked() {
    let service = service().await;
    let mut request = plan_request(StudentSnapshot {
        student_id: "ben".to_owned(),
        course_id: COURSE.to_owned(),
        ..StudentSnapshot::default()
    });
    request.target_locked = false;
    let plan = service.plan(request).await.unwrap();
    assert!(plan.clamped && !plan.target_locked);
    assert_eq!(plan.focus_unit_id, "START");
    assert_eq!(plan.next_unit_id, "ONE");
    let decision = service.decide(decide_request(plan)).await.unwrap();
    assert_eq!(
        decision
            .policy
            .unwrap()
            .allowed_actions()
            .collect::<Vec<_>>(),
        [TutorAction::SocraticQuestion]
    );
    assert_eq!(decision.buttons[0].label_key, "next_unit");
}

#[tokio::test]
async fn a_blocked_target_moves_the_focus_to_its_prerequisite() {
    let service = service().await;
    let mut request = plan_request(ready());
    request.mapped_units = vec![mapped("TWO", 0.9)];
    let plan = service.plan(request).await.unwrap();
    assert_eq!(plan.primary_target_unit_id, "TWO");
    assert_eq!(plan.prereq_blocking_unit_id, "ONE");
    assert_eq!(plan.focus_unit_id, "ONE");
    assert!(plan.prereq_check_open && !plan.exam_ready);
    let decision = service.decide(decide_request(plan)).await.unwrap();
    assert_eq!(decision.buttons[0].label_key, "check_prerequisite");
    let nudge = decision.standing.unwrap().prereq_nudge.unwrap();
    assert_eq!(
        (nudge.unit_id.as_str(), nudge.title.as_str()),
        ("ONE", "Unit ONE")
    );
    let policy = decision.policy.unwrap();
    let resolved = service
        .resolve(policy, completion(&reply("SOCRATIC_QUESTION", "TWO")))
        .await
        .unwrap();
    assert_eq!(resolved.observations, ["target_not_blocker"]);
}

#[tokio::test]
async fn a_pressed_button_narrows_the_reply() {
    let service = service().await;
    for (kind, expected) in [
        (ClientEventKind::RequestDrill, TutorAction::DrillCard),
        (ClientEventKind::RequestExam, TutorAction::ExamBlock),
        (ClientEventKind::StuckHint, TutorAction::SocraticQuestion),
    ] {
        let mut request = plan_request(ready());
        request.event = Some(event(kind, "ONE"));
        let plan = service.plan(request).await.unwrap();
        let policy = service.decide(decide_request(plan)).await.unwrap();
        let policy = policy.policy.unwrap();
        assert_eq!(policy.allowed_actions().collect::<Vec<_>>(), [expected]);
        // Without a model, the button still does what it says.
        let failure = Outcome::Failure(DegradedReason::LlmTimeout.into());
        let resolved = service.resolve(policy, failure).await.unwrap();
        assert_eq!(resolved.fallback_reason(), DegradedReason::LlmTimeout);
        assert_eq!(resolved.reply.unwrap().action(), expected);
        assert_eq!(resolved.analysis, None);
    }
}

#[tokio::test]
async fn any_bytes_end_in_a_valid_reply_and_are_counted() {
    let service = service().await;
    let policy = service.exam_policy().await;
    let mut out_of_scope = reply("SOCRATIC_QUESTION", "TWO");
    let mut chatty = reply("SOCRATIC_QUESTION", "ONE");
    chatty["tutor_text"] = json!("6 * 7 = 42. One? Two, with y = 2x + 1?");
    let mut tags = chatty.clone();
    tags["confusion_tags"] = json!(["slip"]);
    out_of_scope["tutor_text"] = json!("Fine.");
    for (outcome, expected) in [
        (
            Outcome::Completion("Sure! Here you go.".into()),
            DegradedReason::LlmNonJson,
        ),
        (
            Outcome::Completion(vec![0xff, 0x00].into()),
            DegradedReason::LlmNonJson,
        ),
        (
            Outcome::Completion(vec![].into()),
            DegradedReason::LlmNonJson,
        ),
        (
            completion(&reply("GIVE_ANSWER", "ONE")),
            DegradedReason::ActionNotAllowed,
        ),
        (
            completion(&reply("CONCEPT_CARD", "ONE")),
            DegradedReason::ConceptNotStuck,
        ),
        (completion(&out_of_scope), DegradedReason::TargetOutOfScope),
        (completion(&tags), DegradedReason::SchemaViolation),
        (completion(&chatty), DegradedReason::Unspecified),
        (
            Outcome::Failure(DegradedReason::Deadline.into()),
            DegradedReason::Deadline,
        ),
    ] {
        let resolved = service.resolve(policy.clone(), outcome).await.unwrap();
        assert_eq!(
            resolved.fallback_reason(),
            expected,
            "{}",
            resolved.violation
        );
        let shown = resolved.reply.unwrap();
        assert!(policy.allowed_actions.contains(&shown.action));
        assert!(policy.scoped_unit_ids.contains(&shown.target_unit_id));
    }
    let metrics = service.kit.metrics.encode();
    for line in [
        r#"policy_replies_total{outcome="llm_non_json"} 3"#,
        r#"policy_replies_total{outcome="accepted"} 1"#,
        r#"policy_replies_total{outcome="deadline"} 1"#,
        r#"policy_reply_observations_total{observation="two_questions"} 1"#,
        r#"policy_reply_statements_total{verdict="decided"} 1"#,
        r#"policy_reply_statements_total{verdict="undecided"} 1"#,
    ] {
        assert!(metrics.contains(line), "{line} is not in:\n{metrics}");
    }
}

#[tokio::test]
async fn where_no_model_is_to_be_called_the_policys_own_reply_is_no_fallback() {
    let service = service().await;
    let policy = service.exam_policy().await;
    let off = Outcome::Failure(DegradedReason::LlmOff.into());
    // A class that has used up its tokens falls back; where nobody wants a model, the same reply is the reply.
    let failed = service.resolve(policy.clone(), off.clone()).await.unwrap();
    assert_eq!(failed.fallback_reason(), DegradedReason::LlmOff);
    let request = ResolveReplyRequest {
        policy: Some(policy),
        outcome: Some(off),
        no_model: true,
        ..ResolveReplyRequest::default()
    };
    let mut client = service.client.clone();
    let own = client.resolve_reply(request).await.unwrap().into_inner();
    assert_eq!(own.fallback_reason(), DegradedReason::Unspecified);
    assert_eq!(own.reply, failed.reply);
    assert_eq!((own.violation.as_str(), own.analysis), ("", None));
    let metrics = service.kit.metrics.encode();
    for line in [
        r#"policy_replies_total{outcome="llm_off"} 1"#,
        r#"policy_replies_total{outcome="no_model"} 1"#,
    ] {
        assert!(metrics.contains(line), "{line} is not in:\n{metrics}");
    }
}

#[tokio::test]
async fn without_the_exam_system_no_exam_is_offered() {
    let service = service().await;
    let plan = service.plan(plan_request(ready())).await.unwrap();
    let mut request = decide_request(plan);
    request.exam_system_unavailable = true;
    let policy = service.decide(request).await.unwrap().policy.unwrap();
    assert_eq!(policy.exam_availability(), ExamAvailability::None);
    assert!(policy.exam_candidate_ids.is_empty());
}

#[tokio::test]
async fn a_state_that_is_not_known_is_locked() {
    let service = service().await;
    let plan = service.plan(plan_request(ready())).await.unwrap();
    let mut request = decide_request(plan);
    request.statuses = vec![
        status("ONE-B1", QuestionState::Unspecified),
        QuestionStatus {
            question_id: "ONE-B2".to_owned(),
            state: 77,
            locked_until: Some(NOW),
        },
    ];
    let policy = service.decide(request).await.unwrap().policy.unwrap();
    assert_eq!(policy.exam_availability(), ExamAvailability::Locked);
    assert_eq!(policy.exam_next_eligible_at, Some(NOW));
}

#[tokio::test]
async fn the_same_request_gives_the_same_answer() {
    let service = service().await;
    let request = || {
        let mut request = plan_request(ready());
        request.mapped_units = vec![mapped("TWO", 0.4), mapped("ONE", 0.4)];
        request
    };
    let once = service.plan(request()).await.unwrap();
    let again = service.plan(request()).await.unwrap();
    assert_eq!(once, again);
    let decided = service.decide(decide_request(once)).await.unwrap();
    assert_eq!(
        decided,
        service.decide(decide_request(again)).await.unwrap()
    );
}

#[tokio::test]
async fn locks_show_in_the_standing() {
    let service = service().await;
    let mut snapshot = ready();
    let queue = &mut snapshot.evidence.as_mut().unwrap().revisit_queue;
    for question in ["ONE-B1", "ONE-B2"] {
        queue.push(RevisitEntry {
            question_id: question.to_owned(),
            unit_id: "ONE".to_owned(),
            tier: MasteryTier::Bronze.into(),
        });
    }
    let statuses = vec![
        QuestionStatus {
            question_id: "ONE-B2".to_owned(),
            state: QuestionState::Locked.into(),
            locked_until: Some(NOW),
        },
        status("ONE-B1", QuestionState::Available),
    ];
    let request = DescribeStandingRequest {
        course_id: COURSE.to_owned(),
        snapshot: Some(snapshot.clone()),
        statuses: statuses.clone(),
        now: Some(NOW),
    };
    let response = service.client.clone().describe_standing(request).await;
    let standing = response.unwrap().into_inner().standing.unwrap();
    let revisit = standing.revisit.unwrap();
    assert_eq!(revisit.locked_count, 1);
    assert_eq!(revisit.next_eligible_at, Some(NOW));
    assert_eq!(revisit.next_question_id, "ONE-B2");
    let [first, second] = revisit.entries.as_slice() else {
        panic!("{:?}", revisit.entries);
    };
    assert_eq!(
        (first.state(), first.locked_until),
        (QuestionState::Available, None)
    );
    assert_eq!(
        (second.state(), second.locked_until),
        (QuestionState::Locked, Some(NOW))
    );
    assert_eq!(second.tier(), MasteryTier::Bronze);
    let opens = second.button.as_ref().unwrap();
    assert!(!opens.primary);
    assert_eq!(opens.event.as_ref().unwrap().unit_id, "ONE");
    let focus = standing.focus.unwrap();
    assert_eq!((focus.unit_id.as_str(), focus.needs_review), ("ONE", false));

    // The same in a turn, once the exam system was asked.
    let plan = service.plan(plan_request(snapshot)).await.unwrap();
    assert_eq!(plan.focus_revisit_question_ids, ["ONE-B1", "ONE-B2"]);
    let mut request = decide_request(plan);
    request.statuses = statuses;
    let decision = service.decide(request).await.unwrap();
    let summary = decision.summary.unwrap();
    assert_eq!(summary.revisit_locked_count, 1);
    assert_eq!(summary.revisit_next_eligible_at, Some(NOW));
    assert_eq!(summary.focus_unit_id, "ONE");
    assert_eq!(decision.standing.unwrap().revisit.unwrap(), revisit);
    assert_eq!(decision.policy.unwrap().exam_candidate_ids, ["ONE-B1"]);
}

/// A badge that the latest drills would no longer earn stays, and the standing says so, here and in a turn.
#[tokio::test]
async fn a_standing_says_that_its_focus_needs_review() {
    let service = service().await;
    for (tier, streak, needs_review) in [
        (MasteryTier::None, 0, false),
        (MasteryTier::Bronze, 2, false),
        (MasteryTier::Bronze, 1, true),
        (MasteryTier::Bronze, 0, true),
    ] {
        let mut snapshot = snapshot("ONE", &[("ONE", drills(streak.max(1), streak))]);
        let progress = &mut snapshot.evidence.as_mut().unwrap().unit_progress[0];
        progress.mastery_tier = tier.into();
        let request = DescribeStandingRequest {
            course_id: COURSE.to_owned(),
            snapshot: Some(snapshot.clone()),
            statuses: Vec::new(),
            now: Some(NOW),
        };
        let response = service.client.clone().describe_standing(request).await;
        let standing = response.unwrap().into_inner().standing.unwrap();
        // Who asks for a drill of it works on it, whatever its badge is.
        let mut plan = plan_request(snapshot);
        plan.event = Some(event(ClientEventKind::RequestDrill, "ONE"));
        let plan = service.plan(plan).await.unwrap();
        let decision = service.decide(decide_request(plan)).await.unwrap();
        for standing in [standing, decision.standing.unwrap()] {
            let focus = standing.focus.unwrap();
            assert_eq!(focus.unit_id, "ONE");
            assert_eq!(focus.needs_review, needs_review, "{tier:?} {streak}");
        }
    }
}
