//! JSON Schemas that constrain an output: checked once, kept as the text they came as.

use std::sync::{Arc, LazyLock, OnceLock};

use moka::{policy::EvictionPolicy, sync::Cache};
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use sha2::{Digest, Sha256};

/// The longest schema, in bytes.
pub const SCHEMA_MAX_BYTES: usize = 256 * 1024;
/// How many bytes of schemas are remembered as good. A class's turns send a few dozen different ones.
const REMEMBERED_MAX_BYTES: u64 = 4 * 1024 * 1024;
/// What an entry takes beside the schema, roughly.
const ENTRY_BYTES: usize = 256;
/// How a name begins; the SHA-256 of the schema's text follows, in hex.
const NAMED: &str = "sha256:";

/// A JSON Schema that is one JSON object and keeps the rules of its draft. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Schema(Arc<Checked>);

#[derive(Debug)]
struct Checked {
    text: Box<RawValue>,
    /// Read where a backend wants it; it then takes some ten times as much as the text.
    json: OnceLock<Value>,
}

/// Why a text is no schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// It is longer than [`SCHEMA_MAX_BYTES`].
    #[error("must hold at most 262144 bytes")]
    TooLong,
    /// It is no JSON, or JSON but no object.
    #[error("must be one JSON object")]
    NoObject,
    /// It breaks the rules of its draft, or names a draft that nobody knows.
    #[error(
        "must be a JSON Schema: a keyword holds what it may not, or `$schema` names an unknown draft"
    )]
    NoSchema,
    /// It is the name of a schema that was not read here, or is forgotten.
    #[error("names a schema that is not known here; send the schema itself")]
    Unknown,
}

/// Schemas that were found good, by their names. Only good ones stand here: a bad one is checked each time.
static GOOD: LazyLock<Cache<String, Schema>> = LazyLock::new(|| {
    Cache::builder()
        .max_capacity(REMEMBERED_MAX_BYTES)
        .weigher(|_, schema: &Schema| {
            u32::try_from(schema.as_str().len() + ENTRY_BYTES).unwrap_or(u32::MAX)
        })
        // A schema that is new is kept, however full it is here: it is asked for by its name next.
        .eviction_policy(EvictionPolicy::lru())
        .build()
});

impl Schema {
    /// Reads a schema, or finds the one that is named: `sha256:` and the SHA-256 of its text in hex. Which draft it is,
    /// `$schema` says; without it, 2020-12.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        if text.len() > SCHEMA_MAX_BYTES {
            return Err(SchemaError::TooLong);
        }
        if text.starts_with(NAMED) {
            return GOOD.get(text).ok_or(SchemaError::Unknown);
        }
        let name = format!("{NAMED}{}", hex::encode(Sha256::digest(text)));
        if let Some(schema) = GOOD.get(&name) {
            return Ok(schema);
        }
        let raw: Box<RawValue> = serde_json::from_str(text).map_err(|_| SchemaError::NoObject)?;
        let value: Value = serde_json::from_str(raw.get()).map_err(|_| SchemaError::NoObject)?;
        if !value.is_object() {
            return Err(SchemaError::NoObject);
        }
        jsonschema::meta::validate(&value).map_err(|_| SchemaError::NoSchema)?;
        let schema = Self(Arc::new(Checked {
            text: raw,
            json: OnceLock::new(),
        }));
        GOOD.insert(name, schema.clone());
        Ok(schema)
    }

    /// Builds what schemas are checked with, some milliseconds of work, so that no caller waits for it.
    pub(crate) fn make_ready() {
        // It is a good one, and remembered as such.
        let _ = Self::parse("{}");
    }

    /// The schema's text, as it came.
    pub fn as_str(&self) -> &str {
        self.0.text.get()
    }

    /// The schema as JSON; an object.
    pub(crate) fn as_json(&self) -> &Value {
        // It was read before.
        let read = || serde_json::from_str(self.as_str()).unwrap_or_default();
        self.0.json.get_or_init(read)
    }
}

impl Serialize for Schema {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.text.serialize(serializer)
    }
}
