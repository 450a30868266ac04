//! `turnwise backup`, `restore` and `verify`: what is no backup, and what is none of theirs.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Command,
};

use turnwise::{
    backup::{BackupArgs, RestoreArgs, back_up, restore},
    verify::{self, VerifyArgs},
};
use turnwise_kit::settings::SecretFiles;
use turnwise_retrieval_store::Store;
use turnwise_testing::{make_pipe, tree};

async fn backed_up(from: &Path, to: &Path) -> anyhow::Result<String> {
    let args = BackupArgs {
        data_dir: Some(from.to_owned()),
        to: to.to_owned(),
    };
    let mut out = Vec::new();
    back_up(args, &mut out).await?;
    Ok(String::from_utf8(out).unwrap())
}

async fn restored(from: &Path, to: &Path) -> anyhow::Result<String> {
    let args = RestoreArgs {
        from: from.to_owned(),
        data_dir: Some(to.to_owned()),
    };
    let mut out = Vec::new();
    restore(args, &mut out).await?;
    Ok(String::from_utf8(out).unwrap())
}

async fn verified(folder: &Path) -> (bool, String) {
    looked_at(folder).await.unwrap()
}

async fn looked_at(folder: &Path) -> anyhow::Result<(bool, String)> {
    let args = VerifyArgs {
        folder: Some(folder.to_owned()),
        redis: None,
        redis_password_file: None,
        redis_ca_file: None,
        secret_files: SecretFiles::default(),
        json: false,
    };
    let mut out = Vec::new();
    let code = verify::run(args, &mut out).await?;
    let ok = code == std::process::ExitCode::SUCCESS;
    Ok((ok, String::from_utf8(out).unwrap()))
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
    // Byte for byte: they were looked into, which writes into a file, and are what the list says.
    let mut checks = Command::new("sha256sum");
    checks.arg("--check").arg(to.join("SHA256SUMS"));
    assert!(checks.current_dir(&there).status().unwrap().success());
    let mut names: Vec<_> = fs::read_dir(&there)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["packs", "retrieval.redb"]);
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
    let cut: Vec<_> = listed.lines().take(2).collect();
    fs::write(to.join("SHA256SUMS"), cut.join("\n")).unwrap();
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
async fn a_file_that_was_lost_together_with_its_line_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to, there] = ["from", "to", "there"].map(|name| folder.path().join(name));
    directory(&from);
    backed_up(&from, &to).await.unwrap();
    let list = to.join("SHA256SUMS");
    let mut checks = Command::new("sha256sum");
    checks.args(["--check", "SHA256SUMS"]).current_dir(&to);
    assert!(checks.status().unwrap().success());
    let listed = fs::read_to_string(&list).unwrap();
    fs::remove_dir_all(to.join("packs")).unwrap();
    let kept: Vec<_> = listed.lines().filter(|l| !l.contains("packs/")).collect();
    fs::write(&list, kept.join("\n")).unwrap();
    let noticed = "it names 1 files, and there were 2";
    let said = restored(&to, &there).await.unwrap_err().to_string();
    assert!(said.contains(noticed) && !there.exists(), "{said}");
    let (ok, said) = verified(&to).await;
    assert!(!ok && said.contains(noticed), "{said}");
    // The list of an earlier version cannot tell, and says so.
    fs::write(&list, kept[1..].join("\n")).unwrap();
    let (ok, said) = verified(&to).await;
    assert!(
        ok && said.contains("NOTE SHA256SUMS: it does not say"),
        "{said}"
    );
    let said = restored(&to, &there).await.unwrap();
    assert!(said.contains("NOTE SHA256SUMS: it does not say"), "{said}");
    fs::write(&list, "# files: many\n").unwrap();
    let said = restored(&to, &folder.path().join("elsewhere")).await;
    assert!(
        said.unwrap_err()
            .to_string()
            .contains("`many` is no number")
    );
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
    for (name, problem) in [
        ("retrieval.redb", "neither a file nor a folder"),
        ("SHA256SUMS", "SHA256SUMS is no plain file"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let [from, to, there] = ["from", "to", "there"].map(|name| folder.path().join(name));
        directory(&from);
        backed_up(&from, &to).await.unwrap();
        let file = to.join(name);
        fs::remove_file(&file).unwrap();
        make_pipe(&file);
        let said = restored(&to, &there).await.unwrap_err().to_string();
        assert!(said.contains(problem), "{said}");
        let said = looked_at(&to).await.unwrap_err().to_string();
        assert!(said.contains(problem), "{said}");
    }
}

#[tokio::test]
async fn what_is_looked_through_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("there");
    directory(&root);
    let store = root.join("retrieval.redb");
    // As after a restore.
    fs::remove_file(root.join("retrieval.redb.lock")).unwrap();
    let before = tree(&root).unwrap();
    assert!(verified(&root).await.0);
    assert!(tree(&root).unwrap() == before, "a file changed or is new");
    // As after a service, which has left its lock; one that still runs is left alone.
    let served = Store::open(&store).unwrap();
    let said = format!("{:#}", looked_at(&root).await.unwrap_err());
    assert!(said.contains("is in use by another process"), "{said}");
    drop(served);
    fs::write(root.join("session.redb"), "no store").unwrap();
    let before = tree(&root).unwrap();
    let said = format!("{:#}", looked_at(&root).await.unwrap_err());
    assert!(said.contains("cannot look through"), "{said}");
    assert!(said.contains("there/session.redb"), "{said}");
    assert!(tree(&root).unwrap() == before, "a file changed or is new");
}

/// What Compose mounts is readable to all, and its containers say that this is meant.
#[tokio::test]
async fn a_password_that_everybody_may_read_is_refused_unless_that_is_meant() {
    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    fs::write(&password, "secret").unwrap();
    fs::set_permissions(&password, Permissions::from_mode(0o644)).unwrap();
    let says = async |secret_files_world_readable| {
        let args = VerifyArgs {
            folder: None,
            // Read after the password, and never called.
            redis: Some("no://redis".to_owned()),
            redis_password_file: Some(password.clone()),
            redis_ca_file: None,
            secret_files: SecretFiles {
                secret_files_world_readable,
            },
            json: false,
        };
        let failed = verify::run(args, &mut Vec::new()).await.unwrap_err();
        format!("{failed:#}")
    };
    let said = says(false).await;
    assert!(said.contains("SECRET_FILES_WORLD_READABLE=1"), "{said}");
    let said = says(true).await;
    assert!(
        said.contains("the address of Redis cannot be read"),
        "{said}"
    );
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
