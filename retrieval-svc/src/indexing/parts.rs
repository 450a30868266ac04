//! Making parts, and publishing them.

use std::sync::{Arc, PoisonError};

use sha2::{Digest, Sha256};
use turnwise_kit::CancellationToken;
use turnwise_retrieval_embeddings::{Embedded, embed_documents};
use turnwise_retrieval_index::{
    ContentHash, Document, ModelId, Namespace, Part, PartId, Row, SourceHead, SourceKey, Statistics,
};
use turnwise_retrieval_relevance::{
    RELEVANCE, document_of_upload, documents_of_pack, text_to_embed,
};
use turnwise_text::NORMALISER;

use super::{Indexer, IndexingError};
use crate::course::CourseVersion;

/// What is known of a part that was made and published.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) id: PartId,
    pub(super) statistics: Arc<Statistics>,
    /// Whether all its chunks have vectors.
    pub(super) has_vectors: bool,
    pub(super) embedded: usize,
    pub(super) to_embed: usize,
    /// What its vectors are made from.
    pub(super) contents: Arc<[ContentHash]>,
}

/// Where a part comes from.
#[derive(Clone, Copy)]
pub(super) enum Origin<'a> {
    /// A pack.
    Pack(&'a CourseVersion),
    /// An uploaded source of a course.
    Source(&'a CourseVersion, &'a SourceKey, &'a SourceHead),
}

impl Origin<'_> {
    /// The part's name if its vectors are of this model.
    fn id(self, model: Option<&ModelId>) -> PartId {
        let model = model.map_or("none", |model| &model.digest);
        match self {
            Self::Pack(version) => PartId {
                tenant: "".into(),
                course: version.id().into(),
                source: "".into(),
                revision: name(&[&version.pack().hash, NORMALISER, RELEVANCE, model]),
            },
            Self::Source(version, key, head) => PartId {
                tenant: key.tenant.clone(),
                course: key.course.clone(),
                source: key.source.clone(),
                revision: name(&[
                    &head.revision,
                    &head.title,
                    &head.chunk_type,
                    &version.pack().course.locale,
                    NORMALISER,
                    RELEVANCE,
                    model,
                ]),
            },
        }
    }
}

/// A name for what is made of these.
pub(super) fn name(made_of: &[&str]) -> Box<str> {
    let mut hash = Sha256::new();
    for part in made_of {
        // The length keeps apart what would read alike when put together.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize()).into()
}

impl Indexer {
    /// The part, made and published unless it is; with vectors if they are all kept, else without.
    pub(super) async fn part(&self, origin: Origin<'_>) -> Result<Made, IndexingError> {
        self.make(origin, false).await
    }

    /// Makes and publishes the part although it is there.
    pub(super) async fn replace(&self, origin: Origin<'_>) -> Result<Made, IndexingError> {
        self.make(origin, true).await
    }

    async fn make(&self, origin: Origin<'_>, again: bool) -> Result<Made, IndexingError> {
        if let Some(model) = self.model() {
            let id = origin.id(Some(model));
            if let Some(made) = self.known(&id).filter(|_| !again) {
                return Ok(made);
            }
            if !again && self.shared.is_some() && self.engine.holds(&id).await? {
                // Somebody has published it with its vectors; only its counts are wanted here.
                let documents = self.documents(origin).await?;
                let contents = hashes(&documents);
                let to_embed = contents.len();
                let counted = Part::new(id.clone(), None, documents).map_err(broken)?;
                return Ok(self.note(Made {
                    id,
                    statistics: Arc::new(Statistics::of([&counted])),
                    has_vectors: true,
                    embedded: to_embed,
                    to_embed,
                    contents,
                }));
            }
            if !again && let Some(made) = self.kept(&id, Some(model)).await? {
                return Ok(made);
            }
            let mut documents = self.documents(origin).await?;
            let to_embed = contents(&documents).len();
            let embedded = self.give_vectors(model, &mut documents).await?;
            if embedded == to_embed {
                let part = Part::new(id, Some(model.clone()), documents).map_err(broken)?;
                return self.publish_new(part, (to_embed, to_embed), again).await;
            }
            for document in &mut documents {
                document.vector = None;
            }
            return self
                .by_words(origin, documents, (embedded, to_embed), again)
                .await;
        }
        let id = origin.id(None);
        if let Some(made) = self.known(&id).filter(|_| !again) {
            return Ok(made);
        }
        if !again
            && !self.wants_model
            && let Some(made) = self.kept(&id, None).await?
        {
            return Ok(made);
        }
        let documents = self.documents(origin).await?;
        let to_embed = if self.wants_model {
            contents(&documents).len()
        } else {
            0
        };
        self.by_words(origin, documents, (0, to_embed), again).await
    }

    async fn by_words(
        &self,
        origin: Origin<'_>,
        documents: Vec<Document>,
        vectors: (usize, usize),
        again: bool,
    ) -> Result<Made, IndexingError> {
        let id = origin.id(None);
        if let Some(made) = self.known(&id).filter(|_| !again) {
            let (embedded, to_embed) = vectors;
            return Ok(Made {
                embedded,
                to_embed,
                ..made
            });
        }
        let part = Part::new(id, None, documents).map_err(broken)?;
        self.publish_new(part, vectors, again).await
    }

    async fn publish(
        &self,
        part: Arc<Part>,
        (embedded, to_embed): (usize, usize),
        again: bool,
    ) -> Result<Made, IndexingError> {
        let made = Made {
            id: part.id().clone(),
            statistics: Arc::new(Statistics::of([part.as_ref()])),
            has_vectors: part.model().is_some(),
            embedded,
            to_embed,
            contents: chunks(&part).map(Row::content).collect(),
        };
        if again {
            self.engine.replace(part).await?;
        } else {
            self.engine.publish(part).await?;
        }
        Ok(self.note(made))
    }

    /// Publishes a part that was just made, and keeps it for the next start.
    async fn publish_new(
        &self,
        part: Part,
        vectors: (usize, usize),
        again: bool,
    ) -> Result<Made, IndexingError> {
        let part = Arc::new(part);
        let made = self.publish(Arc::clone(&part), vectors, again).await?;
        // A pack's is not kept: the pack has to be read anyway.
        if !made.id.source.is_empty() {
            let (cache, id) = (Arc::clone(&self.cache), made.id.clone());
            blocking(move || cache.keep_part(&id, &part.encode(), std::slice::from_ref(&id)))
                .await?;
        }
        Ok(made)
    }

    /// A part as the cache has it, published.
    async fn kept(
        &self,
        id: &PartId,
        model: Option<&ModelId>,
    ) -> Result<Option<Made>, IndexingError> {
        if id.source.is_empty() {
            return Ok(None);
        }
        let (cache, id, model) = (Arc::clone(&self.cache), id.clone(), model.cloned());
        let by_meaning = model.is_some();
        let part = blocking(move || {
            let bytes = cache.part(&id)?;
            let vectors = |hashes: &[ContentHash]| match &model {
                Some(model) => cache.vectors(model, hashes),
                None => vec![None; hashes.len()],
            };
            let decoded = Part::decode(&id, &bytes, model.clone(), vectors);
            decoded
                .inspect_err(|error| tracing::warn!(%error, source_id = %id.source, "a kept part is made anew"))
                .ok()
        })
        .await?;
        let whole = |part: &Part| !by_meaning || chunks(part).all(|row| row.vector().is_some());
        let Some(part) = part.filter(whole) else {
            return Ok(None);
        };
        let count = if by_meaning { chunks(&part).count() } else { 0 };
        Ok(Some(
            self.publish(Arc::new(part), (count, count), false).await?,
        ))
    }

    /// What a part is made of, without vectors.
    async fn documents(&self, origin: Origin<'_>) -> Result<Vec<Document>, IndexingError> {
        match origin {
            Origin::Pack(version) => Ok(documents_of_pack(version.pack(), &version.analyser)),
            Origin::Source(version, key, _) => {
                let (head, chunks) = self.sources.chunks(key).await?;
                let analyser = Arc::clone(&version.analyser);
                let source = key.source.clone();
                blocking(move || {
                    let chunks = chunks.iter();
                    chunks
                        .map(|chunk| document_of_upload(&source, &head, chunk, &analyser))
                        .collect()
                })
                .await
            }
        }
    }

    /// Gives documents the vectors that are kept; tells how many have theirs.
    async fn give_vectors(
        &self,
        model: &ModelId,
        documents: &mut [Document],
    ) -> Result<usize, IndexingError> {
        let hashes = hashes(documents);
        let (cache, model) = (Arc::clone(&self.cache), model.clone());
        let vectors = blocking(move || cache.vectors(&model, &hashes)).await?;
        let wanting = documents
            .iter_mut()
            .filter(|document| text_to_embed(document).is_some());
        let mut given = 0;
        for (document, vector) in wanting.zip(vectors) {
            given += usize::from(vector.is_some());
            document.vector = vector;
        }
        Ok(given)
    }

    /// Makes the vectors of these documents that are not kept yet. Without a model, or when `end` comes first, some stay
    /// missing.
    pub(super) async fn embed(
        &self,
        documents: &[Document],
        progress: impl FnMut(Embedded<'_>),
        end: &CancellationToken,
    ) -> Result<(), IndexingError> {
        let Some(model) = self.model() else {
            return Ok(());
        };
        embed_documents(
            self.embedder.as_ref(),
            model,
            &self.cache,
            contents(documents),
            progress,
            end,
        )
        .await
        .map(|_| ())
        .map_err(|error| IndexingError::Internal(error.to_string()))
    }

    /// What is made of the pack or of a source, for [`embed`](Self::embed).
    pub(super) async fn documents_to_embed(
        &self,
        origin: Origin<'_>,
    ) -> Result<Vec<Document>, IndexingError> {
        let mut documents = self.documents(origin).await?;
        documents.retain(|document| text_to_embed(document).is_some());
        Ok(documents)
    }

    pub(super) fn known(&self, id: &PartId) -> Option<Made> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.get(id).cloned()
    }

    fn note(&self, made: Made) -> Made {
        let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(made.id.clone(), made.clone());
        made
    }

    /// Whether the part's vectors are all there.
    pub(super) fn is_whole(&self, origin: Origin<'_>) -> bool {
        let id = origin.id(self.model());
        !self.wants_model || self.known(&id).is_some_and(|made| made.has_vectors)
    }
}

/// The texts that need a vector, by content.
fn contents(documents: &[Document]) -> Vec<(ContentHash, Box<str>)> {
    let wanting = documents.iter();
    wanting
        .filter_map(|document| Some((document.content, text_to_embed(document)?.into())))
        .collect()
}

fn hashes(documents: &[Document]) -> Arc<[ContentHash]> {
    contents(documents)
        .into_iter()
        .map(|(hash, _)| hash)
        .collect()
}

fn chunks(part: &Part) -> impl Iterator<Item = Row<'_>> {
    part.rows(Namespace::Chunks)
}

#[allow(clippy::needless_pass_by_value)]
fn broken(error: turnwise_retrieval_index::PartError) -> IndexingError {
    IndexingError::Internal(error.to_string())
}

/// Runs what waits for the disk, or takes long, where that holds nobody up.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, IndexingError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| IndexingError::Internal(error.to_string()))
}
