//! StreamTurn: how far a turn is, told while it is taken, and its answer, once and last.

use std::{collections::BTreeSet, time::Duration};

use futures_util::future::join_all;
use prost::Message;
use tonic::{Code, Status, Streaming};
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{Queue, WatchQueuesRequest, llm_queue_service_client::LlmQueueServiceClient},
    tutor::v1::{
        StreamTurnRequest, StreamTurnResponse, TakeTurnRequest, TakeTurnResponse, TurnProgress,
        TurnStage, stream_turn_response::News,
    },
};
use turnwise_tests::{
    answer::check_answer,
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options},
    refusal::check_refusal,
    staff::Staff,
    student::{DEMO_COURSE, fresh_key, saying},
};

in_every_deployment!(stages_come_in_order_and_the_answer_last);
in_both_deployments!(
    who_waits_sees_the_place_in_the_queue,
    a_client_that_goes_away_frees_the_slot_and_the_thread,
);

/// All that a stream brings: the news, then the answer.
async fn read(
    mut stream: Streaming<StreamTurnResponse>,
) -> Result<(Vec<TurnProgress>, TakeTurnResponse), Status> {
    let mut told = Vec::new();
    let mut answer = None;
    while let Some(piece) = stream.message().await? {
        assert!(answer.is_none(), "nothing comes after the answer");
        match piece.news.expect("a piece is one of two") {
            News::Progress(progress) => told.push(progress),
            News::Answer(last) => answer = Some(last),
        }
    }
    Ok((
        told,
        answer.expect("a stream without an error ends with an answer"),
    ))
}

fn check_order(told: &[TurnProgress]) {
    assert_eq!(told[0].stage(), TurnStage::Reading);
    assert_eq!(told.last().unwrap().stage(), TurnStage::Checking);
    assert!(told.is_sorted_by_key(|progress| progress.stage));
    for progress in told {
        assert_ne!(progress.stage(), TurnStage::Unspecified);
        let waiting = progress.stage() == TurnStage::Waiting;
        assert!(waiting || (progress.queue_position == 0 && progress.queue_wait.is_none()));
    }
}

async fn stages_come_in_order_and_the_answer_last(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let mut thread = ada.open(DEMO_COURSE).await;
    for text in ["Hello!", "How do I add negative numbers?"] {
        let turn = saying(&thread, text);
        let stream = ada.stream_turn(turn.clone()).await.unwrap();
        let (told, answer) = read(stream).await.unwrap();
        check_order(&told);
        let stages: BTreeSet<_> = told.iter().map(|progress| progress.stage).collect();
        assert!(stages.contains(&TurnStage::Writing.into()), "{told:?}");
        check_answer(&thread, &answer);
        assert_eq!(answer.model, "mock");
        let stored = ada.messages(&thread.thread_id, 200).await;
        assert_eq!(stored[stored.len() - 2..], answer.messages);
        // The same turn as a plain call, and as a stream once more: it was taken, and this was its answer.
        let plain = ada.turn(turn.clone()).await.unwrap();
        assert_eq!(plain.encode_to_vec(), answer.encode_to_vec());
        let stream = ada.stream_turn(turn).await.unwrap();
        let (_, again) = read(stream).await.unwrap();
        assert_eq!(again.encode_to_vec(), answer.encode_to_vec());
        thread = ada.thread(&thread.thread_id).await.unwrap();
    }
    assert_eq!(thread.message_count, 4);

    // What is wrong with a turn is said before anything else.
    let empty = ada.request(StreamTurnRequest { turn: None });
    let refused = ada.client().stream_turn(empty).await;
    let refused = first_error(refused.map(tonic::Response::into_inner)).await;
    check_refusal(
        &refused,
        Code::InvalidArgument,
        ErrorReason::InvalidArgument,
        "turn",
    );
    let elsewhere = TakeTurnRequest {
        thread_id: fresh_key(),
        ..saying(&thread, "Hello?")
    };
    let refused = first_error(ada.stream_turn(elsewhere).await).await;
    check_refusal(
        &refused,
        Code::NotFound,
        ErrorReason::UnknownThread,
        "thread_id",
    );
    suite.stop();
}

async fn first_error(stream: Result<Streaming<StreamTurnResponse>, Status>) -> Status {
    match stream {
        Err(status) => status,
        Ok(mut stream) => stream.message().await.unwrap_err(),
    }
}

async fn who_waits_sees_the_place_in_the_queue(kind: Kind) {
    let options = Options::new()
        .model("mock:delay:1000")
        .env("HELPER_MAX_CONCURRENCY", "1")
        .env("QUEUE_EXPECTED_CALL_SECONDS", "1");
    let mut suite = Deployment::start(kind, options).await;
    let simulated_students = (0..4).map(|i| {
        let simulated = suite.student(&format!("student-{i}"));
        async move {
            let thread = simulated.open(DEMO_COURSE).await;
            let turn = saying(&thread, "What is a variable?");
            let stream = simulated.stream_turn(turn).await.unwrap();
            let (told, answer) = read(stream).await.unwrap();
            check_answer(&thread, &answer);
            assert!(
                answer.degraded_reasons.is_empty(),
                "it waits for as long as it takes"
            );
            assert_eq!(answer.model, "mock");
            told
        }
    });
    let mut places = BTreeSet::new();
    for told in join_all(simulated_students).await {
        check_order(&told);
        let waits = told.iter().filter(|progress| progress.queue_position > 0);
        let positions: Vec<_> = waits.clone().map(|wait| wait.queue_position).collect();
        assert!(
            positions.iter().all(|place| (1..=3).contains(place)),
            "{positions:?}"
        );
        assert!(positions.is_sorted_by(|a, b| a >= b), "{positions:?}");
        for wait in waits {
            let bound: Duration = wait.queue_wait.expect("a wait").try_into().unwrap();
            assert!(bound <= Duration::from_secs(60), "{bound:?}");
        }
        places.extend(positions);
    }
    // One begins at once; of the three others the last to come sees two before it.
    assert!(places.contains(&1) && places.contains(&2), "{places:?}");
    suite.stop();
}

async fn a_client_that_goes_away_frees_the_slot_and_the_thread(kind: Kind) {
    // Only a cancelled call frees the slot within the test. A debug build on a busy machine commits slowly: more is kept
    // back than usual.
    let options = Options::new()
        .model("mock:delay:300000")
        .env("HELPER_MAX_CONCURRENCY", "1")
        .env("TURN_REPLY_RESERVE_MS", "1500");
    let mut suite = Deployment::start(kind, options).await;
    let simulated = suite.student("leaves");
    let thread = simulated.open(DEMO_COURSE).await;
    let stream = simulated
        .stream_turn(saying(&thread, "Hello!"))
        .await
        .unwrap();
    queue_where(&suite, |queue| {
        queue.slots.iter().any(|slot| slot.call.is_some())
    })
    .await;
    drop(stream);
    queue_where(&suite, |queue| {
        queue.slots.iter().all(|slot| slot.call.is_none())
    })
    .await;

    // Nothing was written, and the thread is free for the next turn.
    let now = simulated.thread(&thread.thread_id).await.unwrap();
    assert_eq!(now.message_count, 0);
    let turn = saying(&thread, "And now?");
    let answer = eventually("the thread is free", Duration::from_secs(60), async || {
        let within = Duration::from_secs(8);
        simulated.turn_within(turn.clone(), within).await.ok()
    })
    .await;
    check_answer(&thread, &answer);
    assert!(!answer.degraded_reasons.is_empty(), "the model had no time");
    suite.stop();
}

/// Waits until this holds of the queue of completions.
async fn queue_where(suite: &Deployment, wanted: impl Fn(&Queue) -> bool) {
    let staff = Staff::of(suite);
    let mut request = tonic::Request::new(WatchQueuesRequest {
        max_waiting: 0,
        interval: Some(Duration::from_millis(100).try_into().unwrap()),
        class_id: String::new(),
    });
    let authorization = format!("Bearer {}", staff.token).parse().unwrap();
    request
        .metadata_mut()
        .insert("authorization", authorization);
    let watching = async {
        let mut client = LlmQueueServiceClient::new(staff.channel.clone());
        let mut views = client.watch_queues(request).await.unwrap().into_inner();
        loop {
            let view = views.message().await.unwrap().expect("goes on");
            if view.queues.iter().any(&wanted) {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), watching)
        .await
        .expect("the queue never came to that");
}
