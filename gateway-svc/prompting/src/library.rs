//! The sheets that are served, and the folder that they follow.

use std::{
    collections::VecDeque,
    future::Future,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use arc_swap::ArcSwap;

use crate::{
    fault::SheetError,
    sheets::{Files, Sheets, read},
};

/// How many versions can be looked up by their hash, the one that is served included.
const VERSIONS: usize = 3;

/// What came of a look at the folder.
#[derive(Debug)]
pub enum Refresh {
    /// What is served stays as it is.
    Unchanged,
    /// The folder has changed since the last look; the next look that finds it the same loads it.
    Settling,
    /// Another version is served now; the one with this hash.
    Served(String),
    /// The folder's sheets are broken or cannot be read, and what was served is still served. Told once per change.
    Refused(SheetError),
}

/// The sheets that are served now, and some that were.
#[derive(Debug)]
pub struct SheetLibrary {
    folder: Option<PathBuf>,
    served: ArcSwap<Sheets>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The latest versions, the newest last.
    versions: VecDeque<Arc<Sheets>>,
    /// The folder at the last look; none if it could not be read.
    seen: Option<Files>,
    /// The folder as it was last loaded or refused.
    judged: Option<Files>,
}

impl SheetLibrary {
    /// Serves these sheets for ever.
    #[must_use]
    pub fn fixed(sheets: Sheets) -> Self {
        Self::new(None, sheets, None)
    }

    /// Serves a folder's sheets, and follows it.
    ///
    /// # Errors
    /// As [`Sheets::load`].
    pub fn open(folder: &Path) -> Result<Self, SheetError> {
        let files = read(folder)?;
        let sheets = Sheets::of(&files)?;
        Ok(Self::new(Some(folder.to_owned()), sheets, Some(files)))
    }

    fn new(folder: Option<PathBuf>, sheets: Sheets, files: Option<Files>) -> Self {
        let sheets = Arc::new(sheets);
        Self {
            folder,
            served: ArcSwap::new(Arc::clone(&sheets)),
            state: Mutex::new(State {
                versions: VecDeque::from([sheets]),
                seen: files.clone(),
                judged: files,
            }),
        }
    }

    /// The sheets that are served now. A turn takes them once and uses them to its end.
    #[must_use]
    pub fn current(&self) -> Arc<Sheets> {
        self.served.load_full()
    }

    /// The sheets with this hash, if they are among the last three versions that were served.
    #[must_use]
    pub fn of(&self, hash: &str) -> Option<Arc<Sheets>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let found = state.versions.iter().find(|sheets| sheets.hash() == hash);
        found.map(Arc::clone)
    }

    /// Looks at the folder once, and serves what has changed and has looked the same in two looks in a row, so that
    /// files that are being copied are left alone. It reads files: call it where blocking is no harm.
    pub fn refresh(&self) -> Refresh {
        let Some(folder) = &self.folder else {
            return Refresh::Unchanged;
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let files = match read(folder) {
            Ok(files) => files,
            Err(error) => {
                // Told once: as long as nothing can be read there is nothing new to tell.
                let news = state.seen.take().is_some();
                state.judged = None;
                return if news {
                    refused(folder, error)
                } else {
                    Refresh::Unchanged
                };
            }
        };
        if state.judged.as_ref() == Some(&files) {
            state.seen = Some(files);
            return Refresh::Unchanged;
        }
        if state.seen.as_ref() != Some(&files) {
            state.seen = Some(files);
            return Refresh::Settling;
        }
        let loaded = Sheets::of(&files);
        state.judged = Some(files);
        match loaded {
            Ok(sheets) => self.serve(&mut state, sheets),
            Err(error) => refused(folder, error),
        }
    }

    fn serve(&self, state: &mut State, sheets: Sheets) -> Refresh {
        let before = self.served.load();
        if before.hash() == sheets.hash() {
            return Refresh::Unchanged;
        }
        let sheets = Arc::new(sheets);
        let hash = sheets.hash().to_owned();
        tracing::info!(
            sheets = hash,
            before = before.hash(),
            "prompt sheets served"
        );
        self.served.store(Arc::clone(&sheets));
        state.versions.retain(|version| version.hash() != hash);
        state.versions.push_back(sheets);
        if state.versions.len() > VERSIONS {
            state.versions.pop_front();
        }
        Refresh::Served(hash)
    }

    /// Looks at the folder again and again, until `end`. A period of zero never looks.
    pub async fn follow(self: Arc<Self>, every: Duration, end: impl Future<Output = ()>) {
        if every.is_zero() || self.folder.is_none() {
            return;
        }
        let looking = async {
            loop {
                tokio::time::sleep(every).await;
                let library = Arc::clone(&self);
                if let Err(error) = tokio::task::spawn_blocking(move || library.refresh()).await {
                    tracing::error!(%error, "the prompt sheets were not looked at");
                }
            }
        };
        tokio::select! {
            () = end => {}
            () = looking => {}
        }
    }
}

fn refused(folder: &Path, error: SheetError) -> Refresh {
    tracing::error!(
        folder = %folder.display(),
        error = &error as &dyn std::error::Error,
        "prompt sheets refused; those before are still served"
    );
    Refresh::Refused(error)
}
