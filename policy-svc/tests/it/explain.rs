//! Why a decision is as it is, over the wire.

use std::collections::BTreeSet;

use prost::Message;
use prost_types::{FileDescriptorSet, Timestamp};
use tonic::Status;
use turnwise_proto::{
    exam::v1::QuestionState,
    policy::v1::{
        DecideRequest, DecisionReason, DecisionReasonCode as Code, ExplainRequest, Explanation,
        Plan, PlanRequest, StuckRule, UnitExplanation,
    },
    session::v1::StudentSnapshot,
    tutor::v1::{ClientEventKind, MasteryTier, TutorAction},
};

use crate::fixture::*;

const LATER: Timestamp = Timestamp {
    seconds: NOW.seconds + 86_400,
    nanos: 0,
};

async fn explain(service: &Service, decide: DecideRequest) -> Result<Explanation, Status> {
    let request = ExplainRequest {
        decide: Some(decide),
    };
    let response = service.client.clone().explain(request).await?;
    Ok(response.into_inner().explanation.unwrap())
}

async fn planned(service: &Service, request: PlanRequest) -> DecideRequest {
    decide_request(service.plan(request).await.unwrap())
}

fn find(explanation: &Explanation, action: TutorAction) -> (bool, &[DecisionReason], &str) {
    let found = explanation.actions.iter().find(|a| a.action() == action);
    let found = found.unwrap();
    (found.allowed, &found.reasons, &found.text)
}

fn reason(code: Code, unit: &str) -> DecisionReason {
    DecisionReason {
        code: code.into(),
        unit_id: unit.to_owned(),
        ..DecisionReason::default()
    }
}

fn codes(unit: &Option<UnitExplanation>) -> (&str, Vec<Code>) {
    let unit = unit.as_ref().unwrap();
    let codes = unit.reasons.iter().map(|reason| reason.code()).collect();
    (&unit.unit_id, codes)
}

/// What a reply may do, as the contract lists it.
fn every_action() -> BTreeSet<i32> {
    let set = FileDescriptorSet::decode(turnwise_proto::DESCRIPTORS).unwrap();
    let mut enums = set.file.into_iter().flat_map(|file| file.enum_type);
    let actions = enums.find(|found| found.name() == "TutorAction").unwrap();
    let numbers = actions.value.iter().map(|value| value.number());
    numbers.filter(|number| *number != 0).collect()
}

#[tokio::test]
async fn every_action_of_the_contract_is_decided_and_explained() {
    let service = service().await;
    let request = planned(&service, plan_request(ready())).await;
    let explanation = explain(&service, request).await.unwrap();
    let explained: BTreeSet<_> = explanation.actions.iter().map(|a| a.action).collect();
    assert_eq!(explained, every_action());
}

#[tokio::test]
async fn what_is_allowed_is_explained_as_it_is_decided() {
    let service = service().await;
    let request = planned(&service, plan_request(ready())).await;
    let decision = service.decide(request.clone()).await.unwrap();
    let explanation = explain(&service, request).await.unwrap();
    let actions: Vec<_> = explanation.actions.iter().map(|a| a.action()).collect();
    assert_eq!(
        actions,
        [
            TutorAction::SocraticQuestion,
            TutorAction::DrillCard,
            TutorAction::ConceptCard,
            TutorAction::ExamBlock
        ]
    );
    let allowed: Vec<_> = explanation
        .actions
        .iter()
        .filter(|a| a.allowed)
        .map(|a| a.action)
        .collect();
    assert_eq!(allowed, decision.policy.unwrap().allowed_actions);

    let ready = DecisionReason {
        streak_correct: 2,
        drills_needed: 2,
        ..reason(Code::Ready, "ONE")
    };
    let open = DecisionReason {
        tier: MasteryTier::Bronze.into(),
        question_count: 2,
        ..reason(Code::QuestionsOpen, "ONE")
    };
    assert_eq!(
        find(&explanation, TutorAction::ExamBlock),
        (
            true,
            &[ready, open][..],
            "An exam question is allowed: no prerequisite of Unit ONE is missing, there are 2 right drills in a row with 2 \
             needed, and 2 bronze questions on Unit ONE can be taken."
        )
    );
    let not_stuck = DecisionReason {
        attempts: 2,
        streak_correct: 2,
        drills_needed: 2,
        stuck_rule: StuckRule::AttemptsWithoutStreak.into(),
        ..reason(Code::NotStuck, "ONE")
    };
    let (_, reasons, _) = find(&explanation, TutorAction::ConceptCard);
    assert_eq!(reasons, [not_stuck]);
    assert_eq!(codes(&explanation.target), ("ONE", vec![Code::TargetKept]));
    assert_eq!(
        codes(&explanation.focus),
        ("ONE", vec![Code::FocusIsTarget])
    );
    assert_eq!(
        codes(&explanation.next_unit),
        ("", vec![Code::QuestionsOpen])
    );
    assert_eq!(
        codes(&explanation.prereq_nudge),
        ("", vec![Code::NoneMissing])
    );
}

#[tokio::test]
async fn a_missing_prerequisite_is_named() {
    let service = service().await;
    let mut request = plan_request(snapshot("START", &[("ONE", drills(1, 1))]));
    request.mapped_units = vec![mapped("TWO", 0.82)];
    let explanation = explain(&service, planned(&service, request).await)
        .await
        .unwrap();
    let blocked = DecisionReason {
        target_unit_id: "TWO".to_owned(),
        ..reason(Code::BlockedBy, "ONE")
    };
    let short = DecisionReason {
        streak_correct: 1,
        drills_needed: 2,
        ..reason(Code::StreakShort, "ONE")
    };
    let reasons = [blocked, short];
    assert_eq!(
        find(&explanation, TutorAction::ExamBlock),
        (
            false,
            &reasons[..],
            "No exam question: Unit ONE comes before Unit TWO, and there is 1 right drill in a row of 2 needed on Unit ONE."
        )
    );
    let sure = DecisionReason {
        confidence: 0.82,
        confidence_needed: 0.55,
        ..reason(Code::TargetMapped, "")
    };
    assert_eq!(
        explanation.target,
        Some(UnitExplanation {
            unit_id: "TWO".to_owned(),
            reasons: vec![sure],
            text: "The turn is about Unit TWO: the message fits it with a confidence of 0.82, and 0.55 is enough."
                .to_owned(),
        })
    );
    let before = DecisionReason {
        target_unit_id: "TWO".to_owned(),
        ..reason(Code::FocusIsPrerequisite, "")
    };
    let focus = explanation.focus.unwrap();
    assert_eq!(
        (focus.unit_id.as_str(), focus.reasons),
        ("ONE", vec![before])
    );
    let nudge = explanation.prereq_nudge.unwrap();
    assert_eq!(
        (nudge.unit_id.as_str(), &nudge.reasons[..]),
        ("ONE", &reasons[..])
    );
    assert_eq!(codes(&explanation.next_unit), ("", vec![Code::NoBadgeYet]));
}

#[tokio::test]
async fn a_lock_and_a_button_are_named() {
    let service = service().await;
    let mut request = plan_request(ready());
    request.event = Some(event(ClientEventKind::RequestDrill, "ONE"));
    let mut request = planned(&service, request).await;
    request.statuses = vec![
        status("ONE-B1", QuestionState::Locked),
        status("ONE-B2", QuestionState::Passed),
    ];
    request.statuses[0].locked_until = Some(LATER);
    let explanation = explain(&service, request).await.unwrap();
    let closed = |code| DecisionReason {
        tier: MasteryTier::Bronze.into(),
        question_count: 1,
        ..reason(code, "ONE")
    };
    let locked = DecisionReason {
        locked_until: Some(LATER),
        ..closed(Code::QuestionsLocked)
    };
    let narrowed = DecisionReason {
        event: ClientEventKind::RequestDrill.into(),
        wanted_action: TutorAction::DrillCard.into(),
        ..reason(Code::NarrowedByEvent, "")
    };
    let (allowed, reasons, text) = find(&explanation, TutorAction::ExamBlock);
    assert!(!allowed);
    assert_eq!(reasons, [locked, closed(Code::QuestionsPassed), narrowed]);
    assert_eq!(
        text,
        "No exam question: 1 bronze question on Unit ONE is locked until 2026-03-03 10:00:00 UTC, 1 bronze question on Unit \
         ONE is passed already, and the button that was pressed asks for a drill and nothing else."
    );
    let asked = DecisionReason {
        event: ClientEventKind::RequestDrill.into(),
        ..reason(Code::AskedFor, "")
    };
    let (_, reasons, _) = find(&explanation, TutorAction::DrillCard);
    assert_eq!(reasons, [reason(Code::UnitToPractise, "ONE"), asked]);
    let target = explanation.target.unwrap();
    assert_eq!(target.reasons[0].event(), ClientEventKind::RequestDrill);
    assert_eq!(target.reasons[0].code(), Code::TargetOfEvent);
}

#[tokio::test]
async fn a_new_student_is_told_where_the_course_begins() {
    let service = service().await;
    let mut request = plan_request(StudentSnapshot {
        student_id: "ben".to_owned(),
        course_id: COURSE.to_owned(),
        ..StudentSnapshot::default()
    });
    request.target_locked = false;
    let explanation = explain(&service, planned(&service, request).await)
        .await
        .unwrap();
    let (allowed, reasons, text) = find(&explanation, TutorAction::DrillCard);
    let expected = [
        reason(Code::MessageNotPlaced, ""),
        reason(Code::EntryUnit, "START"),
    ];
    assert_eq!((allowed, reasons), (false, &expected[..]));
    assert_eq!(
        text,
        "No drill: the message could not be placed in the course, and Unit START is only where the course begins."
    );
    assert_eq!(
        codes(&explanation.next_unit),
        ("ONE", vec![Code::NoBadgeToEarn])
    );
}

#[tokio::test]
async fn bad_requests_name_the_field_as_it_was_sent() {
    fn plan(request: &mut DecideRequest) -> &mut Plan {
        request.plan.as_mut().unwrap()
    }
    type Change = fn(&mut DecideRequest);
    let invalid = "INVALID_ARGUMENT";
    let rows: &[(&str, &str, Change)] = &[
        (invalid, "decide.plan", |r| r.plan = None),
        (invalid, "decide.turn_id", |r| r.turn_id.clear()),
        (invalid, "decide.plan.course_id", |r| {
            plan(r).course_id.clear();
        }),
        ("UNKNOWN_COURSE", "decide.plan.course_id", |r| {
            plan(r).course_id = "algebra-9".into();
        }),
        (invalid, "decide.plan.pack_hash", |r| {
            plan(r).pack_hash.clear();
        }),
        ("UNKNOWN_PACK_VERSION", "decide.plan.pack_hash", |r| {
            plan(r).pack_hash = "old".into();
        }),
        (invalid, "decide.plan.standing", |r| {
            plan(r).standing = None;
        }),
        (invalid, "decide.plan.focus_unit_id", |r| {
            plan(r).focus_unit_id = "gone".into();
        }),
        (invalid, "decide.plan.exam_ready", |r| {
            plan(r).focus_drills = None;
        }),
    ];
    let service = service().await;
    let good = planned(&service, plan_request(ready())).await;
    for (reason, field, change) in rows {
        let mut request = good.clone();
        change(&mut request);
        let refused = explain(&service, request).await.unwrap_err();
        assert_eq!(
            fault(refused),
            ((*reason).to_owned(), vec![(*field).to_owned()])
        );
    }
    let mut client = service.client.clone();
    let refused = client.explain(ExplainRequest::default()).await;
    assert_eq!(
        fault(refused.unwrap_err()),
        (invalid.to_owned(), vec!["decide".to_owned()])
    );
}
