//! The drills of a unit: written out, or with parameters and then as the instances of their seeds.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::Path;

use turnwise_drill_templates::{Fault, SEEDS, SyntaxError, Template, Text};

use super::teaching::each_at_most;
use super::values;
use crate::fault::Sink;
use crate::fields::{Fields, Located, shorten};
use crate::model::{Drill, DrillInstance, DrillTemplate};
use crate::yaml::Node;

/// The most bytes of the id of a drill with parameters: its instances' ids, which are longer, are no longer than any other.
const MOST_ID_BYTES: usize = 120;

/// The most characters of a hint, and of a solution's line, as it is written.
const MOST_CHARS: usize = 300;

/// The most hints of a drill.
const MOST_HINTS: usize = 3;

/// How many lines a solution has.
const LINES: RangeInclusive<usize> = 2..=6;

/// A drill as it was read.
pub(super) enum Read {
    /// It is written out; with the line of its id.
    Drill(Drill, usize),
    /// It has parameters.
    Template(DrillTemplate),
}

/// What a drill is written with.
struct Written {
    parameters: Vec<Located<String>>,
    conditions: Vec<Located<String>>,
    prompt: Located<String>,
    latex: Option<Located<String>>,
    answer: Located<String>,
    hints: Vec<Located<String>>,
    solution: Vec<Located<String>>,
}

/// Reads a drill. One that has no id, or parameters that make no drill, is left out.
pub(super) fn read(file: &Path, node: Node<'_>, sink: &mut Sink<'_>) -> Option<Read> {
    let mut fields = Fields::open(node, "drill", sink)?;
    let id = fields.id("id", sink);
    let parameter_line = fields.line_of("parameters");
    let parameters = fields.texts("parameters", sink);
    let conditions = fields.texts("where", sink);
    let prompt = fields.text("prompt", sink);
    let latex = fields.optional_text("question_latex", sink);
    let answer = fields.text("answer", sink);
    let hints = fields.texts("hints", sink);
    let solution = fields.texts("solution", sink);
    fields.finish(sink);
    helping(&hints, &solution, sink);
    let id = id?;
    if parameters.is_empty() {
        if let Some(line) = parameter_line.or(conditions.first().map(|text| text.line)) {
            sink.add(
                line,
                format!("the drill `{}` has no parameters", id.value),
                "write each as `- a in 2..9` or `- c = a*b` below `parameters`, or remove this key",
            );
        }
        let text = |text: Option<Located<String>>| text.map(|l| l.value).unwrap_or_default();
        for (key, text) in [("prompt", &prompt), ("question_latex", &latex)] {
            let Some(text) = text else { continue };
            equals_signs(&id.value, key, text.line, &text.value, sink);
        }
        let drill = Drill {
            id: id.value,
            prompt: text(prompt),
            question_latex: text(latex),
            answer: text(answer),
            hints: values(hints),
            solution: values(solution),
        };
        return Some(Read::Drill(drill, id.line));
    }
    let written = Written {
        parameters,
        conditions,
        prompt: prompt?,
        latex,
        answer: answer?,
        hints,
        solution,
    };
    let (template, maker) = template(&id, &written, sink)?;
    let instances = instances(&id, &template, &maker, sink)?;
    Some(Read::Template(DrillTemplate {
        id: id.value,
        file: file.to_path_buf(),
        line: id.line,
        instances,
    }))
}

/// Checks what helps with a drill.
fn helping(hints: &[Located<String>], solution: &[Located<String>], sink: &mut Sink<'_>) {
    each_at_most(hints, "hint", MOST_CHARS, sink);
    each_at_most(solution, "line of a solution", MOST_CHARS, sink);
    if let Some(hint) = hints.get(MOST_HINTS) {
        sink.add(
            hint.line,
            format!("`hints` has {} hints, but at most {MOST_HINTS} are given", hints.len()),
            "keep three: what to look at, the rule, the first step; a solved sibling comes after them",
        );
    }
    if let Some(line) = solution.first()
        && !LINES.contains(&solution.len())
    {
        sink.add(
            line.line,
            format!(
                "`solution` has {} lines, but 2 to 6 make a worked example",
                solution.len()
            ),
            "write a step a line, the answer in the last",
        );
    }
}

/// Whether a text has at most one equals sign; if not, that is a fault.
fn equals_signs(id: &str, key: &str, line: usize, text: &str, sink: &mut Sink<'_>) -> bool {
    let signs = text.bytes().filter(|b| *b == b'=').count();
    if signs > 1 {
        sink.add(
            line,
            format!("the drill `{id}` has {signs} equals signs in its `{key}`"),
            "a drill is one short step: keep at most one `=`, or split it into two drills",
        );
    }
    signs <= 1
}

/// The texts of a template.
struct Maker {
    prompt: Piece,
    latex: Option<Piece>,
    answer: Piece,
    hints: Vec<Piece>,
    solution: Vec<Piece>,
}

/// A text and its line.
struct Piece {
    line: usize,
    text: Text,
}

/// Reads the parameters, conditions and texts; `None` if any of them has a fault.
fn template(
    id: &Located<String>,
    written: &Written,
    sink: &mut Sink<'_>,
) -> Option<(Template, Maker)> {
    if id.value.len() > MOST_ID_BYTES {
        sink.add(
            id.line,
            format!(
                "the drill `{}` has parameters, and its id has more than {MOST_ID_BYTES} characters",
                shorten(&id.value)
            ),
            "shorten the id",
        );
        return None;
    }
    let mut template = Template::new(&id.value);
    // What stands below may need what could not be read, so the first fault is all that is told.
    for parameter in &written.parameters {
        let read = template.parameter(&parameter.value);
        taken(id, "parameters", parameter, read, sink)?;
    }
    for condition in &written.conditions {
        let read = template.condition(&condition.value);
        taken(id, "where", condition, read, sink)?;
    }
    let mut piece = |key: &str, text: &Located<String>| {
        let read = taken(id, key, text, template.text(&text.value), sink)?;
        Some(Piece {
            line: text.line,
            text: read,
        })
    };
    let prompt = piece("prompt", &written.prompt);
    let latex = written.latex.as_ref().map(|t| piece("question_latex", t));
    let answer = piece("answer", &written.answer);
    let mut pieces = |key: &str, texts: &[Located<String>]| {
        // All are read, so that all faults are told.
        let read: Vec<_> = texts.iter().map(|text| piece(key, text)).collect();
        read.into_iter().collect::<Option<Vec<_>>>()
    };
    let hints = pieces("hints", &written.hints);
    let solution = pieces("solution", &written.solution);
    let maker = Maker {
        prompt: prompt?,
        latex: latex.map_or(Some(None), |piece| piece.map(Some))?,
        answer: answer?,
        hints: hints?,
        solution: solution?,
    };
    Some((template, maker))
}

/// What was read, or a fault of this text.
fn taken<T>(
    id: &Located<String>,
    key: &str,
    text: &Located<String>,
    read: Result<T, SyntaxError>,
    sink: &mut Sink<'_>,
) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(error) => {
            sink.add(
                text.line,
                format!(
                    "the drill `{}` has `{}` in its `{key}`, which cannot be read: {error}",
                    id.value,
                    shorten(&text.value)
                ),
                "parameters are `a in 2..9` or `c = a*b`, conditions `a != b`, and texts show values as `[[a + b]]` or \
                 `[[a : coef]]`",
            );
            None
        }
    }
}

/// The instances of all seeds, each exercise once; `None` if a seed makes none, or two exercises of the same words have
/// different answers.
fn instances(
    id: &Located<String>,
    template: &Template,
    maker: &Maker,
    sink: &mut Sink<'_>,
) -> Option<Vec<DrillInstance>> {
    let Located { value: id, line } = id;
    let mut instances: Vec<DrillInstance> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    for seed in 0..SEEDS {
        let made = match maker.make(id, template, seed) {
            Ok(made) => made,
            Err((own_line, fault)) => {
                sink.add(
                    own_line.unwrap_or(*line),
                    format!("the drill `{id}` makes no exercise of seed {seed}: {fault}"),
                    "rule such values out by a condition below `where`, or correct the expression or the range",
                );
                return None;
            }
        };
        let drill = &made.drill;
        if drill.prompt.trim().is_empty() || drill.answer.trim().is_empty() {
            sink.add(
                maker.answer.line,
                format!(
                    "the drill `{id}` has an empty prompt or answer with seed {seed} ({})",
                    made.values
                ),
                "write a text that shows something for all values; `coef` shows nothing for 1",
            );
            return None;
        }
        let latex = maker.latex.as_ref().unwrap_or(&maker.prompt);
        let short = equals_signs(id, "prompt", maker.prompt.line, &drill.prompt, sink)
            && equals_signs(
                id,
                "question_latex",
                latex.line,
                &drill.question_latex,
                sink,
            );
        if !short {
            return None;
        }
        let reads = (drill.prompt.clone(), drill.question_latex.clone());
        let Some(first) = places.get(&reads).and_then(|place| instances.get(*place)) else {
            places.insert(reads, instances.len());
            instances.push(made);
            continue;
        };
        if first.drill.answer != drill.answer {
            sink.add(
                maker.answer.line,
                format!(
                    "the drill `{id}` has two keys for one exercise: `{}` with seed {} ({}), `{}` with seed {seed} ({})",
                    first.drill.answer, first.seed, first.values, drill.answer, made.values
                ),
                "show in the prompt or in `question_latex` what the answer depends on",
            );
            return None;
        }
    }
    Some(instances)
}

impl Maker {
    /// The instance of a seed; an error has the line of its text, where it has one.
    fn make(
        &self,
        id: &str,
        template: &Template,
        seed: u32,
    ) -> Result<DrillInstance, (Option<usize>, Fault)> {
        let values = template.values(seed).map_err(|fault| (None, fault))?;
        let write = |piece: &Piece| {
            let written = piece.text.write(&values);
            written.map_err(|fault| (Some(piece.line), fault))
        };
        let optional = |piece: &Option<Piece>| match piece {
            Some(piece) => write(piece),
            None => Ok(String::new()),
        };
        let drill = Drill {
            id: format!("{id}#{seed}"),
            prompt: write(&self.prompt)?,
            question_latex: optional(&self.latex)?,
            answer: write(&self.answer)?,
            hints: self.hints.iter().map(write).collect::<Result<_, _>>()?,
            solution: self.solution.iter().map(write).collect::<Result<_, _>>()?,
        };
        Ok(DrillInstance {
            seed,
            values: values.to_string(),
            drill,
        })
    }
}
