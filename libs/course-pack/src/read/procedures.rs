//! `procedures/ID/`: the steps, the telemetry and the map of the user interface, each file by itself.

use std::ops::RangeInclusive;
use std::path::Path;

use turnwise_gates::{Kind, Var, is_var_name};

use super::course::is_language_tag;
use super::helper::bounded;
use super::items::{Items, List, short_text};
use super::values;
use crate::draft::{Draft, ScriptDraft, StepDraft};
use crate::fault::{Faults, Sink};
use crate::fields::{Fields, Located, once, shorten};
use crate::files::Part;
use crate::procedure::{CONTRACT_VERSION, MAX_STEPS, ProcedurePhase, TelemetryVar, UiTarget};
use crate::repeats::repeats;
use crate::yaml;

const MAX_TITLE_CHARS: usize = 200;
const MAX_NAME_CHARS: usize = 200;
const MAX_OFFICIAL_CHARS: usize = 1_000;
const MAX_EXPLANATION_CHARS: usize = 500;
const MAX_PROMPT_CHARS: usize = 300;
const MAX_PROMPTS: usize = 5;
const MAX_UNITS: usize = 6;
const SETTLE_MS: RangeInclusive<u32> = 0..=60_000;
const DEFAULT_SETTLE_MS: u32 = 500;

const PHASES: List = List {
    key: "phases",
    what: "phase",
    id: "id",
    most: 20,
};
const STEPS: List = List {
    key: "steps",
    what: "step",
    id: "id",
    most: MAX_STEPS,
};
const TELEMETRY: List = List {
    key: "telemetry",
    what: "variable",
    id: "var",
    most: 500,
};
const TARGETS: List = List {
    key: "targets",
    what: "target",
    id: "target",
    most: 500,
};

pub(super) fn read<'a>(
    part: Part,
    file: &'a Path,
    text: &str,
    draft: &mut Draft<'a>,
    faults: &mut Faults,
) {
    let folder = file.parent().and_then(Path::file_name);
    let id = folder.and_then(|name| name.to_str()).unwrap_or_default();
    let procedure = draft.procedures.entry(id.to_owned()).or_default();
    let sink = &mut Sink::new(file, faults);
    let Some(fields) = yaml::parse(text, 1, sink)
        .and_then(|node| Fields::open(node, "file of the procedure", sink))
    else {
        return;
    };
    match part {
        Part::Steps => procedure.script = Some(script(file, fields, sink)),
        Part::Telemetry => procedure.telemetry = telemetry(fields, sink),
        Part::Ui => procedure.targets = targets(fields, sink),
    }
}

fn script<'a>(file: &'a Path, mut fields: Fields<'_>, sink: &mut Sink<'_>) -> ScriptDraft<'a> {
    let title = short_text(&mut fields, "title", MAX_TITLE_CHARS, sink);
    let locale = fields.optional_text("locale", sink);
    if let Some(locale) = &locale
        && !is_language_tag(&locale.value)
    {
        sink.add(
            locale.line,
            format!("`{}` is not a language tag", shorten(&locale.value)),
            "write a language such as `en`, or remove the line: then it is the course's",
        );
    }
    let versions = [(CONTRACT_VERSION, CONTRACT_VERSION)];
    let version = fields.required_choice("contract_version", &versions, sink);
    let units = fields.ids("units", sink);
    if let Some(more) = units.get(MAX_UNITS) {
        sink.add(
            more.line,
            format!("this procedure has more than {MAX_UNITS} units"),
            "keep those whose texts help most",
        );
    }
    let phases = Items::read(&PHASES, &mut fields, sink, |id, fields, sink| {
        ProcedurePhase {
            id: id.value,
            title: short_text(fields, "title", MAX_TITLE_CHARS, sink),
        }
    });
    let steps = Items::read(&STEPS, &mut fields, sink, |id, fields, sink| {
        step(id, fields, &phases, sink)
    });
    if steps.values.is_empty() && steps.complete {
        sink.add(
            fields.line,
            "this procedure has no steps",
            "write them under `steps`, in the order in which they are done",
        );
    }
    fields.finish(sink);
    ScriptDraft {
        file,
        title,
        locale: locale.map(|l| l.value),
        contract_version: version.unwrap_or_default().to_owned(),
        units,
        phases: phases.values,
        steps: steps.values,
    }
}

fn step(
    id: Located<String>,
    fields: &mut Fields<'_>,
    phases: &Items<ProcedurePhase>,
    sink: &mut Sink<'_>,
) -> StepDraft {
    let phase = fields.id("phase", sink);
    if let Some(phase) = &phase {
        phases.find(phase, sink);
    }
    let official_step = short_text(fields, "official_step", MAX_OFFICIAL_CHARS, sink);
    let short_explanation = short_text(fields, "short_explanation", MAX_EXPLANATION_CHARS, sink);
    let tutor_prompts = fields.texts("tutor_prompts", sink);
    for prompt in &tutor_prompts {
        bounded(prompt, "a tutor prompt", MAX_PROMPT_CHARS, sink);
    }
    if let Some(more) = tutor_prompts.get(MAX_PROMPTS) {
        sink.add(
            more.line,
            format!("this step has more than {MAX_PROMPTS} tutor prompts"),
            "keep those that help most",
        );
    }
    let entry = fields.optional_text("entry", sink);
    let completion = fields.text("completion", sink);
    let target = fields.optional_text("target", sink);
    let stated = fields.line_of("allowed_targets").is_some();
    let allowed_targets = fields.ids("allowed_targets", sink);
    once(&allowed_targets, "allowed_targets", sink);
    let settle_ms = fields.whole_number("settle_ms", SETTLE_MS, sink);
    StepDraft {
        id,
        phase: phase.map(|l| l.value).unwrap_or_default(),
        official_step,
        short_explanation,
        tutor_prompts: values(tutor_prompts),
        entry,
        completion,
        target,
        allowed_targets: stated.then_some(allowed_targets),
        settle_ms: settle_ms.unwrap_or(DEFAULT_SETTLE_MS),
    }
}

/// The variables; none if some of them are not known.
fn telemetry(mut fields: Fields<'_>, sink: &mut Sink<'_>) -> Option<Vec<TelemetryVar>> {
    let mut raws = Vec::new();
    let vars = Items::read(&TELEMETRY, &mut fields, sink, |name, fields, sink| {
        let raw = fields.text("raw", sink);
        if let Some(raw) = &raw {
            bounded(raw, "`raw`", MAX_NAME_CHARS, sink);
        }
        raws.extend(raw.clone());
        // Without a name at all, that is the fault.
        if !name.value.is_empty() && !is_var_name(&name.value) {
            sink.add(
                name.line,
                format!("`{}` cannot be a variable's name", shorten(&name.value)),
                "use 1 to 64 of a-z, 0-9 and `_`, with a letter first, and no word of CEL such as `in`",
            );
        }
        let kind = kind(fields, sink);
        let unit = fields.optional_text("unit", sink);
        if let Some(unit) = &unit {
            bounded(unit, "`unit`", 20, sink);
        }
        kind.map(|kind| TelemetryVar {
            raw: raw.map(|l| l.value).unwrap_or_default(),
            var: Var {
                name: name.value,
                kind,
                unit: unit.map(|l| l.value).unwrap_or_default(),
            },
        })
    });
    fields.finish(sink);
    for (again, first) in repeats(raws.iter().map(|raw| raw.value.as_str())) {
        sink.add(
            raws[again].line,
            format!(
                "the telemetry `{}` feeds a variable already (line {})",
                shorten(&raws[again].value),
                raws[first].line
            ),
            "keep one variable for it",
        );
    }
    if !vars.complete {
        return None;
    }
    vars.values.into_iter().collect()
}

/// What a variable may be; none, and a fault, if that cannot be read.
fn kind(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Option<Kind> {
    let names = ["bool", "int", "double", "enum"].map(|name| (name, name));
    let line = fields.line;
    let name = fields.required_choice("type", &names, sink);
    let range_line = fields.line_of("range");
    let range = fields.texts("range", sink);
    let words_line = fields.line_of("values");
    let words = fields.ids("values", sink);
    once(&words, "values", sink);
    let name = name?;
    let is_number = matches!(name, "int" | "double");
    for (key, at, fits) in [
        ("range", range_line, is_number),
        ("values", words_line, name == "enum"),
    ] {
        if at.is_some() != fits {
            let (says, remedy) = if fits {
                ("needs", "add a line")
            } else {
                ("has no", "remove the line")
            };
            sink.add(
                at.unwrap_or(line),
                format!("a variable of the type `{name}` {says} `{key}`"),
                format!("{remedy} `{key}: …`"),
            );
            return None;
        }
    }
    match name {
        "bool" => Some(Kind::Bool),
        "enum" if words.is_empty() => {
            sink.add(
                words_line,
                "a variable of the type `enum` has at least one value",
                "name them, as in `values: [idle, filling]`",
            );
            None
        }
        "enum" => Some(Kind::Enum(values(words))),
        _ => {
            let ends = match range.as_slice() {
                [low, high] if name == "int" => {
                    ends(low, high).map(|(min, max)| Kind::Int { min, max })
                }
                [low, high] => ends(low, high)
                    .filter(|(min, max): &(f64, f64)| min.is_finite() && max.is_finite())
                    .map(|(min, max)| Kind::Double { min, max }),
                _ => None,
            };
            if ends.is_none() {
                sink.add(
                    range_line,
                    format!("`range` is not the least and the greatest {name}"),
                    "write both, the least first, as in `range: [0, 14]`",
                );
            }
            ends
        }
    }
}

fn ends<T: std::str::FromStr + PartialOrd>(
    low: &Located<String>,
    high: &Located<String>,
) -> Option<(T, T)> {
    let ends = (low.value.parse().ok()?, high.value.parse().ok()?);
    (ends.0 <= ends.1).then_some(ends)
}

/// The targets; none if some of them are not known.
fn targets(mut fields: Fields<'_>, sink: &mut Sink<'_>) -> Option<Vec<UiTarget>> {
    let mut elements = Vec::new();
    let targets = Items::read(&TARGETS, &mut fields, sink, |id, fields, sink| {
        let element = fields.text("element", sink);
        if let Some(element) = &element {
            bounded(element, "`element`", MAX_NAME_CHARS, sink);
            if element
                .value
                .contains(|c: char| c.is_whitespace() || c.is_control())
            {
                sink.add(
                    element.line,
                    format!("`{}` is no element's id", shorten(&element.value)),
                    "write the id as the simulator or page has it, without spaces",
                );
            }
        }
        elements.extend(element.clone());
        UiTarget {
            id: id.value,
            element: element.map(|l| l.value).unwrap_or_default(),
            label: short_text(fields, "label", MAX_TITLE_CHARS, sink),
        }
    });
    fields.finish(sink);
    for (again, first) in repeats(elements.iter().map(|element| element.value.as_str())) {
        sink.add(
            elements[again].line,
            format!(
                "the element `{}` has a target already (line {})",
                shorten(&elements[again].value),
                elements[first].line
            ),
            "keep one target for it, so that a highlight means one thing",
        );
    }
    targets.complete.then_some(targets.values)
}
