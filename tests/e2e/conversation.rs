//! Threads and turns as a client sees them.

use futures_util::future::join_all;
use prost::Message;
use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{
        ClientEvent, ClientEventKind, CreateThreadRequest, TakeTurnRequest, TakeTurnResponse,
        TutorAction,
    },
};
use turnwise_tests::{
    answer::{check_model_answer, shown_action, tutor},
    deployment::Deployment,
    options::{Kind, Options},
    raw,
    refusal::check_refusal,
    student::{DEMO_COURSE, Student, new_thread, pressing, saying, writing},
};
use uuid::Uuid;

const TAKE_TURN: &str = "/turnwise.tutor.v1.TutorService/TakeTurn";

in_every_deployment!(a_conversation);
in_both_deployments!(
    threads_are_made_once_and_listed_newest_first,
    a_turn_is_taken_once,
);

async fn a_conversation(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let before = ada.standing(DEMO_COURSE).await.unwrap();
    assert_eq!(before.focus.unwrap().unit_id, "ENTRY-00");

    let thread = ada.open(DEMO_COURSE).await;
    let unit = "ALG-01";
    let turns = [
        saying(&thread, "why does minus a minus make a plus?"),
        writing(&thread, r"-3 - (-8)"),
        pressing(&thread, ClientEventKind::RequestDrill, unit),
        pressing(&thread, ClientEventKind::DrillContinue, unit),
        pressing(&thread, ClientEventKind::StuckHint, unit),
        pressing(&thread, ClientEventKind::RequestExam, unit),
        pressing(&thread, ClientEventKind::ExamContinue, unit),
        TakeTurnRequest {
            event: Some(ClientEvent {
                kind: ClientEventKind::DrillContinue.into(),
                unit_id: unit.to_owned(),
                ..ClientEvent::default()
            }),
            ..saying(&thread, "I think it is 5")
        },
    ];
    let mut timeline = Vec::new();
    let mut standing = None;
    for turn in &turns {
        let now = ada.thread(&thread.thread_id).await.unwrap();
        let answer = ada.turn(turn.clone()).await.unwrap();
        let decision = suite.decision(&answer.turn_id);
        check_model_answer(&now, &answer, &decision);

        let said = turn.input.clone().unwrap_or_default();
        let user = &answer.messages[0];
        assert_eq!((&user.text, &user.latex), (&said.text, &said.latex));
        assert_eq!(user.event, turn.event);
        let shown = shown_action(tutor(&answer));
        match turn.event.as_ref().map(ClientEvent::kind) {
            Some(ClientEventKind::RequestDrill) => assert_eq!(shown, TutorAction::DrillCard),
            Some(ClientEventKind::StuckHint) => assert_eq!(shown, TutorAction::SocraticQuestion),
            // Nothing that a student says or presses opens an exam or an explanation.
            _ => assert!(matches!(
                shown,
                TutorAction::SocraticQuestion | TutorAction::DrillCard
            )),
        }
        if turn.event.is_some() {
            let focus = answer.snapshot_lite.as_ref().unwrap().focus.as_ref();
            assert_eq!(focus.unwrap().unit_id, unit);
            assert_eq!(decision.focus, unit);
        }
        timeline.extend(answer.messages);
        standing = answer.snapshot_lite;
    }

    let count = i64::try_from(timeline.len()).unwrap();
    let ids: Vec<i64> = timeline.iter().map(|message| message.id).collect();
    assert_eq!(ids, (1..=count).collect::<Vec<_>>());
    for page_size in [1, 3, 200] {
        assert_eq!(ada.messages(&thread.thread_id, page_size).await, timeline);
    }
    let after = ada.thread(&thread.thread_id).await.unwrap();
    assert_eq!(after.message_count, count);
    let seconds =
        |time: Option<prost_types::Timestamp>| time.map(|t| (t.seconds, t.nanos)).unwrap();
    assert!(seconds(after.update_time) >= seconds(after.create_time));
    assert_eq!(ada.standing(DEMO_COURSE).await.ok(), standing);
    suite.stop();
}

async fn threads_are_made_once_and_listed_newest_first(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ben = suite.student("ben");
    assert!(ben.threads(20).await.is_empty());

    let request = CreateThreadRequest {
        title: "Vorzeichen — négatifs".to_owned(),
        ..new_thread(DEMO_COURSE)
    };
    let thread = ben.create_thread(request.clone()).await.unwrap();
    Uuid::parse_str(&thread.thread_id).unwrap();
    assert_eq!(thread.course_id, DEMO_COURSE);
    assert_eq!(thread.class_id, Student::CLASS);
    assert_eq!(thread.title, request.title);
    assert_eq!(thread.message_count, 0);
    assert!(thread.create_time.is_some());
    assert_eq!(ben.create_thread(request.clone()).await.unwrap(), thread);

    let other = CreateThreadRequest {
        title: "another".to_owned(),
        ..request
    };
    let refused = ben.create_thread(other).await.unwrap_err();
    check_refusal(
        &refused,
        Code::Aborted,
        ErrorReason::IdempotencyConflict,
        "",
    );

    let mut newest_first = vec![thread];
    for _ in 0..6 {
        newest_first.insert(0, ben.open(DEMO_COURSE).await);
    }
    for page_size in [1, 2, 7, 100] {
        assert_eq!(ben.threads(page_size).await, newest_first);
    }
    // Nobody else sees them.
    assert!(suite.student("cleo").threads(20).await.is_empty());
    suite.stop();
}

async fn a_turn_is_taken_once(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new().model("mock:echo")).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let turn = saying(&thread, "how do I add negative numbers?");
    let take = |turn: &TakeTurnRequest| {
        let request = raw::encoded(ada.request(turn.clone()));
        let channel = ada.channel.clone();
        async move { raw::call(&channel, TAKE_TURN, request).await }
    };
    let first = take(&turn).await.unwrap();
    assert_eq!(take(&turn).await.unwrap(), first);

    let other = TakeTurnRequest {
        idempotency_key: turn.idempotency_key.clone(),
        ..saying(&thread, "something else")
    };
    check_refusal(
        &take(&other).await.unwrap_err(),
        Code::Aborted,
        ErrorReason::IdempotencyConflict,
        "",
    );
    assert_eq!(
        ada.thread(&thread.thread_id).await.unwrap().message_count,
        2
    );

    // Sixteen of the same at once, and it happens once.
    let turn = saying(&thread, "and how do I subtract them?");
    let answers = join_all((0..16).map(|_| take(&turn))).await;
    let mut answered = Vec::new();
    for answer in answers {
        match answer {
            Ok(bytes) => answered.push(bytes),
            Err(status) => {
                let fault = check_refusal(&status, Code::Aborted, ErrorReason::TurnInProgress, "");
                assert!(fault.retry_delay().is_some());
            }
        }
    }
    assert!(!answered.is_empty());
    answered.push(take(&turn).await.unwrap());
    assert!(answered.iter().all(|answer| *answer == answered[0]));
    let answer = TakeTurnResponse::decode(answered[0].clone()).unwrap();
    let messages = ada.messages(&thread.thread_id, 200).await;
    assert_eq!(messages.len(), 4);
    assert_eq!(messages[2..], answer.messages);
    suite.stop();
}
