//! The matrix of the vectors of a table.

use super::{PartError, table::Table};
use crate::{engine::ModelId, vector};

/// Puts vectors into the matrix of a table, whose rows come one after the other; `None` is a row that shall have none.
pub(super) fn matrix(
    table: &Table,
    model: Option<&ModelId>,
    vectors: impl Iterator<Item = Option<Vec<f32>>>,
) -> Result<Box<[f32]>, PartError> {
    let mut values = Vec::new();
    let Some(model) = model else {
        return Ok(values.into());
    };
    if table.flags().iter().any(|flags| flags.vector()) {
        values.reserve_exact(table.len() * model.dimension);
        for (row, vector) in vectors.enumerate() {
            match vector {
                Some(vector) => {
                    if let Some(problem) = vector::problem(&vector, model.dimension) {
                        return Err(document(table.id(row), problem));
                    }
                    values.extend_from_slice(&vector);
                }
                None => values.resize(values.len() + model.dimension, 0.0),
            }
        }
    }
    Ok(values.into())
}

/// A document that breaks a bound.
pub(super) fn document(id: &str, problem: impl Into<String>) -> PartError {
    PartError::Document {
        id: id.to_owned(),
        problem: problem.into(),
    }
}
