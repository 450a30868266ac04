//! Parts a prompt into words and formulas.

use crate::units;

/// A piece of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A word, in lower case, and whether it begins a sentence.
    Word(String, bool),
    /// A formula.
    Formula(String),
}

/// Short English words: other runs of up to three letters are products of variables.
const SHORT_WORDS: &[&str] = &[
    "a", "i", "an", "as", "at", "be", "by", "do", "go", "he", "if", "in", "is", "it", "me", "my",
    "no", "of", "on", "or", "so", "to", "up", "us", "we", "eg", "ie", "add", "age", "ago", "all",
    "and", "any", "are", "ask", "bag", "big", "box", "boy", "bus", "but", "buy", "can", "car",
    "cat", "cut", "day", "did", "dog", "dne", "due", "eat", "end", "far", "fee", "few", "fit",
    "fix", "for", "gas", "gcd", "gcf", "get", "got", "had", "has", "hat", "her", "him", "his",
    "hot", "how", "ice", "its", "lcd", "lcm", "let", "low", "man", "map", "may", "men", "mix",
    "mph", "net", "new", "not", "now", "odd", "off", "oil", "old", "one", "our", "out", "own",
    "pay", "pen", "per", "ran", "red", "row", "run", "saw", "say", "see", "set", "she", "six",
    "son", "sum", "tax", "ten", "the", "tip", "too", "top", "two", "use", "via", "was", "way",
    "who", "why", "win", "yes", "yet", "you", "cm", "mm", "km", "kg", "mg", "ft", "ml", "lb",
    "lbs", "oz", "yd", "hr", "hrs", "min", "sec", "gal", "pt", "qt", "kl", "dl", "mi",
];

/// Names inside formulas that are no prose.
const FORMULA_NAMES: &[&str] = &[
    "sqrt",
    "cbrt",
    "frac",
    "infty",
    "cdot",
    "times",
    "leq",
    "geq",
    "abs",
    "pm",
    "infinity",
    "div",
    "operatorname",
];

/// The pieces of a prompt, in order.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (at, part) in delimited(text).into_iter().enumerate() {
        // Every other part stood between dollar signs.
        if at % 2 == 1 {
            pieces.push(Piece::Formula(part));
        } else {
            prose(&part, &mut pieces);
        }
    }
    pieces
}

/// The text cut at the delimiters of LaTeX formulas: prose, formula, prose, …
fn delimited(text: &str) -> Vec<String> {
    let unified = text
        .replace("\\(", "$")
        .replace("\\)", "$")
        .replace("\\[", "$")
        .replace("\\]", "$")
        .replace("$$", "$");
    let escaped = unified.replace("\\$", "\u{1}");
    let dollars = escaped.matches('$').count();
    // A single sign, or signs before numbers, are money.
    let is_money = dollars % 2 == 1
        || escaped
            .split('$')
            .skip(1)
            .all(|after| after.starts_with(|next: char| next.is_ascii_digit()))
            && dollars > 0
            && !escaped.contains('\\');
    if dollars == 0 || is_money {
        return vec![escaped.replace('\u{1}', "$")];
    }
    escaped
        .split('$')
        .map(|part| part.replace('\u{1}', "$"))
        .collect()
}

/// The pieces with each number and the unit behind it as one formula: `3 feet`.
pub(crate) fn with_units(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (joined.last_mut(), &piece) {
            (Some(Piece::Formula(number)), Piece::Word(word, false))
                if word != "in"
                    && units::named(word).is_some()
                    && number.chars().all(|character| {
                        character.is_ascii_digit() || " .,/".contains(character)
                    }) =>
            {
                number.push(' ');
                number.push_str(word);
            }
            _ => joined.push(piece),
        }
    }
    joined
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Prose,
    Formula,
    /// `a`, `A`, `I`: a word or a variable.
    Letter,
}

struct Chunk<'a> {
    text: &'a str,
    core: &'a str,
    kind: Kind,
}

fn chunk(text: &str) -> Chunk<'_> {
    let core = text
        .trim_start_matches(['(', '[', '"', '\'', '“', '‘', '*'])
        .trim_end_matches([
            '.', ',', ':', ';', '?', '!', ')', ']', '"', '\'', '”', '’', '*',
        ]);
    let kind = if is_prose(core) {
        Kind::Prose
    } else if matches!(core, "a" | "A" | "I") {
        Kind::Letter
    } else {
        Kind::Formula
    };
    Chunk { text, core, kind }
}

fn is_prose(core: &str) -> bool {
    if core.is_empty() {
        return false;
    }
    let mut after_backslash = false;
    let mut letters = String::new();
    let mut longest_plain = 0;
    let mut short_words = true;
    let mut parts = 0;
    let flush = |letters: &mut String,
                 command: bool,
                 longest: &mut usize,
                 short: &mut bool,
                 parts: &mut usize| {
        if letters.is_empty() {
            return;
        }
        *parts += 1;
        let lower = letters.to_lowercase();
        let length = letters.chars().count();
        if !command && !FORMULA_NAMES.contains(&lower.as_str()) {
            let named = FORMULA_NAMES
                .iter()
                .any(|name| lower.ends_with(name) && length <= name.len() + 3);
            if !named {
                *longest = (*longest).max(length);
            }
        }
        if command || length < 2 || !SHORT_WORDS.contains(&lower.as_str()) && length < 4 {
            *short = false;
        }
        letters.clear();
    };
    let mut other = false;
    for character in core.chars() {
        if character.is_alphabetic() || matches!(character, '\'' | '’') && !letters.is_empty() {
            letters.push(character);
            continue;
        }
        flush(
            &mut letters,
            after_backslash,
            &mut longest_plain,
            &mut short_words,
            &mut parts,
        );
        after_backslash = character == '\\';
        if !matches!(character, '-' | '–' | '/' | '\'' | '’') {
            other = true;
        }
    }
    flush(
        &mut letters,
        after_backslash,
        &mut longest_plain,
        &mut short_words,
        &mut parts,
    );
    // A long run of letters is a word wherever it stands; short ones only where nothing but words does.
    longest_plain >= 4 || (parts > 0 && short_words && !other)
}

/// Marks of an example in brackets, which shows how to type and is no part of the task.
const EXAMPLE_MARKS: &[&str] = &["eg.", "e.g.", "ex:", "for example", "such as"];

/// The text without examples: from the mark to the bracket's end.
fn without_examples(text: &str) -> String {
    let mut kept = text.to_owned();
    for mark in EXAMPLE_MARKS {
        let Some(start) = kept.to_ascii_lowercase().find(mark) else {
            continue;
        };
        let Some(before) = kept.get(..start) else {
            continue;
        };
        // The example must stand in a bracket; it ends where that does.
        let open = before
            .matches('(')
            .count()
            .saturating_sub(before.matches(')').count());
        if open == 0 {
            continue;
        }
        let mut depth = 1_usize;
        let end = kept
            .char_indices()
            .skip_while(|(at, _)| *at < start)
            .find(|(_, character)| {
                match character {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0
            });
        if let Some((end, _)) = end {
            kept.replace_range(start..=end, " ");
        }
    }
    kept
}

fn prose(text: &str, pieces: &mut Vec<Piece>) {
    let text = &without_examples(text);
    let chunks: Vec<Chunk<'_>> = text.split_whitespace().map(chunk).collect();
    let mut run = String::new();
    let mut begins = true;
    let close = |run: &mut String, pieces: &mut Vec<Piece>| {
        let formula = run.trim().trim_end_matches([',', ';']).trim();
        if !formula.is_empty() {
            pieces.push(Piece::Formula(formula.to_owned()));
        }
        run.clear();
    };
    for (at, own) in chunks.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| chunks.get(before));
        let after = chunks.get(at + 1);
        let kind = match own.kind {
            Kind::Letter if letter_is_variable(own, before, after) => Kind::Formula,
            Kind::Letter => Kind::Prose,
            kind => kind,
        };
        if kind == Kind::Prose {
            close(&mut run, pieces);
            for word in own
                .core
                .split(|character: char| {
                    !(character.is_alphanumeric() || matches!(character, '\'' | '’' | '%'))
                })
                .filter(|word| !word.is_empty())
            {
                pieces.push(Piece::Word(word.to_lowercase(), begins));
                begins = false;
            }
            begins = own.text.ends_with(['.', '?', '!', ':']) || begins && own.core.is_empty();
            continue;
        }
        let (formula, ends) = without_punctuation(own.text);
        if !run.is_empty() {
            run.push(' ');
        }
        run.push_str(formula);
        begins = ends;
        if ends {
            close(&mut run, pieces);
        }
    }
    close(&mut run, pieces);
}

/// A formula without the sentence's punctuation, and whether it ends there.
fn without_punctuation(text: &str) -> (&str, bool) {
    let trimmed = text.trim_end_matches(['.', ':', '!', '"', '”']);
    // `3/4?` ends a question, `5 + ? = 9` asks for a number.
    let question = trimmed.len() > 1 && trimmed.ends_with('?');
    let trimmed = if question {
        trimmed.trim_end_matches('?')
    } else {
        trimmed
    };
    (trimmed, question || trimmed.len() < text.len())
}

fn letter_is_variable(
    own: &Chunk<'_>,
    before: Option<&Chunk<'_>>,
    after: Option<&Chunk<'_>>,
) -> bool {
    let operator = |character: Option<char>| {
        character.is_some_and(|character| "=+*/^<>≤≥-−–×÷·|".contains(character))
    };
    let ends = own.text.len() > own.core.len();
    let next_is_operator = !ends
        && after
            .is_some_and(|after| after.kind != Kind::Prose && operator(after.text.chars().next()));
    let last_is_operator = before
        .is_some_and(|before| before.kind != Kind::Prose && operator(before.text.chars().last()));
    if next_is_operator || last_is_operator {
        return true;
    }
    let introduced = before.is_some_and(|before| {
        matches!(
            before.core.to_lowercase().as_str(),
            "for" | "of" | "find" | "terms" | "and" | "is"
        )
    });
    let stands_alone = after.is_none_or(|after| {
        matches!(
            after.core.to_lowercase().as_str(),
            "in" | "when" | "if" | "and" | "given" | "where"
        )
    });
    introduced && (stands_alone || own.text.ends_with(['.', ',', ':', '?'])) && own.core != "I"
}
