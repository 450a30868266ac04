//! Generated chunks: the same for the same number, any range of them at a time.

use std::ops::Range;

use fastrand::Rng;
use turnwise_retrieval_index::{
    Document, Filter, ModelId, Namespace, Part, PartError, PartId, Passage, Query,
};

/// How many values a vector has.
pub const DIMENSION: usize = 384;
/// How many chunks a unit has.
pub const ROWS_IN_UNIT: usize = 50;
/// How many different terms a chunk has.
const TERMS: usize = 80;
/// How many different terms there are.
const VOCABULARY: f64 = 60_000.0;

/// So many chunks.
pub struct Corpus {
    pub chunks: usize,
}

/// The model of the vectors.
pub fn model() -> ModelId {
    ModelId {
        name: "generated".into(),
        digest: "1".into(),
        dimension: DIMENSION,
    }
}

/// The part of a source; empty: of the course pack.
pub fn part_id(source: &str) -> PartId {
    PartId {
        tenant: if source.is_empty() { "" } else { "school" }.into(),
        course: "course".into(),
        source: source.into(),
        revision: "1".into(),
    }
}

/// Which row a content hash is of.
pub fn row_of(content: &[u8; 32]) -> usize {
    let [a, b, c, d, ..] = *content;
    u32::from_le_bytes([a, b, c, d]) as usize
}

/// A word; low numbers are common ones. A third of a unit's words are its own.
fn word(random: &mut Rng, unit: usize) -> String {
    if random.usize(0..3) == 0 {
        let own = random.usize(0..200);
        return spell((unit * 7919 + own * own) % VOCABULARY as usize);
    }
    // As frequent as in texts: about one over the rank.
    spell(VOCABULARY.powf(random.f64()) as usize)
}

/// Four to ten letters.
fn spell(number: usize) -> String {
    let mut random = Rng::with_seed(number as u64);
    let length = random.usize(4..=10);
    (0..length).map(|_| random.lowercase()).collect()
}

impl Corpus {
    pub fn new(chunks: usize) -> Self {
        Self { chunks }
    }

    fn units(&self) -> usize {
        self.chunks / ROWS_IN_UNIT
    }

    /// The documents of some rows.
    pub fn documents(&self, rows: Range<usize>) -> Vec<Document> {
        rows.map(|row| self.document(row)).collect()
    }

    pub fn part(&self, source: &str, documents: Vec<Document>) -> Result<Part, PartError> {
        Part::new(part_id(source), Some(model()), documents)
    }

    fn document(&self, row: usize) -> Document {
        let unit = row / ROWS_IN_UNIT;
        let mut random = Rng::with_seed(row as u64);
        let mut terms: Vec<(Box<str>, u32)> = Vec::with_capacity(TERMS);
        let mut text = String::new();
        while terms.len() < TERMS {
            let word = word(&mut random, unit);
            text.push_str(&word);
            text.push(' ');
            match terms.iter_mut().find(|(term, _)| **term == *word) {
                Some((_, times)) => *times += 1,
                None => terms.push((word.into(), 1)),
            }
        }
        let mut content = [0; 32];
        content[..4].copy_from_slice(&(row as u32).to_le_bytes());
        Document {
            namespace: Namespace::Chunks,
            id: format!("chunk-{row:014}").into(),
            units: vec![unit_name(unit)],
            tier: None,
            terms,
            vector: Some(vector(row)),
            content,
            passage: Some(Passage {
                source: format!("source-{}", unit / 10).into(),
                title: "A book of generated words".into(),
                chunk_type: "text".into(),
                section_kind: "explanation".into(),
                section: format!("Section {}", row / 10).into(),
                url: format!("https://books.example/{}", row / 10).into(),
                page: 1,
                start_ms: None,
                text: text.into(),
            }),
        }
    }

    /// All vectors, row after row.
    pub fn vectors(&self) -> Vec<f32> {
        let mut vectors = Vec::with_capacity(self.chunks * DIMENSION);
        for row in 0..self.chunks {
            vectors.extend(vector(row));
        }
        vectors
    }

    /// Searches of 12 words and a vector in six random units.
    pub fn searches(&self, count: usize) -> Vec<(Query, Filter)> {
        let mut random = Rng::with_seed(11);
        let search = |_| {
            let units: Vec<usize> = (0..6).map(|_| random.usize(0..self.units())).collect();
            let mut terms: Vec<(Box<str>, f64)> = Vec::new();
            while terms.len() < 12 {
                let term: Box<str> = word(&mut random, units[0]).into();
                if terms.iter().all(|(other, _)| *other != term) {
                    terms.push((term, 1.0));
                }
            }
            let seed = units[0] as u64 ^ random.u64(..) << 32;
            let vector = blend(units[0] as u64, seed, 1.0).into();
            let query = Query {
                terms: terms.into(),
                vector: Some(vector),
                ..Query::default()
            };
            let units = units.into_iter().map(unit_name).collect();
            (
                query,
                Filter {
                    units: Some(units),
                    tier: None,
                },
            )
        };
        (0..count).map(search).collect()
    }
}

fn unit_name(unit: usize) -> Box<str> {
    format!("unit-{unit:05}").into()
}

/// A row's vector: that of its unit, and as much of its own.
fn vector(row: usize) -> Vec<f32> {
    blend((row / ROWS_IN_UNIT) as u64, (row as u64) << 32 | 1, 1.0)
}

/// Two random directions, one `share` times as strong, to length 1.
fn blend(one: u64, other: u64, share: f32) -> Vec<f32> {
    let (mut one, mut other) = (Rng::with_seed(one), Rng::with_seed(other));
    let mut value = || (one.f32() - 0.5) + share * (other.f32() - 0.5);
    let values: Vec<f32> = (0..DIMENSION).map(|_| value()).collect();
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.iter().map(|value| value / length).collect()
}
