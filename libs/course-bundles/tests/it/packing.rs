//! Packing is the same for the same files.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use turnwise_course_bundles::pack;

use crate::fixture::write_course;

#[test]
fn the_same_files_become_the_same_bytes() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_course(one.path(), "Title");
    fs::write(two.path().join("README"), "Not the course's.").unwrap();
    write_course(two.path(), "Title");
    let file = two.path().join("course.yaml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    File::open(&file).unwrap().set_modified(old).unwrap();
    for compressed in [false, true] {
        let (one, two) = (
            pack(one.path(), compressed, None).unwrap(),
            pack(two.path(), compressed, None).unwrap(),
        );
        assert_eq!((&one.bytes, &one.digest), (&two.bytes, &two.digest));
    }
    write_course(two.path(), "Another");
    let changed = pack(two.path(), false, None).unwrap();
    assert_ne!(changed.bytes, pack(one.path(), false, None).unwrap().bytes);
}

#[test]
fn a_bundle_says_what_it_is_and_nothing_of_its_maker() {
    let dir = tempfile::tempdir().unwrap();
    write_course(dir.path(), "Title");
    let bundle = pack(dir.path(), false, None).unwrap();
    let mut tar = tar::Archive::new(bundle.bytes.as_slice());
    let mut names = Vec::new();
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        let header = entry.header();
        assert_eq!(
            (
                header.mtime().unwrap(),
                header.uid().unwrap(),
                header.mode().unwrap()
            ),
            (0, 0, 0o644)
        );
        names.push(entry.path().unwrap().display().to_string());
        if names.len() == 1 {
            let mut said = String::new();
            entry.read_to_string(&mut said).unwrap();
            let hash = &bundle.pack.hash;
            assert_eq!(
                said,
                format!(r#"{{"format":1,"course_id":"tiny","pack_hash":"{hash}"}}"#)
            );
        }
    }
    assert_eq!(names, [".bundle.json", "course.yaml", "units/10.yaml"]);
}

#[test]
fn a_pack_with_faults_is_not_packed() {
    let dir = tempfile::tempdir().unwrap();
    write_course(dir.path(), "Title");
    fs::write(dir.path().join("units/10.yaml"), "units: [").unwrap();
    let faults = pack(dir.path(), true, None).unwrap_err();
    assert!(faults[0].file.ends_with("units/10.yaml"), "{faults:?}");
}
