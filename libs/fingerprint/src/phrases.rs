//! A few whole words, as one hash.

use crate::{Letters, hash};

/// The most words of a phrase that is looked for.
const MOST_WORDS: usize = 12;

/// The hash of a phrase; `None` where it has no word or more than twelve.
#[must_use]
pub fn phrase(text: &str) -> Option<u64> {
    let words = Words::of(&Letters::of(text)).0;
    let is_phrase = (1..=MOST_WORDS).contains(&words.len());
    is_phrase.then(|| joined(&words).last()).flatten()
}

/// The hash of the first word, of the first two, and so on.
fn joined(words: &[u64]) -> impl Iterator<Item = u64> + '_ {
    words.iter().scan(0, |all: &mut u64, word| {
        *all = (all.rotate_left(13) ^ word).wrapping_mul(0x0100_0000_01b3);
        Some(*all)
    })
}

/// The words of a text.
#[derive(Debug, Clone, Default)]
pub struct Words(Vec<u64>);

impl Words {
    /// The words of a text.
    #[must_use]
    pub fn of(letters: &Letters) -> Self {
        let ends = letters.word_starts.iter().skip(1).copied();
        let ends = ends.chain([letters.len()]);
        let words = letters.word_starts.iter().zip(ends);
        Self(
            words
                .map(|(start, end)| {
                    let letters = letters.letters[*start..end].iter();
                    hash(letters.flat_map(|letter| u32::from(*letter).to_le_bytes()))
                })
                .collect(),
        )
    }

    /// The hash of every phrase that stands in the text.
    pub fn phrases(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.0.len()).flat_map(move |start| {
            let end = self.0.len().min(start + MOST_WORDS);
            joined(&self.0[start..end])
        })
    }
}
