//! The commands of LaTeX among the tokens.

use super::{super::Sign, Lexer, TokenKind};

impl Lexer {
    pub(super) fn command(&mut self) {
        self.at += 1;
        let Some(first) = self.peek(0) else {
            self.push(TokenKind::Other('\\'));
            return;
        };
        if !first.is_ascii_alphabetic() {
            match first {
                '\\' => self.one(TokenKind::Break),
                '{' => self.open('{'),
                '}' => self.close('{'),
                '%' => self.one(TokenKind::Percent),
                '$' => self.one(TokenKind::Currency('$')),
                '|' => self.one(TokenKind::Bar),
                '_' => self.one(TokenKind::Blank),
                '!' => self.at += 1,
                '(' | ')' | '[' | ']' | ',' | ':' | ';' | ' ' => {
                    self.at += 1;
                    self.spaced = true;
                }
                other => self.one(TokenKind::Other(other)),
            }
            return;
        }
        let start = self.at;
        while self
            .peek(0)
            .is_some_and(|character| character.is_ascii_alphabetic())
        {
            self.at += 1;
        }
        let name: String = self
            .characters
            .get(start..self.at)
            .unwrap_or_default()
            .iter()
            .collect();
        self.latex(&name);
    }

    fn latex(&mut self, name: &str) {
        match name {
            "frac" | "dfrac" | "tfrac" | "cfrac" => {
                self.push(TokenKind::Fraction);
                self.short_arguments();
            }
            "sqrt" => {
                self.push(TokenKind::Root);
                self.root_index();
                self.short_root();
            }
            "cdot" | "times" | "ast" => self.push(TokenKind::Operator('*')),
            "div" => self.push(TokenKind::Operator('/')),
            "pm" => self.push(TokenKind::Operator('±')),
            "le" | "leq" | "leqslant" => self.push(TokenKind::Relation(Sign::LessOrEqual)),
            "ge" | "geq" | "geqslant" => self.push(TokenKind::Relation(Sign::GreaterOrEqual)),
            "lt" => self.push(TokenKind::Relation(Sign::Less)),
            "gt" => self.push(TokenKind::Relation(Sign::Greater)),
            "ne" | "neq" => self.push(TokenKind::Relation(Sign::NotEqual)),
            "infty" => self.push(TokenKind::Infinity),
            "emptyset" | "varnothing" => self.push(TokenKind::Empty),
            "in" => self.push(TokenKind::Element),
            "cup" => self.push(TokenKind::Union),
            "lor" | "vee" => self.push(TokenKind::Word("or".into())),
            "land" | "wedge" => self.push(TokenKind::Word("and".into())),
            "square" | "Box" | "bigcirc" => self.push(TokenKind::Blank),
            "lvert" | "rvert" | "vert" | "mid" => self.push(TokenKind::Bar),
            "lbrace" => self.push(TokenKind::Open('{')),
            "rbrace" => self.push(TokenKind::Close('{')),
            "circ" | "degree" => self.push(TokenKind::Degree),
            "left" | "right" => {
                // `\left.` is a bracket that is not drawn.
                if self.peek(0) == Some('.') {
                    self.at += 1;
                }
            }
            "big" | "Big" | "bigl" | "bigr" | "Bigl" | "Bigr" | "displaystyle" | "limits" => {}
            "quad" | "qquad" | "thinspace" | "space" | "enspace" => self.spaced = true,
            "text" | "mathrm" | "textrm" | "textbf" | "mathbf" | "mathit" | "operatorname"
            | "textit" | "mbox" | "boldsymbol" | "mathsf" | "mathtt" | "bm" | "boxed" | "fbox" => {
                self.text()
            }
            "mathbb" => {
                if (self.peek(0), self.peek(1), self.peek(2)) == (Some('{'), Some('R'), Some('}')) {
                    self.at += 3;
                    self.push(TokenKind::Reals);
                } else {
                    self.push(TokenKind::Other('\\'));
                }
            }
            "begin" | "end" => {
                while let Some(character) = self.peek(0) {
                    self.at += 1;
                    if character == '}' {
                        break;
                    }
                }
                self.spaced = true;
            }
            "pi" => self.push(TokenKind::Word("π".into())),
            "alpha" => self.push(TokenKind::Word("α".into())),
            "beta" => self.push(TokenKind::Word("β".into())),
            "gamma" => self.push(TokenKind::Word("γ".into())),
            "theta" => self.push(TokenKind::Word("θ".into())),
            "lambda" => self.push(TokenKind::Word("λ".into())),
            "mu" => self.push(TokenKind::Word("μ".into())),
            _ => self.push(TokenKind::Other('\\')),
        }
    }

    /// `\frac12`: single digits or letters as arguments.
    fn short_arguments(&mut self) {
        while self.peek(0) == Some(' ') {
            self.at += 1;
        }
        if self.peek(0).is_some_and(char::is_alphanumeric) {
            self.short_argument();
            while self.peek(0) == Some(' ') {
                self.at += 1;
            }
            if self.peek(0).is_some_and(char::is_alphanumeric) {
                self.short_argument();
            }
        }
    }

    /// `\sqrt2`: a single digit or letter as argument.
    fn short_root(&mut self) {
        if self.peek(0).is_some_and(char::is_alphanumeric) {
            self.short_argument();
        }
    }

    fn short_argument(&mut self) {
        let Some(character) = self.peek(0) else {
            return;
        };
        self.at += 1;
        self.push(TokenKind::Open('g'));
        match character.to_digit(10) {
            Some(digit) => self.whole(u64::from(digit)),
            None => self.push(TokenKind::Word(character.to_string().into())),
        }
        self.push(TokenKind::Close('g'));
    }

    /// The words of `\text{…}`: the braces go, what is in them is read as plain text.
    fn text(&mut self) {
        if self.peek(0) != Some('{') {
            return;
        }
        let mut depth = 0_usize;
        for ahead in 0..self.characters.len().saturating_sub(self.at) {
            match self.peek(ahead) {
                Some('{') => depth += 1,
                Some('}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        if let Some(close) = self.characters.get_mut(self.at + ahead) {
                            *close = ' ';
                        }
                        if let Some(open) = self.characters.get_mut(self.at) {
                            *open = ' ';
                        }
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}
