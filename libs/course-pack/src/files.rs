//! The files of a pack: which there are, their texts, and the hash over them all.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::fault::{Faults, PackFault};
use crate::ids;

/// What a file of a pack holds: it follows from the folder that the file is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Course,
    Context,
    Texts,
    Units,
    Content,
    Exams,
    Support,
    Reference,
    Document,
    Procedure(Part),
}

/// A file of a procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Steps,
    Telemetry,
    Ui,
}

/// The folder of procedures, which has a folder for each with these files.
const PROCEDURES: &str = "procedures";
const PARTS: [(&str, Part); 3] = [
    ("procedure.yaml", Part::Steps),
    ("telemetry.yaml", Part::Telemetry),
    ("ui.yaml", Part::Ui),
];

/// One file of a pack.
#[derive(Debug)]
pub(crate) struct PackFile {
    /// Path inside the pack, with `/` between its parts.
    pub(crate) name: String,
    /// Path as the caller would open it.
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
}

/// A folder of a pack: what its files end in, and whether it may have folders of its own.
struct Folder {
    name: &'static str,
    kind: Kind,
    extension: &'static str,
    nested: bool,
}

const FOLDERS: [Folder; 6] = [
    Folder {
        name: "content",
        kind: Kind::Content,
        extension: "md",
        nested: true,
    },
    Folder {
        name: "documents",
        kind: Kind::Document,
        extension: "md",
        nested: false,
    },
    Folder {
        name: "exams",
        kind: Kind::Exams,
        extension: "yaml",
        nested: false,
    },
    Folder {
        name: "references",
        kind: Kind::Reference,
        extension: "md",
        nested: false,
    },
    Folder {
        name: "support",
        kind: Kind::Support,
        extension: "md",
        nested: false,
    },
    Folder {
        name: "units",
        kind: Kind::Units,
        extension: "yaml",
        nested: false,
    },
];

/// Finds every file of the pack in `dir`, in the order of their names.
pub(crate) fn find(dir: &Path, faults: &mut Faults) -> Vec<PackFile> {
    let root = match fs::canonicalize(dir) {
        Ok(root) if root.is_dir() => root,
        Ok(_) => {
            faults.add(
                dir,
                None,
                "this is not a folder",
                "name the folder that holds course.yaml",
            );
            return Vec::new();
        }
        Err(error) => {
            faults.add(
                dir,
                None,
                format!("this folder cannot be read: {error}"),
                "check the path and its permissions",
            );
            return Vec::new();
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
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// The files of the pack in `dir`, in the order of their names: the name in the pack, with `/` between its parts, and the
/// path.
///
/// # Errors
/// What may not be there, or cannot be read.
pub fn pack_files(dir: &Path) -> Result<Vec<(String, PathBuf)>, Vec<PackFault>> {
    let mut faults = Faults::default();
    let files = find(dir, &mut faults);
    if faults.is_empty() {
        Ok(files.into_iter().map(|f| (f.name, f.path)).collect())
    } else {
        Err(faults.into_sorted())
    }
}

/// The hash of the pack in `dir`; `None` if a file of it cannot be read, or may not be there.
pub fn pack_hash(dir: &Path) -> Option<String> {
    let mut faults = Faults::default();
    let files = find(dir, &mut faults);
    let mut hash = PackHash::default();
    for file in &files {
        hash.read(file, &mut faults)?;
    }
    faults.is_empty().then(|| hash.finish())
}

/// The hash over a pack's files, which are put in in the order of their names.
#[derive(Default)]
pub(crate) struct PackHash(Sha256);

impl PackHash {
    /// The text of the file, without a byte order mark; `None`, and a fault, if it cannot be read.
    pub(crate) fn read(&mut self, file: &PackFile, faults: &mut Faults) -> Option<String> {
        let bytes = match fs::read(&file.path) {
            Ok(bytes) => bytes,
            Err(error) => {
                faults.add(
                    &file.path,
                    None,
                    format!("this file cannot be read: {error}"),
                    "check its permissions",
                );
                return None;
            }
        };
        // Lengths go in as well, so that no two sets of files give one stream of bytes.
        for part in [file.name.as_bytes(), &bytes] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Some(match text.strip_prefix('\u{feff}') {
                Some(rest) => rest.to_owned(),
                None => text,
            }),
            Err(error) => {
                let good = error.utf8_error().valid_up_to();
                let line = 1 + error.as_bytes()[..good]
                    .iter()
                    .filter(|b| **b == b'\n')
                    .count();
                faults.add(
                    &file.path,
                    line,
                    "this line is not UTF-8 text",
                    "save the file as UTF-8",
                );
                None
            }
        }
    }

    /// SHA-256 over all of them, in hex.
    pub(crate) fn finish(self) -> String {
        hex::encode(self.0.finalize())
    }
}

struct Walk<'a> {
    root: PathBuf,
    /// Folders already walked, by real path: a symlink may lead back.
    seen: BTreeSet<PathBuf>,
    found: Vec<PackFile>,
    faults: &'a mut Faults,
}

impl Walk<'_> {
    fn top(&mut self, dir: &Path) {
        for entry in self.entries(dir) {
            let Some(is_dir) = self.admit(&entry) else {
                continue;
            };
            let Entry { name, path, .. } = entry;
            match FOLDERS.iter().find(|f| f.name == name) {
                Some(folder) if is_dir => self.folder(folder, &path, &name),
                Some(_) => self.faults.add(
                    &path,
                    None,
                    format!("`{name}` is a file, but the format has a folder of that name"),
                    format!("make it a folder `{name}/` with files in it"),
                ),
                None if is_dir && name == PROCEDURES => self.procedures(&path),
                None if is_dir => self.faults.add(
                    &path,
                    None,
                    format!("a pack has no folder `{name}`"),
                    "the folders are units, content, exams, support, references, documents and procedures; \
                     rename this one, move it out, or start its name with a dot",
                ),
                None if name == "course.yaml" => self.found.push(PackFile {
                    name,
                    path,
                    kind: Kind::Course,
                }),
                None if name == "context.yaml" => self.found.push(PackFile {
                    name,
                    path,
                    kind: Kind::Context,
                }),
                None if name == "texts.yaml" => self.found.push(PackFile {
                    name,
                    path,
                    kind: Kind::Texts,
                }),
                None if has_extension(&path, &["yaml", "yml"]) => self.faults.add(
                    &path,
                    None,
                    format!("a pack has no file `{name}` at its top"),
                    "the course is described in course.yaml, what may be missing from students' work in context.yaml, \
                     its own wording of texts in texts.yaml; units go in units/, questions in exams/",
                ),
                // A README or a licence beside the course is the author's own business.
                None => {}
            }
        }
        if !self.found.iter().any(|file| file.kind == Kind::Course) {
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
        for entry in self.entries(dir) {
            let Some(is_dir) = self.admit(&entry) else {
                continue;
            };
            let Entry { name, path, .. } = entry;
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
                self.found.push(PackFile {
                    name: inner,
                    path,
                    kind: folder.kind,
                });
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

    /// `procedures/`: a folder for each, and in it all of its files.
    fn procedures(&mut self, dir: &Path) {
        for entry in self.entries(dir) {
            let Some(is_dir) = self.admit(&entry) else {
                continue;
            };
            let Entry { name, path, .. } = entry;
            if !is_dir || !ids::is_id(&name) {
                self.faults.add(
                    &path,
                    None,
                    format!(
                        "`{name}` cannot be a procedure: each is a folder, and its name is its id"
                    ),
                    format!(
                        "make it a folder `{PROCEDURES}/ID/`; for its id, {}",
                        ids::RULE
                    ),
                );
                continue;
            }
            self.procedure(&path, &format!("{PROCEDURES}/{name}"));
        }
    }

    fn procedure(&mut self, dir: &Path, prefix: &str) {
        let known = PARTS.map(|(file, _)| file).join(", ");
        let mut missing = PARTS.to_vec();
        for entry in self.entries(dir) {
            let Some(is_dir) = self.admit(&entry) else {
                continue;
            };
            match PARTS.iter().find(|(file, _)| *file == entry.name) {
                Some((file, part)) if !is_dir => {
                    missing.retain(|(other, _)| other != file);
                    self.found.push(PackFile {
                        name: format!("{prefix}/{file}"),
                        path: entry.path,
                        kind: Kind::Procedure(*part),
                    });
                }
                _ => self.faults.add(
                    &entry.path,
                    None,
                    format!("a procedure has no part `{}`", entry.name),
                    format!("its files are {known}; rename it, move it out, or start its name with a dot"),
                ),
            }
        }
        for (file, _) in missing {
            self.faults.add(
                &dir.join(file),
                None,
                format!("this procedure has no {file}"),
                format!("write it: a procedure has the files {known}"),
            );
        }
    }

    /// The folder's entries in name order, without hidden files and editors' backups.
    fn entries(&mut self, dir: &Path) -> Vec<Entry> {
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
                Ok(name) => entries.push(Entry {
                    name,
                    path: entry.path(),
                    plain: entry.file_type().ok().and_then(plain),
                }),
                Err(_) => self.faults.add(
                    &entry.path(),
                    None,
                    "this file's name is not UTF-8",
                    "rename it",
                ),
            }
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries
    }

    /// Whether the entry is a folder; `None` if it may not be read at all.
    fn admit(&mut self, entry: &Entry) -> Option<bool> {
        // What is no symlink is where its folder is.
        if entry.plain.is_some() {
            return entry.plain;
        }
        let path = &entry.path;
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

/// One entry of a folder.
struct Entry {
    name: String,
    path: PathBuf,
    /// Whether it is a folder rather than a file, if it is either and no symlink.
    plain: Option<bool>,
}

fn plain(kind: fs::FileType) -> Option<bool> {
    (kind.is_dir() || kind.is_file()).then_some(kind.is_dir())
}

fn has_extension(path: &Path, wanted: &[&str]) -> bool {
    path.extension()
        .and_then(|e| e.to_str())
        .is_some_and(|e| wanted.contains(&e))
}
