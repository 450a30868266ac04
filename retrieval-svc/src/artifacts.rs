//! Parts of a student's work, by their place in it: bounded, redacted, and with offsets into what was given.
//!
//! [`extract`] is a pure function of its request. A part is cut out of the content as it stands there; nothing is printed
//! anew. What identifies a person is looked for in the whole content, so that a part's borders hide nothing: a number of
//! which a part holds one half is replaced in that half.

mod json;
mod lines;
mod path;
mod redacted;
mod suggest;

use std::ops::Range;

use turnwise_redaction::{Roster, find};

use json::Document;
use redacted::Redacted;

/// The most bytes of an artifact.
pub const MAX_CONTENT_BYTES: usize = 262_144;
/// The most parts that one request asks for.
pub const MAX_KEY_PATHS: usize = 20;
/// The most bytes of a key path.
pub const MAX_PATH_BYTES: usize = 1_024;
/// The most bytes of one slice.
pub const MAX_SLICE_BYTES: usize = 65_536;
/// The most bytes of one slice where the request does not say.
pub const DEFAULT_SLICE_BYTES: usize = 4_096;
/// The most characters of a text that suggestions are to fit.
pub const MAX_SUGGEST_CHARS: usize = 4_000;
/// How many of the parts that fit best are looked at, should some be of no use.
const CANDIDATES: usize = 50;
/// The most suggestions.
pub const MAX_SUGGESTIONS: usize = 5;
/// The most names of people; each may have [`turnwise_redaction::MAX_NAME_CHARS`] characters.
pub const MAX_NAMES: usize = 200;

/// What to cut out of which artifact.
#[derive(Debug, Clone, Default)]
pub struct Request<'a> {
    /// What the content is: `json`, `text`, `code` or `log`.
    pub artifact_type: &'a str,
    /// The artifact, at most [`MAX_CONTENT_BYTES`].
    pub content: &'a str,
    /// The parts: at most [`MAX_KEY_PATHS`], and at least one unless there is a text to suggest for. Of JSON, a JSON
    /// Pointer or the dotted form; of the other types `lines:10-20`.
    pub key_paths: &'a [String],
    /// The most bytes of a slice's text, 1 to [`MAX_SLICE_BYTES`]; 0: [`DEFAULT_SLICE_BYTES`].
    pub size_limit: i32,
    /// A text that suggestions are to fit, at most [`MAX_SUGGEST_CHARS`]; empty: none are wanted.
    pub suggest: &'a str,
    /// People's names to redact, at most [`MAX_NAMES`].
    pub names: &'a [String],
}

/// The parts that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// Those asked for, in the request's order; then the suggested ones, the best first, at most [`MAX_SUGGESTIONS`].
    pub slices: Vec<Slice>,
    /// The key paths that lead nowhere, as they were given.
    pub missing: Vec<String>,
}

/// One part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The path as it was given; a suggestion's own.
    pub key_path: String,
    /// The part as it stands in the content, redacted and cut.
    pub text: String,
    /// The offset of its first byte in the content.
    pub start: usize,
    /// The offset after its last byte in the content, of what was not cut off.
    pub end: usize,
    /// Whether the size limit cut it.
    pub truncated: bool,
    /// How many pieces of the text were replaced.
    pub redactions: usize,
    /// Whether it was not asked for by path.
    pub suggested: bool,
}

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// A field of the request is not as it should be.
    #[error("{message}")]
    Invalid {
        /// The field, such as `key_paths[2]`.
        field: String,
        /// What is wrong with it, and what to do.
        message: String,
    },
    /// The content is longer than [`MAX_CONTENT_BYTES`].
    #[error(
        "the content has {0} bytes, but at most {MAX_CONTENT_BYTES} are taken; send the part that matters"
    )]
    TooLarge(usize),
    /// There is no such type, or the content is not of it.
    #[error("{message}")]
    Unsupported {
        /// The field: `artifact_type`, or `content`.
        field: &'static str,
        /// What is wrong, and what to do.
        message: String,
    },
}

/// The content, read as its type.
enum Artifact<'a> {
    Json(Document<'a>),
    Lines(lines::Lines),
}

/// Cuts out what the request asks for.
///
/// # Errors
/// The request is out of bounds, a path is malformed, or the content is not of its type.
pub fn extract(request: &Request<'_>) -> Result<Extracted, ArtifactError> {
    let limit = check(request)?;
    let roster = Roster::new(request.names)
        .map_err(|error| invalid("names", format!("{error}; send it without")))?;
    let content = request.content;
    let artifact = match request.artifact_type {
        "json" => Artifact::Json(json::read(content)?),
        "text" | "code" | "log" => Artifact::Lines(lines::Lines::of(content)),
        other => {
            let message = format!(
                "there are no artifacts of type `{}`; send `json`, `text`, `code` or `log`",
                other.chars().take(60).collect::<String>()
            );
            let field = "artifact_type";
            return Err(ArtifactError::Unsupported { field, message });
        }
    };
    let redacted = Redacted::new(content, matches!(artifact, Artifact::Json(_)), &roster);
    let mut extracted = Extracted::default();
    let mut given = Vec::new();
    for (n, path) in request.key_paths.iter().enumerate() {
        let malformed = |message| invalid(format!("key_paths[{n}]"), message);
        let range = match &artifact {
            Artifact::Json(document) => document.resolve(&path::parse(path).map_err(malformed)?),
            Artifact::Lines(lines) => lines.resolve(path).map_err(malformed)?,
        };
        if let Some(range) = range {
            given.push(range.clone());
            extracted.slices.push(redacted.slice(path, range, limit));
        } else {
            extracted.missing.push(path.clone());
        }
    }
    if !request.suggest.is_empty() {
        let pieces = match &artifact {
            Artifact::Json(document) => document.pieces(),
            Artifact::Lines(lines) => lines.pieces(request.artifact_type == "log"),
        };
        let mut suggested: Vec<Range<usize>> = Vec::new();
        let ranked = suggest::rank(content, &pieces, request.suggest);
        for piece in ranked.into_iter().take(CANDIDATES).map(|n| &pieces[n]) {
            let range = piece.range.clone();
            let overlaps =
                |other: &Range<usize>| other.start < range.end && range.start < other.end;
            if given.contains(&range) || suggested.iter().any(overlaps) {
                continue;
            }
            let path = match &artifact {
                Artifact::Json(document) => document.path_of(piece.node),
                Artifact::Lines(lines) => Some(lines.path_of(&range)),
            };
            // A path is given out as it stands, so it must not tell what the text may not.
            let tells_nothing = |path: &String| find(path, &roster).is_empty();
            if let Some(path) = path.filter(tells_nothing) {
                suggested.push(range.clone());
                extracted.slices.push(Slice {
                    suggested: true,
                    ..redacted.slice(&path, range, limit)
                });
            }
            if suggested.len() == MAX_SUGGESTIONS {
                break;
            }
        }
    }
    Ok(extracted)
}

/// Checks the request's bounds; gives the most bytes of a slice.
fn check(request: &Request<'_>) -> Result<usize, ArtifactError> {
    if request.content.len() > MAX_CONTENT_BYTES {
        return Err(ArtifactError::TooLarge(request.content.len()));
    }
    let paths = request.key_paths;
    if paths.len() > MAX_KEY_PATHS || paths.is_empty() && request.suggest.is_empty() {
        let message = format!("must be 1 to {MAX_KEY_PATHS}; with a text in `suggest` also none");
        return Err(invalid("key_paths", message));
    }
    if let Some(n) = paths.iter().position(|path| path.len() > MAX_PATH_BYTES) {
        let message = format!("must have at most {MAX_PATH_BYTES} bytes");
        return Err(invalid(format!("key_paths[{n}]"), message));
    }
    if request.suggest.chars().nth(MAX_SUGGEST_CHARS).is_some() {
        let message = format!("must have at most {MAX_SUGGEST_CHARS} characters");
        return Err(invalid("suggest", message));
    }
    if request.names.len() > MAX_NAMES {
        return Err(invalid("names", format!("must be at most {MAX_NAMES}")));
    }
    match usize::try_from(request.size_limit) {
        Ok(0) => Ok(DEFAULT_SLICE_BYTES),
        Ok(limit) if limit <= MAX_SLICE_BYTES => Ok(limit),
        _ => {
            let message =
                format!("must be 1 to {MAX_SLICE_BYTES} bytes, or 0 for {DEFAULT_SLICE_BYTES}");
            Err(invalid("size_limit", message))
        }
    }
}

fn invalid(field: impl Into<String>, message: impl Into<String>) -> ArtifactError {
    ArtifactError::Invalid {
        field: field.into(),
        message: message.into(),
    }
}

/// A part that may be suggested.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    /// Where it stands in the content.
    range: Range<usize>,
    /// Where its name stands; empty if it has none.
    name: Range<usize>,
    /// Its number among the values of a JSON document; elsewhere 0.
    node: usize,
}
