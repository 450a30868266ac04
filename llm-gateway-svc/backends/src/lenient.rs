//! Fields of answers that a server may send in a form of its own.

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::Value;

/// What not every server sends, and some perhaps in another form: then there is none, and the answer counts.
pub(crate) fn if_readable<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}
