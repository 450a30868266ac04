//! Teachers' reference texts: where they come from, and which one belongs to a key or a lesson.
//!
//! Under a name, a text is looked for in this order: the file that HELPER_REFERENCE_MAP gives it, the file `<name>.md` of
//! HELPER_REFERENCE_DIR, the course pack's own `references/`. A lesson's names are the key in its front matter, then its
//! slug, then the course's key. Where none has a text, HELPER_REFERENCE_FILE holds.
//!
//! Files are read when they are asked for, so they may change at any time. One that is empty counts as not there; one that
//! is too long, is no text, or lies outside the folder is an error, and nothing further is looked for.

mod folder;
mod settings;

use std::path::PathBuf;

use turnwise_course_pack::{Pack, is_reference_key};

use folder::Folder;
pub use settings::{ReferenceSettings, SettingError};

/// The most bytes of a reference text.
pub const MAX_BYTES: usize = 65_536;

/// A reference text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The name it was found under; empty for HELPER_REFERENCE_FILE.
    pub key: String,
    /// The text, 1 to [`MAX_BYTES`] bytes, without white space around it.
    pub text: String,
    /// Where it came from.
    pub origin: Origin,
}

/// Where a reference text came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A file that HELPER_REFERENCE_MAP names.
    Map,
    /// A file of HELPER_REFERENCE_DIR.
    Directory,
    /// The course pack.
    Pack,
    /// HELPER_REFERENCE_FILE.
    File,
}

/// Why there is no reference text. No message names a place on the disk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// The name is not spelled as keys are.
    #[error("a reference's key has 1 to 128 characters out of a-z, 0-9, `_` and `-`")]
    BadName,
    /// No text has this name.
    #[error(
        "there is no reference `{0}`; write references/{0}.md in the course, or the same file in HELPER_REFERENCE_DIR"
    )]
    Unknown(String),
    /// The file is longer than [`MAX_BYTES`].
    #[error("the file of the reference `{0}` has more than {MAX_BYTES} bytes; shorten it")]
    TooLarge(String),
    /// The file is not UTF-8.
    #[error("the file of the reference `{0}` is not text; save it as UTF-8")]
    NotText(String),
    /// The file is a link out of its folder, or is no regular file.
    #[error(
        "the file of the reference `{0}` may not be read: it must be a regular file inside its folder"
    )]
    Refused(String),
    /// The file cannot be read.
    #[error("the file of the reference `{0}` cannot be read; the log of retrieval-svc tells why")]
    Unreadable(String),
}

/// The reference texts that the settings name. Its calls read small files, and wait for nothing but the disk: they are for
/// threads that may wait.
#[derive(Debug)]
pub struct References {
    file: Option<PathBuf>,
    folder: Option<Folder>,
    /// Names and the files they stand for: files of the folder, or, without one, of a pack's `references/`.
    map: settings::FileMap,
}

impl References {
    /// Checks the settings and everything they name.
    ///
    /// # Errors
    /// A file or the folder cannot be read, or HELPER_REFERENCE_MAP is not as it should be.
    pub fn open(settings: &ReferenceSettings) -> Result<Self, SettingError> {
        settings.open()
    }

    /// The text under a key.
    ///
    /// # Errors
    /// The key is not spelled as one, nothing has it, or its file cannot be used.
    pub fn get(&self, pack: &Pack, key: &str) -> Result<Reference, ReferenceError> {
        self.first_of(pack, key, &[key])
    }

    /// The text of a lesson, by its [slug](turnwise_course_pack::Lesson::slug). The course need not hold the lesson: a file
    /// of its name is enough. Of several lessons with one slug, the first key counts.
    ///
    /// # Errors
    /// The slug is not spelled as a key, there is no text for it, or its file cannot be used.
    pub fn for_lesson(&self, pack: &Pack, slug: &str) -> Result<Reference, ReferenceError> {
        if !is_reference_key(slug) {
            return Err(ReferenceError::BadName);
        }
        let lessons = pack.lessons.iter();
        let own = lessons
            .filter(|lesson| !lesson.reference.is_empty() && lesson.slug() == slug)
            .map(|lesson| lesson.reference.as_str())
            .next();
        let course = Some(pack.course.reference.as_str()).filter(|key| !key.is_empty());
        let names: Vec<&str> = own.into_iter().chain([slug]).chain(course).collect();
        self.first_of(pack, slug, &names)
    }

    /// The first text that one of the names has, else HELPER_REFERENCE_FILE's.
    fn first_of(
        &self,
        pack: &Pack,
        asked: &str,
        names: &[&str],
    ) -> Result<Reference, ReferenceError> {
        for name in names {
            if let Some(found) = self.find(pack, name)? {
                return Ok(found);
            }
        }
        let common = match &self.file {
            Some(path) => {
                folder::read_named(path).map_err(|error| error.about("HELPER_REFERENCE_FILE"))?
            }
            None => None,
        };
        common
            .map(|text| Reference {
                key: String::new(),
                text,
                origin: Origin::File,
            })
            .ok_or_else(|| ReferenceError::Unknown(asked.to_owned()))
    }

    fn find(&self, pack: &Pack, name: &str) -> Result<Option<Reference>, ReferenceError> {
        if !is_reference_key(name) {
            return Err(ReferenceError::BadName);
        }
        let found = |text: String, origin| {
            Some(Reference {
                key: name.to_owned(),
                text,
                origin,
            })
        };
        let in_pack = |key: &str| pack.references.get(key).cloned();
        if let Some(file) = self.map.get(name) {
            let text = match &self.folder {
                Some(folder) => folder.read(file).map_err(|error| error.about(name))?,
                None => file.strip_suffix(".md").and_then(in_pack),
            };
            if let Some(text) = text {
                return Ok(found(text, Origin::Map));
            }
        }
        if let Some(folder) = &self.folder
            && let Some(text) = folder
                .read(&format!("{name}.md"))
                .map_err(|error| error.about(name))?
        {
            return Ok(found(text, Origin::Directory));
        }
        Ok(in_pack(name).and_then(|text| found(text, Origin::Pack)))
    }
}
