//! Unpacking: plain files of one course pack, into an empty folder, or nothing.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path};

use sha2::{Digest, Sha256};
use tar::{Archive, Entry, EntryType};
use turnwise_course_pack::{ArchiveError, BundleError, PackFault, load, pack_files, pack_hash};

use crate::keys::VerifyingKeys;
use crate::limits::{MAX_FILES, MAX_MANIFEST_BYTES, MAX_UNPACKED_BYTES, WINDOW_LOG};
use crate::manifest::{MANIFEST, Manifest};

const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
/// A tar has a block for each file and fills the last of each.
const MAX_TAR: u64 = MAX_UNPACKED_BYTES + (MAX_FILES as u64 + 4) * 1024;
const PACK_IT: &str = "pack it with `turnwise course pack`";

/// SHA-256, in hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// What is wrong with the bundle that a file is, or names.
pub(crate) fn refused(
    file: &Path,
    message: impl Into<String>,
    remedy: impl Into<String>,
) -> BundleError {
    BundleError::Bundle(PackFault {
        file: file.to_owned(),
        line: None,
        message: message.into(),
        remedy: remedy.into(),
    })
}

/// Refuses a bundle that none of the keys has signed, if there are keys.
pub(crate) fn check_signature(
    file: &Path,
    manifest: &Manifest,
    keys: Option<&VerifyingKeys>,
) -> Result<(), BundleError> {
    let problem = match keys {
        None => return Ok(()),
        Some(keys) if manifest.is_signed_by(keys) => return Ok(()),
        Some(_) if manifest.is_signed() => {
            "its signature is of none of the keys in COURSE_BUNDLE_KEYS_FILE"
        }
        Some(_) => "it has no signature, and COURSE_BUNDLE_KEYS_FILE demands one",
    };
    Err(refused(
        file,
        problem,
        "sign it with `turnwise course pack --key`, and have the public key in that file",
    ))
}

/// Unpacks the bundle that `file` is or names into the empty folder `to`, and checks that it is what it says: a course
/// without faults, with this hash, signed by one of the keys if there are any.
pub(crate) fn unpack(
    file: &Path,
    bytes: &[u8],
    to: &Path,
    keys: Option<&VerifyingKeys>,
) -> Result<(Manifest, Vec<u8>), BundleError> {
    let broken = |error: io::Error| refused(file, format!("this is no bundle: {error}"), PACK_IT);
    let tar: Box<dyn Read + '_> = if bytes.starts_with(ZSTD) {
        let mut decoder = zstd::Decoder::with_buffer(bytes).map_err(broken)?;
        decoder.window_log_max(WINDOW_LOG).map_err(broken)?;
        Box::new(decoder)
    } else {
        Box::new(bytes)
    };
    let mut archive = Archive::new(tar.take(MAX_TAR));
    // Raw: what would stretch names and sizes is a kind of its own then, and refused as one.
    let mut entries = archive.entries().map_err(broken)?.raw(true);
    let mut said = Vec::new();
    if let Some(entry) = entries.next() {
        let entry = entry.map_err(broken)?;
        if name_of(file, &entry)? == MANIFEST && entry.size() <= MAX_MANIFEST_BYTES {
            let mut bounded = entry.take(MAX_MANIFEST_BYTES);
            bounded.read_to_end(&mut said).map_err(broken)?;
        }
    }
    let Some(manifest) = Manifest::parse(&said) else {
        let problem = format!("it does not begin with a {MANIFEST} that is known here");
        return Err(refused(file, problem, PACK_IT));
    };
    check_signature(file, &manifest, keys)?;

    let (mut files, mut total) = (0, 0);
    for entry in entries {
        let mut entry = entry.map_err(broken)?;
        let name = name_of(file, &entry)?;
        let size = entry.size();
        files += 1;
        total = u64::saturating_add(total, size);
        if files > MAX_FILES || total > MAX_UNPACKED_BYTES {
            let problem =
                format!("it has more than {MAX_FILES} files, or {MAX_UNPACKED_BYTES} bytes");
            return Err(refused(file, problem, "make a smaller course of it"));
        }
        if !stays_inside(&name) {
            let problem = format!("`{name}` in it is no name of a pack's file");
            return Err(refused(file, problem, PACK_IT));
        }
        let path = to.join(&name);
        let written = create(&path).map_err(|problem| match problem.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                refused(file, format!("`{name}` is twice in it"), PACK_IT)
            }
            _ => unusable(&path, problem),
        })?;
        // Two sources of failure: what is read is the bundle's, what is written the disk's.
        let mut written = Written(written, None);
        let copied = io::copy(&mut entry, &mut written);
        if let Some(problem) = written.1 {
            return Err(unusable(&path, problem));
        }
        if copied.map_err(broken)? != size {
            let problem = format!("`{name}` in it ends too early");
            return Err(refused(file, problem, PACK_IT));
        }
    }
    // All at once: a course may have thousands of small files.
    File::open(to)
        .and_then(|folder| Ok(rustix::fs::syncfs(folder)?))
        .map_err(|problem| unusable(to, problem))?;

    let (course_id, hash) = (&manifest.course_id, &manifest.pack_hash);
    let altered = || {
        let problem = format!("its files are not those of {course_id} in the version {hash:.12}…");
        refused(
            file,
            problem,
            "it was changed after it was packed; get it again",
        )
    };
    // What is no file of the pack is not in its hash.
    let whole = pack_files(to).is_ok_and(|known| known.len() == files);
    if !whole || pack_hash(to).as_ref() != Some(hash) {
        return Err(altered());
    }
    let pack = load(to).map_err(|mut faults| {
        for fault in &mut faults {
            if let Ok(name) = fault.file.strip_prefix(to) {
                fault.file = file.join(name);
            }
        }
        BundleError::Pack(faults)
    })?;
    if pack.course.id != *course_id {
        return Err(altered());
    }
    Ok((manifest, said))
}

/// Whether the name leads to a file below the folder that is not hidden. A hidden one could pass for a mark of the
/// archive.
fn stays_inside(name: &str) -> bool {
    let plain = |part: Component<'_>| match part {
        Component::Normal(part) => !part.as_encoded_bytes().starts_with(b"."),
        _ => false,
    };
    !name.is_empty()
        && !name.contains('\0')
        && !name.ends_with('/')
        && Path::new(name).components().all(plain)
}

/// The name of an entry, which is a plain file.
fn name_of(file: &Path, entry: &Entry<'_, impl Read>) -> Result<String, BundleError> {
    let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    match entry.header().entry_type() {
        EntryType::Regular => Ok(name),
        kind => {
            let problem = format!("`{name}` in it is no plain file ({kind:?})");
            Err(refused(file, problem, PACK_IT))
        }
    }
}

fn create(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::create_new(path)
}

fn unusable(path: &Path, problem: io::Error) -> BundleError {
    let path = path.to_owned();
    BundleError::Archive(ArchiveError::Unusable { path, problem })
}

/// A file, and why it cannot be written.
struct Written(File, Option<io::Error>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|problem| {
            let kind = problem.kind();
            self.1 = Some(problem);
            kind.into()
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
