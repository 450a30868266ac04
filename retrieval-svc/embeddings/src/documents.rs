//! Vectors of documents: made once, kept by content, and gone on with after a stop.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use turnwise_kit::{CallContext, CancellationToken};
use turnwise_retrieval_index::{Cache, ContentHash, ModelId};

use crate::{EmbedError, Embedder, Purpose, retry::with_retries};

/// The most texts that are embedded, and kept, at once. What a stop can lose is the work on one such batch.
const BATCH_TEXTS: usize = 64;
/// The most bytes of them, unless one text alone is longer.
const BATCH_BYTES: usize = 128 * 1024;
/// How long one batch may take.
const BATCH_WAIT: Duration = Duration::from_secs(120);

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Embedded<'a> {
    /// Contents that have their vector.
    pub done: usize,
    /// All of them, each once.
    pub total: usize,
    /// Why nothing moves at the moment; it is tried again.
    pub problem: Option<&'a EmbedError>,
}

/// Sees to it that the cache holds the vector of each of these contents, and asks the embedder for those that are missing
/// only. Every batch is kept as soon as it is there, so that a later call goes on where this one stopped. While the model
/// does not answer, it is tried again until `cancelled`; then the answer is `Ok(false)`. `progress` is called at first,
/// after each batch and on each failure. Equal hashes must mean equal texts.
///
/// # Errors
/// What trying again does not help. What was kept stays.
pub async fn embed_documents(
    embedder: &dyn Embedder,
    model: &ModelId,
    cache: &Arc<dyn Cache>,
    contents: Vec<(ContentHash, Box<str>)>,
    mut progress: impl FnMut(Embedded<'_>),
    cancelled: &CancellationToken,
) -> Result<bool, EmbedError> {
    let contents: BTreeMap<ContentHash, Box<str>> = contents.into_iter().collect();
    let total = contents.len();
    let mut missing = missing(model, cache, contents).await?;
    let mut done = total - missing.len();
    progress(Embedded {
        done,
        total,
        problem: None,
    });
    // Neighbours of about one length: the model takes texts of equal length together.
    missing.sort_by(|(a, x), (b, y)| (x.len(), a).cmp(&(y.len(), b)));
    for batch in batches(missing) {
        let texts: Vec<Box<str>> = batch.iter().map(|(_, text)| text.clone()).collect();
        let work = || async {
            let call = CallContext::background(None, BATCH_WAIT);
            embedder
                .embed(texts.clone(), Purpose::Document, &call)
                .await
        };
        let failed = |error: &EmbedError| {
            progress(Embedded {
                done,
                total,
                problem: Some(error),
            });
        };
        let Some(vectors) = with_retries(cancelled, failed, work).await else {
            return Ok(false);
        };
        let vectors = vectors?;
        if let Some(vector) = vectors.iter().find(|v| v.len() != model.dimension) {
            return Err(EmbedError::WrongLength {
                wanted: model.dimension,
                given: vector.len(),
            });
        }
        if vectors.len() != batch.len() {
            return Err(EmbedError::Unusable(format!(
                "{} vectors for {} texts",
                vectors.len(),
                batch.len()
            )));
        }
        let rows: Vec<(ContentHash, Vec<f32>)> =
            batch.iter().map(|(hash, _)| *hash).zip(vectors).collect();
        done += rows.len();
        let (cache, model) = (Arc::clone(cache), model.clone());
        blocking(move || cache.keep_vectors(&model, &rows)).await?;
        progress(Embedded {
            done,
            total,
            problem: None,
        });
    }
    Ok(true)
}

/// The contents without a vector.
async fn missing(
    model: &ModelId,
    cache: &Arc<dyn Cache>,
    contents: BTreeMap<ContentHash, Box<str>>,
) -> Result<Vec<(ContentHash, Box<str>)>, EmbedError> {
    let hashes: Vec<ContentHash> = contents.keys().copied().collect();
    let (cache, model) = (Arc::clone(cache), model.clone());
    let held = blocking(move || {
        let vectors = cache.vectors(&model, &hashes);
        vectors.iter().map(Option::is_some).collect::<Vec<bool>>()
    })
    .await?;
    Ok(contents
        .into_iter()
        .zip(held)
        .filter_map(|(content, held)| (!held).then_some(content))
        .collect())
}

/// Contents in groups that are embedded, and kept, together.
fn batches(contents: Vec<(ContentHash, Box<str>)>) -> Vec<Vec<(ContentHash, Box<str>)>> {
    let mut batches: Vec<Vec<(ContentHash, Box<str>)>> = Vec::new();
    let mut bytes = 0;
    for content in contents {
        let length = content.1.len();
        match batches.last_mut() {
            Some(last) if last.len() < BATCH_TEXTS && bytes + length <= BATCH_BYTES => {
                bytes += length;
                last.push(content);
            }
            _ => {
                bytes = length;
                batches.push(vec![content]);
            }
        }
    }
    batches
}

/// Runs what waits for the disk where that holds nobody up.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, EmbedError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| EmbedError::unavailable("the cache of vectors broke off"))
}
