//! A model in this process, out of a folder: a sentence model of the BERT family.
//!
//! | module | is about |
//! | --- | --- |
//! | `folder` | the files, their bounds and their digest |
//! | `config` | what the files say of the model, and which of it works here |
//! | `model` | tokens, the network, pooling |
//! | `threads` | who computes when |

mod config;
mod folder;
mod model;
mod threads;

use std::{collections::BTreeMap, path::Path, sync::Arc};

use futures_util::future::try_join_all;
use turnwise_kit::CallContext;
use turnwise_retrieval_index::{BoxFuture, ModelId};

pub use folder::FolderError;

use crate::{EmbedError, Embedder, Purpose, embedder::check_texts};
use model::{Model, Tokens};
use threads::Threads;

/// The most tokens that are computed at once. More at a time is hardly quicker, and a query may have to wait for it.
const BATCH_TOKENS: usize = 256;
/// The most texts that are taken apart into tokens at once.
const BATCH_TEXTS: usize = 32;

/// Vectors from a model in this process.
pub struct Directory {
    id: ModelId,
    model: Arc<Model>,
    threads: Threads,
}

impl Directory {
    /// Reads the model of a folder and tries it. It computes on at most `threads` threads, at least 1. Blocks for up to
    /// some seconds.
    ///
    /// # Errors
    /// [`FolderError`]: which file, what is wrong with it, and what to do.
    pub fn open(folder: &Path, threads: usize) -> Result<Self, FolderError> {
        let files = folder::read(folder)?;
        let threads = Threads::start(threads)
            .map_err(|problem| FolderError::new(folder, problem, "try again"))?;
        let model = Model::load(folder, &files)?;
        let id = ModelId {
            name: files.name.as_str().into(),
            digest: files.digest.as_str().into(),
            dimension: model.dimension(),
        };
        Ok(Self {
            id,
            model: Arc::new(model),
            threads,
        })
    }

    async fn vectors(
        &self,
        texts: Vec<Box<str>>,
        purpose: Purpose,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        if let [text] = &*texts {
            // One piece of work, so that it stands in line once.
            let (model, text) = (Arc::clone(&self.model), text.clone());
            let work = move || model.vectors(&[model.tokens(&text, purpose)?]);
            return self.threads.run(purpose, work).await?;
        }
        let mut tokens: Vec<Tokens> = Vec::with_capacity(texts.len());
        let mut texts = texts.into_iter();
        loop {
            let some: Vec<Box<str>> = texts.by_ref().take(BATCH_TEXTS).collect();
            if some.is_empty() {
                break;
            }
            let model = Arc::clone(&self.model);
            let work = move || {
                some.iter()
                    .map(|text| model.tokens(text, purpose))
                    .collect::<Result<Vec<Tokens>, EmbedError>>()
            };
            tokens.append(&mut self.threads.run(purpose, work).await??);
        }
        let count = tokens.len();
        let work = batches(tokens).into_iter().map(|(places, batch)| {
            let model = Arc::clone(&self.model);
            async move {
                let vectors = self
                    .threads
                    .run(purpose, move || model.vectors(&batch))
                    .await??;
                Ok::<_, EmbedError>((places, vectors))
            }
        });
        let mut ordered = vec![Vec::new(); count];
        for (places, vectors) in try_join_all(work).await? {
            for (place, vector) in places.into_iter().zip(vectors) {
                ordered[place] = vector;
            }
        }
        Ok(ordered)
    }
}

impl Embedder for Directory {
    fn describe<'a>(
        &'a self,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<ModelId>, EmbedError>> {
        Box::pin(async { Ok(Some(self.id.clone())) })
    }

    fn embed<'a>(
        &'a self,
        texts: Vec<Box<str>>,
        purpose: Purpose,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            check_texts(&texts)?;
            let work = self.vectors(texts, purpose);
            match call.deadline() {
                Some(at) => tokio::time::timeout_at(at, work)
                    .await
                    .map_err(|_| EmbedError::Timeout)?,
                None => work.await,
            }
        })
    }
}

/// Texts of one length together, so that nothing is padded, each with its place; longest first, so that threads end at
/// about the same time.
fn batches(texts: Vec<Tokens>) -> Vec<(Vec<usize>, Vec<Tokens>)> {
    let mut by_length: BTreeMap<usize, (Vec<usize>, Vec<Tokens>)> = BTreeMap::new();
    let mut full = Vec::new();
    for (place, tokens) in texts.into_iter().enumerate() {
        let length = tokens.len();
        let batch = by_length.entry(length).or_default();
        batch.0.push(place);
        batch.1.push(tokens);
        if (batch.1.len() + 1) * length > BATCH_TOKENS {
            full.push(std::mem::take(batch));
        }
    }
    full.extend(by_length.into_values());
    full.retain(|(places, _)| !places.is_empty());
    full.sort_by_key(|(places, batch)| {
        let tokens: usize = batch.iter().map(Vec::len).sum();
        (std::cmp::Reverse(tokens), places.first().copied())
    });
    full
}
