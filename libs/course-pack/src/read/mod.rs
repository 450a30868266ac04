//! Every file of a pack, read into the draft.

mod content;
mod context;
mod course;
mod documents;
mod drills;
mod exams;
mod helper;
mod items;
mod markdown;
mod procedures;
mod schema;
mod support;
mod teaching;
mod texts;
mod units;

use std::path::Path;

use crate::draft::{Draft, TextsDraft};
use crate::fault::{Faults, Sink};
use crate::fields::{Fields, Located};
use crate::files::{Kind, PackFile, PackHash};
use crate::ids;
use crate::yaml::{self, Node};

/// Reads all files, one after the other; gives what is in them, and the hash over them.
pub(crate) fn read<'a>(files: &'a [PackFile], faults: &mut Faults) -> (Draft<'a>, String) {
    let mut draft = Draft::default();
    let mut hash = PackHash::default();
    for file in files {
        let Some(text) = hash.read(file, faults) else {
            // Whatever it defines is unknown.
            draft.units_incomplete = true;
            draft.questions_incomplete = true;
            draft.references_incomplete = true;
            continue;
        };
        let (path, text) = (file.path.as_path(), text.as_str());
        match file.kind {
            Kind::Course => draft.course = course::read(path, text, &mut Sink::new(path, faults)),
            Kind::Context => {
                draft.context = context::read(path, text, &mut Sink::new(path, faults))
            }
            Kind::Texts => {
                // Files are read in the order of their names: the course before its texts.
                let course = draft.course.as_ref();
                let locale = course.map_or("", |course| course.course.locale.as_str());
                let texts = texts::read(text, locale, &mut Sink::new(path, faults));
                draft.texts = Some(TextsDraft { file: path, texts });
            }
            Kind::Procedure(part) => procedures::read(part, path, text, &mut draft, faults),
            Kind::Units => units::read(path, text, &mut draft, faults),
            Kind::Content => content::read(path, text, &mut draft, faults),
            Kind::Exams => exams::read(path, text, &mut draft, faults),
            Kind::Support => support::read(path, text, &mut draft, faults),
            Kind::Reference => reference(path, text, &mut draft, faults),
            Kind::Document => documents::read(path, text, &mut draft, faults),
        }
    }
    (draft, hash.finish())
}

/// The most that a reference holds, as it is handed out.
const MAX_REFERENCE_BYTES: usize = 65_536;

/// `references/*.md`: one text a file.
fn reference(file: &Path, text: &str, draft: &mut Draft<'_>, faults: &mut Faults) {
    let key = stem(file);
    let text = text.trim();
    if !ids::is_reference_key(&key) {
        faults.add(
            file,
            None,
            format!("`{key}` cannot be a reference's key"),
            "name the file with a-z, 0-9, `_` and `-` only, as in two-step-equations.md",
        );
    } else if text.is_empty() {
        faults.add(
            file,
            1,
            "this reference is empty",
            "write its text, or remove the file",
        );
    } else if text.len() > MAX_REFERENCE_BYTES {
        faults.add(
            file,
            1,
            format!(
                "this reference has {} bytes, but at most {MAX_REFERENCE_BYTES} are allowed",
                text.len()
            ),
            "keep what a tutor needs at hand, or make two references of it",
        );
    }
    draft.references.insert(key, text.to_owned());
}

/// The key of a reference that a course or a lesson names: `reference`, or with its full name `helper_reference`.
fn reference_key(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Option<Located<String>> {
    let short = fields.optional_text("reference", sink);
    let full = fields.optional_text("helper_reference", sink);
    if let (Some(_), Some(full)) = (&short, &full) {
        sink.add(
            full.line,
            "`reference` and `helper_reference` are one key, but both stand here",
            "keep one of the two",
        );
    }
    short.or(full)
}

/// The file's name without its ending.
fn stem(path: &Path) -> String {
    path.file_stem()
        .and_then(|s| s.to_str())
        .unwrap_or_default()
        .to_owned()
}

/// The items of a file that holds one list under one key; `None` if the file could not be read.
fn list_file<'t>(
    text: &'t str,
    what: &'static str,
    key: &'static str,
    sink: &mut Sink<'_>,
) -> Option<Vec<Node<'t>>> {
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
    let faults = sink.count();
    let items = fields.list(key, sink);
    let is_list = sink.count() == faults;
    fields.finish(sink);
    (has_key && is_list).then_some(items)
}

/// The texts without their lines.
fn values(located: Vec<Located<String>>) -> Vec<String> {
    located.into_iter().map(|l| l.value).collect()
}
