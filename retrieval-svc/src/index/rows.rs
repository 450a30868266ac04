//! The rows of one namespace, ranked within a scope.
//!
//! Each row keeps its own list of terms, and each unit its list of rows. A search visits the rows of its scope and no
//! others, so a filter cannot leak, the ranking is exact, and the cost grows with the scope.

use super::{UnitIndex, bm25::Bm25, query::Query, vocabulary::TermId};

/// The rows of one namespace.
pub(super) struct Rows {
    bm25: Bm25,
    /// By term: how much a match counts; 0 where no row holds the term.
    idf: Vec<f64>,
    /// By row: where its terms start; one more at the end.
    starts: Vec<u32>,
    /// Terms with how often they occur; ascending within a row.
    terms: Vec<(TermId, u32)>,
    /// By row: how many terms it holds, repeated ones counted.
    lengths: Vec<u32>,
    /// By row: the place of its id among all ids in ascending order.
    id_order: Vec<u32>,
    /// By unit: its rows, ascending.
    by_unit: Vec<Vec<u32>>,
}

/// A row to be indexed.
pub(super) struct Row<'a> {
    /// Its id; ties in a ranking go by it.
    pub(super) id: &'a str,
    /// The units it belongs to.
    pub(super) units: Vec<UnitIndex>,
    /// Its terms with how often they occur, ascending.
    pub(super) terms: Vec<(TermId, u32)>,
}

impl Rows {
    /// Indexes rows of a course with so many units. `vocabulary` is how many terms the course holds.
    pub(super) fn new(rows: Vec<Row<'_>>, units: usize, vocabulary: usize) -> Self {
        let mut holders = vec![0_u32; vocabulary];
        let mut starts = Vec::with_capacity(rows.len() + 1);
        let mut terms = Vec::with_capacity(rows.iter().map(|row| row.terms.len()).sum());
        let mut lengths = Vec::with_capacity(rows.len());
        let mut by_unit = vec![Vec::new(); units];
        starts.push(0);
        for (number, row) in rows.iter().enumerate() {
            for (term, _) in &row.terms {
                holders[*term as usize] += 1;
            }
            terms.extend_from_slice(&row.terms);
            starts.push(terms.len() as u32);
            lengths.push(row.terms.iter().map(|(_, times)| times).sum());
            for unit in &row.units {
                by_unit[unit.at()].push(number as u32);
            }
        }
        let mut by_id: Vec<u32> = (0..rows.len() as u32).collect();
        by_id.sort_by_key(|row| rows[*row as usize].id);
        let mut id_order = vec![0; rows.len()];
        for (place, row) in by_id.into_iter().enumerate() {
            id_order[row as usize] = place as u32;
        }
        let bm25 = Bm25::new(
            rows.len(),
            lengths.iter().map(|length| u64::from(*length)).sum(),
        );
        let idf = holders
            .into_iter()
            .map(|holders| if holders == 0 { 0.0 } else { bm25.idf(holders) })
            .collect();
        Self {
            bm25,
            idf,
            starts,
            terms,
            lengths,
            id_order,
            by_unit,
        }
    }

    /// The rows of a unit, in their own order.
    pub(super) fn of_unit(&self, unit: UnitIndex) -> impl Iterator<Item = u32> {
        self.by_unit[unit.at()].iter().copied()
    }

    /// The best rows of a scope with their scores: score descending, then id ascending. Rows that match nothing score 0
    /// and come last.
    pub(super) fn rank(
        &self,
        query: &Query,
        scope: impl Iterator<Item = u32>,
        top: usize,
    ) -> Vec<(u32, f64)> {
        let mut ranked: Vec<(u32, f64)> = scope.map(|row| (row, self.score(query, row))).collect();
        ranked.sort_unstable_by(|a, b| {
            b.1.total_cmp(&a.1)
                .then_with(|| self.id_order[a.0 as usize].cmp(&self.id_order[b.0 as usize]))
        });
        ranked.truncate(top);
        ranked
    }

    fn score(&self, query: &Query, row: u32) -> f64 {
        let row = row as usize;
        let terms = &self.terms[self.starts[row] as usize..self.starts[row + 1] as usize];
        let length = self.lengths[row];
        let mut score = 0.0;
        let mut wanted = query.terms.iter().peekable();
        // Both lists ascend: one walk over the two.
        for (term, times) in terms {
            while wanted.next_if(|(id, _)| id < term).is_some() {}
            if let Some((_, weight)) = wanted.next_if(|(id, _)| id == term) {
                score += weight * self.idf[*term as usize] * self.bm25.saturation(*times, length);
            }
        }
        score
    }
}
