//! `context.yaml`: the phases of a project, what students work on in it, and what is needed when.

use std::path::Path;

use super::items::{Items, List, short_text};
use super::{helper::bounded, schema, values};
use crate::context::{
    ArtifactFormat, ArtifactType, ContextCourse, ContextNeed, ContextPhase, Friction, LocalText,
    MessageIntent, Supplier, Urgency,
};
use crate::draft::ContextDraft;
use crate::fault::Sink;
use crate::fields::{Fields, Located, once, shorten};
use crate::yaml;

const MAX_TITLE_CHARS: usize = 200;
const MAX_TEXT_CHARS: usize = 500;
/// The bounds of retrieval's ExtractArtifact.
const MAX_CONTENT_BYTES: u32 = 262_144;
const MAX_PATH_BYTES: usize = 1_024;
const DEFAULT_CONTENT_BYTES: u32 = 16_384;

const PHASES: List = List {
    key: "phases",
    what: "phase",
    id: "id",
    most: 50,
};
const ARTIFACTS: List = List {
    key: "artifacts",
    what: "artifact",
    id: "type",
    most: 50,
};
const NEEDS: List = List {
    key: "needs",
    what: "need",
    id: "id",
    most: 200,
};

pub(super) fn read<'a>(
    file: &'a Path,
    text: &str,
    sink: &mut Sink<'_>,
) -> Option<ContextDraft<'a>> {
    let mut fields = Fields::open(yaml::parse(text, 1, sink)?, "context file", sink)?;
    let mut units = Vec::new();
    let phases = Items::read(&PHASES, &mut fields, sink, |id, fields, sink| {
        ContextPhase {
            id: id.value,
            title: title(fields, sink),
            units: unit_ids(fields, &mut units, sink),
        }
    });
    let artifacts = Items::read(&ARTIFACTS, &mut fields, sink, artifact);
    let needs = Items::read(&NEEDS, &mut fields, sink, |id, fields, sink| {
        need(id, fields, &phases, &artifacts, &mut units, sink)
    });
    let friction = fields.map("friction", "friction", sink);
    fields.finish(sink);
    Some(ContextDraft {
        context: ContextCourse {
            phases: phases.values,
            artifacts: artifacts.values.into_iter().map(|(_, a)| a).collect(),
            needs: needs.values,
            friction: friction.map(|f| read_friction(f, sink)).unwrap_or_default(),
        },
        file,
        units,
    })
}

fn title(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> String {
    short_text(fields, "title", MAX_TITLE_CHARS, sink)
}

/// The units, each once; they are noted in `all`, to be looked up when the units are known.
fn unit_ids(
    fields: &mut Fields<'_>,
    all: &mut Vec<Located<String>>,
    sink: &mut Sink<'_>,
) -> Vec<String> {
    let units = fields.ids("units", sink);
    once(&units, "units", sink);
    all.extend(units.iter().cloned());
    values(units)
}

/// The artifact, and its format if it could be read.
fn artifact(
    id: Located<String>,
    fields: &mut Fields<'_>,
    sink: &mut Sink<'_>,
) -> (Option<ArtifactFormat>, ArtifactType) {
    let title = title(fields, sink);
    let description = short_text(fields, "description", MAX_TEXT_CHARS, sink);
    let formats = ArtifactFormat::ALL.map(|format| (format.as_str(), format));
    let format = fields.required_choice("format", &formats, sink);
    let size_limit = fields.whole_number("size_limit", 1..=MAX_CONTENT_BYTES, sink);
    let schema = fields.node("schema");
    if let (Some(schema), Some(format)) = (&schema, format)
        && format != ArtifactFormat::Json
    {
        sink.add(
            schema.line,
            format!(
                "a schema is of JSON, but this artifact is `{}`",
                format.as_str()
            ),
            "write `format: json`, or remove the schema",
        );
    }
    let schema = schema.and_then(|schema| schema::read(&schema, sink));
    let suppliers_line = fields.line_of("suppliers");
    let faults = sink.count();
    let everybody = Supplier::ALL.map(|supplier| (supplier.as_str(), supplier));
    let mut suppliers = fields.choices("suppliers", &everybody, sink);
    if suppliers_line.is_none() {
        suppliers = Supplier::ALL.to_vec();
    } else if suppliers.is_empty() && sink.count() == faults {
        sink.add(
            suppliers_line,
            "nobody may supply this artifact",
            "name who may, or remove the line: then everybody may",
        );
    }
    let artifact = ArtifactType {
        id: id.value,
        title,
        description,
        format: format.unwrap_or(ArtifactFormat::Text),
        size_limit: size_limit.unwrap_or(DEFAULT_CONTENT_BYTES),
        schema,
        suppliers,
    };
    (format, artifact)
}

fn need(
    id: Located<String>,
    fields: &mut Fields<'_>,
    phases: &Items<ContextPhase>,
    artifacts: &Items<(Option<ArtifactFormat>, ArtifactType)>,
    all_units: &mut Vec<Located<String>>,
    sink: &mut Sink<'_>,
) -> ContextNeed {
    let artifact = fields.id("artifact", sink);
    let known = artifact
        .as_ref()
        .and_then(|artifact| artifacts.find(artifact, sink));
    let faults = sink.count();
    let phase = fields.optional_text("phase", sink);
    if let Some(phase) = &phase {
        phases.find(phase, sink);
    }
    let words = MessageIntent::ALL.map(|intent| (intent.as_str(), intent));
    let intents = fields.choices("intents", &words, sink);
    let units = unit_ids(fields, all_units, sink);
    let always = phase.is_none() && intents.is_empty() && units.is_empty();
    if always && sink.count() == faults {
        sink.add(
            id.line,
            format!(
                "the need `{}` has no phase, no intent and no unit",
                id.value
            ),
            "say when it is needed: add a line `phase: …`, `intents: […]` or `units: […]`",
        );
    }
    let key_path = fields.optional_text("key_path", sink);
    if let Some(path) = &key_path {
        check_path(path, known.and_then(|(format, _)| *format), sink);
    }
    let urgencies = Urgency::ALL.map(|urgency| (urgency.as_str(), urgency));
    let urgency = fields.required_choice("urgency", &urgencies, sink);
    let why = fields.local_text("why", sink).map(|(en, de)| {
        bounded(&en, "`why`", MAX_TEXT_CHARS, sink);
        bounded(&de, "`why`", MAX_TEXT_CHARS, sink);
        LocalText {
            en: en.value,
            de: de.value,
        }
    });
    ContextNeed {
        id: id.value,
        artifact: artifact.map(|l| l.value).unwrap_or_default(),
        phase: phase.map(|l| l.value),
        intents,
        units,
        key_path: key_path.map(|l| l.value),
        urgency: urgency.unwrap_or(Urgency::NiceToHave),
        why: why.unwrap_or_default(),
    }
}

/// Checks a path's length, and its form where the artifact's format is known.
fn check_path(path: &Located<String>, format: Option<ArtifactFormat>, sink: &mut Sink<'_>) {
    let bytes = path.value.len();
    if bytes > MAX_PATH_BYTES {
        sink.add(
            path.line,
            format!("`key_path` has {bytes} bytes, but at most {MAX_PATH_BYTES} are allowed"),
            "name a part nearer to the top",
        );
        return;
    }
    let lines = path.value.strip_prefix("lines:");
    let (good, remedy) = match format {
        None => return,
        Some(ArtifactFormat::Json) => (
            lines.is_none(),
            "of JSON, write the dotted form `steps[0].title` or a JSON Pointer `/steps/0/title`",
        ),
        Some(_) => (
            lines.is_some_and(are_lines),
            "of text, code and logs, parts are lines: write `lines:10-20`; the first line is 1",
        ),
    };
    if !good {
        sink.add(
            path.line,
            format!("`key_path` cannot be `{}`", shorten(&path.value)),
            remedy,
        );
    }
}

/// Whether this is the first line and the last one, as in `10-20`.
fn are_lines(range: &str) -> bool {
    let number = |digits: &str| {
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse::<u32>().ok().filter(|_| plain)
    };
    let ends = range.split_once('-');
    ends.and_then(|(first, last)| Some((number(first)?, number(last)?)))
        .is_some_and(|(first, last)| 0 < first && first <= last)
}

fn read_friction(mut fields: Fields<'_>, sink: &mut Sink<'_>) -> Friction {
    let default = Friction::default();
    let found = Friction {
        max_requests_per_thread: fields
            .whole_number("max_requests_per_thread", 1..=20, sink)
            .unwrap_or(default.max_requests_per_thread),
        min_messages_between: fields
            .whole_number("min_messages_between", 0..=100, sink)
            .unwrap_or(default.min_messages_between),
        max_refusals: fields
            .whole_number("max_refusals", 1..=20, sink)
            .unwrap_or(default.max_refusals),
    };
    fields.finish(sink);
    found
}
