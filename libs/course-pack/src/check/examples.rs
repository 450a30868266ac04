//! Whether a drill repeats an exercise of its unit's lessons, which solve what they show: whoever reads on can copy the answer.

use std::collections::{HashMap, HashSet};

use crate::draft::{ChunkDraft, Draft};
use crate::fault::Faults;
use crate::model::Drill;

/// So many words in a row, a number among them, are a story told again.
const SAME_WORDS: usize = 5;

/// So many numbers in a row are a story's numbers again.
const SAME_NUMBERS: usize = 3;

/// Checks every drill against the lessons of its unit. Of one with parameters, the instances that a lesson solves are left
/// out.
pub(crate) fn examples(draft: &mut Draft<'_>, faults: &mut Faults) {
    let mut chunks: HashMap<&str, Vec<&ChunkDraft<'_>>> = HashMap::new();
    for chunk in &draft.chunks {
        chunks.entry(&chunk.chunk.unit).or_default().push(chunk);
    }
    for unit in &mut draft.units {
        let Some(chunks) = chunks.get(unit.unit.id.as_str()) else {
            continue;
        };
        // Words are looked at only where an exercise is told in words.
        let told = unit.unit.all_drills().any(is_told);
        let chunks: Vec<Shown<'_>> = chunks
            .iter()
            .map(|chunk| Shown::read(chunk, told))
            .collect();
        for (drill, line) in unit.unit.drills.iter().zip(&unit.drill_lines) {
            let Some(shown) = Shown::among(&chunks, drill) else {
                continue;
            };
            faults.add(
                unit.file,
                *line,
                format!(
                    "the drill `{}` is solved in a lesson of its unit ({}:{})",
                    drill.id,
                    shown.chunk.file.display(),
                    shown.chunk.line
                ),
                "give the drill or the lesson's example other numbers",
            );
        }
        for template in &mut unit.unit.templates {
            let instances = &mut template.instances;
            instances.retain(|instance| Shown::among(&chunks, &instance.drill).is_none());
            if instances.is_empty() {
                faults.add(
                    unit.file,
                    template.line,
                    format!(
                        "all exercises of the drill `{}` are solved in lessons of its unit",
                        template.id
                    ),
                    "give its parameters other ranges",
                );
            }
        }
    }
}

/// What a section of a lesson shows.
struct Shown<'a> {
    chunk: &'a ChunkDraft<'a>,
    /// The formulas, their sides, and what stands before one of their equals signs: `2x + 3x = 5x` shows `2x + 3x`.
    formulas: HashSet<String>,
    /// Words in a row with a number among them.
    runs: HashSet<String>,
    numbers: Vec<String>,
}

impl<'a> Shown<'a> {
    fn read(chunk: &'a ChunkDraft<'a>, told: bool) -> Self {
        let text = &chunk.chunk.text;
        let words = if told { words(text) } else { Vec::new() };
        // Every other part stands between dollar signs.
        let mut formulas = HashSet::new();
        for formula in text.split('$').skip(1).step_by(2).map(plain) {
            formulas.extend(formula.split('=').map(str::to_owned));
            let ends = formula.match_indices('=').map(|(at, _)| at);
            formulas.extend(ends.map(|at| formula[..at].to_owned()));
            formulas.insert(formula);
        }
        Self {
            chunk,
            formulas,
            runs: runs(&words).collect(),
            numbers: numbers(&words),
        }
    }

    /// The section that shows the drill.
    fn among<'s>(sections: &'s [Self], drill: &Drill) -> Option<&'s Self> {
        if is_told(drill) {
            let (prompt, exercise) = (words(&drill.prompt), words(&drill.question_latex));
            let told: Vec<String> = runs(&prompt).chain(runs(&exercise)).collect();
            let numbers = numbers(&exercise);
            return sections
                .iter()
                .find(|shown| shown.tells(&told) || shown.counts(&numbers));
        }
        // `(1, 2),\ (4, 11)`: each of them.
        let parts = parts(&plain(&drill.question_latex));
        let shows = |shown: &&Self| parts.iter().all(|part| shown.formulas.contains(part));
        sections.iter().find(shows).filter(|_| !parts.is_empty())
    }

    /// Whether enough words in a row are the same, a number among them.
    fn tells(&self, runs: &[String]) -> bool {
        runs.iter().any(|run| self.runs.contains(run))
    }

    /// Whether its numbers come in the same order.
    fn counts(&self, numbers: &[String]) -> bool {
        numbers.len() >= SAME_NUMBERS
            && self
                .numbers
                .windows(numbers.len())
                .any(|run| run == numbers)
    }
}

/// Every so many words in a row that have a number among them.
fn runs(words: &[String]) -> impl Iterator<Item = String> {
    let runs = words.windows(SAME_WORDS);
    let runs = runs.filter(|run| run.iter().any(|word| is_number(word)));
    runs.map(|run| run.join(" "))
}

fn numbers(words: &[String]) -> Vec<String> {
    let numbers = words.iter().filter(|word| is_number(word));
    numbers.cloned().collect()
}

/// Whether an exercise is told in words.
fn is_told(drill: &Drill) -> bool {
    drill.question_latex.trim().is_empty() || drill.question_latex.contains("\\text")
}

fn is_number(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
}

/// A formula without what only sets it.
fn plain(formula: &str) -> String {
    let mut plain = formula.to_lowercase();
    for (command, sign) in [
        ("\\left", ""),
        ("\\right", ""),
        ("\\dfrac", "\\frac"),
        ("\\tfrac", "\\frac"),
        ("\\cdot", "\\times"),
        ("\\,", ""),
        ("\\ ", ""),
        ("{", ""),
        ("}", ""),
    ] {
        plain = plain.replace(command, sign);
    }
    plain.retain(|character| !character.is_whitespace());
    plain
}

/// The parts of a formula between commas that stand in no bracket.
fn parts(formula: &str) -> Vec<String> {
    let mut depth = 0_usize;
    formula
        .split(|character| {
            match character {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            character == ',' && depth == 0
        })
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The words and numbers of a text, in lower case, with small numbers as digits.
fn words(text: &str) -> Vec<String> {
    const SMALL: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    let lower = text.to_lowercase().replace("\\text", " ");
    let mut words: Vec<String> = Vec::new();
    let mut numeric = false;
    let mut run = false;
    for character in lower.chars() {
        let belongs = character.is_alphanumeric();
        if belongs && run && character.is_ascii_digit() == numeric {
            if let Some(last) = words.last_mut() {
                last.push(character);
            }
        } else if belongs {
            words.push(character.to_string());
        }
        numeric = character.is_ascii_digit();
        run = belongs;
    }
    for word in &mut words {
        if let Some(number) = SMALL.iter().position(|small| small == word) {
            *word = number.to_string();
        }
    }
    words
}
