//! Random documents in which ties, shared ids and missing vectors are common.

use proptest::{collection::vec, option, prelude::*, sample::subsequence};
use std::sync::Arc;
use turnwise_retrieval_index::{
    Document, Filter, Fusion, ModelId, Namespace, Part, PartId, Passage, Query, Tier,
};

/// Not a multiple of the lanes of the dot product, and more than are taken from a vector in one turn.
pub const DIMENSION: usize = 117;

pub fn model() -> ModelId {
    ModelId {
        name: "test".into(),
        digest: "d1".into(),
        dimension: DIMENSION,
    }
}

/// The vectors that documents have: few, so that many rows tie.
pub fn vector(which: usize) -> Vec<f32> {
    let values = (0..DIMENSION).map(|place| ((place * 7 + which * 13) % 11) as f32 - 5.0);
    let values: Vec<f32> = values.collect();
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.iter().map(|value| value / length).collect()
}

const TERMS: [&str; 9] = ["area", "line", "root", "slope", "sum", "x", "y", "ä", "∆"];
const UNITS: [&str; 5] = ["a", "b", "c", "d", "e"];

pub fn part_id(place: usize) -> PartId {
    PartId {
        tenant: if place == 0 { "" } else { "school" }.into(),
        course: "algebra".into(),
        source: if place == 0 {
            String::new()
        } else {
            format!("s{place}")
        }
        .into(),
        revision: "1".into(),
    }
}

fn tier() -> impl Strategy<Value = Tier> {
    prop_oneof![Just(Tier::Bronze), Just(Tier::Silver), Just(Tier::Gold)]
}

fn terms() -> impl Strategy<Value = Vec<(Box<str>, u32)>> {
    let times = prop_oneof![4 => 1_u32..4, 1 => 250_u32..260, 1 => Just(70_000_u32)];
    (subsequence(TERMS.to_vec(), 0..=5), vec(times, 5))
        .prop_map(|(terms, times)| terms.into_iter().map(Into::into).zip(times).rev().collect())
}

fn passage() -> impl Strategy<Value = Passage> {
    (0_u32..3, option::of(0_u64..3), "[a-zä∆]{0,5}").prop_map(|(page, start_ms, text)| Passage {
        source: "notes".into(),
        section: text.chars().take(1).collect::<String>().into(),
        page,
        start_ms,
        text: text.into(),
        ..Passage::default()
    })
}

fn document() -> impl Strategy<Value = Document> {
    (
        prop_oneof![
            3 => Just(Namespace::ExamCandidates),
            2 => Just(Namespace::Chunks),
            1 => Just(Namespace::Anchors),
        ],
        prop_oneof!["[a-d]{1,2}", "[äB~]"],
        subsequence(UNITS.to_vec(), 1..=3).prop_shuffle(),
        option::of(tier()),
        terms(),
        option::weighted(0.8, 0_usize..5),
        option::of(passage()),
    )
        .prop_map(|(namespace, id, units, tier, terms, which, passage)| {
            let which = which.or((namespace == Namespace::Chunks).then_some(0));
            Document {
                namespace,
                id: id.into(),
                units: units.into_iter().map(Into::into).collect(),
                tier: tier.filter(|_| namespace == Namespace::ExamCandidates),
                terms,
                vector: which.map(vector),
                content: [which.map_or(255, |which| which as u8); 32],
                passage,
            }
        })
}

/// The documents of up to four parts, no id twice in one.
pub fn documents() -> impl Strategy<Value = Vec<Vec<Document>>> {
    let part = vec(document(), 0..25).prop_map(|mut part| {
        part.sort_by(|one, other| (one.namespace, &one.id).cmp(&(other.namespace, &other.id)));
        part.dedup_by(|one, other| (one.namespace, &one.id) == (other.namespace, &other.id));
        part
    });
    vec(part.prop_shuffle(), 1..=4)
}

pub fn part(place: usize, documents: Vec<Document>) -> Arc<Part> {
    Arc::new(Part::new(part_id(place), Some(model()), documents).unwrap())
}

pub fn query() -> impl Strategy<Value = Query> {
    let weight = prop_oneof![Just(0.0), Just(0.5), Just(1.0), Just(2.0)];
    let words = (
        subsequence(TERMS.to_vec(), 0..=TERMS.len()).prop_shuffle(),
        vec(weight, TERMS.len()),
    );
    let share = || prop_oneof![Just(0.0), Just(1.0), Just(3.0)];
    let depth = prop_oneof![Just(0_usize), Just(1), Just(3), Just(10), Just(200)];
    let k = prop_oneof![Just(0.5), Just(10.0), Just(60.0)];
    (
        words,
        option::weighted(0.7, 0_usize..6),
        (k, share(), share(), depth),
    )
        .prop_map(
            |((terms, weights), which, (k, lexical, dense, depth))| Query {
                terms: terms.into_iter().map(Into::into).zip(weights).collect(),
                vector: which.map(|which| vector(which).into()),
                fusion: Fusion {
                    k,
                    lexical,
                    dense,
                    depth,
                },
            },
        )
}

pub fn filter() -> impl Strategy<Value = Filter> {
    let unit = prop_oneof![8 => proptest::sample::select(&UNITS[..]), 1 => Just("unknown")];
    (option::of(vec(unit, 0..4)), option::weighted(0.3, tier())).prop_map(|(units, tier)| Filter {
        units: units.map(|units| units.into_iter().map(Into::into).collect()),
        tier,
    })
}
