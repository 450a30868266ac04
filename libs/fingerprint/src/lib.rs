//! Tells whether one text repeats another without holding the other: hashes of runs of letters, and of expressions.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`Letters`] | a text as its letters alone, in one spelling: case, spaces, punctuation between letters, accents, look-alikes of other scripts and digits for letters make no difference |
//! | [`runs`], [`RunSet`] | the hashed runs of a text that must not be repeated; those that another text holds |
//! | [`expression`] | one hash of an expression, however it is spaced, bracketed or ordered |
//! | [`phrase`], [`Words`] | one hash of a few whole words; those that a text holds |
//! | [`verbatim`] | one hash of a text as it stands |
//!
//! Whoever holds the hashes cannot read the text. Hashes are the same on every machine: two services compare them.

mod expression;
mod letters;
mod phrases;
mod runs;

pub use expression::expression;
pub use letters::Letters;
pub use phrases::{Words, phrase};
pub use runs::{Found, RUN, RunSet, runs};

/// One hash of a text as it stands.
#[must_use]
pub fn verbatim(text: &str) -> u64 {
    hash(text.bytes())
}

/// FNV-1a, 64 bit.
fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
