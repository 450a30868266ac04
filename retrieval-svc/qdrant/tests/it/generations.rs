//! Re-indexing with another model: the old collections stay as they are, and the aliases change hands in one step.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use qdrant_client::qdrant::{ListAliasesRequest, collections_client::CollectionsClient};
use turnwise_kit::Kit;
use turnwise_retrieval_index::{Engine, EngineError, Part};
use turnwise_retrieval_qdrant::{Options, Qdrant};

use crate::{
    corpus::{chunk, chunks_for, content, model, open, part, part_id, vector},
    databases::{Place, everywhere},
    fake::Fake,
};

fn pack(digest: &str, rows: u64) -> Arc<Part> {
    let documents = (0..rows)
        .map(|n| chunk(&format!("c{n}"), "u", &["area"], Some(vector(n))))
        .collect();
    let id = part_id("", "maths", "", digest);
    part(id, Some(model(digest)), documents)
}

/// The collections that the aliases of a part of a place name.
async fn targets(place: &Place, name: &str) -> Vec<(String, String)> {
    let prefix = place.options(name, None).prefix;
    let mut client = CollectionsClient::connect(place.url.clone()).await.unwrap();
    let all = client.list_aliases(ListAliasesRequest {}).await.unwrap();
    let mut targets: Vec<(String, String)> = (all.into_inner().aliases.into_iter())
        .filter(|alias| alias.alias_name.starts_with(&prefix))
        .map(|alias| (alias.alias_name, alias.collection_name))
        .collect();
    targets.sort();
    targets
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_see_one_generation_or_the_other_and_never_half() {
    everywhere(|place| async move {
        let old = place.engine("re", Some(model("old")));
        let index = open(&old, "school", "maths", &[pack("old", 40)]).await;
        let before = targets(&place, "re").await;
        assert_eq!(before.len(), 4);

        let over = Arc::new(AtomicBool::new(false));
        let reader = tokio::spawn({
            let (over, place) = (over.clone(), place.clone());
            async move {
                let mut switched = Vec::new();
                while !over.load(Ordering::Relaxed) {
                    let hits = chunks_for(&index, &["area"], Some(vector(1)), 100).await;
                    assert_eq!(hits.unwrap().len(), 40);
                    switched.push(targets(&place, "re").await);
                }
                switched
            }
        });
        let new = place.engine("re", Some(model("new")));
        let index = open(&new, "school", "maths", &[pack("new", 300)]).await;
        let after = targets(&place, "re").await;
        over.store(true, Ordering::Relaxed);
        for seen in reader.await.unwrap() {
            assert!(seen == before || seen == after, "half: {seen:?}");
        }
        assert!(
            before
                .iter()
                .zip(&after)
                .all(|(b, a)| b.0 == a.0 && b.1 != a.1)
        );
        let hits = chunks_for(&index, &["area"], None, 999).await.unwrap();
        assert_eq!(hits.len(), 200);

        // A replica that still has the old model does not take the aliases back.
        open(&old, "school", "maths", &[pack("old", 40)]).await;
        assert_eq!(targets(&place, "re").await, after);
    })
    .await;
}

#[tokio::test]
async fn the_aliases_stay_until_all_parts_are_there() {
    everywhere(|place| async move {
        let old = place.engine("wait", Some(model("old")));
        open(&old, "school", "maths", &[pack("old", 3)]).await;
        let before = targets(&place, "wait").await;
        let new = place.engine("wait", Some(model("new")));
        let missing = new
            .open(content("school", "maths", &[pack("new", 3)]))
            .await;
        assert!(matches!(
            missing.err(),
            Some(EngineError::MissingPart { .. })
        ));
        assert_eq!(targets(&place, "wait").await, before);
    })
    .await;
}

#[tokio::test]
async fn replicas_that_start_together_make_the_collections_once() {
    everywhere(|place| async move {
        let replicas = (0..8).map(|_| {
            let engine = place.engine("race", Some(model("a")));
            tokio::spawn(async move { engine.publish(pack("a", 5)).await })
        });
        for replica in replicas.collect::<Vec<_>>() {
            replica.await.unwrap().unwrap();
        }
        let engine = place.engine("race", Some(model("a")));
        let index = open(&engine, "school", "maths", &[pack("a", 5)]).await;
        let hits = chunks_for(&index, &["area"], None, 9).await.unwrap();
        assert_eq!(hits.len(), 5);
    })
    .await;
}

#[tokio::test]
async fn a_collection_of_other_vectors_is_refused() {
    let fake = Fake::start().await;
    let place = Place::new(fake.url());
    let engine = place.engine("odd", Some(model("a")));
    engine.publish(pack("a", 1)).await.unwrap();
    {
        let mut data = fake.state.data();
        let collections = data.collections.iter_mut();
        for (_, collection) in collections.filter(|(name, _)| name.contains("chunks")) {
            collection.params.vectors_config = None;
        }
    }
    let engine = place.engine("odd", Some(model("a")));
    let refused = engine.publish(pack("a", 1)).await;
    assert!(
        matches!(refused, Err(EngineError::Incompatible { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn rows_that_are_gone_make_a_part_incomplete() {
    let fake = Fake::start().await;
    let place = Place::new(fake.url());
    let engine = place.engine("lost", Some(model("a")));
    let pack = pack("a", 4);
    open(&engine, "school", "maths", std::slice::from_ref(&pack)).await;
    let clear = |whole: bool| {
        let mut data = fake.state.data();
        if whole {
            data.collections
                .retain(|name, _| !name.contains("unit_content_chunks"));
        } else {
            for collection in data.collections.values_mut() {
                if collection.params.sparse_vectors_config.is_some() {
                    collection.points.pop_first();
                }
            }
        }
    };
    clear(false);
    assert_eq!(engine.holds(pack.id()).await, Ok(false));
    let missing = engine.open(content("school", "maths", std::slice::from_ref(&pack)));
    assert!(matches!(
        missing.await.err(),
        Some(EngineError::MissingPart { .. })
    ));
    open(&engine, "school", "maths", std::slice::from_ref(&pack)).await;

    // Someone drops the collection: noticed once, made again at the next call.
    clear(true);
    assert!(matches!(
        engine.holds(pack.id()).await,
        Err(EngineError::Unavailable(_))
    ));
    assert_eq!(engine.holds(pack.id()).await, Ok(false));
    open(&engine, "school", "maths", &[pack]).await;
}

#[tokio::test]
async fn options_that_cannot_work_are_refused() {
    let good = Options::new("http://localhost:6334", "test");
    let bad = [
        Options {
            url: "localhost:6334".into(),
            ..good.clone()
        },
        Options {
            url: "http://".into(),
            ..good.clone()
        },
        Options {
            prefix: "".into(),
            ..good.clone()
        },
        Options {
            prefix: "a/b".into(),
            ..good.clone()
        },
        Options {
            prefix: "x".repeat(101),
            ..good.clone()
        },
        Options {
            read_timeout: Default::default(),
            ..good.clone()
        },
        Options {
            api_key_file: Some("/nowhere/at/all".into()),
            ..good.clone()
        },
        Options {
            authority_file: Some("/nowhere/at/all".into()),
            ..good.clone()
        },
    ];
    for options in bad {
        assert!(
            Qdrant::new(&options, &Kit::for_tests()).is_err(),
            "{options:?}"
        );
    }
    assert!(Qdrant::new(&good, &Kit::for_tests()).is_ok());
    let secure = Options {
        url: "https://localhost:6334".into(),
        ..good
    };
    assert!(Qdrant::new(&secure, &Kit::for_tests()).is_ok());
}
