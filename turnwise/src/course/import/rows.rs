//! The rows of units.jsonl, chunks.jsonl and exercises.jsonl, brought together by unit.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use turnwise_course_pack::{PackFault, is_id};

const UNITS: &str = "units.jsonl";
const CHUNKS: &str = "chunks.jsonl";
const EXERCISES: &str = "exercises.jsonl";

/// Where a row stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    pub(super) file: &'static str,
    pub(super) line: usize,
}

/// One line of a file.
pub(super) struct Row {
    pub(super) id: String,
    /// All of its keys, the id among them.
    pub(super) fields: Map<String, Value>,
    pub(super) origin: Origin,
}

/// A unit with what belongs to it.
pub(super) struct Unit {
    pub(super) row: Row,
    /// Front matter of its lesson.
    pub(super) lesson: Option<Map<String, Value>>,
    pub(super) chunks: Vec<(Chunk, Origin)>,
    pub(super) drills: Vec<Row>,
}

/// A row of chunks.jsonl.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chunk {
    pub(super) id: String,
    unit: String,
    #[serde(default)]
    pub(super) heading: String,
    #[serde(default)]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) section: String,
    #[serde(default)]
    pub(super) url: String,
    pub(super) text: String,
}

/// All rows.
pub(super) struct Course {
    pub(super) units: Vec<Unit>,
    pub(super) questions: Vec<Row>,
}

/// Reads the rows of the folder.
///
/// # Errors
/// Every row that is no JSON object, or of which it is not clear where it goes.
pub(super) fn read(from: &Path) -> Result<Course, Vec<PackFault>> {
    let mut reader = Reader {
        from,
        faults: Vec::new(),
    };
    let mut units = reader.units();
    if !reader.faults.is_empty() {
        // Other rows name units that could not be read.
        return Err(reader.faults);
    }
    let numbers: HashMap<String, usize> = units
        .iter()
        .enumerate()
        .map(|(n, unit)| (unit.row.id.clone(), n))
        .collect();
    for row in reader.rows(CHUNKS) {
        let origin = row.origin;
        if let Some(chunk) = reader.chunk(row)
            && let Some(n) = reader.number(&numbers, &chunk.unit, origin)
        {
            units[n].chunks.push((chunk, origin));
        }
    }
    let mut questions = Vec::new();
    for mut row in reader.rows(EXERCISES) {
        if row.fields.contains_key("tier") {
            questions.push(row);
            continue;
        }
        let named = row.fields.shift_remove("units").unwrap_or_default();
        match named.as_array().map(Vec::as_slice) {
            Some([Value::String(unit)]) => {
                if let Some(n) = reader.number(&numbers, unit, row.origin) {
                    units[n].drills.push(row);
                }
            }
            _ => reader.fault(
                row.origin,
                format!("the exercise `{}` has no `tier`, so it is a drill, but it does not name one unit", row.id),
                "write `\"units\": [\"UNIT-ID\"]` with one unit; for an exam question add `\"tier\"`: \
                 `bronze`, `silver` or `gold`",
            ),
        }
    }
    match reader.faults.as_slice() {
        [] => Ok(Course { units, questions }),
        _ => Err(reader.faults),
    }
}

struct Reader<'a> {
    from: &'a Path,
    faults: Vec<PackFault>,
}

impl Reader<'_> {
    fn fault(&mut self, origin: Origin, message: impl Into<String>, remedy: &str) {
        self.faults.push(PackFault {
            file: self.from.join(origin.file),
            line: Some(origin.line),
            message: message.into(),
            remedy: remedy.to_owned(),
        });
    }

    /// The rows of a file; only units.jsonl must be there. Blank lines are left out.
    fn rows(&mut self, file: &'static str) -> Vec<Row> {
        let path = self.from.join(file);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound && file != UNITS => Vec::new(),
            Err(error) => {
                self.faults.push(PackFault {
                    file: path,
                    line: None,
                    message: format!("this file cannot be read: {error}"),
                    remedy: "--from names a folder with course.yaml and units.jsonl".to_owned(),
                });
                Vec::new()
            }
        };
        let mut rows = Vec::new();
        let mut lines: HashMap<String, usize> = HashMap::new();
        for (n, text) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let origin = Origin { file, line: n + 1 };
            if text.trim_ascii().is_empty() {
                continue;
            }
            if let Some(row) = self.row(text, origin) {
                if let Some(first) = lines.insert(row.id.clone(), origin.line) {
                    self.fault(
                        origin,
                        format!(
                            "the id `{}` stands here a second time (first on line {first})",
                            row.id
                        ),
                        "rename one of the two, or remove it",
                    );
                }
                rows.push(row);
            }
        }
        rows
    }

    fn row(&mut self, text: &[u8], origin: Origin) -> Option<Row> {
        let fields: Map<String, Value> = match serde_json::from_slice(text) {
            Ok(fields) => fields,
            Err(error) => {
                self.fault(
                    origin,
                    format!("this line is not a JSON object: {}", reason(&error)),
                    "write one object on each line, such as {\"id\": \"A\", \"title\": \"Sums\"}",
                );
                return None;
            }
        };
        if fields.values().any(holds_number) {
            self.fault(
                origin,
                "a number stands here, which would lose its spelling",
                "put it in quotes: \"1.50\"",
            );
            return None;
        }
        match fields.get("id").and_then(Value::as_str) {
            // A unit's id is a file's name, and a hidden file is no part of a pack.
            Some(id) if is_id(id) && !id.starts_with('.') => Some(Row {
                id: id.to_owned(),
                fields,
                origin,
            }),
            _ => {
                self.fault(
                    origin,
                    "this row has no `id`, or one that is not well formed",
                    "write `\"id\"` with 1 to 128 characters out of A-Z, a-z, 0-9 and `.`, `_`, `~`, `@`, `-`, and \
                     no dot at its start",
                );
                None
            }
        }
    }

    fn units(&mut self) -> Vec<Unit> {
        let mut units = Vec::new();
        for mut row in self.rows(UNITS) {
            let lesson = match row.fields.shift_remove("lesson") {
                None => None,
                Some(Value::Object(lesson)) if !lesson.contains_key("unit") => Some(lesson),
                Some(_) => {
                    self.fault(
                        row.origin,
                        "`lesson` is not an object, or it names a unit",
                        "write front matter of this unit's lesson, such as {\"url\": \"https://…\"}",
                    );
                    None
                }
            };
            units.push(Unit {
                row,
                lesson,
                chunks: Vec::new(),
                drills: Vec::new(),
            });
        }
        units
    }

    fn chunk(&mut self, row: Row) -> Option<Chunk> {
        let origin = row.origin;
        let chunk: Chunk = match serde_json::from_value(row.fields.into()) {
            Ok(chunk) => chunk,
            Err(error) => {
                self.fault(
                    origin,
                    format!("this row is not a chunk: {}", reason(&error)),
                    "a chunk has the texts `id`, `unit` and `text`, and where wanted `heading`, `kind`, `section` \
                     and `url`",
                );
                return None;
            }
        };
        if !chunk.kind.is_empty() && !is_id(&chunk.kind) {
            self.fault(
                origin,
                format!("the kind `{}` is not well formed", chunk.kind),
                "use letters, digits, `_` and `-`, as in `worked-example`",
            );
        }
        Some(chunk)
    }

    /// The number of the unit that a row names.
    fn number(
        &mut self,
        numbers: &HashMap<String, usize>,
        unit: &str,
        origin: Origin,
    ) -> Option<usize> {
        let number = numbers.get(unit).copied();
        if number.is_none() {
            self.fault(
                origin,
                format!("there is no unit `{unit}`"),
                "correct the unit's id, or add the unit in units.jsonl",
            );
        }
        number
    }
}

/// What is wrong with the JSON, without the place in its one line that the error names as a line of its own.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line ") {
        Some((reason, _)) => reason.to_owned(),
        None => message,
    }
}

fn holds_number(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::Array(items) => items.iter().any(holds_number),
        Value::Object(fields) => fields.values().any(holds_number),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}
