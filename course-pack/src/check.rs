//! The checks that look across files: ids, references between items, and the graph.

mod units;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use crate::draft::Draft;
use crate::fault::Faults;

/// Runs every check.
pub(crate) fn check(draft: &Draft<'_>, faults: &mut Faults) {
    let unit_ids = units::check(draft, faults);
    drill_ids(draft, faults);
    questions(draft, &unit_ids, faults);
    content(draft, &unit_ids, faults);
    support(draft, faults);
}

/// Where ids were first seen, to tell where a repeated one stands first.
struct Seen<'a>(HashMap<&'a str, (&'a Path, usize)>);

impl<'a> Seen<'a> {
    fn new() -> Self {
        Self(HashMap::new())
    }

    /// Notes the id; a repeated one is a fault.
    fn note(
        &mut self,
        what: &str,
        id: &'a str,
        file: &'a Path,
        line: usize,
        remedy: &str,
        faults: &mut Faults,
    ) {
        if let Some((first_file, first_line)) = self.0.get(id) {
            faults.add(
                file,
                line,
                format!(
                    "the {what} `{id}` stands here a second time (first in {}:{first_line})",
                    first_file.display()
                ),
                remedy,
            );
        } else {
            self.0.insert(id, (file, line));
        }
    }
}

fn drill_ids(draft: &Draft<'_>, faults: &mut Faults) {
    let mut seen = Seen::new();
    for unit in &draft.units {
        for (drill, line) in unit.unit.drills.iter().zip(&unit.drill_lines) {
            let remedy = "rename one of the two: a drill's id is unique in the whole pack";
            seen.note("drill", &drill.id, unit.file, *line, remedy, faults);
        }
    }
}

fn questions(draft: &Draft<'_>, unit_ids: &HashMap<&str, usize>, faults: &mut Faults) {
    let mut seen = Seen::new();
    for question in &draft.questions {
        let remedy = "rename one of the two: a question's id is unique in the whole pack";
        let id = &question.id;
        seen.note(
            "question",
            &id.value,
            question.file,
            id.line,
            remedy,
            faults,
        );
        if draft.units_incomplete {
            continue;
        }
        for unit in &question.units {
            if !unit_ids.contains_key(unit.value.as_str()) {
                faults.add(
                    question.file,
                    unit.line,
                    format!(
                        "the question `{}` is about `{}`, which is no unit",
                        id.value, unit.value
                    ),
                    "correct the unit's id, or add the unit in units/",
                );
            }
        }
    }
}

fn content(draft: &Draft<'_>, unit_ids: &HashMap<&str, usize>, faults: &mut Faults) {
    let mut seen = Seen::new();
    for chunk in &draft.chunks {
        let remedy = "give one of the two sections another id: `## Heading {#its-id}`";
        seen.note(
            "chunk",
            &chunk.chunk.id,
            chunk.file,
            chunk.line,
            remedy,
            faults,
        );
    }
    for lesson in &draft.lessons {
        let unit = &lesson.lesson.unit;
        if !draft.units_incomplete && !unit_ids.contains_key(unit.as_str()) {
            faults.add(
                lesson.file,
                lesson.unit_line,
                format!("this lesson is about `{unit}`, which is no unit"),
                "correct the unit's id, or add the unit in units/",
            );
        }
        let reference = &lesson.lesson.reference;
        if !draft.references_incomplete
            && !reference.is_empty()
            && !draft.references.contains_key(reference)
        {
            faults.add(
                lesson.file,
                lesson.reference_line,
                format!("there is no reference `{reference}`"),
                format!("write references/{reference}.md, or correct or remove the key"),
            );
        }
    }
}

fn support(draft: &Draft<'_>, faults: &mut Faults) {
    let known: BTreeSet<&str> = draft
        .questions
        .iter()
        .map(|q| q.id.value.as_str())
        .collect();
    for support in &draft.support {
        let question = support.support.question.as_str();
        if !draft.questions_incomplete && !known.contains(question) {
            faults.add(
                support.file,
                support.line,
                format!("there is no question `{question}` that this could support"),
                "correct the question's id, or add the question in exams/",
            );
        }
    }
}
