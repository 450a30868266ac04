//! All that is in a folder, to tell whether it stayed as it was.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// Every file below a folder, with what it holds.
///
/// # Errors
///
/// If something of it cannot be read.
pub fn tree(folder: &Path) -> io::Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(tree(&path)?);
        } else {
            let bytes = fs::read(&path)?;
            found.insert(path, bytes);
        }
    }
    Ok(found)
}
