//! PlanAndDecide is Plan and Decide, where the plan is all that a decision needs.

use turnwise_proto::{
    policy::v1::{DecideRequest, Plan, PlanAndDecideRequest, PlanAndDecideResponse, PlanRequest},
    session::v1::{StudentSnapshot, ThreadFocus, TurnState},
};

use crate::fixture::*;

async fn asked(service: &Service, request: PlanAndDecideRequest) -> PlanAndDecideResponse {
    let mut client = service.client.clone();
    client.plan_and_decide(request).await.unwrap().into_inner()
}

fn of(plan: PlanRequest) -> PlanAndDecideRequest {
    PlanAndDecideRequest {
        plan: Some(plan),
        turn_id: TURN.to_owned(),
        ..PlanAndDecideRequest::default()
    }
}

/// What Decide is asked for with nothing but a plan.
fn alone(plan: Plan, way_told: bool) -> DecideRequest {
    DecideRequest {
        plan: Some(plan),
        turn_id: TURN.to_owned(),
        name_schema: true,
        way_told,
        ..DecideRequest::default()
    }
}

#[tokio::test]
async fn both_are_what_two_calls_give() {
    let service = service().await;
    let mut request = plan_request(snapshot("START", &[]));
    request.mapped_units = vec![mapped("TWO", 0.9)];
    let plan = service.plan(request.clone()).await.unwrap();
    let stood = |focus: &str, target: &str| ThreadFocus {
        focus_unit_id: focus.to_owned(),
        target_unit_id: target.to_owned(),
    };
    for (stood, way_told) in [
        (None, false),
        (Some(stood("ONE", "TWO")), true),
        (Some(stood("ONE", "ONE")), false),
        (Some(stood("START", "TWO")), false),
    ] {
        let asked = asked(
            &service,
            PlanAndDecideRequest {
                thread_focus: stood.clone(),
                ..of(request.clone())
            },
        )
        .await;
        assert_eq!(asked.plan.as_ref(), Some(&plan));
        let decision = service.decide(alone(plan.clone(), way_told)).await.unwrap();
        assert_eq!(
            decision.policy.as_ref().unwrap().announcement.is_empty(),
            way_told,
            "{stood:?}"
        );
        assert_eq!(asked.decision, Some(decision));
    }
    // The buttons go by the drill that is open.
    let open = PlanAndDecideRequest {
        open_drill_unit_id: "ONE".to_owned(),
        ..of(request.clone())
    };
    let open = asked(&service, open).await.decision.unwrap();
    let decided = DecideRequest {
        open_drill_unit_id: "ONE".to_owned(),
        ..alone(plan.clone(), false)
    };
    assert_eq!(service.decide(decided).await.unwrap(), open);
    let without = service.decide(alone(plan, false)).await.unwrap();
    assert_ne!(without.buttons, open.buttons);
}

#[tokio::test]
async fn what_waits_for_more_is_planned_alone() {
    let service = service().await;
    let exam = asked(&service, of(plan_request(ready()))).await;
    assert!(exam.plan.unwrap().exam_ready);
    assert_eq!(exam.decision, None);

    let unclear = PlanRequest {
        target_locked: false,
        mapped_units: vec![mapped("ONE", 0.4), mapped("TWO", 0.3)],
        ..plan_request(StudentSnapshot {
            turn: Some(TurnState::default()),
            ..snapshot("START", &[])
        })
    };
    let unclear = asked(&service, of(unclear)).await;
    assert_eq!(unclear.plan.unwrap().choice_unit_ids, ["ONE", "TWO"]);
    assert_eq!(unclear.decision, None);
}

#[tokio::test]
async fn bad_input_is_refused_as_by_the_two() {
    let service = service().await;
    let mut client = service.client.clone();
    let refused = client
        .plan_and_decide(PlanAndDecideRequest::default())
        .await;
    let (reason, fields) = fault(refused.unwrap_err());
    assert_eq!(
        (reason.as_str(), fields),
        ("INVALID_ARGUMENT", vec!["plan".to_owned()])
    );

    let nameless = PlanAndDecideRequest {
        turn_id: "no id".to_owned(),
        ..of(plan_request(ready()))
    };
    let (_, fields) = fault(client.plan_and_decide(nameless).await.unwrap_err());
    assert_eq!(fields, ["turn_id"]);

    let mut elsewhere = plan_request(ready());
    elsewhere.course_id = "gone".to_owned();
    let (reason, _) = fault(client.plan_and_decide(of(elsewhere)).await.unwrap_err());
    assert_eq!(reason, "UNKNOWN_COURSE");
}
