//! Strict reading of untrusted JSON: one object, no key twice, bounded size and depth.

use std::{cell::Cell, fmt};

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The most bytes that are looked at.
pub const MOST_BYTES: usize = 64 * 1024;

/// The deepest nesting; the contract itself needs four levels.
pub const MOST_DEPTH: usize = 8;

/// Why bytes are not one acceptable JSON object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonFault {
    /// More than [`MOST_BYTES`].
    TooLong,
    /// No JSON, or something after it.
    NotJson,
    /// JSON, but no object.
    NotAnObject,
    /// An object holds a key twice, so that readers could differ about it.
    DuplicateKey,
    /// Nested deeper than [`MOST_DEPTH`].
    TooDeep,
}

/// Reads one JSON object.
pub fn read_object(bytes: &[u8]) -> Result<Map<String, Value>, JsonFault> {
    if bytes.len() > MOST_BYTES {
        return Err(JsonFault::TooLong);
    }
    let fault = Cell::new(JsonFault::NotJson);
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let strict = Strict {
        depth: 0,
        fault: &fault,
    };
    let value = strict.deserialize(&mut reader).map_err(|_| fault.get())?;
    reader.end().map_err(|_| JsonFault::NotJson)?;
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(JsonFault::NotAnObject),
    }
}

/// Builds a value and notes why it stopped; serde's own errors mean that it is no JSON.
#[derive(Clone, Copy)]
struct Strict<'a> {
    depth: usize,
    fault: &'a Cell<JsonFault>,
}

impl Strict<'_> {
    fn refuse<E: Error>(self, fault: JsonFault) -> E {
        self.fault.set(fault);
        E::custom("refused")
    }

    fn deeper<E: Error>(self) -> Result<Self, E> {
        if self.depth == MOST_DEPTH {
            return Err(self.refuse(JsonFault::TooDeep));
        }
        Ok(Self {
            depth: self.depth + 1,
            ..self
        })
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(self.refuse(JsonFault::DuplicateKey));
            }
            let value = entries.next_value_seed(inner)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}
