//! Reference texts: which one is found, and that no name, link or swap leads out of the folder.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use proptest::prelude::*;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use tempfile::TempDir;
use tokio::time::Instant;
use turnwise_course_pack::{ChunkType, Lesson, Pack};
use turnwise_retrieval_svc::references::{
    MAX_BYTES, Origin, Reference, ReferenceError, ReferenceSettings, References, SettingError,
};

use crate::fixture::empty_pack;

const CANARY: &str = "what nobody may read";

/// A folder of references beside a file that is none of them.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("refs/deep")).unwrap();
        let place = Self { dir };
        place.outside("secret.md", CANARY);
        place
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    fn outside(&self, name: &str, text: &str) {
        fs::write(self.dir.path().join(name), text).unwrap();
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join("refs").join(name)
    }

    fn settings(&self) -> ReferenceSettings {
        ReferenceSettings {
            helper_reference_dir: Some(self.dir.path().join("refs")),
            ..only("{}")
        }
    }

    fn open(&self) -> References {
        References::open(&self.settings()).unwrap()
    }
}

/// A map alone.
fn only(map: &str) -> ReferenceSettings {
    ReferenceSettings {
        helper_reference_file: None,
        helper_reference_dir: None,
        helper_reference_map: map.to_owned(),
    }
}

/// A course with the references `sums` and `lesson-b`, and lessons with and without a key.
fn course() -> Pack {
    let mut pack = empty_pack();
    for (key, text) in [("sums", "sums of the pack"), ("lesson-b", "b of the pack")] {
        pack.references.insert(key.to_owned(), text.to_owned());
    }
    for (source, reference) in [
        ("Lesson~A", ""),
        ("Lesson~A", "sums"),
        ("lesson-b", ""),
        ("lesson-c", ""),
    ] {
        pack.lessons.push(Lesson {
            unit: "start".to_owned(),
            source: source.to_owned(),
            chunk_type: ChunkType::Text,
            title: source.to_owned(),
            allowed_topics: Vec::new(),
            reference: reference.to_owned(),
            url: String::new(),
            help: turnwise_course_pack::LessonHelp::default(),
        });
    }
    pack
}

fn found(key: &str, text: &str, origin: Origin) -> Result<Reference, ReferenceError> {
    Ok(Reference {
        key: key.to_owned(),
        text: text.to_owned(),
        origin,
    })
}

#[test]
fn the_nearest_text_of_a_key_is_taken() {
    let place = Place::new();
    let common = place.dir.path().join("common.md");
    fs::write(&common, "common\n").unwrap();
    place.write("deep/mapped.md", "mapped\n");
    place.write("sums.md", "\u{feff}\nsums of the folder\n\n");
    let settings = ReferenceSettings {
        helper_reference_file: Some(common.clone()),
        helper_reference_map: r#"{"sums": "deep/mapped.md"}"#.to_owned(),
        ..place.settings()
    };
    let references = References::open(&settings).unwrap();
    let mut pack = course();
    let get = |pack: &Pack| references.get(pack, "sums");
    assert_eq!(get(&pack), found("sums", "mapped", Origin::Map));
    // The files are read anew each time.
    fs::remove_file(place.path("deep/mapped.md")).unwrap();
    assert_eq!(
        get(&pack),
        found("sums", "sums of the folder", Origin::Directory)
    );
    place.write("sums.md", " \n");
    assert_eq!(get(&pack), found("sums", "sums of the pack", Origin::Pack));
    pack.references.clear();
    assert_eq!(get(&pack), found("", "common", Origin::File));
    fs::remove_file(common).unwrap();
    assert_eq!(get(&pack), Err(ReferenceError::Unknown("sums".to_owned())));
}

#[test]
fn a_lesson_has_its_own_text_or_the_courses() {
    let place = Place::new();
    let references = place.open();
    let mut pack = course();
    let lesson = |pack: &Pack, slug: &str| references.for_lesson(pack, slug);
    assert_eq!(
        lesson(&pack, "lesson-a"),
        found("sums", "sums of the pack", Origin::Pack)
    );
    assert_eq!(
        lesson(&pack, "lesson-b"),
        found("lesson-b", "b of the pack", Origin::Pack)
    );
    place.write("lesson-b.md", "b of the folder");
    assert_eq!(
        lesson(&pack, "lesson-b"),
        found("lesson-b", "b of the folder", Origin::Directory)
    );
    place.write("lesson-a.md", "not this: the front matter names another");
    assert_eq!(
        lesson(&pack, "lesson-a"),
        found("sums", "sums of the pack", Origin::Pack)
    );
    let unknown = Err(ReferenceError::Unknown("lesson-c".to_owned()));
    assert_eq!(lesson(&pack, "lesson-c"), unknown);
    pack.course.reference = "sums".to_owned();
    assert_eq!(
        lesson(&pack, "lesson-c"),
        found("sums", "sums of the pack", Origin::Pack)
    );
    place.write("lesson-z.md", "a lesson that only the folder knows");
    assert_eq!(lesson(&pack, "lesson-z").unwrap().key, "lesson-z");
    assert_eq!(lesson(&pack, "Lesson~A"), Err(ReferenceError::BadName));
}

#[test]
fn without_a_folder_the_map_names_files_of_the_pack() {
    let references = References::open(&only(r#"{"plus": "sums.md"}"#)).unwrap();
    assert_eq!(
        references.get(&course(), "plus"),
        found("plus", "sums of the pack", Origin::Map)
    );
    assert_eq!(
        references.get(&empty_pack(), "plus"),
        Err(ReferenceError::Unknown("plus".to_owned()))
    );
}

#[test]
fn what_cannot_be_a_text_is_an_error() {
    let place = Place::new();
    let references = place.open();
    let get = || references.get(&course(), "sums");
    let name = "sums".to_owned();
    place.write("sums.md", "x".repeat(MAX_BYTES));
    assert_eq!(get().unwrap().text.len(), MAX_BYTES);
    place.write("sums.md", "x".repeat(MAX_BYTES + 1));
    assert_eq!(get(), Err(ReferenceError::TooLarge(name.clone())));
    place.write("sums.md", b"caf\xe9");
    assert_eq!(get(), Err(ReferenceError::NotText(name.clone())));
    fs::remove_file(place.path("sums.md")).unwrap();
    fs::create_dir(place.path("sums.md")).unwrap();
    assert_eq!(get(), Err(ReferenceError::Refused(name.clone())));
    fs::remove_dir(place.path("sums.md")).unwrap();
    symlink("sums.md", place.path("sums.md")).unwrap();
    assert_eq!(get(), Err(ReferenceError::Unreadable(name.clone())));
    fs::remove_file(place.path("sums.md")).unwrap();
    symlink("/dev/zero", place.path("sums.md")).unwrap();
    assert_eq!(get(), Err(ReferenceError::Refused(name)));
}

#[test]
fn a_pipe_keeps_nobody_waiting() {
    let place = Place::new();
    let references = place.open();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    let pipe = place.path("sums.md");
    rustix::fs::mknodat(CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert_eq!(
        references.get(&course(), "sums"),
        Err(ReferenceError::Refused("sums".to_owned()))
    );
}

#[test]
fn links_may_lead_about_inside_but_not_out() {
    let place = Place::new();
    place.write("deep/real.md", "inside");
    let secret = place.dir.path().join("secret.md");
    for (link, to) in [
        ("a.md", Path::new("deep/real.md")),
        ("b.md", Path::new("../refs/deep/real.md")),
        ("out.md", &secret),
        ("up.md", Path::new("../secret.md")),
        ("deeper", Path::new("..")),
        ("hop.md", Path::new("deeper/secret.md")),
        ("gone.md", Path::new("nowhere.md")),
    ] {
        symlink(to, place.path(link)).unwrap();
    }
    let references = place.open();
    let pack = empty_pack();
    for key in ["a", "b"] {
        assert_eq!(references.get(&pack, key).unwrap().text, "inside");
    }
    for key in ["out", "up", "hop"] {
        let refused = Err(ReferenceError::Refused(key.to_owned()));
        assert_eq!(references.get(&pack, key), refused);
    }
    let unknown = Err(ReferenceError::Unknown("gone".to_owned()));
    assert_eq!(references.get(&pack, "gone"), unknown);
    // A folder beside it whose name begins alike is outside too.
    fs::create_dir(place.dir.path().join("refs-more")).unwrap();
    place.outside("refs-more/x.md", CANARY);
    symlink("../refs-more/x.md", place.path("more.md")).unwrap();
    assert!(references.get(&pack, "more").is_err());
}

#[test]
fn the_folder_itself_may_be_turned() {
    let place = Place::new();
    place.write("sums.md", "first");
    let volume = place.dir.path().join("volume");
    symlink("refs", &volume).unwrap();
    let settings = ReferenceSettings {
        helper_reference_dir: Some(volume.clone()),
        ..only("{}")
    };
    let references = References::open(&settings).unwrap();
    let get = || {
        references
            .get(&empty_pack(), "sums")
            .map(|found| found.text)
    };
    assert_eq!(get().as_deref(), Ok("first"));
    fs::create_dir(place.dir.path().join("next")).unwrap();
    place.outside("next/sums.md", "second");
    symlink("next", place.dir.path().join("turned")).unwrap();
    fs::rename(place.dir.path().join("turned"), &volume).unwrap();
    assert_eq!(get().as_deref(), Ok("second"));
    fs::remove_file(volume).unwrap();
    assert_eq!(get(), Err(ReferenceError::Unreadable("sums".to_owned())));
}

#[test]
fn a_link_that_is_swapped_while_it_is_read_wins_nothing() {
    let place = Place::new();
    place.write("sums.md", "inside");
    symlink("../secret.md", place.path("swap")).unwrap();
    let references = place.open();
    let stop = AtomicBool::new(false);
    let (mut read, mut refused) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let (a, b) = (place.path("sums.md"), place.path("swap"));
                renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
            }
        });
        // Both are seen only once the two threads run at once, which a busy machine may let them do late.
        let deadline = Instant::now() + Duration::from_secs(30);
        while read + refused < 20_000 || ((read == 0 || refused == 0) && Instant::now() < deadline)
        {
            match references.get(&empty_pack(), "sums") {
                Ok(found) if found.text == "inside" => read += 1,
                Err(ReferenceError::Refused(_)) => refused += 1,
                other => {
                    stop.store(true, Ordering::Relaxed);
                    panic!("{other:?}");
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
}

/// What the service says when it does not start.
fn refusal(settings: &ReferenceSettings) -> String {
    let error: SettingError = References::open(settings).unwrap_err();
    error.to_string()
}

#[test]
fn settings_are_checked_at_the_start() {
    let place = Place::new();
    place.write("good.md", "good");
    place.write("empty.md", "");
    place.write("bad.md", b"\xff");
    symlink("../secret.md", place.path("out.md")).unwrap();
    for (map, says) in [
        ("", "EOF while parsing"),
        ("[]", "expected an object"),
        (r#"{"a": 1}"#, "expected a string"),
        (r#"{"a": "good.md"} x"#, "trailing characters"),
        (
            r#"{"a": "good.md", "a": "good.md"}"#,
            "the key `a` stands twice",
        ),
        (r#"{"A": "good.md"}"#, "`A` is no key"),
        (r#"{"": "good.md"}"#, "`` is no key"),
        (r#"{"../a": "good.md"}"#, "`../a` is no key"),
        (r#"{"a": ""}"#, "a path inside"),
        (r#"{"a": "../secret.md"}"#, "a path inside"),
        (r#"{"a": "deep/../good.md"}"#, "a path inside"),
        (r#"{"a": "/etc/passwd"}"#, "a path inside"),
        (r#"{"a": "good.md\u0000"}"#, "a path inside"),
        (r#"{"a": "out.md"}"#, "must be a regular file"),
        (r#"{"a": "deep"}"#, "must be a regular file"),
        (r#"{"a": "gone.md"}"#, "is not there"),
        (r#"{"a": "empty.md"}"#, "is empty"),
        (r#"{"a": "bad.md"}"#, "is not text"),
    ] {
        let settings = ReferenceSettings {
            helper_reference_map: map.to_owned(),
            ..place.settings()
        };
        let said = refusal(&settings);
        assert!(said.starts_with("HELPER_REFERENCE_MAP: "), "{said}");
        assert!(said.contains(says), "{map}: {said}");
    }
    let flat = refusal(&only(r#"{"a": "deep/good.md"}"#));
    assert!(flat.contains("set HELPER_REFERENCE_DIR"), "{flat}");

    for (dir, says) in [
        ("nowhere", "No such file"),
        ("secret.md", "not a directory"),
    ] {
        let settings = ReferenceSettings {
            helper_reference_dir: Some(place.dir.path().join(dir)),
            ..only("{}")
        };
        let said = refusal(&settings);
        assert!(said.starts_with("HELPER_REFERENCE_DIR: "), "{said}");
        assert!(said.contains(says), "{said}");
    }
    for (file, says) in [
        ("nowhere.md", "no such file"),
        ("refs/empty.md", "is empty"),
        ("refs/bad.md", "is not text"),
        ("refs", "regular file"),
    ] {
        let settings = ReferenceSettings {
            helper_reference_file: Some(place.dir.path().join(file)),
            ..only("{}")
        };
        let said = refusal(&settings);
        assert!(said.starts_with("HELPER_REFERENCE_FILE: "), "{said}");
        assert!(said.contains(says), "{said}");
    }
}

/// Names as somebody would write them who wants out, and any text at all.
fn names() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "..", "/", "\\", "%2e%2e", "%2f", "%00", "\0", ".", "~", "secret", "refs", "sums", "link",
        ".md", "\u{2024}", "\u{ff0f}", "..%c0%af", "file://", "C:", "deep", "\n", " ", "-", "_",
    ]);
    prop_oneof![
        prop::collection::vec(pieces, 1..8).prop_map(|pieces| pieces.concat()),
        any::<String>(),
        "[a-z0-9_-]{1,140}",
    ]
}

proptest! {

    #[test]
    fn no_name_leads_out(name in names()) {
        let place = Place::new();
        place.write("sums.md", "inside");
        symlink("../secret.md", place.path("link.md")).unwrap();
        symlink("..", place.path("up")).unwrap();
        let references = place.open();
        let spelled = (1..=128).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b));
        for answer in [
            references.get(&empty_pack(), &name),
            references.for_lesson(&empty_pack(), &name),
        ] {
            match answer {
                Ok(found) => prop_assert_eq!(found.text, "inside"),
                Err(error) => prop_assert_eq!(error == ReferenceError::BadName, !spelled),
            }
        }
    }

    #[test]
    fn no_file_of_the_map_leads_out(file in names()) {
        let place = Place::new();
        place.write("sums.md", "inside");
        symlink("../secret.md", place.path("link.md")).unwrap();
        symlink("..", place.path("up")).unwrap();
        let settings = ReferenceSettings {
            helper_reference_map: serde_json::json!({ "key": file }).to_string(),
            ..place.settings()
        };
        if let Ok(references) = References::open(&settings) {
            let found = references.get(&empty_pack(), "key").unwrap();
            prop_assert_eq!(found.text, "inside");
        }
    }
}
