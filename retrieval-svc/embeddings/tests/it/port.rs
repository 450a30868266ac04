//! What every embedder does, and the ones without a model.

use std::time::Duration;

use tonic::Status;
use turnwise_kit::{CancellationToken, Fault};
use turnwise_proto::common::v1::ErrorReason;
use turnwise_retrieval_embeddings::{
    EmbedError, Embedder, HashedWords, NoModel, Purpose, Remote, describe_patiently,
};

use crate::{
    fake_gateway::{FakeGateway, answer},
    local::{call, distance, vectors},
};

#[tokio::test]
async fn no_model_says_so() {
    assert_eq!(NoModel.describe(&call()).await, Ok(None));
    let result = NoModel
        .embed(vec!["a".into()], Purpose::Query, &call())
        .await;
    assert_eq!(result, Err(EmbedError::NoModel));
}

#[tokio::test]
async fn hashed_words_are_near_where_words_are_shared() {
    let hashed = HashedWords::new(64);
    let texts = [
        "add two fractions",
        "two fractions add!",
        "add two numbers",
        "slope",
        "?",
    ];
    let vectors = vectors(&hashed, &texts, Purpose::Document).await;
    for vector in &vectors {
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-6);
    }
    assert!(distance(&vectors[0], &vectors[1]) < 1e-7);
    let near = |a: usize, b: usize| -> f32 {
        vectors[a].iter().zip(&vectors[b]).map(|(x, y)| x * y).sum()
    };
    assert!(near(0, 2) > near(0, 3));
    let empty = hashed.embed(vec!["".into()], Purpose::Query, &call()).await;
    assert!(matches!(empty, Err(EmbedError::Refused(_))));
}

/// A gateway that fails with this reason so many times, then answers.
fn failing(reason: ErrorReason, times: usize) -> FakeGateway {
    let left = std::sync::atomic::AtomicUsize::new(times);
    FakeGateway::new(move |request| {
        use std::sync::atomic::Ordering::Relaxed;
        let failing = left
            .fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1))
            .is_ok();
        Some(if failing {
            Err(Status::from(Fault::new(reason, "no")))
        } else {
            Ok(answer(request, "mock", "m", 3))
        })
    })
}

#[tokio::test(start_paused = true)]
async fn the_description_waits_for_a_gateway_that_starts_later() {
    let remote = Remote::new(
        failing(ErrorReason::DependencyUnavailable, 5).client(),
        None,
    );
    let model = describe_patiently(&remote, &CancellationToken::new()).await;
    assert_eq!(model.unwrap().unwrap().dimension, 3);
}

#[tokio::test(start_paused = true)]
async fn the_description_does_not_wait_for_what_will_not_come() {
    let remote = Remote::new(failing(ErrorReason::UnknownModel, 1).client(), None);
    let model = describe_patiently(&remote, &CancellationToken::new()).await;
    assert!(matches!(model, Err(EmbedError::Refused(_))));
}

#[tokio::test(start_paused = true)]
async fn the_description_ends_with_the_service() {
    let gateway = failing(ErrorReason::Busy, usize::MAX);
    let remote = Remote::new(gateway.client(), None);
    let stop = CancellationToken::new();
    let stopper = stop.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(600)).await;
        stopper.cancel();
    });
    assert_eq!(describe_patiently(&remote, &stop).await, Ok(None));
    // With pauses of up to half a minute.
    assert!(
        (20..40).contains(&gateway.requests().len()),
        "{}",
        gateway.requests().len()
    );
}
