//! Whether what somebody supplied is what was asked for, and the part of it that was. It is data: nothing of it is executed,
//! and it is looked at no deeper than the bounds below.

use serde_json::Value;
use turnwise_course_pack::{ArtifactFormat, ArtifactType};

/// The most bytes that are looked at.
pub const MOST_BYTES: usize = 262_144;
/// How deep JSON may be nested.
const MOST_DEPTH: usize = 32;

/// Why something is not what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is empty.
    Empty,
    /// It, or the part that was asked for, has more bytes than this.
    TooLarge(usize),
    /// It is no JSON.
    Json,
    /// It is nested too deeply.
    Depth,
    /// It is not what the artifact's schema describes.
    Schema,
    /// It has not the part that was asked for.
    KeyPath,
    /// It holds a script where text belongs.
    Script,
    /// It holds control characters.
    Control,
}

impl Refusal {
    /// The cause as programs read it.
    #[must_use]
    pub fn cause(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLarge(_) => "too_large",
            Self::Json => "json",
            Self::Depth => "depth",
            Self::Schema => "schema",
            Self::KeyPath => "key_path",
            Self::Script => "script",
            Self::Control => "control",
        }
    }
}

/// Checks content for an artifact, and gives the part at the key path. Content that is the whole artifact is cut; anything
/// else counts as the part itself.
///
/// # Errors
/// Why it is not what was asked for.
pub fn check(artifact: &ArtifactType, key_path: &str, content: &str) -> Result<String, Refusal> {
    if content.len() > MOST_BYTES {
        return Err(Refusal::TooLarge(MOST_BYTES));
    }
    if content.trim().is_empty() {
        return Err(Refusal::Empty);
    }
    let kept = match artifact.format {
        ArtifactFormat::Json => json(artifact, key_path, content)?,
        format => {
            text(format, content)?;
            content.to_owned()
        }
    };
    let limit = usize::try_from(artifact.size_limit).unwrap_or(MOST_BYTES);
    if kept.len() > limit {
        return Err(Refusal::TooLarge(limit));
    }
    Ok(kept)
}

fn json(artifact: &ArtifactType, key_path: &str, content: &str) -> Result<String, Refusal> {
    if depth(content) > MOST_DEPTH {
        return Err(Refusal::Depth);
    }
    let value: Value = serde_json::from_str(content).map_err(|_| Refusal::Json)?;
    let steps = steps(key_path);
    let is_whole = match &artifact.schema {
        Some(schema) => fits(schema, schema, &value),
        // Without a schema, what has the part is the whole.
        None => at(&value, &steps).is_some(),
    };
    if steps.is_empty() {
        return if is_whole {
            Ok(content.to_owned())
        } else {
            Err(Refusal::Schema)
        };
    }
    if is_whole {
        return at(&value, &steps)
            .map(Value::to_string)
            .ok_or(Refusal::KeyPath);
    }
    let part = artifact
        .schema
        .as_ref()
        .map(|schema| (schema, schema_at(schema, &steps)));
    match part {
        Some((whole, Some(part))) if !fits(whole, part, &value) => Err(Refusal::Schema),
        _ => Ok(value.to_string()),
    }
}

/// Whether a value fits a part of a schema; definitions are the whole's.
fn fits(whole: &Value, part: &Value, value: &Value) -> bool {
    let mut part = part.clone();
    for name in ["$defs", "definitions"] {
        if let (Some(part), Some(known)) = (part.as_object_mut(), whole.get(name)) {
            part.entry(name).or_insert_with(|| known.clone());
        }
    }
    jsonschema::validator_for(&part).is_ok_and(|validator| validator.is_valid(value))
}

/// The steps of a key path: of a JSON pointer, or of the dotted form.
fn steps(key_path: &str) -> Vec<String> {
    if let Some(pointer) = key_path.strip_prefix('/') {
        let unescaped = |step: &str| step.replace("~1", "/").replace("~0", "~");
        return pointer.split('/').map(unescaped).collect();
    }
    let plain = key_path.replace("['", ".").replace("']", "");
    let plain = plain.replace('[', ".").replace(']', "");
    let steps = plain.split('.').filter(|step| !step.is_empty());
    steps.map(str::to_owned).collect()
}

fn at<'v>(value: &'v Value, steps: &[String]) -> Option<&'v Value> {
    steps.iter().try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        Value::Object(fields) => fields.get(step),
        _ => None,
    })
}

/// What a schema says of the part, where it says so without references.
fn schema_at<'s>(schema: &'s Value, steps: &[String]) -> Option<&'s Value> {
    steps.iter().try_fold(schema, |schema, step| {
        let property = schema.get("properties").and_then(|known| known.get(step));
        property.or_else(|| step.parse::<usize>().ok().and(schema.get("items")))
    })
}

/// How deep JSON is nested, without parsing it.
fn depth(content: &str) -> usize {
    let (mut now, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in content.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                now += 1;
                deepest = deepest.max(now);
            }
            b']' | b'}' if !in_text => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn text(format: ArtifactFormat, content: &str) -> Result<(), Refusal> {
    let is_control = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    if content.chars().any(is_control) {
        return Err(Refusal::Control);
    }
    if format == ArtifactFormat::Code {
        return Ok(());
    }
    let lower = content.to_lowercase();
    let is_script = ["<script", "javascript:", "<iframe"]
        .iter()
        .any(|sign| lower.contains(sign))
        || lower.trim_start().starts_with("#!");
    if is_script {
        return Err(Refusal::Script);
    }
    Ok(())
}
