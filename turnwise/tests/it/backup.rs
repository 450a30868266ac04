//! `turnwise backup`, `restore` and `verify`: what is no backup, and what is none of theirs.

use std::{fs, path::Path, process::Command};

use turnwise::{
    backup::{BackupArgs, RestoreArgs, back_up, restore},
    verify::{self, VerifyArgs},
};
use turnwise_retrieval_store::Store;

async fn backed_up(from: &Path, to: &Path) -> anyhow::Result<String> {
    let args = BackupArgs {
        data_dir: Some(from.to_owned()),
        to: to.to_owned(),
    };
    let mut out = Vec::new();
    back_up(args, &mut out).await?;
    Ok(String::from_utf8(out).unwrap())
}

async fn restored(from: &Path, to: &Path) -> anyhow::Result<()> {
    let args = RestoreArgs {
        from: from.to_owned(),
        data_dir: Some(to.to_owned()),
    };
    restore(args, &mut Vec::new()).await.map(drop)
}

async fn verified(folder: &Path) -> (bool, String) {
    let args = VerifyArgs {
        folder: Some(folder.to_owned()),
        redis: None,
        redis_password_file: None,
        redis_ca_file: None,
        json: false,
    };
    let mut out = Vec::new();
    let code = verify::run(args, &mut out).await.unwrap();
    (
        code == std::process::ExitCode::SUCCESS,
        String::from_utf8(out).unwrap(),
    )
}

/// A directory with a file of uploads, and files beside it.
fn directory(root: &Path) {
    drop(Store::open(&root.join("retrieval.redb")).unwrap());
    fs::create_dir_all(root.join("packs/algebra.00")).unwrap();
    fs::write(root.join("packs/algebra.00/course.yaml"), "format: 1\n").unwrap();
    fs::write(root.join("retrieval.redb.cache.part"), "half").unwrap();
}

#[tokio::test]
async fn a_directory_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to, there] = ["from", "to", "there"].map(|name| folder.path().join(name));
    directory(&from);
    let said = backed_up(&from, &to).await.unwrap();
    assert!(said.contains("backed up 2 files"), "{said}");
    assert!(verified(&to).await.0);
    // Nothing but what is listed: no locks, no caches.
    let mut names: Vec<_> = fs::read_dir(&to)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["SHA256SUMS", "packs", "retrieval.redb"]);
    restored(&to, &there).await.unwrap();
    let course = fs::read_to_string(there.join("packs/algebra.00/course.yaml")).unwrap();
    assert_eq!(course, "format: 1\n");
    let (ok, said) = verified(&there).await;
    assert!(ok && said.contains("uploads"), "{said}");
}

#[tokio::test]
async fn a_backup_of_which_a_part_is_not_listed_is_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to, there] = ["from", "to", "there"].map(|name| folder.path().join(name));
    directory(&from);
    // A slash at the end changes nothing.
    backed_up(&from, &to.join("")).await.unwrap();
    let listed = fs::read_to_string(to.join("SHA256SUMS")).unwrap();
    let cut: Vec<_> = listed.lines().take(1).collect();
    fs::write(to.join("SHA256SUMS"), format!("{}\n", cut[0])).unwrap();
    let said = restored(&to, &there).await.unwrap_err().to_string();
    assert!(said.contains("retrieval.redb: it is not in"), "{said}");
    assert!(!there.exists());
    // What a restore left that was ended in the middle is in nobody's way.
    fs::write(to.join("SHA256SUMS"), listed).unwrap();
    fs::create_dir_all(there.join(".restore")).unwrap();
    fs::write(there.join(".restore/half"), "").unwrap();
    restored(&to, &there).await.unwrap();
    assert!(!there.join(".restore").exists());
}

#[tokio::test]
async fn nothing_stays_of_a_backup_that_was_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
    directory(&from);
    fs::write(from.join("session.redb"), "no such file").unwrap();
    backed_up(&from, &to).await.unwrap_err();
    let left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["from"]);
    for inside in ["copy", "no folder/copy"] {
        let said = backed_up(&from, &from.join(inside)).await.unwrap_err();
        assert!(said.to_string().contains("outside of it"), "{said}");
    }
}

#[tokio::test]
async fn a_directory_that_was_copied_from_a_backup_can_be_backed_up() {
    let folder = tempfile::tempdir().unwrap();
    let [from, first, to, there] =
        ["from", "first", "to", "there"].map(|name| folder.path().join(name));
    directory(&from);
    backed_up(&from, &first).await.unwrap();
    // The list of the backup that it was copied from is none of its own.
    fs::copy(first.join("SHA256SUMS"), from.join("SHA256SUMS")).unwrap();
    backed_up(&from, &to).await.unwrap();
    restored(&to, &there).await.unwrap();
    // Nothing is restored into the backup itself, which would spoil it.
    let said = restored(&to, &to.join("inner")).await.unwrap_err();
    assert!(said.to_string().contains("outside of it"), "{said}");
    assert!(verified(&to).await.0);
}

#[tokio::test]
async fn a_pipe_in_a_backup_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to, there] = ["from", "to", "there"].map(|name| folder.path().join(name));
    directory(&from);
    backed_up(&from, &to).await.unwrap();
    let store = to.join("retrieval.redb");
    fs::remove_file(&store).unwrap();
    let made = Command::new("mkfifo").arg(&store).status().unwrap();
    assert!(made.success());
    let said = restored(&to, &there).await.unwrap_err().to_string();
    assert!(said.contains("neither a file nor a folder"), "{said}");
}

#[tokio::test]
async fn what_is_added_changed_or_gone_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
    directory(&from);
    backed_up(&from, &to).await.unwrap();
    fs::write(to.join("added"), "").unwrap();
    fs::remove_file(to.join("packs/algebra.00/course.yaml")).unwrap();
    let (ok, said) = verified(&to).await;
    assert!(!ok);
    assert!(
        said.contains("WRONG added: it is not in SHA256SUMS"),
        "{said}"
    );
    assert!(said.contains("course.yaml"), "{said}");
}

#[tokio::test]
async fn what_is_no_backup_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to, there] = ["from", "to", "there"].map(|name| folder.path().join(name));
    fs::create_dir(&from).unwrap();
    let said = backed_up(&from, &to).await.unwrap_err().to_string();
    assert!(said.contains("has no embedded files"), "{said}");
    let said = restored(&from, &there).await.unwrap_err().to_string();
    assert!(said.contains("is no backup"), "{said}");
    // Whoever made it: nothing outside of the folder is read.
    fs::write(folder.path().join("secret"), "").unwrap();
    let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    fs::write(from.join("SHA256SUMS"), format!("{hash}  ../secret\n")).unwrap();
    let said = restored(&from, &there).await.unwrap_err().to_string();
    assert!(said.contains("is no file of the folder"), "{said}");
    // Something that stands for a file elsewhere would be missing.
    let linked = folder.path().join("linked");
    directory(&linked);
    std::os::unix::fs::symlink(folder.path().join("secret"), linked.join("keys")).unwrap();
    let said = backed_up(&linked, &to).await.unwrap_err().to_string();
    assert!(said.contains("neither a file nor a folder"), "{said}");
    assert!(!to.exists());
}
