//! Courses and labelled queries, read from a data folder.
//!
//! | file | holds |
//! | --- | --- |
//! | `course/units.jsonl`, `anchors.jsonl`, `chunks.jsonl`, `exam_candidates.jsonl` | the courses |
//! | `queries/queries.jsonl` | what was asked, and what was said before it |
//! | `queries/qrels_units.jsonl` | the units that are right for a query |
//! | `queries/qrels_chunks_grade2.jsonl` | the chunks that are best for a query; every other chunk of a right unit is good |

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use serde_json::Value;
use turnwise_course_pack::{Chunk, ChunkType, Course, Pack, Question, Tier, Unit};

/// A query whose right answers are known.
#[derive(Debug, Clone)]
pub struct LabelledQuery {
    /// Where it comes from: `oatutor-problem`, `openstax-writing` or `bridge-chat`.
    pub source: String,
    /// The course that it is about.
    pub course: String,
    /// What was asked.
    pub text: String,
    /// What was said before it, oldest first.
    pub context: Vec<String>,
    /// The right units.
    pub units: BTreeSet<String>,
    /// The best chunks.
    pub best_chunks: BTreeSet<String>,
}

/// Courses and queries.
#[derive(Debug, Clone)]
pub struct Data {
    /// The courses, by id.
    pub courses: BTreeMap<String, Pack>,
    /// All rows, repeated ones too, in the file's order.
    pub queries: Vec<LabelledQuery>,
}

/// Why a folder could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct DataError {
    /// The file, with the line if it is known.
    pub file: String,
    /// What is wrong.
    pub problem: String,
}

impl Data {
    /// Reads a folder.
    ///
    /// # Errors
    /// A file is missing, a line is no JSON, or a row names a course or unit that is not there.
    pub fn read(folder: &Path) -> Result<Self, DataError> {
        let courses = courses(&folder.join("course"))?;
        let queries = queries(&folder.join("queries"), &courses)?;
        Ok(Self { courses, queries })
    }

    /// The folder that the project's own runs read: `data` of `TURNWISE_SHARED_DIR`, or of `shared` beside the
    /// repository; `None`: it is not there.
    pub fn default_folder() -> Option<PathBuf> {
        let shared = std::env::var_os("TURNWISE_SHARED_DIR").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
            PathBuf::from,
        );
        let data = shared.join("data");
        data.join("queries/queries.jsonl").is_file().then_some(data)
    }
}

fn courses(folder: &Path) -> Result<BTreeMap<String, Pack>, DataError> {
    let mut packs: BTreeMap<String, Pack> = BTreeMap::new();
    for row in rows(&folder.join("units.jsonl"))? {
        let id = row.text("course_id");
        let unit = unit(&row);
        packs
            .entry(id.clone())
            .or_insert_with(|| empty_pack(id, &unit.id))
            .units
            .push(unit);
    }
    for row in rows(&folder.join("anchors.jsonl"))? {
        let id = row.text("unit_id");
        let pack = row.pack(&mut packs)?;
        let unit = pack.units.iter_mut().find(|unit| unit.id == id);
        let unit = unit.ok_or_else(|| row.fault(format!("unit `{id}` is not in the course")))?;
        unit.anchors.push(row.text("text"));
    }
    for row in rows(&folder.join("chunks.jsonl"))? {
        row.pack(&mut packs)?.chunks.push(chunk(&row));
    }
    for row in rows(&folder.join("exam_candidates.jsonl"))? {
        row.pack(&mut packs)?.questions.push(question(&row));
    }
    Ok(packs)
}

fn queries(
    folder: &Path,
    courses: &BTreeMap<String, Pack>,
) -> Result<Vec<LabelledQuery>, DataError> {
    let units = labels(&folder.join("qrels_units.jsonl"))?;
    let best = labels(&folder.join("qrels_chunks_grade2.jsonl"))?;
    let mut queries = Vec::new();
    for row in rows(&folder.join("queries.jsonl"))? {
        let id = row.text("query_id");
        let course = row.text("course_id");
        if !courses.contains_key(&course) {
            return Err(row.fault(format!("course `{course}` is not in the data")));
        }
        let units = units.get(&id).cloned().unwrap_or_default();
        if units.is_empty() {
            return Err(row.fault(format!("query `{id}` has no right unit")));
        }
        queries.push(LabelledQuery {
            source: row.text("source"),
            course,
            text: row.text("text"),
            context: row.context(),
            units,
            best_chunks: best.get(&id).cloned().unwrap_or_default(),
        });
    }
    Ok(queries)
}

fn labels(file: &Path) -> Result<BTreeMap<String, BTreeSet<String>>, DataError> {
    let mut labels: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows(file)? {
        labels
            .entry(row.text("query_id"))
            .or_default()
            .insert(row.text("id"));
    }
    Ok(labels)
}

fn empty_pack(id: String, entry_unit: &str) -> Pack {
    Pack {
        hash: format!("in memory: {id}"),
        course: Course {
            title: id.clone(),
            id,
            locale: "en".to_owned(),
            entry_unit: entry_unit.to_owned(),
            ..Course::default()
        },
        ..Pack::default()
    }
}

fn unit(row: &Row) -> Unit {
    Unit {
        id: row.text("unit_id"),
        title: row.text("title"),
        assessable: true,
        ..Unit::default()
    }
}

fn chunk(row: &Row) -> Chunk {
    Chunk {
        id: row.text("chunk_id"),
        unit: row.text("unit_id"),
        chunk_type: ChunkType::Text,
        section_kind: row.text("kind"),
        source: row.text("unit_id"),
        section: row.text("objective"),
        url: String::new(),
        text: row.text("text"),
    }
}

fn question(row: &Row) -> Question {
    Question {
        id: row.text("exam_id"),
        units: vec![row.text("unit_id")],
        tier: match row.text("tier").as_str() {
            "easy" => Tier::Bronze,
            "medium" => Tier::Silver,
            _ => Tier::Gold,
        },
        tags: vec![row.text("objective")],
        prompt: row.text("instruction"),
        question_latex: row.text("question"),
        options: Vec::new(),
        answer: row.text("answer"),
    }
}

/// One line of a file.
struct Row {
    value: Value,
    place: String,
}

impl Row {
    fn text(&self, key: &str) -> String {
        self.value[key].as_str().unwrap_or_default().to_owned()
    }

    fn context(&self) -> Vec<String> {
        let turns = self.value["context"].as_array();
        turns
            .into_iter()
            .flatten()
            .filter_map(|turn| turn["text"].as_str().map(str::to_owned))
            .collect()
    }

    /// The course that the row belongs to.
    fn pack<'a>(&self, packs: &'a mut BTreeMap<String, Pack>) -> Result<&'a mut Pack, DataError> {
        let id = self.text("course_id");
        packs
            .get_mut(&id)
            .ok_or_else(|| self.fault(format!("course `{id}` has no units")))
    }

    fn fault(&self, problem: String) -> DataError {
        DataError {
            file: self.place.clone(),
            problem,
        }
    }
}

fn rows(file: &Path) -> Result<Vec<Row>, DataError> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| DataError {
        file: name.clone(),
        problem: error.to_string(),
    })?;
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            let place = format!("{name}, line {}", number + 1);
            match serde_json::from_str(line) {
                Ok(value) => Ok(Row { value, place }),
                Err(error) => Err(DataError {
                    file: place,
                    problem: error.to_string(),
                }),
            }
        })
        .collect()
}
