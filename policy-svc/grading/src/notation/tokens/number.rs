//! Numbers among the tokens: with commas or points, thousands parted, digits that repeat, powers of ten.

use num_bigint::BigInt;

use super::{Comma, Lexer, TokenKind};
use crate::algebra::Rational;

/// More digits than anyone types by hand.
const MAX_DIGITS: usize = 40;

/// The digits of a number as they are read.
#[derive(Default)]
struct Digits {
    all: String,
    /// How many stand behind the point.
    places: Option<u32>,
    /// What parts the thousands.
    parted: Option<char>,
    /// Behind how many places a bar or a dot over a digit stands.
    marks: Vec<u32>,
}

impl Lexer {
    pub(super) fn number(&mut self) {
        let mut digits = Digits::default();
        let outside = !self.groups.iter().any(|group| *group != 'g');
        while let Some(character) = self.peek(0) {
            let digit_follows = self.peek(1).is_some_and(|next| next.is_ascii_digit());
            match character {
                '0'..='9' => {
                    digits.all.push(character);
                    if let Some(places) = &mut digits.places {
                        *places += 1;
                    }
                }
                '.' if digits.places.is_none() && (digit_follows || self.repeats_at(1)) => {
                    digits.places = Some(0);
                }
                ',' if digits.places.is_none() && outside && self.thousands_follow(&digits.all) => {
                }
                ',' if digits.places.is_none()
                    && outside
                    && (digit_follows || self.repeats_at(1))
                    && matches!(self.comma, Comma::Decimal | Comma::Point) =>
                {
                    digits.places = Some(0);
                }
                ' ' | '\'' if digits.places.is_none() && self.group_follows(&digits, character) => {
                    digits.parted = Some(character);
                }
                '\u{304}' | '\u{305}' | '\u{307}' => {
                    digits.marks.extend(digits.places);
                }
                _ => break,
            }
            self.at += 1;
        }
        let start = self.repeating(&mut digits);
        match digits.value(start) {
            Some(value) => {
                self.push(TokenKind::Number {
                    value,
                    places: digits.places,
                });
                self.power_of_ten();
            }
            None => self.push(TokenKind::Other('#')),
        }
    }

    /// Whether digits that repeat stand in brackets or under a bar, so far ahead: `(6)`, `\overline{6}`.
    fn repeats_at(&self, ahead: usize) -> bool {
        self.repeated(ahead).is_some()
    }

    /// The digits that repeat, so far ahead, and where they end.
    fn repeated(&self, ahead: usize) -> Option<(String, usize)> {
        ["(", "\\overline{", "\\bar{", "\\dot{"]
            .iter()
            .find_map(|open| {
                let opens = open
                    .chars()
                    .enumerate()
                    .all(|(at, own)| self.peek(ahead + at) == Some(own));
                let mut at = ahead + open.len();
                let mut digits = String::new();
                while let Some(digit) = self.peek(at).filter(char::is_ascii_digit) {
                    digits.push(digit);
                    at += 1;
                }
                let closes = matches!(self.peek(at), Some(')' | '}'));
                (opens && closes && !digits.is_empty()).then_some((digits, at + 1))
            })
    }

    /// From which place on the digits repeat, after taking what says so: `0.(6)`, `0.6…`, `0.6` with a bar.
    fn repeating(&mut self, digits: &mut Digits) -> Option<u32> {
        let places = digits.places?;
        if let Some((block, end)) = self.repeated(0) {
            self.at += end;
            digits.places = Some(places + u32::try_from(block.len()).ok()?);
            digits.all.push_str(&block);
            return Some(places);
        }
        if let (Some(first), Some(last)) = (digits.marks.iter().min(), digits.marks.iter().max()) {
            // A bar is typed behind its digit, or before it.
            return Some(if *last == places {
                first.saturating_sub(1)
            } else {
                *last
            });
        }
        let dots = (0..)
            .take_while(|ahead| self.peek(*ahead) == Some('.'))
            .count();
        let dots = if self.peek(0) == Some('…') {
            1
        } else {
            dots.saturating_sub(1)
        };
        if dots == 0 {
            return None;
        }
        let behind: Vec<char> = digits.all.chars().rev().take(places as usize).collect();
        let length = (1..=behind.len() / 2)
            .find(|length| behind.get(..*length) == behind.get(*length..2 * length))?;
        while matches!(self.peek(0), Some('.' | '…')) {
            self.at += 1;
        }
        Some(places - u32::try_from(length).ok()?)
    }

    /// `4.5e4`
    fn power_of_ten(&mut self) {
        if !matches!(self.peek(0), Some('e' | 'E')) {
            return;
        }
        let negative = self.peek(1) == Some('-');
        let start = 1 + usize::from(negative || self.peek(1) == Some('+'));
        let digits: String = (start..start + 4)
            .map_while(|at| self.peek(at).filter(char::is_ascii_digit))
            .collect();
        let ends = !self
            .peek(start + digits.len())
            .is_some_and(char::is_alphanumeric);
        let (Ok(exponent), true) = (digits.parse(), ends) else {
            return;
        };
        self.at += start + digits.len();
        self.push(TokenKind::Operator('*'));
        self.whole(10);
        self.push(TokenKind::Operator('^'));
        if negative {
            self.push(TokenKind::Operator('-'));
        }
        self.whole(exponent);
    }

    /// Whether a blank or an apostrophe here parts thousands: `3 000`, `3'000`, but not `2 345/1000`.
    fn group_follows(&self, digits: &Digits, sign: char) -> bool {
        let leads = (1..=3).contains(&digits.all.len()) && !digits.all.starts_with('0');
        let digit = |ahead: usize| self.peek(ahead).is_some_and(|next| next.is_ascii_digit());
        let fraction =
            (4..6).find_map(|ahead| self.peek(ahead).filter(|next| *next != ' ')) == Some('/');
        (digits.parted == Some(sign) || leads)
            && digit(1)
            && digit(2)
            && digit(3)
            && !digit(4)
            && !fraction
    }

    /// Whether the comma here begins a number: `,5`.
    pub(super) fn leading_point(&self) -> bool {
        let begins = matches!(
            self.tokens.last().map(|token| &token.kind),
            None | Some(TokenKind::Operator(_) | TokenKind::Relation(_))
        );
        begins && self.peek(1).is_some_and(|next| next.is_ascii_digit())
    }

    /// Whether the comma here parts thousands: one to three digits before it, groups of three after it.
    fn thousands_follow(&self, digits: &str) -> bool {
        if matches!(self.comma, Comma::Point | Comma::List) {
            return false;
        }
        let leads = digits.len() <= 3 && !digits.is_empty() && !digits.starts_with('0');
        let continues = digits.len() > 3 && digits.len().is_multiple_of(3)
            || digits.len() > 3 && self.group_before();
        if !(leads || continues) {
            return false;
        }
        let digit = |ahead: usize| self.peek(ahead).is_some_and(|next| next.is_ascii_digit());
        digit(1) && digit(2) && digit(3) && !digit(4)
    }

    fn group_before(&self) -> bool {
        self.at
            .checked_sub(4)
            .and_then(|before| self.characters.get(before))
            == Some(&',')
    }
}

impl Digits {
    /// The number; digits from place `start` on repeat.
    fn value(&self, start: Option<u32>) -> Option<Rational> {
        if self.all.len() > MAX_DIGITS {
            return None;
        }
        // Most numbers are whole and small.
        if self.places.is_none()
            && let Ok(small) = self.all.parse::<u64>()
        {
            return Some(Rational::from(BigInt::from(small)));
        }
        let power = |places: u32| BigInt::from(10).pow(places);
        let all: BigInt = self.all.parse().ok()?;
        let places = self.places.unwrap_or(0);
        let Some(start) = start.filter(|start| *start < places) else {
            return Some(Rational::new(all, power(places)));
        };
        let once = power(places - start);
        let before = &all / &once;
        Some(Rational::new(
            all - before,
            power(start) * (once - BigInt::from(1)),
        ))
    }
}
