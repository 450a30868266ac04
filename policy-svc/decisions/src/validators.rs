//! Compiled schemas, kept: to compile one costs more than all other work on a reply, and the same few come again and
//! again, as students of a course move through the same units.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use jsonschema::{Draft, ValidationError, Validator};
use serde_json::Value;

/// The most schemas that are kept; then all are forgotten, so that memory stays bounded.
const MOST: usize = 256;

static COMPILED: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// The validator of a schema.
pub(crate) fn validator(schema: &Value) -> Result<Arc<Validator>, ValidationError<'static>> {
    let text = schema.to_string();
    let known = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(validator) = known().get(&text) {
        return Ok(Arc::clone(validator));
    }
    let validator = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .build(schema)?;
    let validator = Arc::new(validator);
    let mut known = known();
    if known.len() >= MOST {
        known.clear();
    }
    known.insert(text, Arc::clone(&validator));
    Ok(validator)
}
