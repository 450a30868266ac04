//! What a part takes in, what it refuses, and what comes out again.

use proptest::prelude::*;
use turnwise_retrieval_index::{
    Document, ModelId, Namespace, Part, PartError, Row, Statistics, Tier,
};

use crate::{
    corpus::{DIMENSION, documents, model, part, part_id, vector},
    exact::copy,
};

fn chunk(id: &str) -> Document {
    Document {
        namespace: Namespace::Chunks,
        id: id.into(),
        units: vec!["u".into()],
        tier: None,
        terms: vec![("slope".into(), 1)],
        vector: Some(vector(1)),
        content: [1; 32],
        passage: None,
    }
}

/// A row as a document again.
fn document(namespace: Namespace, row: Row<'_>) -> Document {
    Document {
        namespace,
        id: row.id().into(),
        units: row.units().map(Into::into).collect(),
        tier: row.tier(),
        terms: row
            .terms()
            .map(|(term, times)| (term.into(), times))
            .collect(),
        vector: row.vector().map(<[f32]>::to_vec),
        content: row.content(),
        passage: row.passage(),
    }
}

fn rows(part: &Part) -> Vec<Document> {
    let rows = |namespace| {
        part.rows(namespace)
            .map(move |row| document(namespace, row))
    };
    Namespace::ALL.into_iter().flat_map(rows).collect()
}

proptest! {

    #[test]
    fn what_goes_in_comes_out(documents in documents()) {
        for (place, mut documents) in documents.into_iter().enumerate() {
            let made = part(place, documents.clone());
            for document in &mut documents {
                document.terms.sort();
            }
            documents.sort_by(|one, other| {
                let order = |row: &Document| (row.namespace, row.units[0].clone(), row.tier, row.id.clone());
                order(one).cmp(&order(other))
            });
            prop_assert_eq!(rows(&made), &*documents);
            let copied = copy(&made);
            prop_assert_eq!(rows(&copied), documents);
            prop_assert_eq!(copied.encode(), made.encode());
            prop_assert_eq!((copied.id(), copied.model()), (made.id(), made.model()));
        }
    }
}

type Fault = (&'static str, fn(&mut Document));

const FAULTS: [Fault; 16] = [
    ("1 to 300", |row| row.id = "".into()),
    ("1 to 300", |row| row.id = "x".repeat(301).into()),
    ("1 to 64", |row| row.units.clear()),
    ("1 to 64", |row| {
        row.units = (0..65).map(|unit| unit.to_string().into()).collect()
    }),
    ("`u` is named twice", |row| row.units.push("u".into())),
    ("only exam candidates", |row| row.tier = Some(Tier::Gold)),
    ("`slope` occurs 0 times", |row| row.terms[0].1 = 0),
    ("`slope` is named twice", |row| {
        row.terms.push(("slope".into(), 2))
    }),
    ("20 values", |row| row.vector = Some(vec![0.0; 20])),
    ("0 values", |row| row.vector = Some(Vec::new())),
    ("is NaN", |row| row.vector.as_mut().unwrap()[20] = f32::NAN),
    ("is inf", |row| {
        row.vector.as_mut().unwrap()[0] = f32::INFINITY
    }),
    ("length 0.0", |row| row.vector.as_mut().unwrap().fill(0.0)),
    ("length 1.002", |row| {
        row.vector
            .as_mut()
            .unwrap()
            .iter_mut()
            .for_each(|value| *value *= 1.002)
    }),
    ("must be alike", |row| row.vector = None),
    ("the same id", |row| row.id = "good".into()),
];

#[test]
fn faults_are_named() {
    for (reason, spoil) in FAULTS {
        let mut bad = chunk("bad");
        spoil(&mut bad);
        let id = bad.id.clone();
        let made = Part::new(part_id(0), Some(model()), vec![chunk("good"), bad]);
        let Err(PartError::Document { id: named, problem }) = made else {
            panic!("{reason}: {made:?}");
        };
        assert!(problem.contains(reason), "{reason}: {problem}");
        assert_eq!(*named, *id, "{problem}");
    }
    let made = Part::new(part_id(0), None, vec![chunk("good")]);
    assert!(matches!(made, Err(PartError::Document { .. })), "{made:?}");
}

#[test]
fn vectors_must_come_back() {
    let made = part(0, vec![chunk("a"), chunk("b")]);
    let bytes = made.encode();
    let decode = |vectors: Vec<Option<Vec<f32>>>| {
        Part::decode(made.id(), &bytes, Some(model()), |wanted| {
            assert_eq!(wanted, [[1; 32], [1; 32]]);
            vectors
        })
    };
    assert!(decode(vec![Some(vector(1)), Some(vector(2))]).is_ok());
    for vectors in [
        vec![Some(vector(1)), None],
        vec![None, None],
        vec![Some(vector(1))],
        Vec::new(),
        vec![Some(vector(1)), Some(vec![1.0])],
        vec![Some(vec![f32::NAN; DIMENSION]), Some(vector(1))],
    ] {
        let decoded = decode(vectors);
        assert!(
            matches!(decoded, Err(PartError::Document { .. })),
            "{decoded:?}"
        );
    }
}

#[test]
fn other_parts_and_models_are_refused() {
    let made = part(0, vec![chunk("a")]);
    let bytes = made.encode();
    let vectors = |wanted: &[[u8; 32]]| vec![Some(vector(1)); wanted.len()];
    let mut names = vec![made.id().clone(); 4];
    names[0].tenant = "other".into();
    names[1].course = "other".into();
    names[2].source = "other".into();
    names[3].revision = "2".into();
    for name in &names {
        let decoded = Part::decode(name, &bytes, Some(model()), vectors);
        assert!(matches!(decoded, Err(PartError::Damaged(_))), "{decoded:?}");
    }
    for model in [
        None,
        Some(ModelId {
            digest: "d2".into(),
            ..model()
        }),
        Some(ModelId {
            name: "other".into(),
            ..model()
        }),
        Some(ModelId {
            dimension: 22,
            ..model()
        }),
    ] {
        let decoded = Part::decode(made.id(), &bytes, model, vectors);
        assert!(matches!(decoded, Err(PartError::Damaged(_))), "{decoded:?}");
    }
}

#[test]
fn rare_terms_are_worth_more() {
    let mut first = vec![chunk("a"), chunk("b")];
    first[0].terms.push(("rare".into(), 9));
    let parts = [part(0, first), part(1, vec![chunk("a")])];
    let statistics = Statistics::of(parts.iter().map(|part| &**part));
    let idf = |term| statistics.idf(Namespace::Chunks, term);
    assert_eq!(statistics.documents(Namespace::Chunks), 3);
    assert_eq!(statistics.documents(Namespace::Anchors), 0);
    assert_eq!(idf("rare"), (1.0_f64 + 2.5 / 1.5).ln());
    assert_eq!(idf("slope"), (1.0_f64 + 0.5 / 3.5).ln());
    assert_eq!(idf("unknown"), 0.0);
    assert_eq!(statistics.idf(Namespace::Anchors, "slope"), 0.0);
}
