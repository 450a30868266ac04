//! `units/*.yaml`: the units, their prerequisites, anchors and mistakes.

use std::path::Path;

use super::drills::{self, Read};
use super::{list_file, teaching, values};
use crate::draft::{Draft, UnitDraft};
use crate::fault::{Faults, Sink};
use crate::fields::Fields;
use crate::model::Unit;
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
    let misconception_nodes = fields.list("misconceptions", sink);
    let mistake_nodes = fields.list("mistake_tags", sink);
    let key_idea = teaching::key_idea(&mut fields, sink);
    let drill_nodes = fields.list("drills", sink);
    fields.finish(sink);

    let misconceptions = teaching::misconceptions(misconception_nodes, sink);
    let mistake_tags = teaching::mistake_tags(mistake_nodes, sink);
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
        key_idea_line: key_idea.as_ref().map(|idea| idea.line),
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
            key_idea: key_idea.map(|idea| idea.value),
            drills,
            templates,
        },
    })
}
