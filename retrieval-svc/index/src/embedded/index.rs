//! An open index: which rows of its parts belong to each unit.

use std::{
    collections::{HashMap, HashSet},
    future::ready,
};

use super::{Held, search};
use crate::{
    document::Namespace,
    engine::{BoxFuture, Content, EngineError, Filter, Hit, Index, Query},
};

/// An index over parts in memory.
#[derive(Debug)]
pub(super) struct EmbeddedIndex {
    content: Content,
    /// How many values the vectors have; `None`: there are none.
    pub(super) dimension: Option<usize>,
    /// The parts, in the order in which they are looked through.
    pub(super) held: Vec<Held>,
    directories: [Directory; Namespace::ALL.len()],
}

/// Where the rows of each unit of a namespace are.
#[derive(Debug, Default)]
pub(super) struct Directory {
    /// For each unit, the parts that name it, and the unit's place in each part's table.
    pub(super) units: HashMap<Box<str>, Vec<(u32, u32)>>,
    /// For each part, its rows whose ids an earlier part has, rising; empty if there is no such row at all.
    hidden: Vec<Vec<u32>>,
}

impl Directory {
    fn of(held: &[Held], namespace: Namespace) -> Self {
        let mut units: HashMap<Box<str>, Vec<(u32, u32)>> = HashMap::new();
        for (part, held) in (0..).zip(held) {
            let table = held.part.table(namespace);
            for (place, unit) in (0..).zip(table.units().iter()) {
                match units.get_mut(unit) {
                    Some(places) => places.push((part, place)),
                    None => {
                        units.insert(unit.into(), vec![(part, place)]);
                    }
                }
            }
        }
        Self {
            units,
            hidden: hidden(held, namespace),
        }
    }

    /// The rows of a part that are not found, because an earlier part has their ids; rising.
    pub(super) fn hidden(&self, part: usize) -> &[u32] {
        self.hidden.get(part).map_or(&[], Vec::as_slice)
    }
}

/// For each part, its rows whose ids an earlier part has.
fn hidden(held: &[Held], namespace: Namespace) -> Vec<Vec<u32>> {
    let tables = || held.iter().map(|held| held.part.table(namespace));
    if tables().filter(|table| table.len() > 0).count() < 2 {
        return Vec::new();
    }
    let mut seen = HashSet::with_capacity(tables().map(|table| table.len()).sum());
    let hidden: Vec<Vec<u32>> = tables()
        .map(|table| {
            let rows = 0..table.len();
            let hidden = rows.filter(|row| !seen.insert(table.id(*row)));
            // Rows are counted in u32.
            hidden.map(|row| row as u32).collect()
        })
        .collect();
    if hidden.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    hidden
}

impl EmbeddedIndex {
    pub(super) fn new(content: Content, held: Vec<Held>, dimension: Option<usize>) -> Self {
        let directories = Namespace::ALL.map(|namespace| Directory::of(&held, namespace));
        Self {
            content,
            dimension,
            held,
            directories,
        }
    }

    /// Where the rows of a namespace are.
    pub(super) fn directory(&self, namespace: Namespace) -> &Directory {
        &self.directories[namespace as usize]
    }

    /// The terms of a query that a row holds.
    fn matching(&self, namespace: Namespace, hit: &Hit, query: &Query) -> Vec<Box<str>> {
        let Some((part, row)) = self.find(namespace, hit) else {
            return Vec::new();
        };
        let part = &self.held[part].part;
        let terms = part.table(namespace).terms().packed(row).1;
        let holds = |term: &str| {
            let place = part.find_term(term);
            place.is_some_and(|place| {
                let found = terms.binary_search_by_key(&place, |packed| packed >> 8);
                found.is_ok()
            })
        };
        let matching = query.terms.iter().filter(|(term, _)| holds(term));
        matching.map(|(term, _)| term.clone()).collect()
    }

    /// The part and row of a hit.
    fn find(&self, namespace: Namespace, hit: &Hit) -> Option<(usize, usize)> {
        let directory = self.directory(namespace);
        let places = directory.units.get(hit.units.first()?)?;
        places.iter().find_map(|(part, unit)| {
            let part = *part as usize;
            let table = self.held[part].part.table(namespace);
            let hidden = |row: usize| directory.hidden(part).contains(&(row as u32));
            (table.first_in(*unit as usize, None))
                .find(|row| table.id(*row) == &*hit.id && !hidden(*row))
                .map(|row| (part, row))
        })
    }
}

impl Index for EmbeddedIndex {
    fn content(&self) -> &Content {
        &self.content
    }

    fn search<'a>(
        &'a self,
        namespace: Namespace,
        query: &'a Query,
        filter: &'a Filter,
        top: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, EngineError>> {
        Box::pin(ready(search::search(self, namespace, query, filter, top)))
    }

    fn matched<'a>(
        &'a self,
        namespace: Namespace,
        hit: &'a Hit,
        query: &'a Query,
    ) -> BoxFuture<'a, Result<Vec<Box<str>>, EngineError>> {
        Box::pin(ready(Ok(self.matching(namespace, hit, query))))
    }
}
