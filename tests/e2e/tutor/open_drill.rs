//! What is known of the drill that a student works on: the card of a hint, a typed answer, and how it went.

use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{
        ButtonCall, ClientEvent, ClientEventKind, DrillResult, GradeDrillRequest, TakeTurnRequest,
        tutor_card::Content,
    },
};
use turnwise_tests::{
    answer::tutor,
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    staff::Staff,
    student::{empty_turn, fresh_key},
};

use super::{
    always_right::Knows,
    answers::Answers,
    prompts::prompt_of,
    simulated_student::{Came, SimulatedStudent, check_notices},
};

in_every_deployment!(what_was_typed_counts_only_by_its_button);
in_both_deployments!(
    a_hint_is_about_the_card_that_it_stands_on,
    a_thread_knows_how_its_latest_drill_went,
    a_graded_drill_stays_done,
    a_model_is_told_what_the_mistake_means,
);

/// A student in front of a drill.
async fn at_a_drill(suite: &Deployment, id: &str, answers: &Answers) -> SimulatedStudent {
    let mut simulated = SimulatedStudent::start(suite, id).await;
    simulated.ask_for_a_drill(&mut Knows(answers)).await;
    simulated
}

async fn what_was_typed_counts_only_by_its_button(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let (answers, staff) = (Answers::of_demo_course(), Staff::of(&suite));
    let mut simulated = at_a_drill(&suite, "typist", &answers).await;
    let (drill, unit_id) = (simulated.drill().clone(), simulated.unit_id().to_owned());
    let before = staff.recorded(&simulated.student).await;
    let wrong = Answers::wrong_drill();
    let answer = simulated.say(&wrong.text).await;
    let button = tutor(&answer).buttons[0].clone();
    assert_eq!(button.label_key, "check_typed");
    assert_eq!(button.call(), ButtonCall::GradeDrill);
    assert_eq!(button.typed_answer.as_ref(), Some(&wrong));
    assert_eq!(button.card_token, drill.drill_token);
    assert_eq!(staff.recorded(&simulated.student).await, before);

    let graded = simulated.student.grade_drill(GradeDrillRequest {
        thread_id: simulated.thread.thread_id.clone(),
        course_id: simulated.thread.course_id.clone(),
        unit_id,
        drill: Some(drill),
        answer: button.typed_answer,
        idempotency_key: fresh_key(),
    });
    let graded = graded.await.unwrap();
    assert!(graded.evidence_recorded, "{graded:?}");
    assert_eq!(graded.result(), DrillResult::Incorrect);
    // It is answered: a number is no answer to it any more.
    let answer = simulated.say("778").await;
    let mut buttons = tutor(&answer).buttons.iter();
    assert!(buttons.all(|button| button.label_key != "check_typed"));
    suite.stop();
}

async fn a_hint_is_about_the_card_that_it_stands_on(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let mut simulated = at_a_drill(&suite, "stuck", &answers).await;
    let token = simulated.drill().drill_token.clone();
    let hint = simulated.button("ask_hint").unwrap().event.unwrap();
    assert_eq!(hint.card_token, token);
    // Nothing is claimed that does not hold.
    let came = simulated
        .press_labelled("ask_hint", &mut Knows(&answers))
        .await;
    assert!(matches!(came, Came::Message(_)));
    // The card is known however many hints there were, and all of them are.
    let mut turn_id = String::new();
    let mut below = Vec::new();
    for _ in 0..12 {
        let turn = TakeTurnRequest {
            event: Some(hint.clone()),
            ..empty_turn(&simulated.thread)
        };
        let answer = simulated.take(turn).await;
        below = tutor(&answer).buttons.clone();
        turn_id = answer.turn_id;
    }
    // While the drill is open, another hint is offered before another drill.
    below.retain(|button| ["ask_hint", "try_drill"].contains(&button.label_key.as_str()));
    let next = below[0].event.as_ref().unwrap();
    assert_eq!(next.card_token, token, "the next hint is on the same card");
    let below: Vec<_> = below.iter().map(|button| &*button.label_key).collect();
    assert_eq!(below, ["ask_hint", "try_drill"]);
    let record = Staff::of(&suite).record("stuck", &turn_id).await;
    // What outlives the texts has no token.
    assert_eq!(record.facts.unwrap().event.unwrap().card_token, "");
    let recent = record.texts.unwrap().recent_messages;
    let card = recent[0]
        .card
        .as_ref()
        .and_then(|card| card.content.as_ref());
    assert!(matches!(card, Some(Content::Drill(drill)) if drill.drill_token == token));
    let hints = recent.iter().filter(|message| message.event.is_some());
    assert_eq!(hints.count(), 12);

    let other = at_a_drill(&suite, "stuck", &answers).await;
    let pressed = |event: ClientEvent| TakeTurnRequest {
        event: Some(event),
        ..empty_turn(&simulated.thread)
    };
    for foreign in [other.drill().drill_token.clone(), "no-token".to_owned()] {
        let turn = pressed(ClientEvent {
            card_token: foreign,
            ..hint.clone()
        });
        let answer = simulated.student.turn(turn).await.unwrap();
        check_notices(&answer.notices, &[ErrorReason::DrillTokenInvalid]);
    }
    let elsewhere = pressed(ClientEvent {
        kind: ClientEventKind::RequestDrill.into(),
        ..hint
    });
    let refused = simulated.student.turn(elsewhere).await.unwrap_err();
    check_refusal(
        &refused,
        tonic::Code::InvalidArgument,
        ErrorReason::InvalidArgument,
        "event.card_token",
    );
    suite.stop();
}

async fn a_thread_knows_how_its_latest_drill_went(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let (answers, staff) = (Answers::of_demo_course(), Staff::of(&suite));
    let mut simulated = at_a_drill(&suite, "went", &answers).await;
    let right = answers.drill(simulated.drill());
    let came = simulated
        .press_labelled("check_answer", &mut Knows(&answers))
        .await;
    assert!(matches!(came, Came::Grade(_)));
    let went_on = simulated.button("continue").unwrap().event.unwrap();
    let turn = TakeTurnRequest {
        event: Some(ClientEvent {
            drill_result: DrillResult::Incorrect.into(),
            ..went_on
        }),
        ..empty_turn(&simulated.thread)
    };
    let answer = simulated.student.turn(turn).await.unwrap();
    check_notices(&answer.notices, &[ErrorReason::ResultMismatch]);
    let record = staff.record("went", &answer.turn_id).await;
    let told = record.texts.unwrap().graded.unwrap();
    assert_eq!(told.result(), DrillResult::Correct);
    assert_eq!(told.answer, right.text);
    // Another thread has none of its own.
    let mut other = SimulatedStudent::start(&suite, "went").await;
    let answer = other.say("What comes next?").await;
    let record = staff.record("went", &answer.turn_id).await;
    assert_eq!(record.texts.unwrap().graded, None);
    suite.stop();
}

async fn a_graded_drill_stays_done(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let mut simulated = at_a_drill(&suite, "done", &answers).await;
    let first = simulated.grading(answers.drill(simulated.drill()));
    let event = ClientEvent {
        kind: ClientEventKind::RequestDrill.into(),
        unit_id: simulated.unit_id().to_owned(),
        ..ClientEvent::default()
    };
    let turn = TakeTurnRequest {
        event: Some(event),
        ..empty_turn(&simulated.thread)
    };
    simulated.take(turn).await;
    let second = simulated.grading(Answers::wrong_drill());
    for request in [second, first] {
        let graded = simulated.student.grade_drill(request).await.unwrap();
        assert!(graded.result() != DrillResult::Unspecified, "{graded:?}");
    }
    // The latest card was answered, though another was graded after it.
    let answer = simulated.say("778").await;
    let mut buttons = tutor(&answer).buttons.iter();
    assert!(buttons.all(|button| button.label_key != "check_typed"));
    suite.stop();
}

async fn a_model_is_told_what_the_mistake_means(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let (answers, staff) = (Answers::of_demo_course(), Staff::of(&suite));
    let mut simulated = at_a_drill(&suite, "errs", &answers).await;
    let mut units = answers.pack.units.iter();
    let unit = units.find(|unit| unit.id == simulated.unit_id()).unwrap();
    // The mock names the first mistake of the list with whatever is wrong.
    let mistake = unit.mistake_tags[0].clone();
    let wrong = simulated.grading(Answers::wrong_drill());
    let graded = simulated.student.grade_drill(wrong).await.unwrap();
    assert_eq!(graded.common_mistake_tag, mistake.id);
    let turn_id = simulated.say("What did I do?").await.turn_id;
    let (_, prompt) = prompt_of(&staff, &simulated.student, &turn_id).await;
    let meaning = format!("\"mistakeMeaning\":\"{}\"", mistake.meaning);
    let mut messages = prompt.messages.iter();
    assert!(
        messages.any(|message| message.content.contains(&meaning)),
        "{:?}",
        prompt.messages
    );
    suite.stop();
}
