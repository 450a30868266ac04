//! Loading one pack, or every pack of a folder.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use crate::draft::{Draft, TextsDraft};
use crate::fault::{Faults, PackFault};
use crate::model::{Pack, Places};
use crate::{check, files, read};

/// A pack's folder, and the pack or what is wrong with it.
pub type LoadedPack = (PathBuf, Result<Pack, Vec<PackFault>>);

/// Why a pack is refused.
#[derive(Debug, Default)]
pub(crate) struct Refusal {
    /// Every fault that was found.
    pub(crate) faults: Vec<PackFault>,
    /// The course, if its prerequisites go in a circle.
    pub(crate) circular: Option<String>,
    /// The pack is in a bundle that is none, or not at hand.
    pub(crate) bundle: bool,
}

impl From<Vec<PackFault>> for Refusal {
    fn from(faults: Vec<PackFault>) -> Self {
        Self {
            faults,
            ..Self::default()
        }
    }
}

/// Loads and checks the pack in `dir`.
///
/// # Errors
/// Every fault that was found, by file and line; any fault refuses the pack.
pub fn load(dir: &Path) -> Result<Pack, Vec<PackFault>> {
    examine(dir).map_err(|refusal| refusal.faults)
}

/// The same, with what a refusal says of the graph.
pub(crate) fn examine(dir: &Path) -> Result<Pack, Refusal> {
    let mut faults = Faults::default();
    let files = files::find(dir, &mut faults);
    let (mut draft, hash) = read::read(&files, &mut faults);
    check::examples(&mut draft, &mut faults);
    let circular = check::check(&draft, &mut faults);
    let procedures = check::procedures(&draft, &mut faults);
    let warnings = faults.take_warnings();
    let places = places(&draft);
    match draft.course.take() {
        Some(course) if faults.is_empty() => Ok(Pack {
            hash,
            course: course.course,
            units: draft.units.into_iter().map(|u| u.unit).collect(),
            lessons: draft.lessons.into_iter().map(|l| l.lesson).collect(),
            chunks: draft.chunks.into_iter().map(|c| c.chunk).collect(),
            questions: draft.questions.into_iter().map(|q| q.finish()).collect(),
            support: draft.support.into_iter().map(|s| s.support).collect(),
            references: draft.references,
            documents: draft.documents.into_iter().map(|d| d.document).collect(),
            context: draft.context.map(|c| c.context),
            texts: own_texts(draft.texts),
            procedures,
            warnings,
            places,
        }),
        course => Err(Refusal {
            faults: faults.into_sorted(),
            circular: course.filter(|_| circular).map(|c| c.course.id),
            bundle: false,
        }),
    }
}

/// Where the units, the drills that are written out, and the course's own texts stand.
fn places(draft: &Draft<'_>) -> Places {
    let mut places = Places::default();
    for unit in &draft.units {
        let at = |line: usize| (unit.file.to_path_buf(), line);
        places.units.insert(unit.unit.id.clone(), at(unit.line));
        for (drill, line) in unit.unit.drills.iter().zip(&unit.drill_lines) {
            places.drills.insert(drill.id.clone(), at(*line));
        }
    }
    if let Some(texts) = &draft.texts {
        let own = texts.texts.iter();
        places
            .texts
            .extend(own.map(|(key, text)| (key.clone(), (texts.file.to_path_buf(), text.line))));
    }
    places
}

/// The course's own texts without their places.
fn own_texts(draft: Option<TextsDraft<'_>>) -> BTreeMap<String, String> {
    let texts = draft.map(|draft| draft.texts).unwrap_or_default();
    let texts = texts.into_iter();
    texts.map(|(key, text)| (key, text.value)).collect()
}

/// Loads every pack under `root`: `root` itself if it holds a course.yaml, else each folder in it that
/// does, in name order. Hidden folders and bundles are left out. Of two packs with one course id, the second is
/// refused.
///
/// # Errors
/// `root` cannot be read.
pub fn load_all(root: &Path) -> Result<Vec<LoadedPack>, PackFault> {
    let mut homes: HashMap<String, PathBuf> = HashMap::new();
    let mut packs = Vec::new();
    for dir in places_of_packs(root)? {
        if is_bundle(&dir) {
            continue;
        }
        let mut result = load(&dir);
        if let Ok(pack) = &result {
            let id = &pack.course.id;
            if let Some(home) = homes.get(id) {
                result = Err(vec![duplicate(&dir, id, home)]);
            } else {
                homes.insert(id.clone(), dir.clone());
            }
        }
        packs.push((dir, result));
    }
    Ok(packs)
}

/// The packs under `root`, in name order: `root` itself if it is one, else the folders and the bundles in it.
///
/// # Errors
/// `root` cannot be read.
pub fn places_of_packs(root: &Path) -> Result<Vec<PathBuf>, PackFault> {
    if is_pack(root) || is_bundle(root) {
        return Ok(vec![root.to_path_buf()]);
    }
    let listing = fs::read_dir(root).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let listing = listing.map_err(|error| PackFault {
        file: root.to_path_buf(),
        line: None,
        message: format!("this folder cannot be read: {error}"),
        remedy: "name a pack's folder, or a folder of packs".to_owned(),
    })?;
    let mut dirs: Vec<PathBuf> = listing
        .iter()
        .filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."))
        .map(fs::DirEntry::path)
        .filter(|path| is_pack(path) || is_bundle(path))
        .collect();
    dirs.sort();
    Ok(dirs)
}

/// What is wrong with the pack in `dir` if the one in `home` has the same course id.
pub(crate) fn duplicate(dir: &Path, id: &str, home: &Path) -> PackFault {
    PackFault {
        file: dir.join("course.yaml"),
        line: None,
        message: format!("the course `{id}` is also in {}", home.display()),
        remedy: "give one of the two another id, or remove it".to_owned(),
    }
}

fn is_pack(dir: &Path) -> bool {
    dir.join("course.yaml").is_file()
}

/// Whether this is a file with a packed course, or with the address of one: by its name.
#[must_use]
pub fn is_bundle(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let ends = |end: &&str| name.ends_with(end.as_bytes());
    [".tar", ".tar.zst", ".bundle"].iter().any(ends) && path.is_file()
}
