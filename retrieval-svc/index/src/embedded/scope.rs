//! From a filter to the rows that may be found.

use std::ops::Range;

use super::index::EmbeddedIndex;
use crate::{document::Namespace, engine::Filter};

/// Rows of a part that stand next to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) part: usize,
    pub(super) rows: Range<usize>,
}

/// Puts the rows that pass a filter into `runs`, each once, by part.
pub(super) fn fill(
    runs: &mut Vec<Run>,
    index: &EmbeddedIndex,
    namespace: Namespace,
    filter: &Filter,
) {
    runs.clear();
    match &filter.units {
        None => everywhere(runs, index, namespace, filter),
        Some(units) => within(runs, index, namespace, filter, units),
    }
    hide(runs, index, namespace);
}

/// The rows of all units.
fn everywhere(runs: &mut Vec<Run>, index: &EmbeddedIndex, namespace: Namespace, filter: &Filter) {
    for (part, held) in index.held.iter().enumerate() {
        let table = held.part.table(namespace);
        if filter.tier.is_none() {
            push(runs, part, 0..table.len());
            continue;
        }
        for unit in 0..table.units().len() {
            push(runs, part, table.first_in(unit, filter.tier));
        }
    }
}

/// The rows of some units. A row with several units is taken with its first unit if that is wanted, else by itself.
fn within(
    runs: &mut Vec<Run>,
    index: &EmbeddedIndex,
    namespace: Namespace,
    filter: &Filter,
    units: &[Box<str>],
) {
    let directory = index.directory(namespace);
    let mut others = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        if units[..at].contains(unit) {
            continue;
        }
        for (part, place) in directory.units.get(unit).into_iter().flatten() {
            let (part, place) = (*part as usize, *place as usize);
            let table = index.held[part].part.table(namespace);
            push(runs, part, table.first_in(place, filter.tier));
            others.extend(
                table
                    .others_in(place)
                    .iter()
                    .map(|row| (part, *row as usize)),
            );
        }
    }
    others.sort_unstable();
    others.dedup();
    for (part, row) in others {
        let table = index.held[part].part.table(namespace);
        let first = table.units_of(row).first();
        let first = first.map(|place| table.units().get(*place as usize));
        let taken = first.is_some_and(|first| units.iter().any(|unit| **unit == *first));
        if !taken && (filter.tier.is_none() || table.flags()[row].tier() == filter.tier) {
            push(runs, part, row..row + 1);
        }
    }
    runs.sort_unstable_by_key(|run| (run.part, run.rows.start));
}

/// Takes out the rows whose ids an earlier part has.
fn hide(runs: &mut Vec<Run>, index: &EmbeddedIndex, namespace: Namespace) {
    let directory = index.directory(namespace);
    if runs.iter().all(|run| directory.hidden(run.part).is_empty()) {
        return;
    }
    let all = std::mem::take(runs);
    for run in all {
        let hidden = directory.hidden(run.part);
        let mut start = run.rows.start;
        let from = hidden.partition_point(|row| (*row as usize) < start);
        for row in &hidden[from..] {
            let row = *row as usize;
            if row >= run.rows.end {
                break;
            }
            push(runs, run.part, start..row);
            start = row + 1;
        }
        push(runs, run.part, start..run.rows.end);
    }
}

fn push(runs: &mut Vec<Run>, part: usize, rows: Range<usize>) {
    if !rows.is_empty() {
        runs.push(Run { part, rows });
    }
}
