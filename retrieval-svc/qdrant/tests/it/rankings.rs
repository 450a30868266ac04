//! What a search finds is what the engine in memory finds.

use proptest::{prelude::*, test_runner::TestRunner};
use turnwise_retrieval_index::{
    Document, EmbeddedEngine, Filter, Fusion, Hit, Namespace, Query, embedded,
};
use turnwise_retrieval_qdrant::Qdrant;

use crate::{
    corpus::{chunk, chunks_for, model, open, part, part_id, query, vector},
    databases::{Place, everywhere},
    fake::Fake,
};

const WORDS: [&str; 8] = [
    "area", "circle", "radius", "pi", "square", "side", "sum", "angle",
];

/// Equal, but for scores that the database counts in 32 bits.
fn alike(ours: &[Hit], reference: &[Hit]) -> Result<(), String> {
    let shape = |hits: &[Hit]| -> Vec<_> {
        hits.iter()
            .map(|h| {
                let ranks = (h.lexical.map(|l| l.rank), h.dense.map(|d| d.rank));
                (h.id.clone(), h.units.clone(), h.passage.clone(), ranks)
            })
            .collect()
    };
    if shape(ours) != shape(reference) {
        return Err(format!("{ours:#?}\nbut the reference has\n{reference:#?}"));
    }
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-5 * (1.0 + b.abs());
    for (ours, reference) in ours.iter().zip(reference) {
        let pairs = [
            (ours.lexical, reference.lexical),
            (ours.dense, reference.dense),
        ];
        let same = pairs.iter().all(|pair| match pair {
            (Some(a), Some(b)) => near(a.score, b.score),
            (a, b) => a.is_none() && b.is_none(),
        });
        if !same || !near(ours.score, reference.score) {
            return Err(format!("{ours:#?}\nis not\n{reference:#?}"));
        }
    }
    Ok(())
}

fn documents() -> impl Strategy<Value = Vec<Document>> {
    let one = (
        0..40u32,
        0..4u32,
        prop::collection::vec(0..WORDS.len(), 0..6),
        0..12u64,
    );
    prop::collection::vec(one, 1..30).prop_map(|all| {
        let mut documents: Vec<Document> = Vec::new();
        for (id, unit, words, seed) in all {
            let id = format!("c{id}");
            let words: Vec<&str> = words.iter().map(|w| WORDS[*w]).collect();
            // Few vectors and few words: many ties.
            let made = chunk(&id, &format!("u{unit}"), &words, Some(vector(seed)));
            if documents.iter().all(|d| d.id != made.id) {
                documents.push(made);
            }
        }
        documents
    })
}

#[derive(Debug, Clone)]
struct Case {
    packs: Vec<Vec<Document>>,
    query: Query,
    filter: Filter,
    top: usize,
}

fn cases() -> impl Strategy<Value = Case> {
    let units = prop::option::of(prop::collection::vec(0..5u32, 0..4));
    (
        prop::collection::vec(documents(), 1..4),
        prop::collection::btree_set(0..WORDS.len(), 0..4),
        prop::option::of(0..12u64),
        units,
        1..40usize,
        1..20usize,
    )
        .prop_map(|(packs, words, seed, units, top, depth)| Case {
            packs,
            query: Query {
                fusion: Fusion {
                    depth,
                    ..Fusion::default()
                },
                ..query(
                    &words.iter().map(|w| WORDS[*w]).collect::<Vec<_>>(),
                    seed.map(vector),
                )
            },
            filter: Filter {
                units: units.map(|u| u.iter().map(|u| format!("u{u}").into()).collect()),
                tier: None,
            },
            top,
        })
}

async fn try_case(ours: &Qdrant, case: Case) -> Result<(), String> {
    let reference = EmbeddedEngine::new(Some(model("a")), embedded::Precision::F32);
    let parts: Vec<_> = (0..)
        .zip(case.packs)
        .map(|(at, documents)| {
            let source = format!("s{at}");
            let id = part_id("school", "maths", &source, "1");
            part(id, Some(model("a")), documents)
        })
        .collect();
    let ours = open(ours, "school", "maths", &parts).await;
    let reference = open(&reference, "school", "maths", &parts).await;
    let chunks = Namespace::Chunks;
    let found = ours
        .search(chunks, &case.query, &case.filter, case.top)
        .await;
    let found = found.map_err(|e| e.to_string())?;
    let expected = reference.search(chunks, &case.query, &case.filter, case.top);
    let expected = expected.await.map_err(|e| e.to_string())?;
    alike(&found, &expected)?;
    for hit in &expected {
        let ours = ours.matched(Namespace::Chunks, hit, &case.query).await;
        let reference = reference.matched(Namespace::Chunks, hit, &case.query).await;
        if ours != reference {
            return Err(format!("{}: matched {ours:?}, not {reference:?}", hit.id));
        }
    }
    Ok(())
}

#[test]
fn any_search_finds_what_the_engine_in_memory_finds() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let fake = runtime.block_on(Fake::start());
    let engine = runtime.block_on(async { Place::new(fake.url()).engine("any", Some(model("a"))) });
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 150,
        source_file: Some(file!()),
        ..ProptestConfig::default()
    });
    let outcome = runner.run(&cases(), |case| {
        for collection in fake.state.data().collections.values_mut() {
            collection.points.clear();
        }
        let tried = runtime.block_on(try_case(&engine, case));
        tried.map_err(TestCaseError::fail)
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

#[tokio::test]
async fn equal_scores_around_the_depth_are_cut_by_id() {
    everywhere(|place| async move {
        // Far more equal rows than one answer holds.
        let ids: Vec<String> = (0..700).map(|n| format!("c{n:03}")).collect();
        let documents = ids
            .iter()
            .map(|id| chunk(id, "u", &["area"], Some(vector(1))))
            .collect();
        let pack = part(part_id("", "maths", "", "1"), Some(model("a")), documents);
        let engine = place.engine("ties", Some(model("a")));
        let index = open(&engine, "school", "maths", &[pack]).await;
        let hits = chunks_for(&index, &["area"], Some(vector(1)), 1000)
            .await
            .unwrap();
        let found: Vec<&str> = hits.iter().map(|hit| &*hit.id).collect();
        assert_eq!(found, ids[..200]);
        assert!(hits.iter().all(|hit| hit.lexical.unwrap().rank == 1));
    })
    .await;
}
