//! Whether what a course's author wrote is true mathematics, and the lessons and references of a pack in which something
//! seems false.

use std::{
    fs,
    path::{Path, PathBuf},
};

use turnwise_course_pack::PackFault;
use turnwise_grading::{WorkedExample, check_example, check_text};

/// The folders of a pack with texts in Markdown.
const FOLDERS: [&str; 2] = ["content", "references"];

/// The first false statement of a text.
pub(crate) fn false_statement(text: &str) -> Option<&str> {
    let findings = check_text(text, &[]);
    text.get(findings.false_statements.first()?.clone())
}

/// The first line of a worked solution that does not follow. It may begin with the exercise, and ends with the answer.
pub(crate) fn false_step<'a>(prompt: &str, problem: &str, lines: &'a [String]) -> Option<&'a str> {
    let plain = |text: &str| text.replace(['$', ' '], "");
    let first = lines.first()?;
    let begin = usize::from(plain(first) == plain(problem));
    let lines: Vec<&str> = lines.iter().skip(begin).map(String::as_str).collect();
    let (&answer, steps) = lines.split_last()?;
    let example = WorkedExample {
        prompt,
        problem,
        steps,
        answer,
    };
    let findings = check_example(&example);
    lines.get(findings.false_statements.first()?.start).copied()
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
