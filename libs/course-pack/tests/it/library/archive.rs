//! The archive of what is served.

use std::sync::atomic::AtomicI64;

use turnwise_course_pack::{ArchiveError, PackArchive, load};

use super::*;

const NOW: i64 = 1_772_445_600;
const DAY: i64 = 86_400;

/// A course, and an archive that keeps versions for 90 days.
struct Kept {
    root: TempDir,
    archive: TempDir,
    now: Arc<AtomicI64>,
}

impl Kept {
    fn new() -> Self {
        let kept = Self {
            root: tempfile::tempdir().unwrap(),
            archive: tempfile::tempdir().unwrap(),
            now: Arc::new(AtomicI64::new(NOW)),
        };
        kept.write("One");
        kept
    }

    fn write(&self, title: &str) {
        course(&self.root.path().join("tiny"), "tiny", title);
    }

    fn serve(&self) -> Library<String> {
        let now = Arc::clone(&self.now);
        let clock = move || time(now.load(Ordering::SeqCst));
        let served = Library::open(self.root.path(), SETTLED, no_bundle, clock, |pack| {
            Ok(pack.course.title)
        });
        let archive = PackArchive::open(self.archive.path(), 90).unwrap();
        served.unwrap().archived_in(archive)
    }

    fn pass(&self, seconds: i64) {
        self.now.fetch_add(seconds, Ordering::SeqCst);
    }

    fn folders(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.archive.path()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// The titles of the versions in the archive, each of which is whole and has its own name.
    fn titles(&self) -> Vec<String> {
        let titles = self.folders().into_iter().map(|folder| {
            let pack = load(&folder).unwrap();
            let place = PackArchive::place(self.archive.path(), "tiny", &pack.hash);
            assert_eq!(folder, place);
            pack.course.title
        });
        let mut titles: Vec<String> = titles.collect();
        titles.sort();
        titles
    }
}

fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

#[test]
fn what_was_served_stays_after_a_change() {
    let kept = Kept::new();
    write(
        &kept.root.path().join("tiny"),
        "README",
        "Not the course's.",
    );
    let library = kept.serve();
    assert_eq!(kept.titles(), ["One"]);
    assert!(!kept.folders()[0].join("README").exists());
    kept.write("Two");
    assert!((0..SETTLED).any(|_| library.poll()));
    assert_eq!(kept.titles(), ["One", "Two"]);
    // After a restart, too, and with the course as it was before.
    kept.write("One");
    kept.serve();
    assert_eq!(kept.titles(), ["One", "Two"]);
}

#[test]
fn a_version_goes_when_no_log_names_it_any_more() {
    let kept = Kept::new();
    let library = kept.serve();
    kept.write("Two");
    assert!((0..SETTLED).any(|_| library.poll()));
    fs::create_dir(kept.archive.path().join("0123.part")).unwrap();
    let left = fs::File::open(kept.archive.path().join("0123.part")).unwrap();
    left.set_modified(time(NOW).into()).unwrap();
    for name in ["notes.txt", "notes.part"] {
        write(kept.archive.path(), name, "Of somebody.");
        let file = fs::File::open(kept.archive.path().join(name)).unwrap();
        file.set_modified(time(NOW).into()).unwrap();
    }
    for (days, folders) in [(90, 4), (92, 3), (400, 3)] {
        kept.now.store(NOW + days * DAY, Ordering::SeqCst);
        library.poll();
        assert_eq!(kept.folders().len(), folders, "{days}");
    }
    for name in ["notes.txt", "notes.part"] {
        fs::remove_file(kept.archive.path().join(name)).unwrap();
    }
    assert_eq!(kept.titles(), ["Two"]);
}

#[test]
fn a_damaged_copy_is_made_anew_and_logged_once() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let subscriber = tracing_subscriber::fmt().with_writer(log.reopen().unwrap());
    let _guard = tracing::subscriber::set_default(subscriber.with_ansi(false).finish());
    let warned = || {
        let said = fs::read_to_string(log.path()).unwrap();
        assert!(!said.contains("ERROR"), "{said}");
        said.matches("WARN").count()
    };
    let kept = Kept::new();
    let library = kept.serve();
    let file = kept.folders()[0].join("units/10-all.yaml");
    let damages: [fn(&Path) -> std::io::Result<()>; 3] = [
        |file| fs::rename(file, file.with_extension("txt")),
        |file| fs::write(file, "units: []\n"),
        |file| fs::remove_dir_all(file.parent().unwrap().parent().unwrap()),
    ];
    for (before, damage) in damages.into_iter().enumerate() {
        assert_eq!(warned(), before);
        damage(&file).unwrap();
        for _ in 0..2 {
            kept.pass(600);
            library.poll();
            assert_eq!(kept.titles(), ["One"]);
        }
        assert_eq!(warned(), before + 1);
    }
    // Found at a start, too.
    fs::write(&file, "units: []\n").unwrap();
    kept.serve();
    assert_eq!((kept.titles(), warned()), (vec!["One".to_owned()], 4));
}

#[test]
fn no_copy_is_another_version_than_its_name_says() {
    let kept = Kept::new();
    let library = kept.serve();
    fs::remove_dir_all(&kept.folders()[0]).unwrap();
    kept.write("Two");
    kept.pass(600);
    // `One` is served for another poll, and its folder holds `Two`.
    library.poll();
    assert!(kept.folders().is_empty());
    assert!((0..SETTLED).any(|_| library.poll()));
    assert_eq!(kept.titles(), ["Two"]);
}

#[test]
fn an_archive_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "taken", "A file.");
    let path = folder.path().join("taken");
    let error = PackArchive::open(&path, 90).unwrap_err();
    assert!(matches!(error, ArchiveError::Unusable { .. }));
    let said = error.to_string();
    assert!(said.contains(&path.display().to_string()), "{said}");
}
