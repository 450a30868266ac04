//! Vectors of documents: made once, kept batch by batch, and gone on with.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use turnwise_kit::{CallContext, CancellationToken};
use turnwise_retrieval_embeddings::{
    EmbedError, Embedded, Embedder, HashedWords, Purpose, embed_documents,
};
use turnwise_retrieval_index::{BoxFuture, Cache, ContentHash, ModelId, PartId};

use crate::local::call;

/// A cache in memory; whatever is not about vectors is not asked.
#[derive(Default)]
struct Kept(Mutex<Vectors>);

/// By the model's digest and the content's hash.
type Vectors = BTreeMap<(Box<str>, ContentHash), Vec<f32>>;

impl Cache for Kept {
    fn vectors(&self, model: &ModelId, contents: &[ContentHash]) -> Vec<Option<Vec<f32>>> {
        let kept = self.0.lock().unwrap();
        contents
            .iter()
            .map(|hash| kept.get(&(model.digest.clone(), *hash)).cloned())
            .collect()
    }

    fn keep_vectors(&self, model: &ModelId, vectors: &[(ContentHash, Vec<f32>)]) {
        let mut kept = self.0.lock().unwrap();
        for (hash, vector) in vectors {
            kept.insert((model.digest.clone(), *hash), vector.clone());
        }
    }

    fn forget_vectors(&self, _: &ModelId, _: &[ContentHash]) {
        unreachable!()
    }

    fn forget_unused(&self, _: &ModelId, _: &HashSet<ContentHash>) -> u64 {
        unreachable!()
    }

    fn part(&self, _: &PartId) -> Option<Vec<u8>> {
        unreachable!()
    }

    fn keep_part(&self, _: &PartId, _: &[u8], _: &[PartId]) {
        unreachable!()
    }
}

/// Remembers what it was asked, and fails at some calls.
struct Recorder {
    inner: HashedWords,
    texts: Mutex<Vec<Box<str>>>,
    calls: AtomicUsize,
    fails: fn(usize) -> Option<EmbedError>,
}

impl Recorder {
    fn new(fails: fn(usize) -> Option<EmbedError>) -> Self {
        Self {
            inner: HashedWords::new(8),
            texts: Mutex::default(),
            calls: AtomicUsize::new(0),
            fails,
        }
    }
}

impl Embedder for Recorder {
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
        assert_eq!(purpose, Purpose::Document);
        Box::pin(async move {
            if let Some(error) = (self.fails)(self.calls.fetch_add(1, Ordering::Relaxed)) {
                return Err(error);
            }
            self.texts.lock().unwrap().extend(texts.iter().cloned());
            self.inner.embed(texts, purpose, call).await
        })
    }
}

fn contents(range: std::ops::Range<u32>) -> Vec<(ContentHash, Box<str>)> {
    range
        .map(|at| {
            let mut hash = [0; 32];
            hash[..4].copy_from_slice(&at.to_le_bytes());
            (
                hash,
                format!("text {at} {}", "word ".repeat((at % 7) as usize)).into(),
            )
        })
        .collect()
}

struct Run {
    result: Result<bool, EmbedError>,
    asked: usize,
    progress: Vec<(usize, usize, bool)>,
}

async fn run(
    embedder: &Recorder,
    cache: &Arc<dyn Cache>,
    contents: Vec<(ContentHash, Box<str>)>,
    stop_at: usize,
) -> Run {
    let model = embedder.describe(&call()).await.unwrap().unwrap();
    let cancelled = CancellationToken::new();
    let mut progress = Vec::new();
    embedder.texts.lock().unwrap().clear();
    let told = |told: Embedded<'_>| {
        progress.push((told.done, told.total, told.problem.is_some()));
        if told.done >= stop_at {
            cancelled.cancel();
        }
    };
    let result = embed_documents(embedder, &model, cache, contents, told, &cancelled).await;
    Run {
        result,
        asked: embedder.texts.lock().unwrap().len(),
        progress,
    }
}

#[tokio::test]
async fn each_content_is_embedded_once_and_kept() {
    let cache: Arc<dyn Cache> = Arc::new(Kept::default());
    let embedder = Recorder::new(|_| None);
    let mut all = contents(0..500);
    all.extend(contents(0..20));
    let first = run(&embedder, &cache, all.clone(), usize::MAX).await;
    assert_eq!((first.result, first.asked), (Ok(true), 500));
    assert_eq!(first.progress.first(), Some(&(0, 500, false)));
    assert_eq!(first.progress.last(), Some(&(500, 500, false)));

    let model = embedder.describe(&call()).await.unwrap().unwrap();
    let (hash, text) = all[17].clone();
    let vector = embedder
        .inner
        .embed(vec![text], Purpose::Document, &call())
        .await
        .unwrap();
    assert_eq!(cache.vectors(&model, &[hash]), [Some(vector[0].clone())]);

    let second = run(&embedder, &cache, contents(0..510), usize::MAX).await;
    assert_eq!((second.result, second.asked), (Ok(true), 10));
    assert_eq!(second.progress.first(), Some(&(500, 510, false)));
}

#[tokio::test]
async fn a_stop_loses_at_most_one_batch() {
    let cache: Arc<dyn Cache> = Arc::new(Kept::default());
    let embedder = Recorder::new(|_| None);
    let first = run(&embedder, &cache, contents(0..500), 100).await;
    assert_eq!(first.result, Ok(false));
    assert!((100..300).contains(&first.asked), "{}", first.asked);
    let second = run(&embedder, &cache, contents(0..500), usize::MAX).await;
    assert_eq!(second.result, Ok(true));
    assert_eq!(first.asked + second.asked, 500);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_away_is_waited_for() {
    let cache: Arc<dyn Cache> = Arc::new(Kept::default());
    let embedder = Recorder::new(|call| (1..5).contains(&call).then_some(EmbedError::Timeout));
    let run = run(&embedder, &cache, contents(0..200), usize::MAX).await;
    assert_eq!((run.result, run.asked), (Ok(true), 200));
    assert_eq!(
        run.progress
            .iter()
            .filter(|(_, _, problem)| *problem)
            .count(),
        4
    );
}

#[tokio::test]
async fn what_will_not_pass_ends_it_and_what_was_kept_stays() {
    let cache: Arc<dyn Cache> = Arc::new(Kept::default());
    let wrong = || EmbedError::WrongLength {
        wanted: 8,
        given: 9,
    };
    let embedder = Recorder::new(|call| {
        (call == 2).then_some(EmbedError::WrongLength {
            wanted: 8,
            given: 9,
        })
    });
    let first = run(&embedder, &cache, contents(0..500), usize::MAX).await;
    assert_eq!(first.result, Err(wrong()));
    let second = run(&embedder, &cache, contents(0..500), usize::MAX).await;
    assert_eq!(first.asked + second.asked, 500);
}

#[tokio::test]
async fn vectors_of_another_length_are_not_kept() {
    let kept = Arc::new(Kept::default());
    let cache: Arc<dyn Cache> = kept.clone();
    let embedder = HashedWords::new(8);
    let mut model = embedder.describe(&call()).await.unwrap().unwrap();
    model.dimension = 9;
    let never = CancellationToken::new();
    let result = embed_documents(&embedder, &model, &cache, contents(0..3), |_| {}, &never).await;
    assert_eq!(
        result,
        Err(EmbedError::WrongLength {
            wanted: 9,
            given: 8
        })
    );
    assert!(kept.0.lock().unwrap().is_empty());
}
