//! What a token can be.

use std::rc::Rc;

use super::super::Sign;
use crate::algebra::Rational;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Whether white space stood before it.
    pub(crate) spaced: bool,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TokenKind {
    /// A number, with its decimal places if it had a point.
    Number {
        /// Its value.
        value: Rational,
        /// Digits after the point.
        places: Option<u32>,
    },
    /// A run of letters, or one letter with an index.
    Word(Rc<str>),
    /// One of `+ - * / ^ ±`.
    Operator(char),
    /// An opening `(`, `[` or `{`; `g` opens a LaTeX group.
    Open(char),
    /// A closing bracket, named by its opening one.
    Close(char),
    /// `|`
    Bar,
    /// `,`
    Comma,
    /// `;`, or a new line
    Break,
    /// `=`, `<` and so on
    Relation(Sign),
    /// `\frac`
    Fraction,
    /// `\sqrt`; its index may follow in brackets
    Root,
    /// `\sqrt[3]`, `∛`
    RootOf(u32),
    /// `abs`
    Absolute,
    /// `%`
    Percent,
    /// A currency sign
    Currency(char),
    /// `°`
    Degree,
    /// A place to fill in
    Blank,
    /// `∞`
    Infinity,
    /// `∅`
    Empty,
    /// `ℝ`
    Reals,
    /// `∈`
    Element,
    /// `∪`
    Union,
    /// Anything else
    Other(char),
}

/// What a comma between digits means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comma {
    /// It separates values, or thousands: `1,200`.
    Separates,
    /// It is the decimal point, `2,5`, but where it can part thousands.
    Decimal,
    /// It is the decimal point: `1,125`.
    Point,
    /// It separates values.
    List,
}
