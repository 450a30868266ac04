//! How good mappings are: the usual figures over queries whose units are known.

use std::collections::BTreeSet;

/// Figures over a set of queries, each 0 to 1 when read.
#[derive(Default)]
pub struct Quality {
    pub queries: usize,
    first: usize,
    in_three: usize,
    in_six: usize,
    reciprocal: f64,
}

impl Quality {
    /// Counts one answer, best unit first.
    pub fn add<'a>(&mut self, mapped: impl IntoIterator<Item = &'a str>, right: &BTreeSet<String>) {
        self.queries += 1;
        let Some(place) = mapped.into_iter().position(|unit| right.contains(unit)) else {
            return;
        };
        self.first += usize::from(place < 1);
        self.in_three += usize::from(place < 3);
        self.in_six += usize::from(place < 6);
        self.reciprocal += 1.0 / (place + 1) as f64;
    }

    /// The part of queries whose first unit is right.
    pub fn recall_at_1(&self) -> f64 {
        self.first as f64 / self.queries as f64
    }

    /// The part of queries with a right unit among the first three.
    pub fn hit_at_3(&self) -> f64 {
        self.in_three as f64 / self.queries as f64
    }

    /// The part of queries with a right unit among the first six.
    pub fn hit_at_6(&self) -> f64 {
        self.in_six as f64 / self.queries as f64
    }

    /// The mean reciprocal rank of the first right unit among the first six.
    pub fn mrr(&self) -> f64 {
        self.reciprocal / self.queries as f64
    }
}
