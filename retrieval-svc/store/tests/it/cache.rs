//! Vectors and parts: kept, found, forgotten, and bounded.

use std::{collections::HashSet, fs, path::Path};

use turnwise_retrieval_index::{Cache, ContentHash, ModelId, PartId, Sources};
use turnwise_retrieval_store::Store;

use crate::bench::{content, key, model, open, part, upload, vectors};

/// Which of these numbers have their vectors.
fn there(store: &Store, model: &ModelId, numbers: std::ops::Range<u32>) -> Vec<u32> {
    let expected = vectors(model, numbers.clone());
    let contents: Vec<ContentHash> = expected.iter().map(|(content, _)| *content).collect();
    let found = store.vectors(model, &contents);
    assert_eq!(found.len(), contents.len());
    let mut there = Vec::new();
    for (number, (found, (_, expected))) in numbers.zip(found.iter().zip(&expected)) {
        if let Some(found) = found {
            assert_eq!(found, expected);
            there.push(number);
        }
    }
    there
}

fn length(folder: &Path) -> u64 {
    fs::metadata(folder.join("sources.redb.cache"))
        .unwrap()
        .len()
}

#[test]
fn vectors_are_found_by_content_and_model_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (small, long) = (model("m", 3), model("m", 2000));
    let other = model("other", 3);
    {
        let store = open(folder.path());
        assert!(there(&store, &small, 0..3).is_empty());
        store.keep_vectors(&small, &vectors(&small, 0..100));
        store.keep_vectors(&long, &vectors(&long, 5..105));
        assert_eq!(there(&store, &small, 90..110), Vec::from_iter(90..100));
    }
    let store = open(folder.path());
    assert_eq!(there(&store, &small, 0..110), Vec::from_iter(0..100));
    assert_eq!(there(&store, &long, 0..110), Vec::from_iter(5..105));
    assert!(there(&store, &other, 0..110).is_empty());
    // In the order of the question, twice asked included.
    let asked = [content(7), content(500), content(3), content(7)];
    let found = store.vectors(&small, &asked);
    assert_eq!(
        found,
        [
            Some(vec![7.5; 3]),
            None,
            Some(vec![3.5; 3]),
            Some(vec![7.5; 3])
        ]
    );
    assert!(store.vectors(&small, &[]).is_empty());
}

#[test]
fn the_bits_of_a_vector_are_kept() {
    let store = Store::in_memory().unwrap();
    let model = model("m", 6);
    let odd = [
        f32::MIN_POSITIVE / 2.0,
        -0.0,
        f32::INFINITY,
        f32::from_bits(0x7fc1_2345),
        f32::MAX,
        0.1,
    ];
    store.keep_vectors(&model, &[(content(1), odd.to_vec())]);
    let found = store.vectors(&model, &[content(1)]).remove(0).unwrap();
    assert_eq!(
        found.iter().map(|n| n.to_bits()).collect::<Vec<_>>(),
        odd.map(f32::to_bits)
    );
}

#[test]
fn vectors_of_another_length_are_left_out() {
    let store = Store::in_memory().unwrap();
    let model = model("m", 4);
    let mut given = vectors(&model, 0..3);
    given[1].1.pop();
    store.keep_vectors(&model, &given);
    assert_eq!(there(&store, &model, 0..3), [0, 2]);
}

#[test]
fn vectors_that_are_kept_again_replace_the_first() {
    let store = Store::in_memory().unwrap();
    let model = model("m", 2);
    store.keep_vectors(&model, &[(content(1), vec![9.0, 9.0])]);
    store.keep_vectors(&model, &vectors(&model, 0..3));
    assert_eq!(there(&store, &model, 0..3), [0, 1, 2]);
}

#[test]
fn vectors_are_forgotten_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let model = model("m", 4);
    let store = open(folder.path());
    store.keep_vectors(&model, &vectors(&model, 0..6));
    store.forget_vectors(&model, &[content(1), content(4), content(77)]);
    assert_eq!(there(&store, &model, 0..6), [0, 2, 3, 5]);
    drop(store);
    assert_eq!(there(&open(folder.path()), &model, 0..6), [0, 2, 3, 5]);
}

#[test]
fn pruning_leaves_what_is_named_and_gives_its_room_back() {
    let folder = tempfile::tempdir().unwrap();
    let model = model("m", 384);
    let store = open(folder.path());
    let mut grown = 0;
    for round in 0..8 {
        let numbers = round * 5000..(round + 1) * 5000;
        store.keep_vectors(&model, &vectors(&model, numbers.clone()));
        // Every seventh of this round, and nothing else.
        let named: Vec<u32> = numbers.step_by(7).collect();
        let keep: HashSet<ContentHash> = named.iter().map(|&number| content(number)).collect();
        let before = if round == 0 { 5000 } else { 5000 + 715 };
        assert!(store.forget_unused(&model, &keep).abs_diff(before - 715) <= 1);
        assert_eq!(there(&store, &model, 0..40_000), named);
        if round == 2 {
            grown = length(folder.path());
        }
    }
    assert!(
        length(folder.path()) <= grown,
        "{} after {grown}",
        length(folder.path())
    );
    assert_eq!(store.forget_unused(&model, &HashSet::new()), 715);
    assert!(there(&store, &model, 0..40_000).is_empty());
    store.keep_vectors(&model, &vectors(&model, 0..10));
    assert_eq!(there(&store, &model, 0..20), Vec::from_iter(0..10));
}

#[test]
fn the_two_models_used_last_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|digest| model(digest, 4));
    let keep = |model: &ModelId| {
        let store = open(folder.path());
        store.keep_vectors(model, &vectors(model, 0..3));
    };
    keep(&a);
    keep(&b);
    // Reading is using.
    assert_eq!(there(&open(folder.path()), &a, 0..3), [0, 1, 2]);
    keep(&c);
    assert!(there(&open(folder.path()), &b, 0..3).is_empty());
    assert_eq!(there(&open(folder.path()), &a, 0..3), [0, 1, 2]);
    assert_eq!(there(&open(folder.path()), &c, 0..3), [0, 1, 2]);
    // To look for vectors that were never made is not.
    assert!(there(&open(folder.path()), &model("d", 4), 0..3).is_empty());
    keep(&a);
    assert_eq!(there(&open(folder.path()), &c, 0..3), [0, 1, 2]);
    // And within one process.
    let store = open(folder.path());
    for model in [&b, &a, &c, &b] {
        store.keep_vectors(model, &vectors(model, 0..3));
        assert_eq!(there(&store, model, 0..3), [0, 1, 2]);
    }
    assert!(there(&store, &a, 0..3).is_empty());
    assert_eq!(there(&store, &c, 0..3), [0, 1, 2]);
}

#[test]
fn of_a_source_the_parts_in_use_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let long = vec![3; 3_000_000];
    store.keep_part(&part("a", "1"), &long, &[]);
    store.keep_part(&part("a", "2"), b"a2", &[part("a", "1"), part("b", "1")]);
    store.keep_part(&part("b", "1"), b"b1", &[]);
    store.keep_part(&part("", "1"), b"pack", &[]);
    let other = PartId {
        tenant: "".into(),
        ..part("a", "1")
    };
    store.keep_part(&other, b"everybody's", &[]);
    assert_eq!(store.part(&part("a", "1")), Some(long));
    store.keep_part(&part("a", "3"), b"a3", &[part("a", "2"), part("b", "2")]);
    drop(store);
    let store = open(folder.path());
    let found = [
        part("a", "1"),
        part("a", "2"),
        part("a", "3"),
        part("b", "1"),
        part("", "1"),
        other,
    ]
    .map(|id| {
        store
            .part(&id)
            .map(|bytes| String::from_utf8(bytes).unwrap())
    });
    let expected = [
        None,
        Some("a2"),
        Some("a3"),
        Some("b1"),
        Some("pack"),
        Some("everybody's"),
    ];
    assert_eq!(found.each_ref().map(Option::as_deref), expected);
}

#[tokio::test]
async fn a_source_that_is_removed_leaves_no_part() {
    let store = Store::in_memory().unwrap();
    for source in ["a", "ab"] {
        upload(&store, &key(source), "1", 2).await;
        store.keep_part(&part(source, "1"), b"a part", &[]);
    }
    assert_eq!(store.remove(&key("a")).await, Ok(true));
    assert_eq!(store.part(&part("a", "1")), None);
    assert!(store.part(&part("ab", "1")).is_some());
}
