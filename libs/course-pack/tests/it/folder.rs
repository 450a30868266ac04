//! The folder itself: what belongs in it, symlinks, the hash, and folders of packs.

use std::fs;
use std::path::Path;

use crate::fixture::{COURSE, bad, good, list, one, pack, write};
use turnwise_course_pack::{load, load_all};

#[test]
fn what_does_not_belong_is_named() {
    for (name, blamed, says) in [
        ("exam/a.yaml", "exam", "no folder `exam`"),
        ("course.yml", "course.yml", "no file `course.yml`"),
        ("units/20.yml", "units/20.yml", ".yaml files only"),
        ("units/deep/20.yaml", "units/deep", "no folders inside"),
        (
            "content/picture.png",
            "content/picture.png",
            ".md files only",
        ),
    ] {
        let dir = pack();
        write(dir.path(), name, "x");
        one(dir.path(), blamed, None, says);
    }
    let dir = pack();
    fs::remove_dir_all(dir.path().join("references")).unwrap();
    write(dir.path(), "references", "x");
    assert!(
        bad(dir.path())
            .iter()
            .any(|f| f.message.contains("is a file, but the format has a folder"))
    );
}

#[test]
fn hidden_files_backups_and_readmes_are_nobodys_business() {
    let dir = pack();
    let hash = good(dir.path()).hash;
    for name in [
        ".git/config",
        "units/.swap",
        "units/10-all.yaml~",
        "README.md",
        "LICENSE",
    ] {
        write(dir.path(), name, "x");
    }
    assert_eq!(good(dir.path()).hash, hash);
}

#[test]
fn a_folder_that_is_not_there() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing");
    assert!(
        load(&missing).unwrap_err()[0]
            .message
            .contains("cannot be read")
    );
    assert!(
        load_all(&missing)
            .unwrap_err()
            .message
            .contains("cannot be read")
    );
    write(dir.path(), "file", "x");
    assert!(
        load(&dir.path().join("file")).unwrap_err()[0]
            .message
            .contains("not a folder")
    );
}

#[test]
fn the_hash_is_over_names_and_bytes() {
    let first = good(pack().path()).hash;
    assert_eq!(first.len(), 64);
    assert_eq!(first, good(pack().path()).hash);

    let changed = pack();
    write(changed.path(), "references/sums.md", "2 + 2 is 4. \n");
    assert_ne!(first, good(changed.path()).hash, "one byte more");

    let renamed = pack();
    fs::rename(
        renamed.path().join("units/10-all.yaml"),
        renamed.path().join("units/11-all.yaml"),
    )
    .unwrap();
    assert_ne!(first, good(renamed.path()).hash, "another name");
}

#[cfg(unix)]
#[test]
fn symlinks_stay_inside() {
    use std::os::unix::fs::symlink;

    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "secret.md", "x");
    for name in ["content/out.md", "references/out.md"] {
        let dir = pack();
        symlink(outside.path().join("secret.md"), dir.path().join(name)).unwrap();
        one(dir.path(), name, None, "leads out of the pack");
    }
    let dir = pack();
    symlink(outside.path(), dir.path().join("content/out")).unwrap();
    one(dir.path(), "content/out", None, "leads out of the pack");

    let dir = pack();
    symlink("nowhere", dir.path().join("content/gone.md")).unwrap();
    one(dir.path(), "content/gone.md", None, "cannot be read");

    let dir = pack();
    symlink(".", dir.path().join("content/again")).unwrap();
    one(
        dir.path(),
        "content/again",
        None,
        "twice, through a symlink",
    );

    let dir = pack();
    symlink("sums.md", dir.path().join("references/plus.md")).unwrap();
    assert_eq!(
        good(dir.path()).references.len(),
        2,
        "a symlink inside the pack is fine"
    );

    let link = outside.path().join("link");
    symlink(dir.path(), &link).unwrap();
    assert_eq!(
        good(&link).hash,
        good(dir.path()).hash,
        "the pack itself may be a symlink"
    );
}

fn copy(from: &Path, to: &Path) {
    for name in [
        "course.yaml",
        "units/10-all.yaml",
        "exams/10-all.yaml",
        "content/a.md",
        "support/A-B1.md",
        "references/sums.md",
    ] {
        write(to, name, fs::read(from.join(name)).unwrap());
    }
}

#[test]
fn a_folder_of_packs() {
    let source = pack();
    let root = tempfile::tempdir().unwrap();
    for name in ["b-second", "a-first", ".hidden", "c-broken"] {
        copy(source.path(), &root.path().join(name));
    }
    write(
        root.path(),
        "b-second/course.yaml",
        COURSE.replace("tiny", "other"),
    );
    write(
        root.path(),
        "c-broken/course.yaml",
        COURSE.replace("format: 1", "format: 3"),
    );
    write(root.path(), "notes/readme.txt", "no pack");

    let packs = load_all(root.path()).unwrap();
    let names: Vec<_> = packs
        .iter()
        .map(|(dir, _)| dir.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names, ["a-first", "b-second", "c-broken"]);
    assert_eq!(
        packs.iter().map(|(_, r)| r.is_ok()).collect::<Vec<_>>(),
        [true, true, false]
    );

    assert_eq!(
        load_all(&root.path().join("a-first")).unwrap().len(),
        1,
        "a pack is its own list"
    );

    write(root.path(), "b-second/course.yaml", COURSE);
    let packs = load_all(root.path()).unwrap();
    let faults = packs[1].1.as_ref().unwrap_err();
    assert!(
        faults[0].message.contains("the course `tiny` is also in"),
        "{}",
        list(faults)
    );
    assert!(!faults[0].remedy.is_empty());

    assert!(
        load_all(tempfile::tempdir().unwrap().path())
            .unwrap()
            .is_empty()
    );
}
