//! What the engine finds is exactly what the reference finds: ids, order, scores, ranks.

use std::sync::Arc;

use futures_util::FutureExt;
use proptest::prelude::*;
use turnwise_retrieval_index::{
    Content, Document, EmbeddedEngine, Engine, Filter, Hit, Index, Namespace, Part, Precision,
    Query, Statistics,
};

use crate::{
    corpus::{documents, filter, model, part, query, vector},
    reference::{Expected, search},
};

/// An index over parts.
pub fn index(parts: &[Arc<Part>], precision: Precision) -> Arc<dyn Index> {
    let engine = EmbeddedEngine::new(Some(model()), precision);
    for part in parts {
        engine
            .publish(Arc::clone(part))
            .now_or_never()
            .unwrap()
            .unwrap();
    }
    let content = Content {
        id: "test".into(),
        tenant: "school".into(),
        course: "algebra".into(),
        parts: parts.iter().map(|part| part.id().clone()).collect(),
        statistics: Arc::new(Statistics::of(parts.iter().map(|part| &**part))),
    };
    engine.open(content).now_or_never().unwrap().unwrap()
}

fn found(hits: Vec<Hit>) -> Vec<Expected> {
    hits.into_iter()
        .map(|hit| Expected {
            id: hit.id,
            units: hit.units,
            score: hit.score,
            lexical: hit.lexical,
            dense: hit.dense,
        })
        .collect()
}

/// The part that another becomes by way of its bytes.
pub fn copy(part: &Part) -> Arc<Part> {
    let vectors = |wanted: &[[u8; 32]]| {
        let found = wanted.iter().map(|content| Some(vector(content[0].into())));
        found.collect()
    };
    Arc::new(Part::decode(part.id(), &part.encode(), part.model().cloned(), vectors).unwrap())
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    #[test]
    fn a_search_is_exact(
        documents in documents(),
        searches in prop::collection::vec((query(), filter(), 0_usize..30), 1..6),
    ) {
        let parts: Vec<_> = (0..).zip(&documents)
            .map(|(place, documents)| part(place, documents.clone()))
            .collect();
        let index_of_parts = index(&parts, Precision::F32);
        let copies: Vec<_> = parts.iter().map(|part| copy(part)).collect();
        let index_of_copies = index(&copies, Precision::F32);
        for (query, filter, top) in &searches {
            for namespace in Namespace::ALL {
                let expected = search(&documents, namespace, query, filter, *top);
                for index in [&index_of_parts, &index_of_copies] {
                    let hits = index.search(namespace, query, filter, *top);
                    let hits = hits.now_or_never().expect("ready at once").unwrap();
                    prop_assert_eq!(found(hits), &*expected);
                }
            }
        }
    }

    #[test]
    fn what_matched_is_what_both_hold(
        documents in documents(),
        query in query(),
        filter in filter(),
    ) {
        let parts: Vec<_> = (0..).zip(&documents)
            .map(|(place, documents)| part(place, documents.clone()))
            .collect();
        let index = index(&parts, Precision::F32);
        let namespace = Namespace::ExamCandidates;
        let hits = index.search(namespace, &query, &filter, 100).now_or_never().unwrap().unwrap();
        for hit in &hits {
            let row = documents.iter().flatten()
                .find(|row| row.namespace == namespace && row.id == hit.id)
                .unwrap();
            let expected: Vec<_> = query.terms.iter()
                .map(|(term, _)| term.clone())
                .filter(|term| row.terms.iter().any(|(held, _)| held == term))
                .collect();
            let matched = index.matched(namespace, hit, &query).now_or_never().unwrap().unwrap();
            prop_assert_eq!(matched, expected);
            prop_assert_eq!(hit.passage.as_deref(), row.passage.as_ref());
        }
    }
}

/// Terms are looked up some thousand at a time: rows that reach over that are scored whole.
#[test]
fn long_rows_are_exact() {
    let row = |first: u32| Document {
        namespace: Namespace::ExamSupport,
        id: format!("row-{first}").into(),
        units: vec!["a".into()],
        tier: None,
        terms: (first..first + 3_000)
            .map(|term| (format!("{term:05}").into(), 1 + term % 3))
            .collect(),
        vector: None,
        content: [0; 32],
        passage: None,
    };
    let documents = vec![(0..6).map(|place| row(place * 500)).collect::<Vec<_>>()];
    let index = index(&[part(0, documents[0].clone())], Precision::F32);
    for step in [1, 97, 1_000] {
        let query = Query {
            terms: (0..6_000)
                .step_by(step)
                .map(|term| (format!("{term:05}").into(), 1.0))
                .collect(),
            ..Query::default()
        };
        let filter = Filter::default();
        let expected = search(&documents, Namespace::ExamSupport, &query, &filter, 9);
        let hits = index.search(Namespace::ExamSupport, &query, &filter, 9);
        let hits = hits.now_or_never().expect("ready at once").unwrap();
        assert_eq!(hits.len(), 6);
        assert_eq!(found(hits), expected);
    }
}
