//! Bytes that change in the file: what they spoil is told, everything else is served, and nothing wrong ever is.

use std::{fs, path::Path};

use proptest::prelude::*;
use tokio::runtime::Runtime;
use turnwise_retrieval_index::{Cache, Progress, SourceError, Sources};
use turnwise_retrieval_store::Store;
use turnwise_testing::damage::{changes, damaged};

use crate::bench::{
    COURSE, TENANT, assert_serves, chunk, chunks, head, key, model, open, part, state, upload,
    vectors,
};

/// Changes one byte of every place where the file says this.
fn spoil(file: &Path, text: &str) {
    let mut bytes = fs::read(file).unwrap();
    let places: Vec<usize> = bytes
        .windows(text.len())
        .enumerate()
        .filter(|(_, window)| *window == text.as_bytes())
        .map(|(place, _)| place)
        .collect();
    assert!(!places.is_empty(), "{text} is not in the file");
    for place in places {
        bytes[place + text.len() - 1] ^= 0x01;
    }
    fs::write(file, bytes).unwrap();
}

#[tokio::test]
async fn a_damaged_chunk_spoils_its_source_alone_until_it_is_uploaded_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for source in ["a", "b", "c"] {
        upload(&store, &key(source), "1", 20).await;
    }
    drop(store);
    spoil(
        &folder.path().join("sources.redb"),
        &chunk(&key("b"), "1", 7).text,
    );

    let damaged = fs::read(folder.path().join("sources.redb")).unwrap();
    let store = open(folder.path());
    // A new file has taken its place.
    assert_eq!(
        fs::read(folder.path().join("sources.redb.damaged")).unwrap(),
        damaged
    );
    assert_serves(&store, &key("a"), "1", 20).await;
    assert_serves(&store, &key("c"), "1", 20).await;
    assert_eq!(
        store.chunks(&key("b")).await,
        Err(SourceError::Damaged("b".into()))
    );
    let damaged = state(&store, &key("b")).await.unwrap();
    assert!(damaged.damaged);
    assert_eq!(damaged.committed, Some((head("1", 20), 7)));
    assert_eq!(
        store.courses().await,
        Ok(vec![(TENANT.into(), COURSE.into())])
    );
    // The same revision, which is not taken for committed.
    upload(&store, &key("b"), "1", 20).await;
    assert_serves(&store, &key("b"), "1", 20).await;
}

#[tokio::test]
async fn a_damaged_source_can_be_removed() {
    let folder = tempfile::tempdir().unwrap();
    upload(&open(folder.path()), &key("b"), "1", 20).await;
    // In the record of what is committed.
    spoil(&folder.path().join("sources.redb"), &head("1", 20).title);
    let store = open(folder.path());
    let damaged = state(&store, &key("b")).await.unwrap();
    assert!(damaged.damaged && damaged.committed.is_none());
    assert_eq!(
        store.chunks(&key("b")).await,
        Err(SourceError::Damaged("b".into()))
    );
    assert_eq!(store.remove(&key("b")).await, Ok(true));
    assert_eq!(store.list(TENANT, COURSE).await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_damaged_upload_begins_again_and_what_is_committed_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    upload(&store, &key("a"), "1", 5).await;
    let (key, new) = (key("a"), head("2", 5));
    store.begin(&key, &new).await.unwrap();
    store
        .stage(&key, "2", 0, chunks(&key, "2", 0..5))
        .await
        .unwrap();
    drop(store);
    spoil(
        &folder.path().join("sources.redb"),
        &chunk(&key, "2", 3).text,
    );
    let store = open(folder.path());
    assert_eq!(
        store.commit(&key, "2", 8).await,
        Err(SourceError::Damaged("a".into()))
    );
    assert_serves(&store, &key, "1", 5).await;
    assert_eq!(store.begin(&key, &new).await, Ok(Progress::Staged(0)));
    assert_eq!(
        store.stage(&key, "2", 0, chunks(&key, "2", 0..5)).await,
        Ok(5)
    );
    assert_eq!(store.commit(&key, "2", 7).await, Ok(()));
    assert_serves(&store, &key, "2", 5).await;
}

#[tokio::test]
async fn a_source_that_is_missing_from_its_place_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sources.redb");
    let store = open(folder.path());
    for source in ["a", "b"] {
        upload(&store, &key(source), "1", 20).await;
    }
    let (b, new) = (key("b"), head("2", 5));
    store.begin(&b, &new).await.unwrap();
    store
        .stage(&b, "2", 0, chunks(&b, "2", 0..3))
        .await
        .unwrap();
    drop(store);
    let whole = fs::read(&path).unwrap();
    // Keys of committed sources, one after the other, and of a chunk: with the number of its upload, and its own.
    let name = |source: &str| format!("{TENANT}\0{COURSE}\0{source}\0");
    let in_a_row = format!("{}{TENANT}\0{COURSE}\0b", name("a"));
    let of_chunk = format!("{}\0\0\0\0\0\0\0\u{1}", name("a"));
    for damaged in [in_a_row, of_chunk] {
        fs::write(&path, &whole).unwrap();
        spoil(&path, &damaged);
        let spoilt = fs::read(&path).unwrap();
        let error = Store::open(&path).unwrap_err();
        let told = error.to_string();
        assert!(told.contains("is not in its place"), "{told}");
        assert!(fs::read(&path).unwrap() == spoilt, "it stays as it is");
    }
}

#[test]
fn damaged_vectors_and_parts_count_as_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let model = model("m", 8);
    let kept = vectors(&model, 0..3);
    store.keep_vectors(&model, &kept);
    store.keep_part(&part("a", "1"), b"a part of a", &[]);
    store.keep_part(&part("b", "1"), b"a part of b", &[]);
    drop(store);
    let cache = folder.path().join("sources.redb.cache");
    spoil(&cache, "a part of a");
    let mut bytes = fs::read(&cache).unwrap();
    let vector: Vec<u8> = kept[1]
        .1
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    for place in 0..bytes.len() - vector.len() {
        if bytes[place..].starts_with(&vector) {
            bytes[place + 5] ^= 0x10;
        }
    }
    fs::write(&cache, bytes).unwrap();
    let store = open(folder.path());
    let contents: Vec<_> = kept.iter().map(|(content, _)| *content).collect();
    let expected = [Some(kept[0].1.clone()), None, Some(kept[2].1.clone())];
    assert_eq!(store.vectors(&model, &contents), expected);
    assert_eq!(store.part(&part("a", "1")), None);
    assert_eq!(
        store.part(&part("b", "1")).as_deref(),
        Some(&b"a part of b"[..])
    );
    // Kept anew, they are there.
    store.keep_vectors(&model, &kept[1..2]);
    assert_eq!(store.vectors(&model, &contents)[1], Some(kept[1].1.clone()));
}

/// A file with three sources, one of which is going on, and a cache with vectors and a part.
fn whole(runtime: &Runtime, folder: &Path) -> [Vec<u8>; 2] {
    runtime.block_on(async {
        let store = open(folder);
        upload(&store, &key("a"), "1", 30).await;
        upload(&store, &key("b"), "1", 30).await;
        let key = key("b");
        store.begin(&key, &head("2", 9)).await.unwrap();
        store
            .stage(&key, "2", 0, chunks(&key, "2", 0..4))
            .await
            .unwrap();
        let model = model("m", 64);
        store.keep_vectors(&model, &vectors(&model, 0..40));
        store.keep_part(&part("a", "1"), &[7; 20_000], &[]);
    });
    ["sources.redb", "sources.redb.cache"].map(|file| fs::read(folder.join(file)).unwrap())
}

/// Whatever is answered is right, or an error; and the store goes on.
async fn assert_nothing_wrong(store: &Store) {
    for source in ["a", "b"] {
        let key = key(source);
        let right = (head("1", 30), chunks(&key, "1", 0..30));
        match store.chunks(&key).await {
            Ok(found) => assert_eq!(found, right),
            Err(error) => assert!(
                matches!(error, SourceError::Damaged(_) | SourceError::Corrupted(_)),
                "{error:?}"
            ),
        }
    }
    let listed = store.list(TENANT, COURSE).await;
    if let Ok(states) = &listed {
        let sources: Vec<_> = states.iter().map(|state| &*state.key.source).collect();
        assert_eq!(sources, ["a", "b"]);
        assert!(
            states
                .iter()
                .all(|state| state.damaged || state.committed.is_some())
        );
    }
    for state in listed.unwrap_or_default() {
        if let Some((found, at)) = state.committed {
            assert_eq!((found, at), (head("1", 30), 7));
        }
        if let Some((found, kept)) = state.pending {
            assert_eq!((found, kept), (head("2", 9), 4));
        }
    }
    let model = model("m", 64);
    let kept = vectors(&model, 0..40);
    let contents: Vec<_> = kept.iter().map(|(content, _)| *content).collect();
    for (found, (_, right)) in store.vectors(&model, &contents).iter().zip(&kept) {
        assert!(found.as_ref().is_none_or(|found| found == right));
    }
    assert!(
        store
            .part(&part("a", "1"))
            .is_none_or(|found| found == [7; 20_000])
    );
    let _ = store.begin(&key("c"), &head("1", 1)).await;
    store.keep_vectors(&model, &kept[..2]);
}

#[test]
fn no_change_of_bytes_is_served_as_truth_or_ends_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::new().unwrap();
    let files = whole(&runtime, folder.path());
    let paths = ["sources.redb", "sources.redb.cache"].map(|file| folder.path().join(file));
    let mut config = ProptestConfig {
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    // Fewer than others: every case opens two files.
    config.cases = config.cases.div_ceil(4);
    proptest!(config, |(which in 0..2_usize, changes in changes())| {
        for (path, whole) in paths.iter().zip(&files) {
            fs::write(path, whole).unwrap();
        }
        fs::write(&paths[which], damaged(&files[which], &changes)).unwrap();
        if let Ok(store) = Store::open(&paths[0]) {
            runtime.block_on(assert_nothing_wrong(&store));
        }
    });
}
