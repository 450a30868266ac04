//! From packs and uploads to what is searched, and keeping it so.
//!
//! Everything that is derived is made of *parts* (the pack's rows, the rows of one uploaded source) that never change and
//! are named by what they are made of. A view is an index over the pack's part and a tenant's sources. Nothing that is
//! served waits for a model: a part without vectors is found by words until they are there, and then a new view, with an
//! id of its own, takes the old one's place in one step.

mod parts;
mod views;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{
        Arc, Mutex, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::sync::Notify;
use turnwise_course_pack::{HELD_VERSIONS, Pack};
use turnwise_kit::{CallContext, CancellationToken, Clock};
use turnwise_retrieval_embeddings::Embedder;
use turnwise_retrieval_index::{
    Cache, ContentHash, Engine, EngineError, ModelId, PartId, SourceError, Sources,
};
use turnwise_retrieval_qdrant::Qdrant;

use self::parts::Made;
use crate::{
    config::Backends,
    course::{CourseVersion, Dense},
};

/// How long a model may take to say which one it is.
const MODEL_WAIT: Duration = Duration::from_secs(30);
/// How long the background waits before it tries again what did not succeed: at first, and at most. It doubles in
/// between, so that a model that stays away does not fill the log.
const RETRY: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(10));

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
    shared: Option<Qdrant>,
    /// What is known of each part that was made, by the part's id.
    made: Mutex<HashMap<PartId, Made>>,
    /// The versions of each course that somebody may still search.
    versions: Mutex<BTreeMap<String, Vec<Weak<CourseVersion>>>>,
    /// Views of a course change one at a time.
    turns: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>,
    changed: Notify,
    /// Whether a part has gone out of use since vectors were last looked through.
    replaced: AtomicBool,
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
            replaced: AtomicBool::new(false),
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

    /// The newest version of each course, from the moment at which it is made: it may be looked at before it is served.
    fn newest(&self) -> Vec<Arc<CourseVersion>> {
        let versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        let held = versions.values();
        held.filter_map(|held| held.iter().find_map(Weak::upgrade))
            .collect()
    }

    /// The hashes of a course's packs that are held, the newest first.
    pub fn held(&self, course: &str) -> Vec<String> {
        let versions = self.alive(course).into_iter();
        versions
            .map(|version| version.pack().hash.clone())
            .collect()
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
    pub async fn tend(self: Arc<Self>, every: Duration, end: CancellationToken) {
        let mut seen = None;
        let mut problem = String::new();
        let mut pause = RETRY.0;
        while !end.is_cancelled() {
            self.find_model(&mut problem).await;
            // What nobody has changed need not be looked at again.
            let stamp = self.stamp().await;
            let changed = stamp.is_none() || stamp != seen;
            let mut complete = true;
            for version in self.newest() {
                complete &= self.tend_course(&version, changed, &end).await;
            }
            seen = stamp.filter(|_| complete);
            // A pack that cannot be loaded just now keeps its vectors as long as nothing else has made place.
            if complete && self.replaced.swap(false, Ordering::Relaxed) {
                self.forget_unused_vectors().await;
            }
            let next = match (complete, self.shared.is_some() && !every.is_zero()) {
                (true, true) => Some(every),
                (true, false) => None,
                (false, _) => Some(pause),
            };
            pause = match complete {
                true => RETRY.0,
                false => (pause * 2).min(RETRY.1),
            };
            let wait = async {
                match next {
                    Some(delay) => tokio::time::sleep(delay).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = end.cancelled() => return,
                () = self.changed.notified() => {}
                () = wait => {}
            }
        }
    }

    /// Drops kept vectors of contents that no part has any more, once everything that is served is whole.
    async fn forget_unused_vectors(&self) {
        let Some(model) = self.model().cloned() else {
            return;
        };
        let keep: HashSet<ContentHash> = {
            let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            let all = made.values();
            all.flat_map(|made| made.contents.iter().copied()).collect()
        };
        let cache = Arc::clone(&self.cache);
        match parts::blocking(move || cache.forget_unused(&model, &keep)).await {
            Ok(0) => {}
            Ok(forgotten) => tracing::info!(forgotten, "vectors that nothing needs were dropped"),
            Err(error) => tracing::warn!(%error, "vectors that nothing needs stay"),
        }
    }

    /// Asks a model that has not said yet which one it is; `before` is what was wrong last.
    async fn find_model(&self, before: &mut String) {
        if !self.wants_model || self.model.get().is_some() {
            return;
        }
        let call = CallContext::background(None, MODEL_WAIT);
        let problem = match self.embedder.describe(&call).await {
            Ok(Some(model)) => {
                tracing::info!(model = %model.name, dimension = model.dimension, "embedding model found");
                let _ = self.model.set(model);
                return;
            }
            Ok(None) => return,
            Err(error) => error.to_string(),
        };
        if *before != problem {
            tracing::warn!(
                problem,
                "words alone decide until the embedding model is there"
            );
            *before = problem;
        }
    }

    /// What changes with every commit of a source, by whichever process; `None`: it cannot be told.
    async fn stamp(&self) -> Option<u64> {
        self.shared.as_ref()?.revision_stamp().await.ok()
    }

    /// Whether nothing is left to do for the course. What is whole is looked at again only if sources have `changed`.
    async fn tend_course(
        &self,
        version: &Arc<CourseVersion>,
        changed: bool,
        end: &CancellationToken,
    ) -> bool {
        if !changed && self.is_complete(version) {
            return true;
        }
        let embedded = self.embed_missing(version, end).await;
        let refreshed = self.refresh(version).await;
        for error in [embedded.as_ref().err(), refreshed.as_ref().err()]
            .into_iter()
            .flatten()
        {
            tracing::warn!(course_id = version.id(), %error, "the course is not indexed whole yet");
        }
        embedded.is_ok() && refreshed.is_ok() && self.is_complete(version)
    }

    fn is_complete(&self, version: &CourseVersion) -> bool {
        let views = version.views();
        let mut all = views.tenants.values().chain(&views.base);
        views.base.is_some() && all.all(|view| view.dense != Dense::Pending)
    }

    fn turn(&self, course: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(turns.entry(course.to_owned()).or_default())
    }
}
