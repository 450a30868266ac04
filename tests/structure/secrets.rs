//! The secrets of Compose: made where they are missing, kept where they are good, and refused where they are not.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

use tempfile::TempDir;
use turnwise_tests::process::repository;

const NAMES: [&str; 7] = [
    "drill-token-keys",
    "internal-token",
    "redis-limits-password",
    "redis-llm-password",
    "redis-password",
    "redis-session-password",
    "scope-token-keys",
];

/// A folder with the script, which makes `secrets` beside itself.
fn deploy() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let script = repository().join("deploy/make-secrets");
    fs::copy(script, folder.path().join("make-secrets")).unwrap();
    folder
}

fn make(folder: &TempDir) -> Output {
    let script = folder.path().join("make-secrets");
    Command::new("bash").arg(script).output().unwrap()
}

fn secrets(folder: &TempDir) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder.path().join("secrets")).unwrap();
    let mut secrets: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(path).unwrap())
        })
        .collect();
    secrets.sort();
    secrets
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Insists that it makes nothing, and says why.
fn check_refused(folder: &TempDir, why: &str) {
    let output = make(folder);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{why}");
    assert!(said.contains(why), "{said}");
    assert!(output.stdout.is_empty(), "nothing is made");
}

#[test]
fn missing_secrets_are_made_and_others_kept() {
    let folder = deploy();
    assert!(make(&folder).status.success());
    let made = secrets(&folder);
    assert_eq!(made.iter().map(|(name, _)| name).collect::<Vec<_>>(), NAMES);
    assert!(made.iter().all(|(_, secret)| secret.len() >= 64));
    let path = folder.path().join("secrets");
    assert_eq!(mode(&path), 0o700);
    assert_eq!(mode(&path.join("internal-token")), 0o644);

    fs::remove_file(path.join("redis-password")).unwrap();
    assert!(make(&folder).status.success());
    let again = secrets(&folder);
    for ((name, before), (_, now)) in made.iter().zip(&again) {
        assert_eq!(before == now, name != "redis-password", "{name}");
    }
}

#[test]
fn secrets_that_are_none_stop_the_start() {
    let folder = deploy();
    assert!(make(&folder).status.success());
    let path = folder.path().join("secrets");
    let internal = path.join("internal-token");

    fs::remove_file(&internal).unwrap();
    fs::write(&internal, "").unwrap();
    // One is missing, too: it is not made beside one that is wrong.
    fs::remove_file(path.join("scope-token-keys")).unwrap();
    check_refused(
        &folder,
        "internal-token is empty. Put it back from a backup",
    );

    fs::remove_file(&internal).unwrap();
    fs::create_dir(&internal).unwrap();
    check_refused(&folder, "internal-token is no file");

    fs::remove_dir(&internal).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    check_refused(&folder, "open to other users of this machine (mode 755)");

    fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
    assert!(make(&folder).status.success());
    assert_eq!(secrets(&folder).len(), NAMES.len());
}
