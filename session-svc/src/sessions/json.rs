//! Stored messages as protobuf's own JSON, for exports and archives: whole, whatever fields they have.

use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage};
use serde_json::Value;

use crate::error::SessionError;

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(turnwise_proto::DESCRIPTORS).unwrap_or_else(|_| DescriptorPool::new())
});

/// The message; `name` is its full name.
pub(super) fn json(name: &'static str, message: &impl Message) -> Result<Value, SessionError> {
    let unreadable = |error: &dyn std::fmt::Display| {
        tracing::error!(%error, name, "a record cannot be written as JSON");
        SessionError::RecordCorrupted { record: name }
    };
    let descriptor = POOL
        .get_message_by_name(name)
        .ok_or_else(|| unreadable(&"it has no descriptor"))?;
    let message = DynamicMessage::decode(descriptor, message.encode_to_vec().as_slice())
        .map_err(|error| unreadable(&error))?;
    serde_json::to_value(&message).map_err(|error| unreadable(&error))
}
