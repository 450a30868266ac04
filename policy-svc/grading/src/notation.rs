//! From text to expressions: plain text and LaTeX, as students, teachers and models write them.

mod expression;
mod parser;
mod shape;
mod tokens;

pub(crate) use self::{
    expression::{Expression, Relation, Sign},
    parser::{Slash, expression, relation_chain, relations},
    shape::{Shape, relation_shape, shape},
    tokens::{Comma, Token, TokenKind, tokens},
};

/// Longer texts are not read.
pub(crate) const MAX_CHARACTERS: usize = 4_000;

/// More tokens are not read.
pub(crate) const MAX_TOKENS: usize = 400;

/// Deeper nesting is not read.
pub(crate) const MAX_DEPTH: usize = 24;
