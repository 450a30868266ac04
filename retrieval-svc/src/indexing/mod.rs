//! From packs and uploads to what is searched, and keeping it so.
//!
//! Everything that is derived is made of *parts* (the pack's rows, the rows of one uploaded source) that never change and
//! are named by what they are made of. A view is an index over the pack's part and a tenant's sources. Nothing that is
//! served waits for a model: a part without vectors is found by words until they are there, and then a new view, with an
//! id of its own, takes the old one's place in one step.

mod parts;
mod views;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
    time::Duration,
};

use tokio::sync::Notify;
use turnwise_course_pack::{HELD_VERSIONS, Pack};
use turnwise_kit::{CancellationToken, Clock};
use turnwise_retrieval_embeddings::{Embedder, describe_patiently};
use turnwise_retrieval_index::{
    Cache, ContentHash, Engine, EngineError, ModelId, PartId, SourceError, Sources,
};

use self::parts::Made;
use crate::{Courses, config::Backends, course::CourseVersion};

/// How long the background waits before it tries again what did not succeed.
const RETRY: Duration = Duration::from_secs(2);

/// Why something could not be indexed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum IndexingError {
    /// The search engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The store of what is uploaded.
    #[error(transparent)]
    Sources(#[from] SourceError),
    /// The work broke off.
    #[error("indexing broke off: {0}")]
    Internal(String),
}

/// Makes and keeps what is searched. One for a process.
pub struct Indexer {
    engine: Arc<dyn Engine>,
    pub(crate) sources: Arc<dyn Sources>,
    cache: Arc<dyn Cache>,
    embedder: Arc<dyn Embedder>,
    clock: Arc<dyn Clock>,
    /// Whether a model is configured; which one it is may become known later.
    wants_model: bool,
    model: OnceLock<ModelId>,
    shared: bool,
    /// What is known of each part that was made, by the part's id.
    made: Mutex<HashMap<PartId, Made>>,
    /// The versions of each course that somebody may still search.
    versions: Mutex<BTreeMap<String, Vec<Weak<CourseVersion>>>>,
    /// Views of a course change one at a time.
    turns: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>,
    changed: Notify,
}

impl Indexer {
    /// An indexer over what the settings name.
    pub fn new(backends: Backends, clock: Arc<dyn Clock>) -> Self {
        Self {
            engine: backends.engine,
            sources: backends.sources,
            cache: backends.cache,
            embedder: backends.embedder,
            wants_model: backends.wants_model,
            model: backends.model.map_or_else(OnceLock::new, OnceLock::from),
            shared: backends.shared,
            clock,
            made: Mutex::default(),
            versions: Mutex::default(),
            turns: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// The engine's name.
    pub fn engine(&self) -> &'static str {
        self.engine.name()
    }

    /// The embedding model, once it is known.
    pub fn model(&self) -> Option<&ModelId> {
        self.model.get()
    }

    /// Whether a model is configured.
    pub fn wants_model(&self) -> bool {
        self.wants_model
    }

    /// Milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.now().as_millisecond()).unwrap_or(0)
    }

    /// A version of a course, ready to be searched with whatever vectors are kept already. A search engine that is away
    /// leaves it without a view; [`tend`](Self::tend) goes on trying.
    pub async fn version(&self, pack: Pack) -> Arc<CourseVersion> {
        let version = Arc::new(CourseVersion::new(pack));
        self.remember(&version);
        if let Err(error) = self.refresh(&version).await {
            tracing::error!(course_id = version.id(), %error, "the course is not indexed yet");
        }
        self.changed.notify_one();
        version
    }

    fn remember(&self, version: &Arc<CourseVersion>) {
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        let held = versions.entry(version.id().to_owned()).or_default();
        held.retain(|version| version.strong_count() > 0);
        held.insert(0, Arc::downgrade(version));
        held.truncate(HELD_VERSIONS + 1);
    }

    /// The versions of a course that somebody may still search.
    fn alive(&self, course: &str) -> Vec<Arc<CourseVersion>> {
        let versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        let held = versions.get(course).into_iter().flatten();
        held.filter_map(Weak::upgrade).collect()
    }

    /// The hashes of a course's packs that are held, the newest first.
    pub fn held(&self, course: &str) -> Vec<String> {
        let versions = self.alive(course).into_iter();
        versions.map(|version| version.pack().hash.clone()).collect()
    }

    /// Keeps vectors that came with an upload.
    pub async fn keep_vectors(
        &self,
        vectors: Vec<(ContentHash, Vec<f32>)>,
    ) -> Result<(), IndexingError> {
        let Some(model) = self.model().cloned().filter(|_| !vectors.is_empty()) else {
            return Ok(());
        };
        let cache = Arc::clone(&self.cache);
        parts::blocking(move || cache.keep_vectors(&model, &vectors)).await
    }

    /// Has the background look again at once.
    pub fn notify(&self) {
        self.changed.notify_one();
    }

    /// Makes the vectors that are missing, learns of uploads that other processes took, and goes on trying what did not
    /// succeed, until `end`. Where sources are shared it looks every `every`.
    pub async fn tend(
        self: Arc<Self>,
        courses: Arc<Courses>,
        every: Duration,
        end: CancellationToken,
    ) {
        if self.wants_model && self.model.get().is_none() {
            match describe_patiently(self.embedder.as_ref(), &end).await {
                Ok(Some(model)) => {
                    tracing::info!(model = %model.name, dimension = model.dimension, "embedding model found");
                    let _ = self.model.set(model);
                }
                Ok(None) => {}
                Err(error) => tracing::error!(%error, "there is no embedding model; words alone decide"),
            }
        }
        while !end.is_cancelled() {
            let mut complete = true;
            for version in courses.after("", usize::MAX) {
                complete &= self.tend_course(&version, &end).await;
            }
            let wait = async {
                match (complete, self.shared && !every.is_zero()) {
                    (true, true) => tokio::time::sleep(every).await,
                    (true, false) => std::future::pending().await,
                    (false, _) => tokio::time::sleep(RETRY).await,
                }
            };
            tokio::select! {
                () = end.cancelled() => return,
                () = self.changed.notified() => {}
                () = wait => {}
            }
        }
    }

    /// Whether nothing is left to do for the course.
    async fn tend_course(&self, version: &Arc<CourseVersion>, end: &CancellationToken) -> bool {
        let embedded = self.embed_missing(version, end).await;
        let refreshed = self.refresh(version).await;
        for error in [embedded.as_ref().err(), refreshed.as_ref().err()].into_iter().flatten() {
            tracing::warn!(course_id = version.id(), %error, "the course is not indexed whole yet");
        }
        embedded.is_ok() && refreshed.is_ok()
    }

    fn turn(&self, course: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(turns.entry(course.to_owned()).or_default())
    }
}
