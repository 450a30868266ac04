//! Commands and what they apply to: arguments, radicands, powers, environments.

use super::{
    super::{
        commands::{self, Command},
        signs,
    },
    Group, Typist, is_wordy,
};

/// An environment's name is no longer than this, nor is the name of a command that is an argument.
const LONGEST_NAME: usize = 20;
/// What a command hides (a colour, a label) is no longer than this.
const LONGEST_HIDDEN: usize = 80;

impl Typist<'_> {
    pub(super) fn command(&mut self, command: Command) {
        match command {
            Command::Sign(sign) => match signs::spelling(sign) {
                _ if matches!(sign, '°' | '∘') => self.sign(sign),
                Some(spelling) => self.type_text(spelling),
                None => self.type_text(sign.encode_utf8(&mut [0; 4])),
            },
            Command::Text(text) => self.type_text(text),
            Command::Space => self.space(),
            Command::Fraction => self.argument(Group::First("/")),
            Command::Binomial => self.argument(Group::First(" choose ")),
            Command::Root => self.root(),
            Command::Begin => self.environment(true),
            Command::End => self.environment(false),
            Command::Dress | Command::Hide | Command::Delimiter => {
                self.soft = true;
                self.foreign = true;
                if command == Command::Delimiter {
                    self.at += usize::from(self.peek(0) == Some('.'));
                    return;
                }
                if command == Command::Hide {
                    self.hide();
                }
                if let Some((ahead, '{')) = self.peek_solid() {
                    self.at += ahead + 1;
                    self.open(Group::Dressed);
                }
            }
        }
    }

    /// Passes over an argument in braces without braces inside.
    fn hide(&mut self) {
        let rest = &self.text[self.at..];
        if rest.first() != Some(&'{') {
            return;
        }
        let end = rest[1..]
            .iter()
            .take(LONGEST_HIDDEN)
            .position(|c| matches!(c, '{' | '}' | '\\'));
        if let Some(end) = end.filter(|end| rest[end + 1] == '}') {
            self.at += end + 2;
        }
    }

    /// `{pmatrix}` behind `\begin` or `\end`, and an array's columns.
    fn environment(&mut self, begins: bool) {
        self.soft = true;
        self.foreign = true;
        let Some((ahead, '{')) = self.peek_solid() else {
            return;
        };
        let rest = &self.text[self.at + ahead + 1..];
        let name: String = rest
            .iter()
            .take(LONGEST_NAME)
            .take_while(|c| c.is_ascii_alphabetic() || **c == '*')
            .collect();
        if rest.get(name.len()) != Some(&'}') {
            return;
        }
        self.at += ahead + name.len() + 2;
        let is_matrix = commands::is_matrix(&name);
        if begins {
            self.environments.push(is_matrix);
            if matches!(name.as_str(), "array" | "tabular") {
                self.hide();
            }
            if is_matrix {
                self.push('[');
            }
        } else if self.environments.pop() == Some(true) {
            self.trim();
            self.push(']');
        }
    }

    /// The next argument of a command, in braces or one character or sign.
    fn argument(&mut self, group: Group) {
        let Some((ahead, next)) = self.peek_solid() else {
            return;
        };
        if next == '{' {
            self.at += ahead + 1;
            self.open(group);
            return;
        }
        let sign = if next == '\\' {
            self.sign_at(self.at + ahead)
        } else {
            None
        };
        match (sign, next) {
            (Some((name, length)), _) => {
                self.at += ahead + length;
                self.push('(');
                self.type_text(name);
                self.soft = false;
            }
            (None, single) if single.is_alphanumeric() => {
                self.at += ahead + 1;
                self.push('(');
                match signs::greek_name(single) {
                    Some(name) => self.type_text(name),
                    None => self.sign(single),
                }
                self.soft = false;
            }
            _ => {
                // No argument, as in `\frac)`: nothing to put into a parenthesis, and what stands around it stays apart.
                self.end_implied();
                self.soft = true;
                self.foreign = true;
                return;
            }
        }
        self.push(')');
        match group {
            Group::First(between) => self.between(between),
            _ => self.end_implied(),
        }
    }

    pub(super) fn between(&mut self, between: &str) {
        for character in between.chars() {
            self.push(character);
        }
        self.argument(Group::Last);
    }

    /// The text of the command at a place and its length, if it is typed as a word.
    fn sign_at(&self, at: usize) -> Option<(&'static str, usize)> {
        let name = self.name_at(at);
        match commands::named(&name)? {
            Command::Text(text) => Some((text, name.len() + 1)),
            Command::Sign(sign) => Some((signs::spelling(sign)?, name.len() + 1)),
            _ => None,
        }
    }

    /// The name of the command whose backslash is at a place.
    fn name_at(&self, at: usize) -> String {
        self.text[at + 1..]
            .iter()
            .take(LONGEST_NAME)
            .take_while(|c| c.is_ascii_alphabetic())
            .collect()
    }

    /// Whether a fraction or a root begins at a place.
    fn nests_at(&self, at: usize) -> bool {
        let is_command = self.text.get(at) == Some(&'\\');
        is_command
            && matches!(
                commands::named(&self.name_at(at)),
                Some(Command::Fraction | Command::Root | Command::Binomial)
            )
    }

    /// Behind `\sqrt` or `√`.
    pub(super) fn root(&mut self) {
        match self.peek_solid() {
            Some((ahead, '[')) => {
                self.at += ahead + 1;
                self.type_text("root");
                self.open(Group::Degree);
            }
            _ => {
                self.type_text("sqrt");
                self.radicand();
            }
        }
    }

    /// What a root is taken of: a group, a number, a letter.
    pub(super) fn radicand(&mut self) {
        self.soft = false;
        let Some((ahead, next)) = self.peek_solid() else {
            return;
        };
        let start = self.at + ahead;
        let rest = &self.text[start..];
        match next {
            '{' => {
                self.at = start + 1;
                self.open(Group::Last);
            }
            '(' => {
                self.at = start;
                self.end_implied();
            }
            '√' => {
                self.at = start;
                self.open(Group::Implied);
            }
            '\\' if self.nests_at(start) => {
                self.at = start;
                self.open(Group::Implied);
            }
            '\\' => match self.sign_at(start) {
                Some(_) => self.argument(Group::Last),
                None => self.space(),
            },
            digit if digit.is_ascii_digit() => {
                let is_part = |at: usize| match rest[at] {
                    '.' | ',' => rest.get(at + 1).is_some_and(char::is_ascii_digit),
                    c => c.is_ascii_digit(),
                };
                let length = (0..rest.len())
                    .find(|at| !is_part(*at))
                    .unwrap_or(rest.len());
                self.at = start + length;
                self.push('(');
                self.out.extend(&rest[..length]);
                self.push(')');
                self.end_implied();
            }
            letter if letter.is_alphabetic() && !rest.get(1).is_some_and(is_wordy) => {
                self.argument(Group::Last);
            }
            _ => self.space(),
        }
    }

    /// Behind `^`: degrees, or a power.
    pub(super) fn raise(&mut self) {
        if let Some((sign, end)) = self.raised_sign() {
            self.at = end;
            if sign == '\'' {
                self.push('\'');
            } else {
                self.degrees();
            }
            return;
        }
        self.push('^');
        if let Some((ahead, '\\')) = self.peek_solid()
            && self.nests_at(self.at + ahead)
        {
            self.at += ahead;
            self.open(Group::Implied);
        }
    }

    /// A raised ring or prime, in braces or not, and where it ends.
    fn raised_sign(&self) -> Option<(char, usize)> {
        let next = self.peek(0)?;
        let mut at = self.at + usize::from(next == '{');
        let sign = match self.text.get(at)? {
            '\\' => {
                let name = self.name_at(at);
                at += name.len();
                match name.as_str() {
                    "circ" | "degree" => '°',
                    "prime" => '\'',
                    _ => return None,
                }
            }
            '°' | '∘' => '°',
            _ => return None,
        };
        let closed = next != '{' || self.text.get(at + 1) == Some(&'}');
        closed.then_some((sign, at + 1 + usize::from(next == '{')))
    }
}
