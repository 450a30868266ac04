//! Packing: the same pack always becomes the same bytes.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use tar::{Builder, EntryType, Header};
use turnwise_course_pack::{Pack, PackFault, load, pack_files};

use crate::keys::SigningKey;
use crate::limits::{MAX_BUNDLE_BYTES, MAX_FILES, MAX_UNPACKED_BYTES};
use crate::manifest::{MANIFEST, Manifest};
use crate::unpack::sha256;

/// Small is worth more than quick: a bundle is packed once. Its window stays below [`crate::limits::WINDOW_LOG`].
const LEVEL: i32 = 19;

/// A course, packed.
#[derive(Debug)]
pub struct Bundle {
    /// The file's content.
    pub bytes: Vec<u8>,
    /// SHA-256 of it, in hex.
    pub digest: String,
    /// What it says of itself.
    pub manifest: Manifest,
    /// What is in it.
    pub pack: Pack,
}

/// Packs the course in `dir` as a tar, which zstd compresses if wanted, and signs it if there is a key. Of two packs
/// with the same files the tar is the same, byte for byte; compressed, with one version of this program.
///
/// # Errors
/// The faults of the pack, or it is too large.
pub fn pack(
    dir: &Path,
    compressed: bool,
    key: Option<&SigningKey>,
) -> Result<Bundle, Vec<PackFault>> {
    let pack = load(dir)?;
    let files = pack_files(dir)?;
    let manifest = Manifest::new(pack.course.id.clone(), pack.hash.clone(), key);
    let at = |file: &Path, problem: &io::Error| PackFault {
        file: file.to_owned(),
        line: None,
        message: format!("this cannot be packed: {problem}"),
        remedy: "shorten the name, or check the permissions".to_owned(),
    };
    let mut tar = Builder::new(Vec::new());
    let said = serde_json::to_vec(&manifest).map_err(|error| vec![at(dir, &error.into())])?;
    append(&mut tar, MANIFEST, &said).map_err(|error| vec![at(dir, &error)])?;
    let mut total = 0;
    for (name, path) in &files {
        let content = fs::read(path).map_err(|error| vec![at(path, &error)])?;
        total += content.len() as u64;
        append(&mut tar, name, &content).map_err(|error| vec![at(path, &error)])?;
    }
    let mut bytes = tar.into_inner().map_err(|error| vec![at(dir, &error)])?;
    if compressed {
        bytes = zstd::encode_all(bytes.as_slice(), LEVEL).map_err(|error| vec![at(dir, &error)])?;
    }
    if files.len() > MAX_FILES || total > MAX_UNPACKED_BYTES || bytes.len() > MAX_BUNDLE_BYTES {
        return Err(vec![PackFault {
            file: dir.to_owned(),
            line: None,
            message: format!(
                "as a bundle this has {} files with {total} bytes, packed {}: too large",
                files.len(),
                bytes.len()
            ),
            remedy: format!(
                "keep below {MAX_FILES} files, {MAX_UNPACKED_BYTES} bytes, packed {MAX_BUNDLE_BYTES}"
            ),
        }]);
    }
    Ok(Bundle {
        digest: sha256(&bytes),
        bytes,
        manifest,
        pack,
    })
}

/// Nothing of the file but its name and content: no time, no owner, no permissions.
fn append(tar: &mut Builder<impl Write>, name: &str, content: &[u8]) -> io::Result<()> {
    let mut header = Header::new_ustar();
    header.set_path(name)?;
    header.set_entry_type(EntryType::Regular);
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_cksum();
    tar.append(&header, content)
}
