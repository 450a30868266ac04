//! Text to sentences, none of which ends inside a formula or a piece of code.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::maths;

/// A sentence, or a line that stands for itself, such as that of a list or a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// Its bytes in the text.
    pub(crate) range: Range<usize>,
    /// What parts it from the one before.
    pub(crate) before: &'static str,
    /// Its line breaks mean something.
    pub(crate) verbatim: bool,
}

/// Words that end with a full stop and end no sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g.", "i.e.", "cf.", "vs.", "fig.", "figs.", "eq.", "eqs.", "no.", "nr.", "mr.", "mrs.",
    "ms.", "dr.", "prof.", "st.", "z.b.", "d.h.", "bzw.", "abb.", "gl.", "vgl.", "p.ex.", "ej.",
];

/// The sentences of a text, in order. Paragraphs, the lines of lists, tables and quotations, and fenced code end a
/// sentence; a line break elsewhere does not.
pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut at = 0;
    for paragraph in text.split("\n\n") {
        let mut before = "\n\n";
        for run in runs(paragraph, at) {
            if is_fence(paragraph) {
                found.push(Sentence {
                    range: run,
                    before,
                    verbatim: true,
                });
            } else {
                split(text, run, before, &mut found);
            }
            before = "\n";
        }
        at += paragraph.len() + 2;
    }
    found
}

fn is_fence(paragraph: &str) -> bool {
    let bare = paragraph.trim_start();
    bare.starts_with("```") || bare.starts_with("~~~")
}

/// The pieces of a paragraph that stand for themselves.
fn runs(paragraph: &str, at: usize) -> Vec<Range<usize>> {
    if is_fence(paragraph) {
        return std::iter::once(at..at + paragraph.len()).collect();
    }
    // A formula may span lines that look like a list's: `- b` in a sum of several lines.
    let formulas = maths::formulas(paragraph);
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    for line in paragraph.split_inclusive('\n') {
        let range = at + from..at + from + line.len();
        match runs.last_mut() {
            Some(last) if !stands_alone(line) || is_inside(&formulas, from) => last.end = range.end,
            _ => runs.push(range),
        }
        from += line.len();
    }
    runs
}

/// Whether a line of a paragraph begins something of its own: a list's item, a table's row, a quotation.
fn stands_alone(line: &str) -> bool {
    let bare = line.trim_start();
    if bare.starts_with(['|', '>']) {
        return true;
    }
    let digits = bare.bytes().take(4).take_while(u8::is_ascii_digit).count();
    let mark = bare.get(digits..).unwrap_or_default();
    let mark = if digits > 0 {
        mark.strip_prefix(['.', ')'])
    } else {
        mark.strip_prefix(['-', '*', '+', '•'])
    };
    mark.is_some_and(|rest| rest.starts_with([' ', '\t']))
}

fn is_inside(formulas: &[Range<usize>], at: usize) -> bool {
    let after = formulas.partition_point(|formula| formula.start < at);
    after
        .checked_sub(1)
        .and_then(|last| formulas.get(last))
        .is_some_and(|formula| at < formula.end)
}

fn split(text: &str, run: Range<usize>, before: &'static str, found: &mut Vec<Sentence>) {
    let Some(source) = text.get(run.clone()) else {
        return;
    };
    // To the rules of sentences a line break would end one.
    let flat = source.replace('\n', " ");
    let formulas = maths::formulas(source);
    let mut before = before;
    let mut from = 0;
    let ends = flat
        .split_sentence_bound_indices()
        .map(|(at, sentence)| at + sentence.len());
    for end in ends {
        let whole = end == flat.len();
        if !whole && (is_inside(&formulas, end) || ends_in_abbreviation(&flat[from..end])) {
            continue;
        }
        if let Some(range) = trimmed(source, from..end) {
            found.push(Sentence {
                range: run.start + range.start..run.start + range.end,
                before,
                verbatim: false,
            });
            before = " ";
        }
        from = end;
    }
}

fn ends_in_abbreviation(sentence: &str) -> bool {
    let word = sentence
        .split_whitespace()
        .next_back()
        .unwrap_or_default()
        .trim_start_matches(['(', '[', '"', '\'']);
    word.len() <= 6 && ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

/// The range without white space at its ends; `None` if nothing is left.
fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let piece = text.get(range.clone())?;
    let start = range.start + (piece.len() - piece.trim_start().len());
    let piece = piece.trim();
    (!piece.is_empty()).then(|| start..start + piece.len())
}
