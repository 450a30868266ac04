//! Whether a drill repeats an exercise of its unit's lessons, which solve what they show: whoever reads on can copy the answer.

use std::collections::HashMap;

use crate::draft::{ChunkDraft, Draft};
use crate::fault::Faults;
use crate::model::Drill;

/// So many words in a row, a number among them, are a story told again.
const SAME_WORDS: usize = 5;

/// So many numbers in a row are a story's numbers again.
const SAME_NUMBERS: usize = 3;

/// Checks every drill against the lessons of its unit.
pub(super) fn check(draft: &Draft<'_>, faults: &mut Faults) {
    let mut chunks: HashMap<&str, Vec<&ChunkDraft<'_>>> = HashMap::new();
    for chunk in &draft.chunks {
        chunks.entry(&chunk.chunk.unit).or_default().push(chunk);
    }
    for unit in &draft.units {
        let Some(chunks) = chunks.get(unit.unit.id.as_str()) else {
            continue;
        };
        // Words are looked at only where an exercise is told in words.
        let told = unit.unit.drills.iter().any(is_told);
        let chunks: Vec<Shown<'_>> = chunks
            .iter()
            .map(|chunk| Shown::read(chunk, told))
            .collect();
        for (drill, line) in unit.unit.drills.iter().zip(&unit.drill_lines) {
            let Some(shown) = chunks.iter().find(|chunk| chunk.shows(drill)) else {
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
    }
}

/// What a section of a lesson shows.
struct Shown<'a> {
    chunk: &'a ChunkDraft<'a>,
    formulas: Vec<String>,
    words: Vec<String>,
}

impl<'a> Shown<'a> {
    fn read(chunk: &'a ChunkDraft<'a>, told: bool) -> Self {
        let text = &chunk.chunk.text;
        Self {
            chunk,
            // Every other part stands between dollar signs.
            formulas: text.split('$').skip(1).step_by(2).map(plain).collect(),
            words: if told { words(text) } else { Vec::new() },
        }
    }

    fn shows(&self, drill: &Drill) -> bool {
        if is_told(drill) {
            let (prompt, exercise) = (words(&drill.prompt), words(&drill.question_latex));
            return self.tells(&prompt) || self.tells(&exercise) || self.counts(&exercise);
        }
        // `(1, 2),\ (4, 11)`: each of them.
        let parts = parts(&plain(&drill.question_latex));
        !parts.is_empty() && parts.iter().all(|part| self.has_formula(part))
    }

    /// Whether a formula is the part, or a side of it is: `2x + 3x = 5x` shows `2x + 3x`.
    fn has_formula(&self, part: &str) -> bool {
        self.formulas.iter().any(|formula| {
            formula == part
                || !part.contains('=') && formula.split('=').any(|side| side == part)
                || part.contains('=') && formula.starts_with(&format!("{part}="))
        })
    }

    /// Whether enough words in a row are the same, a number among them.
    fn tells(&self, words: &[String]) -> bool {
        words.windows(SAME_WORDS).any(|run| {
            run.iter().any(|word| is_number(word))
                && self.words.windows(SAME_WORDS).any(|own| own == run)
        })
    }

    /// Whether its numbers come in the same order.
    fn counts(&self, words: &[String]) -> bool {
        let numbers = |words: &[String]| -> Vec<String> {
            words
                .iter()
                .filter(|word| is_number(word))
                .cloned()
                .collect()
        };
        let (theirs, own) = (numbers(words), numbers(&self.words));
        theirs.len() >= SAME_NUMBERS && own.windows(theirs.len()).any(|run| run == theirs)
    }
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
