//! The way to what was asked for, and the units to choose from, as a client gets them.

use turnwise_proto::{
    policy::v1::{
        DecideRequest, DecideResponse, Plan, PlanRequest, ResolveReplyRequest,
        resolve_reply_request::Outcome,
    },
    session::v1::{StudentSnapshot, TurnState},
    tutor::v1::{Button, ClientEventKind, DegradedReason},
};

use crate::fixture::*;

async fn decided(service: &Service, request: PlanRequest) -> (Plan, DecideResponse) {
    let plan = service.plan(request).await.unwrap();
    let decision = service.decide(decide_request(plan.clone())).await.unwrap();
    (plan, decision)
}

async fn without_model(service: &Service, decision: &DecideResponse) -> String {
    let failure = Outcome::Failure(DegradedReason::LlmTimeout.into());
    let policy = decision.policy.clone().unwrap();
    let resolved = service.resolve(policy, failure).await.unwrap();
    resolved.reply.unwrap().text
}

#[tokio::test]
async fn the_way_is_told_first_and_is_data() {
    let service = service().await;
    let mut request = plan_request(snapshot("START", &[]));
    request.mapped_units = vec![mapped("TWO", 0.9)];
    let (plan, decision) = decided(&service, request).await;
    assert_eq!(plan.target_unit_id, "TWO");
    let told = "For Unit TWO you need Unit ONE first. One step to go.";
    assert_eq!(decision.policy.as_ref().unwrap().announcement, told);
    let text = without_model(&service, &decision).await;
    assert!(text.starts_with(&format!("{told}\n\n")), "{text}");
    // Once in a thread.
    let again = DecideRequest {
        way_told: true,
        ..decide_request(plan)
    };
    let again = service.decide(again).await.unwrap();
    assert_eq!(again.policy.as_ref().unwrap().announcement, "");
    assert_eq!(again.standing, decision.standing);
    let again = without_model(&service, &again).await;
    assert_eq!(format!("{told}\n\n{again}"), text);
    let target = decision.standing.unwrap().target.unwrap();
    assert_eq!((&*target.unit_id, &*target.title), ("TWO", "Unit TWO"));
    let path: Vec<_> = target.path.iter().map(|step| &*step.unit_id).collect();
    assert_eq!((path, target.steps_to_go), (vec!["ONE", "TWO"], 1));
}

#[tokio::test]
async fn a_target_of_the_record_is_led_to() {
    let service = service().await;
    let mut record = ready();
    let turn = record.turn.get_or_insert_default();
    turn.target_unit_id = "TWO".to_owned();
    let (plan, decision) = decided(&service, plan_request(record.clone())).await;
    assert_eq!(
        (&*plan.primary_target_unit_id, &*plan.target_unit_id),
        ("ONE", "TWO")
    );
    assert_eq!(
        decision.standing.unwrap().prereq_nudge.unwrap().unit_id,
        "ONE"
    );

    let unit = &mut record.evidence.as_mut().unwrap().unit_progress[0];
    unit.mastery_tier = turnwise_proto::tutor::v1::MasteryTier::Bronze.into();
    let (plan, decision) = decided(&service, plan_request(record.clone())).await;
    assert!(plan.next_leads_to_target);
    // That is told once; the button stays.
    for (way_told, told) in [(false, "Unit TWO can come next."), (true, "")] {
        let request = DecideRequest {
            way_told,
            ..decide_request(plan.clone())
        };
        let decision = service.decide(request).await.unwrap();
        assert_eq!(decision.policy.unwrap().announcement, told);
    }
    let Button {
        label_key,
        unit_title,
        primary,
        ..
    } = &decision.buttons[0];
    assert_eq!(
        (&**label_key, &**unit_title, *primary),
        ("next_unit", "Unit TWO", true)
    );

    // One that the course has not, any more, is no target.
    record.turn.as_mut().unwrap().target_unit_id = "GONE".to_owned();
    let (plan, decision) = decided(&service, plan_request(record)).await;
    assert_eq!(plan.target_unit_id, "ONE");
    assert_eq!(decision.policy.unwrap().announcement, "");
    assert_eq!(decision.standing.unwrap().target, None);
}

#[tokio::test]
async fn a_first_message_that_cannot_be_placed_is_asked_about() {
    let service = service().await;
    let first = |units: &[(&str, f64)]| PlanRequest {
        target_locked: false,
        mapped_units: units
            .iter()
            .map(|(unit, sure)| mapped(unit, *sure))
            .collect(),
        ..plan_request(StudentSnapshot {
            turn: Some(TurnState::default()),
            ..snapshot("START", &[])
        })
    };
    for (units, question) in [
        (
            &[("TWO", 0.4), ("ONE", 0.3)][..],
            "I am not sure which topic you mean. Which of these is it about: Unit TWO, Unit ONE? If it is none of them, \
             write it in other words; this course may not have it.",
        ),
        (&[("ONE", 0.3)], "Is it about Unit ONE?"),
    ] {
        let (plan, decision) = decided(&service, first(units)).await;
        let expected: Vec<_> = units.iter().map(|(unit, _)| *unit).collect();
        assert_eq!(plan.choice_unit_ids, expected);
        let offered = decision.buttons.iter().take(units.len());
        for (button, unit) in offered.zip(&expected) {
            assert_eq!(button.label_key, "choose_unit");
            assert_eq!(button.unit_title, format!("Unit {unit}"));
            let chosen = event(ClientEventKind::ChooseUnit, unit);
            assert_eq!(button.event.as_ref(), Some(&chosen));
        }
        assert_eq!(without_model(&service, &decision).await, question);
    }
    // It is not asked twice in a row, whatever the order of the units.
    let (_, other) = decided(&service, first(&[("ONE", 0.4), ("TWO", 0.3)])).await;
    let asked = without_model(&service, &other).await;
    assert!(asked.contains("Unit ONE, Unit TWO"), "{asked}");
    let (_, decision) = decided(&service, first(&[("TWO", 0.4), ("ONE", 0.3)])).await;
    for (last, is_asked) in [(asked, false), ("We were at Unit ONE.".to_owned(), true)] {
        let request = ResolveReplyRequest {
            policy: decision.policy.clone(),
            outcome: Some(Outcome::Failure(DegradedReason::LlmTimeout.into())),
            said: vec![last],
            ..ResolveReplyRequest::default()
        };
        let resolved = service.client.clone().resolve_reply(request).await;
        let text = resolved.unwrap().into_inner().reply.unwrap().text;
        assert!(!text.is_empty());
        assert_eq!(text.contains("Which of these"), is_asked, "{text}");
    }
    // The unit of the text that was found goes before the others.
    let plan = service
        .plan(first(&[("TWO", 0.4), ("ONE", 0.3)]))
        .await
        .unwrap();
    let mut request = decide_request(plan);
    request.matched_unit_id = "ONE".to_owned();
    let found = service.decide(request).await.unwrap();
    assert_eq!(found.policy.unwrap().choice_unit_ids, ["ONE", "TWO"]);
    assert_eq!(found.buttons[0].unit_title, "Unit ONE");
    // What cannot be chosen from is refused.
    let (_, decision) = decided(&service, first(&[("ONE", 0.3)])).await;
    let mut policy = decision.policy.unwrap();
    policy.choice_unit_ids = vec!["GONE".to_owned()];
    let failure = Outcome::Failure(DegradedReason::LlmTimeout.into());
    assert!(service.resolve(policy, failure).await.is_err());
}
