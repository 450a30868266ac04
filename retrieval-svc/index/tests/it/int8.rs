//! Vectors kept as bytes: a quarter of the memory, nearly the same similarities, ties still exact.

use std::sync::Arc;

use futures_util::FutureExt;
use proptest::prelude::*;
use turnwise_retrieval_index::{
    EmbeddedEngine, Engine, Filter, Fusion, Namespace, Part, Precision, Query,
};

use crate::{
    corpus::{documents, model, part, vector},
    exact::index,
};

proptest! {

    #[test]
    fn bytes_are_close(documents in documents(), which in 0_usize..6) {
        let parts: Vec<_> = (0..).zip(&documents)
            .map(|(place, documents)| part(place, documents.clone()))
            .collect();
        let query = Query {
            vector: Some(vector(which).into()),
            fusion: Fusion { depth: 1_000, ..Fusion::default() },
            ..Query::default()
        };
        let search = |precision| {
            let index = index(&parts, precision);
            let everywhere = Filter::default();
            let found = index.search(Namespace::ExamCandidates, &query, &everywhere, 1_000);
            let mut hits = found.now_or_never().unwrap().unwrap();
            hits.sort_by(|one, other| one.id.cmp(&other.id));
            hits
        };
        let (exact, close) = (search(Precision::F32), search(Precision::Int8));
        prop_assert_eq!(exact.len(), close.len());
        for (exact, close) in exact.iter().zip(&close) {
            prop_assert_eq!(&exact.id, &close.id);
            let (exact, close) = (exact.dense.unwrap(), close.dense.unwrap());
            prop_assert!((exact.score - close.score).abs() < 0.01);
        }
        let rank = |which: usize| exact[which].dense.unwrap().rank;
        for (one, other) in (0..exact.len()).flat_map(|one| (0..one).map(move |other| (one, other))) {
            if rank(one) == rank(other) {
                prop_assert_eq!(close[one].dense.unwrap().rank, close[other].dense.unwrap().rank);
            }
        }
    }
}

#[test]
fn bytes_take_a_quarter() {
    let documents = (0..400).map(|row| turnwise_retrieval_index::Document {
        namespace: Namespace::Chunks,
        id: format!("{row:03}").into(),
        units: vec!["u".into()],
        tier: None,
        terms: Vec::new(),
        vector: Some(vector(row % 5)),
        content: [0; 32],
        passage: None,
    });
    let part: Arc<Part> = part(0, documents.collect());
    let memory = |precision| {
        let engine = EmbeddedEngine::new(Some(model()), precision);
        engine
            .publish(Arc::clone(&part))
            .now_or_never()
            .unwrap()
            .unwrap();
        engine.memory()
    };
    let saved = memory(Precision::F32) - memory(Precision::Int8);
    let (values, scales) = (400 * model().dimension, 400 * 4);
    let slack = 1_000;
    assert!(saved.abs_diff(3 * values - scales) < slack, "saved {saved}");
}
