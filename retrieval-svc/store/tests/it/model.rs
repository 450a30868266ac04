//! Whatever is done to sources, in whatever order, the store is at every step what a few maps would be, restarts
//! included.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tokio::runtime::Runtime;
use turnwise_retrieval_index::{SourceHead, SourceKey, SourceState, Sources};
use turnwise_retrieval_store::Store;

use crate::{
    bench::{chunk, open},
    expected::Expected,
};

/// One step.
#[derive(Debug, Clone)]
enum Step {
    Begin(usize, usize, u32, bool),
    Stage(usize, usize, u32, u32),
    /// A chunk with the id of another.
    Duplicate(usize, usize),
    Commit(usize, usize, u64),
    Remove(usize),
    Reopen,
}

/// Sources whose names are beginnings of each other, and revisions.
const KEYS: [[&str; 3]; 5] = [
    ["a", "c", "s"],
    ["a", "c", "s\0"],
    ["a", "c\0", "s"],
    ["a\0", "c", "s"],
    ["ab", "c", "s"],
];
const REVISIONS: [&str; 2] = ["1", "2"];

fn step() -> impl Strategy<Value = Step> {
    let (key, revision) = (0..KEYS.len(), 0..REVISIONS.len());
    prop_oneof![
        4 => (key.clone(), revision.clone(), 0..4_u32, prop::bool::weighted(0.1))
            .prop_map(|(key, revision, count, renamed)| Step::Begin(key, revision, count, renamed)),
        6 => (key.clone(), revision.clone(), 0..4_u32, 0..5_u32)
            .prop_map(|(key, revision, first, count)| Step::Stage(key, revision, first, count)),
        1 => (key.clone(), revision.clone()).prop_map(|(key, revision)| Step::Duplicate(key, revision)),
        5 => (key.clone(), revision, 0..9_u64)
            .prop_map(|(key, revision, now)| Step::Commit(key, revision, now)),
        1 => key.prop_map(Step::Remove),
        1 => Just(Step::Reopen),
    ]
}

fn key(number: usize) -> SourceKey {
    let [tenant, course, source] = KEYS[number].map(Box::from);
    SourceKey {
        tenant,
        course,
        source,
    }
}

async fn apply(store: &Store, expected: &mut [Expected; KEYS.len()], step: &Step) {
    match *step {
        Step::Begin(number, revision, chunks, renamed) => {
            let head = SourceHead {
                revision: REVISIONS[revision].into(),
                title: if renamed { "renamed" } else { "" }.into(),
                chunk_type: "pdf".into(),
                chunks,
            };
            let begun = store.begin(&key(number), &head).await;
            assert_eq!(begun, Ok(expected[number].begin(&head)));
        }
        Step::Stage(number, revision, first, count) => {
            let (key, revision) = (key(number), REVISIONS[revision]);
            let chunks: Vec<_> = (first..first + count)
                .map(|place| chunk(&key, revision, place))
                .collect();
            let staged = store.stage(&key, revision, first, chunks.clone()).await;
            assert_eq!(staged, expected[number].stage(revision, first, chunks));
        }
        Step::Duplicate(number, revision) => {
            let (key, revision) = (key(number), REVISIONS[revision]);
            let chunks = vec![chunk(&key, revision, 0); 2];
            let next = expected[number].staged(revision);
            let staged = store.stage(&key, revision, next, chunks.clone()).await;
            assert_eq!(staged, expected[number].stage(revision, next, chunks));
        }
        Step::Commit(number, revision, now) => {
            let committed = store.commit(&key(number), REVISIONS[revision], now).await;
            assert_eq!(committed, expected[number].commit(REVISIONS[revision], now));
        }
        Step::Remove(number) => {
            let removed = store.remove(&key(number)).await;
            assert_eq!(removed, Ok(expected[number].remove()));
        }
        Step::Reopen => {}
    }
}

async fn assert_is(store: &Store, expected: &[Expected; KEYS.len()]) {
    let mut listed = BTreeMap::new();
    let mut courses = Vec::new();
    for (number, expected) in expected.iter().enumerate() {
        let key = key(number);
        assert_eq!(store.chunks(&key).await, expected.chunks());
        let course = (key.tenant.clone(), key.course.clone());
        if expected.is_committed() {
            courses.push(course.clone());
        }
        let of_course: &mut Vec<SourceState> = listed.entry(course).or_default();
        of_course.extend(expected.state(&key));
    }
    for ((tenant, course), mut expected) in listed {
        expected.sort_by(|one, other| one.key.cmp(&other.key));
        assert_eq!(store.list(&tenant, &course).await, Ok(expected));
    }
    courses.sort();
    courses.dedup();
    assert_eq!(store.courses().await, Ok(courses));
}

#[test]
fn sources_are_what_a_few_maps_would_be() {
    let runtime = Runtime::new().unwrap();
    let mut config = ProptestConfig {
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    // Fewer than others: every step goes to disk.
    config.cases = config.cases.div_ceil(8);
    proptest!(config, |(steps in prop::collection::vec(step(), 1..40))| {
        let folder = tempfile::tempdir().unwrap();
        runtime.block_on(async {
            let mut store = open(folder.path());
            let mut expected = <[Expected; KEYS.len()]>::default();
            for step in &steps {
                if let Step::Reopen = step {
                    drop(store);
                    store = open(folder.path());
                }
                apply(&store, &mut expected, step).await;
                assert_is(&store, &expected).await;
            }
        });
    });
}
