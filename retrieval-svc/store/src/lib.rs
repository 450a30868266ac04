//! Uploaded sources, and what was derived from them, on this machine's disk with nothing to install.
//!
//! | file | holds |
//! | --- | --- |
//! | the one that is named | uploaded sources: the truth, worth a backup |
//! | the same name with `.cache` | vectors and parts: made again when it is lost, damaged or of another format |
//! | the same name with `.lock` | nothing; whoever has the store open holds a lock on it |
//!
//! Sources are on disk before a call is answered. A damaged record spoils its source and no other: it is listed as
//! damaged until it is uploaded again or removed.
//!
//! Both files are opened as `turnwise-embedded-file` says: a damaged one from which every row can still be read is
//! replaced by a new one with the same rows. Other damage is refused, or, for the cache, thrown away.
//!
//! Vectors are brought to disk every few thousand and whenever a part is kept. What bounds the cache: the vectors of the
//! two models used last are kept, those of other models are dropped; [`Cache::forget_unused`] drops those of contents
//! that are gone; of a source the parts are kept that are said to be in use, and none once it is removed.

mod cache;
mod name;
mod record;
mod uploads;

use std::{collections::HashSet, path::Path, sync::Arc};

use tokio::{sync::Mutex, task::spawn_blocking};
use turnwise_embedded_file::{Cause, Done, EmbeddedFile, Lock, Purpose, beside};
use turnwise_retrieval_index::{
    BoxFuture, Cache, ContentHash, ModelId, PartId, Progress, SourceError, SourceHead, SourceKey,
    SourceState, Sources, TenantCourse, UploadedChunk,
};

pub use turnwise_embedded_file::OpenError;

use self::{
    cache::CacheFile,
    uploads::{Reading, Writing},
};

/// Why a transaction on one of the files did not go through.
type Failure = turnwise_embedded_file::Failure<SourceError>;

/// The file of sources.
const SOURCES: Purpose = Purpose {
    name: "retrieval sources",
    format: 1,
    cache_bytes: 32 * 1024 * 1024,
    content: "a store of sources",
    remedy: "restore it from a backup, or move it away and upload the sources again",
    rescue: uploads::rescue,
};

/// Sources and what was derived from them. [`Sources`] runs inside a tokio runtime, on its blocking threads; [`Cache`]
/// runs where it is called.
#[derive(Debug)]
pub struct Store {
    files: Arc<Files>,
    /// Whoever writes sources, in the order of the calls.
    turn: Arc<Mutex<()>>,
}

#[derive(Debug)]
struct Files {
    sources: EmbeddedFile,
    /// `None`: it could not be opened, which is logged.
    cache: Option<CacheFile>,
    /// Dropped last. `None`: in memory.
    _lock: Option<Lock>,
}

impl Store {
    /// Opens the store, made with its folder if it is not there, for this user alone.
    ///
    /// # Errors
    ///
    /// The file cannot be made or opened, is in use, is damaged or no store, or comes from a newer version. Troubles of
    /// the cache beside it are only logged.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let lock = Lock::take(path)?;
        let sources = EmbeddedFile::open(path, SOURCES, &lock)?;
        let cache = CacheFile::open(&beside(path, "cache"), &lock);
        Ok(Self::of(sources, cache, Some(lock)))
    }

    /// A store in memory, which is gone when it is dropped.
    ///
    /// # Errors
    ///
    /// The database cannot be made.
    pub fn in_memory() -> Result<Self, OpenError> {
        let sources = EmbeddedFile::in_memory(SOURCES)?;
        Ok(Self::of(sources, Some(CacheFile::in_memory()?), None))
    }

    fn of(sources: EmbeddedFile, cache: Option<CacheFile>, lock: Option<Lock>) -> Self {
        Self {
            files: Arc::new(Files {
                sources,
                cache,
                _lock: lock,
            }),
            turn: Arc::default(),
        }
    }

    async fn read<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Reading) -> Result<R, Failure> + Send + 'static,
        empty: impl FnOnce() -> Result<R, SourceError>,
    ) -> Result<R, SourceError> {
        let files = Arc::clone(&self.files);
        let read = move || {
            files.sources.reopen()?;
            files.sources.read(|transaction| {
                Reading::open(transaction)?
                    .map(|reading| work(&reading))
                    .transpose()
            })
        };
        match spawn_blocking(read).await {
            Ok(Ok(Some(found))) => Ok(found),
            Ok(Ok(None)) => empty(),
            Ok(Err(failure)) => Err(told(failure)),
            Err(error) => Err(SourceError::Unavailable(error.to_string())),
        }
    }

    async fn write<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Writing<'_>) -> Result<Done<R>, Failure> + Send + 'static,
    ) -> Result<R, SourceError> {
        // Held by the thread that writes, even if the caller has gone.
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let files = Arc::clone(&self.files);
        let write = move || {
            let _turn = turn;
            files
                .sources
                .write(true, |transaction| work(&mut Writing::open(transaction)?))
        };
        match spawn_blocking(write).await {
            Ok(written) => written.map_err(told),
            Err(error) => Err(SourceError::Unavailable(error.to_string())),
        }
    }
}

impl Files {
    /// What the cache answers; `None` if there is none, or it cannot.
    fn with_cache<R>(&self, work: impl FnOnce(&CacheFile) -> Result<R, Failure>) -> Option<R> {
        work(self.cache.as_ref()?).inspect_err(cache::log).ok()
    }
}

/// What the caller is told of a failure.
fn told(failure: Failure) -> SourceError {
    match failure {
        Failure::Owner(error) => error,
        Failure::File(fault) if fault.cause() == Cause::Damaged => {
            SourceError::Corrupted(fault.problem())
        }
        Failure::File(fault) => SourceError::Unavailable(fault.problem()),
    }
}

/// What happened, for people.
fn problem(failure: &Failure) -> String {
    match failure {
        Failure::Owner(error) => error.to_string(),
        Failure::File(fault) => fault.problem(),
    }
}

impl Sources for Store {
    fn begin<'a>(
        &'a self,
        key: &'a SourceKey,
        head: &'a SourceHead,
    ) -> BoxFuture<'a, Result<Progress, SourceError>> {
        let (key, head) = (key.clone(), head.clone());
        Box::pin(self.write(move |tables| tables.begin(&key, &head)))
    }

    fn stage<'a>(
        &'a self,
        key: &'a SourceKey,
        revision: &'a str,
        first: u32,
        chunks: Vec<UploadedChunk>,
    ) -> BoxFuture<'a, Result<u32, SourceError>> {
        let (key, revision) = (key.clone(), revision.to_owned());
        Box::pin(self.write(move |tables| tables.stage(&key, &revision, first, &chunks)))
    }

    fn commit<'a>(
        &'a self,
        key: &'a SourceKey,
        revision: &'a str,
        now_ms: u64,
    ) -> BoxFuture<'a, Result<(), SourceError>> {
        let (key, revision) = (key.clone(), revision.to_owned());
        Box::pin(self.write(move |tables| tables.commit(&key, &revision, now_ms)))
    }

    fn remove<'a>(&'a self, key: &'a SourceKey) -> BoxFuture<'a, Result<bool, SourceError>> {
        Box::pin(async {
            let removed = {
                let key = key.clone();
                self.write(move |tables| tables.remove(&key)).await?
            };
            let (files, key) = (Arc::clone(&self.files), key.clone());
            let forget = move || {
                files.with_cache(|cache| cache.forget_source(&key.tenant, &key.course, &key.source))
            };
            // Whatever becomes of it, the source is removed.
            let _ = spawn_blocking(forget).await;
            Ok(removed)
        })
    }

    fn list<'a>(
        &'a self,
        tenant: &'a str,
        course: &'a str,
    ) -> BoxFuture<'a, Result<Vec<SourceState>, SourceError>> {
        let (tenant, course) = (tenant.to_owned(), course.to_owned());
        Box::pin(self.read(
            move |tables| tables.list(&tenant, &course),
            || Ok(Vec::new()),
        ))
    }

    fn courses<'a>(&'a self) -> BoxFuture<'a, Result<Vec<TenantCourse>, SourceError>> {
        Box::pin(self.read(Reading::courses, || Ok(Vec::new())))
    }

    fn chunks<'a>(
        &'a self,
        key: &'a SourceKey,
    ) -> BoxFuture<'a, Result<(SourceHead, Vec<UploadedChunk>), SourceError>> {
        let key = key.clone();
        Box::pin(self.read(
            move |tables| tables.chunks(&key),
            || Err(SourceError::NotBegun),
        ))
    }
}

impl Cache for Store {
    fn vectors(&self, model: &ModelId, contents: &[ContentHash]) -> Vec<Option<Vec<f32>>> {
        self.files
            .with_cache(|cache| cache.vectors(model, contents))
            .unwrap_or_else(|| vec![None; contents.len()])
    }

    fn keep_vectors(&self, model: &ModelId, vectors: &[(ContentHash, Vec<f32>)]) {
        self.files
            .with_cache(|cache| cache.keep_vectors(model, vectors));
    }

    fn forget_vectors(&self, model: &ModelId, contents: &[ContentHash]) {
        self.files
            .with_cache(|cache| cache.forget_vectors(model, contents));
    }

    fn forget_unused(&self, model: &ModelId, keep: &HashSet<ContentHash>) -> u64 {
        self.files
            .with_cache(|cache| cache.forget_unused(model, keep))
            .unwrap_or(0)
    }

    fn part(&self, id: &PartId) -> Option<Vec<u8>> {
        self.files.with_cache(|cache| cache.part(id)).flatten()
    }

    fn keep_part(&self, id: &PartId, encoded: &[u8], keep: &[PartId]) {
        self.files
            .with_cache(|cache| cache.keep_part(id, encoded, keep));
    }
}
