//! Files that are opened, in use, cut off, of somebody else, of another version or not to be made.

use std::{error::Error, fs, os::unix::fs::PermissionsExt, path::Path};

use redb::{Database, ReadableDatabase, TableDefinition};
use turnwise_retrieval_index::{Cache, Sources};
use turnwise_retrieval_store::{OpenError, Store};

use crate::bench::{assert_serves, key, model, open, upload, vectors};

/// Opens a file that is refused.
fn refusal(path: &Path) -> OpenError {
    let error = Store::open(path).expect_err("this file is refused");
    assert!(
        error.to_string().contains(path.to_str().unwrap()),
        "{error}"
    );
    error
}

fn assert_damaged(path: &Path) {
    let error = refusal(path);
    assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
    let told = error.to_string();
    assert!(told.contains("restore it from a backup"), "{told}");
    assert!(told.contains("upload the sources again"), "{told}");
}

#[tokio::test]
async fn what_was_uploaded_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    upload(&open(folder.path()), &key("a"), "1", 10).await;
    let store = open(folder.path());
    assert_serves(&store, &key("a"), "1", 10).await;
    assert_eq!(store.remove(&key("a")).await, Ok(true));
    drop(store);
    assert_eq!(open(folder.path()).courses().await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_store_in_memory_keeps_everything_while_it_lives() {
    let store = Store::in_memory().unwrap();
    upload(&store, &key("a"), "1", 10).await;
    assert_serves(&store, &key("a"), "1", 10).await;
    let model = model("m", 4);
    store.keep_vectors(&model, &vectors(&model, 0..10));
    assert!(store.vectors(&model, &[vectors(&model, 3..4)[0].0])[0].is_some());
}

#[test]
fn a_store_in_use_is_not_opened_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/sources.redb");
    let store = Store::open(&path).unwrap();
    let error = refusal(&path);
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    assert!(error.to_string().contains("stop that process"), "{error}");
    drop(store);
    Store::open(&path).unwrap();
}

#[test]
fn files_and_folder_are_for_this_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("folder");
    let store = open(&inner);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&inner), 0o700);
    let files: Vec<_> = fs::read_dir(&inner)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{file:?}");
    }
    drop(store);
}

#[test]
fn a_place_where_nothing_can_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    // Nobody can make a file in a file, not even root.
    let error = refusal(&file.join("sources.redb"));
    assert!(matches!(error, OpenError::Create { .. }), "{error:?}");
    assert!(error.source().is_some());
}

#[tokio::test]
async fn a_file_that_is_cut_off_is_refused_unless_nothing_of_it_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sources.redb");
    upload(&open(folder.path()), &key("a"), "1", 2000).await;
    let whole = fs::read(&path).unwrap();
    for length in [0, 1, 100, 4096, 4097, whole.len() / 2] {
        fs::write(&path, &whole[..length]).unwrap();
        assert_damaged(&path);
        assert_eq!(fs::read(&path).unwrap(), whole[..length]);
    }
    for length in (whole.len() / 2..whole.len())
        .step_by(4096)
        .map(|length| length + 4095)
    {
        let length = length.min(whole.len() - 1);
        fs::write(&path, &whole[..length]).unwrap();
        match Store::open(&path) {
            Ok(store) => assert_serves(&store, &key("a"), "1", 2000).await,
            Err(OpenError::Damaged { .. }) => (),
            Err(error) => panic!("{length}: {error:?}"),
        }
    }
    fs::write(&path, &whole).unwrap();
    assert_serves(&open(folder.path()), &key("a"), "1", 2000).await;
}

#[test]
fn a_file_of_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sources.redb");
    fs::write(&path, "these are no sources").unwrap();
    assert_damaged(&path);
    assert_eq!(fs::read(&path).unwrap(), b"these are no sources");
    fs::remove_file(&path).unwrap();
    let other: TableDefinition<'_, &str, u64> = TableDefinition::new("something else");
    let database = Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(other).unwrap();
    transaction.commit().unwrap();
    drop(database);
    assert_damaged(&path);
    let database = Database::open(&path).unwrap();
    database.begin_read().unwrap().open_table(other).unwrap();
    drop(database);
    // What it keeps of vectors is no store of sources, either.
    fs::remove_file(&path).unwrap();
    drop(open(folder.path()));
    fs::copy(folder.path().join("sources.redb.cache"), &path).unwrap();
    assert_damaged(&path);
}

/// Writes another format into a file.
fn set_format(path: &Path, purpose: &str, format: u64) {
    // One of the two that the tests use.
    let other = 3 - format;
    let table: TableDefinition<'_, &[u8], u64> = TableDefinition::new("format");
    let database = Database::open(path).unwrap();
    let transaction = database.begin_write().unwrap();
    let before = transaction
        .open_table(table)
        .unwrap()
        .insert(purpose.as_bytes(), format)
        .unwrap()
        .map(|before| before.value());
    assert_eq!(before, Some(other));
    transaction.commit().unwrap();
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sources.redb");
    upload(&open(folder.path()), &key("a"), "1", 3).await;
    set_format(&path, "retrieval sources", 2);
    let error = refusal(&path);
    assert!(
        matches!(
            error,
            OpenError::Newer {
                found: 2,
                known: 1,
                ..
            }
        ),
        "{error:?}"
    );
    set_format(&path, "retrieval sources", 1);
    assert_serves(&open(folder.path()), &key("a"), "1", 3).await;
}

#[tokio::test]
async fn a_cache_that_cannot_be_read_is_made_anew_and_sources_stay() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("sources.redb.cache");
    upload(&open(folder.path()), &key("a"), "1", 3).await;
    let whole = fs::read(&cache).unwrap();
    let damage: [&dyn Fn(); 5] = [
        &|| fs::remove_file(&cache).unwrap(),
        &|| fs::write(&cache, "").unwrap(),
        &|| fs::write(&cache, "no cache").unwrap(),
        &|| fs::write(&cache, &whole[..whole.len() / 2]).unwrap(),
        &|| set_format(&cache, "retrieval cache", 2),
    ];
    let model = model("m", 4);
    let kept = vectors(&model, 0..3);
    for damage in damage {
        damage();
        let store = open(folder.path());
        assert_eq!(store.vectors(&model, &[kept[0].0]), [None]);
        store.keep_vectors(&model, &kept);
        drop(store);
        let store = open(folder.path());
        assert_eq!(
            store.vectors(&model, &[kept[2].0]),
            [Some(kept[2].1.clone())]
        );
        assert_serves(&store, &key("a"), "1", 3).await;
    }
}

#[tokio::test]
async fn without_a_cache_everything_else_works() {
    let folder = tempfile::tempdir().unwrap();
    // A folder in its place: it can be neither opened nor removed.
    fs::create_dir(folder.path().join("sources.redb.cache")).unwrap();
    let store = open(folder.path());
    upload(&store, &key("a"), "1", 3).await;
    assert_serves(&store, &key("a"), "1", 3).await;
    let model = model("m", 4);
    store.keep_vectors(&model, &vectors(&model, 0..3));
    assert_eq!(store.vectors(&model, &[vectors(&model, 0..1)[0].0]), [None]);
}

#[test]
fn what_a_broken_off_start_left_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sources.redb.new"), vec![0; 10_000]).unwrap();
    drop(open(folder.path()));
    assert!(!folder.path().join("sources.redb.new").exists());
}
