//! Finds the formulas of a text: what stands around its relation signs, as far as it can belong to mathematics.

mod commands;
mod letters;
mod marks;

use std::ops::Range;

use super::cues;

/// What stands beside a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge<'t> {
    /// The text's end, a mark that ends a clause, a bracket.
    Clean,
    /// A word.
    Word(&'t str),
    /// Something that may belong to the formula and cannot be read.
    Unknown,
}

/// A formula with a relation in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run<'t> {
    /// Where it stands, in bytes of the text.
    pub(super) range: Range<usize>,
    /// It, without what only sets it.
    pub(super) formula: String,
    /// What stands before it.
    pub(super) before: Edge<'t>,
    /// What stands after it.
    pub(super) after: Edge<'t>,
}

/// Whether a text may have a relation in it: a look at its bytes.
pub(super) fn may_relate(text: &str) -> bool {
    text.contains(|character: char| relation(character).is_some())
        || text.contains('\\')
        || cues::RELATIONS
            .iter()
            .any(|(phrase, _)| text.contains(phrase))
        || text.contains(letters::WORKING) && cues::EQUATING.iter().any(|verb| text.contains(verb))
}

/// The formulas with a relation, in order.
pub(super) fn runs(text: &str) -> Vec<Run<'_>> {
    let mut scanner = Scanner {
        text,
        at: 0,
        formula: String::new(),
        start: 0,
        end: 0,
        depth: 0,
        relations: 0,
        gap: false,
        whole: !letters::has_long_word(text),
        inside: false,
        fresh_line: true,
        before: Edge::Clean,
        edge: Edge::Clean,
        waits: false,
        related: false,
        runs: Vec::new(),
    };
    while scanner.at < text.len() {
        let before = scanner.at;
        scanner.step();
        // Whatever it was, it is behind.
        if scanner.at == before {
            scanner.skip();
        }
    }
    scanner.finish();
    scanner.runs
}

/// One sign for the many that mean the same.
fn relation(character: char) -> Option<char> {
    Some(match character {
        '=' | '＝' => '=',
        '<' | '>' | '≤' | '≥' | '≠' | '≈' => character,
        '≦' | '⩽' => '≤',
        '≧' | '⩾' => '≥',
        '≃' | '≅' => '≈',
        _ => return None,
    })
}

fn is_operator(character: char) -> bool {
    is_dash(character) || "+＋*∗×✕✖·⋅∙÷/⁄∕^±".contains(character)
}

/// Whether it stands for a minus. A long dash parts sentences.
pub(super) fn is_dash(character: char) -> bool {
    matches!(character, '-' | '−' | '–' | '‐' | '‑' | '‒' | '﹣' | '－')
}

/// Arrows between statements.
const ARROWS: &[&str] = &[
    "<=>", "<->", "<-->", "==>", "-->", "->", "=>", "→", "⇒", "⇔", "⟹", "⟶", "⟺", "↦", "∴", "↔",
];

/// Relations of two characters.
const PAIRS: &[(&str, char)] = &[
    ("<=", '≤'),
    (">=", '≥'),
    ("=<", '≤'),
    ("!=", '≠'),
    ("<>", '≠'),
    ("==", '='),
];

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// The formula that is being read.
    formula: String,
    start: usize,
    end: usize,
    /// Its open brackets.
    depth: usize,
    /// Its relations.
    relations: usize,
    /// Whether white space stood just before.
    gap: bool,
    /// Whether the text is one formula.
    whole: bool,
    /// Whether it is between dollars.
    inside: bool,
    /// Whether nothing but white space stood in this line.
    fresh_line: bool,
    /// What stood before the formula.
    before: Edge<'t>,
    /// What was seen last, where it is no formula.
    edge: Edge<'t>,
    /// Whether the last run waits for what stands after it.
    waits: bool,
    /// Whether a formula with a relation was the last thing that was read.
    related: bool,
    runs: Vec<Run<'t>>,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    fn last(&self) -> Option<char> {
        self.formula.chars().next_back()
    }

    fn skip(&mut self) {
        self.at += self.peek().map_or(1, char::len_utf8);
    }

    /// Takes `length` bytes as `piece` of the formula.
    fn push(&mut self, piece: &str, length: usize) {
        if self.formula.is_empty() {
            self.start = self.at;
            self.before = self.edge;
            self.waits = false;
        } else if self.gap {
            self.formula.push(' ');
        }
        self.gap = false;
        self.fresh_line = false;
        self.formula.push_str(piece);
        self.at += length;
        self.end = self.at;
    }

    /// Takes `length` bytes that are no part of a formula.
    fn saw(&mut self, edge: Edge<'t>, length: usize) {
        self.finish();
        if self.waits
            && let Some(run) = self.runs.last_mut()
        {
            run.after = edge;
        }
        // `2 + 3 = 5 and 4 + 1 = 5`, but not `the sum of 2 and 3 = 5`.
        let goes_on = self.related && matches!(edge, Edge::Word(word) if cues::AND.has(word));
        self.edge = if goes_on { Edge::Clean } else { edge };
        self.waits = false;
        self.related = false;
        self.gap = false;
        self.fresh_line = false;
        self.at += length;
    }

    /// Ends the formula that is being read.
    fn finish(&mut self) {
        if self.formula.is_empty() {
            return;
        }
        let formula = std::mem::take(&mut self.formula);
        let (mut formula, mut relations) = (formula.trim_end(), self.relations);
        let mut is_cut = false;
        // `3 + 4 = 7 – that is it`, `3 + 4 = what?`
        while let Some(last) = formula.chars().next_back() {
            let before = formula.strip_suffix(last).unwrap_or_default();
            let dash = is_dash(last) && before.ends_with(' ');
            if relation(last).is_some() {
                relations = relations.saturating_sub(1);
            } else if !dash {
                break;
            }
            is_cut = true;
            formula = before.trim_end();
        }
        let formula = without_outer_bracket(formula);
        self.related = relations > 0;
        self.waits = self.related && !is_cut;
        self.edge = if self.related {
            Edge::Clean
        } else {
            Edge::Unknown
        };
        if self.related {
            self.runs.push(Run {
                range: self.start..self.end,
                formula: formula.to_owned(),
                before: self.before,
                after: Edge::Clean,
            });
        }
        self.depth = 0;
        self.relations = 0;
    }

    fn step(&mut self) {
        let Some(character) = self.peek() else {
            return;
        };
        let length = character.len_utf8();
        if character.is_ascii_digit() {
            return self.push(self.piece(length), length);
        }
        if character.is_alphabetic() && character != 'π' {
            return self.word();
        }
        if character == ' ' {
            self.gap = true;
            self.at += length;
            return;
        }
        if !character.is_ascii() || "<=>-!".contains(character) {
            let begins = |signs: &str| self.rest().starts_with(signs);
            if let Some(arrow) = ARROWS.iter().find(|arrow| begins(arrow)) {
                return self.saw(Edge::Clean, arrow.len());
            }
            if let Some((pair, sign)) = PAIRS.iter().find(|(pair, _)| begins(pair)) {
                return self.relate(*sign, pair.len());
            }
        }
        if let Some(sign) = relation(character) {
            return self.relate(sign, length);
        }
        match character {
            '\n' => self.line_break(length),
            '\u{200b}' | '&' => self.at += length,
            _ if character.is_whitespace() => {
                self.gap = true;
                self.at += length;
            }
            '$' | '`' => {
                self.inside = !self.inside;
                let run = self.rest();
                let signs = run.len() - run.trim_start_matches(character).len();
                self.delimiter(signs);
            }
            '\\' => self.command(),
            '.' | ',' => self.point(character),
            ':' => self.colon(),
            '(' | '[' | '{' => self.open(length),
            ')' | ']' | '}' => {
                if self.depth == 0 {
                    self.saw(Edge::Clean, length);
                } else {
                    self.depth -= 1;
                    self.push(self.piece(length), length);
                }
            }
            '*' | '•' | '-' | '–' | '+' if self.is_bullet() => self.saw(Edge::Clean, length),
            '*' => self.star(),
            '_' => self.underscore(),
            '!' if self.is_factorial() => self.push("!", length),
            '?' => {
                let after = self.rest().get(1..).unwrap_or_default().trim_start();
                // `? + 5 = 12`
                let goes_on = after.starts_with(|c: char| is_operator(c) || relation(c).is_some());
                let edge = if goes_on { Edge::Unknown } else { Edge::Clean };
                self.saw(edge, length);
            }
            '\'' | '’' | '#' | '@' => self.saw(Edge::Unknown, length),
            _ if is_operator(character)
                || character.is_numeric()
                || "√∛∜∞°º⁻%|€£¥□☐▢∘≡≙~π\u{304}\u{305}\u{307}".contains(character) =>
            {
                self.push(self.piece(length), length);
            }
            '…' if self.last().is_some_and(|last| last.is_ascii_digit()) => {
                self.push("…", length)
            }
            '—' if self.may_be_minus(length) => self.saw(Edge::Unknown, length),
            '•' if !self.formula.is_empty() => self.push(self.piece(length), length),
            '∧' | '∨' | '∵' | '∎' => self.saw(Edge::Clean, length),
            // Other signs of mathematics, read or not.
            '\u{2200}'..='\u{22ff}' | '\u{ff01}'..='\u{ff5e}' => {
                self.push(self.piece(length), length);
            }
            _ => self.saw(Edge::Clean, length),
        }
    }

    fn piece(&self, length: usize) -> &'t str {
        self.rest().get(..length).unwrap_or_default()
    }

    /// A relation sign. One with nothing before it begins a statement with its other side.
    fn relate(&mut self, sign: char, length: usize) {
        if self.formula.is_empty() {
            self.saw(Edge::Clean, length);
            return;
        }
        self.push(sign.encode_utf8(&mut [0; 4]), length);
        self.relations += 1;
    }

    /// A new line ends a formula unless the next begins with a relation.
    fn line_break(&mut self, length: usize) {
        let next = self
            .rest()
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '&' | '\\' | '$'));
        if !self.formula.is_empty() && next.starts_with('=') && !next.starts_with("=>") {
            self.gap = true;
            self.at += length;
        } else {
            self.saw(Edge::Clean, length);
            self.fresh_line = true;
        }
    }

    /// Dollars and other marks around a formula: it ends there unless an operator or a relation says that it goes on.
    fn delimiter(&mut self, length: usize) {
        let touches = !self.gap;
        self.at += length;
        self.fresh_line = false;
        if self.formula.is_empty() {
            return;
        }
        let rest = self.rest();
        let next = rest.trim_start_matches([' ', '$', '`']);
        let opens = |c: char| is_operator(c) || relation(c).is_some() || "([{".contains(c);
        let goes_on = self.last().is_some_and(opens)
            || next.starts_with(|c: char| is_operator(c) || relation(c).is_some())
            || commands::RELATING
                .iter()
                .any(|command| next.starts_with(command))
            || cues::RELATIONS
                .iter()
                .any(|(phrase, _)| next.starts_with(phrase))
            || self.equation(next).is_some()
            || rest.starts_with(" : ") && next.starts_with(": ")
            || self.depth > 0 && next.starts_with([')', ']'])
            || touches && rest.starts_with(|c: char| c.is_alphanumeric() || c == '(');
        if !goes_on {
            self.finish();
        }
    }

    /// A point or a comma: of a number, or the end of a clause.
    fn point(&mut self, character: char) {
        let after_digit = !self.gap && self.last().is_some_and(|last| last.is_ascii_digit());
        let second = self.peek_second();
        let before_digit = second.is_some_and(|next| next.is_ascii_digit());
        let in_number = match character {
            '.' => before_digit,
            _ => after_digit && before_digit || self.depth > 0,
        };
        let rest = self.rest();
        let dots = match character {
            '.' if after_digit => rest.bytes().take_while(|byte| *byte == b'.').count(),
            _ => 0,
        };
        let behind = rest.get(1..).unwrap_or_default();
        let repeats = ["\\overline", "\\bar", "\\dot"]
            .iter()
            .any(|command| behind.starts_with(command))
            || behind
                .strip_prefix('(')
                .is_some_and(|block| block.starts_with(|c: char| c.is_ascii_digit()));
        if dots > 1 {
            self.push(self.piece(dots), dots);
        } else if in_number || after_digit && repeats {
            self.push(self.piece(1), 1);
        } else {
            self.finish();
            let goes_on = self.related && character == ',';
            self.saw(Edge::Clean, 1);
            // `2 + 3 = 5, and 4 + 1 = 5`
            self.related = goes_on;
        }
    }

    /// Whether a long dash stands between two numbers: `5 — 2`.
    fn may_be_minus(&self, length: usize) -> bool {
        let after = self.rest().get(length..).unwrap_or_default();
        !self.formula.is_empty()
            && after
                .trim_start_matches([' ', '$'])
                .starts_with(|c: char| c.is_numeric() || matches!(c, '(' | '\\' | '√'))
    }

    /// `12 : 3` is a division, `Check: 3 + 4` and `Step 2: 3 + 4` are not.
    fn colon(&mut self) {
        let ends = |c: char| c.is_numeric() || matches!(c, ')' | ']' | '}' | '%' | '|' | '!');
        let after = self.rest().get(1..).unwrap_or_default();
        let spaced = after.starts_with(char::is_whitespace);
        let is_time = !spaced && after.chars().take_while(char::is_ascii_digit).count() == 2;
        let next = after
            .trim_start_matches([' ', '$'])
            .starts_with(|c: char| c.is_numeric() || matches!(c, '(' | '-' | '−' | '\\' | '√'));
        let may_divide = next && self.gap == spaced;
        let divides = may_divide
            && self.last().is_some_and(|last| {
                ends(last) || last.is_alphabetic() && (self.inside || self.whole || spaced)
            });
        if divides && is_time {
            // `10:30` cannot be read.
            self.push(":", 1);
        } else if divides {
            self.push("÷", 1);
        } else if may_divide {
            // `Width : 3 + 1`, `of x:3 + 1`
            self.saw(Edge::Unknown, 1);
        } else {
            self.saw(Edge::Clean, 1);
        }
    }

    fn open(&mut self, length: usize) {
        if self.rest().starts_with("{,}") {
            return self.push(",", 3);
        }
        if self.formula.is_empty()
            && let Some(mark) = self.list_mark()
        {
            return self.saw(Edge::Clean, mark);
        }
        self.push(self.piece(length), length);
        self.depth += 1;
    }

    /// `5! = 120`
    fn is_factorial(&self) -> bool {
        let after = self.rest().get(1..).unwrap_or_default();
        !self.gap
            && self
                .last()
                .is_some_and(|last| last.is_ascii_digit() || last == ')')
            && after
                .trim_start_matches([' ', '$'])
                .starts_with(|c: char| is_operator(c) || relation(c).is_some())
    }
}

/// `(since 3 + 4 = 7)` leaves a bracket before the formula, and `(3 + 4 = 7)` one around it.
fn without_outer_bracket(formula: &str) -> &str {
    let Some(inner) = formula.strip_prefix('(') else {
        return formula;
    };
    let mut depth = 1_usize;
    let mut relates = false;
    for (at, character) in inner.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    let is_last = at + 1 == inner.len();
                    return match inner.get(..at) {
                        Some(between) if is_last && relates => between,
                        _ => formula,
                    };
                }
            }
            _ => relates |= relation(character).is_some(),
        }
    }
    inner
}
