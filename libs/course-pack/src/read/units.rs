//! `units/*.yaml`: the units, their prerequisites, anchors and mistakes.

use std::path::Path;

use super::drills::{self, Read};
use super::{list_file, values};
use crate::draft::{Draft, UnitDraft};
use crate::fault::{Faults, Sink};
use crate::fields::Fields;
use crate::model::{MistakeTag, Unit};
use crate::repeats::repeats;
use crate::yaml::Node;

pub(super) fn read<'a>(file: &'a Path, text: &str, draft: &mut Draft<'a>, faults: &mut Faults) {
    let sink = &mut Sink::new(file, faults);
    let Some(items) = list_file(text, "units file", "units", sink) else {
        draft.units_incomplete = true;
        return;
    };
    for item in items {
        match unit(file, item, sink) {
            Some(unit) => draft.units.push(unit),
            None => draft.units_incomplete = true,
        }
    }
}

fn unit<'a>(file: &'a Path, node: Node<'_>, sink: &mut Sink<'_>) -> Option<UnitDraft<'a>> {
    let mut fields = Fields::open(node, "unit", sink)?;
    let id = fields.id("id", sink);
    let title = fields.text("title", sink);
    let summary = fields.optional_text("summary", sink);
    let faults = sink.count();
    let prerequisites = fields.ids("prerequisites", sink);
    let prerequisites_incomplete = sink.count() > faults;
    let assessable = fields.flag("assessable", true, sink);
    let tags = values(fields.texts("tags", sink));
    let anchors = values(fields.texts("anchors", sink));
    let misconceptions = values(fields.texts("misconceptions", sink));
    let mistake_nodes = fields.list("mistake_tags", sink);
    let drill_nodes = fields.list("drills", sink);
    fields.finish(sink);

    let mistake_tags = mistake_tags(mistake_nodes, sink);
    let mut drills = Vec::with_capacity(drill_nodes.len());
    let mut drill_lines = Vec::with_capacity(drill_nodes.len());
    let mut templates = Vec::new();
    for node in drill_nodes {
        match drills::read(file, node, sink) {
            Some(Read::Drill(drill, line)) => {
                drills.push(drill);
                drill_lines.push(line);
            }
            Some(Read::Template(template)) => templates.push(template),
            None => {}
        }
    }
    let id = id?;
    Some(UnitDraft {
        file,
        line: id.line,
        prerequisites_incomplete,
        prerequisite_lines: prerequisites.iter().map(|p| p.line).collect(),
        drill_lines,
        unit: Unit {
            id: id.value,
            title: title.map(|l| l.value).unwrap_or_default(),
            summary: summary.map(|l| l.value).unwrap_or_default(),
            prerequisites: values(prerequisites),
            assessable,
            tags,
            anchors,
            misconceptions,
            mistake_tags,
            drills,
            templates,
        },
    })
}

fn mistake_tags(nodes: Vec<Node<'_>>, sink: &mut Sink<'_>) -> Vec<MistakeTag> {
    let mut tags = Vec::with_capacity(nodes.len());
    let mut lines = Vec::with_capacity(nodes.len());
    for node in nodes {
        let Some(mut fields) = Fields::open(node, "mistake tag", sink) else {
            continue;
        };
        let id = fields.id("id", sink);
        let meaning = fields.text("meaning", sink);
        fields.finish(sink);
        let (Some(id), Some(meaning)) = (id, meaning) else {
            continue;
        };
        lines.push(id.line);
        tags.push(MistakeTag {
            id: id.value,
            meaning: meaning.value,
        });
    }
    for (again, first) in repeats(tags.iter().map(|tag| tag.id.as_str())) {
        sink.add(
            lines[again],
            format!(
                "the mistake tag `{}` stands twice in this unit (first on line {})",
                tags[again].id, lines[first]
            ),
            "keep one of the two, or rename one",
        );
    }
    tags
}
