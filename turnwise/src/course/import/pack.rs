//! The files of the pack that rows make, and the row that each of their lines comes from.

use serde_json::{Map, Value};

use super::rows::{Chunk, Course, Origin, Row, Unit};

/// A file of a pack.
pub(super) struct PackFile {
    /// Its path inside the pack.
    pub(super) name: String,
    pub(super) text: String,
    lines: usize,
    /// The first line of each part, and the row that it comes from.
    parts: Vec<(usize, Origin)>,
}

impl PackFile {
    fn new(name: String) -> Self {
        Self {
            name,
            text: String::new(),
            lines: 0,
            parts: Vec::new(),
        }
    }

    /// What follows comes from this row.
    fn begin(&mut self, origin: Origin) {
        self.parts.push((self.lines + 1, origin));
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
        self.lines += 1;
    }

    /// The row that a line comes from; `None` for a line above all rows.
    pub(super) fn origin(&self, line: usize) -> Option<Origin> {
        let behind = self.parts.partition_point(|(first, _)| *first <= line);
        self.parts[..behind].last().map(|(_, origin)| *origin)
    }

    /// Writes an entry of a list, or a map if `indent` has no dash in it: a key on each line, and a list's items below
    /// its key.
    fn fields(&mut self, indent: &str, fields: &Map<String, Value>) {
        let deep = indent.replace('-', " ");
        let mut indent = indent;
        for (key, value) in fields {
            match value {
                Value::Array(items) if !items.is_empty() => {
                    self.line(&format!("{indent}{}:", plain_key(key)));
                    for item in items {
                        self.line(&format!("{deep}  - {}", inline(item)));
                    }
                }
                _ => self.line(&format!("{indent}{}: {}", plain_key(key), inline(value))),
            }
            indent = &deep;
        }
    }
}

/// The files of the pack, without course.yaml.
pub(super) fn files(course: &Course) -> Vec<PackFile> {
    let mut units = PackFile::new("units/units.yaml".to_owned());
    units.line("units:");
    for unit in &course.units {
        entry(&mut units, "  - ", &unit.row);
        if !unit.drills.is_empty() {
            units.line("    drills:");
        }
        for drill in &unit.drills {
            entry(&mut units, "      - ", drill);
        }
    }
    let mut files = vec![units];
    if !course.questions.is_empty() {
        let mut exams = PackFile::new("exams/exercises.yaml".to_owned());
        exams.line("questions:");
        for question in &course.questions {
            entry(&mut exams, "  - ", question);
        }
        files.push(exams);
    }
    let with_lesson = course
        .units
        .iter()
        .filter(|unit| !unit.chunks.is_empty() || unit.lesson.is_some());
    files.extend(with_lesson.map(lesson));
    files
}

fn entry(file: &mut PackFile, indent: &str, row: &Row) {
    file.begin(row.origin);
    file.fields(indent, &row.fields);
}

/// The unit's lesson: its front matter, and a section for each chunk.
fn lesson(unit: &Unit) -> PackFile {
    let Row { id, fields, origin } = &unit.row;
    let title = fields.get("title").cloned().unwrap_or_default();
    let given = unit.lesson.clone().unwrap_or_default();
    let mut front = Map::from_iter([("unit".to_owned(), id.as_str().into())]);
    let defaults = [
        ("source", id.as_str().into()),
        ("type", "text".into()),
        ("title", title.clone()),
    ];
    let defaults = defaults.map(|(key, value)| (key.to_owned(), value));
    front.extend(defaults.into_iter().chain(given));
    let mut file = PackFile::new(format!("content/{id}.md"));
    file.begin(*origin);
    file.line("---");
    file.fields("", &front);
    file.line("---");
    for (chunk, origin) in &unit.chunks {
        file.begin(*origin);
        section(&mut file, chunk, title.as_str().unwrap_or_default());
    }
    file
}

fn section(file: &mut PackFile, chunk: &Chunk, title: &str) {
    let heading = match one_line(&chunk.heading) {
        heading if heading.is_empty() => one_line(title),
        heading => heading,
    };
    let mut attributes = format!("#{}", chunk.id);
    if !chunk.kind.is_empty() {
        attributes.push_str(&format!(" .{}", chunk.kind));
    }
    for (key, text) in [("section", &chunk.section), ("url", &chunk.url)] {
        let text = one_line(text);
        if !text.is_empty() {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"");
            attributes.push_str(&format!(" {key}=\"{text}\""));
        }
    }
    file.line("");
    file.line(&format!("## {heading} {{{attributes}}}"));
    file.line("");
    for line in chunk.text.lines() {
        file.line(&escaped(line));
    }
}

/// The words of a text on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line of text that is neither a heading nor a code fence, whatever it begins with.
fn escaped(line: &str) -> String {
    let bare = line.trim_start();
    if bare.trim_start_matches('\\').starts_with(['#', '`', '~']) {
        let indent = &line[..line.len() - bare.len()];
        return format!("{indent}\\{bare}");
    }
    line.to_owned()
}

/// A value as YAML on one line. A text is a JSON string, which is YAML whatever it holds.
fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(key, value)| format!("{}: {}", plain_key(key), inline(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        _ => value.to_string(),
    }
}

/// A key without quotes where it needs none.
fn plain_key(key: &str) -> String {
    if !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    {
        return key.to_owned();
    }
    Value::from(key).to_string()
}
