//! The checks that look across files: ids, references between items, and the graph.

mod examples;
mod procedures;
mod units;

pub(crate) use examples::examples;
pub(crate) use procedures::procedures;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::draft::Draft;
use crate::fault::{Faults, PackFault};
use crate::fields::shorten;
use crate::model::Tier;

/// Runs every check. Tells whether the prerequisites go in a circle.
pub(crate) fn check(draft: &Draft<'_>, faults: &mut Faults) -> bool {
    let (units, circular) = units::check(draft, faults);
    drills(draft, faults);
    let (questions, covered) = questions(draft, &units, faults);
    units::bronze(draft, &units, &covered, faults);
    content(draft, &units, faults);
    key_ideas(draft, faults);
    references(draft, faults);
    synonyms(draft, faults);
    documents(draft, &units, faults);
    support(draft, &questions, faults);
    context(draft, &units, faults);
    circular
}

/// The number of each id: that of the first item that has it.
struct Ids<'d> {
    numbers: HashMap<&'d str, usize>,
    /// Items whose id another one had before.
    repeated: HashSet<usize>,
}

impl<'d> Ids<'d> {
    /// Reads the ids of so many items, each with its place; one that stands again is a fault.
    fn read(
        what: &str,
        remedy: &str,
        count: usize,
        item: impl Fn(usize) -> (&'d str, &'d Path, usize),
        faults: &mut Faults,
    ) -> Self {
        let mut ids = Self {
            numbers: HashMap::with_capacity(count),
            repeated: HashSet::new(),
        };
        for n in 0..count {
            let (id, file, line) = item(n);
            match ids.numbers.entry(id) {
                Entry::Vacant(free) => {
                    free.insert(n);
                }
                Entry::Occupied(taken) => {
                    let (_, first_file, first_line) = item(*taken.get());
                    faults.add(
                        file,
                        line,
                        format!(
                            "the {what} `{id}` stands here a second time (first in {}:{first_line})",
                            first_file.display()
                        ),
                        remedy,
                    );
                    ids.repeated.insert(n);
                }
            }
        }
        ids
    }

    fn get(&self, id: &str) -> Option<usize> {
        self.numbers.get(id).copied()
    }

    fn is_repeated(&self, number: usize) -> bool {
        self.repeated.contains(&number)
    }
}

fn drills(draft: &Draft<'_>, faults: &mut Faults) {
    let drills: Vec<(&str, &Path, usize)> = draft
        .units
        .iter()
        .flat_map(|unit| {
            let lines = unit.unit.drills.iter().zip(&unit.drill_lines);
            let written = lines.map(|(drill, line)| (drill.id.as_str(), unit.file, *line));
            let templates = unit.unit.templates.iter();
            written.chain(templates.map(|drill| (drill.id.as_str(), unit.file, drill.line)))
        })
        .collect();
    let remedy = "rename one of the two: a drill's id is unique in the whole pack";
    Ids::read("drill", remedy, drills.len(), |n| drills[n], faults);
}

/// The best bronze question that a unit has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bronze {
    /// It has none.
    Missing,
    /// One of another unit as well. Passed there, it is not asked again here, and shows nothing of this unit.
    Shared,
    /// One of its own.
    Own,
}

/// Checks the questions; gives their numbers, and for each unit its best bronze one.
fn questions<'d>(
    draft: &'d Draft<'_>,
    units: &Ids<'_>,
    faults: &mut Faults,
) -> (Ids<'d>, Vec<Bronze>) {
    let ids = Ids::read(
        "question",
        "rename one of the two: a question's id is unique in the whole pack",
        draft.questions.len(),
        |n| {
            let question = &draft.questions[n];
            (question.id.value.as_str(), question.file, question.id.line)
        },
        faults,
    );
    let of_port: Vec<_> = draft.questions.iter().filter(|q| q.is_of_port).collect();
    if let Some(first) = of_port.first() {
        faults.warn(PackFault {
            file: first.file.to_path_buf(),
            line: Some(first.id.line),
            message: format!(
                "exam questions that leave their words to an exam system: {} (`{}` first)",
                of_port.len(),
                first.id.value
            ),
            remedy: "serve this course with the exam system that words them (EXAM_ENDPOINT), or give each one a prompt \
                     and an answer"
                .to_owned(),
        });
    }
    let mut covered = vec![Bronze::Missing; draft.units.len()];
    for question in &draft.questions {
        // A unit that is unknown or named twice is a fault by itself, and one without badges takes no pass.
        let examined = question
            .units
            .iter()
            .filter_map(|u| units.get(&u.value))
            .filter(|number| draft.units[*number].unit.assessable);
        let best = match examined.collect::<HashSet<_>>().len() {
            0 | 1 => Bronze::Own,
            _ => Bronze::Shared,
        };
        for unit in &question.units {
            if let Some(number) = units.get(&unit.value) {
                // A tier that is itself a fault may have been meant as bronze.
                if matches!(question.tier, None | Some(Tier::Bronze)) {
                    covered[number] = covered[number].max(best);
                }
            } else if !draft.units_incomplete {
                faults.add(
                    question.file,
                    unit.line,
                    format!(
                        "the question `{}` is about `{}`, which is no unit",
                        question.id.value, unit.value
                    ),
                    "correct the unit's id, or add the unit in units/",
                );
            }
        }
    }
    (ids, covered)
}

fn content(draft: &Draft<'_>, units: &Ids<'_>, faults: &mut Faults) {
    Ids::read(
        "chunk",
        "give one of the two sections another id: `## Heading {#its-id}`",
        draft.chunks.len(),
        |n| {
            let chunk = &draft.chunks[n];
            (chunk.chunk.id.as_str(), chunk.file, chunk.line)
        },
        faults,
    );
    for lesson in &draft.lessons {
        let unit = &lesson.lesson.unit;
        if !draft.units_incomplete && units.get(unit).is_none() {
            faults.add(
                lesson.file,
                lesson.unit_line,
                format!("this lesson is about `{unit}`, which is no unit"),
                "correct the unit's id, or add the unit in units/",
            );
        }
    }
}

/// A key idea's source is a chunk of the unit's own lesson.
fn key_ideas(draft: &Draft<'_>, faults: &mut Faults) {
    let chunks = draft.chunks.iter().map(|chunk| &chunk.chunk);
    let chunks: HashSet<(&str, &str)> = chunks
        .map(|chunk| (chunk.unit.as_str(), chunk.id.as_str()))
        .collect();
    for unit in &draft.units {
        let (Some(idea), Some(line)) = (&unit.unit.key_idea, unit.key_idea_line) else {
            continue;
        };
        if !chunks.contains(&(unit.unit.id.as_str(), idea.chunk.as_str())) {
            faults.add(
                unit.file,
                line,
                format!(
                    "the key idea of `{}` stands in `{}`, which is no section of its lesson",
                    unit.unit.id, idea.chunk
                ),
                "name a section's id: the one behind `#` in `## Heading {#its-id}`",
            );
        }
    }
}

/// Every reference that is named must be there: a pack is complete in itself.
fn references(draft: &Draft<'_>, faults: &mut Faults) {
    if draft.references_incomplete {
        return;
    }
    let course = draft.course.iter().map(|course| {
        let key = course.course.reference.as_str();
        (key, course.file, course.reference_line)
    });
    let lessons = draft.lessons.iter().map(|lesson| {
        let key = lesson.lesson.reference.as_str();
        (key, lesson.file, lesson.reference_line)
    });
    for (key, file, line) in course.chain(lessons) {
        if !key.is_empty() && !draft.references.contains_key(key) {
            faults.add(
                file,
                line,
                format!("there is no reference `{key}`"),
                format!("write references/{key}.md, or correct or remove the key"),
            );
        }
    }
}

/// Synonyms belong to topics that their lesson has: one that is misspelt would have no effect. A lesson may be written in
/// several files, which share its name.
fn synonyms(draft: &Draft<'_>, faults: &mut Faults) {
    let mut topics: HashMap<String, HashSet<String>> = HashMap::new();
    for lesson in &draft.lessons {
        let named = lesson.lesson.allowed_topics.iter();
        topics
            .entry(lesson.lesson.slug())
            .or_default()
            .extend(named.map(|topic| topic.to_lowercase()));
    }
    for lesson in &draft.lessons {
        let own = topics.get(&lesson.lesson.slug());
        for topic in &lesson.synonym_topics {
            if !own.is_some_and(|own| own.contains(&topic.value.to_lowercase())) {
                faults.add(
                    lesson.file,
                    topic.line,
                    format!(
                        "`{}` has synonyms, but this lesson has no such topic",
                        shorten(&topic.value)
                    ),
                    "name it in `helper_allowed_topics`, or correct its spelling",
                );
            }
        }
    }
}

fn documents(draft: &Draft<'_>, units: &Ids<'_>, faults: &mut Faults) {
    for document in &draft.documents {
        let unit = &document.document.unit;
        if !draft.units_incomplete && units.get(unit).is_none() {
            faults.add(
                document.file,
                document.line,
                format!("this document is about `{unit}`, which is no unit"),
                "correct the unit's id, or add the unit in units/",
            );
        }
    }
}

fn support(draft: &Draft<'_>, questions: &Ids<'_>, faults: &mut Faults) {
    for support in &draft.support {
        let question = support.support.question.as_str();
        if !draft.questions_incomplete && questions.get(question).is_none() {
            faults.add(
                support.file,
                support.line,
                format!("there is no question `{question}` that this could support"),
                "correct the question's id, or add the question in exams/",
            );
        }
    }
}

fn context(draft: &Draft<'_>, units: &Ids<'_>, faults: &mut Faults) {
    let Some(context) = draft.context.as_ref().filter(|_| !draft.units_incomplete) else {
        return;
    };
    for unit in &context.units {
        if units.get(&unit.value).is_none() {
            faults.add(
                context.file,
                unit.line,
                format!("there is no unit `{}`", unit.value),
                "correct the unit's id, or add the unit in units/",
            );
        }
    }
}
