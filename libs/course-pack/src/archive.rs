//! An archive of packs: every version that was served, for as long as the log of a turn may name it.
//!
//! A version lies in a folder `COURSE_ID.HASH`, whose time is when it was last known to be served. It is written under
//! another name, checked by its hash and renamed. Whoever reads it checks the hash again.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use crate::fault::Faults;
use crate::files;

const DAY: Duration = Duration::from_secs(86_400);
/// What a folder's name ends in that is being written or removed.
const PART: &str = "part";

/// Why a version is not archived.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The archive cannot be written, or the pack not be read.
    #[error("`{path}` cannot be used: {problem}; name a folder that this user may write to")]
    Unusable {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        problem: io::Error,
    },
    /// The pack's folder holds something else by now.
    #[error("`{0}` has changed since it was loaded")]
    Changed(PathBuf),
}

/// A folder with versions of packs.
#[derive(Debug)]
pub struct PackArchive {
    root: PathBuf,
    keep: Duration,
}

impl PackArchive {
    /// Opens the archive in `root`, and makes it if it is not there. A version stays so many days after it was served.
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub fn open(root: &Path, keep_days: u32) -> Result<Self, ArchiveError> {
        let archive = Self {
            root: root.to_owned(),
            // When a version was served last is known to a few minutes.
            keep: DAY * keep_days + DAY,
        };
        let probe = archive.part();
        fs::create_dir_all(root)
            .and_then(|()| fs::create_dir(&probe))
            .and_then(|()| fs::remove_dir(&probe))
            .map_err(unusable(root))?;
        Ok(archive)
    }

    /// Where the archive in `root` has this version of a course, if it has it.
    #[must_use]
    pub fn place(root: &Path, course_id: &str, hash: &str) -> PathBuf {
        root.join(format!("{course_id}.{hash}"))
    }

    /// Has a copy of the version in `pack`, which is served now. A copy that is damaged is made anew, and one that was
    /// `kept` before and is gone; both are logged.
    pub(crate) fn keep(
        &self,
        course_id: &str,
        hash: &str,
        pack: &Path,
        kept: bool,
        now: Timestamp,
    ) -> Result<(), ArchiveError> {
        let place = Self::place(&self.root, course_id, hash);
        if !is_version(&place, hash) {
            if kept || place.exists() {
                tracing::warn!(
                    course_id,
                    pack_hash = hash,
                    "the archived copy of a course is damaged or gone, and is made anew"
                );
            }
            let part = self.part();
            let copied = self.copy(pack, hash, &part, &place);
            // Nothing is left of it if it has its name now.
            let _ = fs::remove_dir_all(&part);
            copied?;
        }
        File::open(&place)
            .and_then(|folder| folder.set_modified(now.into()))
            .map_err(unusable(&place))
    }

    fn copy(&self, pack: &Path, hash: &str, part: &Path, place: &Path) -> Result<(), ArchiveError> {
        for file in files::find(pack, &mut Faults::default()) {
            write(&file.path, &part.join(&file.name)).map_err(unusable(part))?;
        }
        if !is_version(part, hash) {
            return Err(ArchiveError::Changed(pack.to_owned()));
        }
        self.remove(place).map_err(unusable(place))?;
        match fs::rename(part, place) {
            // Another process was quicker with the same.
            Err(_) if is_version(place, hash) => Ok(()),
            renamed => renamed.map_err(unusable(place)),
        }
    }

    /// Removes the versions that no log names any more, and what was left of writing. `served` has the hash of each
    /// course that is served. What cannot be removed is passed over; the first fault is told.
    pub(crate) fn sweep(
        &self,
        served: &BTreeMap<String, String>,
        now: Timestamp,
    ) -> Result<(), ArchiveError> {
        let mut swept = Ok(());
        for entry in fs::read_dir(&self.root).map_err(unusable(&self.root))? {
            let one = match entry.and_then(|entry| self.sweep_one(&entry, served, now)) {
                // Another process was quicker.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                one => one,
            };
            swept = swept.and(one);
        }
        swept.map_err(unusable(&self.root))
    }

    fn sweep_one(
        &self,
        entry: &fs::DirEntry,
        served: &BTreeMap<String, String>,
        now: Timestamp,
    ) -> io::Result<()> {
        let name = entry.file_name();
        let most = match name.to_str().and_then(|name| name.rsplit_once('.')) {
            Some((_, PART)) => DAY,
            Some((course_id, hash))
                if is_hash(hash) && served.get(course_id).is_none_or(|other| other != hash) =>
            {
                self.keep
            }
            _ => return Ok(()),
        };
        let found = entry.metadata()?;
        let age = SystemTime::from(now).duration_since(found.modified()?);
        if found.is_dir() && age.unwrap_or_default() > most {
            self.remove(&entry.path())?;
        }
        Ok(())
    }

    /// Removes a folder, if there is one: first its name, so that no half of it is taken for the whole.
    fn remove(&self, place: &Path) -> io::Result<()> {
        let part = self.part();
        match fs::rename(place, &part) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            renamed => renamed.and_then(|()| fs::remove_dir_all(&part)),
        }
    }

    /// A name that nobody else has.
    fn part(&self) -> PathBuf {
        let number = RandomState::new().hash_one(std::process::id());
        self.root.join(format!("{number:016x}.{PART}"))
    }
}

/// Whether the folder holds this version, whole.
fn is_version(folder: &Path, hash: &str) -> bool {
    files::hash_of(folder).as_deref() == Some(hash)
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn write(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create(to)?;
    file.write_all(&fs::read(from)?)?;
    file.sync_all()
}

fn unusable(path: &Path) -> impl FnOnce(io::Error) -> ArchiveError {
    let path = path.to_owned();
    move |problem| ArchiveError::Unusable { path, problem }
}
