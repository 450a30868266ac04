//! Uploads by several replicas, broken off, and seen by others.

use std::collections::BTreeSet;

use turnwise_retrieval_index::{Progress, SourceError, SourceHead, Sources, UploadedChunk};

use crate::{
    corpus::{head, source, uploaded},
    databases::{Place, everywhere},
    fake::{Fake, Fault},
};

async fn upload(store: &dyn Sources, name: &str, revision: &str, chunks: u32) {
    let key = source("school", "maths", name);
    store.begin(&key, &head(revision, chunks)).await.unwrap();
    let all = (0..chunks).map(|at| uploaded(at, revision)).collect();
    store.stage(&key, revision, 0, all).await.unwrap();
    store.commit(&key, revision, 1).await.unwrap();
}

/// One revision is there as a whole: each chunk says of which one it is.
fn assert_whole(head: &SourceHead, chunks: &[UploadedChunk]) {
    assert_eq!(chunks.len(), head.chunks as usize);
    assert!(chunks.iter().all(|chunk| *chunk.text == *head.revision));
}

/// Points of uploads in the fake.
fn points(fake: &Fake) -> usize {
    let data = fake.state.data();
    let uploads = data
        .collections
        .iter()
        .filter(|(name, _)| name.ends_with("uploads"));
    uploads.map(|(_, collection)| collection.points.len()).sum()
}

#[tokio::test]
async fn another_replica_goes_on_with_an_upload_and_reads_it() {
    everywhere(|place| async move {
        let (one, other) = (place.engine("two", None), place.engine("two", None));
        let key = source("school", "maths", "book");
        let chunks: Vec<_> = (0..700).map(|at| uploaded(at, "some text")).collect();
        one.begin(&key, &head("1", 700)).await.unwrap();
        assert_eq!(
            one.stage(&key, "1", 0, chunks[..300].to_vec()).await,
            Ok(300)
        );
        let begun = other.begin(&key, &head("1", 700)).await;
        assert_eq!(begun, Ok(Progress::Staged(300)));
        assert_eq!(
            other.stage(&key, "1", 200, chunks[200..].to_vec()).await,
            Ok(700)
        );
        assert_eq!(one.commit(&key, "1", 42).await, Ok(()));
        assert_eq!(other.commit(&key, "1", 43).await, Ok(()));
        assert_eq!(other.chunks(&key).await, Ok((head("1", 700), chunks)));
        let listed = other.list("school", "maths").await.unwrap();
        assert_eq!(listed[0].committed, Some((head("1", 700), 42)));
    })
    .await;
}

#[tokio::test]
async fn the_stamp_changes_with_commits_and_removals_only() {
    everywhere(|place| async move {
        let (one, other) = (place.engine("stamp", None), place.engine("stamp", None));
        let mut stamps = BTreeSet::from([other.revision_stamp().await.unwrap()]);
        upload(&one, "a", "1", 2).await;
        assert!(stamps.insert(other.revision_stamp().await.unwrap()));
        upload(&one, "b", "1", 2).await;
        assert!(stamps.insert(other.revision_stamp().await.unwrap()));
        upload(&one, "a", "2", 2).await;
        let last = other.revision_stamp().await.unwrap();
        assert!(stamps.insert(last));
        let key = source("school", "maths", "a");
        one.begin(&key, &head("3", 1)).await.unwrap();
        one.stage(&key, "3", 0, vec![uploaded(0, "3")])
            .await
            .unwrap();
        assert_eq!(other.revision_stamp().await, Ok(last));
        one.remove(&source("school", "maths", "b")).await.unwrap();
        assert!(stamps.insert(other.revision_stamp().await.unwrap()));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_upload_one_source_at_once_leave_one_whole_revision() {
    everywhere(|place| async move {
        let key = source("school", "maths", "book");
        let replicas: Vec<_> = (1..=4u32)
            .map(|replica| {
                let store = place.engine("war", None);
                let key = key.clone();
                tokio::spawn(async move {
                    let revision = replica.to_string();
                    let mut committed = 0;
                    for _ in 0..10 {
                        let chunks: Vec<_> =
                            (0..replica).map(|at| uploaded(at, &revision)).collect();
                        let begun = store.begin(&key, &head(&revision, replica)).await;
                        let staged = store.stage(&key, &revision, 0, chunks).await;
                        let done = store.commit(&key, &revision, 1).await;
                        for refused in [begun.err(), staged.err(), done.clone().err()] {
                            let fair = matches!(
                                refused,
                                None | Some(
                                    SourceError::NotBegun
                                        | SourceError::Incomplete { .. }
                                        | SourceError::OutOfOrder { .. }
                                        | SourceError::Unavailable(_)
                                )
                            );
                            assert!(fair, "{refused:?}");
                        }
                        committed += u32::from(done.is_ok());
                    }
                    committed
                })
            })
            .collect();
        // Meanwhile a reader finds nothing, or one revision as a whole.
        let reader = place.engine("war", None);
        let mut committed = 0;
        for replica in replicas {
            match reader.chunks(&key).await {
                Ok((head, chunks)) => assert_whole(&head, &chunks),
                Err(SourceError::NotBegun | SourceError::Unavailable(_)) => {}
                Err(other) => panic!("{other}"),
            }
            committed += replica.await.unwrap();
        }
        match reader.chunks(&key).await {
            Ok((head, chunks)) => assert_whole(&head, &chunks),
            // They may all have been in each other's way.
            Err(SourceError::NotBegun) if committed == 0 => {}
            Err(other) => panic!("{other}"),
        }
        // Whoever is alone is in nobody's way.
        upload(&reader, "book", "5", 5).await;
        let (whole, chunks) = reader.chunks(&key).await.unwrap();
        assert_eq!(whole, head("5", 5));
        assert_whole(&whole, &chunks);
    })
    .await;
}

#[tokio::test]
async fn chunks_of_replaced_uploads_are_deleted_even_if_that_failed_once() {
    let fake = Fake::start().await;
    let store = Place::new(fake.url()).engine("rest", None);
    let key = source("school", "maths", "book");
    upload(&store, "book", "1", 5).await;
    assert_eq!(points(&fake), 6);
    store.begin(&key, &head("2", 3)).await.unwrap();
    store
        .stage(&key, "2", 0, vec![uploaded(0, "2"), uploaded(1, "2")])
        .await
        .unwrap();
    assert_eq!(points(&fake), 8);
    // The deletion after the replacement never happens: as if the process had ended there.
    fake.state.lose_deletions(true);
    store.begin(&key, &head("3", 1)).await.unwrap();
    assert_eq!(points(&fake), 8);
    fake.state.lose_deletions(false);
    assert_eq!(
        store.begin(&key, &head("3", 1)).await,
        Ok(Progress::Staged(0))
    );
    assert_eq!(points(&fake), 6);
    store
        .stage(&key, "3", 0, vec![uploaded(0, "3")])
        .await
        .unwrap();
    store.commit(&key, "3", 2).await.unwrap();
    assert_eq!(points(&fake), 2);
    // A removal that is broken off is finished by the next.
    fake.state.lose_deletions(true);
    assert_eq!(store.remove(&key).await, Ok(true));
    assert_eq!(store.list("school", "maths").await, Ok(vec![]));
    assert_eq!(store.courses().await, Ok(vec![]));
    fake.state.lose_deletions(false);
    assert_eq!(store.remove(&key).await, Ok(false));
    assert_eq!(points(&fake), 0);
}

#[tokio::test]
async fn a_source_whose_chunks_are_gone_is_damaged_until_it_is_uploaded_again() {
    let fake = Fake::start().await;
    let store = Place::new(fake.url()).engine("hurt", None);
    let key = source("school", "maths", "book");
    upload(&store, "book", "1", 3).await;
    for collection in fake.state.data().collections.values_mut() {
        let chunk = |point: &crate::fake::Point| point.payload.contains_key("place");
        let gone = collection.points.iter().find(|(_, point)| chunk(point));
        let gone = gone.map(|(id, _)| id.clone());
        gone.and_then(|id| collection.points.remove(&id));
    }
    assert!(store.list("school", "maths").await.unwrap()[0].damaged);
    assert_eq!(
        store.chunks(&key).await,
        Err(SourceError::Damaged("book".into()))
    );
    upload(&store, "book", "2", 3).await;
    assert!(!store.list("school", "maths").await.unwrap()[0].damaged);
    assert_eq!(store.chunks(&key).await.unwrap().1.len(), 3);
}

#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_a_commit() {
    let fake = Fake::start().await;
    let store = Place::new(fake.url()).engine("lost", None);
    let key = source("school", "maths", "book");
    store.begin(&key, &head("1", 1)).await.unwrap();
    store
        .stage(&key, "1", 0, vec![uploaded(0, "1")])
        .await
        .unwrap();
    fake.state.fail(Some(Fault::AnswerLost));
    assert_eq!(store.commit(&key, "1", 7).await, Ok(()));
    assert_eq!(store.chunks(&key).await.unwrap().0, head("1", 1));
}
