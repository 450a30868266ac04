//! Signs and LaTeX as typed on a keyboard. Braces become parentheses, so that nothing here is seen twice.
//!
//! One pass with a stack of open groups: the work grows with the text and not with how deep it is nested.

mod arguments;

use unicode_normalization::char::is_combining_mark;

use super::{commands, signs};

/// A group that is open, by what its end means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    /// Braces without a command.
    Plain,
    /// The argument of a command that only sets the type.
    Dressed,
    /// The first argument of a command that has two, with what stands between them.
    First(&'static str),
    /// The last argument.
    Last,
    /// The degree of a root.
    Degree,
    /// A parenthesis that the text does not have, around a command that is an argument itself.
    Implied,
}

struct Typist<'a> {
    text: &'a [char],
    at: usize,
    out: Vec<char>,
    groups: Vec<Group>,
    /// The open environments: whether each is a matrix.
    environments: Vec<bool>,
    /// A space is due if two words would meet.
    soft: bool,
    /// What was typed last is not the text's own, so marks that follow have nothing to stand on.
    foreign: bool,
    /// Where a dollar sign stands that may be money, or may yet turn out to begin a formula.
    money: Option<usize>,
}

/// The text, in compatibility form, with its signs and its LaTeX typed out.
pub(super) fn type_out(text: &[char]) -> Vec<char> {
    let mut typist = Typist {
        text,
        at: 0,
        out: Vec::with_capacity(text.len()),
        groups: Vec::new(),
        environments: Vec::new(),
        soft: false,
        foreign: false,
        money: None,
    };
    while let Some(character) = typist.peek(0) {
        typist.at += 1;
        typist.character(character);
    }
    typist.end_implied();
    typist.out
}

impl Typist<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    /// The next character that is not white space, with its distance.
    fn peek_solid(&self) -> Option<(usize, char)> {
        let rest = self.text.get(self.at..)?;
        let ahead = rest.iter().position(|c| !c.is_whitespace())?;
        Some((ahead, rest[ahead]))
    }

    fn character(&mut self, character: char) {
        match character {
            '\\' => self.backslashes(),
            '{' if self.peek(1) == Some('}') && matches!(self.peek(0), Some(',' | '.')) => {
                // `1{,}200`: braces that keep LaTeX from setting a space.
                self.at += 2;
                self.push(self.text[self.at - 2]);
            }
            '{' => self.open(Group::Plain),
            '}' => self.close(),
            ']' if self.groups.last() == Some(&Group::Degree) => self.close(),
            '$' => self.dollar(false),
            '&' if !self.environments.is_empty() => self.next_cell(),
            '√' => self.root(),
            '^' => self.raise(),
            '\n' => {
                self.money = None;
                self.push('\n');
            }
            other => self.sign(other),
        }
    }

    /// A character of the text, after a space if one is due.
    fn push(&mut self, character: char) {
        if !character.is_ascii() && is_combining_mark(character) {
            let carried = !self.foreign
                && self
                    .out
                    .last()
                    .is_some_and(|c| c.is_alphabetic() || is_combining_mark(*c));
            if carried {
                self.out.push(character);
            }
            return;
        }
        let words_meet =
            self.soft && character.is_alphanumeric() && self.out.last().is_some_and(is_wordy);
        if words_meet {
            self.out.push(' ');
        }
        self.soft = false;
        self.foreign = false;
        self.out.push(character);
    }

    /// Something that stands for a sign or a command.
    fn type_text(&mut self, text: &str) {
        let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic());
        self.soft |= is_word;
        for character in text.chars() {
            self.push(character);
        }
        self.soft = is_word;
        self.foreign = true;
    }

    /// White space, unless there is some already.
    fn space(&mut self) {
        if self.out.last().is_some_and(|c| !c.is_whitespace()) {
            self.out.push(' ');
        }
        self.soft = false;
        self.foreign = true;
    }

    /// A sign or any other character.
    fn sign(&mut self, sign: char) {
        let raised = self.out.last() == Some(&'^');
        if sign == '°' || raised && sign == '∘' {
            self.out.pop_if(|last| *last == '^');
            self.degrees();
        } else if let Some(name) = self.lone_greek(sign) {
            self.type_text(name);
        } else if sign.is_ascii() {
            self.push(sign);
        } else {
            match signs::spelling(sign) {
                // A dash: a word's end even beside white space.
                Some(" ") => self.push(' '),
                Some(spelling) => self.type_text(spelling),
                None => self.push(sign),
            }
        }
    }

    /// The name of a Greek letter that is no part of a Greek word.
    fn lone_greek(&self, letter: char) -> Option<&'static str> {
        let name = signs::greek_name(letter)?;
        // The letter before, without its marks: whether they have a common form with it makes no difference.
        let before = self.out.iter().rfind(|c| !is_combining_mark(**c));
        let follows_word = !self.soft && before.is_some_and(|c| signs::is_greek(*c));
        let goes_on = self
            .peek(0)
            .is_some_and(|c| signs::is_greek(c) || is_combining_mark(c));
        (!follows_word && !goes_on).then_some(name)
    }

    fn degrees(&mut self) {
        // `n° 5` is a number, not an angle.
        let after_n = matches!(self.out.last(), Some('n' | 'N'));
        if after_n && self.peek_solid().is_some_and(|(_, c)| c.is_ascii_digit()) {
            self.space();
        } else {
            self.type_text("degrees");
        }
    }

    /// A dollar sign stays before an amount and is white space elsewhere. One that a later dollar sign pairs with began a
    /// formula; an amount's sign never ends one, as in Pandoc.
    fn dollar(&mut self, escaped: bool) {
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let amount = digit(self.peek(0)) || self.peek(0) == Some('.') && digit(self.peek(1));
        if amount {
            self.soft = false;
            self.foreign = true;
            if !escaped {
                self.money = Some(self.out.len());
            }
            self.out.push('$');
            return;
        }
        let ends_formula = !escaped && self.out.last().is_some_and(|c| !c.is_whitespace());
        if let Some(at) = self.money.filter(|_| ends_formula) {
            if let Some(dollar) = self.out.get_mut(at) {
                *dollar = ' ';
            }
            self.money = None;
        }
        self.out.push(' ');
        self.soft = false;
        self.foreign = true;
    }

    fn open(&mut self, group: Group) {
        self.groups.push(group);
        if group == Group::Dressed {
            self.soft = true;
        } else {
            self.push('(');
        }
    }

    /// Ends the innermost group of the text's own.
    fn close(&mut self) {
        self.end_implied();
        match self.groups.pop() {
            Some(Group::Dressed) => {
                self.soft = true;
                self.foreign = true;
            }
            Some(Group::First(between)) => {
                self.push(')');
                self.between(between);
            }
            Some(Group::Last) => {
                self.push(')');
                self.end_implied();
            }
            Some(Group::Degree) => {
                self.push(')');
                self.radicand();
            }
            Some(Group::Plain | Group::Implied) | None => self.push(')'),
        }
    }

    /// Ends the parentheses that only stood for a command's being an argument.
    fn end_implied(&mut self) {
        while self
            .groups
            .pop_if(|group| *group == Group::Implied)
            .is_some()
        {
            self.push(')');
        }
    }

    /// A run of backslashes: pairs of them are line ends, an odd one begins a command. Where a text was escaped once too
    /// often, a pair before a known name begins a command, too.
    fn backslashes(&mut self) {
        let rest = &self.text[self.at..];
        let more = rest.iter().take_while(|c| **c == '\\').count();
        self.at += more;
        let name: String = rest[more..]
            .iter()
            .take_while(|c| c.is_ascii_alphabetic())
            .collect();
        let command = commands::named(&name);
        let mut line_ends = more.div_ceil(2);
        let begins_command = if more % 2 == 0 {
            true
        } else if command.is_some() {
            line_ends -= 1;
            true
        } else {
            false
        };
        if line_ends > 0 {
            self.line_end();
        }
        if !begins_command {
            return;
        }
        if name.is_empty() {
            self.escaped();
            return;
        }
        self.at += name.len();
        match command {
            Some(command) => self.command(command),
            None if name == "not" && self.peek(0) == Some('=') => {
                self.at += 1;
                self.type_text("!=");
            }
            None => {
                self.soft = true;
                self.foreign = true;
                if self.peek(0) == Some('{') {
                    self.at += 1;
                    self.open(Group::Dressed);
                }
            }
        }
    }

    fn line_end(&mut self) {
        if self.environments.is_empty() {
            self.space();
        } else {
            self.cut(';');
        }
    }

    fn next_cell(&mut self) {
        if self.environments.last() == Some(&true) {
            self.cut(',');
        } else {
            self.space();
        }
    }

    /// A mark between two rows or cells.
    fn cut(&mut self, mark: char) {
        self.trim();
        self.push(mark);
        self.space();
        while self.peek(0).is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn trim(&mut self) {
        while self.out.pop_if(|c| c.is_whitespace()).is_some() {}
        // What is cut off may have been the place that the sign stood at.
        self.money = self.money.filter(|at| *at < self.out.len());
    }

    /// A backslash before what is no letter.
    fn escaped(&mut self) {
        match self.peek(0) {
            Some(literal @ ('%' | '#' | '&' | '_')) => {
                self.at += 1;
                self.push(literal);
            }
            Some('$') => {
                self.at += 1;
                self.dollar(true);
            }
            Some(brace @ ('{' | '}')) => {
                self.at += 1;
                self.push(if brace == '{' { '(' } else { ')' });
            }
            Some('!' | '/') => {
                self.at += 1;
                self.soft = true;
                self.foreign = true;
            }
            Some(c) if c.is_ascii_punctuation() || c.is_whitespace() => {
                self.at += 1;
                self.space();
            }
            Some(_) | None => self.space(),
        }
    }
}

/// Whether a character would run into a letter or a number behind it.
fn is_wordy(character: &char) -> bool {
    character.is_alphanumeric() || is_combining_mark(*character)
}
