//! From an answer's text to its items.

use std::rc::Rc;

use super::{Answer, Item, Link, Part, Phrase, Reading, phrases::phrase};
use crate::{
    notation::{
        Comma, Expression, Sign, Slash, Token, TokenKind, expression, relation_chain, tokens,
    },
    units::{self, Unit},
};

/// More items are not read.
const MAX_ITEMS: usize = 12;

/// Words before the answer proper.
const FILLERS: &[&str] = &[
    "the",
    "answer",
    "answers",
    "is",
    "are",
    "solution",
    "solutions",
    "it",
    "its",
    "ans",
    "so",
    "value",
    "equals",
    "get",
    "got",
    "therefore",
    "result",
    "final",
    "be",
    "factors",
    "roots",
    "Answer",
    "Solution",
    "The",
    "So",
    "It",
    "Ans",
];

/// Reads a text in one way.
pub(crate) fn read(text: &str, reading: Reading) -> Option<Answer> {
    let text = stripped(text);
    if let Some(phrase) = phrase(text) {
        return Some(Answer::Phrase(phrase));
    }
    let tokens = tokens(text, reading.comma)?;
    if let [
        Token {
            kind: TokenKind::Relation(sign),
            ..
        },
    ] = tokens.as_slice()
    {
        return Some(Answer::Phrase(Phrase::Comparison(*sign)));
    }
    let tokens = without_fillers(&tokens);
    match tokens {
        [
            Token {
                kind: TokenKind::Empty,
                ..
            },
        ] => return Some(Answer::Phrase(Phrase::Nothing)),
        [
            Token {
                kind: TokenKind::Reals,
                ..
            },
        ] => return Some(Answer::Phrase(Phrase::Everything)),
        [
            Token {
                kind: TokenKind::Open('{'),
                ..
            },
            Token {
                kind: TokenKind::Close('{'),
                ..
            },
        ] => {
            return Some(Answer::Phrase(Phrase::Nothing));
        }
        _ => {}
    }
    let tokens = set_contents(tokens);
    let mut items = Vec::new();
    for (link, slice) in split(tokens) {
        if items.len() >= MAX_ITEMS {
            return None;
        }
        items.push((link, item(slice, reading.slash)?));
    }
    (!items.is_empty()).then_some(Answer::Items(items))
}

/// All ways to read a text, each once; the most usual first.
pub(crate) fn readings(text: &str) -> Vec<(Reading, Answer)> {
    with_commas(text, &[Comma::Separates, Comma::Decimal, Comma::Point])
}

/// The ways to read a text in which a comma before three digits parts thousands.
pub(crate) fn usual_readings(text: &str) -> Vec<(Reading, Answer)> {
    with_commas(text, &[Comma::Separates, Comma::Decimal])
}

fn with_commas(text: &str, commas: &[Comma]) -> Vec<(Reading, Answer)> {
    let mut found: Vec<(Reading, Answer)> = Vec::new();
    for &comma in commas {
        for slash in [Slash::Short, Slash::Long] {
            let reading = Reading { comma, slash };
            if let Some(answer) = read(text, reading)
                && !found.iter().any(|(_, known)| *known == answer)
            {
                found.push((reading, answer));
            }
        }
    }
    found
}

/// The text without what people put around formulas: white space, dollar signs of LaTeX, a full stop.
pub(crate) fn stripped(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let before = text;
        for (open, close) in [
            ("$$", "$$"),
            ("\\(", "\\)"),
            ("\\[", "\\]"),
            ("\"", "\""),
            ("`", "`"),
        ] {
            if text.len() >= open.len() + close.len()
                && let Some(inner) = text
                    .strip_prefix(open)
                    .and_then(|rest| rest.strip_suffix(close))
            {
                text = inner.trim();
            }
        }
        if text.len() > 2
            && text.starts_with('$')
            && text.ends_with('$')
            && text.matches('$').count() == 2
        {
            text = text.get(1..text.len() - 1).unwrap_or(text).trim();
        }
        text = text
            .strip_suffix(['.', '!', '?', ',', ';'])
            .unwrap_or(text)
            .trim_end();
        if text == before {
            return text;
        }
    }
}

fn without_fillers(tokens: &[Token]) -> &[Token] {
    let is_filler = |token: &Token| match &token.kind {
        TokenKind::Word(word) => FILLERS.contains(&&**word),
        TokenKind::Other(':' | '"') | TokenKind::Relation(Sign::Equal) => true,
        _ => false,
    };
    let start = tokens.iter().take_while(|token| is_filler(token)).count();
    let rest = tokens.get(start..).unwrap_or_default();
    let lead = match rest {
        // `x ∈ (2, 5)`
        [
            Token {
                kind: TokenKind::Word(name),
                ..
            },
            Token {
                kind: TokenKind::Element,
                ..
            },
            ..,
        ] if name.chars().count() == 1 => 2,
        // `x is 4`
        _ => 0,
    };
    rest.get(lead..).unwrap_or_default()
}

/// What stands in `{…}`, or after the bar of `{x | …}`.
fn set_contents(tokens: &[Token]) -> &[Token] {
    let [
        Token {
            kind: TokenKind::Open('{'),
            ..
        },
        inner @ ..,
        Token {
            kind: TokenKind::Close('{'),
            ..
        },
    ] = tokens
    else {
        return tokens;
    };
    if inner
        .iter()
        .any(|token| matches!(token.kind, TokenKind::Open('{') | TokenKind::Close('{')))
    {
        return tokens;
    }
    match inner {
        [
            Token {
                kind: TokenKind::Word(name),
                ..
            },
            Token {
                kind: TokenKind::Bar | TokenKind::Other(':'),
                ..
            },
            rest @ ..,
        ] if name.chars().count() == 1 => rest,
        _ => inner,
    }
}

/// Cuts at commas, `and`, `or` and unions that stand in no bracket.
fn split(tokens: &[Token]) -> Vec<(Link, &[Token])> {
    let mut pieces = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    let mut link = Link::List;
    for (at, token) in tokens.iter().enumerate() {
        let next = match &token.kind {
            TokenKind::Open(_) => {
                depth += 1;
                None
            }
            TokenKind::Close(_) => {
                depth = depth.saturating_sub(1);
                None
            }
            _ if depth > 0 => None,
            TokenKind::Comma | TokenKind::Break => Some(Link::List),
            TokenKind::Union => Some(Link::Or),
            TokenKind::Other('&') => Some(Link::And),
            TokenKind::Word(word) => match &**word {
                "or" | "OR" | "Or" | "union" | "UNION" => Some(Link::Or),
                "and" | "AND" | "And" => Some(Link::And),
                "U" if joins_intervals(tokens, at) => Some(Link::Or),
                _ => None,
            },
            _ => None,
        };
        if let Some(next) = next {
            if at > start {
                pieces.push((link, tokens.get(start..at).unwrap_or_default()));
                link = next;
            } else if next != Link::List {
                // `2, and 3`
                link = next;
            }
            start = at + 1;
        }
    }
    if start < tokens.len() {
        pieces.push((link, tokens.get(start..).unwrap_or_default()));
    }
    pieces
}

fn joins_intervals(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    matches!(before.map(|token| &token.kind), Some(TokenKind::Close(_)))
        && matches!(
            tokens.get(at + 1).map(|token| &token.kind),
            Some(TokenKind::Open(_))
        )
}

fn item(tokens: &[Token], slash: Slash) -> Option<Item> {
    if let Some(bracket) = bracket(tokens, slash) {
        return Some(bracket);
    }
    let at_sign = |token: &Token| matches!(token.kind, TokenKind::Relation(_));
    if tokens.iter().any(at_sign) {
        return chain(tokens, slash);
    }
    // `x is 4` is x = 4.
    if let [
        Token {
            kind: TokenKind::Word(name),
            ..
        },
        Token {
            kind: TokenKind::Word(is),
            ..
        },
        rest @ ..,
    ] = tokens
        && name.chars().count() == 1
        && &**is == "is"
    {
        let value = expression(rest, slash)?;
        return Some(Item::Chain {
            sides: vec![
                Part::Value(Expression::Variable(Rc::clone(name))),
                Part::Value(value),
            ],
            signs: vec![Sign::Equal],
            unit: None,
        });
    }
    let plain = expression(tokens, slash);
    let united = with_unit(tokens, slash).map(Box::new);
    (plain.is_some() || united.is_some()).then_some(Item::Value { plain, united })
}

/// A number with a unit behind it, or a currency sign before it.
fn with_unit(tokens: &[Token], slash: Slash) -> Option<(Expression, Unit)> {
    let constant = |tokens: &[Token]| {
        expression(tokens, slash).filter(|expression| !expression.has_variable())
    };
    match tokens {
        [
            Token {
                kind: TokenKind::Currency(sign),
                ..
            },
            rest @ ..,
        ] => {
            return Some((constant(rest)?, units::currency(*sign)?));
        }
        [
            Token {
                kind: TokenKind::Operator('-'),
                ..
            },
            Token {
                kind: TokenKind::Currency(sign),
                ..
            },
            rest @ ..,
        ] => {
            let value = Expression::Negate(Box::new(constant(rest)?));
            return Some((value, units::currency(*sign)?));
        }
        _ => {}
    }
    let start = tokens.iter().position(|token| {
        matches!(
            token.kind,
            TokenKind::Word(_) | TokenKind::Degree | TokenKind::Currency(_)
        )
    })?;
    let value = constant(tokens.get(..start)?)?;
    let unit = units::unit(tokens.get(start..)?)?;
    Some((value, unit))
}

fn chain(tokens: &[Token], slash: Slash) -> Option<Item> {
    if let Some((sides, signs)) = relation_chain(tokens, slash)
        && !tokens.iter().any(|token| token.kind == TokenKind::Infinity)
    {
        return Some(Item::Chain {
            sides: sides.into_iter().map(Part::Value).collect(),
            signs,
            unit: None,
        });
    }
    let mut sides = Vec::new();
    let mut signs = Vec::new();
    let mut unit = None;
    let mut start = 0;
    for at in 0..=tokens.len() {
        let sign = match tokens.get(at).map(|token| &token.kind) {
            Some(TokenKind::Relation(sign)) => Some(*sign),
            Some(_) => continue,
            None => None,
        };
        let slice = tokens.get(start..at)?;
        match (part(slice, slash), sign) {
            (Some(part), _) => sides.push(part),
            (None, None) => {
                let (value, own) = with_unit(slice, slash)?;
                sides.push(Part::Value(value));
                unit = Some(own);
            }
            (None, Some(_)) => return None,
        }
        signs.extend(sign);
        start = at + 1;
    }
    Some(Item::Chain { sides, signs, unit })
}

fn part(tokens: &[Token], slash: Slash) -> Option<Part> {
    match tokens {
        [
            Token {
                kind: TokenKind::Infinity,
                ..
            },
        ] => Some(Part::Infinite(false)),
        [
            Token {
                kind: TokenKind::Operator(sign @ ('+' | '-')),
                ..
            },
            Token {
                kind: TokenKind::Infinity,
                ..
            },
        ] => Some(Part::Infinite(*sign == '-')),
        _ => expression(tokens, slash).map(Part::Value),
    }
}

fn bracket(tokens: &[Token], slash: Slash) -> Option<Item> {
    let [
        Token {
            kind: TokenKind::Open(open @ ('(' | '[')),
            ..
        },
        inner @ ..,
        Token {
            kind: TokenKind::Close(close @ ('(' | '[')),
            ..
        },
    ] = tokens
    else {
        return None;
    };
    let mut depth = 0_usize;
    let mut start = 0;
    let mut parts = Vec::new();
    for at in 0..=inner.len() {
        match inner.get(at).map(|token| &token.kind) {
            Some(TokenKind::Open(_)) => depth += 1,
            Some(TokenKind::Close(_)) => depth = depth.checked_sub(1)?,
            None | Some(TokenKind::Comma | TokenKind::Break) if depth == 0 => {
                parts.push(part(inner.get(start..at)?, slash)?);
                start = at + 1;
            }
            _ => {}
        }
    }
    (2..=4).contains(&parts.len()).then_some(Item::Bracket {
        open: *open,
        close: *close,
        parts,
    })
}
