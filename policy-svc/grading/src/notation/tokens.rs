//! Cuts mathematics into tokens: signs get one meaning whatever keyboard or LaTeX command they came from.
//!
//! The text crate's normaliser is not used: it writes formulas for search engines and models, and gives up groups (which
//! numerator, which radicand) that matter here.

mod characters;
mod latex;
mod number;
mod token;

pub(crate) use self::token::{Comma, Token, TokenKind};

use num_bigint::BigInt;

use self::characters::{plain, subscript, superscript, vulgar_fraction};
use super::{MAX_CHARACTERS, MAX_TOKENS, Sign};
use crate::algebra::Rational;

/// The tokens of a text; nothing where it is too long.
pub(crate) fn tokens(text: &str, comma: Comma) -> Option<Vec<Token>> {
    let mut characters = Vec::with_capacity(text.len().min(MAX_CHARACTERS));
    for character in text.chars() {
        if characters.len() >= MAX_CHARACTERS {
            return None;
        }
        characters.push(plain(character));
    }
    let mut lexer = Lexer {
        characters,
        at: 0,
        tokens: Vec::new(),
        spaced: false,
        groups: Vec::new(),
        comma,
    };
    while lexer.at < lexer.characters.len() {
        lexer.step();
        if lexer.tokens.len() > MAX_TOKENS {
            return None;
        }
    }
    Some(lexer.tokens)
}

struct Lexer {
    characters: Vec<char>,
    at: usize,
    tokens: Vec<Token>,
    spaced: bool,
    /// Open brackets; `g` for groups.
    groups: Vec<char>,
    comma: Comma,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn push(&mut self, kind: TokenKind) {
        let spaced = std::mem::take(&mut self.spaced);
        self.tokens.push(Token { kind, spaced });
    }

    fn whole(&mut self, number: u64) {
        self.push(TokenKind::Number {
            value: Rational::from(BigInt::from(number)),
            places: None,
        });
    }

    fn step(&mut self) {
        let Some(character) = self.peek(0) else {
            return;
        };
        match character {
            '\n' => self.one(TokenKind::Break),
            _ if character.is_whitespace() => {
                self.at += 1;
                self.spaced = true;
            }
            '0'..='9' => self.number(),
            '.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => self.number(),
            ',' if self.comma == Comma::Point && self.leading_point() => self.number(),
            '\\' => self.command(),
            '*' if self.peek(1) == Some('*') => {
                self.at += 1;
                self.one(TokenKind::Operator('^'));
            }
            '^' if self.degree_follows() => self.push(TokenKind::Degree),
            '+' | '-' | '*' | '/' | '^' | '±' => self.one(TokenKind::Operator(character)),
            '(' | '[' => self.open(character),
            '{' => {
                let grouped = matches!(
                    self.tokens.last().map(|token| &token.kind),
                    Some(
                        TokenKind::Operator('^')
                            | TokenKind::Fraction
                            | TokenKind::Root
                            | TokenKind::RootOf(_)
                    )
                ) || self.group_argument();
                self.open(if grouped { 'g' } else { '{' });
            }
            ')' => self.close('('),
            ']' => self.close('['),
            '}' => {
                let opened = match self.groups.last() {
                    Some('g') => 'g',
                    _ => '{',
                };
                self.close(opened);
            }
            '|' => self.one(TokenKind::Bar),
            ',' => self.one(TokenKind::Comma),
            ';' => self.one(TokenKind::Break),
            '<' | '>' | '=' | '!' | '≤' | '≥' | '≠' => self.relation(character),
            '%' => self.one(TokenKind::Percent),
            '$' | '€' | '£' | '¥' => self.one(TokenKind::Currency(character)),
            '°' | 'º' => self.one(TokenKind::Degree),
            '√' => self.one(TokenKind::Root),
            '∛' => self.one(TokenKind::RootOf(3)),
            '∜' => self.one(TokenKind::RootOf(4)),
            '∞' => self.one(TokenKind::Infinity),
            '∅' => self.one(TokenKind::Empty),
            'ℝ' => self.one(TokenKind::Reals),
            '∈' => self.one(TokenKind::Element),
            '∪' => self.one(TokenKind::Union),
            '□' | '☐' | '▢' => self.one(TokenKind::Blank),
            'π' => self.one(TokenKind::Word("π".into())),
            '∨' => self.one(TokenKind::Word("or".into())),
            '∧' => self.one(TokenKind::Word("and".into())),
            '_' => self.blank(),
            '⁻' if self.peek(1).and_then(superscript).is_none() => {
                self.one(TokenKind::Operator('-'));
            }
            '⁻' => self.superscripts(),
            _ if superscript(character).is_some() => self.superscripts(),
            _ => {
                if let Some((above, below)) = vulgar_fraction(character) {
                    self.at += 1;
                    self.fraction(above.into(), below.into());
                } else if character.is_alphabetic() {
                    self.word();
                } else {
                    self.one(TokenKind::Other(character));
                }
            }
        }
    }

    fn one(&mut self, kind: TokenKind) {
        self.at += 1;
        self.push(kind);
    }

    fn open(&mut self, bracket: char) {
        self.groups.push(bracket);
        self.one(TokenKind::Open(bracket));
    }

    fn close(&mut self, bracket: char) {
        // Half-open intervals close with another bracket than they open with.
        self.groups.pop();
        self.one(TokenKind::Close(bracket));
    }

    /// Whether a `{` that comes now is an argument of `\frac` (its second), or of a root after its index.
    fn group_argument(&self) -> bool {
        if !matches!(
            self.tokens.last().map(|token| &token.kind),
            Some(TokenKind::Close('g'))
        ) {
            return false;
        }
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().rev() {
            match token.kind {
                TokenKind::Close('g') => depth += 1,
                TokenKind::Open('g') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at
                            .checked_sub(1)
                            .and_then(|before| self.tokens.get(before))
                            .is_some_and(|token| token.kind == TokenKind::Fraction);
                    }
                }
                _ => {}
            }
        }
        false
    }

    fn relation(&mut self, character: char) {
        let next = self.peek(1);
        let (sign, length) = match (character, next) {
            ('<', Some('=')) => (Sign::LessOrEqual, 2),
            ('>', Some('=')) => (Sign::GreaterOrEqual, 2),
            ('=', Some('<')) => (Sign::LessOrEqual, 2),
            ('!', Some('=')) | ('<', Some('>')) => (Sign::NotEqual, 2),
            ('=', Some('=')) => (Sign::Equal, 2),
            ('=', Some('>')) | ('!', _) => {
                self.one(TokenKind::Other(character));
                return;
            }
            ('<', _) => (Sign::Less, 1),
            ('>', _) => (Sign::Greater, 1),
            ('≤', _) => (Sign::LessOrEqual, 1),
            ('≥', _) => (Sign::GreaterOrEqual, 1),
            ('≠', _) => (Sign::NotEqual, 1),
            _ => (Sign::Equal, 1),
        };
        self.at += length;
        self.push(TokenKind::Relation(sign));
    }

    fn blank(&mut self) {
        let mut length = 0;
        while self.peek(length) == Some('_') {
            length += 1;
        }
        self.at += length;
        self.push(if length > 1 {
            TokenKind::Blank
        } else {
            TokenKind::Other('_')
        });
    }

    fn superscripts(&mut self) {
        let negative = self.peek(0) == Some('⁻');
        self.at += usize::from(negative);
        let raised = self.digits(superscript);
        // `⁵⁄₇`
        if !negative && self.peek(0) == Some('/') && self.peek(1).and_then(subscript).is_some() {
            self.at += 1;
            let lowered = self.digits(subscript);
            self.fraction(raised, lowered);
            return;
        }
        self.spaced = false;
        self.push(TokenKind::Operator('^'));
        if negative {
            self.push(TokenKind::Operator('-'));
        }
        self.whole(raised);
    }

    /// Takes the digits that `digit` knows.
    fn digits(&mut self, digit: impl Fn(char) -> Option<char>) -> u64 {
        let mut number: u64 = 0;
        while let Some(digit) = self.peek(0).and_then(&digit) {
            let digit = digit.to_digit(10).map_or(0, u64::from);
            number = number.saturating_mul(10).saturating_add(digit);
            self.at += 1;
        }
        number
    }

    fn fraction(&mut self, above: u64, below: u64) {
        self.push(TokenKind::Fraction);
        for part in [above, below] {
            self.push(TokenKind::Open('g'));
            self.whole(part);
            self.push(TokenKind::Close('g'));
        }
    }

    /// Whether `^\circ` or `^{\circ}` stands here; takes it if so.
    fn degree_follows(&mut self) -> bool {
        for spelling in ["^\\circ", "^{\\circ}", "^{\\circ }"] {
            let matches = spelling
                .chars()
                .enumerate()
                .all(|(ahead, own)| self.peek(ahead) == Some(own));
            if matches {
                self.at += spelling.chars().count();
                return true;
            }
        }
        false
    }

    fn word(&mut self) {
        let start = self.at;
        while self.peek(0).is_some_and(char::is_alphabetic) {
            self.at += 1;
        }
        let word: String = self
            .characters
            .get(start..self.at)
            .unwrap_or_default()
            .iter()
            .collect();
        // `xsqrt(2)` is x times a root.
        for name in ["sqrt", "cbrt", "frac", "abs"] {
            if let Some(before) = word.strip_suffix(name)
                && !before.is_empty()
                && before.chars().count() <= 3
            {
                self.push(TokenKind::Word(before.into()));
                self.named(name);
                return;
            }
        }
        // An index makes one name: `x_1`, `x_{12}`.
        if word.chars().count() == 1 && self.peek(0) == Some('_') {
            let braced = self.peek(1) == Some('{');
            let mut ahead = if braced { 2 } else { 1 };
            let mut index = String::new();
            while let Some(next) = self.peek(ahead).filter(char::is_ascii_alphanumeric) {
                index.push(next);
                ahead += 1;
                if !braced && !next.is_ascii_digit() || index.len() > 3 {
                    break;
                }
            }
            if !index.is_empty() && (!braced || self.peek(ahead) == Some('}')) {
                self.at += ahead + usize::from(braced);
                self.push(TokenKind::Word(format!("{word}_{index}").into()));
                return;
            }
        }
        self.named(&word);
    }

    /// A word of plain text, or the name of a command without its backslash.
    fn named(&mut self, word: &str) {
        // What a converter from LaTeX leaves behind names nothing.
        if word == "operatorname" {
            return;
        }
        let kind = match word {
            "sqrt" | "root" => TokenKind::Root,
            "cbrt" => TokenKind::RootOf(3),
            "frac" => TokenKind::Fraction,
            "abs" => TokenKind::Absolute,
            "infty" | "infinity" | "inf" | "Infinity" | "oo" => TokenKind::Infinity,
            "pm" => TokenKind::Operator('±'),
            "cdot" | "times" => TokenKind::Operator('*'),
            "pi" => TokenKind::Word("π".into()),
            "leq" => TokenKind::Relation(Sign::LessOrEqual),
            "geq" => TokenKind::Relation(Sign::GreaterOrEqual),
            _ => TokenKind::Word(word.into()),
        };
        self.push(kind);
        if matches!(
            self.tokens.last().map(|token| &token.kind),
            Some(TokenKind::Root)
        ) {
            self.root_index();
        }
    }

    /// Takes `[3]` after a root.
    fn root_index(&mut self) {
        let mut ahead = 0;
        while self.peek(ahead) == Some(' ') {
            ahead += 1;
        }
        if self.peek(ahead) != Some('[') {
            return;
        }
        let digits: String = (ahead + 1..ahead + 4)
            .map_while(|at| self.peek(at).filter(char::is_ascii_digit))
            .collect();
        if let Ok(index) = digits.parse::<u32>()
            && self.peek(ahead + 1 + digits.len()) == Some(']')
            && let Some(token) = self.tokens.last_mut()
        {
            self.at += ahead + 2 + digits.len();
            token.kind = TokenKind::RootOf(index);
        }
    }
}
