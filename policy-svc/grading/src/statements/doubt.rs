//! Tells what a text claims from what it asks, denies, quotes or supposes, and a whole formula from a part of one.

use std::{cell::OnceCell, ops::Range};

use super::{
    cues::{self, Words},
    denial::{self, CROSSES},
    identity::Meant,
    question, rules,
    scan::{Edge, Run, is_dash},
    verdict::Chain,
};
use crate::{forms::is_literal, notation::Expression, units};

/// Whether a sentence goes on behind a place.
pub(super) fn goes_on(text: &str, place: usize) -> bool {
    let rest = text.get(place..).unwrap_or_default();
    let rest = rest.trim_start_matches([' ', '$', ')', '*', '”', '"']);
    !(rest.is_empty() || rest.starts_with(['.', '!', '?', '\n']))
}

/// Whether a verb stands for the sign of a formula with a variable, and the sentence goes on behind it: `4(x + 1) is 4x and 4`.
pub(super) fn is_told_on(text: &str, run: &Run<'_>) -> bool {
    let own = text.get(run.range.clone()).unwrap_or_default();
    let has = |word: &&str| own.contains(*word);
    let is_told = cues::EQUATING.iter().any(has)
        && !cues::RELATIONS
            .iter()
            .any(|(phrase, _)| own.contains(phrase));
    is_told && run.formula.contains(char::is_alphabetic) && goes_on(text, run.range.end)
}

/// Whether words beside a formula may belong to it, so that it says something else than it seems to.
pub(super) fn is_cut(run: &Run<'_>, chain: Option<&Chain>) -> bool {
    let Some(chain) = chain else { return true };
    let (Some(first), Some((last, others))) = (chain.sides.first(), chain.sides.split_last())
    else {
        return true;
    };
    let begins = run.formula.trim_start();
    let dash = begins.starts_with(is_dash);
    let signed = begins.starts_with('+') || dash && begins.chars().nth(1) == Some(' ');
    let before = match run.before {
        Edge::Clean => signed,
        Edge::Unknown => true,
        Edge::Word(word) => {
            signed
                || cues::BINDING.has(word)
                || (dash || is_literal(first)) && !cues::LEADING.has(word)
        }
    };
    let after = match run.after {
        Edge::Clean => false,
        Edge::Unknown => true,
        Edge::Word(word) => !cues::FOLLOWING.has(word) && !is_count(others, last, word),
    };
    before || after
}

/// `3 + 4 = 7 apples`, but not `1/2 = 30 minutes`.
fn is_count(others: &[Expression], last: &Expression, word: &str) -> bool {
    let is_unit = cues::SCALING.has(word) || units::named(word).is_some();
    let is_computed = others
        .iter()
        .any(|side| side.any(&|part| matches!(part, Expression::Add(_) | Expression::Multiply(_))));
    is_computed && is_literal(last) && !is_unit
}

/// A text, and what is found out about it once.
#[derive(Debug)]
pub(super) struct Told<'t> {
    text: &'t str,
    quotations: OnceCell<Vec<Range<usize>>>,
    posed: OnceCell<bool>,
}

impl<'t> Told<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            quotations: OnceCell::new(),
            posed: OnceCell::new(),
        }
    }

    /// Whether nobody says that the statement at a place is true.
    pub(super) fn is_no_claim(&self, place: &Range<usize>) -> bool {
        let before = || {
            let start = sentence(self.text, place).start;
            self.text.get(start..place.start).unwrap_or_default()
        };
        is_no_claim(self.text, place) || self.is_quoted(place.start) && !denial::agrees(before())
    }

    /// How an equality with variables at a place is meant: as a rule where its sentence says so, as one that is posed where
    /// the text speaks of an equation and its solutions, or asks whether something is true. Any other question beside it
    /// leaves it a claim.
    pub(super) fn meant(&self, place: &Range<usize>) -> Meant {
        let sentence = sentence(self.text, place);
        let part = |place: Range<usize>| self.text.get(place).unwrap_or_default();
        let before = part(sentence.start..place.start);
        let after = part(place.end..sentence.end);
        let has = |list: &Words| words(before).chain(words(after)).any(|word| list.has(word));
        let is_rule = has(&cues::RULING) || rules::is_for_all(before, after);
        if is_rule && !has(&cues::SOLVING) || rules::is_named(before) {
            return Meant::Rule;
        }
        let is_posed = *self.posed.get_or_init(|| {
            words(self.text).any(|word| cues::POSING.has(word))
                || questions(self.text).any(question::asks_for_truth)
        });
        if is_posed { Meant::Posed } else { Meant::Open }
    }

    /// Whether a place lies between quotation marks.
    fn is_quoted(&self, place: usize) -> bool {
        let all = self.quotations.get_or_init(|| quotations(self.text));
        let next = all.partition_point(|quotation| quotation.end < place);
        all.get(next)
            .is_some_and(|quotation| quotation.start < place)
    }
}

fn is_no_claim(text: &str, place: &Range<usize>) -> bool {
    let sentence = sentence(text, place);
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let before = part(sentence.start, place.start);
    let after = part(place.end, sentence.end);
    let asks = text.get(sentence.end..).is_some_and(|rest| {
        rest.trim_start_matches(['$', '*', ')', ' '])
            .starts_with('?')
    });
    if asks && question::leaves_open(before, after) {
        return true;
    }
    let is_in_words = [" than ", " als "]
        .iter()
        .any(|word| part(place.start, place.end).contains(word));
    let is_of_size = || words(part(sentence.start, sentence.end)).any(|word| cues::SIZE.has(word));
    denial::is_denied_before(before)
        || denial::is_denied_after(after)
        || is_in_words && is_of_size()
        || is_refuted(part(0, sentence.start), part(sentence.end, text.len()))
        // `7 : 2 = 3, rest 1`
        || words(after)
            .take(4)
            .any(|word| cues::REMAINING.has(word))
}

/// The words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic() && !matches!(c, '\'' | '’'))
        .filter(|word| !word.is_empty())
}

/// The sentence in which a place lies, without its mark. A line that ends with a colon belongs to the next.
fn sentence(text: &str, place: &Range<usize>) -> Range<usize> {
    let ends = |at: usize, character: char| match character {
        '!' | '?' => true,
        '.' => text
            .get(at + 1..)
            .is_none_or(|rest| rest.is_empty() || !rest.starts_with(|c: char| c.is_alphanumeric())),
        '\n' => !text
            .get(..at)
            .is_some_and(|before| before.trim_end().ends_with(':')),
        _ => false,
    };
    let before = text.get(..place.start).unwrap_or_default();
    let start = before
        .char_indices()
        .rev()
        .find(|(at, character)| ends(*at, *character))
        .map_or(0, |(at, character)| at + character.len_utf8());
    let after = text.get(place.end..).unwrap_or_default();
    let end = after
        .char_indices()
        .find(|(at, character)| ends(place.end + *at, *character))
        .map_or(text.len(), |(at, _)| place.end + at);
    start..end
}

/// The sentences of a text that ask, without their marks.
fn questions(text: &str) -> impl Iterator<Item = &str> {
    let marks = text.match_indices('?');
    marks.filter_map(move |(at, _)| text.get(sentence(text, &(at..at))))
}

/// Whether the sentence before or the one after takes the statement back: `That is wrong.`
fn is_refuted(before: &str, after: &str) -> bool {
    const MARKS: [char; 4] = ['.', '!', '?', '\n'];
    let has = |list: &Words, part: &str| words(part).any(|word| list.has(word));
    let last = before
        .trim_end_matches(|c: char| c.is_whitespace() || MARKS.contains(&c))
        .rsplit(MARKS)
        .next()
        .unwrap_or_default();
    let after = after.trim_start_matches(|c: char| !c.is_alphanumeric() && !CROSSES.contains(&c));
    let next = after.split(MARKS).next().unwrap_or_default();
    let mut first = words(next);
    let (first, second) = (
        first.next().unwrap_or_default(),
        first.next().unwrap_or_default(),
    );
    // `What is the mistake?` is about this statement, `What mistake did you make before?` is not.
    let refers = match first.to_lowercase().as_str() {
        "what" | "was" => matches!(second, "is" | "ist"),
        _ => cues::REFERRING.has(first),
    };
    let may_err = refers || cues::SEEKING.has(first);
    // `Your answer is wrong` is about another one.
    let may_refute = may_err || !denial::is_addressed(next);
    let refutes = may_refute
        && words(next)
            .any(|word| cues::REFUTING.has(word) && (may_err || !cues::MISTAKES.has(word)));
    // `Wrong: … Right: …`
    let corrects = cues::CORRECTING.has(first)
        && after
            .get(first.len()..)
            .is_some_and(|rest| rest.starts_with(':'));
    corrects
        || has(&cues::REFUTING, last) && has(&cues::ANNOUNCING, last) && !before.ends_with("\n\n")
        || refutes
        || refers && denial::denies(next)
        || after.starts_with(CROSSES)
}

/// What lies between quotation marks, in order.
fn quotations(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (at, character) in text.char_indices() {
        let closing = match (character, open) {
            (own, Some((start, end))) if own == end => {
                found.push(start..at);
                None
            }
            ('\n', Some((start, '"'))) => {
                if text.get(at..).is_some_and(|rest| rest.contains('"')) {
                    found.push(start..at);
                }
                None
            }
            (_, Some(_)) => continue,
            ('„', None) => Some('“'),
            ('“', None) => Some('”'),
            ('‚', None) => Some('‘'),
            ('«', None) => Some('»'),
            ('»', None) => Some('«'),
            ('"', None) => Some('"'),
            ('‘', None) if begins(text, at) => Some('’'),
            _ => None,
        };
        open = closing.map(|end| (at, end));
    }
    found
}

/// Whether a mark stands before a word.
fn begins(text: &str, at: usize) -> bool {
    text.get(..at)
        .is_none_or(|before| before.is_empty() || before.ends_with(char::is_whitespace))
}
