//! Places in the queue, as a stream tells them.

use tokio::time::Instant;
use turnwise_proto::{common::v1::ErrorReason, llm::v1::stream_complete_response::Piece};

use crate::harness::{
    LONG, fault, millis, mock_taking, read, request, seconds, student, with_wait,
};

#[tokio::test(start_paused = true)]
async fn who_waits_is_told_of_what_changes_much_and_of_the_last_steps() {
    let gateway = mock_taking(1000, 1, &[]).await;
    let mut queue = Vec::new();
    for number in 0..4 {
        let name = format!("student {number}");
        queue.push(gateway.starts(&name, with_wait(LONG, request())).await);
    }
    let begun = Instant::now();
    let stream = gateway.stream_as(Some(student("zoe")), LONG, with_wait(LONG, request()));
    let mut stream = stream.await.unwrap();
    let mut places = Vec::new();
    let mut promises = Vec::new();
    let start = loop {
        let message = stream.message().await.unwrap().unwrap();
        match message.piece.unwrap() {
            Piece::Place(place) => {
                places.push(place.position);
                promises.push(begun.elapsed() + seconds(millis(place.wait) as f64 / 1000.0));
            }
            Piece::Delta(_) => break begun.elapsed() - seconds(1.0),
            Piece::End(_) => panic!("the text comes first"),
        }
    };
    assert_eq!(places.first(), Some(&4), "at once");
    assert!(places.is_sorted_by(|one, next| one >= next), "{places:?}");
    places.dedup();
    assert_eq!(places, [4, 2, 1]);
    // Every promise held, and the first one was told at once.
    assert!(
        promises.iter().all(|promise| *promise >= start),
        "{promises:?} {start:?}"
    );
    let rest = read(stream).await;
    assert!(millis(rest.end.unwrap().queue_wait) > 3_900);
}

#[tokio::test(start_paused = true)]
async fn who_need_not_wait_is_told_of_no_place() {
    let gateway = mock_taking(1000, 1, &[]).await;
    let streamed = read(gateway.stream(request()).await.unwrap()).await;
    assert_eq!(streamed.places, []);
    assert!(streamed.end.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_refused_as_any_other() {
    let gateway = mock_taking(1000, 1, &[]).await;
    let held = gateway.starts("ada", request()).await;
    let stream = gateway
        .stream(with_wait(seconds(0.1), request()))
        .await
        .unwrap();
    let refused = read(stream).await;
    assert_eq!(refused.places, []);
    fault(&refused.failure.unwrap(), ErrorReason::Busy);

    let ada = || gateway.stream_as(Some(student("ben")), LONG, with_wait(LONG, request()));
    let older = tokio::spawn(read(ada().await.unwrap()));
    crate::harness::settle().await;
    let newer = read(ada().await.unwrap()).await;
    let older = older.await.unwrap();
    assert_eq!(older.places[0].position, 1);
    fault(&older.failure.unwrap(), ErrorReason::Superseded);
    assert!(newer.end.is_some());
    held.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn who_drops_a_stream_leaves_the_queue() {
    let gateway = mock_taking(1000, 1, &[]).await;
    let held = gateway.starts("ada", request()).await;
    let mut stream = gateway.stream(request()).await.unwrap();
    assert!(matches!(
        stream.message().await.unwrap().unwrap().piece,
        Some(Piece::Place(_))
    ));
    assert_eq!(gateway.queue().await.waiting_total, 1);
    drop(stream);
    assert_eq!(gateway.queue().await.waiting_total, 0);
    held.await.unwrap().unwrap();
}
