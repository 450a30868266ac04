//! The whole numbers that a parameter may be.

use crate::fault::SyntaxError;
use crate::seeds::SplitMix64;

/// The most ranges and single numbers of a parameter.
const MOST_RANGES: usize = 32;

/// Ranges of whole numbers, both ends included.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choices {
    /// Each with how many numbers it has.
    ranges: Vec<(i64, u64)>,
}

impl Choices {
    pub(crate) fn add(&mut self, from: i64, to: i64) -> Result<(), SyntaxError> {
        let count = to.checked_sub(from).and_then(|far| far.checked_add(1));
        let count = count.and_then(|count| u64::try_from(count).ok());
        let Some(count) = count.filter(|count| *count > 0) else {
            return Err(SyntaxError::new(format!(
                "the range `{from}..{to}` holds no number"
            )));
        };
        if self.ranges.len() == MOST_RANGES {
            return Err(SyntaxError::new(format!(
                "there are more than {MOST_RANGES} ranges"
            )));
        }
        self.ranges.push((from, count));
        Ok(())
    }

    /// One of the numbers, each as likely as the others.
    pub(crate) fn draw(&self, numbers: &mut SplitMix64) -> i64 {
        let count: u64 = self.ranges.iter().map(|(_, count)| count).sum();
        let mut place = numbers.below(count);
        for (from, count) in &self.ranges {
            if place < *count {
                return from.saturating_add_unsigned(place);
            }
            place -= count;
        }
        0
    }
}
