//! A folder's fingerprint: tells whether anything in it has changed, without reading a file.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Changes when a file below the folder comes, goes, is written or gets other permissions, and when a symlink leads
/// elsewhere. What cannot be read is part of it, so that a repair is a change, too.
pub(super) fn of(dir: &Path) -> u64 {
    let mut walk = Walk {
        hasher: DefaultHasher::new(),
        seen: BTreeSet::new(),
    };
    // Some folder above may be a symlink: that is how a volume is changed in one step.
    walk.target(dir);
    walk.entry(dir);
    walk.hasher.finish()
}

struct Walk {
    hasher: DefaultHasher,
    /// Folders already walked, by real path: a symlink may lead back.
    seen: BTreeSet<PathBuf>,
}

impl Walk {
    fn entry(&mut self, path: &Path) {
        if path.is_symlink() {
            self.target(path);
        }
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => self.folder(path),
            Ok(meta) => {
                (meta.len(), meta.mtime(), meta.mtime_nsec()).hash(&mut self.hasher);
                // A copy may bring its old modification time along; the time of the change it cannot choose.
                (meta.ctime(), meta.ctime_nsec()).hash(&mut self.hasher);
            }
            Err(error) => error.kind().hash(&mut self.hasher),
        }
    }

    /// Two files of one size and time may change places behind a symlink, so where it leads counts as well.
    fn target(&mut self, path: &Path) {
        fs::canonicalize(path).ok().hash(&mut self.hasher);
    }

    fn folder(&mut self, dir: &Path) {
        if let Ok(real) = fs::canonicalize(dir)
            && !self.seen.insert(real)
        {
            return;
        }
        // A folder's own time is left out: an editor's swap file changes it, and nothing of the pack.
        match entries(dir) {
            Ok(names) => {
                names.len().hash(&mut self.hasher);
                for name in names {
                    name.hash(&mut self.hasher);
                    self.entry(&dir.join(name));
                }
            }
            Err(error) => error.kind().hash(&mut self.hasher),
        }
    }
}

/// The names in a folder, sorted, without the hidden files and backups that are no part of a pack.
fn entries(dir: &Path) -> std::io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name();
        let bytes = name.as_encoded_bytes();
        if !bytes.starts_with(b".") && !bytes.ends_with(b"~") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
