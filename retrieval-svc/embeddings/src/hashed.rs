//! Vectors without a model: words, hashed. For tests of what is built on vectors; it knows nothing of meaning.

use sha2::{Digest, Sha256};
use turnwise_kit::CallContext;
use turnwise_retrieval_index::{BoxFuture, ModelId};

use crate::{EmbedError, Embedder, Purpose, embedder::check_texts, vector::unit};

/// Each word, in lower case, adds one to one of the numbers, up or down; the same text gives the same vector everywhere.
/// Texts that share words are near each other.
#[derive(Debug, Clone)]
pub struct HashedWords {
    model: ModelId,
}

impl HashedWords {
    /// With vectors of so many numbers, at least 1.
    pub fn new(dimension: usize) -> Self {
        Self {
            model: ModelId {
                name: "hashed-words".into(),
                digest: format!("hashed-words/{dimension}").into(),
                dimension,
            },
        }
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let dimension = self.model.dimension.max(1);
        let mut numbers = vec![0.0f32; dimension];
        let words = text.split(|c: char| !c.is_alphanumeric());
        for word in words.filter(|word| !word.is_empty()) {
            let (place, sign) = place(&word.to_lowercase(), dimension);
            numbers[place] += sign;
        }
        // Words may cancel each other out, and a text may have none.
        if numbers.iter().all(|x| *x == 0.0) {
            numbers[place(text, dimension).0] = 1.0;
        }
        unit(numbers, dimension)
    }
}

fn place(word: &str, dimension: usize) -> (usize, f32) {
    let digest = Sha256::digest(word.as_bytes());
    let number = digest[..8].iter().fold(0usize, |sum, byte| {
        sum.wrapping_mul(256).wrapping_add(usize::from(*byte))
    });
    (
        number % dimension,
        if digest[8] & 1 == 0 { 1.0 } else { -1.0 },
    )
}

impl Embedder for HashedWords {
    fn describe<'a>(
        &'a self,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<ModelId>, EmbedError>> {
        Box::pin(async { Ok(Some(self.model.clone())) })
    }

    fn embed<'a>(
        &'a self,
        texts: Vec<Box<str>>,
        _: Purpose,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            check_texts(&texts)?;
            texts.iter().map(|text| self.vector(text)).collect()
        })
    }
}
