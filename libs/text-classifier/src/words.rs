//! Cuts a folded text into words in a form that spelling, disguise and haste change little.
//!
//! | written | read as |
//! | --- | --- |
//! | `ä`, `ae`, `a` | `a`; likewise `o` and `u`; other accents are dropped, `ß` is `s` |
//! | `sooo`, `hitting`, `hiting` | any run of one letter is one letter |
//! | `don't`, `dont` | `dont` |
//! | `k1ll`, `d!e`, `f@ther`, `s*x` | a digit or sign inside a word is the letter that it looks like; `*` is left out |
//! | `k i l l`, `k.i.l.l` | three and more single letters in a row are one word |
//! | `12`, `3.5` | `0`: a number; a run of signs of mathematics is `=` |

use unicode_normalization::char::is_combining_mark;

/// Bytes of a word that count; the rest of a longer one says no more.
const MAX_WORD: usize = 48;

/// A number, whichever.
const NUMBER: &[u8] = b"0";
/// Signs of mathematics, whichever.
const SIGNS: &[u8] = b"=";

/// What a text is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Token<'a> {
    /// A word, a number, signs, or an emoji: UTF-8, at most [`MAX_WORD`] bytes and never empty.
    Word(&'a [u8]),
    /// The end of a sentence.
    End,
}

/// Calls `each` with the tokens of a text in the form of [`fold`](crate::fold()).
pub(crate) fn tokens(folded: &str, each: impl FnMut(Token<'_>)) {
    let mut reader = Reader {
        word: Letters::default(),
        singles: Letters::default(),
        gap: 0,
        last_sign: '\0',
        each,
    };
    for (at, c) in folded.char_indices() {
        let next = || folded[at + c.len_utf8()..].chars().next();
        reader.read(c, next);
    }
    reader.end_word();
    reader.end_singles();
}

/// A few bytes of text.
#[derive(Clone, Copy)]
pub(crate) struct Letters {
    bytes: [u8; MAX_WORD],
    len: usize,
}

impl Default for Letters {
    fn default() -> Self {
        Self {
            bytes: [0; MAX_WORD],
            len: 0,
        }
    }
}

impl Letters {
    pub(crate) const MOST: usize = MAX_WORD;

    pub(crate) fn of(word: &[u8]) -> Self {
        let len = word.len().min(MAX_WORD);
        let mut bytes = [0; MAX_WORD];
        bytes[..len].copy_from_slice(&word[..len]);
        Self { bytes, len }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn push(&mut self, byte: u8) {
        if let Some(free) = self.bytes.get_mut(self.len) {
            *free = byte;
            self.len += 1;
        }
    }

    fn push_char(&mut self, c: char) {
        let mut utf8 = [0; 4];
        let utf8 = c.encode_utf8(&mut utf8).as_bytes();
        // Half a character would be no text.
        if self.len + utf8.len() <= MAX_WORD {
            utf8.iter().for_each(|byte| self.push(*byte));
        }
    }

    /// Reads digits as letters where they stand for some, and writes each run of one letter, and each umlaut, once.
    fn squeezed(&self) -> Self {
        let raw = self.as_bytes();
        let is_letter = |byte: &u8| !byte.is_ascii_digit();
        let first = raw.iter().position(is_letter).unwrap_or(raw.len());
        let last = raw.iter().rposition(is_letter).unwrap_or(0);
        let many = raw.iter().filter(|byte| is_letter(byte)).count() > 2;
        let mut squeezed = Self::default();
        let mut before = 0;
        for (at, &byte) in raw.iter().enumerate() {
            let disguised = first < at && (at < last || many);
            let byte = match byte {
                b'0'..=b'9' if disguised => letter_like(byte),
                b'0'..=b'9' => b'0',
                byte => byte,
            };
            let umlaut = byte == b'e' && matches!(before, b'a' | b'o' | b'u');
            if (byte != before || !byte.is_ascii()) && !umlaut {
                squeezed.push(byte);
            }
            before = byte;
        }
        squeezed
    }
}

fn letter_like(digit: u8) -> u8 {
    match digit {
        b'0' => b'o',
        b'1' => b'i',
        b'3' => b'e',
        b'4' => b'a',
        b'5' => b's',
        b'7' => b't',
        b'9' => b'g',
        _ => b'0',
    }
}

struct Reader<F> {
    /// The word that is being read, as it is written.
    word: Letters,
    /// Letters that stood alone, one after the other.
    singles: Letters,
    /// How many characters stand since the last word.
    gap: usize,
    last_sign: char,
    each: F,
}

impl<F: FnMut(Token<'_>)> Reader<F> {
    fn read(&mut self, c: char, next: impl Fn() -> Option<char>) {
        let before_letter = || next().is_some_and(char::is_alphabetic);
        match c {
            'a'..='z' | '0'..='9' => self.word.push(c as u8),
            ' ' => self.separate(),
            '\'' | '\u{2019}' | '\u{2018}' | '\u{2bc}' | '`' => {}
            '@' if self.word.len > 0 && before_letter() => self.word.push(b'a'),
            '$' if self.word.len > 0 && before_letter() => self.word.push(b's'),
            // Longer words are cried out, and the space after is forgotten.
            '!' if matches!(self.word.len, 1 | 2) && before_letter() => self.word.push(b'i'),
            '*' if self.word.len > 0 && matches!(next(), Some('*' | 'a'..='z')) => {}
            '.' | '!' | '?' | '…' | ';' | '。' | '\n' => {
                self.separate();
                if c == '\n' || next().is_none_or(|after| !after.is_alphanumeric()) {
                    self.end_singles();
                    (self.each)(Token::End);
                }
            }
            '=' | '+' | '^' | '<' | '>' | '√' | '∫' | '≤' | '≥' | '±' | '×' | '÷' | '\\' =>
            {
                self.sign('=', SIGNS);
            }
            c if c.is_ascii() => self.separate(),
            'ä' | 'à'..='ã' | 'å' => self.word.push(b'a'),
            'ö' | 'ò'..='õ' | 'ø' => self.word.push(b'o'),
            'ü' | 'ù'..='û' => self.word.push(b'u'),
            'ß' => self.word.push(b's'),
            'è'..='ë' => self.word.push(b'e'),
            'ì'..='ï' => self.word.push(b'i'),
            'ñ' => self.word.push(b'n'),
            'ç' => self.word.push(b'c'),
            c if is_combining_mark(c) => {}
            c if c.is_alphanumeric() => self.word.push_char(c),
            // Emoji, and signs that are written in place of them.
            '\u{2600}'.. => {
                let mut utf8 = [0; 4];
                self.sign(c, c.encode_utf8(&mut utf8).as_bytes());
            }
            _ => self.separate(),
        }
    }

    fn separate(&mut self) {
        self.end_word();
        self.gap += 1;
    }

    fn sign(&mut self, sign: char, token: &[u8]) {
        self.separate();
        self.end_singles();
        if self.last_sign != sign {
            self.last_sign = sign;
            (self.each)(Token::Word(token));
        }
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        if word.len == 0 {
            return;
        }
        let gap = std::mem::take(&mut self.gap);
        self.last_sign = '\0';
        if let [letter @ b'a'..=b'z'] = word.as_bytes() {
            if gap != 1 {
                self.end_singles();
            }
            self.singles.push(*letter);
            return;
        }
        self.end_singles();
        if word.as_bytes().iter().all(u8::is_ascii_digit) {
            (self.each)(Token::Word(NUMBER));
        } else {
            (self.each)(Token::Word(word.squeezed().as_bytes()));
        }
    }

    fn end_singles(&mut self) {
        let singles = std::mem::take(&mut self.singles);
        if singles.len > 2 {
            (self.each)(Token::Word(singles.squeezed().as_bytes()));
        } else {
            for letter in singles.as_bytes().chunks(1) {
                (self.each)(Token::Word(letter));
            }
        }
    }
}
