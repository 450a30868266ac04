//! Nothing outside of the directory is read, changed or deleted, whatever names and links there are.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
};

use jiff::Timestamp;
use proptest::prelude::*;
use tempfile::TempDir;
use turnwise_session_archive::{About, ArchiveDir, ArchiveError, verify_dir, verify_file};

use crate::support::{Home, about, record};

#[test]
fn a_directory_open_to_others_is_made_private() {
    let temp = TempDir::new().unwrap();
    let root = temp.path().join("archives");
    ArchiveDir::open(&root).unwrap();
    for mode in [0o755, 0o770, 0o500] {
        fs::set_permissions(&root, Permissions::from_mode(mode)).unwrap();
        let dir = ArchiveDir::open(&root).unwrap();
        let found = fs::metadata(dir.root()).unwrap().permissions().mode();
        assert_eq!(found & 0o777, 0o700);
    }
}

#[test]
fn somebody_elses_directory_is_left_as_it_is() {
    let temp = TempDir::new().unwrap();
    let root = temp.path().join("shared");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("notes"), "").unwrap();
    fs::set_permissions(&root, Permissions::from_mode(0o755)).unwrap();
    let error = ArchiveDir::open(&root).unwrap_err();
    assert!(
        matches!(error, ArchiveError::OpenToOthers { .. }),
        "{error}"
    );
    let found = fs::metadata(&root).unwrap().permissions().mode();
    assert_eq!(found & 0o777, 0o755);
    fs::set_permissions(&root, Permissions::from_mode(0o700)).unwrap();
    ArchiveDir::open(&root).unwrap();
}

#[test]
fn a_file_is_no_directory() {
    let temp = TempDir::new().unwrap();
    let file = temp.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(ArchiveDir::open(&file).is_err());
    assert!(matches!(
        verify_dir(&file),
        Err(ArchiveError::NotADirectory { .. })
    ));
    assert!(matches!(
        verify_file(temp.path()),
        Err(ArchiveError::NotInside { .. })
    ));
}

#[test]
fn the_root_is_canonical() {
    let temp = TempDir::new().unwrap();
    let real = temp.path().join("real");
    fs::create_dir(&real).unwrap();
    symlink(&real, temp.path().join("link")).unwrap();
    let dir = ArchiveDir::open(&temp.path().join("link/../link/archives")).unwrap();
    assert_eq!(dir.root(), real.canonicalize().unwrap().join("archives"));
}

#[test]
fn links_are_refused() {
    let home = Home::new();
    let outside = TempDir::new().unwrap();
    let name = home
        .write(&about("school", "7b"), &[record("s1", "t1")])
        .name;
    let target = outside.path().join("target.jsonl");
    fs::rename(home.path(&name), &target).unwrap();
    symlink(&target, home.path(&name)).unwrap();
    let partial = format!("{name}.partial");
    symlink(&target, home.path(&partial)).unwrap();
    let before = fs::read(&target).unwrap();

    assert!(matches!(
        home.dir.verify(&name),
        Err(ArchiveError::NotInside { .. })
    ));
    assert!(matches!(
        verify_file(&home.path(&name)),
        Err(ArchiveError::NotInside { .. })
    ));
    let report = verify_dir(home.dir.root()).unwrap();
    assert!(report.archives.iter().all(|(_, found)| found.is_err()));
    assert_eq!(report.archives.len(), 2);
    let error = home.dir.erase_student("school", "s1").unwrap_err();
    assert!(
        matches!(error, ArchiveError::Damaged { erased: 0, .. }),
        "{error}"
    );
    let done = home.dir.retain(Timestamp::MAX).unwrap();
    assert_eq!(done.refused, [name.clone(), partial.clone()]);
    assert!(done.deleted.is_empty());
    assert_eq!(home.files(), [name, partial]);
    assert_eq!(fs::read(&target).unwrap(), before);
}

#[test]
fn a_root_that_becomes_a_link_is_refused() {
    let home = Home::new();
    let name = home
        .write(&about("school", "7b"), &[record("s1", "t1")])
        .name;
    let moved = home.temp.path().join("moved");
    fs::rename(home.dir.root(), &moved).unwrap();
    symlink(&moved, home.dir.root()).unwrap();
    assert!(matches!(
        home.dir.verify(&name),
        Err(ArchiveError::NotInside { .. })
    ));
    assert!(home.dir.retain(Timestamp::MAX).is_err());
    assert!(moved.join(name).exists());
}

#[test]
fn a_lock_that_is_a_link_is_refused() {
    let home = Home::new();
    let outside = home.temp.path().join("outside");
    symlink(&outside, home.path(".lock")).unwrap();
    let error = home.dir.create(&about("school", "7b"), 120).unwrap_err();
    assert!(matches!(error, ArchiveError::NotInside { .. }), "{error}");
    assert!(!outside.exists());
}

#[test]
fn a_pipe_is_not_waited_for() {
    let home = Home::new();
    let name = home.write(&about("school", "7b"), &[]).name;
    fs::remove_file(home.path(&name)).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(home.path(&name))
        .status()
        .unwrap();
    assert!(made.success());
    assert!(matches!(
        home.dir.verify(&name),
        Err(ArchiveError::NotInside { .. })
    ));
    assert!(matches!(
        verify_file(&home.path(&name)),
        Err(ArchiveError::NotInside { .. })
    ));
}

/// Names that try to lead elsewhere, and some that are only odd.
fn nasty() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just("/".to_owned()),
        Just("/etc/passwd".to_owned()),
        Just("link/".to_owned()),
        Just("\0".to_owned()),
        Just("\n".to_owned()),
        Just("%2e%2e%2f".to_owned()),
        Just("20261122T061000Z-".to_owned()),
        Just("-00000000-0000-4000-8000-000000000000.jsonl".to_owned()),
        Just("7b".to_owned()),
        "[A-Za-z0-9._~@-]{1,140}",
        "\\PC{0,6}",
    ];
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_class_leads_out_of_the_directory(class_id in nasty()) {
        let home = Home::new();
        symlink(home.temp.path(), home.path("link")).unwrap();
        let allowed = (1..=128).contains(&class_id.len())
            && class_id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._~@-".contains(&b));
        let about = About { class_id: class_id.clone(), ..about("school", "") };
        match home.dir.create(&about, 120) {
            Ok(writer) => {
                prop_assert!(allowed, "{:?}", class_id);
                let name = writer.finish().unwrap().name;
                prop_assert!(home.dir.verify(&name).unwrap().is_intact());
                prop_assert_eq!(home.dir.names().unwrap(), [name.clone()]);
                prop_assert_eq!(home.files(), [name, "link".to_owned()]);
            }
            Err(error) => {
                prop_assert!(!allowed, "{:?}: {}", class_id, error);
                prop_assert_eq!(home.files(), ["link"]);
            }
        }
        let above: Vec<_> = fs::read_dir(home.temp.path()).unwrap().collect();
        prop_assert_eq!(above.len(), 1);
    }

    #[test]
    fn no_name_leads_out_of_the_directory(name in nasty()) {
        let home = Home::new();
        let outside = home.write(&about("school", "7b"), &[]).name;
        fs::rename(home.path(&outside), home.temp.path().join(&outside)).unwrap();
        symlink(home.temp.path(), home.path("link")).unwrap();
        for name in [name.clone(), format!("{name}{outside}"), format!("link/{outside}"), format!("../{outside}")] {
            prop_assert!(home.dir.verify(&name).is_err(), "{:?}", name);
        }
    }
}
