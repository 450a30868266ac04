//! The real course and the development queries, read from the shared data where they are present.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use serde_json::Value;
use turnwise_course_pack::{Chunk, ChunkType, Course, Pack, PolicyOverrides, Question, Tier, Unit};

/// One development query.
pub struct DevelopmentQuery {
    pub id: String,
    pub course: String,
    pub source: String,
    pub text: String,
    /// The messages before it, oldest first.
    pub context: Vec<String>,
    /// The right units.
    pub units: BTreeSet<String>,
}

/// The folder with the shared data, if there is one.
pub fn folder() -> Option<PathBuf> {
    let shared = std::env::var_os("TURNWISE_SHARED_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let data = shared.join("data");
    data.join("queries/queries.jsonl").is_file().then_some(data)
}

/// The queries, each once.
pub fn queries(data: &Path) -> Vec<DevelopmentQuery> {
    let mut right: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows(&data.join("queries/qrels_units.jsonl")) {
        right
            .entry(text(&row, "query_id"))
            .or_default()
            .insert(text(&row, "id"));
    }
    let mut seen = BTreeSet::new();
    rows(&data.join("queries/queries.jsonl"))
        .into_iter()
        .filter(|row| seen.insert(text(row, "query_id")))
        .map(|row| DevelopmentQuery {
            id: text(&row, "query_id"),
            course: text(&row, "course_id"),
            source: text(&row, "source"),
            text: text(&row, "text"),
            context: list(&row, "context")
                .iter()
                .map(|turn| text(turn, "text"))
                .collect(),
            units: right.remove(&text(&row, "query_id")).unwrap_or_default(),
        })
        .collect()
}

/// The real courses, put together in memory.
pub fn packs(data: &Path) -> Vec<Pack> {
    let course = data.join("course");
    let mut packs: BTreeMap<String, Pack> = BTreeMap::new();
    for row in rows(&course.join("units.jsonl")) {
        let id = text(&row, "course_id");
        let unit = unit(&row);
        packs
            .entry(id.clone())
            .or_insert_with(|| empty_pack(id, &unit.id))
            .units
            .push(unit);
    }
    for row in rows(&course.join("anchors.jsonl")) {
        let pack = packs.get_mut(&text(&row, "course_id")).unwrap();
        let unit_id = text(&row, "unit_id");
        let unit = pack.units.iter_mut().find(|u| u.id == unit_id).unwrap();
        unit.anchors.push(text(&row, "text"));
    }
    for row in rows(&course.join("chunks.jsonl")) {
        let pack = packs.get_mut(&text(&row, "course_id")).unwrap();
        pack.chunks.push(chunk(&row));
    }
    for row in rows(&course.join("exam_candidates.jsonl")) {
        let pack = packs.get_mut(&text(&row, "course_id")).unwrap();
        pack.questions.push(question(&row));
    }
    packs.into_values().collect()
}

/// The chunks that are best for a query, by query.
pub fn best_chunks(data: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut best: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows(&data.join("queries/qrels_chunks_grade2.jsonl")) {
        best.entry(text(&row, "query_id"))
            .or_default()
            .insert(text(&row, "id"));
    }
    best
}

fn empty_pack(id: String, entry_unit: &str) -> Pack {
    Pack {
        hash: format!("in memory: {id}"),
        course: Course {
            title: id.clone(),
            id,
            locale: "en".to_owned(),
            entry_unit: entry_unit.to_owned(),
            policy: PolicyOverrides::default(),
        },
        units: Vec::new(),
        lessons: Vec::new(),
        chunks: Vec::new(),
        questions: Vec::new(),
        support: Vec::new(),
        references: BTreeMap::new(),
    }
}

fn unit(row: &Value) -> Unit {
    Unit {
        id: text(row, "unit_id"),
        title: text(row, "title"),
        summary: String::new(),
        prerequisites: Vec::new(),
        assessable: true,
        tags: Vec::new(),
        anchors: Vec::new(),
        misconceptions: Vec::new(),
        mistake_tags: Vec::new(),
        drills: Vec::new(),
    }
}

fn chunk(row: &Value) -> Chunk {
    Chunk {
        id: text(row, "chunk_id"),
        unit: text(row, "unit_id"),
        chunk_type: ChunkType::Text,
        section_kind: text(row, "kind"),
        source: text(row, "unit_id"),
        section: text(row, "objective"),
        url: String::new(),
        text: text(row, "text"),
    }
}

fn question(row: &Value) -> Question {
    Question {
        id: text(row, "exam_id"),
        units: vec![text(row, "unit_id")],
        tier: match text(row, "tier").as_str() {
            "easy" => Tier::Bronze,
            "medium" => Tier::Silver,
            _ => Tier::Gold,
        },
        tags: vec![text(row, "objective")],
        prompt: text(row, "instruction"),
        question_latex: text(row, "question"),
        options: Vec::new(),
        answer: text(row, "answer"),
    }
}

fn rows(file: &Path) -> Vec<Value> {
    std::fs::read_to_string(file)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn text(row: &Value, key: &str) -> String {
    row[key].as_str().unwrap_or_default().to_owned()
}

fn list<'a>(row: &'a Value, key: &str) -> &'a [Value] {
    row[key].as_array().map_or(&[], Vec::as_slice)
}
