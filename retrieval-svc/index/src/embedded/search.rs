//! One search: score every row of the scope, take the best by words and by meaning, fuse.

use std::{cell::RefCell, cmp::Ordering, sync::Arc};

use super::{
    Held,
    index::EmbeddedIndex,
    scope::{self, Run},
};
use crate::{
    bm25,
    document::Namespace,
    engine::{EngineError, Filter, Hit, Index, Query},
    fusion::{self, Fused},
    vector::{self, QuantisedQuery},
};

/// A row of an index: its part and its place there. Ordered so that rows can be joined, not as they are ranked.
type Place = (u32, u32);

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Memory that searches of a thread use again.
#[derive(Default)]
struct Scratch {
    runs: Vec<Run>,
    lexical: Vec<(Place, f64)>,
    dense: Vec<(Place, f64)>,
    words: Words,
}

/// Searches an index.
pub(super) fn search(
    index: &EmbeddedIndex,
    namespace: Namespace,
    query: &Query,
    filter: &Filter,
    top: usize,
) -> Result<Vec<Hit>, EngineError> {
    query.check(index.dimension)?;
    let fused = SCRATCH.with_borrow_mut(|scratch| {
        let Scratch {
            runs,
            lexical,
            dense,
            words,
        } = scratch;
        scope::fill(runs, index, namespace, filter);
        by_words(lexical, words, runs, index, namespace, query);
        by_meaning(dense, runs, index, namespace, query);
        let id = |(part, row): Place| {
            let part = &index.held[part as usize].part;
            part.table(namespace).id(row as usize)
        };
        let ids = |one: Place, other: Place| -> Ordering { id(one).cmp(id(other)) };
        fusion::best(lexical, query.fusion.depth, ids);
        fusion::best(dense, query.fusion.depth, ids);
        fusion::fuse(lexical, dense, &query.fusion, top, ids)
    });
    let hits = fused.iter().map(|fused| hit(index, namespace, fused));
    Ok(hits.collect())
}

fn hit(index: &EmbeddedIndex, namespace: Namespace, fused: &Fused<Place>) -> Hit {
    let (part, row) = fused.key;
    let row = index.held[part as usize].part.row(namespace, row as usize);
    Hit {
        id: row.id().into(),
        units: row.units().map(Into::into).collect(),
        score: fused.score,
        lexical: fused.lexical,
        dense: fused.dense,
        passage: row.passage().map(Arc::new),
    }
}

/// The terms of a query as one part knows them.
#[derive(Default)]
struct Words {
    /// A bit for each term of the part's dictionary. Zeros between searches.
    bits: Vec<u64>,
    /// Places in the dictionary, rising, each with what a saturation of 1 is worth.
    worth: Vec<(u32, f64)>,
}

impl Words {
    fn set(&mut self, held: &Held, query: &[(&str, f64)]) {
        let words = held.part.terms().div_ceil(64);
        if self.bits.len() < words {
            self.bits.resize(words, 0);
        }
        let known = query.iter().filter_map(|(term, worth)| {
            let place = held.part.find_term(term)?;
            Some((place, *worth))
        });
        self.worth.extend(known);
        self.worth.sort_unstable_by_key(|(place, _)| *place);
        for (place, _) in &self.worth {
            self.bits[*place as usize / 64] |= 1 << (place % 64);
        }
    }

    fn clear(&mut self) {
        for (place, _) in self.worth.drain(..) {
            self.bits[place as usize / 64] = 0;
        }
    }
}

/// Puts the rows that hold a term of the query into `found`, with their BM25 scores: terms are added ascending by bytes.
fn by_words(
    found: &mut Vec<(Place, f64)>,
    words: &mut Words,
    runs: &[Run],
    index: &EmbeddedIndex,
    namespace: Namespace,
    query: &Query,
) {
    found.clear();
    let statistics = &index.content().statistics;
    let terms: Vec<(&str, f64)> = query
        .terms
        .iter()
        .map(|(term, weight)| (&**term, weight * statistics.idf(namespace, term)))
        .filter(|(_, worth)| *worth > 0.0)
        .collect();
    if terms.is_empty() {
        return;
    }
    for runs in runs.chunk_by(|one, other| one.part == other.part) {
        let Some(part) = runs.first().map(|run| run.part) else {
            continue;
        };
        let held = &index.held[part];
        words.set(held, &terms);
        if !words.worth.is_empty() {
            for run in runs {
                score_words(found, words, held, namespace, run);
            }
        }
        words.clear();
    }
}

fn score_words(
    found: &mut Vec<(Place, f64)>,
    words: &Words,
    held: &Held,
    namespace: Namespace,
    run: &Run,
) {
    let table = held.part.table(namespace);
    let terms = table.terms();
    for row in run.rows.clone() {
        let (start, packed) = terms.packed(row);
        let mut score = 0.0;
        let mut worth = words.worth.iter();
        let mut damping = None;
        for (at, packed) in (start..).zip(packed) {
            let place = packed >> 8;
            if words.bits[place as usize / 64] >> (place % 64) & 1 == 0 {
                continue;
            }
            let Some((_, worth)) = worth.find(|(term, _)| *term == place) else {
                break;
            };
            let damping = *damping
                .get_or_insert_with(|| bm25::damping(terms.length(row), table.average_length()));
            let (_, times) = terms.unpack(*packed, at);
            score += worth * bm25::saturation(times, damping);
        }
        if score > 0.0 {
            found.push((place_of(run, row), score));
        }
    }
}

/// Puts the rows that have a vector into `found`, with their similarities.
fn by_meaning(
    found: &mut Vec<(Place, f64)>,
    runs: &[Run],
    index: &EmbeddedIndex,
    namespace: Namespace,
    query: &Query,
) {
    found.clear();
    let Some(vector) = query.vector.as_deref() else {
        return;
    };
    let mut quantised_query = None;
    for run in runs {
        let held = &index.held[run.part];
        let flags = held.part.table(namespace).flags();
        let rows = run.rows.clone().filter(|row| flags[*row].vector());
        if let Some(quantised) = &held.quantised {
            let query = quantised_query.get_or_insert_with(|| QuantisedQuery::of(vector));
            let quantised = &quantised[namespace as usize];
            found.extend(rows.map(|row| (place_of(run, row), quantised.dot(row, query))));
        } else {
            let matrix = held.part.matrix(namespace);
            found.extend(rows.map(|row| {
                let start = row * vector.len();
                let similarity = vector::dot(&matrix[start..start + vector.len()], vector);
                // Adding zero makes one zero of the two.
                (place_of(run, row), f64::from(similarity) + 0.0)
            }));
        }
    }
}

/// Parts and rows are counted in u32.
fn place_of(run: &Run, row: usize) -> Place {
    (run.part as u32, row as u32)
}
