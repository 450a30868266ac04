//! Whether what a course's author wrote for students is true mathematics: hints of drills, summaries of units, lessons.

use std::{
    fs,
    path::{Path, PathBuf},
};

use turnwise_course_pack::{Pack, PackFault};
use turnwise_grading::{WorkedExample, check_example, check_text};

/// The folders of a pack with texts in Markdown.
const FOLDERS: [&str; 2] = ["content", "references"];

/// A text of an author's, and where it stands.
#[derive(Debug, Clone)]
pub struct Authored<'a> {
    /// The file.
    pub file: PathBuf,
    /// The line that it begins in, or that of what it belongs to.
    pub line: Option<usize>,
    /// What it is: `the hint of the drill ...`.
    pub what: String,
    /// What it says.
    pub text: &'a str,
}

/// What is false in the pack's texts for students.
#[must_use]
pub fn faults(pack: &Pack) -> Vec<PackFault> {
    let mut faults = Vec::new();
    for unit in &pack.units {
        faults.extend(fault(&Authored {
            file: PathBuf::from("units"),
            line: None,
            what: format!("the summary of the unit `{}`", unit.id),
            text: &unit.summary,
        }));
        for drill in &unit.drills {
            let place = pack.drill_places.get(&drill.id);
            faults.extend(fault(&Authored {
                file: place.map_or_else(|| PathBuf::from("units"), |(file, _)| file.clone()),
                line: place.map(|(_, line)| *line),
                what: format!("the hint of the drill `{}`", drill.id),
                text: &drill.hint,
            }));
        }
        for template in &unit.templates {
            // One fault for each drill, however many of its instances have it.
            let first = template.instances.iter().find_map(|instance| {
                fault(&Authored {
                    file: template.file.clone(),
                    line: Some(template.line),
                    what: format!(
                        "the hint of the drill `{}` with seed {} ({})",
                        template.id, instance.seed, instance.values
                    ),
                    text: &instance.drill.hint,
                })
            });
            faults.extend(first);
        }
    }
    faults
}

/// What is false in a text; its first false statement.
#[must_use]
pub fn fault(authored: &Authored<'_>) -> Option<PackFault> {
    let findings = check_text(authored.text, &[]);
    let place = findings.false_statements.first()?;
    let statement = authored.text.get(place.clone()).unwrap_or_default();
    Some(PackFault {
        file: authored.file.clone(),
        line: authored.line,
        message: format!(
            "{} says `{statement}`, which is false mathematics",
            authored.what
        ),
        remedy: REMEDY.to_owned(),
    })
}

/// What does not follow in a worked example, whose last line is its answer: its first line that does not.
#[must_use]
pub fn example_fault(problem: &str, lines: &[&str], authored: &Authored<'_>) -> Option<PackFault> {
    let (&answer, steps) = lines.split_last()?;
    let example = WorkedExample {
        problem,
        steps,
        answer,
    };
    let findings = check_example(&example);
    let place = findings.false_statements.first()?;
    let line = lines.get(place.start)?;
    Some(PackFault {
        file: authored.file.clone(),
        line: authored.line,
        message: format!(
            "{} says `{line}`, which does not follow from `{problem}`",
            authored.what
        ),
        remedy: REMEDY.to_owned(),
    })
}

const REMEDY: &str = "correct it; where it is wrong on purpose, say so in the same sentence";

/// What seems false in the lessons and references of a pack in a folder. They show wrong work on purpose now and then, so
/// this is no fault.
#[must_use]
pub fn lesson_warnings(pack: &Path) -> Vec<PackFault> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        collect(&pack.join(folder), &mut files);
    }
    files.sort();
    let mut warnings = Vec::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        for place in check_text(&text, &[]).false_statements {
            let before = text.get(..place.start).unwrap_or_default();
            let statement = text.get(place.clone()).unwrap_or_default();
            warnings.push(PackFault {
                file: file.clone(),
                line: Some(before.matches('\n').count() + 1),
                message: format!("`{statement}` is false mathematics"),
                remedy: REMEDY.to_owned(),
            });
        }
    }
    warnings
}

/// The Markdown files below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|kind| kind == "md") {
            files.push(path);
        }
    }
}
