//! A text as its letters alone, in one spelling.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The letters and digits of a text, and where its words begin and its clauses end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Letters {
    pub(crate) letters: Vec<char>,
    /// Indexes of letters that begin a word.
    pub(crate) word_starts: Vec<usize>,
    /// Indexes behind letters that end a sentence or a clause.
    pub(crate) clause_ends: Vec<usize>,
}

impl Letters {
    /// The letters of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut read = Self {
            letters: Vec::with_capacity(text.len()),
            ..Self::default()
        };
        let mut in_word = false;
        for c in text.chars() {
            let before = read.letters.len();
            if c.is_ascii() {
                read.push(c.to_ascii_lowercase());
            } else {
                c.nfkd()
                    .filter(|c| !is_combining_mark(*c))
                    .flat_map(char::to_lowercase)
                    .for_each(|c| read.push(c));
            }
            if read.letters.len() > before {
                if !in_word {
                    read.word_starts.push(before);
                }
                in_word = true;
            } else if c.is_ascii() || !is_combining_mark(c) {
                in_word &= c == '\'' || c == '\u{2019}';
                if matches!(
                    c,
                    '.' | ':' | ';' | '!' | '?' | '\n' | '{' | '}' | '(' | ')'
                ) {
                    read.end_clause();
                }
            }
        }
        read.end_clause();
        read
    }

    fn end_clause(&mut self) {
        if self.clause_ends.last() != Some(&self.letters.len()) {
            self.clause_ends.push(self.letters.len());
        }
    }

    fn push(&mut self, c: char) {
        if c == 'ß' {
            self.letters.extend(['s', 's']);
            return;
        }
        let c = like_latin(c);
        // `ae` for `ä`, whose dots are gone.
        let umlaut = c == 'e' && matches!(self.letters.last(), Some('a' | 'o' | 'u'));
        if c.is_alphanumeric() && !umlaut {
            self.letters.push(c);
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }
}

/// The Latin letter that a character looks like, or the character.
fn like_latin(c: char) -> char {
    match c {
        '0' | 'о' | 'ο' | 'օ' | 'ø' => 'o',
        '1' | 'і' | 'ι' | 'ı' | 'ӏ' | '|' => 'i',
        '3' | 'е' | 'ε' | 'є' => 'e',
        '4' | 'а' | 'α' | 'ɑ' | '@' => 'a',
        '5' | 'ѕ' | '$' => 's',
        '7' | 'т' | 'τ' => 't',
        'с' | 'ϲ' => 'c',
        'р' | 'ρ' => 'p',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        'υ' => 'u',
        'к' | 'κ' => 'k',
        'м' => 'm',
        'н' | 'һ' => 'h',
        'в' | 'β' => 'b',
        'ν' => 'v',
        'η' => 'n',
        'ԁ' => 'd',
        'ɡ' => 'g',
        'ј' => 'j',
        'ԛ' => 'q',
        'ԝ' | 'ω' => 'w',
        other => other,
    }
}
