//! What comes back from a model that turns texts into vectors, and what is refused of it.

use crate::failure::Problem;

/// The most numbers of one vector. Models in use give 384 to 4,096.
pub const DIMENSIONS_MAX: usize = 16_384;

/// The vectors of some texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Embeddings {
    /// One vector for each text, in the order of the texts; all of one length, every number finite.
    pub vectors: Vec<Vec<f32>>,
    /// The model that was really used.
    pub model: String,
    /// Tokens of the texts; 0 where the backend did not count.
    pub input_tokens: u32,
}

/// Refuses vectors that are not one for each of `texts` texts, all of one length, and finite.
pub(crate) fn checked(embeddings: Embeddings, texts: usize) -> Result<Embeddings, Problem> {
    let vectors = &embeddings.vectors;
    if vectors.len() != texts {
        return Err(Problem::WrongCount);
    }
    let length = vectors.first().map_or(0, Vec::len);
    let lengths = 1..=DIMENSIONS_MAX;
    if !lengths.contains(&length) || vectors.iter().any(|vector| vector.len() != length) {
        return Err(Problem::WrongLength);
    }
    if vectors.iter().flatten().any(|number| !number.is_finite()) {
        return Err(Problem::NotFinite);
    }
    Ok(embeddings)
}
