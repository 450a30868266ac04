//! Sections to chunks: whole sentences, about as many words in each of a section's chunks.

use std::{collections::HashMap, fmt::Write as _, ops::Range, time::Duration};

use sha2::{Digest, Sha256};
use unicode_segmentation::UnicodeSegmentation;

use crate::{
    MAX_TEXT,
    document::{Place, Section},
    error::{ExtractError, Reason},
    maths,
    plain::too_much_text,
    sentences::{Sentence, sentences},
};

/// The most words of a chunk, unless a single formula is longer.
pub const MAX_WORDS: usize = 160;
/// The most characters of a chunk.
pub const MAX_CHUNK_CHARS: usize = 8_000;
/// The most chunks of a document.
pub const MAX_CHUNKS: usize = 20_000;
/// The most characters of a heading; a longer one is cut.
pub const MAX_HEADING_CHARS: usize = 300;

/// A piece of a document, as it is indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Names it in its document: its place (`p3` a page, `t754` a second, `s2` a section) and 12 hex digits of the SHA-256
    /// of its heading and text. The same content at the same place has the same id, whatever else changes.
    pub id: String,
    /// Its section's heading; may be empty.
    pub section: String,
    /// The page on which it begins, from 1; 0: it has none.
    pub page: u32,
    /// When it begins in a recording.
    pub start: Option<Duration>,
    /// The text, not empty.
    pub text: String,
}

/// Cuts sections into chunks of at most [`MAX_WORDS`] words (as Unicode segments words) and [`MAX_CHUNK_CHARS`] characters.
///
/// No sentence and no formula is cut, unless it is longer than a chunk by itself: a sentence is then cut at the end of a
/// line (of a caption, of a page), else between words, not inside a formula and not beside an operator.
///
/// # Errors
/// There is no text, more than [`MAX_TEXT`] bytes of it, or more than [`MAX_CHUNKS`] chunks.
pub fn chunks(name: &str, sections: &[Section]) -> Result<Vec<Chunk>, ExtractError> {
    if sections.iter().map(|s| s.text.len()).sum::<usize>() > MAX_TEXT {
        return Err(too_much_text(name));
    }
    let mut chunks = Vec::new();
    let mut ids: HashMap<String, u32> = HashMap::new();
    for (number, section) in sections.iter().enumerate() {
        let heading = heading(&section.heading);
        for (text, place) in cut(section) {
            if chunks.len() == MAX_CHUNKS {
                return Err(ExtractError::new(
                    name,
                    Reason::TooLarge,
                    format!("it gives more than {MAX_CHUNKS} chunks"),
                    "split it, and add the parts as sources of their own",
                ));
            }
            let id = id(number + 1, &heading, &text, place);
            let times = ids.entry(id.clone()).or_default();
            *times += 1;
            chunks.push(Chunk {
                id: if *times == 1 {
                    id
                } else {
                    format!("{id}-{times}")
                },
                section: heading.clone(),
                page: place.page,
                start: place.start,
                text,
            });
        }
    }
    if chunks.is_empty() {
        return Err(ExtractError::new(
            name,
            Reason::Empty,
            "it holds no text",
            "a scanned document needs text recognition (OCR) first; an empty file has nothing to add",
        ));
    }
    Ok(chunks)
}

fn heading(heading: &str) -> String {
    let heading = heading.split_whitespace().collect::<Vec<_>>().join(" ");
    if heading.chars().count() <= MAX_HEADING_CHARS {
        return heading;
    }
    let mut cut: String = heading.chars().take(MAX_HEADING_CHARS - 1).collect();
    cut.push('…');
    cut
}

fn id(section: usize, heading: &str, text: &str, place: Place) -> String {
    let mut hash = Sha256::new();
    hash.update(heading.as_bytes());
    hash.update([0]);
    hash.update(text.as_bytes());
    let hash = hex::encode(hash.finalize());
    let hash = hash.get(..12).unwrap_or_default();
    match place {
        Place {
            start: Some(start), ..
        } => format!("t{}-{hash}", start.as_secs()),
        Place { page: 0, .. } => format!("s{section}-{hash}"),
        Place { page, .. } => format!("p{page}-{hash}"),
    }
}

/// A sentence, or a part of one that is too long.
struct Piece {
    text: String,
    before: &'static str,
    words: usize,
    chars: usize,
    place: Place,
}

fn cut(section: &Section) -> Vec<(String, Place)> {
    let mut pieces = Vec::new();
    for sentence in sentences(&section.text) {
        push_pieces(section, &sentence, &mut pieces);
    }
    let words: usize = pieces.iter().map(|piece| piece.words).sum();
    // Chunks of about the same length, instead of full ones and a rest.
    let target = words.div_ceil(words.div_ceil(MAX_WORDS).max(1));
    let mut chunks: Vec<(String, Place)> = Vec::new();
    let (mut words, mut chars) = (0, 0);
    for piece in pieces {
        let fits = words + piece.words <= MAX_WORDS
            && chars + piece.before.len() + piece.chars <= MAX_CHUNK_CHARS
            && words < target;
        match chunks.last_mut() {
            Some((text, _)) if fits => {
                // Writing to a string cannot fail.
                let _ = write!(text, "{}{}", piece.before, piece.text);
                words += piece.words;
                chars += piece.before.len() + piece.chars;
            }
            _ => {
                (words, chars) = (piece.words, piece.chars);
                chunks.push((piece.text, piece.place));
            }
        }
    }
    chunks
}

fn push_pieces(section: &Section, sentence: &Sentence, pieces: &mut Vec<Piece>) {
    let Some(source) = section.text.get(sentence.range.clone()) else {
        return;
    };
    let mut before = sentence.before;
    for range in parts(source) {
        let Some(part) = source.get(range.clone()) else {
            continue;
        };
        let text = if sentence.verbatim {
            part.to_owned()
        } else {
            part.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        pieces.push(Piece {
            words: words(&text),
            chars: text.chars().count(),
            before,
            place: section.place(sentence.range.start + range.start),
            text,
        });
        before = if sentence.verbatim { "\n" } else { " " };
    }
}

fn words(text: &str) -> usize {
    text.unicode_words().count()
}

/// A word of a long sentence.
struct Word {
    range: Range<usize>,
    words: usize,
    chars: usize,
    /// The sentence may be cut before it.
    free: bool,
    /// It begins a line.
    line: bool,
}

/// The whole sentence if it fits a chunk, else parts of it that do.
fn parts(sentence: &str) -> Vec<Range<usize>> {
    if words(sentence) <= MAX_WORDS && sentence.chars().count() <= MAX_CHUNK_CHARS {
        return std::iter::once(0..sentence.len()).collect();
    }
    let all = split_words(sentence);
    let mut parts = Vec::new();
    let mut first = 0;
    while let Some(start) = all.get(first) {
        let mut end = first;
        let (mut count, mut chars) = (0, 0);
        while let Some(word) = all.get(end)
            && (end == first
                || (count + word.words <= MAX_WORDS && chars + word.chars < MAX_CHUNK_CHARS))
        {
            count += word.words;
            chars += word.chars + 1;
            end += 1;
        }
        if end < all.len() {
            end = best_cut(&all, first, end).unwrap_or(end);
        }
        let stop = all
            .get(end.saturating_sub(1))
            .map_or(sentence.len(), |word| word.range.end);
        parts.push(start.range.start..stop);
        first = end;
    }
    parts
}

/// Where to cut between `first` and `end`: at the last line's end of the second half, else at the last place that is free.
fn best_cut(all: &[Word], first: usize, end: usize) -> Option<usize> {
    let half = first + (end - first).div_ceil(2);
    let last = |from: usize, wanted: fn(&Word) -> bool| {
        (from.max(first + 1)..=end)
            .rev()
            .find(|at| all.get(*at).is_some_and(wanted))
    };
    last(half, |word| word.free && word.line).or_else(|| last(first, |word| word.free))
}

fn split_words(sentence: &str) -> Vec<Word> {
    let formulas = maths::formulas(sentence);
    let mut formula = formulas.iter().peekable();
    let mut found: Vec<Word> = Vec::new();
    let mut after_operator = false;
    let mut end = 0;
    for text in sentence.split_whitespace() {
        let start = sentence
            .get(end..)
            .and_then(|rest| rest.find(text))
            .map_or(end, |at| end + at);
        let line = sentence
            .get(end..start)
            .is_some_and(|space| space.contains('\n'));
        end = start + text.len();
        while formula.next_if(|formula| formula.end <= start).is_some() {}
        let inside = formula.peek().is_some_and(|formula| formula.start < start);
        let operator = maths::is_operator(text);
        let free = !inside && !operator && !after_operator;
        after_operator = operator;
        let mut from = start;
        // A word without end is cut by force.
        while end - from > MAX_CHUNK_CHARS {
            let mut to = from + MAX_CHUNK_CHARS / 2;
            while !sentence.is_char_boundary(to) {
                to -= 1;
            }
            found.push(word(sentence, from..to, true, line));
            from = to;
        }
        found.push(word(
            sentence,
            from..end,
            free || from > start,
            line && from == start,
        ));
    }
    found
}

fn word(sentence: &str, range: Range<usize>, free: bool, line: bool) -> Word {
    let text = sentence.get(range.clone()).unwrap_or_default();
    Word {
        words: words(text),
        chars: text.chars().count(),
        range,
        free,
        line,
    }
}
