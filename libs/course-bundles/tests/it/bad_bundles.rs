//! Bundles that are none, or would do harm: each stops the start, and nothing of it stays.

use std::fs;

use tar::{Builder, EntryType, Header};
use turnwise_course_bundles::{MAX_BUNDLE_BYTES, MAX_UNPACKED_BYTES, pack};

use crate::fixture::{Shelf, bundle, write_course};

/// A tar of these entries; names as they are, also those that no packer would write.
fn tar(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    for (name, kind, content) in entries {
        let mut header = Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, *content).unwrap();
    }
    tar.into_inner().unwrap()
}

/// The entries of a good bundle: what it says of itself, and its two files.
fn good() -> [(String, Vec<u8>); 3] {
    let dir = tempfile::tempdir().unwrap();
    write_course(dir.path(), "One");
    let made = pack(dir.path(), false, None).unwrap();
    let hash = &made.pack.hash;
    let said = format!(r#"{{"format":1,"course_id":"tiny","pack_hash":"{hash}"}}"#);
    let file = |name: &str| (name.to_owned(), fs::read(dir.path().join(name)).unwrap());
    [
        (".bundle.json".to_owned(), said.into_bytes()),
        file("course.yaml"),
        file("units/10.yaml"),
    ]
}

/// A good bundle with one more entry at its end.
fn with(name: &str, kind: EntryType, content: &[u8]) -> Vec<u8> {
    let good = good();
    let mut entries: Vec<(&str, EntryType, &[u8])> = Vec::new();
    for (name, content) in &good {
        entries.push((name, EntryType::Regular, content));
    }
    entries.push((name, kind, content));
    tar(&entries)
}

/// A good bundle in which one text is another.
fn altered(from: &str, to: &str) -> Vec<u8> {
    let files = good().map(|(name, content)| {
        let text = String::from_utf8(content).unwrap();
        (name, text.replace(from, to).into_bytes())
    });
    let entries = files
        .each_ref()
        .map(|(name, content)| (name.as_str(), EntryType::Regular, content.as_slice()));
    tar(&entries)
}

#[track_caller]
fn is_refused(bytes: &[u8], says: &str) {
    let shelf = Shelf::new();
    shelf.put("tiny.tar", bytes);
    let fault = shelf.refused();
    assert_eq!(fault.file, shelf.courses.path().join("tiny.tar"));
    assert!(fault.message.contains(says), "{fault}");
    assert!(!shelf.archive.path().join("../evil").exists());
}

#[test]
fn a_good_bundle_made_by_hand_is_taken() {
    let shelf = Shelf::new();
    shelf.put("tiny.tar", altered("nothing", "else"));
    shelf.open().unwrap();
}

#[test]
fn what_would_leave_the_folder_is_refused() {
    for name in ["../evil", "units/../../evil", "/tmp/evil", "./../evil"] {
        is_refused(
            &with(name, EntryType::Regular, b"x"),
            "no name of a pack's file",
        );
    }
}

#[test]
fn what_is_no_plain_file_is_refused() {
    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Char,
        EntryType::Block,
        EntryType::Fifo,
        EntryType::Directory,
        EntryType::GNUSparse,
        EntryType::GNULongName,
        EntryType::XHeader,
        EntryType::XGlobalHeader,
    ] {
        is_refused(&with("evil", kind, b""), "is no plain file");
    }
}

#[test]
fn what_could_pass_for_something_else_is_refused() {
    // A mark of the archive, by which another bundle would be found.
    let mark = format!(".bundle-{}", "0".repeat(64));
    for name in [&mark, "units/.hidden", "content//", ""] {
        is_refused(
            &with(name, EntryType::Regular, b"{}"),
            "no name of a pack's file",
        );
    }
    is_refused(
        &with("course.yaml", EntryType::Regular, b"x"),
        "is twice in it",
    );
    is_refused(
        &with("course.yaml/x", EntryType::Regular, b"x"),
        "is twice in it",
    );
    is_refused(
        &with("README", EntryType::Regular, b"x"),
        "not those of tiny",
    );
}

#[test]
fn what_is_not_what_it_says_is_refused() {
    is_refused(&altered("title: Sums", "title: Sins"), "not those of tiny");
    is_refused(&altered("id: tiny", "id: tine"), "not those of tiny");
    is_refused(&altered(r#":"tiny""#, r#":"tine""#), "not those of tine");
    is_refused(
        &altered(r#""format":1"#, r#""format":2"#),
        "does not begin with",
    );
    is_refused(
        &altered(r#","pack_hash""#, r#","owner":"me","pack_hash""#),
        "does not begin with",
    );
    let without: Vec<_> = good().into_iter().skip(1).collect();
    let without: Vec<_> = without
        .iter()
        .map(|(name, content)| (name.as_str(), EntryType::Regular, content.as_slice()))
        .collect();
    is_refused(&tar(&without), "does not begin with");
}

#[test]
fn what_is_cut_off_is_refused() {
    let whole = altered("nothing", "else");
    // Every block: a tar may be cut where an entry ends, and looks whole then.
    for end in (512..whole.len() - 1024).step_by(512) {
        let shelf = Shelf::new();
        shelf.put("tiny.tar", &whole[..end]);
        shelf.refused();
    }
    for bytes in [&b""[..], b"no tar at all", &[0; 4096]] {
        let shelf = Shelf::new();
        shelf.put("tiny.tar", bytes);
        shelf.refused();
    }
    let packed = bundle("One").bytes;
    let shelf = Shelf::new();
    shelf.put("tiny.tar.zst", &packed[..packed.len() - 8]);
    shelf.refused();
}

#[test]
fn what_is_too_large_is_refused() {
    is_refused(&vec![0; MAX_BUNDLE_BYTES + 1], "has more than");
    // A header promises more than is allowed.
    let mut header = Header::new_ustar();
    header.set_path("units/20.yaml").unwrap();
    header.set_size(MAX_UNPACKED_BYTES + 1);
    header.set_cksum();
    let mut bytes = altered("nothing", "else");
    bytes.truncate(bytes.len() - 1024);
    bytes.extend_from_slice(header.as_bytes());
    is_refused(&bytes, "has more than");
    // What it says of itself is read before its signature is looked at.
    let manifest = [&vec![b' '; 64 << 10], good()[0].1.as_slice()].concat();
    let name = good()[0].0.clone();
    is_refused(
        &tar(&[(&name, EntryType::Regular, &manifest)]),
        "does not begin with",
    );
    // Zeros are small as long as they are packed.
    let zeros = vec![0; MAX_UNPACKED_BYTES as usize / 2 + 1];
    let good = good();
    let mut entries = vec![(good[0].0.as_str(), EntryType::Regular, good[0].1.as_slice())];
    for name in ["units/1.yaml", "units/2.yaml"] {
        entries.push((name, EntryType::Regular, &zeros));
    }
    let packed = zstd::encode_all(tar(&entries).as_slice(), 1).unwrap();
    assert!(packed.len() < 1 << 20);
    is_refused(&packed, "has more than");
}
