//! A full disk, and a name that is taken: an error, and no archive.

use std::{env, fs, path::Path, process::Command};

use turnwise_session_archive::{ArchiveDir, ArchiveError};

use crate::support::{Home, about, record};

/// Set in the process that this test starts again under a limit.
const LIMITED: &str = "ARCHIVE_TEST_LIMITED_DIR";

#[test]
fn a_full_disk_leaves_no_archive() {
    if let Some(root) = env::var_os(LIMITED) {
        let root = Path::new(&root);
        under_the_limit(root);
        fs::write(root.join("../done"), "").unwrap();
        return;
    }
    let home = Home::new();
    let name = home
        .write(&about("school", "7b"), &[record("s1", "t1"), long("s2")])
        .name;
    let before = home.read(&name);
    // No file may grow past 16 KiB in there; the signal that says so is ignored, so that writing fails.
    let test = env::current_exe().unwrap();
    let status = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 32; exec \"$0\" \"$@\""])
        .arg(test)
        .args(["--exact", "failure::a_full_disk_leaves_no_archive"])
        .env(LIMITED, home.dir.root())
        .status()
        .unwrap();
    assert!(status.success());
    assert!(
        home.path("../done").exists(),
        "the test did not run in there"
    );
    assert_eq!(home.files().join(" "), name);
    assert_eq!(home.read(&name), before);
}

fn long(student_id: &str) -> turnwise_session_archive::ConversationRecord {
    let mut record = record(student_id, "t2");
    record.title = "x".repeat(40_000);
    record
}

fn under_the_limit(root: &Path) {
    let dir = ArchiveDir::open(root).unwrap();
    let files = || fs::read_dir(root).unwrap().count();
    let before = files();

    let mut writer = dir.create(&about("school", "7b"), 120).unwrap();
    let failed = writer.append(long("s1")).and_then(|()| writer.finish());
    assert!(matches!(failed, Err(ArchiveError::Io { .. })), "{failed:?}");
    assert_eq!(files(), before);

    // All of it fits the buffer, so that the end is what fails.
    let mut writer = dir.create(&about("school", "7b"), 120).unwrap();
    let mut failed = Ok(());
    for _ in 0..100 {
        failed = failed.and_then(|()| writer.append(record("s1", "t1")));
    }
    let failed = failed.and_then(|()| writer.finish());
    assert!(matches!(failed, Err(ArchiveError::Io { .. })), "{failed:?}");
    assert_eq!(files(), before);

    let failed = dir.erase_student("school", "s1");
    assert!(matches!(failed, Err(ArchiveError::Io { .. })), "{failed:?}");
    assert_eq!(files(), before);
}

#[test]
fn a_name_that_cannot_be_given_leaves_no_archive() {
    let home = Home::new();
    let writer = home.dir.create(&about("school", "7b"), 120).unwrap();
    let partial = home.files().pop().unwrap();
    let name = partial.strip_suffix(".partial").unwrap();
    fs::create_dir(home.path(name)).unwrap();
    let failed = writer.finish();
    assert!(matches!(failed, Err(ArchiveError::Io { .. })), "{failed:?}");
    assert_eq!(home.files(), [name]);
    assert!(home.dir.names().unwrap().is_empty());
}

#[test]
fn a_directory_that_is_gone_is_an_error() {
    let home = Home::new();
    let writer = home.dir.create(&about("school", "7b"), 120).unwrap();
    fs::remove_dir_all(home.dir.root()).unwrap();
    assert!(writer.finish().is_err());
    assert!(home.dir.create(&about("school", "7b"), 120).is_err());
    assert!(home.dir.retain(jiff::Timestamp::MAX).is_err());
    assert!(!home.dir.root().exists());
}
