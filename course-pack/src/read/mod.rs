//! Every file of a pack, read into the draft.

mod content;
mod course;
mod exams;
mod markdown;
mod support;
mod units;

use std::path::Path;

use crate::draft::Draft;
use crate::fault::{Faults, Sink};
use crate::fields::Fields;
use crate::files::PackFiles;
use crate::ids;
use crate::yaml::{self, Node};

/// Reads all files, in name order.
pub(crate) fn read<'a>(files: &'a PackFiles, faults: &mut Faults) -> Draft<'a> {
    let mut draft = Draft {
        units_incomplete: files.incomplete,
        questions_incomplete: files.incomplete,
        references_incomplete: files.incomplete,
        ..Draft::default()
    };
    if let Some(file) = &files.course {
        draft.course = course::read(&file.path, &file.text, &mut Sink::new(&file.path, faults));
    }
    for file in &files.units {
        units::read(&file.path, &file.text, &mut draft, faults);
    }
    for file in &files.content {
        content::read(&file.path, &file.text, &mut draft, faults);
    }
    for file in &files.exams {
        exams::read(&file.path, &file.text, &mut draft, faults);
    }
    for file in &files.support {
        support::read(&file.path, &file.text, &mut draft, faults);
    }
    for file in &files.references {
        let key = stem(&file.path);
        let text = file.text.trim();
        if !ids::is_reference_key(&key) {
            faults.add(
                &file.path,
                None,
                format!("`{key}` cannot be a reference's key"),
                "name the file with a-z, 0-9, `_` and `-` only, as in two-step-equations.md",
            );
        } else if text.is_empty() {
            faults.add(
                &file.path,
                1,
                "this reference is empty",
                "write its text, or remove the file",
            );
        }
        draft.references.insert(key, text.to_owned());
    }
    draft
}

/// The file's name without its ending.
fn stem(path: &Path) -> String {
    path.file_stem()
        .and_then(|s| s.to_str())
        .unwrap_or_default()
        .to_owned()
}

/// The items of a file that holds one list under one key; `None` if the file could not be read.
fn list_file(
    text: &str,
    what: &'static str,
    key: &'static str,
    sink: &mut Sink<'_>,
) -> Option<Vec<Node>> {
    let node = yaml::parse(text, 1, sink)?;
    let mut fields = Fields::open(node, what, sink)?;
    let has_key = fields.line_of(key).is_some();
    if !has_key && fields.is_empty() {
        sink.add(
            fields.line,
            format!("this {what} has no `{key}`"),
            format!("begin it with a line `{key}:` and put one `- id: …` entry each below it"),
        );
        return None;
    }
    let items = fields.list(key, sink);
    fields.finish(sink);
    if !has_key {
        return None;
    }
    Some(items)
}

/// The texts without their lines.
fn values(located: Vec<crate::fields::Located<String>>) -> Vec<String> {
    located.into_iter().map(|l| l.value).collect()
}
