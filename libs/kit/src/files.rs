//! Files that settings name for secrets and certificates. What is wrong with one stops the start; one that changes is read
//! again, and what cannot be used then leaves everything as it is.

use std::{
    fs::{self, File, Metadata},
    io::{self, ErrorKind, Read},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwap;
use ring::digest::{Digest, SHA256, digest};
use tokio::{sync::watch, task::spawn_blocking, time::sleep};

use crate::{Kit, Metrics, settings::SettingsError};

/// How often files are looked at.
const LOOK: Duration = Duration::from_secs(1);
/// The most bytes of a file; a bundle of all public authorities has a quarter of that.
const MAX_BYTES: u64 = 1 << 20;
/// The rights of those who are neither the owner nor of the group.
const READ: u32 = 0o004;
const WRITE: u32 = 0o002;

/// Whether everybody may read secrets in this process (SECRET_FILES_WORLD_READABLE).
static WORLD_READABLE: AtomicBool = AtomicBool::new(false);

/// Says whether everybody may read secrets in this process. It is one decision about the machine.
pub fn allow_world_readable(allowed: bool) {
    WORLD_READABLE.store(allowed, Ordering::Relaxed);
}

/// Values that are asked for each time that they are needed, since they may change.
pub type Current<T> = Arc<dyn Fn() -> T + Send + Sync>;

/// A file that a setting names.
#[derive(Debug, Clone)]
pub struct NamedFile {
    setting: &'static str,
    path: PathBuf,
    secret: bool,
}

impl NamedFile {
    /// A file that not everybody may read.
    pub fn secret(setting: &'static str, path: impl Into<PathBuf>) -> Self {
        Self {
            setting,
            path: path.into(),
            secret: true,
        }
    }

    /// A file that anybody may read, and not everybody write, such as a certificate.
    pub fn public(setting: &'static str, path: impl Into<PathBuf>) -> Self {
        Self {
            secret: false,
            ..Self::secret(setting, path)
        }
    }

    /// What the file holds, which is something.
    ///
    /// # Errors
    ///
    /// If it is missing, empty or too large, everybody may write it, or it is a secret and everybody may read it. The message
    /// says what to do.
    pub fn read(&self) -> Result<Vec<u8>, SettingsError> {
        let bytes = read(&self.path, self.secret).map_err(|problem| self.unusable(problem))?;
        if bytes.trim_ascii().is_empty() {
            return Err(self.unusable("it is empty; write what belongs there"));
        }
        Ok(bytes)
    }

    /// The file cannot be used, for a reason that is in what it holds.
    pub fn unusable(&self, problem: impl Into<String>) -> SettingsError {
        SettingsError::Secret {
            setting: self.setting,
            file: self.path.clone(),
            problem: problem.into(),
        }
    }
}

/// What is at a path that a setting names, if that is a file. It is looked at before it is opened: a pipe that nobody writes
/// into would be waited for.
pub(crate) fn plain(path: &Path) -> Result<Metadata, String> {
    let found = fs::metadata(path).map_err(|error| explained(&error))?;
    if found.is_file() {
        Ok(found)
    } else {
        Err("it is no plain file; name the file itself".to_owned())
    }
}

/// Why a file cannot be read, and what to do.
pub(crate) fn explained(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => {
            "there is no such file; write it there, or correct the setting".to_owned()
        }
        ErrorKind::PermissionDenied => format!(
            "{error}; give this process's user or group the right to read it (chmod 440; in Kubernetes an fsGroup)"
        ),
        _ => error.to_string(),
    }
}

fn read(path: &Path, secret: bool) -> Result<Vec<u8>, String> {
    let found = plain(path)?;
    let file = File::open(path).map_err(|error| explained(&error))?;
    let mode = found.permissions().mode() & 0o777;
    let (rights, may) = match secret {
        true => (READ | WRITE, "read or write"),
        false => (WRITE, "write"),
    };
    if mode & rights != 0 && !WORLD_READABLE.load(Ordering::Relaxed) {
        return Err(format!(
            "everybody on this machine may {may} it (mode {mode:04o}); leave it to owner and group (chmod 440; in \
             Kubernetes `defaultMode: 0440` with an fsGroup), or allow it with SECRET_FILES_WORLD_READABLE=1"
        ));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| explained(&error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!(
            "it has more than {MAX_BYTES} bytes; name the right file"
        ));
    }
    Ok(bytes)
}

/// Which file of several cannot be used, by its place, and why.
#[derive(Debug)]
pub struct Unusable(pub usize, pub String);

impl From<String> for Unusable {
    fn from(problem: String) -> Self {
        Self(0, problem)
    }
}

impl From<&str> for Unusable {
    fn from(problem: &str) -> Self {
        problem.to_owned().into()
    }
}

type Parse<T> = dyn Fn(&[Vec<u8>]) -> Result<T, Unusable> + Send + Sync;

/// What files say now. The clones are the same files.
pub struct Followed<T>(Arc<Inner<T>>);

struct Inner<T> {
    current: ArcSwap<T>,
    changes: watch::Sender<()>,
    /// `None`: it never changes.
    source: Option<Source<T>>,
}

struct Source<T> {
    files: Vec<NamedFile>,
    parse: Box<Parse<T>>,
    followed: AtomicBool,
    /// Taken by one look at a time.
    seen: Mutex<Seen>,
}

struct Seen {
    /// Of what was there at the last look, or of why it could not be read.
    digest: Digest,
    /// What is wrong with it, if that was not told yet.
    problem: Option<SettingsError>,
}

impl<T> Clone for Followed<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Send + Sync + 'static> Followed<T> {
    /// A value that never changes.
    pub fn fixed(value: T) -> Self {
        Self(Arc::new(Inner {
            current: ArcSwap::from_pointee(value),
            changes: watch::Sender::new(()),
            source: None,
        }))
    }

    /// Reads files as they are now.
    ///
    /// # Errors
    ///
    /// If one of them cannot be used.
    pub fn load(
        files: Vec<NamedFile>,
        parse: impl Fn(&[Vec<u8>]) -> Result<T, Unusable> + Send + Sync + 'static,
    ) -> Result<Self, SettingsError> {
        let parse: Box<Parse<T>> = Box::new(parse);
        let contents = read_all(&files);
        let digest = digest_of(&contents);
        let value = parsed(&files, &*parse, contents)?;
        Ok(Self(Arc::new(Inner {
            current: ArcSwap::from_pointee(value),
            changes: watch::Sender::new(()),
            source: Some(Source {
                files,
                parse,
                followed: AtomicBool::new(false),
                seen: Mutex::new(Seen {
                    digest,
                    problem: None,
                }),
            }),
        })))
    }

    /// What they say.
    pub fn get(&self) -> Arc<T> {
        self.0.current.load_full()
    }

    /// Told of changes from now on.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.0.changes.subscribe()
    }

    /// Reads the files again when they change, until the process ends. What cannot be used then is told once, in the log
    /// and as `files_refused`, and what was read before stays in use. Outside a runtime nobody follows.
    pub fn follow(&self, kit: &Kit) {
        let Some(source) = &self.0.source else {
            return;
        };
        if tokio::runtime::Handle::try_current().is_err()
            || source.followed.swap(true, Ordering::Relaxed)
        {
            return;
        }
        let (inner, end, metrics) = (
            Arc::clone(&self.0),
            kit.shutdown.clone(),
            kit.metrics.clone(),
        );
        kit.tasks.spawn(async move {
            while end.run_until_cancelled(sleep(LOOK)).await.is_some() {
                let (inner, metrics) = (Arc::clone(&inner), metrics.clone());
                // On a thread that may wait for a disk; it fails when the process ends.
                if spawn_blocking(move || inner.look(&metrics)).await.is_err() {
                    return;
                }
            }
        });
    }
}

impl<T: Clone + Send + Sync + 'static> Followed<T> {
    /// What they say, each time that it is asked for.
    pub fn current(&self) -> Current<T> {
        let followed = self.clone();
        Arc::new(move || T::clone(&followed.get()))
    }
}

impl<T> Inner<T> {
    /// Takes what is new.
    fn look(&self, metrics: &Metrics) {
        let Some(source) = &self.source else {
            return;
        };
        let mut seen = source.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let contents = read_all(&source.files);
        let digest = digest_of(&contents);
        if digest.as_ref() == seen.digest.as_ref() {
            // Files that belong together change one after the other, so that only what lasts is a fault.
            if let Some(problem) = seen.problem.take() {
                tracing::warn!(%problem, "what was read before stays in use");
                if let SettingsError::Secret { setting, .. } = problem {
                    metrics.file_refused(setting);
                }
            }
            return;
        }
        seen.digest = digest;
        match parsed(&source.files, &*source.parse, contents) {
            Ok(value) => {
                seen.problem = None;
                self.current.store(Arc::new(value));
                self.changes.send_replace(());
                for NamedFile { setting, .. } in &source.files {
                    tracing::info!(setting, "the file was read again");
                    metrics.file_read_again(setting);
                }
            }
            Err(problem) => seen.problem = Some(problem),
        }
    }
}

fn read_all(files: &[NamedFile]) -> Result<Vec<Vec<u8>>, SettingsError> {
    files.iter().map(NamedFile::read).collect()
}

fn digest_of(contents: &Result<Vec<Vec<u8>>, SettingsError>) -> Digest {
    let mut all = Vec::new();
    match contents {
        Ok(contents) => {
            for bytes in contents {
                all.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
                all.extend_from_slice(bytes);
            }
        }
        Err(error) => all.extend_from_slice(error.to_string().as_bytes()),
    }
    digest(&SHA256, &all)
}

fn parsed<T>(
    files: &[NamedFile],
    parse: &Parse<T>,
    contents: Result<Vec<Vec<u8>>, SettingsError>,
) -> Result<T, SettingsError> {
    parse(&contents?).map_err(|Unusable(place, problem)| files[place].unusable(problem))
}

/// The text of a secret file, without the line break at its end, each time that it is asked for; `None` if no file is
/// named.
///
/// # Errors
///
/// If the file cannot be used, or holds no text on one line.
pub fn text(
    setting: &'static str,
    file: Option<&PathBuf>,
    kit: &Kit,
) -> Result<Option<Current<String>>, SettingsError> {
    let Some(path) = file.filter(|path| !path.as_os_str().is_empty()) else {
        return Ok(None);
    };
    let followed = Followed::load(vec![NamedFile::secret(setting, path)], |contents| {
        let text = std::str::from_utf8(&contents[0]).map_err(|_| "it holds no text (UTF-8)")?;
        let text = text.trim_end_matches(['\r', '\n']);
        if text.contains(['\r', '\n']) {
            return Err("it has several lines; write the secret alone".into());
        }
        Ok(text.to_owned())
    })?;
    followed.follow(kit);
    Ok(Some(followed.current()))
}
