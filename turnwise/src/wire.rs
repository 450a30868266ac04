//! Messages of the wire as JSON, in protobuf's own spelling, and back.

use anyhow::{Context, Result};
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor, SerializeOptions,
    prost::Message,
};
use turnwise_proto::DESCRIPTORS;

/// A message as JSON, for people. `name` is its full name, such as `turnwise.policy.v1.Policy`.
///
/// # Errors
///
/// If there is no message of this name.
pub fn to_json(name: &str, message: &impl Message) -> Result<String> {
    let dynamic = DynamicMessage::decode(descriptor(name)?, message.encode_to_vec().as_slice())
        .with_context(|| format!("this is no {name}"))?;
    let mut json = serde_json::Serializer::pretty(Vec::new());
    let options = SerializeOptions::new().skip_default_fields(true);
    dynamic.serialize_with_options(&mut json, &options)?;
    Ok(String::from_utf8(json.into_inner())?)
}

/// A message from JSON.
///
/// # Errors
///
/// If there is no message of this name, or the JSON is none of it; the error says where.
pub fn from_json<M: Message + Default>(name: &str, json: &[u8]) -> Result<M> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let options = DeserializeOptions::new().deny_unknown_fields(true);
    let dynamic =
        DynamicMessage::deserialize_with_options(descriptor(name)?, &mut reader, &options)
            .with_context(|| format!("this is no JSON of a {name}"))?;
    reader.end()?;
    Ok(dynamic.transcode_to()?)
}

fn descriptor(name: &str) -> Result<MessageDescriptor> {
    DescriptorPool::decode(DESCRIPTORS)?
        .get_message_by_name(name)
        .with_context(|| format!("there is no message {name}"))
}
