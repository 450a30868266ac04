//! Finds the names of a roster: whole words, as they are written in the roster, and common words only with a cue.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::{
    Kind,
    roster::{MAX_NAME_CHARS, Roster},
    text::{MASK, Text, is_blank, is_unspaced},
};

/// What says that a name comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cue {
    None,
    /// "I am", "Professor": a name where it has a capital.
    Capital,
    /// A greeting: a name where it has a capital and nothing goes on after it.
    Greeting,
    /// "My name is", "Mr": a name in any case.
    Sure,
}

/// Claims every name of the roster.
pub fn find(text: &mut Text, roster: &Roster) {
    if roster.is_empty() {
        return;
    }
    let mut index = 0;
    while index < text.words().len() {
        match longest(text, roster, index) {
            Some((range, words)) => {
                text.claim(range, Kind::Name);
                index += words;
            }
            None => index += 1,
        }
    }
}

/// The longest name that starts with a word: its characters, and how many words it has.
fn longest(text: &Text, roster: &Roster, first: usize) -> Option<(Range<usize>, usize)> {
    let words = text.words();
    let start = words[first].range.start;
    if !may_start(text, start) {
        return None;
    }
    let mut cue = None;
    let mut found = None;
    let mut node = roster.root();
    let mut written = String::new();
    for index in first..words.len() {
        let word = &words[index];
        let is_apart = index > first && !joins(text, words[index - 1].range.end..word.range.start);
        if is_apart || word.range.len() > MAX_NAME_CHARS || text.at(word.range.start) == Some(MASK)
        {
            break;
        }
        let Some(next) = roster.step(node, &word.lower) else {
            break;
        };
        node = next;
        if index > first {
            written.push(' ');
        }
        written.extend(&text.chars()[word.range.clone()]);
        let end = word.range.end;
        if node.ends && may_end(text, end) {
            let known = node.any_case || node.plain.contains(written.as_str());
            let named = known
                || match *cue.get_or_insert_with(|| cue_before(text, first)) {
                    Cue::Sure => true,
                    Cue::Capital => is_capital(text, start),
                    Cue::Greeting => is_capital(text, start) && stops(text, end),
                    Cue::None => false,
                };
            if named {
                found = Some((start..end, index + 1 - first));
            }
        }
    }
    found
}

/// A command of LaTeX (`\Pi`) and a word with a digit in it are no names.
fn may_start(text: &Text, start: usize) -> bool {
    text.at(start) != Some(MASK)
        && !text
            .before(start)
            .is_some_and(|c| c == '\\' || c.is_numeric())
}

fn may_end(text: &Text, end: usize) -> bool {
    // A Korean syllable with a final consonant is another one.
    !text.at(end).is_some_and(|c| {
        c.is_numeric() || matches!(c, '\u{11a8}'..='\u{11ff}') || is_combining_mark(c)
    })
}

/// Whether what stands between two words lets them be one name.
fn joins(text: &Text, gap: Range<usize>) -> bool {
    let gap = &text.chars()[gap];
    gap.len() <= 3
        && gap
            .iter()
            .all(|c| c.is_whitespace() || "-'._,".contains(*c) || is_combining_mark(*c))
}

fn is_capital(text: &Text, start: usize) -> bool {
    text.at(start)
        .is_some_and(|c| c.is_uppercase() || is_unspaced(c))
}

/// Whether the sentence stops after a place, or pauses.
fn stops(text: &Text, end: usize) -> bool {
    let next = text.skip(end, is_blank);
    text.at(next).is_none_or(|c| ",.!?;:\n\r)".contains(c))
}

/// The cue before a word.
fn cue_before(text: &Text, first: usize) -> Cue {
    let start = text.words()[first].range.start;
    let gap = text.skip_back(start, |c| c.is_whitespace() || ".:,=\"'*_".contains(c));
    if gap == start || start - gap > 4 {
        return Cue::None;
    }
    let between = &text.chars()[gap..start];
    let Some(index) = text.word_ending_at(gap) else {
        return Cue::None;
    };
    let back = |steps: usize| text.lower(previous(text, index, steps));
    let last = text.lower(Some(index));
    let colon = between.contains(&':') || between.contains(&'=');
    let full_stop = between.contains(&'.');
    match last {
        "mr" | "mrs" if !colon => Cue::Sure,
        // Lower case is no title: "the professor will choose", "I miss May".
        "mx" | "dr" | "prof" | "professor" | "mister" if !colon => Cue::Capital,
        "miss" | "ms" | "sir" | "madam" | "coach" | "teacher"
            if is_capital(text, text.words()[index].range.start) =>
        {
            Cue::Capital
        }
        "name" | "names" | "surname" | "nickname" if colon => Cue::Sure,
        _ if full_stop || colon => Cue::None,
        "is" | "was" if is_own_name(text, previous(text, index, 1)) => Cue::Sure,
        "s" if is_own_name(text, previous(text, index, 1)) => Cue::Sure,
        "called" | "named" if matches!(back(1), "am" | "m") => Cue::Sure,
        "am" | "m" if back(1) == "i" => Cue::Capital,
        "me" if back(1) == "call" => Cue::Capital,
        "im" => Cue::Capital,
        "hi" | "hello" | "hey" | "dear" | "bye" | "thanks" | "cheers" | "regards" | "sincerely"
        | "from" | "love" => Cue::Greeting,
        _ => Cue::None,
    }
}

/// Whether a word is the "name" of "my name", "her first name": a person's and not a thing's.
fn is_own_name(text: &Text, index: Option<usize>) -> bool {
    let Some(index) = index else { return false };
    if matches!(text.lower(Some(index)), "surname" | "nickname") {
        return true;
    }
    text.lower(Some(index)) == "name"
        && matches!(
            text.lower(previous(text, index, 1)),
            "my" | "his"
                | "her"
                | "our"
                | "their"
                | "first"
                | "last"
                | "given"
                | "family"
                | "full"
                | "real"
                | "friend"
                | "friends"
                | "brother"
                | "sister"
                | "teacher"
                | "student"
                | "middle"
        )
        || text.lower(Some(index)) == "name" && text.lower(previous(text, index, 1)) == "s"
}

/// The word some steps before another.
fn previous(text: &Text, index: usize, steps: usize) -> Option<usize> {
    (0..steps).try_fold(index, |index, _| text.word_before(index))
}
