//! `turnwise course pack`: a file that names what is in it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;

use turnwise_testing::write_secret;

use super::{course, text};

const DEMO: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../courses/algebra-foundations"
);

#[test]
fn a_course_becomes_one_file_with_two_hashes() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("algebra.tar.zst");
    fs::write(&file, "what was there before").unwrap();
    let pack = || course(&["pack", DEMO, "--out", text(&file)]);
    let (code, out) = pack();
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
    let bytes = fs::read(&file).unwrap();
    let hash = turnwise_course_pack::load(Path::new(DEMO)).unwrap().hash;
    for part in [
        format!("algebra.tar.zst: {} bytes\n", bytes.len()),
        format!("  pack   {hash}\n"),
        "  sha256 ".to_owned(),
    ] {
        assert!(out.contains(&part), "{out}");
    }
    let (_, again) = pack();
    assert_eq!((out, bytes), (again, fs::read(&file).unwrap()));
    // Nothing but the file is there.
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn what_no_service_would_take_is_not_packed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tiny.tar");
    let broken = dir.path().join("broken");
    fs::create_dir(&broken).unwrap();
    fs::write(broken.join("course.yaml"), "format: [").unwrap();
    let (code, out) = course(&["pack", text(&broken), "--out", text(&file)]);
    assert_eq!(code, Ok(ExitCode::FAILURE));
    assert!(
        out.contains("course.yaml") && out.contains("remedy: "),
        "{out}"
    );
    let no_key = dir.path().join("key");
    write_secret(&no_key, "no key").unwrap();
    let open = dir.path().join("open");
    fs::write(&open, "no key").unwrap();
    fs::set_permissions(&open, Permissions::from_mode(0o644)).unwrap();
    let meant = ["--secret-files-world-readable", "1"];
    for (more, says) in [
        (
            &["--out", text(&dir.path().join("tiny.zip"))][..],
            "end with .tar.zst",
        ),
        (&["--key", text(&no_key)], "no Ed25519 private key"),
        (&["--key", text(&open)], "SECRET_FILES_WORLD_READABLE=1"),
        // What was advised is taken, and it is read.
        (
            &["--key", text(&open), meant[0], meant[1]],
            "no Ed25519 private key",
        ),
        (&["--out", "/no/such/folder/tiny.tar"], "name another file"),
    ] {
        let (code, out) = course(&[&["pack", DEMO][..], more].concat());
        let error = code.unwrap_err();
        assert!(error.contains(says) && out.is_empty(), "{error}");
    }
    assert!(!file.exists());
}
