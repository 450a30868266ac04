//! A folded text at work: its characters, its words, and what has been found in it so far.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::{
    Finding, Kind,
    fold::{Folded, fold},
};

/// What stands in the place of a find. Folding drops it from every text, so nothing else looks like it.
pub const MASK: char = '\u{1a}';

/// A word: letters that stand together. Of an "I'm" it is the I, and the m.
pub struct Word {
    /// Its characters.
    pub range: Range<usize>,
    /// In lower case.
    pub lower: String,
}

/// A folded text, in which finds are masked: a redacted text looks the same, so looking again finds nothing new.
pub struct Text {
    chars: Vec<char>,
    bytes: Vec<Range<usize>>,
    words: Vec<Word>,
    finds: Vec<(Range<usize>, Kind)>,
}

impl Text {
    /// Folds a text, masks the replacements that already stand in it, and splits it into words.
    pub fn new(text: &str) -> Self {
        let Folded { mut chars, bytes } = fold(text);
        mask_replacements(&mut chars);
        let words = words(&chars);
        Self {
            chars,
            bytes,
            words,
            finds: Vec::new(),
        }
    }

    /// How much has been found.
    pub fn found(&self) -> usize {
        self.finds.len()
    }

    /// Marks a range of characters as found.
    pub fn claim(&mut self, range: Range<usize>, kind: Kind) {
        if range.is_empty() || self.chars[range.clone()].contains(&MASK) {
            return;
        }
        self.chars[range.clone()].fill(MASK);
        self.finds.push((range, kind));
    }

    /// What was found, in the order of the text as written.
    pub fn into_findings(mut self) -> Vec<Finding> {
        self.finds.sort_unstable_by_key(|(range, _)| range.start);
        let mut end = 0;
        self.finds
            .iter()
            .filter_map(|(range, kind)| {
                // One written character can fold to several; a find takes the whole of it, and only once.
                let start = self.bytes[range.start].start.max(end);
                end = end.max(self.bytes[range.end - 1].end);
                (start < end).then_some(Finding {
                    range: start..end,
                    kind: *kind,
                })
            })
            .collect()
    }

    /// The characters.
    pub fn chars(&self) -> &[char] {
        &self.chars
    }

    /// The words.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// The character at a place, if the text is that long.
    pub fn at(&self, place: usize) -> Option<char> {
        self.chars.get(place).copied()
    }

    /// The character before a place.
    pub fn before(&self, place: usize) -> Option<char> {
        place.checked_sub(1).and_then(|place| self.at(place))
    }

    /// The first place from `place` on whose character is none of those that `skip` names.
    pub fn skip(&self, mut place: usize, skip: impl Fn(char) -> bool) -> usize {
        while self.at(place).is_some_and(&skip) {
            place += 1;
        }
        place
    }

    /// The last place up to `place` before which a character stands that `skip` does not name.
    pub fn skip_back(&self, mut place: usize, skip: impl Fn(char) -> bool) -> usize {
        while self.before(place).is_some_and(&skip) {
            place -= 1;
        }
        place
    }

    /// The index of the word that ends at a place, where none of it is masked.
    pub fn word_ending_at(&self, place: usize) -> Option<usize> {
        let index = self.words.partition_point(|word| word.range.end < place);
        (self.words.get(index)?.range.end == place && self.before(place) != Some(MASK))
            .then_some(index)
    }

    /// The index of the word that starts at a place, where none of it is masked.
    pub fn word_starting_at(&self, place: usize) -> Option<usize> {
        let index = self.words.partition_point(|word| word.range.start < place);
        (self.words.get(index)?.range.start == place && self.at(place) != Some(MASK))
            .then_some(index)
    }

    /// The index of the word close before another one, where nothing that was found stands between them.
    pub fn word_before(&self, index: usize) -> Option<usize> {
        let before = index.checked_sub(1)?;
        let gap = self.words[before].range.end..self.words[index].range.start;
        self.is_close(gap).then_some(before)
    }

    /// The index of the word close after another one, likewise.
    pub fn word_after(&self, index: usize) -> Option<usize> {
        let after = index + 1;
        let gap = self.words[index].range.end..self.words.get(after)?.range.start;
        self.is_close(gap).then_some(after)
    }

    fn is_close(&self, gap: Range<usize>) -> bool {
        gap.len() <= 3
            && self.chars[gap.start - 1] != MASK
            && self.at(gap.end) != Some(MASK)
            && self.chars[gap]
                .iter()
                .all(|c| is_blank(*c) || "'-_./".contains(*c))
    }

    /// A word in lower case; empty where there is none or it is masked.
    pub fn lower(&self, index: Option<usize>) -> &str {
        index
            .and_then(|index| self.words.get(index))
            .filter(|word| self.chars[word.range.start] != MASK)
            .map_or("", |word| &word.lower)
    }
}

/// A space within a line.
pub fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

fn mask_replacements(chars: &mut [char]) {
    let longest = Kind::ALL.map(|kind| kind.replacement().len());
    let longest = longest.into_iter().max().unwrap_or(0);
    let mut place = 0;
    while place < chars.len() {
        let mut step = 1;
        if chars[place] == '[' {
            let end = chars.len().min(place + longest);
            let rest: String = chars[place..end].iter().collect();
            let known = Kind::ALL.iter().map(|kind| kind.replacement());
            if let Some(known) = known.into_iter().find(|known| rest.starts_with(known)) {
                step = known.len();
                chars[place..place + step].fill(MASK);
            }
        }
        place += step;
    }
}

fn words(chars: &[char]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = 0;
    while start < chars.len() {
        if !chars[start].is_alphabetic() {
            start += 1;
            continue;
        }
        let mut end = start + 1;
        while end < chars.len()
            && (chars[end].is_alphabetic() || is_combining_mark(chars[end]))
            && !(is_unspaced(chars[start]) || is_unspaced(chars[end]))
        {
            end += 1;
        }
        words.push(Word {
            range: start..end,
            lower: chars[start..end]
                .iter()
                .flat_map(|c| c.to_lowercase())
                .collect(),
        });
        start = end;
    }
    words
}

/// A letter of a script that puts no spaces between words, or hangs particles on a name: each is a word of its own.
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}
