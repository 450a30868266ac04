//! A normalised text to tokens.

use crate::written;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A number in digits, with a point.
    Number(String),
    /// A letter that stands alone.
    Letter(char),
    /// A sign of a formula.
    Sign(char),
    /// A word of two letters and more.
    Word(String),
    /// What ends a formula: a sign of punctuation or a new line.
    Stop(char),
}

/// A token, and whether it follows the one before without a space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) glued: bool,
}

/// Names of functions and their signs.
const FUNCTIONS: [(&str, char); 2] = [("sqrt", '√'), ("infty", '∞')];

struct Lexer {
    chars: Vec<char>,
    at: usize,
    tokens: Vec<Placed>,
    glued: bool,
    /// The number of the last mark of a list.
    mark: u64,
}

/// The tokens of a text in the form of [`turnwise_text::normalise`].
pub(super) fn tokens(text: &str) -> Vec<Placed> {
    let mut lexer = Lexer {
        chars: text.chars().collect(),
        at: 0,
        tokens: Vec::new(),
        glued: false,
        mark: 0,
    };
    while lexer.at < lexer.chars.len() {
        lexer.step();
    }
    lexer.tokens
}

impl Lexer {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\n')
    }

    fn push(&mut self, token: Token) {
        let glued = std::mem::replace(&mut self.glued, true);
        self.tokens.push(Placed { token, glued });
    }

    /// Whether the last token is a value that an operator may follow.
    fn has_value(&self) -> bool {
        self.tokens.last().is_some_and(|last| {
            matches!(
                last.token,
                Token::Number(_) | Token::Letter(_) | Token::Sign(')' | '%')
            )
        })
    }

    fn begins_line(&self) -> bool {
        self.tokens
            .last()
            .is_none_or(|last| last.token == Token::Stop('\n'))
    }

    fn step(&mut self) {
        match self.peek(0) {
            '\n' => {
                self.at += 1;
                self.push(Token::Stop('\n'));
                self.glued = false;
            }
            c if c.is_whitespace() => {
                self.at += 1;
                self.glued = false;
            }
            c if c.is_ascii_digit() => self.number(),
            '.' if self.peek(1).is_ascii_digit() && !self.glued => self.number(),
            c if c.is_alphabetic() => self.word(),
            '\\' => {
                // A command that draws nothing by itself, such as `\boxed`.
                self.at += 1;
                while self.peek(0).is_ascii_alphabetic() {
                    self.at += 1;
                }
            }
            c => self.sign(c),
        }
    }

    /// Whether a line begins here, but for a bracket.
    fn marks_item(&mut self) -> bool {
        if self.begins_line() {
            return true;
        }
        let [before @ .., last] = self.tokens.as_slice() else {
            return false;
        };
        let opened = last.token == Token::Sign('(')
            && before
                .last()
                .is_none_or(|last| last.token == Token::Stop('\n'));
        if opened {
            self.tokens.pop();
        }
        opened
    }

    fn number(&mut self) {
        let mut number = String::new();
        loop {
            match self.peek(0) {
                c if c.is_ascii_digit() => number.push(c),
                // A second point is none of a decimal number: 1.2.3
                '.' | ',' if self.peek(1).is_ascii_digit() && !number.contains('.') => {
                    number.push('.');
                }
                // 1'000
                '\'' if (1..4).all(|ahead| self.peek(ahead).is_ascii_digit()) => {}
                _ => break,
            }
            self.at += 1;
        }
        if number.starts_with('.') {
            number.insert(0, '0');
        }
        let marks = matches!(self.peek(0), ')' | '.' | ':') && self.peek(1) == ' ';
        let next = number.parse().unwrap_or(0);
        // Marks count up: a line that begins with another number says it.
        if marks && self.begins_line() && (next == 1 || next == self.mark + 1) {
            self.mark = next;
            self.at += 1;
            return;
        }
        self.push(Token::Number(number));
    }

    fn word(&mut self) {
        let start = self.at;
        loop {
            let c = self.peek(0);
            let goes_on = c.is_alphabetic()
                || (c == '\'' && self.peek(1).is_alphabetic())
                // `twenty-one` is a word and `x-y` is none.
                || (c == '-'
                    && self.at > start + 1
                    && self.peek(1).is_alphabetic()
                    && self.peek(2).is_alphabetic());
            if !goes_on {
                break;
            }
            self.at += 1;
        }
        let word: String = self.chars[start..self.at].iter().collect();
        let letters = word.chars().count();
        let sign = FUNCTIONS.iter().find(|(name, _)| *name == word);
        // `2xy` is a product; `2cm` is not.
        let product = letters < 4 && word.chars().all(|c| "xyzab".contains(c));
        let follows = self.glued && self.has_value();
        if let Some((_, sign)) = sign {
            self.push(Token::Sign(*sign));
        } else if letters == 1 && self.peek(0) == ')' && self.peek(1) == ' ' && self.marks_item() {
            // `a) 4`
            self.at += 1;
        } else if letters == 1 {
            word.chars().for_each(|c| self.push(Token::Letter(c)));
        } else if product && (follows || "+-*/^=".contains(self.peek(0))) {
            word.chars().for_each(|c| self.push(Token::Letter(c)));
        } else if let Some((first, second)) = halves(&word) {
            self.push(Token::Word(first.to_owned()));
            self.push(Token::Word(second.to_owned()));
        } else {
            self.push(Token::Word(word));
        }
    }

    fn sign(&mut self, c: char) {
        let (token, length) = match (c, self.peek(1)) {
            ('<', '=') => (Some(Token::Sign('≤')), 2),
            ('>', '=') => (Some(Token::Sign('≥')), 2),
            ('=', '=') => (Some(Token::Sign('=')), 2),
            ('!', '=') => (Some(Token::Stop(',')), 2),
            ('-' | '=', '>') => (Some(self.arrow()), 2),
            ('→' | '⇒' | '⟹' | '⟶' | '➔' | '➜', _) => (Some(self.arrow()), 1),
            ('*', '*') => {
                let power = self.glued && self.has_value() && self.peek(2).is_alphanumeric();
                (power.then_some(Token::Sign('^')), 2)
            }
            ('*', next) => {
                let times = self.has_value() && next.is_whitespace() != self.glued;
                (times.then_some(Token::Sign('*')), 1)
            }
            (':', _) => (Some(self.colon()), 1),
            // A quotation.
            ('>', ' ') if self.begins_line() => (None, 1),
            ('-' | '–' | '•', ' ') if self.begins_line() => {
                // It marks an item, or it is the sign of a number: both are read.
                if self.peek(2).is_ascii_digit() {
                    let at = self.at;
                    self.push(Token::Sign('-'));
                    self.at += 2;
                    self.number();
                    self.push(Token::Stop(','));
                    self.at = at;
                }
                (None, 1)
            }
            ('_', '0'..='9') if self.glued && self.has_value() => (None, 2),
            ('—', _) => (Some(Token::Stop(',')), 1),
            ('–' | '−', _) => (Some(Token::Sign('-')), 1),
            ('≈' | '≡' | '≙' | '≅' | '∈' | '~' | '∼' | '≃' | '≐', _) => {
                (Some(Token::Sign('=')), 1)
            }
            ('{' | '[', _) => (Some(Token::Sign('(')), 1),
            ('}' | ']', _) => (Some(Token::Sign(')')), 1),
            ('×' | '·' | '∙' | '⋅', _) => (Some(Token::Sign('*')), 1),
            ('÷' | '∕' | '⁄', _) => (Some(Token::Sign('/')), 1),
            ('+' | '-' | '/' | '^' | '=' | '<' | '>' | '≤' | '≥' | '(' | ')', _)
            | ('√' | '±' | '%' | '∞', _) => (Some(Token::Sign(c)), 1),
            ('|', _) if self.absolute() => (None, 1),
            ('.' | ',' | ';' | '?' | '!' | '|' | '…' | '&', _) => (Some(Token::Stop(c)), 1),
            _ => (None, 1),
        };
        self.at += length;
        if let Some(token) = token {
            self.push(token);
        }
    }

    /// Whether bars stand around a number here: its sign is left out, and so are they.
    fn absolute(&mut self) -> bool {
        let signed = matches!(self.peek(1), '-' | '−' | '–');
        let digits = 1 + usize::from(signed);
        let count = (digits..)
            .take_while(|at| self.peek(*at).is_ascii_digit() || self.peek(*at) == '.')
            .count();
        let is_absolute = count > 0 && self.peek(digits + count) == '|';
        if is_absolute {
            self.chars.remove(self.at + digits + count);
            if signed {
                self.at += 1;
            }
        }
        is_absolute
    }

    /// Whether the last token is a variable that stands alone: an arrow or a colon behind it says what it is.
    fn asks_what(&self) -> bool {
        let [before @ .., last] = self.tokens.as_slice() else {
            return false;
        };
        let alone = before.last().is_none_or(|before| match &before.token {
            // `Solve for x: 2x = 8`
            Token::Word(word) => !matches!(word.as_str(), "for" | "nach" | "find"),
            token => matches!(token, Token::Stop(_)),
        });
        alone && matches!(last.token, Token::Letter(_))
    }

    fn arrow(&self) -> Token {
        if self.asks_what() {
            Token::Sign('=')
        } else {
            Token::Stop(',')
        }
    }

    fn colon(&self) -> Token {
        let spaced = self.peek(1).is_whitespace();
        if self.has_value() && spaced != self.glued && self.peek(1) != '\n' {
            // `12 : 4` and `12:4` divide.
            Token::Sign('/')
        } else if self.asks_what() {
            Token::Sign('=')
        } else {
            Token::Stop(':')
        }
    }
}

/// `one-half`: a number and the name of a denominator.
fn halves(word: &str) -> Option<(&str, &str)> {
    let (first, second) = word.split_once('-')?;
    let is_number = written::number(first).is_some() || written::is_one(first);
    (is_number && written::denominator(second).is_some()).then_some((first, second))
}
