//! Ranking by meaning beside words, and going on without it.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use turnwise_kit::CallContext;
use turnwise_proto::retrieval::v1::DenseUse;
use turnwise_retrieval_embeddings::{EmbedError, Embedder, HashedWords, NoModel, Purpose};
use turnwise_retrieval_index::{BoxFuture, ModelId};
use turnwise_retrieval_svc::course::Dense;

use crate::fixture::{Rig, backends, client, message, rig, search, tiny_course};

/// What [`HashedWords`] calls itself.
pub const MODEL: &str = "hashed-words";

/// A model that says what it is and then fails, or hangs, until it is mended.
pub struct Broken {
    model: HashedWords,
    hangs: bool,
    mended: AtomicBool,
}

impl Broken {
    pub fn after_description(dimension: usize) -> Self {
        Self {
            model: HashedWords::new(dimension),
            hangs: false,
            mended: AtomicBool::new(false),
        }
    }

    fn that_hangs(dimension: usize) -> Self {
        Self {
            hangs: true,
            ..Self::after_description(dimension)
        }
    }
}

impl Embedder for Broken {
    fn describe<'a>(
        &'a self,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<ModelId>, EmbedError>> {
        self.model.describe(call)
    }

    fn embed<'a>(
        &'a self,
        texts: Vec<Box<str>>,
        purpose: Purpose,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        if self.mended.load(Ordering::SeqCst) {
            return self.model.embed(texts, purpose, call);
        }
        if self.hangs {
            return Box::pin(pending());
        }
        Box::pin(async {
            Err(EmbedError::Unavailable {
                problem: "broken for a test".to_owned(),
                retry_after: None,
            })
        })
    }
}

async fn dense_of(rig: &Rig) -> (DenseUse, String) {
    let mut request = search("how steep is the slope");
    request.pack_hash.clear();
    let found = rig.client().retrieve(request).await.unwrap().into_inner();
    assert_eq!(found.chunks.len(), 8);
    (found.dense(), found.index_id)
}

/// Lets the background work until the course is ranked by meaning.
async fn until_dense(rig: &Rig) -> String {
    until(async || dense_of(rig).await.0 == DenseUse::Used).await;
    dense_of(rig).await.1
}

/// Lets the background work until this holds. The clock is paused: it goes on only once nothing is left to do.
async fn until(mut holds: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !holds().await {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), waiting)
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_course_is_served_by_words_until_its_vectors_are_there() {
    let rig = rig(
        [tiny_course()],
        backends(Arc::new(HashedWords::new(32))).await,
    )
    .await;
    let (dense, by_words) = dense_of(&rig).await;
    assert_eq!(dense, DenseUse::Unavailable);
    rig.tend();
    let by_meaning = until_dense(&rig).await;
    assert_ne!(by_words, by_meaning, "equal ids promise equal answers");
    let mapped = rig
        .client()
        .map_message(message("the slope of a line", &[]))
        .await;
    let mapped = mapped.unwrap().into_inner();
    assert_eq!(mapped.dense(), DenseUse::Used);
    assert_eq!(mapped.index_id, by_meaning);
    assert_eq!(mapped.mapped_units[0].unit_id, "slope");
}

#[tokio::test(start_paused = true)]
async fn a_version_gets_its_vectors_however_late_it_is_served() {
    let rig = rig([], backends(Arc::new(HashedWords::new(32))).await).await;
    rig.tend();
    // Nothing happens after this that would wake the background once more.
    let version = rig.indexer.version(tiny_course()).await;
    until(async || version.view("").unwrap().dense == Dense::Complete).await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_costs_vectors_and_nothing_else() {
    let broken = Arc::new(Broken::after_description(32));
    let embedder: Arc<dyn Embedder> = broken.clone();
    let rig = rig([tiny_course()], backends(embedder).await).await;
    rig.tend();
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    assert_eq!(dense_of(&rig).await.0, DenseUse::Unavailable);
    broken.mended.store(true, Ordering::SeqCst);
    until_dense(&rig).await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_hangs_costs_a_query_its_wait_and_no_more() {
    let broken = Arc::new(Broken::that_hangs(32));
    broken.mended.store(true, Ordering::SeqCst);
    let embedder: Arc<dyn Embedder> = broken.clone();
    let rig = rig([tiny_course()], backends(embedder).await).await;
    rig.tend();
    until_dense(&rig).await;
    broken.mended.store(false, Ordering::SeqCst);
    let mut request = search("a text that was not asked before");
    request.pack_hash.clear();
    let found = rig.client().retrieve(request).await.unwrap().into_inner();
    assert_eq!(found.dense(), DenseUse::Unavailable);
    assert_eq!(found.chunks.len(), 8);
}

#[tokio::test]
async fn without_a_model_the_answer_says_so() {
    let rig = rig([tiny_course()], backends(Arc::new(NoModel)).await).await;
    assert_eq!(dense_of(&rig).await.0, DenseUse::NoModel);
    let mut client = client([tiny_course()]).await;
    let mapped = client
        .map_message(message("slope", &[]))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(mapped.dense(), DenseUse::NoModel);
    let blank = client.retrieve(search(" ")).await.unwrap().into_inner();
    assert_eq!(blank.dense(), DenseUse::Unspecified);
}
