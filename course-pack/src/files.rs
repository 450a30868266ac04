//! The files of a pack: which there are, what is in them, and the hash over them all.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::fault::Faults;

/// One file of a pack.
pub(crate) struct PackFile {
    /// Path as the caller would open it.
    pub(crate) path: PathBuf,
    /// Its text, without a byte order mark.
    pub(crate) text: String,
}

/// The files of a pack, by folder, each list in name order.
#[derive(Default)]
pub(crate) struct PackFiles {
    pub(crate) course: Option<PackFile>,
    pub(crate) units: Vec<PackFile>,
    pub(crate) content: Vec<PackFile>,
    pub(crate) exams: Vec<PackFile>,
    pub(crate) support: Vec<PackFile>,
    pub(crate) references: Vec<PackFile>,
    /// Whether some file could not be read, so that what it defines is unknown.
    pub(crate) incomplete: bool,
    /// SHA-256 over all of them, in hex.
    pub(crate) hash: String,
}

/// A folder of a pack: what its files end in, and whether it may have folders of its own.
struct Folder {
    name: &'static str,
    extension: &'static str,
    nested: bool,
}

const FOLDERS: [Folder; 5] = [
    Folder {
        name: "content",
        extension: "md",
        nested: true,
    },
    Folder {
        name: "exams",
        extension: "yaml",
        nested: false,
    },
    Folder {
        name: "references",
        extension: "md",
        nested: false,
    },
    Folder {
        name: "support",
        extension: "md",
        nested: false,
    },
    Folder {
        name: "units",
        extension: "yaml",
        nested: false,
    },
];

/// Reads every file of the pack in `dir`.
pub(crate) fn read(dir: &Path, faults: &mut Faults) -> PackFiles {
    let mut files = PackFiles::default();
    let root = match fs::canonicalize(dir) {
        Ok(root) if root.is_dir() => root,
        Ok(_) => {
            faults.add(
                dir,
                None,
                "this is not a folder",
                "name the folder that holds course.yaml",
            );
            return files;
        }
        Err(error) => {
            faults.add(
                dir,
                None,
                format!("this folder cannot be read: {error}"),
                "check the path and its permissions",
            );
            return files;
        }
    };
    let mut walk = Walk {
        root,
        seen: BTreeSet::new(),
        found: Vec::new(),
        faults,
    };
    walk.top(dir);
    let mut found = walk.found;
    found.sort_by(|a, b| a.0.cmp(&b.0));

    let mut hasher = Sha256::new();
    for (name, path) in found {
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                faults.add(
                    &path,
                    None,
                    format!("this file cannot be read: {error}"),
                    "check its permissions",
                );
                files.incomplete = true;
                continue;
            }
        };
        // Lengths go in as well, so that no two sets of files give one stream of bytes.
        for part in [name.as_bytes(), &bytes] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let good = error.utf8_error().valid_up_to();
                let line = 1 + error.as_bytes()[..good]
                    .iter()
                    .filter(|b| **b == b'\n')
                    .count();
                faults.add(
                    &path,
                    line,
                    "this line is not UTF-8 text",
                    "save the file as UTF-8",
                );
                files.incomplete = true;
                continue;
            }
        };
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        let folder = name.split_once('/').map_or("", |(folder, _)| folder);
        let list = match folder {
            "units" => &mut files.units,
            "content" => &mut files.content,
            "exams" => &mut files.exams,
            "support" => &mut files.support,
            "references" => &mut files.references,
            _ => {
                files.course = Some(PackFile { path, text });
                continue;
            }
        };
        list.push(PackFile { path, text });
    }
    files.hash = hex::encode(hasher.finalize());
    files
}

struct Walk<'a> {
    root: PathBuf,
    /// Folders already walked, by real path: a symlink may lead back.
    seen: BTreeSet<PathBuf>,
    /// Name inside the pack, and path to open.
    found: Vec<(String, PathBuf)>,
    faults: &'a mut Faults,
}

impl Walk<'_> {
    fn top(&mut self, dir: &Path) {
        for (name, path) in self.entries(dir) {
            let Some(is_dir) = self.admit(&path) else {
                continue;
            };
            match FOLDERS.iter().find(|f| f.name == name) {
                Some(folder) if is_dir => self.folder(folder, &path, &name),
                Some(_) => self.faults.add(
                    &path,
                    None,
                    format!("`{name}` is a file, but the format has a folder of that name"),
                    format!("make it a folder `{name}/` with files in it"),
                ),
                None if is_dir => self.faults.add(
                    &path,
                    None,
                    format!("a pack has no folder `{name}`"),
                    "the folders are units, content, exams, support and references; rename this one, \
                     move it out, or start its name with a dot",
                ),
                None if name == "course.yaml" => self.found.push((name, path)),
                None if has_extension(&path, &["yaml", "yml"]) => self.faults.add(
                    &path,
                    None,
                    format!("a pack has no file `{name}` at its top"),
                    "the course is described in course.yaml; units go in units/, questions in exams/",
                ),
                // A README or a licence beside the course is the author's own business.
                None => {}
            }
        }
        if !self.found.iter().any(|(name, _)| name == "course.yaml") {
            self.faults.add(
                &dir.join("course.yaml"),
                None,
                "the pack has no course.yaml",
                "write one with format, id, title, locale and entry_unit, or name the pack's own folder",
            );
        }
    }

    fn folder(&mut self, folder: &Folder, dir: &Path, prefix: &str) {
        if let Ok(real) = fs::canonicalize(dir)
            && !self.seen.insert(real)
        {
            self.faults.add(
                dir,
                None,
                "this folder is part of the pack twice, through a symlink",
                "remove the symlink",
            );
            return;
        }
        for (name, path) in self.entries(dir) {
            let Some(is_dir) = self.admit(&path) else {
                continue;
            };
            let inner = format!("{prefix}/{name}");
            if is_dir && folder.nested {
                self.folder(folder, &path, &inner);
            } else if is_dir {
                self.faults.add(
                    &path,
                    None,
                    format!("`{}/` has no folders inside", folder.name),
                    format!("move the files up into `{}/`", folder.name),
                );
            } else if has_extension(&path, &[folder.extension]) {
                self.found.push((inner, path));
            } else {
                self.faults.add(
                    &path,
                    None,
                    format!("`{}/` holds .{} files only", folder.name, folder.extension),
                    format!(
                        "rename it to end in .{}, move it out of the pack, or start its name with a dot",
                        folder.extension
                    ),
                );
            }
        }
    }

    /// The folder's entries in name order, without hidden files and editors' backups.
    fn entries(&mut self, dir: &Path) -> Vec<(String, PathBuf)> {
        let listing = fs::read_dir(dir).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let listing = match listing {
            Ok(listing) => listing,
            Err(error) => {
                self.faults.add(
                    dir,
                    None,
                    format!("this folder cannot be read: {error}"),
                    "check its permissions",
                );
                return Vec::new();
            }
        };
        let mut entries = Vec::new();
        for entry in listing {
            match entry.file_name().into_string() {
                Ok(name) if name.starts_with('.') || name.ends_with('~') => {}
                Ok(name) => entries.push((name, entry.path())),
                Err(_) => self.faults.add(
                    &entry.path(),
                    None,
                    "this file's name is not UTF-8",
                    "rename it",
                ),
            }
        }
        entries.sort();
        entries
    }

    /// Whether the entry is a folder; `None` if it may not be read at all.
    fn admit(&mut self, path: &Path) -> Option<bool> {
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) => {
                self.faults.add(
                    path,
                    None,
                    format!("this cannot be read: {error}"),
                    "check where it leads and its permissions, or remove it",
                );
                return None;
            }
        };
        if !real.starts_with(&self.root) {
            self.faults.add(
                path,
                None,
                "this symlink leads out of the pack",
                "copy the file into the pack: a pack must be complete in itself",
            );
            return None;
        }
        if !real.is_dir() && !real.is_file() {
            self.faults.add(
                path,
                None,
                "this is neither a file nor a folder",
                "remove it from the pack",
            );
            return None;
        }
        Some(real.is_dir())
    }
}

fn has_extension(path: &Path, wanted: &[&str]) -> bool {
    path.extension()
        .and_then(|e| e.to_str())
        .is_some_and(|e| wanted.contains(&e))
}
