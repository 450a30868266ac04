//! Finds statements about numbers that are said in words: `6 times 7 is 41`, `Half of 14 is 8`, `25 % of 80 is 25`.
//!
//! Nothing but numbers, the words for what is done to them and those for a relation stand in one. Where words leave open what
//! is done first (`half of 6 plus 4`), it is none.

mod beginning;
mod done;
mod pair;
mod tokens;

use std::{borrow::Cow, ops::Range};

use self::{
    beginning::{is_about_a_number, is_all, may_begin, may_state},
    tokens::{Kind, Token, tokens},
};
use super::{
    cues::{self, Words},
    scan::{Edge, Run},
};
use crate::numerals;

/// So many operations a side has at most.
const MAX_OPERATIONS: usize = 8;

/// So deep a phrase lies in another at most.
const MAX_DEPTH: usize = 3;

/// Words for operations, with their signs.
const OPERATIONS: &[(&[&str], &str)] = &[
    (&["plus"], "+"),
    (&["minus"], "-"),
    (&["times"], "·"),
    (&["multiplied", "by"], "·"),
    (&["divided", "by"], "÷"),
    (&["to", "the", "power", "of"], "^"),
    (&["mal"], "·"),
    (&["multipliziert", "mit"], "·"),
    (&["geteilt", "durch"], "÷"),
    (&["dividiert", "durch"], "÷"),
    (&["durch"], "÷"),
    (&["hoch"], "^"),
];

/// Words for equality. The scanner for signs reads the first ones, too.
const EQUALITIES: &[(&[&str], bool)] = &[
    (&["equals"], false),
    (&["is", "equal", "to"], false),
    (&["ist", "gleich"], false),
    (&["is", "also"], true),
    (&["is"], true),
    (&["comes", "to"], true),
    (&["results", "in"], true),
    (&["simplifies", "to"], true),
    (&["reduces", "to"], true),
    (&["gives"], true),
    (&["makes"], true),
    (&["ist"], true),
    (&["sind"], true),
    (&["ergibt"], true),
    (&["macht"], true),
    (&["gibt"], true),
];

/// Words for equality between whatever numbers, computed or not.
const SAME: &[&[&str]] = &[
    &["is", "the", "same", "as"],
    &["is", "as", "much", "as"],
    &["ist", "dasselbe", "wie"],
    &["ist", "genauso", "viel", "wie"],
];

/// What is done to one number, and what stands around it.
const FUNCTIONS: &[(&[&str], &str, &str)] = &[
    (&["double"], "2·(", ")"),
    (&["twice"], "2·(", ")"),
    (&["doppelte", "von"], "2·(", ")"),
    (&["dreifache", "von"], "3·(", ")"),
    (&["zweimal"], "2·(", ")"),
    (&["square", "of"], "(", ")^2"),
    (&["cube", "of"], "(", ")^3"),
    (&["quadrat", "von"], "(", ")^2"),
    (&["hälfte", "von"], "1/2·(", ")"),
    (&["square", "root", "of"], "√(", ")"),
    (&["quadratwurzel", "aus"], "√(", ")"),
    (&["wurzel", "aus"], "√(", ")"),
    (&["opposite", "of"], "0-(", ")"),
    (&["gegenzahl", "von"], "0-(", ")"),
    (&["reciprocal", "of"], "1/(", ")"),
    (&["kehrwert", "von"], "1/(", ")"),
];

/// What is done to two numbers.
const PAIRS: &[(&[&str], &str)] = &[
    (&["sum", "of"], "+"),
    (&["product", "of"], "·"),
    (&["quotient", "of"], "÷"),
    (&["difference", "of"], "-"),
    (&["difference", "between"], "-"),
    (&["summe", "von"], "+"),
    (&["summe", "aus"], "+"),
    (&["produkt", "von"], "·"),
    (&["produkt", "aus"], "·"),
    (&["quotient", "von"], "÷"),
    (&["quotient", "aus"], "÷"),
    (&["differenz", "von"], "-"),
    (&["differenz", "aus"], "-"),
    (&["differenz", "zwischen"], "-"),
];

static ARTICLES: Words = Words::new("the a an die das der ein eine einer");

/// Articles of one among several: `A square root of 16 is -4.`
static INDEFINITE: Words = Words::new("a an one other another ein eine andere");

static AND: Words = Words::new("and und");

static OF: Words = Words::new("of von");

static PERCENT: Words = Words::new("percent prozent");

/// The statements in words, in order.
pub(super) fn runs(text: &str) -> Vec<Run<'_>> {
    let tokens = tokens(text);
    let mut runs = Vec::new();
    let mut at = 0;
    let mut clause_end = 0;
    let mut found: Option<Range<usize>> = None;
    while at < tokens.len() {
        if at >= clause_end {
            let clause = tokens.get(at..).unwrap_or_default();
            let clause = clause.split(|token| matches!(token.kind, Kind::Stop | Kind::Other));
            let clause = clause.into_iter().next().unwrap_or_default();
            clause_end = at + clause.len() + 1;
            if !may_state(clause) {
                at = clause_end;
                continue;
            }
        }
        if !may_begin(&tokens, at) {
            at += 1;
            continue;
        }
        let mut reader = Reader::new(&tokens, at);
        let is_bare = is_about_a_number(&tokens, at, found.as_ref());
        let formula = reader.statement(is_bare);
        let span = tokens.get(at).zip(tokens.get(reader.at.wrapping_sub(1)));
        if let (Some(formula), Some((first, last))) = (formula, span) {
            found = Some(at..reader.at);
            let range = first.range.start..last.range.end;
            let (before, after) = match reader.is_bare && is_bare {
                true => (Edge::Clean, Edge::Clean),
                false => (before(&tokens, at), after(&tokens, reader.at)),
            };
            if reader.is_worded && (!reader.is_bare || is_all(text, &range)) {
                runs.push(Run {
                    range,
                    formula,
                    before,
                    after,
                });
            }
            at = reader.at;
        } else {
            at += 1;
        }
    }
    runs.extend(done::runs(text, &tokens));
    runs.extend(pair::runs(&tokens));
    runs
}

/// What stands before a place, but for an article.
fn before<'t>(tokens: &[Token<'t>], at: usize) -> Edge<'t> {
    let all = tokens.get(..at).unwrap_or_default();
    let mut all = all.iter().rev().skip_while(|token| match token.kind {
        Kind::Word(word) => ARTICLES.has(word),
        _ => false,
    });
    match all.next().map(|token| token.kind) {
        None | Some(Kind::Stop) => Edge::Clean,
        Some(Kind::Word(word)) => Edge::Word(word),
        _ => Edge::Unknown,
    }
}

/// What stands after a place. What is not known to go on with the sentence may be counted: `3 minus 2 is one way`.
fn after<'t>(tokens: &[Token<'t>], at: usize) -> Edge<'t> {
    match tokens.get(at).map(|token| token.kind) {
        None | Some(Kind::Stop) => Edge::Clean,
        Some(Kind::Word(word)) if cues::FOLLOWING.has(word) => {
            let next = tokens.get(at + 1).map(|token| token.kind);
            // `6 times 7 is 40 and 2`, `7 divided by 2 is 3 with 1 left`
            let adds = cues::AND.has(word) || matches!(word, "with" | "mit");
            if adds && !matches!(next, Some(Kind::Word(_))) {
                Edge::Unknown
            } else {
                Edge::Word(word)
            }
        }
        _ => Edge::Unknown,
    }
}

/// Reads a statement from a place on.
struct Reader<'a, 't> {
    tokens: &'a [Token<'t>],
    at: usize,
    /// How many brackets are open.
    brackets: usize,
    /// Whether a side had something to compute.
    is_computed: bool,
    /// Whether it has words that the scanner for signs does not read.
    is_worded: bool,
    /// Whether nothing was computed on the left, or it is said to be the same as the right: then that must be all.
    is_bare: bool,
}

impl<'a, 't> Reader<'a, 't> {
    fn new(tokens: &'a [Token<'t>], at: usize) -> Self {
        Self {
            tokens,
            at,
            brackets: 0,
            is_computed: false,
            is_worded: false,
            is_bare: false,
        }
    }

    fn kind(&self) -> Option<Kind<'t>> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    fn word(&self, at: usize) -> Option<Cow<'t, str>> {
        match self.tokens.get(at)?.kind {
            Kind::Word(word) => Some(lower(word)),
            _ => None,
        }
    }

    /// Takes words that stand here.
    fn takes(&mut self, phrase: &[&str]) -> bool {
        let is_here = (self.at..).zip(phrase).all(|(at, own)| {
            match self.tokens.get(at).map(|token| token.kind) {
                // Most are told apart by their lengths.
                Some(Kind::Word(word)) => word.len() == own.len() && lower(word) == *own,
                _ => false,
            }
        });
        if is_here {
            self.at += phrase.len();
        }
        is_here
    }

    /// Takes a word of a list.
    fn takes_one(&mut self, words: &Words) -> bool {
        let is_here = self.word(self.at).is_some_and(|word| words.has(&word));
        self.at += usize::from(is_here);
        is_here
    }

    /// Two sides that are said to be equal, as a formula. `may_be_bare`: the left one may be a number and no more. In signs that
    /// is what is left of an equation without a solution, `3 = 8`; in words it is none.
    fn statement(&mut self, may_be_bare: bool) -> Option<String> {
        let mut left = self.side()?;
        if !self.is_computed {
            if !may_be_bare {
                return None;
            }
            left += " + 0";
        }
        let is_same = SAME.iter().any(|words| self.takes(words));
        self.is_worded |= is_same;
        self.is_bare = is_same || !self.is_computed;
        if !is_same && !self.equality() {
            return None;
        }
        let right = self.side()?;
        // Nor is `the same as 1/3` a share of something.
        let share = if is_same { " + 0" } else { "" };
        Some(format!("{left} = {right}{share}"))
    }

    fn equality(&mut self) -> bool {
        if self.kind() == Some(Kind::Sign("=")) {
            self.at += 1;
            return true;
        }
        let found = EQUALITIES.iter().find(|(words, _)| self.takes(words));
        self.is_worded |= found.is_some_and(|(_, is_worded)| *is_worded);
        found.is_some()
    }

    fn side(&mut self) -> Option<String> {
        if let Some(phrase) = self.phrase(0) {
            self.is_computed = true;
            self.is_worded = true;
            // `half of 6 plus 4`
            return self.operation().is_none().then_some(phrase);
        }
        let mut side = self.term()?;
        let mut signs: Vec<&str> = Vec::new();
        let mut in_signs = true;
        loop {
            let is_sign = matches!(self.kind(), Some(Kind::Sign(_)));
            let Some(sign) = self.operation() else {
                break;
            };
            in_signs &= is_sign;
            let next = match self.phrase(0) {
                Some(phrase) => phrase,
                None => self.term()?,
            };
            side = format!("{side} {sign} {}", bracketed(next));
            signs.push(sign);
            if signs.len() > MAX_OPERATIONS {
                return None;
            }
        }
        self.is_computed |= !signs.is_empty();
        let adds = |sign: &&&str| matches!(**sign, "+" | "-");
        let added = signs.iter().filter(adds).count();
        // Signs say what is done first, words do not.
        let is_product = signs.iter().all(|sign| *sign == "·");
        let is_plain =
            added == signs.len() || added == 0 && signs.len() == 1 || is_product || in_signs;
        is_plain.then_some(side)
    }

    fn operation(&mut self) -> Option<&'static str> {
        if let Some(Kind::Sign(sign)) = self.kind().filter(|kind| *kind != Kind::Sign("=")) {
            self.at += 1;
            return Some(sign);
        }
        // `5 x 2`, but not `5 x minus 2`
        if self.kind() == Some(Kind::Word("x"))
            && let Some(Kind::Number(_)) = self.tokens.get(self.at + 1).map(|token| token.kind)
        {
            self.at += 1;
            self.is_worded = true;
            return Some("·");
        }
        let (_, sign) = OPERATIONS.iter().find(|(words, _)| self.takes(words))?;
        self.is_worded = true;
        Some(sign)
    }

    /// A number with its sign, a share of one, or what stands in brackets.
    fn term(&mut self) -> Option<String> {
        if self.kind() == Some(Kind::Open) && self.brackets < MAX_DEPTH {
            self.at += 1;
            self.brackets += 1;
            let inner = self.side()?;
            self.brackets -= 1;
            let is_closed = self.kind() == Some(Kind::Close);
            self.at += 1;
            return is_closed.then(|| format!("({inner})"));
        }
        let is_negative = match self.kind()? {
            Kind::Minus => {
                self.at += 1;
                true
            }
            _ => self.takes(&["minus"]) || self.takes(&["negative"]),
        };
        let number = self.number()?;
        let has_percent = self.kind() == Some(Kind::Percent);
        self.at += usize::from(has_percent);
        let percent = has_percent || self.takes_one(&PERCENT);
        let number = match percent {
            true => format!("{number} %"),
            false => number,
        };
        if is_negative {
            return Some(format!("-{number}"));
        }
        for (word, power) in [("squared", 2), ("cubed", 3)] {
            if self.takes(&[word]) {
                self.is_computed = true;
                self.is_worded = true;
                return Some(format!("{number}^{power}"));
            }
        }
        Some(number)
    }

    fn number(&mut self) -> Option<String> {
        if let Some(Kind::Number(number)) = self.kind() {
            self.at += 1;
            // `1/2 is 0.2`
            self.is_computed |= number.contains(['/', '^']);
            return Some(number.to_owned());
        }
        if let Some(Kind::Fraction(above, below)) = self.kind() {
            self.at += 1;
            self.is_computed = true;
            return Some(format!("({above}/{below})"));
        }
        let word = self.word(self.at)?;
        let parts: Vec<&str> = word.split('-').collect();
        let (number, length) = numerals::number(&parts)?;
        if length != parts.len() {
            return None;
        }
        self.at += 1;
        Some(number.to_string())
    }

    /// What is done to a number in a phrase: `the sum of 3 and 4`; without it, nothing is taken.
    fn phrase(&mut self, depth: usize) -> Option<String> {
        let begin = self.at;
        let phrase = self.function(depth).or_else(|| {
            self.at = begin;
            self.share(depth)
        });
        if phrase.is_none() {
            self.at = begin;
        }
        phrase
    }

    fn function(&mut self, depth: usize) -> Option<String> {
        let is_one_of_several = self
            .at
            .checked_sub(1)
            .is_some_and(|before| self.word(before).is_some_and(|word| INDEFINITE.has(&word)));
        if is_one_of_several || self.takes_one(&INDEFINITE) {
            return None;
        }
        self.takes_one(&ARTICLES);
        if let Some((_, head, tail)) = FUNCTIONS.iter().find(|(words, ..)| self.takes(words)) {
            let inner = self.operand(depth)?;
            return Some(format!("({head}{inner}{tail})"));
        }
        let (_, sign) = PAIRS.iter().find(|(words, _)| self.takes(words))?;
        let one = self.operand(depth)?;
        let other = self.takes_one(&AND).then(|| self.operand(depth))??;
        let pair = format!("{one} {sign} {}", bracketed(other));
        // Of two numbers either may be the larger one.
        Some(match *sign {
            "-" => format!("|{pair}|"),
            _ => format!("({pair})"),
        })
    }

    /// `25 % of 80`, `1/4 of 80`, `a third of 12`
    fn share(&mut self, depth: usize) -> Option<String> {
        let is_one = self.takes_one(&ARTICLES);
        let part = |reader: &mut Self| {
            let parts = numerals::part(&reader.word(reader.at)?)?;
            reader.at += 1;
            Some(parts)
        };
        let share = match part(self) {
            Some(parts) => format!("1/{parts}"),
            None if is_one => return None,
            None => {
                let number = self.number()?;
                let has_percent = self.kind() == Some(Kind::Percent);
                self.at += usize::from(has_percent);
                if has_percent || self.takes_one(&PERCENT) {
                    format!("{number}/100")
                } else if number.contains('/') {
                    number
                } else {
                    format!("{number}/{}", part(self)?)
                }
            }
        };
        let whole = self.takes_one(&OF).then(|| self.operand(depth))??;
        Some(format!("(({share})·{})", bracketed(whole)))
    }

    fn operand(&mut self, depth: usize) -> Option<String> {
        let phrase = if depth < MAX_DEPTH {
            self.phrase(depth + 1)
        } else {
            None
        };
        phrase.or_else(|| self.term())
    }
}

fn lower(word: &str) -> Cow<'_, str> {
    if word.contains(char::is_uppercase) {
        Cow::Owned(word.to_lowercase())
    } else {
        Cow::Borrowed(word)
    }
}

/// A part as it stands behind a sign.
fn bracketed(part: String) -> String {
    match part.starts_with('-') {
        true => format!("({part})"),
        false => part,
    }
}
