//! A file system that takes no writes: session-svc does not start, and says where and why.

use std::process::Command;

use turnwise_tests::process::{binary, clean_command};

/// Runs session-svc in a mount namespace of its own, in which `folder` is an empty file system that is read-only.
fn on_read_only(
    folder: &std::path::Path,
    settings: &[(&str, String)],
) -> Option<std::process::Output> {
    let home = tempfile::tempdir().unwrap();
    let token = home.path().join("internal-token");
    turnwise_testing::write_secret(&token, "x".repeat(48)).unwrap();
    let mount = format!("mount -t tmpfs -o ro none '{}'", folder.display());
    let may_mount = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", &mount])
        .output()
        .is_ok_and(|output| output.status.success());
    if !may_mount {
        println!("skipped: this user may not mount a file system");
        return None;
    }
    let service = binary("session-svc");
    let then = format!("{mount} && exec '{}'", service.display());
    let output = clean_command("unshare".as_ref(), home.path())
        .args(["--map-root-user", "--mount", "sh", "-c", &then])
        .env("INTERNAL_TOKEN_FILE", token)
        .env("LISTEN", "127.0.0.1:0")
        .envs(settings.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap();
    Some(output)
}

#[test]
fn a_store_or_an_archive_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let store = |of: &tempfile::TempDir| format!("embedded:{}/session.redb", of.path().display());
    let archives = |of: &tempfile::TempDir| of.path().join("archives").display().to_string();
    for (store, archives, named) in [
        (store(&folder), archives(&other), "session.redb"),
        (
            store(&other),
            archives(&folder),
            "HELPER_CLASS_RESET_ARCHIVE_DIR",
        ),
    ] {
        let settings = [
            ("SESSION_STORE", store),
            ("HELPER_CLASS_RESET_ARCHIVE_DIR", archives),
        ];
        let Some(output) = on_read_only(folder.path(), &settings) else {
            return;
        };
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(named), "{said}");
        assert!(said.contains("Read-only file system"), "{said}");
        assert!(!said.contains("panicked"), "{said}");
    }
}
