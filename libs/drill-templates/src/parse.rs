//! Reading expressions, conditions and ranges: recursive descent.

use crate::choices::Choices;
use crate::expr::{Comparison, Expr, Function, Operator};
use crate::fault::SyntaxError;
use crate::rational::Rational;
use crate::tokens::{Token, tokens};

/// The most characters of one text of a template's mathematics.
const MOST_CHARS: usize = 200;

/// How deep parentheses, signs and functions may nest.
const MOST_DEPTH: usize = 32;

pub(crate) struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    depth: usize,
    /// The parameters so far.
    names: &'t [String],
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str, names: &'t [String]) -> Result<Self, SyntaxError> {
        if text.chars().count() > MOST_CHARS {
            return Err(SyntaxError::new(format!(
                "it has more than {MOST_CHARS} characters"
            )));
        }
        Ok(Self {
            tokens: tokens(text)?,
            at: 0,
            depth: 0,
            names,
        })
    }

    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at).copied()
    }

    /// Takes the next token if it is this one.
    pub(crate) fn takes(&mut self, token: Token<'_>) -> bool {
        let is_it = self.peek() == Some(token);
        self.at += usize::from(is_it);
        is_it
    }

    fn expects(&mut self, sign: &'static str) -> Result<(), SyntaxError> {
        if self.takes(Token::Sign(sign)) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{sign}`")))
    }

    /// The error of what stands next.
    fn unexpected(&self, wanted: &str) -> SyntaxError {
        let found = match self.peek() {
            None => "it ends".to_owned(),
            Some(Token::Number(number)) => format!("`{number}` stands"),
            Some(Token::Name(name)) => format!("`{name}` stands"),
            Some(Token::Sign(sign)) => format!("`{sign}` stands"),
        };
        SyntaxError::new(format!("{found} where {wanted} should be"))
    }

    /// Ends the reading: nothing may be left.
    pub(crate) fn end(&self) -> Result<(), SyntaxError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("an operator or the end")),
        }
    }

    /// The name of a new parameter.
    pub(crate) fn new_name(&mut self) -> Result<String, SyntaxError> {
        let Some(Token::Name(name)) = self.peek() else {
            return Err(self.unexpected("a parameter's name in lower case"));
        };
        self.at += 1;
        let reserved = name == "in" || Function::ALL.iter().any(|known| known.name() == name);
        if reserved || self.names.iter().any(|known| known == name) {
            return Err(SyntaxError::new(format!("the name `{name}` is taken")));
        }
        Ok(name.to_owned())
    }

    /// Ranges and single numbers between commas.
    pub(crate) fn choices(&mut self) -> Result<Choices, SyntaxError> {
        let mut choices = Choices::default();
        loop {
            let from = self.whole()?;
            let to = if self.takes(Token::Sign("..")) {
                self.whole()?
            } else {
                from
            };
            choices.add(from, to)?;
            if !self.takes(Token::Sign(",")) {
                return Ok(choices);
            }
        }
    }

    fn whole(&mut self) -> Result<i64, SyntaxError> {
        let negative = self.takes(Token::Sign("-"));
        let Some(Token::Number(number)) = self.peek() else {
            return Err(self.unexpected("a whole number"));
        };
        self.at += 1;
        Ok(if negative { -number } else { number })
    }

    /// Two expressions and what stands between them.
    pub(crate) fn comparison(&mut self) -> Result<(Expr, Comparison, Expr), SyntaxError> {
        let left = self.sum()?;
        let known = [
            ("=", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<", Comparison::Less),
            ("<=", Comparison::AtMost),
            (">", Comparison::Greater),
            (">=", Comparison::AtLeast),
        ];
        let found = known
            .into_iter()
            .find(|(sign, _)| self.peek() == Some(Token::Sign(sign)));
        let Some((_, comparison)) = found else {
            return Err(self.unexpected("`=`, `!=`, `<`, `<=`, `>` or `>=`"));
        };
        self.at += 1;
        Ok((left, comparison, self.sum()?))
    }

    /// An expression.
    pub(crate) fn sum(&mut self) -> Result<Expr, SyntaxError> {
        let mut left = self.product()?;
        loop {
            let operator = if self.takes(Token::Sign("+")) {
                Operator::Plus
            } else if self.takes(Token::Sign("-")) {
                Operator::Minus
            } else {
                return Ok(left);
            };
            left = Expr::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expr, SyntaxError> {
        let mut left = self.signed()?;
        loop {
            let operator = if self.takes(Token::Sign("*")) {
                Operator::Times
            } else if self.takes(Token::Sign("/")) {
                Operator::Over
            } else {
                return Ok(left);
            };
            left = Expr::Binary(operator, Box::new(left), Box::new(self.signed()?));
        }
    }

    /// A power, perhaps behind minus signs: `-a^2` is the opposite of the square.
    fn signed(&mut self) -> Result<Expr, SyntaxError> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(SyntaxError::new("it nests too deep"));
        }
        let expr = if self.takes(Token::Sign("-")) {
            Expr::Negative(Box::new(self.signed()?))
        } else {
            let base = self.atom()?;
            if self.takes(Token::Sign("^")) {
                Expr::Binary(Operator::Power, Box::new(base), Box::new(self.signed()?))
            } else {
                base
            }
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn atom(&mut self) -> Result<Expr, SyntaxError> {
        let Some(token) = self.peek() else {
            return Err(self.unexpected("a number, a name or `(`"));
        };
        match token {
            Token::Number(number) => {
                self.at += 1;
                Ok(Expr::Number(Rational::whole(number)))
            }
            Token::Name(name) => {
                self.at += 1;
                let mut functions = Function::ALL.into_iter();
                if let Some(function) = functions.find(|known| known.name() == name) {
                    return self.call(function);
                }
                let at = self.names.iter().position(|known| known == name);
                at.map(Expr::Parameter).ok_or_else(|| {
                    SyntaxError::new(format!("`{name}` is no parameter that stands above"))
                })
            }
            Token::Sign("(") => {
                self.at += 1;
                let inner = self.sum()?;
                self.expects(")")?;
                Ok(inner)
            }
            Token::Sign(_) => Err(self.unexpected("a number, a name or `(`")),
        }
    }

    fn call(&mut self, function: Function) -> Result<Expr, SyntaxError> {
        self.expects("(")?;
        let mut arguments = vec![self.sum()?];
        while arguments.len() < function.arity() {
            self.expects(",")?;
            arguments.push(self.sum()?);
        }
        self.expects(")")?;
        Ok(Expr::Call(function, arguments))
    }
}
