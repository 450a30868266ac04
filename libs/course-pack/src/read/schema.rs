//! A JSON Schema that is written as YAML.

use serde_json::Value as Json;

use crate::fault::Sink;
use crate::fields::shorten;
use crate::yaml::{Node, Value};

/// Larger than any schema that an author would read again.
const MAX_BYTES: usize = 16_384;

/// The schema; whatever keeps it from being one is a fault.
pub(super) fn read(node: &Node<'_>, sink: &mut Sink<'_>) -> Option<Json> {
    let schema = json(node);
    if !schema.is_object() {
        sink.add(
            node.line,
            format!(
                "`schema` is a JSON Schema, but this is {}",
                node.value.kind()
            ),
            "write it as YAML, as in `schema: {type: object, required: [total]}`",
        );
        return None;
    }
    let bytes = schema.to_string().len();
    if bytes > MAX_BYTES {
        sink.add(
            node.line,
            format!("this schema has {bytes} bytes as JSON, but at most {MAX_BYTES} are allowed"),
            "keep what the answers rely on",
        );
        return None;
    }
    // Nothing is fetched: a reference to another document is a fault.
    if let Err(error) = jsonschema::validator_for(&schema) {
        let path = error.instance_path().as_str();
        let at = if path.is_empty() { "its top" } else { path };
        sink.add(
            line_of(node, path),
            format!(
                "this is no JSON Schema, at {at}: {}",
                shorten(&error.to_string())
            ),
            "correct it; references lead inside the schema only (`#/$defs/…`), and text that looks like a number needs \
             quotes",
        );
    }
    Some(schema)
}

/// The node as JSON. A scalar without quotes that reads as a JSON number or as `true` or `false` is that; any other is
/// text.
fn json(node: &Node<'_>) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::List(items) => items.iter().map(json).collect(),
        Value::Map(entries) => {
            let members = entries.iter();
            Json::Object(
                members
                    .map(|entry| (entry.key.to_string(), json(&entry.node)))
                    .collect(),
            )
        }
        Value::Scalar(text) => serde_json::from_str(text)
            .ok()
            .filter(|value: &Json| node.plain && (value.is_number() || value.is_boolean()))
            .unwrap_or_else(|| Json::String(text.to_string())),
    }
}

/// The line of what a JSON Pointer leads to, or of the last step on the way that is there.
fn line_of(node: &Node<'_>, pointer: &str) -> usize {
    let mut node = node;
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        let next = match &node.value {
            Value::List(items) => step.parse().ok().and_then(|n: usize| items.get(n)),
            Value::Map(entries) => entries.iter().find(|e| e.key == step).map(|e| &e.node),
            _ => None,
        };
        let Some(next) = next else { break };
        node = next;
    }
    node.line
}
