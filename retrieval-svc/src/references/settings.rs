//! The settings that name reference texts, checked when the service starts.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use serde::de::{Deserializer, MapAccess, Visitor};
use turnwise_course_pack::is_reference_key;

use super::References;
use super::folder::{Folder, is_inner_path, read_named};

/// Names of references, and the file that each stands for.
pub(super) type FileMap = BTreeMap<String, String>;

/// Where reference texts are, beside those of the course packs.
#[derive(clap::Args, Debug, Clone, Default)]
#[group(skip)]
pub struct ReferenceSettings {
    /// A file with the reference text that holds where nothing closer is found (UTF-8, at most 65,536 bytes)
    #[arg(long, env = "HELPER_REFERENCE_FILE")]
    pub helper_reference_file: Option<PathBuf>,

    /// A folder with reference texts, `<key>.md` or `<lesson>.md`, which go before those of the course packs. Without it,
    /// each course's own `references/` alone. Links in it may not lead out of it
    #[arg(long, env = "HELPER_REFERENCE_DIR")]
    pub helper_reference_dir: Option<PathBuf>,

    /// A JSON object that gives keys of references the files that hold them, as paths inside the folder of
    /// HELPER_REFERENCE_DIR, such as `{"loops": "python/loops.md"}`. Without the folder, files of the course's
    /// `references/`
    #[arg(long, env = "HELPER_REFERENCE_MAP", default_value = "{}")]
    pub helper_reference_map: String,
}

/// Why a setting cannot be used; it begins with the setting's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// HELPER_REFERENCE_FILE.
    #[error("HELPER_REFERENCE_FILE: {}: {message}", path.display())]
    File {
        /// What it names.
        path: PathBuf,
        /// What is wrong, and what to do.
        message: String,
    },
    /// HELPER_REFERENCE_DIR.
    #[error("HELPER_REFERENCE_DIR: {}: {message}", path.display())]
    Folder {
        /// What it names.
        path: PathBuf,
        /// What is wrong, and what to do.
        message: String,
    },
    /// HELPER_REFERENCE_MAP.
    #[error("HELPER_REFERENCE_MAP: {0}")]
    Map(String),
}

impl ReferenceSettings {
    /// Checks the settings and everything they name.
    pub(super) fn open(&self) -> Result<References, SettingError> {
        let file = self.helper_reference_file.clone();
        if let Some(path) = &file {
            let wrong = |message: String| SettingError::File {
                path: path.clone(),
                message,
            };
            match read_named(path) {
                Ok(Some(_)) => {}
                Ok(None) => {
                    return Err(wrong("there is no such file, or it is empty".to_owned()));
                }
                Err(error) => return Err(wrong(error.to_string())),
            }
        }
        let folder = self.helper_reference_dir.as_ref().map(|path| {
            Folder::open(path).map_err(|error| SettingError::Folder {
                path: path.clone(),
                message: format!("this folder cannot be read ({error}); name one that is there"),
            })
        });
        let folder = folder.transpose()?;
        let map = parse(&self.helper_reference_map)?;
        for (key, file) in &map {
            check(key, file, folder.as_ref())?;
        }
        Ok(References { file, folder, map })
    }
}

/// Checks one entry of the map, and its file where it can be seen from here.
fn check(key: &str, file: &str, folder: Option<&Folder>) -> Result<(), SettingError> {
    let wrong = |message: String| Err(SettingError::Map(message));
    if !is_reference_key(key) {
        return wrong(format!(
            "`{key}` is no key; a key has 1 to 128 characters out of a-z, 0-9, `_` and `-`"
        ));
    }
    let Some(folder) = folder else {
        // The course's folder is flat, and its files are known by their stems.
        if file.strip_suffix(".md").is_some_and(is_reference_key) {
            return Ok(());
        }
        return wrong(format!(
            "`{key}` has the file `{file}`, which no course's references/ can hold; write <key>.md, or set HELPER_REFERENCE_DIR"
        ));
    };
    if !is_inner_path(file) {
        return wrong(format!(
            "`{key}` has the file `{file}`; write a path inside HELPER_REFERENCE_DIR, without `..` and not from the root"
        ));
    }
    match folder.read(file) {
        Ok(Some(_)) => Ok(()),
        Ok(None) => wrong(format!(
            "`{key}` has the file `{file}`, which is not there or is empty"
        )),
        Err(error) => wrong(format!("`{key}` has the file `{file}`: {error}")),
    }
}

fn parse(json: &str) -> Result<FileMap, SettingError> {
    let mut reader = serde_json::Deserializer::from_str(json);
    reader
        .deserialize_map(EachOnce)
        .and_then(|map| reader.end().map(|()| map))
        .map_err(|error| {
            SettingError::Map(format!(
                "{error}; write a JSON object of keys and files, such as {{\"loops\": \"loops.md\"}}"
            ))
        })
}

/// A JSON object of texts, in which no key stands twice.
struct EachOnce;

impl<'de> Visitor<'de> for EachOnce {
    type Value = FileMap;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object whose values are texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<FileMap, A::Error> {
        let mut map = FileMap::new();
        while let Some((key, file)) = entries.next_entry::<String, String>()? {
            if map.contains_key(&key) {
                return Err(serde::de::Error::custom(format!(
                    "the key `{key}` stands twice"
                )));
            }
            map.insert(key, file);
        }
        Ok(map)
    }
}
