//! Who waits for whom at a model in this process.

use tokio::sync::oneshot;
use turnwise_retrieval_embeddings::{Directory, Embedder, Purpose};

use crate::{
    local::{call, vectors},
    tiny_model,
};

/// Texts of many lengths, so that they are many pieces of work.
fn documents() -> Vec<Box<str>> {
    (0..2000)
        .map(|at| vec!["one"; 1 + at % 10].join(" ").into())
        .collect()
}

#[tokio::test]
async fn a_query_overtakes_documents() {
    let model = Directory::open(tiny_model::folder().path(), 1).unwrap();
    let (begun, begin) = oneshot::channel();
    let call = call();
    let documents = async {
        let work = model.embed(documents(), Purpose::Document, &call);
        tokio::pin!(work);
        // Polled once, all of them are in line or will be.
        assert!(futures_util::poll!(&mut work).is_pending());
        begun.send(()).unwrap();
        work.await.unwrap()
    };
    let query = async {
        begin.await.unwrap();
        vectors(&model, &["two"], Purpose::Query).await
    };
    tokio::pin!(documents);
    tokio::select! {
        _ = &mut documents => panic!("the documents came first"),
        _ = query => {}
    }
    assert_eq!(documents.await.len(), 2000);
}

#[tokio::test]
async fn work_for_a_caller_that_has_gone_away_does_not_begin() {
    let model = Directory::open(tiny_model::folder().path(), 1).unwrap();
    let call = call();
    for _ in 0..1000 {
        let mut work = model.embed(documents(), Purpose::Document, &call);
        assert!(futures_util::poll!(&mut work).is_pending());
    }
    // Two million texts would take minutes.
    vectors(&model, &["two"], Purpose::Document).await;
}
