//! A small course, packed, and a service's view of a folder with bundles.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Response, StatusCode, request::Parts};
use tempfile::TempDir;
use turnwise_course_bundles::{Bundle, OpenError, open, pack};
use turnwise_course_pack::{Library, LibraryError, LibrarySettings, PackFault};
use turnwise_kit::Kit;
use turnwise_testing::write_secret;

/// How many polls in a row a changed file must look the same.
const SETTLED: u32 = 2;

/// Writes the course `tiny` with this title.
pub fn write_course(dir: &Path, title: &str) {
    let course = format!("format: 1\nid: tiny\ntitle: {title}\nlocale: en\nentry_unit: A\n");
    fs::create_dir_all(dir.join("units")).unwrap();
    fs::write(dir.join("course.yaml"), course).unwrap();
    let units = "units:\n  - id: A\n    title: Sums\n    assessable: false\n";
    fs::write(dir.join("units/10.yaml"), units).unwrap();
}

/// The course with this title as a bundle.
pub fn bundle(title: &str) -> Bundle {
    let dir = tempfile::tempdir().unwrap();
    write_course(dir.path(), title);
    pack(dir.path(), true, None).unwrap()
}

/// A folder with bundles, an archive, and a library over both, which has the courses' titles.
pub struct Shelf {
    pub courses: TempDir,
    pub archive: TempDir,
    pub settings: LibrarySettings,
}

impl Shelf {
    pub fn new() -> Self {
        let (courses, archive) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut settings = LibrarySettings::new(courses.path().to_owned(), 0);
        settings.pack_archive_dir = Some(archive.path().to_owned());
        Self {
            courses,
            archive,
            settings,
        }
    }

    /// Puts a file among the courses, in one step.
    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let fresh = self.courses.path().join(".fresh");
        fs::write(&fresh, content).unwrap();
        fs::rename(fresh, self.courses.path().join(name)).unwrap();
    }

    /// Writes the file with the logins, which its owner alone may read.
    pub fn logins(&mut self, content: &str) -> PathBuf {
        let file = self.courses.path().join("logins.json");
        write_secret(&file, content).unwrap();
        self.settings.course_bundle_logins_file = Some(file.clone());
        file
    }

    pub fn open(&self) -> Result<Library<String>, OpenError> {
        open(&self.settings, SETTLED, &Kit::for_tests(), |pack| {
            Ok(pack.course.title)
        })
    }

    /// The faults of the bundle for which nothing starts; nothing of it is in the archive.
    #[track_caller]
    pub fn refused(&self) -> PackFault {
        let error = self.open().map(|_| ()).unwrap_err();
        let OpenError::Courses(LibraryError::Bundle(mut faults)) = error else {
            panic!("it is refused for something else: {error}");
        };
        let fault = faults.remove(0);
        assert!(faults.is_empty() && !fault.remedy.is_empty(), "{fault}");
        assert!(self.archived().is_empty(), "{fault}");
        fault
    }

    /// What is in the archive, finished or not.
    pub fn archived(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.archive.path()).unwrap();
        let mut all: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        all.sort();
        all
    }
}

/// Polls until a change must have settled. Tells whether something was served anew.
pub fn polls(library: &Library<String>) -> bool {
    (0..SETTLED).any(|_| library.poll())
}

pub fn title(library: &Library<String>) -> String {
    library.catalog().get("tiny").unwrap().to_string()
}

/// What a web server has, by path.
#[derive(Clone, Default)]
pub struct Files(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl Files {
    pub fn put(&self, path: &str, content: impl Into<Vec<u8>>) {
        let mut files = self.0.lock().unwrap();
        files.insert(path.to_owned(), content.into());
    }

    pub fn answer(&self, request: &Parts) -> Response<Bytes> {
        match self.0.lock().unwrap().get(request.uri.path()) {
            Some(content) => Response::new(content.clone().into()),
            None => status(StatusCode::NOT_FOUND),
        }
    }
}

pub fn status(status: StatusCode) -> Response<Bytes> {
    let mut answer = Response::new(Bytes::new());
    *answer.status_mut() = status;
    answer
}
