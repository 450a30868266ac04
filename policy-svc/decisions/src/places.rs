//! A set of places on a course's path, a bit for each.

use crate::course::Course;

/// Places on the path of one course.
#[derive(Debug, Clone)]
pub(crate) struct Places(Vec<u64>);

impl Places {
    /// The empty set, with room for every place of this course's path.
    pub(crate) fn none_of(course: &Course) -> Self {
        Self(vec![0; course.path().len().div_ceil(64)])
    }

    /// Adds a place; whether it is new. One that no path of this course has is never new.
    pub(crate) fn insert(&mut self, place: usize) -> bool {
        let Some(bits) = self.0.get_mut(place / 64) else {
            return false;
        };
        let bit = 1 << (place % 64);
        let is_new = *bits & bit == 0;
        *bits |= bit;
        is_new
    }

    /// Whether a place is in the set.
    pub(crate) fn contains(&self, place: usize) -> bool {
        self.0
            .get(place / 64)
            .is_some_and(|bits| bits & (1 << (place % 64)) != 0)
    }

    /// The first place that is not in the set; it may lie behind the path.
    pub(crate) fn first_free(&self) -> usize {
        let free = self.0.iter().enumerate().find_map(|(i, bits)| {
            (*bits != u64::MAX).then_some(i * 64 + bits.trailing_ones() as usize)
        });
        free.unwrap_or(self.0.len() * 64)
    }

    /// The places that are not before this one, from the first.
    pub(crate) fn iter_from(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        let words = self.0.iter().enumerate().skip(first / 64);
        words.flat_map(move |(i, &bits)| {
            let before = if i == first / 64 { first % 64 } else { 0 };
            let mut rest = bits & (u64::MAX << before);
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(i * 64 + bit)
            })
        })
    }
}
