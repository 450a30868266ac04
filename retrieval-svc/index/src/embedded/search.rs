//! One search: score every row of the scope, take the best by words and by meaning, fuse.

use std::{cell::RefCell, cmp::Ordering, sync::Arc};

use super::{
    index::EmbeddedIndex,
    scope::{self, Run},
    words::Words,
};
use crate::{
    document::Namespace,
    engine::{EngineError, Filter, Hit, Index, Query},
    fusion::{self, Fused},
    vector::{self, ABREAST, QuantisedQuery},
};

/// A row of an index: its part and its place there. Ordered so that rows can be joined, not as they are ranked.
type Place = u64;

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
        let id = |place: Place| {
            let (part, row) = parted(place);
            index.held[part].part.table(namespace).id(row)
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
    let (part, row) = parted(fused.key);
    let row = index.held[part].part.row(namespace, row);
    Hit {
        id: row.id().into(),
        units: row.units().map(Into::into).collect(),
        score: fused.score,
        lexical: fused.lexical,
        dense: fused.dense,
        passage: row.passage().map(Arc::new),
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
        let part = &index.held[part].part;
        words.set(part, &terms);
        let table = part.table(namespace);
        for run in runs {
            let rows = run.rows.clone();
            words.score(table, rows, |row, score| {
                found.push((place_of(run, row), score))
            });
        }
        words.clear();
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
            continue;
        }
        let matrix = held.part.matrix(namespace);
        if matrix.is_empty() {
            continue;
        }
        let values = |row: usize| &matrix[row * vector.len()..(row + 1) * vector.len()];
        let mut add = |row: usize, similarity: f32| {
            if flags[row].vector() {
                // Adding zero makes one zero of the two.
                found.push((place_of(run, row), f64::from(similarity) + 0.0));
            }
        };
        let quarter = run.rows.len() / ABREAST;
        for first in run.rows.start..run.rows.start + quarter {
            let rows: [usize; ABREAST] = std::array::from_fn(|which| first + which * quarter);
            for (row, similarity) in rows.into_iter().zip(vector::dots(rows.map(values), vector)) {
                add(row, similarity);
            }
        }
        for row in run.rows.start + quarter * ABREAST..run.rows.end {
            add(row, vector::dot(values(row), vector));
        }
    }
}

/// The place of a row. Parts and rows are counted in u32.
fn place_of(run: &Run, row: usize) -> Place {
    (run.part as u64) << 32 | row as u64
}

/// The part and the row of a place.
fn parted(place: Place) -> (usize, usize) {
    ((place >> 32) as usize, place as u32 as usize)
}
