//! Colour, where it is wanted, and lines of a bounded width. Colour never says what the words do not.

use std::io::{IsTerminal, stdout};

/// How wide a text or a card is, in characters.
pub const WIDTH: usize = 76;

/// Paints for a terminal, or leaves the text as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ink {
    colour: bool,
}

impl Ink {
    /// No colour.
    pub const PLAIN: Self = Self { colour: false };
    /// Colour.
    pub const COLOUR: Self = Self { colour: true };

    /// Colour if standard output is a terminal that knows it and nobody has asked for none (`NO_COLOR`).
    pub fn of_stdout() -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        Self {
            colour: stdout().is_terminal() && set("NO_COLOR").is_none() && !dumb,
        }
    }

    /// What matters most.
    pub fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// What stands aside.
    pub fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// What went well.
    pub fn good(self, text: &str) -> String {
        self.paint("1;32", text)
    }

    /// What went wrong.
    pub fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// What takes time or care.
    pub fn care(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Breaks a text into lines of at most `width` characters, at spaces where there are any. Control characters are left out:
/// a text never moves the cursor.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let paragraph: String = paragraph
            .chars()
            .map(|c| if c == '\t' { ' ' } else { c })
            .filter(|c| !c.is_control())
            .collect();
        let indent: String = paragraph.chars().take_while(|c| *c == ' ').collect();
        let indent: String = indent.chars().take(width / 2).collect();
        let mut line = indent.clone();
        for word in paragraph.split_whitespace() {
            let room = width - indent.chars().count();
            for piece in pieces(word, room) {
                let long = line.chars().count() + 1 + piece.chars().count() > width;
                if long && line.trim() != "" {
                    lines.push(std::mem::replace(&mut line, indent.clone()));
                }
                if line.trim() != "" {
                    line.push(' ');
                }
                line.push_str(&piece);
            }
        }
        lines.push(line);
    }
    lines
}

/// A remark below something else, in as many lines as it takes.
pub fn below(text: &str, ink: Ink) -> String {
    wrap(text, WIDTH - 2)
        .iter()
        .map(|text| format!("  {}\n", ink.faint(text)))
        .collect()
}

/// A word in pieces of at most `room` characters; nearly always one.
fn pieces(word: &str, room: usize) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    chars
        .chunks(room.max(1))
        .map(|piece| piece.iter().collect())
        .collect()
}

/// One line of foreign text, without control characters.
pub fn line(text: &str) -> String {
    text.split_whitespace()
        .map(|word| word.chars().filter(|c| !c.is_control()).collect::<String>())
        .collect::<Vec<_>>()
        .join(" ")
}
