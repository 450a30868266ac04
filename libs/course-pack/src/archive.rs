//! An archive of packs: every version that was served, for as long as the log of a turn may name it.
//!
//! A version lies in a folder `COURSE_ID.HASH`, whose time is when it was last known to be served. It is written under
//! another name, checked by its hash and renamed. Whoever reads it checks the hash again. One that came in a bundle has
//! a hidden file that is named by the bundle's digest and has what the bundle says of itself.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use crate::fault::{Faults, PackFault, lines};
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
    /// The bundle that the version came in cannot be unpacked again.
    #[error("its bundle is refused:\n{}", lines(.0))]
    Bundle(Vec<PackFault>),
    /// The pack's folder holds something else by now.
    #[error("`{0}` has changed since it was loaded")]
    Changed(PathBuf),
}

/// A folder with versions of packs.
#[derive(Debug, Clone)]
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

    /// The whole version that came in the bundle with this digest, and what the bundle said of itself.
    #[must_use]
    pub fn of_bundle(&self, digest: &str) -> Option<(PathBuf, Vec<u8>)> {
        let places = fs::read_dir(&self.root).ok()?.flatten();
        places.map(|entry| entry.path()).find_map(|place| {
            let said = fs::read(place.join(mark(digest))).ok()?;
            let hash = place.extension()?.to_str()?;
            is_version(&place, hash).then_some((place, said))
        })
    }

    /// Takes the version that `unpack` writes into an empty folder, with what its bundle said of itself. It returns the
    /// course and its hash, and the folder gets its place; or nothing of it stays.
    ///
    /// # Errors
    /// Those of `unpack`; or the archive cannot be written.
    pub fn take<E: From<ArchiveError>>(
        &self,
        digest: &str,
        unpack: impl FnOnce(&Path) -> Result<(String, String, Vec<u8>), E>,
    ) -> Result<PathBuf, E> {
        let part = self.part();
        let taken = fs::create_dir(&part)
            .map_err(|problem| unusable(&part)(problem).into())
            .and_then(|()| unpack(&part))
            .and_then(|(course_id, hash, said)| {
                let place = Self::place(&self.root, &course_id, &hash);
                self.put(&part, &hash, &place)?;
                // Here and not before: another bundle may have brought the same.
                write(&said, &place.join(mark(digest))).map_err(unusable(&place))?;
                Ok(place)
            });
        // Nothing is left of it if it has its name now.
        let _ = fs::remove_dir_all(&part);
        taken
    }

    /// Has a copy of the version in `pack`, which is served now. A copy that is damaged is made anew, and one that was
    /// `kept` before and is gone; both are logged.
    pub(crate) fn keep(
        &self,
        course_id: &str,
        hash: &str,
        pack: impl FnOnce() -> Result<PathBuf, ArchiveError>,
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
            let pack = pack()?;
            // A bundle is unpacked into its place.
            if pack != place {
                let part = self.part();
                let copied = self.copy(&pack, hash, &part, &place);
                let _ = fs::remove_dir_all(&part);
                copied?;
            }
        }
        File::open(&place)
            .and_then(|folder| folder.set_modified(now.into()))
            .map_err(unusable(&place))
    }

    fn copy(&self, pack: &Path, hash: &str, part: &Path, place: &Path) -> Result<(), ArchiveError> {
        for file in files::find(pack, &mut Faults::default()) {
            fs::read(&file.path)
                .and_then(|bytes| write(&bytes, &part.join(&file.name)))
                .map_err(unusable(part))?;
        }
        if !is_version(part, hash) {
            return Err(ArchiveError::Changed(pack.to_owned()));
        }
        self.put(part, hash, place)
    }

    /// Gives a whole version its place.
    fn put(&self, part: &Path, hash: &str, place: &Path) -> Result<(), ArchiveError> {
        let put = match fs::rename(part, place) {
            // Another process was quicker with the same.
            Err(_) if is_version(place, hash) => Ok(()),
            Err(_) if place.exists() => self.remove(place).and_then(|()| fs::rename(part, place)),
            renamed => renamed,
        };
        put.map_err(unusable(place))
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
    files::pack_hash(folder).as_deref() == Some(hash)
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The name of the file that says which bundle a version came in.
fn mark(digest: &str) -> String {
    format!(".bundle-{digest}")
}

fn write(bytes: &[u8], to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create(to)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn unusable(path: &Path) -> impl FnOnce(io::Error) -> ArchiveError {
    let path = path.to_owned();
    move |problem| ArchiveError::Unusable { path, problem }
}
