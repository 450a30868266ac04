//! What an exercise lets an answer say: its letters, its words, and the unit that it asks for.

use super::{
    atoms::{Atom, atoms, text},
    numerals,
    phrases::{Meaning, TURNING, meaning},
};
use crate::{
    grade::Drill,
    prompt::{Piece, pieces},
    task,
    units::{self, Unit},
};

/// Words of formulas.
const FUNCTIONS: &[&str] = &[
    "sqrt",
    "cbrt",
    "abs",
    "frac",
    "pi",
    "infinity",
    "inf",
    "infty",
    "oo",
    "pm",
    "cdot",
    "times",
    "leq",
    "geq",
    "union",
    "operatorname",
    "left",
    "right",
    "cases",
    "aligned",
    "array",
];

/// Words that units are made of beside their names.
const UNIT_WORDS: &[&str] = &[
    "per",
    "square",
    "sq",
    "cubic",
    "cu",
    "celsius",
    "fahrenheit",
    "mph",
    "kph",
    "kmh",
];

/// Words by which a German prompt is known, beside its umlauts and `iere` at the end. English has none of them.
#[rustfmt::skip]
const GERMAN: &[&str] = &[
    "aus", "ausklammern", "bei", "berechne", "bestimme", "das", "dem", "den", "der", "ein", "eine", "einen", "einer", "fasse",
    "finde", "gib", "ist", "klammere", "mit", "nach", "rechne", "runde", "schreib", "schreibe", "sind", "und", "vereinfache",
    "vergleiche", "viel", "viele", "von", "welche", "welcher", "welches", "wie", "zerlege", "zu",
];

/// What an exercise lets an answer say.
pub(super) struct Known {
    /// The letters of its formulas, as they stand there.
    letters: Vec<char>,
    prompt: Vec<String>,
    key: Vec<String>,
    numbers: Vec<String>,
    /// Whether powers occur, so that `x2` may be meant as one.
    pub(super) has_powers: bool,
    /// Whether it may be German, where `null` is a number: it has a German word, or none at all.
    pub(super) is_german: bool,
    /// The unit that the prompt asks for, where the key says none.
    asked: Option<Unit>,
}

impl Known {
    /// What a drill lets an answer say.
    pub(super) fn of(drill: &Drill<'_>) -> Self {
        let cut = |text: &str| atoms(text, super::MAX_ATOMS).unwrap_or_default();
        let key = cut(drill.key.unwrap_or_default());
        let question = cut(drill.question_latex);
        let prompt = cut(drill.prompt);
        let mut letters = Vec::new();
        let exercise = text(&question);
        // `den` and `aus` look like products of letters.
        let english = task::german::in_english(drill.prompt);
        let asked = english.as_deref().unwrap_or(drill.prompt);
        for formula in pieces(asked).into_iter().chain(pieces(&exercise)) {
            if let Piece::Formula(formula) = formula {
                letters.extend(letters_of(&cut(&formula)));
            }
        }
        letters.extend(letters_of(&key));
        let words = |atoms: &[Atom]| -> Vec<String> {
            atoms
                .iter()
                .filter_map(Atom::word)
                .map(str::to_owned)
                .collect()
        };
        let has_unit = key.iter().any(|atom| {
            atom.word().is_some_and(|word| word.chars().count() > 1)
                || "€$£¥°%".chars().any(|sign| atom.is(sign))
        });
        let texts = [
            drill.prompt,
            drill.question_latex,
            drill.key.unwrap_or_default(),
        ];
        let prompt_words = words(&prompt);
        let is_german = |word: &String| {
            GERMAN.contains(&word.as_str())
                || word.ends_with("iere")
                || word.contains(['ä', 'ö', 'ü', 'ß'])
        };
        let is_name =
            |word: &String| word.chars().count() == 1 || FUNCTIONS.contains(&word.as_str());
        Self {
            letters,
            is_german: prompt_words.iter().any(is_german) || prompt_words.iter().all(is_name),
            has_powers: texts.iter().any(|text| text.contains(['^', '²', '³', '⁴'])),
            numbers: [&question, &prompt]
                .into_iter()
                .flatten()
                .filter_map(Atom::number)
                .map(str::to_owned)
                .collect(),
            prompt: prompt_words,
            asked: units::asked(drill.prompt).filter(|_| drill.key.is_some() && !has_unit),
            key: words(&key),
        }
    }

    /// Whether a word can stand in a formula: a letter, letters of the exercise side by side, a function's name.
    pub(super) fn is_formula(&self, word: &str) -> bool {
        let word = ["sqrt", "cbrt", "abs"]
            .iter()
            .find_map(|name| word.strip_suffix(name))
            .unwrap_or(word);
        let length = word.chars().count();
        length <= 1
            || FUNCTIONS.contains(&word)
            || length <= 3 && word.chars().all(|letter| self.spelled(letter).is_some())
    }

    /// A letter as the exercise spells it.
    fn spelled(&self, letter: char) -> Option<char> {
        let other = |own: char| own.to_lowercase().eq(letter.to_lowercase());
        let own = |own: char| own == letter;
        let found = self.letters.iter().copied().find(|known| own(*known));
        found.or_else(|| self.letters.iter().copied().find(|known| other(*known)))
    }

    /// A word of a formula with its letters in the exercise's case: `X` for its `x`.
    pub(super) fn in_own_case(&self, atom: &Atom) -> Atom {
        let is_unit = self.letters.is_empty() || atom.as_str().chars().count() > 3;
        if is_unit {
            return atom.clone();
        }
        let spelled = atom
            .as_str()
            .chars()
            .map(|letter| self.spelled(letter).unwrap_or(letter));
        atom.spelled(spelled.collect())
    }

    /// Whether a word names a unit, something that the prompt counts, or something of the key.
    pub(super) fn is_unit(&self, atom: &Atom) -> bool {
        let word = atom.word().unwrap_or_default();
        units::named(atom.as_str()).is_some()
            || UNIT_WORDS.contains(&word)
            || self.key.iter().any(|own| own == word)
            || self
                .asked
                .as_ref()
                .is_some_and(|asked| units::is_counted(asked, word))
    }

    /// Whether the exercise has a number.
    pub(super) fn has_number(&self, number: &str) -> bool {
        self.numbers.iter().any(|own| own == number)
    }

    /// Whether a word only names the answer: one of the prompt's own, or one that leads to answers.
    pub(super) fn is_lead(&self, word: &str) -> bool {
        let leads = meaning(&[word], |meaning| meaning == Meaning::Lead).is_some();
        leads || self.is_of_prompt(word)
    }

    fn is_of_prompt(&self, word: &str) -> bool {
        word.chars().count() > 1
            && self.prompt.iter().any(|own| own == word)
            && !TURNING.contains(&word)
            && numerals::number(&[word]).is_none()
    }

    /// How many atoms at the beginning repeat a word of the prompt: one, or three of `y-coordinate`.
    pub(super) fn prompt_words(&self, atoms: &[Atom]) -> usize {
        let in_prompt = |atom: &Atom| atom.word().is_some_and(|word| self.is_of_prompt(word));
        match atoms {
            [first, ..] if in_prompt(first) => 1,
            [first, dash, word, ..]
                if first.letter().is_some() && dash.is('-') && in_prompt(word) =>
            {
                3
            }
            _ => 0,
        }
    }

    /// The answer without the unit that the prompt asks for.
    pub(super) fn without_asked_unit(&self, answer: &[Atom]) -> Vec<Atom> {
        let Some(asked) = &self.asked else {
            return answer.to_vec();
        };
        let is_asked = |part: &[Atom]| {
            units::read(&text(part)).is_some_and(|unit| units::is_same(asked, &unit))
        };
        let behind = (1..answer.len()).find(|at| answer.get(*at..).is_some_and(is_asked));
        if let Some(kept) = behind.and_then(|at| answer.get(..at)) {
            return kept.to_vec();
        }
        match answer {
            [sign, kept @ ..] if is_asked(std::slice::from_ref(sign)) && !kept.is_empty() => {
                kept.to_vec()
            }
            _ => answer.to_vec(),
        }
    }
}

fn letters_of(atoms: &[Atom]) -> Vec<char> {
    atoms
        .iter()
        .filter(|atom| atom.word().is_some_and(|word| word.chars().count() <= 3))
        .flat_map(|atom| atom.as_str().chars())
        .collect()
}
