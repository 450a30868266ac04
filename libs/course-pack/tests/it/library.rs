//! A folder of packs that changes while it is served.

mod archive;
mod links;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use prometheus_client::{encoding::text::encode, registry::Registry};
use tempfile::TempDir;
use turnwise_course_pack::{BundleError, Catalog, Library, LibraryError};

use crate::fixture::{COURSE, UNITS, pack, write};

/// How many polls in a row a changed folder must look the same.
const SETTLED: u32 = 2;

/// A folder of packs, served by their titles.
struct Served {
    root: TempDir,
    library: Library<String>,
    catalog: Arc<Catalog<String>>,
    builds: Arc<AtomicUsize>,
}

/// Writes a good pack of this course, with this title. Some file systems tell time in steps of milliseconds: it writes
/// until the time is another one, as it always is between a pack that was served and its correction.
fn course(dir: &Path, id: &str, title: &str) {
    if !dir.exists() {
        copy(pack().path(), dir);
    }
    let text = COURSE.replace("id: tiny", &format!("id: {id}"));
    let text = text.replace("A tiny course", title);
    let changed = || {
        let meta = fs::metadata(dir.join("course.yaml"));
        meta.map(|meta| (meta.ctime(), meta.ctime_nsec())).ok()
    };
    let before = changed();
    while changed() == before {
        write(dir, "course.yaml", &text);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn no_bundle(file: &Path) -> Result<PathBuf, BundleError> {
    panic!("{} is no bundle", file.display());
}

fn open(root: TempDir) -> Served {
    let builds = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&builds);
    let library = Library::open(
        root.path(),
        SETTLED,
        no_bundle,
        || Timestamp::from_second(1_772_445_600).unwrap(),
        move |pack| {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(pack.course.title)
        },
    )
    .unwrap();
    Served {
        catalog: library.catalog(),
        root,
        library,
        builds,
    }
}

/// One folder `tiny` with the course `tiny`, titled `One`.
fn one_course() -> Served {
    let root = tempfile::tempdir().unwrap();
    course(&root.path().join("tiny"), "tiny", "One");
    open(root)
}

/// The folders `a` and `b` with the courses `a` and `b`, titled `A` and `B`.
fn two_courses() -> Served {
    let root = tempfile::tempdir().unwrap();
    course(&root.path().join("a"), "a", "A");
    course(&root.path().join("b"), "b", "B");
    open(root)
}

impl Served {
    fn dir(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// What is served, in the order of the ids.
    fn titles(&self) -> Vec<String> {
        let served = self.catalog.after("", 99);
        served.iter().map(|title| title.to_string()).collect()
    }

    fn title(&self, id: &str) -> Option<String> {
        self.catalog.get(id).map(|title| title.to_string())
    }

    /// Polls until a change must have settled. Tells whether something was served anew.
    fn polls(&self) -> bool {
        (0..SETTLED).any(|_| self.library.poll())
    }

    fn builds(&self) -> usize {
        self.builds.load(Ordering::SeqCst)
    }

    fn metrics(&self) -> String {
        let mut registry = Registry::default();
        self.library.register(&mut registry);
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        text
    }

    fn refused(&self) -> usize {
        let metrics = self.metrics();
        let mut values = metrics
            .lines()
            .filter_map(|line| line.strip_prefix("course_packs_refused_total "));
        values.next().unwrap().parse().unwrap()
    }
}

#[test]
fn a_change_is_served_once_it_has_settled() {
    let served = one_course();
    assert!(!served.polls() && !served.polls());
    course(&served.dir("tiny"), "tiny", "Two");
    assert!(!served.library.poll());
    assert_eq!(served.titles(), ["One"], "seen once");
    assert!(served.library.poll());
    assert_eq!(served.titles(), ["Two"]);
    assert!(!served.polls());
    assert_eq!(
        served.builds(),
        2,
        "what has not changed is not built again"
    );
}

#[test]
fn a_pack_that_is_being_copied_is_left_alone() {
    let served = one_course();
    let dir = served.dir("tiny");
    course(&dir, "tiny", "Two");
    for step in 0..5 {
        write(&dir, &format!("content/{step}.md"), "half a file");
        assert!(!served.library.poll());
    }
    assert_eq!((served.titles(), served.refused()), (vec!["One".into()], 0));
    for step in 0..5 {
        fs::remove_file(dir.join(format!("content/{step}.md"))).unwrap();
    }
    assert!(served.polls());
    assert_eq!((served.titles(), served.refused()), (vec!["Two".into()], 0));
}

#[test]
fn what_is_no_part_of_a_pack_holds_nothing_up() {
    let served = one_course();
    let dir = served.dir("tiny");
    course(&dir, "tiny", "Two");
    for (poll, changed) in [(0, false), (1, true), (2, false), (3, false)] {
        write(&dir, "units/.10-all.yaml.swp", "x".repeat(poll));
        write(&dir, "units/10-all.yaml~", "x".repeat(poll));
        assert_eq!(served.library.poll(), changed, "poll {poll}");
    }
}

#[test]
fn what_changes_while_it_is_read_is_not_served() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("tiny");
    course(&dir, "tiny", "One");
    let writer = dir.clone();
    let library = Library::open(
        root.path(),
        SETTLED,
        no_bundle,
        Timestamp::now,
        move |pack| {
            if pack.course.title == "Two" {
                course(&writer, "tiny", "Three!");
            }
            Ok(pack.course.title)
        },
    )
    .unwrap();
    course(&dir, "tiny", "Two");
    assert!(!library.poll() && !library.poll());
    assert_eq!(*library.catalog().get("tiny").unwrap(), "One");
    assert!(!library.poll());
    assert!(library.poll());
    assert_eq!(*library.catalog().get("tiny").unwrap(), "Three!");
}

#[test]
fn a_broken_pack_takes_nobodys_place_and_is_told_once() {
    let served = two_courses();
    let dir = served.dir("a");
    let good = fs::read(dir.join("units/10-all.yaml")).unwrap();
    for (number, text) in ["units: [", "units: []\n"].into_iter().enumerate() {
        write(&dir, "units/10-all.yaml", text);
        for _ in 0..100 {
            assert!(!served.library.poll());
        }
        assert_eq!(served.titles(), ["A", "B"]);
        assert_eq!(served.refused(), number + 1, "once for each change");
    }
    write(&dir, "units/10-all.yaml", good);
    assert!(!served.polls(), "it is what is served");
    assert_eq!(served.builds(), 2);
    course(&dir, "a", "New");
    assert!(served.polls());
    assert_eq!(served.titles(), ["New", "B"]);
}

#[test]
fn a_folder_that_has_lost_its_files_is_broken_and_not_withdrawn() {
    let served = two_courses();
    let dir = served.dir("a");
    fs::remove_file(dir.join("course.yaml")).unwrap();
    assert!(!served.polls());
    fs::remove_dir_all(&dir).unwrap();
    fs::create_dir(&dir).unwrap();
    assert!(!served.polls());
    assert_eq!(served.titles(), ["A", "B"]);
    assert_eq!(served.refused(), 2);
}

#[test]
fn a_folder_that_is_gone_is_withdrawn_and_its_version_held() {
    let served = two_courses();
    let hidden = served.dir(".a");
    fs::rename(served.dir("a"), &hidden).unwrap();
    assert!(!served.library.poll());
    assert_eq!(served.titles(), ["A", "B"], "seen once");
    assert!(served.library.poll());
    assert_eq!(served.titles(), ["B"]);
    assert!(served.title("a").is_none() && served.catalog.holds("a"));

    fs::rename(&hidden, served.dir("a")).unwrap();
    assert!(served.polls());
    assert_eq!(served.titles(), ["A", "B"]);
    assert_eq!(served.builds(), 2, "it was held");
}

#[test]
fn a_volume_that_is_gone_changes_nothing() {
    let served = two_courses();
    let elsewhere = tempfile::tempdir().unwrap();
    let away = elsewhere.path().join("courses");
    fs::rename(served.root.path(), &away).unwrap();
    for _ in 0..5 {
        assert!(!served.library.poll());
    }
    fs::create_dir(served.root.path()).unwrap();
    for _ in 0..5 {
        assert!(!served.library.poll());
    }
    assert_eq!(served.titles(), ["A", "B"]);
    // What comes back broken was not forgotten meanwhile.
    write(&away, "a/course.yaml", "format: [");
    course(&away.join("b"), "b", "New");
    fs::remove_dir(served.root.path()).unwrap();
    fs::rename(&away, served.root.path()).unwrap();
    assert!(served.polls());
    assert_eq!(served.titles(), ["A", "New"]);
}

#[test]
fn the_last_good_course_stays_when_only_broken_packs_are_left() {
    let served = one_course();
    fs::rename(served.dir("tiny"), served.dir("renamed")).unwrap();
    write(&served.dir("renamed"), "units/10-all.yaml", "units: [");
    assert!(!served.polls());
    assert_eq!(served.titles(), ["One"]);
    write(&served.dir("renamed"), "units/10-all.yaml", UNITS);
    course(&served.dir("renamed"), "other", "Other");
    assert!(served.polls());
    assert_eq!(served.titles(), ["Other"]);
}

#[test]
fn a_folder_may_change_its_name_without_a_gap() {
    let served = one_course();
    fs::rename(served.dir("tiny"), served.dir("a-new-name")).unwrap();
    for _ in 0..5 {
        assert!(!served.library.poll());
        assert_eq!(served.titles(), ["One"]);
    }
    course(&served.dir("a-new-name"), "tiny", "Two");
    assert!(served.polls());
    assert_eq!(served.titles(), ["Two"]);
}

#[test]
fn new_courses_come_and_ids_change() {
    let served = one_course();
    course(&served.dir("more"), "more", "More");
    assert!(served.polls());
    assert_eq!(served.titles(), ["More", "One"]);
    course(&served.dir("more"), "less", "Less");
    assert!(served.polls());
    assert_eq!(served.titles(), ["Less", "One"]);
    assert!(served.catalog.holds("more"));
    write(&served.dir("broken"), "course.yaml", "format: [");
    assert!(!served.polls());
    assert_eq!((served.titles().len(), served.refused()), (2, 1));
}

#[test]
fn of_two_folders_with_one_course_the_first_that_is_in_order_has_it() {
    let root = tempfile::tempdir().unwrap();
    course(&root.path().join("b"), "same", "B");
    let served = open(root);
    course(&served.dir("c"), "same", "C");
    assert!(!served.polls());
    course(&served.dir("d"), "other", "Z");
    assert!(served.polls());
    assert_eq!(
        (served.titles().as_slice(), served.refused()),
        (&["Z".into(), "B".into()][..], 1)
    );
    fs::remove_dir_all(served.dir("d")).unwrap();
    assert!(served.polls());

    // As a restart would have it, the first by name.
    course(&served.dir("a"), "same", "A");
    assert!(served.polls());
    assert_eq!((served.titles(), served.refused()), (vec!["A".into()], 3));

    write(&served.dir("a"), "course.yaml", "format: [");
    assert!(served.polls());
    assert_eq!(served.titles(), ["B"]);
    fs::remove_dir_all(served.dir("b")).unwrap();
    fs::remove_dir_all(served.dir("a")).unwrap();
    assert!(served.polls());
    assert_eq!(served.titles(), ["C"]);
}

#[test]
fn a_version_that_is_held_is_not_built_again() {
    let served = one_course();
    let dir = served.dir("tiny");
    for title in ["Two", "Three", "One", "Two"] {
        course(&dir, "tiny", title);
        assert!(served.polls());
        assert_eq!(served.titles(), [title]);
    }
    assert_eq!(served.builds(), 3);
}

#[test]
fn a_pack_may_be_the_folder_itself() {
    let root = tempfile::tempdir().unwrap();
    copy(pack().path(), root.path());
    let served = open(root);
    course(served.root.path(), "tiny", "Two");
    assert!(served.polls());
    assert_eq!(served.titles(), ["Two"]);
    fs::remove_file(served.dir("course.yaml")).unwrap();
    assert!(!served.polls());
    assert_eq!(served.titles(), ["Two"]);
    course(&served.dir("sub"), "sub", "A sub-folder");
    assert!(served.polls());
    assert_eq!(served.titles(), ["A sub-folder"]);
}

#[test]
fn what_cannot_be_built_is_refused_and_tried_again_later() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("tiny");
    course(&dir, "tiny", "One");
    let tries = AtomicUsize::new(0);
    let library = Library::open(
        root.path(),
        SETTLED,
        no_bundle,
        Timestamp::now,
        move |pack| match pack.course.title.as_str() {
            "Two" if tries.fetch_add(1, Ordering::SeqCst) == 0 => Err("not today".to_owned()),
            _ => Ok(pack.course.title),
        },
    )
    .unwrap();
    course(&dir, "tiny", "Two");
    let polls = (1..100).find(|_| library.poll()).unwrap();
    assert!((10..100).contains(&polls), "after {polls} polls");
    assert_eq!(*library.catalog().get("tiny").unwrap(), "Two");
}

#[test]
fn a_start_needs_one_good_pack() {
    let open = |root: &Path| {
        let opened = Library::open(root, SETTLED, no_bundle, Timestamp::now, |pack| {
            Ok(pack.course.title)
        });
        opened.map(drop)
    };
    let root = tempfile::tempdir().unwrap();
    let missing = open(&root.path().join("missing")).unwrap_err();
    assert!(matches!(missing, LibraryError::Unreadable(_)), "{missing}");
    let empty = open(root.path()).unwrap_err();
    assert!(matches!(empty, LibraryError::NoPack(_)), "{empty}");
    write(root.path(), "broken/course.yaml", "format: [");
    let broken = open(root.path()).unwrap_err();
    assert!(broken.to_string().contains("course.yaml"), "{broken}");
    assert!(matches!(broken, LibraryError::NoGoodPack(_)), "{broken}");
    course(&root.path().join("good"), "good", "Good");
    open(root.path()).unwrap();
}

#[test]
fn metrics_tell_what_is_served_and_since_when() {
    let served = one_course();
    let line = |served: &Served| {
        let metrics = served.metrics();
        let mut lines: Vec<String> = metrics
            .lines()
            .filter(|line| line.starts_with("course_served_since_timestamp_seconds{"))
            .map(str::to_owned)
            .collect();
        assert_eq!(lines.len(), 1, "{metrics}");
        lines.remove(0)
    };
    let before = line(&served);
    assert!(before.contains("course_id=\"tiny\"") && before.contains("pack_hash=\""));
    assert!(before.ends_with("} 1772445600.0"), "{before}");
    course(&served.dir("tiny"), "tiny", "Two");
    assert!(served.polls());
    assert_ne!(before, line(&served));
}

#[tokio::test(start_paused = true)]
async fn it_is_followed_until_the_end() {
    let served = one_course();
    let dir = served.dir("tiny");
    let library = Arc::new(served.library);
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let following = tokio::spawn(Arc::clone(&library).follow(Duration::from_secs(2), async {
        let _ = ended.await;
    }));
    course(&dir, "tiny", "Two");
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(*served.catalog.get("tiny").unwrap(), "One", "seen once");
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(*served.catalog.get("tiny").unwrap(), "Two");
    end.send(()).unwrap();
    following.await.unwrap();
    course(&dir, "tiny", "Three");
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(*served.catalog.get("tiny").unwrap(), "Two");
}

#[tokio::test(start_paused = true)]
async fn a_period_of_zero_never_looks() {
    let served = one_course();
    let library = Arc::new(served.library);
    library
        .follow(Duration::ZERO, std::future::pending::<()>())
        .await;
}
