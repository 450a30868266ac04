//! LaTeX among the words: which commands belong to a formula, and which end it.

use super::{Edge, Scanner, letters};

/// Commands that join what stands before them with what follows.
pub(super) const RELATING: &[&str] = &[
    "\\cdot", "\\times", "\\div", "\\pm", "\\le", "\\ge", "\\lt", "\\gt", "\\ne", "\\approx",
];

impl<'t> Scanner<'t> {
    pub(super) fn command(&mut self) {
        let name = self.command_name();
        let length = 1 + name.len();
        match name {
            "" => self.sign(),
            "le" | "leq" | "leqslant" => self.relate('≤', length),
            "ge" | "geq" | "geqslant" => self.relate('≥', length),
            "lt" => self.relate('<', length),
            "gt" => self.relate('>', length),
            "ne" | "neq" => self.relate('≠', length),
            "approx" | "simeq" | "thickapprox" => self.relate('≈', length),
            "thinspace" | "space" | "enspace" | "displaystyle" | "left" | "right" | "big"
            | "Big" | "bigl" | "bigr" | "Bigl" | "Bigr" => self.set(length),
            "quad" | "qquad" | "Rightarrow" | "implies" | "to" | "rightarrow"
            | "Longrightarrow" | "longrightarrow" | "iff" | "Leftrightarrow" | "mapsto"
            | "therefore" | "because" | "land" | "lor" | "wedge" | "vee" => {
                self.saw(Edge::Clean, length)
            }
            "text" | "mathrm" | "textrm" | "textbf" | "mathbf" | "textit" | "mbox" | "mathsf" => {
                self.words(length);
            }
            "begin" | "end" => {
                let rest = self.rest();
                let closed = rest.find('}').map_or(length, |at| at + 1);
                self.saw(Edge::Clean, closed);
            }
            _ => self.push(self.piece(length), length),
        }
    }

    /// The letters after the backslash.
    fn command_name(&self) -> &'t str {
        let rest = self.rest().get(1..).unwrap_or_default();
        let length = rest
            .find(|character: char| !character.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        rest.get(..length).unwrap_or_default()
    }

    /// What only sets the formula.
    fn set(&mut self, length: usize) {
        self.at += length;
        // `\left.` is a bracket that is not drawn.
        if self.rest().starts_with('.') {
            self.at += 1;
        }
    }

    /// A backslash before what is no letter.
    fn sign(&mut self) {
        let next = self.peek_second();
        let length = 1 + next.map_or(0, char::len_utf8);
        match next {
            Some('(' | '[') => {
                self.inside = true;
                self.delimiter(length);
            }
            Some(')' | ']') => {
                self.inside = false;
                self.delimiter(length);
            }
            Some(',' | ';' | '!' | ':' | ' ') => {
                self.gap |= next != Some('!');
                self.at += length;
            }
            Some('\\') => self.line_break(length),
            Some('%') => self.push("%", length),
            _ => self.push(self.piece(length), length),
        }
    }

    /// `\text{ cm}`
    fn words(&mut self, length: usize) {
        let rest = self.rest().get(length..).unwrap_or_default();
        let Some((words, _)) = rest
            .strip_prefix('{')
            .and_then(|inner| inner.split_once('}'))
        else {
            return self.saw(Edge::Unknown, length);
        };
        let whole = length + words.len() + 2;
        match letters::first_word(words) {
            Some(word) => self.saw(Edge::Word(word), whole),
            None if words.trim().is_empty() => {
                self.gap = true;
                self.at += whole;
            }
            None => self.saw(Edge::Unknown, whole),
        }
    }
}
