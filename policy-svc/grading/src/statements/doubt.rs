//! Tells what a text claims from what it asks, denies, quotes or supposes, and a whole formula from a part of one.

use std::ops::Range;

use super::{
    cues,
    scan::{Edge, Run},
    verdict::Chain,
};
use crate::{forms::is_literal, notation::Expression, units};

/// Marks of what is wrong.
const CROSSES: [char; 3] = ['✗', '✘', '❌'];

/// Whether words beside a formula may belong to it, so that it says something else than it seems to.
pub(super) fn is_cut(run: &Run<'_>, chain: Option<&Chain>) -> bool {
    let Some(chain) = chain else { return true };
    let (Some(first), Some((last, others))) = (chain.sides.first(), chain.sides.split_last())
    else {
        return true;
    };
    let begins = run.formula.trim_start();
    let dash = begins.starts_with(['-', '−', '–']);
    let signed = begins.starts_with('+') || dash && begins.chars().nth(1) == Some(' ');
    let before = match run.before {
        Edge::Clean => signed,
        Edge::Unknown => true,
        Edge::Word(word) => {
            signed
                || cues::is(cues::BINDING, word)
                || is_literal(first) && !cues::is(cues::LEADING, word)
        }
    };
    let after = match run.after {
        Edge::Clean => false,
        Edge::Unknown => true,
        Edge::Word(word) => !cues::is(cues::FOLLOWING, word) && !is_count(others, last, word),
    };
    before || after
}

/// `3 + 4 = 7 apples`, but not `1/2 = 30 minutes`.
fn is_count(others: &[Expression], last: &Expression, word: &str) -> bool {
    let is_unit = cues::is(cues::SCALING, word) || units::named(word).is_some();
    let is_computed = others
        .iter()
        .any(|side| side.any(&|part| matches!(part, Expression::Add(_) | Expression::Multiply(_))));
    is_computed && is_literal(last) && !is_unit
}

/// Whether nobody says that a statement of a text is true.
pub(super) fn is_no_claim(text: &str, place: &Range<usize>) -> bool {
    let sentence = sentence(text, place);
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let before = part(sentence.start, place.start);
    let mut after = part(place.end, sentence.end);
    let asks = text.get(sentence.end..).is_some_and(|rest| {
        rest.trim_start_matches(['$', '*', ')', ' '])
            .starts_with('?')
    });
    if asks && !is_asked_beside(before, after) {
        return true;
    }
    // `5/6, not 2/5`
    let denied = after
        .trim_start_matches([' ', '$', ',', '(', '*'])
        .to_lowercase();
    let denied = denied.trim_start_matches("and ").trim_start_matches("und ");
    if ["not ", "nicht ", "never ", "statt ", "instead of "]
        .iter()
        .any(|own| denied.starts_with(own))
    {
        after = "";
    }
    is_quoted(text, place.start)
        || is_denied(before)
        || is_denied(after)
        || is_refuted(part(0, sentence.start), part(sentence.end, text.len()))
        // `7 : 2 = 3, rest 1`
        || words(after)
            .take(4)
            .any(|word| cues::is(cues::REMAINING, word))
}

/// Whether the text speaks of an equation and its solutions: then an equality with variables may be one that is posed.
pub(super) fn is_posed(text: &str) -> bool {
    words(text).any(|word| cues::is(cues::POSING, word) || cues::is(cues::DENYING, word))
        || text.contains('?')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
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

/// `So 2 + 3 = 6, do you see why?` says something and asks something else.
fn is_asked_beside(before: &str, after: &str) -> bool {
    let concludes = words(before).all(|word| cues::is(cues::CONCLUDING, word));
    let after = after.trim_start_matches(['$', '*', ' ']);
    let parted = after.starts_with([',', ';', ':', '–', '—']);
    concludes && parted && !words(after).any(|word| cues::is(cues::DOUBTING, word))
}

fn is_denied(part: &str) -> bool {
    let lower = part.to_lowercase();
    let denies = |word: &str| {
        let shortened = ["n't", "n’t", "'d", "’d"];
        cues::is(cues::DENYING, word) || shortened.iter().any(|end| word.ends_with(end))
    };
    let supposes = words(&lower)
        .last()
        .is_some_and(|word| matches!(word, "if" | "wenn" | "falls"));
    supposes
        || words(&lower).any(denies)
        || cues::DENYING_PHRASES
            .iter()
            .any(|phrase| lower.contains(phrase))
        || lower.contains(CROSSES)
}

/// Whether the sentence before or the one after takes the statement back: `That is wrong.`
fn is_refuted(before: &str, after: &str) -> bool {
    const MARKS: [char; 4] = ['.', '!', '?', '\n'];
    let refutes = |part: &str| words(part).any(|word| cues::is(cues::REFUTING, word));
    let last = before
        .trim_end_matches(|c: char| c.is_whitespace() || MARKS.contains(&c))
        .rsplit(MARKS)
        .next()
        .unwrap_or_default();
    let after = after.trim_start_matches(|c: char| !c.is_alphanumeric() && !CROSSES.contains(&c));
    let next = after.split(MARKS).next().unwrap_or_default();
    let refers = words(next)
        .next()
        .is_some_and(|word| cues::is(cues::REFERRING, word));
    let announces = words(last).any(|word| cues::is(cues::ANNOUNCING, word));
    refutes(last) && announces && !before.ends_with("\n\n")
        || refutes(next)
        || refers && is_denied(next)
        || after.starts_with(CROSSES)
}

/// Whether a place lies between quotation marks.
fn is_quoted(text: &str, place: usize) -> bool {
    let mut closing = None;
    for (at, character) in text.char_indices().take_while(|(at, _)| *at < place) {
        match (character, closing) {
            (own, Some(end)) if own == end => closing = None,
            ('\n', Some('"')) => closing = None,
            (_, Some(_)) => {}
            ('„', None) => closing = Some('“'),
            ('“', None) => closing = Some('”'),
            ('‚', None) => closing = Some('‘'),
            ('«', None) => closing = Some('»'),
            ('»', None) => closing = Some('«'),
            ('"', None) => closing = Some('"'),
            ('‘', None) if begins(text, at) => closing = Some('’'),
            _ => {}
        }
    }
    closing.is_some_and(|end| text.get(place..).is_some_and(|rest| rest.contains(end)))
}

/// Whether a mark stands before a word.
fn begins(text: &str, at: usize) -> bool {
    text.get(..at)
        .is_none_or(|before| before.is_empty() || before.ends_with(char::is_whitespace))
}
