//! Lists of items with ids, as in `context.yaml` and in the files of procedures.

use super::helper::bounded;
use crate::fault::Sink;
use crate::fields::{Fields, Located, shorten};
use crate::repeats::repeats;

/// A list of the file.
pub(super) struct List {
    /// Its key.
    pub(super) key: &'static str,
    /// What one of its items is called.
    pub(super) what: &'static str,
    /// The key of an item's id.
    pub(super) id: &'static str,
    /// The most items.
    pub(super) most: usize,
}

/// What stands in one list, and the ids with their lines.
pub(super) struct Items<T> {
    list: &'static List,
    pub(super) values: Vec<T>,
    ids: Vec<Located<String>>,
    /// Whether every item could be named: if not, an unknown id proves nothing.
    pub(super) complete: bool,
}

impl<T> Items<T> {
    /// Reads a list. An item without an id is read for its faults.
    pub(super) fn read<'t>(
        list: &'static List,
        file: &mut Fields<'t>,
        sink: &mut Sink<'_>,
        mut item: impl FnMut(Located<String>, &mut Fields<'t>, &mut Sink<'_>) -> T,
    ) -> Self {
        let faults = sink.count();
        let nodes = file.list(list.key, sink);
        let mut items = Self {
            list,
            values: Vec::with_capacity(nodes.len()),
            ids: Vec::with_capacity(nodes.len()),
            complete: sink.count() == faults,
        };
        let what = list.what;
        if let Some(node) = nodes.get(list.most) {
            sink.add(
                node.line,
                format!(
                    "`{}` has {} entries, but at most {} are allowed",
                    list.key,
                    nodes.len(),
                    list.most
                ),
                "keep those that students meet",
            );
        }
        for node in nodes {
            let Some(mut fields) = Fields::open(node, what, sink) else {
                items.complete = false;
                continue;
            };
            let id = fields.id(list.id, sink);
            let named = id.clone().unwrap_or_else(|| Located {
                value: String::new(),
                line: fields.line,
            });
            let value = item(named, &mut fields, sink);
            fields.finish(sink);
            match id {
                Some(id) => {
                    items.ids.push(id);
                    items.values.push(value);
                }
                None => items.complete = false,
            }
        }
        for (again, first) in repeats(items.ids.iter().map(|id| id.value.as_str())) {
            let (again, first) = (&items.ids[again], &items.ids[first]);
            sink.add(
                again.line,
                format!(
                    "the {what} `{}` stands here a second time (first on line {})",
                    again.value, first.line
                ),
                format!("give one of the two another `{}`, or remove it", list.id),
            );
        }
        items
    }

    /// The item of this id; that there is none is a fault.
    pub(super) fn find(&self, id: &Located<String>, sink: &mut Sink<'_>) -> Option<&T> {
        let List { key, what, .. } = self.list;
        let place = self.ids.iter().position(|known| known.value == id.value);
        if place.is_none() && self.complete {
            sink.add(
                id.line,
                format!("there is no {what} `{}`", shorten(&id.value)),
                format!("correct it, or add the {what} under `{key}`"),
            );
        }
        self.values.get(place?)
    }
}

/// Text that must be there, of at most so many characters.
pub(super) fn short_text(
    fields: &mut Fields<'_>,
    key: &'static str,
    most: usize,
    sink: &mut Sink<'_>,
) -> String {
    let Some(text) = fields.text(key, sink) else {
        return String::new();
    };
    bounded(&text, &format!("`{key}`"), most, sink);
    text.value
}
