//! What people supply, checked against the course: data of the artifact's format, never executed.

use std::{borrow::Cow, collections::HashMap};

use jsonschema::Validator;
use serde_json::Value;
use turnwise_course_pack::{ArtifactFormat, ArtifactType, ContextCourse, key_path};

/// The most bytes of what is supplied, before a part is cut out: 256 KiB.
pub const MOST_BYTES: usize = 262_144;
/// The most lists and objects around a value of JSON.
pub const MOST_DEPTH: usize = 32;
/// The most references on the way to one part of a schema; more go in a circle.
const MOST_REFERENCES: usize = 8;

/// What a course may ask for, with its schemas compiled.
#[derive(Debug, Default)]
pub struct Context {
    /// What the course's `context.yaml` says; empty without one.
    pub course: ContextCourse,
    schemas: HashMap<String, Validator>,
}

/// Why something is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is too long.
    #[error("this has {bytes} bytes, but at most {limit} are taken; send a shorter part")]
    TooLarge {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// It is no JSON.
    #[error("this is no JSON; send one JSON value, with names and texts in double quotes")]
    Json,
    /// It is nested too deeply.
    #[error("this is nested deeper than {MOST_DEPTH} levels; send it flatter, or only a part")]
    Depth,
    /// It is not what the course describes, or has not the part.
    #[error(
        "this is not what the course describes; compare it with the description, and send it again"
    )]
    Schema,
    /// It is a script.
    #[error("this is a script or has one in it; send plain text")]
    Script,
    /// It has control characters.
    #[error("this has control characters in it, as binary files have; send plain text")]
    Control,
    /// The path is of no known form.
    #[error("the path of the part cannot be read; name it as the course does")]
    KeyPath,
}

impl Refusal {
    /// The refusal for programs.
    #[must_use]
    pub fn cause(self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "size",
            Self::Json => "json",
            Self::Depth => "depth",
            Self::Schema => "schema",
            Self::Script => "script",
            Self::Control => "control",
            Self::KeyPath => "key_path",
        }
    }
}

impl Context {
    /// What this course may ask for. Nothing is fetched for a schema.
    #[must_use]
    pub fn new(course: ContextCourse) -> Self {
        let compiled = course.artifacts.iter().filter_map(|artifact| {
            let validator = jsonschema::validator_for(artifact.schema.as_ref()?).ok()?;
            Some((artifact.id.clone(), validator))
        });
        Self {
            schemas: compiled.collect(),
            course,
        }
    }

    /// Whether the course may ask for something outside of projects.
    #[must_use]
    pub fn asks_without_project(&self) -> bool {
        self.course.needs.iter().any(|need| need.phase.is_none())
    }

    /// The part of what was supplied that is asked for; with an empty `path` the whole. With a path, `content` may be the
    /// whole artifact, or the part alone.
    ///
    /// # Errors
    /// It is not what is asked for.
    pub fn check<'c>(
        &self,
        artifact: &ArtifactType,
        path: &str,
        content: &'c str,
    ) -> Result<Cow<'c, str>, Refusal> {
        at_most(MOST_BYTES, content)?;
        let part = match artifact.format {
            ArtifactFormat::Json => self.json(artifact, path, content)?,
            ArtifactFormat::Text | ArtifactFormat::Log => {
                check_text(content)?;
                if is_script(content) {
                    return Err(Refusal::Script);
                }
                lines(path, content)?
            }
            ArtifactFormat::Code => {
                check_text(content)?;
                lines(path, content)?
            }
        };
        at_most(
            usize::try_from(artifact.size_limit).unwrap_or(MOST_BYTES),
            &part,
        )?;
        Ok(part)
    }

    fn json<'c>(
        &self,
        artifact: &ArtifactType,
        path: &str,
        content: &'c str,
    ) -> Result<Cow<'c, str>, Refusal> {
        if is_deep(content) {
            return Err(Refusal::Depth);
        }
        let value: Value = serde_json::from_str(content).map_err(|_| Refusal::Json)?;
        // A schema that is not compiled accepts nothing.
        let is_whole = artifact.schema.is_none()
            || self
                .schemas
                .get(&artifact.id)
                .is_some_and(|schema| schema.is_valid(&value));
        let steps = key_path::parse(path).map_err(|_| Refusal::KeyPath)?;
        if steps.is_empty() {
            return if is_whole {
                Ok(content.into())
            } else {
                Err(Refusal::Schema)
            };
        }
        if is_whole && let Some(part) = value.pointer(&pointer(&steps)) {
            return Ok(part.to_string().into());
        }
        let schema = artifact.schema.as_ref();
        let schema = schema.and_then(|schema| part_schema(schema, &steps));
        match schema.and_then(|schema| jsonschema::validator_for(&schema).ok()) {
            Some(schema) if !schema.is_valid(&value) => Err(Refusal::Schema),
            _ => Ok(content.into()),
        }
    }
}

fn at_most(limit: usize, text: &str) -> Result<(), Refusal> {
    let bytes = text.len();
    if bytes > limit {
        return Err(Refusal::TooLarge { bytes, limit });
    }
    Ok(())
}

/// Whether lists and objects are nested too deeply for a parser to be sent there.
fn is_deep(json: &str) -> bool {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MOST_DEPTH {
            return true;
        }
    }
    false
}

fn pointer(steps: &[String]) -> String {
    let escaped = |step: &String| format!("/{}", step.replace('~', "~0").replace('/', "~1"));
    steps.iter().map(escaped).collect()
}

/// The schema of a part, as far as `properties` and `items` lead there.
fn part_schema(root: &Value, steps: &[String]) -> Option<Value> {
    let mut at = root;
    for step in steps {
        at = followed(root, at)?;
        let member = at.get("properties").and_then(|members| members.get(step));
        let element = || {
            let index: usize = step.parse().ok()?;
            let first = at.get("prefixItems").and_then(|items| items.get(index));
            first.or_else(|| at.get("items").filter(|items| !items.is_array()))
        };
        at = member.or_else(element)?;
    }
    let mut schema = at.clone();
    if let Some(members) = schema.as_object_mut() {
        for key in ["$schema", "$defs", "definitions"] {
            if let Some(value) = root.get(key) {
                members.entry(key).or_insert_with(|| value.clone());
            }
        }
    }
    Some(schema)
}

/// What a reference inside the schema leads to.
fn followed<'s>(root: &'s Value, mut at: &'s Value) -> Option<&'s Value> {
    for _ in 0..MOST_REFERENCES {
        let Some(reference) = at.get("$ref") else {
            return Some(at);
        };
        at = root.pointer(reference.as_str()?.strip_prefix('#')?)?;
    }
    None
}

fn check_text(text: &str) -> Result<(), Refusal> {
    let is_odd = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    if text.contains(is_odd) {
        return Err(Refusal::Control);
    }
    Ok(())
}

/// Whether a program would take the text for one to run.
fn is_script(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let start = lower.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    start.starts_with("#!") || lower.contains("<script") || lower.contains("javascript:")
}

/// The lines that the path names. A text with no more lines than that is the part alone.
fn lines<'c>(path: &str, text: &'c str) -> Result<Cow<'c, str>, Refusal> {
    if path.is_empty() {
        return Ok(text.into());
    }
    let range = path
        .strip_prefix("lines:")
        .and_then(|range| range.split_once('-'));
    let number = |digits: &str| digits.parse::<usize>().ok().filter(|number| *number > 0);
    let (first, last) = range
        .and_then(|(first, last)| Some((number(first)?, number(last)?)))
        .filter(|(first, last)| first <= last)
        .ok_or(Refusal::KeyPath)?;
    let count = last - first + 1;
    if text.lines().count() <= count {
        return Ok(text.into());
    }
    let part: String = text
        .split_inclusive('\n')
        .skip(first - 1)
        .take(count)
        .collect();
    if part.is_empty() {
        return Err(Refusal::Schema);
    }
    Ok(part.into())
}
