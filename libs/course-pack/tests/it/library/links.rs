//! Folders that are reached through symbolic links, and files that look like others.

use std::os::unix::fs::symlink;

use super::*;

/// Two packs that differ in a title only, of one size and one time.
fn two_alike(root: &Path, first: &str, second: &str) {
    for (name, title) in [(first, "One"), (second, "Two")] {
        course(&root.join(name), "tiny", title);
    }
    let time = fs::metadata(root.join(first).join("course.yaml")).unwrap();
    let file = fs::File::options()
        .write(true)
        .open(root.join(second).join("course.yaml"))
        .unwrap();
    file.set_modified(time.modified().unwrap()).unwrap();
}

fn flip(to: &str, link: &Path) {
    let fresh = link.with_file_name(".fresh");
    symlink(to, &fresh).unwrap();
    fs::rename(fresh, link).unwrap();
}

#[test]
fn a_volume_that_flips_a_symlink_is_noticed() {
    let root = tempfile::tempdir().unwrap();
    // As a cluster mounts a volume: every name leads through one link, which is replaced.
    two_alike(root.path(), "..one/tiny", "..two/tiny");
    flip("..one", &root.path().join("..data"));
    flip("..data/tiny", &root.path().join("tiny"));
    let served = open(root);
    assert_eq!(served.titles(), ["One"]);
    flip("..two", &served.dir("..data"));
    assert!(served.polls());
    assert_eq!(served.titles(), ["Two"]);
}

#[test]
fn a_root_that_is_a_symlink_is_followed() {
    let home = tempfile::tempdir().unwrap();
    two_alike(home.path(), "v1/tiny", "v2/tiny");
    let link = home.path().join("courses");
    flip("v1", &link);
    let library = Library::open(&link, SETTLED, no_bundle, Timestamp::now, |pack| {
        Ok(pack.course.title)
    })
    .unwrap();
    flip("v2", &link);
    assert!((0..SETTLED).any(|_| library.poll()));
    assert_eq!(*library.catalog().get("tiny").unwrap(), "Two");
}

#[test]
fn a_file_of_the_same_size_and_time_is_another_file() {
    let served = one_course();
    let file = served.dir("tiny").join("course.yaml");
    let time = fs::metadata(&file).unwrap().modified().unwrap();
    course(&served.dir("tiny"), "tiny", "Two");
    let written = fs::File::options().write(true).open(&file).unwrap();
    written.set_modified(time).unwrap();
    assert!(served.polls());
    assert_eq!(served.titles(), ["Two"]);
}
