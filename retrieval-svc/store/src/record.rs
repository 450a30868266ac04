//! How a record stands in the file: encoded, under a checksum over its key and itself.

use serde::{Serialize, de::DeserializeOwned};
use turnwise_embedded_file::{Damage, seal, unseal};

/// A value as it stands under a key.
pub(crate) fn encode(key: &[u8], value: &impl Serialize) -> Result<Vec<u8>, postcard::Error> {
    Ok(seal(&[key], &postcard::to_stdvec(value)?))
}

/// The value that was encoded under this key.
pub(crate) fn decode<T: DeserializeOwned>(key: &[u8], sealed: &[u8]) -> Result<T, Damage> {
    match postcard::take_from_bytes(unseal(&[key], sealed)?) {
        Ok((value, [])) => Ok(value),
        _ => Err(Damage),
    }
}
