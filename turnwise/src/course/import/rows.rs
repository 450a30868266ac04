//! The rows of a course data set, read line by line.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A row of `units.jsonl`.
#[derive(Debug, Deserialize)]
pub(super) struct UnitRow {
    pub(super) course_id: String,
    pub(super) unit_id: String,
    pub(super) order: u64,
    pub(super) chapter_title: String,
    pub(super) section: String,
    pub(super) title: String,
    #[serde(default)]
    pub(super) objectives: Vec<String>,
    #[serde(default)]
    pub(super) prereq_unit_ids: Vec<String>,
    #[serde(default)]
    pub(super) url: String,
}

/// A row of `anchors.jsonl`.
#[derive(Debug, Deserialize)]
pub(super) struct AnchorRow {
    pub(super) unit_id: String,
    pub(super) text: String,
}

/// A row of `chunks.jsonl`.
#[derive(Debug, Deserialize)]
pub(super) struct ChunkRow {
    pub(super) chunk_id: String,
    pub(super) unit_id: String,
    pub(super) kind: String,
    pub(super) text: String,
    pub(super) citation: Citation,
}

/// Where a chunk comes from.
#[derive(Debug, Deserialize)]
pub(super) struct Citation {
    pub(super) book: String,
    pub(super) section: String,
    #[serde(default)]
    pub(super) heading: String,
    #[serde(default)]
    pub(super) url: String,
}

/// A row of `exam_candidates.jsonl`.
#[derive(Debug, Deserialize)]
pub(super) struct ExamRow {
    pub(super) exam_id: String,
    pub(super) unit_id: String,
    #[serde(default)]
    pub(super) objective: String,
    pub(super) instruction: String,
    pub(super) question: String,
    pub(super) answer: String,
    pub(super) tier: Level,
}

/// How hard an exercise is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Easy,
    Medium,
    Hard,
}

/// A row of `readiness_quiz.jsonl`.
#[derive(Debug, Deserialize)]
pub(super) struct QuizRow {
    pub(super) id: String,
    pub(super) tests_unit_id: String,
    pub(super) question: String,
    pub(super) answer: String,
}

/// Hands each row of the file to `take`, one line at a time. Blank lines are left out.
///
/// # Errors
/// The file cannot be read, a line is no row of this kind, or `take` refuses it; the error names file
/// and line.
pub(super) fn for_each<T: DeserializeOwned>(
    path: &Path,
    mut take: impl FnMut(T) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let file = File::open(path).with_context(|| {
        format!(
            "{} cannot be opened; --from names a folder with units.jsonl, anchors.jsonl, chunks.jsonl, \
             exam_candidates.jsonl and readiness_quiz.jsonl",
            path.display()
        )
    })?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1usize.. {
        line.clear();
        let place = || format!("{}:{number}", path.display());
        if reader.read_until(b'\n', &mut line).with_context(place)? == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let row: T = serde_json::from_slice(&line).map_err(|error| {
            // serde_json counts lines inside this one line, which would mislead.
            let message = error.to_string();
            let message = message
                .rsplit_once(" at line ")
                .map_or(message.as_str(), |(m, _)| m);
            anyhow!("{}: this is not a row of this file: {message}", place())
        })?;
        take(row).with_context(place)?;
    }
    Ok(())
}

/// Refuses ids that a pack cannot have, or that cannot be a file's name.
pub(super) fn check_id(what: &str, id: &str) -> anyhow::Result<()> {
    if !turnwise_course_pack::is_id(id) || id.starts_with('.') {
        bail!(
            "the {what} `{id}` is not well formed; use 1 to 128 characters out of A-Z, a-z, 0-9 and \
             `.`, `_`, `~`, `@`, `-`, and no dot at the start"
        );
    }
    Ok(())
}

/// The text without control characters, which neither YAML nor a terminal takes kindly to, on one
/// line and without space around it.
pub(super) fn one_line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if is_control(c) { ' ' } else { c })
        .collect();
    spaced.trim().to_owned()
}

/// Whether the character is one that a pack's text leaves out: controls, line separators, marks.
pub(super) fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}
