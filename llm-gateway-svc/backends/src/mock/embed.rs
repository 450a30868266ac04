//! The mock's embeddings: unit vectors in which texts with the same words and parts of words are near each other.

use std::{str::FromStr, time::Duration};

use super::model::{Failing, UnknownMock, failing, pause};

/// The length of a vector.
pub const DIMENSIONS: usize = 64;
/// The longest vector that a name may ask for.
const MAX_DIMENSIONS: usize = 4_096;

/// A model of the mock for embeddings; the table in the module above says what each answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedModel {
    /// `mock` and `mock:length:<n>`
    Well {
        /// The length of a vector.
        dimensions: usize,
    },
    /// `mock:break:<fault>`
    Break(Fault),
    /// `mock:stall`
    Stall,
    /// `mock:status:<status>`
    Fail(Failing),
    /// `mock:delay:<ms>`
    Delay(Duration),
}

/// What can be wrong with embeddings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One vector is missing.
    WrongCount,
    /// The last vector is shorter than the others.
    UnequalLengths,
    /// The vectors hold no number.
    EmptyVectors,
    /// The last number is none.
    NotFinite,
}

impl Fault {
    /// All faults and their names.
    pub const ALL: [(&'static str, Self); 4] = [
        ("wrong_count", Self::WrongCount),
        ("unequal_lengths", Self::UnequalLengths),
        ("empty_vectors", Self::EmptyVectors),
        ("not_finite", Self::NotFinite),
    ];

    /// Spoils good vectors.
    pub(super) fn spoil(self, vectors: &mut Vec<Vec<f32>>) {
        match self {
            Self::WrongCount => drop(vectors.pop()),
            Self::UnequalLengths => {
                // A single vector is unequal to none.
                if let [.., _, last] = vectors.as_mut_slice() {
                    last.pop();
                } else {
                    vectors.iter_mut().for_each(Vec::clear);
                }
            }
            Self::EmptyVectors => vectors.iter_mut().for_each(Vec::clear),
            Self::NotFinite => {
                if let Some(number) = vectors.last_mut().and_then(|vector| vector.last_mut()) {
                    *number = f32::NAN;
                }
            }
        }
    }
}

impl FromStr for EmbedModel {
    type Err = UnknownMock;

    fn from_str(name: &str) -> Result<Self, UnknownMock> {
        let mut parts = name.splitn(3, ':');
        let (head, kind, argument) = (parts.next(), parts.next(), parts.next());
        if head != Some("mock") {
            return Err(UnknownMock);
        }
        match (kind, argument) {
            (None, None) => Ok(Self::Well {
                dimensions: DIMENSIONS,
            }),
            (Some("length"), Some(length)) => match length.parse() {
                Ok(dimensions @ 1..=MAX_DIMENSIONS) => Ok(Self::Well { dimensions }),
                _ => Err(UnknownMock),
            },
            (Some("break"), Some(fault)) => Fault::ALL
                .iter()
                .find(|(name, _)| *name == fault)
                .map(|(_, fault)| Self::Break(*fault))
                .ok_or(UnknownMock),
            (Some("stall"), None) => Ok(Self::Stall),
            (Some("status"), Some(status)) => failing(status).map(Self::Fail),
            (Some("delay"), Some(ms)) => pause(ms).map(Self::Delay),
            _ => Err(UnknownMock),
        }
    }
}

/// The vector of a text: its words count two, every three letters in a row within a word one, each in a place and with a
/// sign that their hash says (Weinberger and others, "Feature Hashing for Large Scale Multitask Learning", 2009).
pub(super) fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0.0; dimensions];
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphanumeric()) {
        if word.is_empty() {
            continue;
        }
        add(&mut vector, word.as_bytes(), 2.0);
        let letters: Vec<char> = word.chars().collect();
        for three in letters.windows(3) {
            let three: String = three.iter().collect();
            add(&mut vector, three.as_bytes(), 1.0);
        }
    }
    if vector.iter().all(|number| *number == 0.0) {
        // No word at all, or all of them cancel out.
        let place = place(text.as_bytes(), dimensions);
        vector[place] = 1.0;
    }
    let length = vector
        .iter()
        .map(|number| number * number)
        .sum::<f32>()
        .sqrt();
    for number in &mut vector {
        *number /= length;
    }
    vector
}

fn add(vector: &mut [f32], feature: &[u8], weight: f32) {
    let place = place(feature, vector.len());
    let sign = if hash(feature) >> 63 == 0 { 1.0 } else { -1.0 };
    vector[place] += sign * weight;
}

fn place(feature: &[u8], dimensions: usize) -> usize {
    // The remainder is below the length of a vector.
    (hash(feature) % dimensions as u64) as usize
}

/// FNV-1a (Fowler, Noll and Vo): the same on every machine and in every version.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
