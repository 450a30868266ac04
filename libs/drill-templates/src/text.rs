//! Texts that show values between double brackets.

use crate::expr::Expr;
use crate::fault::{Fault, SyntaxError};
use crate::form::Form;
use crate::parse::Parser;
use crate::template::Values;

/// A text of a template.
#[derive(Debug, Clone)]
pub struct Text {
    parts: Vec<Part>,
}

#[derive(Debug, Clone)]
enum Part {
    Fixed(String),
    Shown {
        /// As it is written.
        piece: String,
        expr: Expr,
        form: Form,
    },
}

impl Text {
    pub(crate) fn read(text: &str, names: &[String]) -> Result<Self, SyntaxError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("[[") {
            let Some((piece, after)) = behind.split_once("]]") else {
                return Err(SyntaxError::new("a `[[` has no `]]`"));
            };
            parts.push(Part::Fixed(before.to_owned()));
            let (written, form) = match piece.split_once(':') {
                Some((written, form)) => (written, Form::read(form)?),
                None => (piece, Form::Plain),
            };
            let mut parser = Parser::new(written, names)?;
            let expr = parser.sum()?;
            parser.end()?;
            parts.push(Part::Shown {
                piece: format!("[[{piece}]]"),
                expr,
                form,
            });
            rest = after;
        }
        parts.push(Part::Fixed(rest.to_owned()));
        Ok(Self { parts })
    }

    /// The text with these values, which are those of its own template.
    ///
    /// # Errors
    /// A value cannot be worked out or shown.
    pub fn write(&self, values: &Values<'_>) -> Result<String, Fault> {
        let mut written = String::new();
        for part in &self.parts {
            match part {
                Part::Fixed(text) => written.push_str(text),
                Part::Shown { piece, expr, form } => {
                    let shown = expr.value(values.numbers());
                    let shown = shown.and_then(|number| form.write(number));
                    written.push_str(&shown.map_err(|problem| values.fault(piece, problem))?);
                }
            }
        }
        Ok(written)
    }
}
