//! Vectors of length 1.

use crate::EmbedError;

/// Brings a vector to length 1.
///
/// # Errors
/// [`EmbedError::WrongLength`]; [`EmbedError::Unusable`] for one that is not finite or has no direction.
pub(crate) fn unit(mut vector: Vec<f32>, dimension: usize) -> Result<Vec<f32>, EmbedError> {
    if vector.len() != dimension {
        return Err(EmbedError::WrongLength {
            wanted: dimension,
            given: vector.len(),
        });
    }
    // In double precision no sum of squares of finite numbers overflows.
    let length = vector
        .iter()
        .map(|x| f64::from(*x) * f64::from(*x))
        .sum::<f64>()
        .sqrt();
    if !length.is_finite() {
        return Err(EmbedError::Unusable(
            "a vector holds numbers that are not finite".to_owned(),
        ));
    }
    if length == 0.0 {
        return Err(EmbedError::Unusable("a vector of zeros".to_owned()));
    }
    for x in &mut vector {
        *x = narrowed(f64::from(*x) / length);
    }
    Ok(vector)
}

/// The nearest single-precision number.
#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding to single precision is what is meant"
)]
fn narrowed(x: f64) -> f32 {
    x as f32
}
