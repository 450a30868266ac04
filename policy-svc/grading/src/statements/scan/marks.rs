//! Marks beside formulas: of lists, of strong words, of places to fill in.

use super::{Scanner, is_operator, relation};

impl Scanner<'_> {
    /// `(1) 3 + 4 = 7`: how long the mark is.
    pub(super) fn list_mark(&self) -> Option<usize> {
        let inner = self.rest().strip_prefix('(')?;
        let (mark, after) = inner.split_once(')')?;
        let is_short = mark.len() <= 2 && mark.chars().all(|c| c.is_ascii_alphanumeric());
        let follows = after.starts_with(' ')
            && !after.trim_start().starts_with(|c: char| {
                is_operator(c) || relation(c).is_some() || "\\(".contains(c)
            });
        (is_short && !mark.is_empty() && follows).then_some(mark.len() + 2)
    }

    /// `- 3 + 4 = 7` at the beginning of a line is an item of a list; where there is nothing but formulas, it may be a sign.
    pub(super) fn is_bullet(&self) -> bool {
        let is_sign = self.whole && !matches!(self.peek(), Some('*' | '•'));
        self.fresh_line
            && !is_sign
            && self.formula.is_empty()
            && self.peek_second().is_some_and(char::is_whitespace)
    }

    /// A star between factors, or the mark of strong words.
    pub(super) fn star(&mut self) {
        let rest = self.rest();
        let length = rest.len() - rest.trim_start_matches('*').len();
        let after = rest.get(length..).unwrap_or_default();
        let spaced = after.is_empty() || after.starts_with(char::is_whitespace);
        let joined = |c: char| c.is_alphanumeric() || c == '(';
        let is_power = length == 2 && !self.gap && after.starts_with(joined);
        let is_product = length == 1 && self.gap == spaced;
        if self.formula.is_empty() || !(is_power || is_product) {
            self.fresh_line = false;
            self.at += length;
        } else {
            self.push(self.piece(length), length);
        }
    }

    /// An index, a place to fill in, or the mark of strong words.
    pub(super) fn underscore(&mut self) {
        let indexes = !self.gap
            && self
                .last()
                .is_some_and(|last| last.is_alphanumeric() || matches!(last, ')' | ']' | '}'))
            && self
                .peek_second()
                .is_some_and(|next| next.is_ascii_alphanumeric() || next == '{');
        if indexes {
            self.push("_", 1);
        } else if self.rest().starts_with("__") {
            self.push("__", 2);
        } else {
            self.at += 1;
        }
    }
}
