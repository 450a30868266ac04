//! Bundles on a volume.

use std::fs;

use turnwise_course_bundles::{load_all, pack};
use turnwise_course_pack::{PackArchive, load};

use crate::fixture::{Shelf, bundle, polls, title, write_course};

#[test]
fn a_bundle_is_served_and_a_new_one_takes_its_place() {
    let shelf = Shelf::new();
    let (one, two) = (bundle("One"), bundle("Two"));
    shelf.put("tiny.tar.zst", &one.bytes);
    let library = shelf.open().unwrap();
    assert_eq!(title(&library), "One");
    shelf.put("tiny.tar.zst", &two.bytes);
    assert!(polls(&library));
    assert_eq!(title(&library), "Two");
    // Both stay, as folders with their own names, for turns that name them.
    for made in [&one, &two] {
        let hash = &made.pack.hash;
        let kept = load(&PackArchive::place(shelf.archive.path(), "tiny", hash)).unwrap();
        assert_eq!(
            (&kept.hash, kept.course.title),
            (hash, made.pack.course.title.clone())
        );
    }
    assert_eq!(shelf.archived().len(), 2);
    // A file that is one more form of the same is the same version.
    let dir = tempfile::tempdir().unwrap();
    write_course(dir.path(), "Two");
    shelf.put("tiny.tar.zst", pack(dir.path(), false, None).unwrap().bytes);
    polls(&library);
    assert_eq!(
        (title(&library), shelf.archived().len()),
        ("Two".to_owned(), 2)
    );
}

#[test]
fn a_bundle_may_be_all_the_courses_there_are() {
    let mut shelf = Shelf::new();
    shelf.put("tiny.tar", bundle("One").bytes);
    shelf.settings.courses_dir = shelf.courses.path().join("tiny.tar");
    assert_eq!(title(&shelf.open().unwrap()), "One");
    let packs = load_all(&shelf.settings).unwrap();
    assert_eq!(packs[0].1.as_ref().unwrap().course.title, "One");
}

#[test]
fn a_bad_bundle_keeps_what_was_served() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let subscriber = tracing_subscriber::fmt().with_writer(log.reopen().unwrap());
    let _guard = tracing::subscriber::set_default(subscriber.with_ansi(false).finish());
    let shelf = Shelf::new();
    shelf.put("tiny.tar.zst", bundle("One").bytes);
    let library = shelf.open().unwrap();
    let mut bad = bundle("Two").bytes;
    bad.truncate(bad.len() / 2);
    shelf.put("tiny.tar.zst", &bad);
    assert!(!polls(&library) && !polls(&library));
    assert_eq!(
        (title(&library), shelf.archived().len()),
        ("One".to_owned(), 1)
    );
    let said = fs::read_to_string(log.path()).unwrap();
    let lines = said.lines().filter(|line| line.contains("WARN"));
    let warned: Vec<_> = lines.collect();
    assert_eq!(warned.len(), 1, "{said}");
    for part in [
        "course bundle refused",
        "tiny.tar.zst",
        "turnwise course pack",
    ] {
        assert!(warned[0].contains(part), "{}", warned[0]);
    }
    shelf.put("tiny.tar.zst", bundle("Two").bytes);
    assert!(polls(&library));
    assert_eq!(title(&library), "Two");
}

#[test]
fn a_copy_that_is_damaged_is_unpacked_again() {
    let shelf = Shelf::new();
    shelf.put("tiny.tar.zst", bundle("One").bytes);
    drop(shelf.open().unwrap());
    let copy = shelf.archived().remove(0);
    fs::write(copy.join("units/10.yaml"), "units: []\n").unwrap();
    assert_eq!(title(&shelf.open().unwrap()), "One");
    assert_eq!(
        (load(&copy).unwrap().units.len(), shelf.archived().len()),
        (1, 1)
    );
}

#[test]
fn bundles_need_an_archive() {
    let mut shelf = Shelf::new();
    shelf.put("tiny.tar", bundle("One").bytes);
    shelf.settings.pack_archive_dir = None;
    let said = shelf.open().map(|_| ()).unwrap_err().to_string();
    assert!(said.contains("set PACK_ARCHIVE_DIR"), "{said}");
}
