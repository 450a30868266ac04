//! Course packs as bundles: one file with a course, that a volume, a web server or a registry has.
//!
//! | module | is about |
//! | --- | --- |
//! | `pack`, `manifest`, `keys` | making one, what it says of itself, and signing it |
//! | `unpack`, `limits` | what may be in one |
//! | `address`, `fetch`, `registry`, `logins` | where one is, and getting it |
//!
//! Every bundle becomes a folder in the archive of packs ([`PackArchive`]) and is then what a folder of the courses is.
//! It is named by its hash wherever it comes from, so what the archive has is never fetched again.

mod address;
mod fetch;
mod keys;
mod limits;
mod logins;
mod manifest;
mod pack;
mod registry;
mod unpack;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use turnwise_course_pack::{
    ArchiveError, BundleError, Library, LibraryError, LibrarySettings, LoadedPack, Pack,
    PackArchive, is_bundle, load, places_of_packs,
};
use turnwise_kit::{CancellationToken, Kit, files::NamedFile, settings::SettingsError};

pub use keys::SigningKey;
pub use limits::{MAX_BUNDLE_BYTES, MAX_FILES, MAX_UNPACKED_BYTES};
pub use manifest::Manifest;
pub use pack::{Bundle, pack};

use address::{Address, FORMS};
use keys::VerifyingKeys;
use logins::Logins;
use unpack::{check_signature, refused, sha256, unpack};

/// Why no course is served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No course can be served, or a bundle is refused.
    #[error("no course can be served (COURSES_DIR): {0}")]
    Courses(LibraryError),
    /// What is served cannot be archived.
    #[error("the courses cannot be archived (PACK_ARCHIVE_DIR): {0}")]
    Archive(#[from] ArchiveError),
    /// A copy would be a course that is served.
    #[error(
        "PACK_ARCHIVE_DIR and COURSES_DIR are one folder, or one is in the other (`{0}`): copies would be courses; \
         name another folder"
    )]
    ArchiveAmongCourses(PathBuf),
    /// The file with the keys for bundles, or with the logins, cannot be used.
    #[error(transparent)]
    File(#[from] SettingsError),
}

/// Opens the courses that the settings name, with an archive if they name one. It reads files and may fetch: call it
/// where blocking is no harm. The rest is as [`Library::open`] has it.
///
/// # Errors
/// A setting cannot be used, a bundle is refused, or there is no course to serve.
pub fn open<T>(
    settings: &LibrarySettings,
    settled_after: u32,
    kit: &Kit,
    build: impl Fn(Pack) -> Result<T, String> + Send + Sync + 'static,
) -> Result<Library<T>, OpenError> {
    let bundles = Bundles::open(settings, kit)?;
    let archive = bundles.archive.clone();
    let clock = kit.clock.clone();
    let library = Library::open(
        &settings.courses_dir,
        settled_after,
        move |file| bundles.folder(file),
        move || clock.now(),
        build,
    )
    .map_err(OpenError::Courses)?;
    Ok(match archive {
        Some(archive) => library.archived_in(archive),
        None => library,
    })
}

/// Loads every pack that the settings name, as a start without an archive of its own would: bundles are fetched anew,
/// and nothing of them stays.
///
/// # Errors
/// A setting cannot be used, or the courses' folder not be read.
pub fn load_all(settings: &LibrarySettings) -> Result<Vec<LoadedPack>, OpenError> {
    let unusable = |problem| ArchiveError::Unusable {
        path: std::env::temp_dir(),
        problem,
    };
    let archive = tempfile::tempdir().map_err(unusable)?;
    let bundles = Bundles {
        archive: Some(PackArchive::open(archive.path(), 1)?),
        ..Bundles::open(settings, &Kit::for_tests())?
    };
    let places = places_of_packs(&settings.courses_dir)
        .map_err(|fault| OpenError::Courses(LibraryError::Unreadable(fault)))?;
    let packs = places.into_iter().map(|place| {
        let pack = if is_bundle(&place) {
            let folder = bundles.folder(&place);
            folder.map_err(|error| error.into_faults(&place))
        } else {
            Ok(place.clone())
        };
        (place, pack.and_then(|folder| load(&folder)))
    });
    Ok(packs.collect())
}

/// What it takes to use bundles.
struct Bundles {
    archive: Option<PackArchive>,
    keys: Option<NamedFile>,
    logins: Option<NamedFile>,
    end: CancellationToken,
}

impl Bundles {
    fn open(settings: &LibrarySettings, kit: &Kit) -> Result<Self, OpenError> {
        let keys = settings.course_bundle_keys_file.as_ref();
        let logins = settings.course_bundle_logins_file.as_ref();
        let bundles = Self {
            archive: archive(settings)?,
            keys: keys.map(|file| NamedFile::public("COURSE_BUNDLE_KEYS_FILE", file)),
            logins: logins.map(|file| NamedFile::secret("COURSE_BUNDLE_LOGINS_FILE", file)),
            end: kit.shutdown.clone(),
        };
        bundles.keys()?;
        bundles.logins()?;
        Ok(bundles)
    }

    /// Read again and again, so that another key needs no restart.
    fn keys(&self) -> Result<Option<VerifyingKeys>, SettingsError> {
        self.keys.as_ref().map(VerifyingKeys::read).transpose()
    }

    fn logins(&self) -> Result<Logins, SettingsError> {
        let read = self.logins.as_ref().map(Logins::read);
        Ok(read.transpose()?.unwrap_or_default())
    }

    /// The folder of the bundle that this file is, or names.
    fn folder(&self, file: &Path) -> Result<PathBuf, BundleError> {
        let Some(archive) = &self.archive else {
            let problem = "a bundle is unpacked into the archive of packs, and there is none";
            return Err(refused(file, problem, "set PACK_ARCHIVE_DIR"));
        };
        let keys = self
            .keys()
            .map_err(|error| refused(file, error.to_string(), "correct that file"))?;
        let content = read(file).map_err(|error| {
            let problem = format!("this cannot be read: {error}");
            refused(file, problem, "check it and its permissions")
        })?;
        let address = if file.extension().is_some_and(|end| end == "bundle") {
            let address = Address::parse(&String::from_utf8_lossy(&content));
            Some(address.map_err(|problem| refused(file, problem, FORMS))?)
        } else {
            None
        };
        let digest = match &address {
            Some(address) => address.digest().to_owned(),
            None => sha256(&content),
        };
        if let Some((folder, said)) = archive.of_bundle(&digest)
            && let Some(manifest) = Manifest::parse(&said)
            && manifest.is_of(&folder)
        {
            check_signature(file, &manifest, keys.as_ref())?;
            return Ok(folder);
        }
        let bundle = match &address {
            Some(address) => self.fetch(file, address)?,
            None => content,
        };
        archive.take(&digest, |to| {
            let (manifest, said) = unpack(file, &bundle, to, keys.as_ref())?;
            Ok((manifest.course_id, manifest.pack_hash, said))
        })
    }

    fn fetch(&self, file: &Path, address: &Address) -> Result<Vec<u8>, BundleError> {
        let logins = self
            .logins()
            .map_err(|error| refused(file, error.to_string(), "correct that file"))?;
        fetch::fetch(address, &logins, &self.end).map_err(|problem| {
            let problem = format!("{}: {problem}", address.shown());
            let remedy = "check the address and its hash, and whether this machine may go there";
            refused(file, problem, remedy)
        })
    }
}

/// A file of no more bytes than a bundle may have.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = MAX_BUNDLE_BYTES as u64;
    File::open(file)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_BUNDLE_BYTES {
        let problem = format!("it has more than {most} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// The archive that the settings name, which may not be where the courses are.
fn archive(settings: &LibrarySettings) -> Result<Option<PackArchive>, OpenError> {
    let Some(folder) = &settings.pack_archive_dir else {
        return Ok(None);
    };
    let places = (place(folder), place(&settings.courses_dir));
    if let (Ok(kept), Ok(served)) = places
        && (kept.starts_with(&served) || served.starts_with(&kept))
    {
        return Err(OpenError::ArchiveAmongCourses(folder.clone()));
    }
    Ok(Some(PackArchive::open(folder, settings.pack_archive_days)?))
}

/// Where a path leads, once the folders in it that are not there are made.
fn place(path: &Path) -> io::Result<PathBuf> {
    let mut place = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        if part == Component::ParentDir {
            place.pop();
        } else {
            place.push(part);
        }
        place = fs::canonicalize(&place).unwrap_or(place);
    }
    Ok(place)
}
