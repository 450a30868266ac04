//! Vectors of queries: once for all who ask, kept, and in time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use tokio::sync::Semaphore;
use turnwise_kit::CallContext;
use turnwise_retrieval_embeddings::{EmbedError, Embedder, HashedWords, Purpose, Queries};
use turnwise_retrieval_index::{BoxFuture, ModelId};

use crate::local::call;

const WAIT: Duration = Duration::from_millis(150);

/// Counts what it is asked, and answers when it may.
struct Gated {
    inner: HashedWords,
    asked: AtomicUsize,
    may: Semaphore,
}

impl Gated {
    fn new(answers: usize) -> Arc<Self> {
        Arc::new(Self {
            inner: HashedWords::new(16),
            asked: AtomicUsize::new(0),
            may: Semaphore::new(answers),
        })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Embedder for Gated {
    fn describe<'a>(
        &'a self,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<ModelId>, EmbedError>> {
        self.inner.describe(call)
    }

    fn embed<'a>(
        &'a self,
        texts: Vec<Box<str>>,
        purpose: Purpose,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        assert_eq!(purpose, Purpose::Query);
        Box::pin(async move {
            self.may.acquire().await.unwrap().forget();
            if texts.iter().any(|text| text.contains("broken")) {
                return Err(EmbedError::Unusable("broken".to_owned()));
            }
            self.inner.embed(texts, purpose, call).await
        })
    }
}

#[tokio::test]
async fn a_text_is_embedded_once() {
    let gated = Gated::new(10);
    let queries = Queries::new(gated.clone(), WAIT);
    let first = queries.embed("one half", &call()).await.unwrap();
    let again = queries.embed("one half", &call()).await.unwrap();
    assert!(Arc::ptr_eq(&first, &again));
    assert_eq!(gated.asked(), 1);
    let other = queries.embed("one third", &call()).await.unwrap();
    assert_ne!(first, other);
    assert_eq!(gated.asked(), 2);
}

#[tokio::test]
async fn those_who_ask_at_once_share_one_answer() {
    let gated = Gated::new(0);
    let queries = Arc::new(Queries::new(gated.clone(), Duration::from_secs(60)));
    let call = call();
    let all = join_all((0..50).map(|_| queries.embed("one half", &call)));
    tokio::pin!(all);
    assert!(futures_util::poll!(&mut all).is_pending());
    assert_eq!(gated.asked(), 1);
    gated.may.add_permits(1);
    let vectors = all.await;
    assert!(
        vectors
            .iter()
            .all(|vector| vector == &vectors[0] && vector.is_ok())
    );
    assert_eq!(gated.asked(), 1);
}

#[tokio::test]
async fn if_the_first_goes_away_another_goes_on() {
    let gated = Gated::new(0);
    let queries = Queries::new(gated.clone(), Duration::from_secs(60));
    let call = call();
    let mut first = Box::pin(queries.embed("one half", &call));
    let mut second = Box::pin(queries.embed("one half", &call));
    assert!(futures_util::poll!(&mut first).is_pending());
    assert!(futures_util::poll!(&mut second).is_pending());
    drop(first);
    gated.may.add_permits(1);
    second.await.unwrap();
    assert_eq!(gated.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_query_goes_on_without_its_vector_in_time() {
    let gated = Gated::new(0);
    let queries = Queries::new(gated.clone(), WAIT);
    let begun = tokio::time::Instant::now();
    assert_eq!(
        queries.embed("one half", &call()).await,
        Err(EmbedError::Timeout)
    );
    let waited = begun.elapsed();
    assert!(waited >= WAIT && waited < WAIT * 2, "{waited:?}");

    let hasty = CallContext::background(None, Duration::from_millis(20));
    let begun = tokio::time::Instant::now();
    assert_eq!(
        queries.embed("one half", &hasty).await,
        Err(EmbedError::Timeout)
    );
    assert!(begun.elapsed() < Duration::from_millis(40));

    // What failed is not kept.
    gated.may.add_permits(1);
    queries.embed("one half", &call()).await.unwrap();
}

/// The one who waits longer must not lose its answer because the one before it had little time left.
#[tokio::test(start_paused = true)]
async fn a_caller_in_a_hurry_takes_nobodys_time() {
    let gated = Gated::new(0);
    let queries = Queries::new(gated.clone(), WAIT);
    let (hasty, patient) = (
        CallContext::background(None, Duration::from_millis(20)),
        call(),
    );
    let (first, second, ()) = tokio::join!(
        queries.embed("one half", &hasty),
        queries.embed("one half", &patient),
        async {
            tokio::time::sleep(Duration::from_millis(60)).await;
            gated.may.add_permits(1);
        }
    );
    assert_eq!(first, Err(EmbedError::Timeout));
    second.unwrap();
}

#[tokio::test]
async fn failures_come_through_with_their_reason() {
    let queries = Queries::new(Gated::new(2), WAIT);
    let result = queries.embed("broken", &call()).await;
    assert_eq!(result, Err(EmbedError::Unusable("broken".to_owned())));
    let result = queries.embed("", &call()).await;
    assert!(matches!(result, Err(EmbedError::Refused(_))));
}
