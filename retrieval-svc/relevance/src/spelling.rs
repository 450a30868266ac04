//! Words that students misspell, as the course spells them.
//!
//! A word that the course does not know is read as the course's closest word: the one that takes the fewest insertions,
//! deletions, substitutions and swaps of neighbours (optimal string alignment), then the one that the course uses most
//! often, then the first by spelling. Words of four and five letters may differ by one edit, longer ones by two, shorter
//! ones by none; the first letter has to agree. These are the customary bounds, not fitted ones.

use std::collections::{BTreeMap, HashMap};

/// Letters of a word, lower case, with how often the course uses it.
type Word = (Box<[char]>, u32);

/// Words of one first letter and length: the most used first.
#[derive(Default)]
struct Words {
    /// Which letters each word has, so that most words need not be looked at.
    letters: Vec<Letters>,
    words: Vec<Word>,
}

/// Words of fewer letters are left alone.
const SHORTEST: usize = 4;
/// Words of so many letters may differ by two edits.
const LONG: usize = 6;
/// Longer words are no words.
const LONGEST: usize = 24;
/// Unknown words of one text that are looked up, at most: bounds the time that a text of nonsense takes.
const MOST: usize = 32;

/// The words of a course.
#[derive(Default)]
pub(crate) struct Spelling {
    /// By first letter and length.
    words: BTreeMap<(char, usize), Words>,
}

impl Spelling {
    /// Of all texts of a course.
    pub(crate) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut counts: HashMap<String, u32> = HashMap::new();
        for text in texts {
            for (_, word) in words(text) {
                *counts.entry(word.to_lowercase()).or_default() += 1;
            }
        }
        let mut spelling = Self::default();
        for (word, times) in counts {
            let letters: Box<[char]> = word.chars().collect();
            let place = (letters[0], letters.len());
            spelling
                .words
                .entry(place)
                .or_default()
                .words
                .push((letters, times));
        }
        for of_length in spelling.words.values_mut() {
            let words = &mut of_length.words;
            words.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            of_length.letters = words.iter().map(|(word, _)| Letters::of(word)).collect();
        }
        spelling
    }

    /// All words of the course that may be looked up, in lower case.
    pub(crate) fn all(&self) -> impl Iterator<Item = String> {
        let words = self.words.values().flat_map(|of_length| &of_length.words);
        words.map(|(letters, _)| letters.iter().collect())
    }

    /// The text with each word that `is_known` does not know replaced by the course's closest word, if one is close.
    pub(crate) fn correct(&self, text: &str, is_known: impl Fn(&str) -> bool) -> String {
        let mut corrected = String::with_capacity(text.len());
        let (mut done, mut looked_up) = (0, 0);
        for (at, word) in words(text) {
            if looked_up == MOST {
                break;
            }
            let lower = word.to_lowercase();
            if is_known(&lower) {
                continue;
            }
            looked_up += 1;
            if let Some(closest) = self.closest(&lower) {
                corrected.push_str(&text[done..at]);
                corrected.extend(closest);
                done = at + word.len();
            }
        }
        corrected.push_str(&text[done..]);
        corrected
    }

    fn closest(&self, word: &str) -> Option<&[char]> {
        let letters: Vec<char> = word.chars().collect();
        let first = *letters.first()?;
        let most = if letters.len() < LONG { 1 } else { 2 };
        let lengths = letters.len().saturating_sub(most).max(1)..=letters.len() + most;
        let own = Letters::of(&letters);
        let mut best: Option<(usize, &Word)> = None;
        let mut rows = Rows::default();
        for length in lengths {
            let Some(Words {
                letters: of_words,
                words,
            }) = self.words.get(&(first, length))
            else {
                continue;
            };
            for (of_word, candidate) in of_words.iter().zip(words) {
                let most = best.map_or(most, |(least, _)| least);
                if own.least_edits(*of_word) > most {
                    continue;
                }
                let Some(distance) = rows.distance(&letters, &candidate.0, most) else {
                    continue;
                };
                let better = best.is_none_or(|(least, word)| {
                    let worth = |distance, word: &Word| (distance, u32::MAX - word.1);
                    (worth(distance, candidate), &candidate.0) < (worth(least, word), &word.0)
                });
                if better {
                    best = Some((distance, candidate));
                }
            }
        }
        best.map(|(_, word)| &*word.0)
    }
}

/// Which letters a word has, told apart by the lower six bits of their numbers.
#[derive(Clone, Copy)]
struct Letters(u64);

impl Letters {
    fn of(word: &[char]) -> Self {
        let bits = word.iter().map(|letter| 1 << (u32::from(*letter) % 64));
        Self(bits.fold(0, |all, bit| all | bit))
    }

    /// How many edits it takes at the least from one word to the other: an edit takes away one letter at most, and adds
    /// one at most.
    fn least_edits(self, other: Self) -> usize {
        let (gone, new) = (self.0 & !other.0, other.0 & !self.0);
        gone.count_ones().max(new.count_ones()) as usize
    }
}

/// The words of a text that may be looked up, with their places: runs of letters that are no LaTeX command.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let start = rest + text[rest..].find(char::is_alphabetic)?;
            let length = text[start..]
                .find(|letter: char| !letter.is_alphabetic())
                .unwrap_or(text.len() - start);
            rest = start + length;
            let word = &text[start..rest];
            let is_command = text[..start].ends_with('\\');
            if !is_command && (SHORTEST..=LONGEST).contains(&word.chars().count()) {
                return Some((start, word));
            }
        }
    })
}

/// The rows of an edit table: two before the current one, and itself. They are kept from one comparison to the next.
#[derive(Default)]
struct Rows([Vec<usize>; 3]);

impl Rows {
    /// How many edits turn one word into the other, if they are at most so many.
    fn distance(&mut self, a: &[char], b: &[char], most: usize) -> Option<usize> {
        let [before, last, row] = &mut self.0;
        last.clear();
        last.extend(0..=b.len());
        // Rows never get smaller again; but a swap reaches back over one, so two of them have to be too large.
        let mut least_of_last = 0;
        for i in 1..=a.len() {
            row.clear();
            row.push(i);
            let mut least_of_row = i;
            for j in 1..=b.len() {
                let differs = usize::from(a[i - 1] != b[j - 1]);
                let mut least = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + differs);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(before[j - 2] + 1);
                }
                row.push(least);
                least_of_row = least_of_row.min(least);
            }
            if least_of_row.min(least_of_last) > most {
                return None;
            }
            least_of_last = least_of_row;
            std::mem::swap(before, last);
            std::mem::swap(last, row);
        }
        Some(last[b.len()]).filter(|distance| *distance <= most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corrected(text: &str) -> String {
        let course = [
            "The perimeter of a square, and division by hundreds.",
            "square",
        ];
        let known = ["area", "square"];
        Spelling::of(course).correct(text, |word| known.contains(&word))
    }

    #[test]
    fn unknown_words_become_the_courses_closest() {
        assert_eq!(corrected("the perimiter?"), "the perimeter?");
        assert_eq!(corrected("Squre & divieson"), "square & division");
        assert_eq!(corrected("area of it"), "area of it");
    }

    #[test]
    fn short_words_far_words_and_commands_stay() {
        for text in ["sq", "giraffe", "\\squre{2}", "hundertwasser", "", "½ 🙂"] {
            assert_eq!(corrected(text), text);
        }
    }

    #[test]
    fn letters_never_promise_more_edits_than_it_takes() {
        let words = [
            "", "a", "aab", "abba", "baab", "slope", "slpoe", "slopes", "äpfel", "apfel", "!a",
        ];
        for a in words {
            for b in words {
                let [a, b] = [a, b].map(|word| word.chars().collect::<Vec<_>>());
                let edits = Rows::default().distance(&a, &b, 99).unwrap();
                assert!(
                    Letters::of(&a).least_edits(Letters::of(&b)) <= edits,
                    "{a:?} {b:?}"
                );
            }
        }
    }

    #[test]
    fn edits_are_counted_as_people_make_them() {
        let mut rows = Rows::default();
        let mut distance = |a: &str, b: &str, most| {
            let [a, b] = [a, b].map(|word| word.chars().collect::<Vec<_>>());
            rows.distance(&a, &b, most)
        };
        assert_eq!(distance("slope", "slope", 0), Some(0));
        assert_eq!(distance("slpoe", "slope", 1), Some(1));
        assert_eq!(distance("slpoe", "slope", 0), None);
        assert_eq!(distance("", "abc", 3), Some(3));
        assert_eq!(distance("kitten", "sitting", 9), Some(3));
        assert_eq!(distance("kitten", "sitting", 3), Some(3));
        assert_eq!(distance("kitten", "sitting", 2), None);
    }
}
