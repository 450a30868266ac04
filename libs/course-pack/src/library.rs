//! A folder of packs that is served and followed: what changes in it is served without a restart, and what is broken
//! never takes the place of what is good.
//!
//! Changes are noticed by looking again and again, since no notification crosses a network volume. A pack is loaded when
//! its folder has looked the same a few times in a row, and served only if it still looks the same afterwards, so that
//! a pack that is being copied is left alone.

mod error;
mod fingerprint;
mod metrics;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use prometheus_client::registry::Registry;

pub use self::error::{BundleError, LibraryError};
use self::metrics::LibraryMetrics;
use crate::archive::{ArchiveError, PackArchive};
use crate::catalog::{Catalog, Version};
use crate::fault::PackFault;
use crate::load::{Refusal, duplicate, examine, is_bundle, places_of_packs};
use crate::model::Pack;

/// A broken pack is loaded again after so many polls although nothing has changed: the fault may have been the volume's.
const RETRY_BROKEN_POLLS: u32 = 30;
/// How often the archive is looked after.
const ARCHIVED_EVERY: Duration = Duration::from_secs(600);

/// Unpacks a bundle, or the one that its file names, into the archive, and returns the folder there.
type Unpack = dyn Fn(&Path) -> Result<PathBuf, BundleError> + Send + Sync;
/// What a service makes of a pack, or what is wrong with the pack.
type Build<T> = dyn Fn(Pack) -> Result<T, String> + Send + Sync;

/// A folder of packs that is served and followed.
pub struct Library<T> {
    root: PathBuf,
    settled_after: u32,
    unpack: Box<Unpack>,
    build: Box<Build<T>>,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    catalog: Arc<Catalog<T>>,
    archive: Option<PackArchive>,
    metrics: LibraryMetrics,
    /// Taken by one poll at a time; lookups do not touch it.
    state: Mutex<State<T>>,
}

struct State<T> {
    folders: BTreeMap<PathBuf, Folder<T>>,
    /// The hash that is served of each course.
    served: BTreeMap<String, String>,
    /// When the archive was last looked after.
    archived: Option<Timestamp>,
    /// The hashes that the archive has had since the start.
    kept: BTreeSet<String>,
    /// What is wrong with the root, as it was last logged.
    trouble: Option<String>,
}

/// A pack's folder, as far as it is known.
struct Folder<T> {
    /// How it looked at the last poll; none if it was gone.
    look: Option<u64>,
    /// For how many polls it has looked like that.
    polls: u32,
    /// How it looked when it was last loaded.
    loaded: Option<u64>,
    /// Why what was last loaded was refused; without faults if it was not.
    refusal: Refusal,
    /// The last good version that came from it.
    good: Option<Version<T>>,
    /// The folder that has the same course, as was last logged.
    rival: Option<PathBuf>,
}

impl<T> Default for Folder<T> {
    fn default() -> Self {
        Self {
            look: None,
            polls: 0,
            loaded: None,
            refusal: Refusal::default(),
            good: None,
            rival: None,
        }
    }
}

impl<T> fmt::Debug for Library<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library")
            .field("root", &self.root)
            .field("catalog", &self.catalog)
            .finish_non_exhaustive()
    }
}

impl<T> Library<T> {
    /// Loads every pack under `root`, those of bundles from where `unpack` puts them. A broken one is logged with its
    /// faults and left out, as is the second of two with one course id.
    ///
    /// Afterwards a pack is loaded again when its folder, or its bundle's file, has changed and then looked the same in
    /// `settled_after` polls. `build` makes of a checked pack what is served, or says what is wrong with it.
    ///
    /// # Errors
    /// The folder cannot be read, holds no pack, or holds broken packs only; or a bundle is refused.
    pub fn open(
        root: &Path,
        settled_after: u32,
        unpack: impl Fn(&Path) -> Result<PathBuf, BundleError> + Send + Sync + 'static,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
        build: impl Fn(Pack) -> Result<T, String> + Send + Sync + 'static,
    ) -> Result<Self, LibraryError> {
        let library = Self {
            root: root.to_owned(),
            settled_after,
            unpack: Box::new(unpack),
            build: Box::new(build),
            clock: Box::new(clock),
            catalog: Arc::default(),
            archive: None,
            metrics: LibraryMetrics::default(),
            state: Mutex::new(State {
                folders: BTreeMap::new(),
                served: BTreeMap::new(),
                archived: None,
                kept: BTreeSet::new(),
                trouble: None,
            }),
        };
        let paths = places_of_packs(root).map_err(LibraryError::Unreadable)?;
        if paths.is_empty() {
            return Err(LibraryError::NoPack(root.to_owned()));
        }
        let mut state = library.state();
        let (mut faults, mut bundles) = (Vec::new(), Vec::new());
        for path in paths {
            let mut folder = Folder::default();
            folder.seen(Some(fingerprint::of(&path)));
            let loaded = library.load(&path);
            if let Err(refusal) = &loaded {
                let of = if refusal.bundle {
                    &mut bundles
                } else {
                    &mut faults
                };
                of.extend(refusal.faults.iter().cloned());
            }
            library.take(&path, &mut folder, loaded);
            state.folders.insert(path, folder);
        }
        if !bundles.is_empty() {
            return Err(LibraryError::Bundle(bundles));
        }
        library.settle(&mut state);
        let none_served = state.served.is_empty();
        drop(state);
        if none_served {
            return Err(LibraryError::NoGoodPack(faults));
        }
        Ok(library)
    }

    /// Keeps every version that is served in this archive, too, those of today and those of later.
    #[must_use]
    pub fn archived_in(mut self, archive: PackArchive) -> Self {
        self.archive = Some(archive);
        self.archive_served(&mut self.state());
        self
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is served.
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog<T>> {
        Arc::clone(&self.catalog)
    }

    /// Registers the library's metrics: `course_packs_refused_total`, and `course_served_since_timestamp_seconds` for
    /// each version that is served.
    pub fn register(&self, registry: &mut Registry) {
        self.metrics.register(registry);
    }

    /// Polls again and again, until `end`. A period of zero never polls; the archive is looked after all the same.
    pub async fn follow(self: Arc<Self>, every: Duration, end: impl Future<Output = ()>)
    where
        T: Send + Sync + 'static,
    {
        let polls = !every.is_zero();
        if !polls && self.archive.is_none() {
            return;
        }
        let polling = async {
            loop {
                tokio::time::sleep(if polls { every } else { ARCHIVED_EVERY }).await;
                let library = Arc::clone(&self);
                let look = move || {
                    if polls {
                        library.poll();
                    } else {
                        library.archive_served(&mut library.state());
                    }
                };
                // Reading and indexing a pack may take long, and would hold up the calls of this thread.
                if let Err(error) = tokio::task::spawn_blocking(look).await {
                    tracing::error!(%error, "the courses were not looked at");
                }
            }
        };
        tokio::select! {
            () = end => {}
            () = polling => {}
        }
    }

    /// Looks at the folder once, and loads and serves what has changed and settled. Tells whether other versions are
    /// served than before. It reads files: call it where blocking is no harm.
    pub fn poll(&self) -> bool {
        let mut state = self.state();
        let state = &mut *state;
        let since = state
            .archived
            .map(|at| (self.clock)().duration_since(at).unsigned_abs());
        if since.is_some_and(|since| since >= ARCHIVED_EVERY) {
            self.archive_served(state);
        }
        let present = match self.present(&state.folders) {
            Ok(present) => present,
            Err(trouble) => {
                if state.trouble.as_ref() != Some(&trouble) {
                    tracing::error!("{trouble}; the courses stay as they are");
                    state.trouble = Some(trouble);
                }
                return false;
            }
        };
        if state.trouble.take().is_some() {
            tracing::info!("the courses can be read again");
        }
        for path in &present {
            state.folders.entry(path.clone()).or_default();
        }
        let mut changed = false;
        state.folders.retain(|path, folder| {
            let look = present.contains(path).then(|| fingerprint::of(path));
            folder.seen(look);
            if folder.polls < self.settled_after {
                return true;
            }
            let Some(look) = look else {
                changed = true;
                return false;
            };
            let retry = folder.is_broken() && folder.polls.is_multiple_of(RETRY_BROKEN_POLLS);
            if folder.loaded == Some(look) && !retry {
                return true;
            }
            let loaded = self.load(path);
            if fingerprint::of(path) == look {
                changed |= self.take(path, folder, loaded);
            } else {
                folder.polls = 0;
            }
            true
        });
        changed && self.settle(state)
    }

    /// The folders of packs that are there. A known one counts for as long as the folder itself exists: a pack that has
    /// lost its course.yaml, or a volume that has lost its content, is broken and not withdrawn.
    fn present(&self, known: &BTreeMap<PathBuf, Folder<T>>) -> Result<Vec<PathBuf>, String> {
        let mut present = places_of_packs(&self.root).map_err(|fault| fault.to_string())?;
        for path in known.keys() {
            let gone = fs::metadata(path).is_err_and(|e| e.kind() == ErrorKind::NotFound);
            if *path != self.root && !gone && !present.contains(path) {
                present.push(path.clone());
            }
        }
        if present.is_empty() {
            return Err(LibraryError::NoPack(self.root.clone()).to_string());
        }
        Ok(present)
    }

    /// Loads a pack. A version that is held already is not built again.
    fn load(&self, path: &Path) -> Result<Version<T>, Refusal> {
        let pack = examine(&self.folder(path)?)?;
        let course_id = pack.course.id.clone();
        let hash = pack.hash.clone();
        let value = match self.catalog.version(&course_id, &hash) {
            Some(held) => held,
            None => Arc::new((self.build)(pack).map_err(|message| {
                vec![PackFault {
                    file: path.join("course.yaml"),
                    line: None,
                    message,
                    remedy: "correct the pack".to_owned(),
                }]
            })?),
        };
        Ok(Version {
            course_id,
            hash,
            value,
        })
    }

    /// The folder of a pack, which may be in a bundle.
    fn folder(&self, path: &Path) -> Result<PathBuf, Refusal> {
        if !is_bundle(path) {
            return Ok(path.to_owned());
        }
        (self.unpack)(path).map_err(|error| error.refusal(path))
    }

    /// Notes what came of loading a folder as it was last seen. Tells whether that is news.
    fn take(
        &self,
        path: &Path,
        folder: &mut Folder<T>,
        loaded: Result<Version<T>, Refusal>,
    ) -> bool {
        let retried = folder.loaded == folder.look;
        folder.loaded = folder.look;
        match loaded {
            Ok(version) => {
                folder.good = Some(version);
                folder.refusal = Refusal::default();
                true
            }
            Err(refusal) if retried && refusal.faults == folder.refusal.faults => false,
            Err(refusal) => {
                self.refuse(path, &refusal);
                folder.refusal = refusal;
                true
            }
        }
    }

    fn refuse(&self, path: &Path, refusal: &Refusal) {
        self.metrics.refused();
        for fault in &refusal.faults {
            if refusal.bundle {
                tracing::warn!(bundle = %path.display(), "course bundle refused: {fault}");
            } else {
                tracing::error!(folder = %path.display(), "course pack refused: {fault}");
            }
        }
    }

    /// Serves what the folders hold now. Tells whether that is something else than before.
    fn settle(&self, state: &mut State<T>) -> bool {
        let mut homes: BTreeMap<String, (PathBuf, Version<T>)> = BTreeMap::new();
        for (path, folder) in &mut state.folders {
            let Some(good) = folder.good.as_ref().filter(|_| !folder.is_broken()) else {
                continue;
            };
            // The first folder by name has the course, as it has after a restart.
            let rival = homes.get(&good.course_id).map(|(home, _)| home.clone());
            match &rival {
                None => {
                    homes.insert(good.course_id.clone(), (path.clone(), good.clone()));
                }
                Some(home) if folder.rival != rival => {
                    self.refuse(path, &vec![duplicate(path, &good.course_id, home)].into());
                }
                Some(_) => {}
            }
            folder.rival = rival;
        }
        for (path, folder) in &state.folders {
            if let Some(good) = folder.good.as_ref().filter(|_| folder.is_broken()) {
                // A course whose pack is broken now goes on as it was, unless another folder has it in order.
                homes
                    .entry(good.course_id.clone())
                    .or_insert_with(|| (path.clone(), good.clone()));
            }
        }
        let circular = state.folders.values().map(|f| &f.refusal.circular);
        let circular: BTreeSet<String> = circular.flatten().cloned().collect();
        self.catalog.set_circular(circular);
        if homes.is_empty() {
            tracing::error!(root = %self.root.display(), "no course pack is in order");
            return false;
        }
        let versions: Vec<_> = homes.into_values().map(|(_, version)| version).collect();
        let served: BTreeMap<_, _> = versions
            .iter()
            .map(|version| (version.course_id.clone(), version.hash.clone()))
            .collect();
        if served == state.served {
            return false;
        }
        let before = std::mem::replace(&mut state.served, served);
        self.archive_served(state);
        self.catalog.serve_only(&versions);
        self.tell(&before, &state.served);
        true
    }

    /// Has the archive hold what is served, and nothing that no log names any more. What fails is tried again.
    fn archive_served(&self, state: &mut State<T>) {
        let Some(archive) = &self.archive else {
            return;
        };
        let now = (self.clock)();
        state.archived = Some(now);
        for (path, folder) in &state.folders {
            let Some(good) = &folder.good else {
                continue;
            };
            let Version {
                course_id, hash, ..
            } = good;
            if state.served.get(course_id) != Some(hash) {
                continue;
            }
            let kept = state.kept.contains(hash);
            let pack = || {
                let folder = self.folder(path);
                folder.map_err(|refusal| ArchiveError::Bundle(refusal.faults))
            };
            match archive.keep(course_id, hash, pack, kept, now) {
                Ok(()) => {
                    state.kept.insert(hash.clone());
                }
                Err(error) => {
                    tracing::error!(course_id, pack_hash = hash, %error, "the course is not archived: turns may not be replayed");
                }
            }
        }
        if let Err(error) = archive.sweep(&state.served, now) {
            tracing::error!(%error, "old courses stay in the archive");
        }
    }

    /// Logs and shows in metrics what is served now and was not before.
    fn tell(&self, before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) {
        for (course_id, pack_hash) in now {
            let earlier = before.get(course_id);
            if earlier != Some(pack_hash) {
                let earlier = earlier.map(String::as_str);
                tracing::info!(course_id, pack_hash, earlier, "course served");
                self.metrics.served(course_id, pack_hash, (self.clock)());
            }
        }
        for (course_id, pack_hash) in before {
            if now.get(course_id) != Some(pack_hash) {
                self.metrics.no_longer_served(course_id, pack_hash);
            }
            if !now.contains_key(course_id) {
                tracing::warn!(course_id, pack_hash, "course withdrawn: no folder holds it");
            }
        }
    }
}

impl<T> Folder<T> {
    fn is_broken(&self) -> bool {
        !self.refusal.faults.is_empty()
    }

    fn seen(&mut self, look: Option<u64>) {
        if look != self.look {
            self.look = look;
            self.polls = 0;
        }
        self.polls = self.polls.saturating_add(1);
    }
}
