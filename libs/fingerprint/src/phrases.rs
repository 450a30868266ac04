//! A few whole words, as one hash.

use crate::{Letters, hash};

/// The most words of a phrase that is looked for.
const MOST_WORDS: usize = 12;

/// The hash of a phrase; `None` where it has no word or more than twelve.
#[must_use]
pub fn phrase(text: &str) -> Option<u64> {
    let words = Words::of(text).0;
    (1..=MOST_WORDS)
        .contains(&words.len())
        .then(|| joined(&words))
}

fn joined(words: &[u64]) -> u64 {
    words.iter().fold(0, |all: u64, word| {
        (all.rotate_left(13) ^ word).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The words of a text.
#[derive(Debug, Clone, Default)]
pub struct Words(Vec<u64>);

impl Words {
    /// The words of a text, in the spelling of [`Letters`].
    #[must_use]
    pub fn of(text: &str) -> Self {
        let letters = Letters::of(text);
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
            let most = (self.0.len() - start).min(MOST_WORDS);
            (1..=most).map(move |count| joined(&self.0[start..start + count]))
        })
    }
}
