//! From tokens to expressions, by precedence.

use super::{Expression, MAX_DEPTH, Relation, Sign, Token, tokens::TokenKind};

/// What an implicit product does after a slash: `1/2x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slash {
    /// It ends at the first factor: `(1/2)x`.
    Short,
    /// It takes the whole product: `1/(2x)`.
    Long,
}

/// Words of up to three letters that are no products of variables.
const NO_PRODUCTS: &[&str] = &[
    "or", "and", "is", "of", "in", "to", "by", "if", "no", "yes", "the", "for", "are", "as", "at",
    "be", "an", "it", "on", "so", "we", "not", "all", "any", "one", "two", "six", "ten", "sin",
    "cos", "tan", "log", "ln", "exp", "max", "min", "gcd", "lcm", "mod", "dne", "DNE", "cm", "mm",
    "km", "kg", "mg", "mph", "ft", "ml", "lb", "lbs", "oz", "yd", "hr", "hrs", "sec", "gal", "set",
    "per", "UNION", "Yes", "No", "idk", "lol", "wtf", "hi", "dm", "dl", "cl", "hl", "ha",
];

/// Reads an expression; all tokens must be used.
pub(crate) fn expression(tokens: &[Token], slash: Slash) -> Option<Expression> {
    let mut parser = Parser::new(tokens, slash);
    let expression = parser.sum()?;
    parser.at_end().then_some(expression)
}

/// Reads `a`, `a = b`, `a < b <= c` …: the sides and the signs between them; all tokens must be used.
pub(crate) fn relation_chain(
    tokens: &[Token],
    slash: Slash,
) -> Option<(Vec<Expression>, Vec<Sign>)> {
    let mut parser = Parser::new(tokens, slash);
    let mut sides = vec![parser.sum()?];
    let mut signs = Vec::new();
    while let Some(TokenKind::Relation(sign)) = parser.peek() {
        signs.push(*sign);
        parser.at += 1;
        sides.push(parser.sum()?);
    }
    parser.at_end().then_some((sides, signs))
}

/// The relations of a chain, side by side.
pub(crate) fn relations(sides: &[Expression], signs: &[Sign]) -> Vec<Relation> {
    sides
        .windows(2)
        .zip(signs)
        .filter_map(|(pair, sign)| match pair {
            [left, right] => Some(Relation {
                left: left.clone(),
                sign: *sign,
                right: right.clone(),
            }),
            _ => None,
        })
        .collect()
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    bars: usize,
    slash: Slash,
}

impl<'a> Parser<'a> {
    fn new(tokens: &'a [Token], slash: Slash) -> Self {
        Self {
            tokens,
            at: 0,
            depth: 0,
            bars: 0,
            slash,
        }
    }

    fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    fn peek(&self) -> Option<&'a TokenKind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    fn peek_at(&self, ahead: usize) -> Option<&'a TokenKind> {
        self.tokens.get(self.at + ahead).map(|token| &token.kind)
    }

    fn spaced(&self) -> bool {
        self.tokens.get(self.at).is_some_and(|token| token.spaced)
    }

    fn take(&mut self, kind: &TokenKind) -> bool {
        let found = self.peek() == Some(kind);
        self.at += usize::from(found);
        found
    }

    fn sum(&mut self) -> Option<Expression> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut parts: Vec<Expression> = Vec::new();
        let mut first = true;
        loop {
            let operator = match self.peek() {
                Some(TokenKind::Operator(sign @ ('+' | '-' | '±'))) => {
                    self.at += 1;
                    Some(*sign)
                }
                _ if first => None,
                _ => break,
            };
            let term = self.product()?;
            match operator {
                Some('-') => parts.push(Expression::Negate(Box::new(term))),
                Some('±') => {
                    let left = joined(std::mem::take(&mut parts)).map(Box::new);
                    parts.push(Expression::PlusMinus(left, Box::new(term)));
                }
                _ => parts.push(term),
            }
            first = false;
        }
        self.depth -= 1;
        joined(parts)
    }

    fn product(&mut self) -> Option<Expression> {
        let mut factors = vec![self.signed()?];
        loop {
            match self.peek() {
                Some(TokenKind::Operator('*')) => {
                    self.at += 1;
                    let factor = self.signed()?;
                    factors.push(factor);
                }
                Some(TokenKind::Operator('/')) => {
                    self.at += 1;
                    let mut below = self.signed()?;
                    if self.slash == Slash::Long {
                        let mut run = vec![below];
                        while self.implicit_factor() && !self.spaced() {
                            run.push(self.powered()?);
                        }
                        below = multiplied(run)?;
                    }
                    let above = multiplied(std::mem::take(&mut factors))?;
                    factors.push(Expression::Divide(Box::new(above), Box::new(below)));
                }
                _ if self.implicit_factor() => {
                    let factor = self.powered()?;
                    factors.push(factor);
                }
                _ => break,
            }
        }
        multiplied(factors)
    }

    /// Whether what comes is a factor without a sign for the product.
    fn implicit_factor(&self) -> bool {
        match self.peek() {
            Some(
                TokenKind::Word(_)
                | TokenKind::Open(_)
                | TokenKind::Root
                | TokenKind::RootOf(_)
                | TokenKind::Fraction
                | TokenKind::Absolute,
            ) => true,
            Some(TokenKind::Bar) => self.bars == 0,
            // A number may follow a bracket: `(2)3`. Elsewhere only the next factor's: `4a^3 b 9a^2`.
            Some(TokenKind::Number { .. }) => {
                let bracket = self.at.checked_sub(1).is_some_and(|before| {
                    matches!(
                        self.tokens.get(before).map(|token| &token.kind),
                        Some(TokenKind::Close('(' | '['))
                    )
                });
                let coefficient = self.spaced()
                    && self.tokens.get(self.at + 1).is_some_and(|next| {
                        !next.spaced
                            && matches!(&next.kind, TokenKind::Word(word)
                                if word.chars().count() <= 3 && !NO_PRODUCTS.contains(&&**word))
                    });
                bracket || coefficient
            }
            _ => false,
        }
    }

    /// A factor that may carry signs: `3*-2`, `2/-3`.
    fn signed(&mut self) -> Option<Expression> {
        match self.peek() {
            Some(TokenKind::Operator('-')) => {
                self.at += 1;
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return None;
                }
                let inner = self.signed()?;
                self.depth -= 1;
                Some(Expression::Negate(Box::new(inner)))
            }
            Some(TokenKind::Operator('+')) => {
                self.at += 1;
                self.powered()
            }
            _ => self.powered(),
        }
    }

    fn powered(&mut self) -> Option<Expression> {
        let base = self.primary()?;
        self.postfix(base)
    }

    fn postfix(&mut self, base: Expression) -> Option<Expression> {
        let mut result = base;
        if self.take(&TokenKind::Operator('^')) {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return None;
            }
            let exponent = self.exponent()?;
            self.depth -= 1;
            result = raised(result, exponent);
        }
        if self.take(&TokenKind::Percent) {
            result = Expression::Percent(Box::new(result));
        }
        Some(result)
    }

    fn exponent(&mut self) -> Option<Expression> {
        if self.take(&TokenKind::Operator('-')) {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return None;
            }
            let inner = self.exponent()?;
            self.depth -= 1;
            return Some(Expression::Negate(Box::new(inner)));
        }
        // `x^2y` is x² times y: of a word, only the first letter.
        if let Some(TokenKind::Word(word)) = self.peek()
            && word.chars().count() != 1
            && !word.contains('_')
        {
            return None;
        }
        let base = self.primary()?;
        if self.take(&TokenKind::Operator('^')) {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return None;
            }
            let exponent = self.exponent()?;
            self.depth -= 1;
            return Some(raised(base, exponent));
        }
        Some(base)
    }

    fn primary(&mut self) -> Option<Expression> {
        match self.peek()? {
            TokenKind::Number { value, places } => {
                self.at += 1;
                if places.is_none()
                    && let Some(mixed) = self.mixed(value)
                {
                    return Some(mixed);
                }
                // `2 3` means nothing certain, except as an exponent before the next factor.
                let exponent = self.at.checked_sub(2).is_some_and(|before| {
                    matches!(
                        self.tokens.get(before).map(|token| &token.kind),
                        Some(TokenKind::Operator('^'))
                    )
                });
                if matches!(self.peek(), Some(TokenKind::Number { .. })) && !exponent {
                    return None;
                }
                Some(Expression::Number {
                    value: value.clone(),
                    places: *places,
                })
            }
            TokenKind::Word(word) => {
                self.at += 1;
                self.letters(word)
            }
            TokenKind::Open(bracket) => {
                let bracket = *bracket;
                self.at += 1;
                let bars = std::mem::take(&mut self.bars);
                let inner = self.sum()?;
                self.bars = bars;
                self.take(&TokenKind::Close(bracket)).then_some(inner)
            }
            TokenKind::Bar => {
                self.at += 1;
                self.bars += 1;
                let inner = self.sum()?;
                self.bars -= 1;
                self.take(&TokenKind::Bar)
                    .then(|| Expression::Absolute(Box::new(inner)))
            }
            TokenKind::Absolute => {
                self.at += 1;
                let inner = self.bracketed()?;
                Some(Expression::Absolute(Box::new(inner)))
            }
            TokenKind::Root => {
                self.at += 1;
                let inner = self.argument()?;
                Some(Expression::Root(2, Box::new(inner)))
            }
            TokenKind::RootOf(index) => {
                self.at += 1;
                let inner = self.argument()?;
                (2..=12)
                    .contains(index)
                    .then(|| Expression::Root(*index, Box::new(inner)))
            }
            TokenKind::Fraction => {
                self.at += 1;
                let above = self.bracketed()?;
                let below = self.bracketed()?;
                Some(Expression::Divide(Box::new(above), Box::new(below)))
            }
            _ => None,
        }
    }

    fn bracketed(&mut self) -> Option<Expression> {
        match self.peek() {
            Some(TokenKind::Open(_)) => self.primary(),
            _ => None,
        }
    }

    /// What stands under a root: a bracket, or one number or letter.
    fn argument(&mut self) -> Option<Expression> {
        match self.peek()? {
            TokenKind::Open(_) => self.primary(),
            TokenKind::Number { value, places } => {
                self.at += 1;
                Some(Expression::Number {
                    value: value.clone(),
                    places: *places,
                })
            }
            TokenKind::Word(word) if word.chars().count() == 1 => self.primary(),
            TokenKind::Root | TokenKind::RootOf(_) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return None;
                }
                let inner = self.primary();
                self.depth -= 1;
                inner
            }
            _ => None,
        }
    }

    /// The fraction of a mixed number whose whole part was just read: `2 1/2`, `2\frac{1}{2}`.
    fn mixed(&mut self, whole: &crate::algebra::Rational) -> Option<Expression> {
        let whole_number = |kind: Option<&TokenKind>| match kind {
            Some(TokenKind::Number {
                value,
                places: None,
            }) => Some(value.clone()),
            _ => None,
        };
        let (above, below, length) = match self.peek()? {
            TokenKind::Number { .. } if self.spaced() => {
                if self.peek_at(1) != Some(&TokenKind::Operator('/')) {
                    return None;
                }
                (whole_number(self.peek()), whole_number(self.peek_at(2)), 3)
            }
            TokenKind::Fraction => {
                let bracket = |kind: Option<&TokenKind>| match kind {
                    Some(TokenKind::Open(bracket)) => Some(*bracket),
                    _ => None,
                };
                let first = bracket(self.peek_at(1))?;
                let second = bracket(self.peek_at(4))?;
                if self.peek_at(3) != Some(&TokenKind::Close(first))
                    || self.peek_at(6) != Some(&TokenKind::Close(second))
                {
                    return None;
                }
                (
                    whole_number(self.peek_at(2)),
                    whole_number(self.peek_at(5)),
                    7,
                )
            }
            _ => return None,
        };
        let (above, below) = (above?, below?);
        if above >= below {
            return None;
        }
        self.at += length;
        Some(Expression::Mixed(whole.clone(), above, below))
    }

    /// Letters side by side are variables multiplied; a power after them belongs to the last.
    fn letters(&mut self, word: &str) -> Option<Expression> {
        let variable = |name: &str| Expression::Variable(name.into());
        if word.contains('_') || word.chars().count() == 1 {
            // `f(x)` is a value of a function, `x2` nothing certain.
            if matches!(word, "f" | "g" | "h") && self.function_value() {
                return None;
            }
            if matches!(self.peek(), Some(TokenKind::Number { .. })) && !self.spaced() {
                return None;
            }
            return Some(variable(word));
        }
        if word.chars().count() > 3 || NO_PRODUCTS.contains(&word) {
            return None;
        }
        if matches!(self.peek(), Some(TokenKind::Number { .. })) {
            return None;
        }
        let mut factors: Vec<Expression> = word
            .chars()
            .map(|letter| variable(letter.encode_utf8(&mut [0; 4])))
            .collect();
        let last = factors.pop()?;
        let last = self.postfix(last)?;
        factors.push(last);
        multiplied(factors)
    }

    fn function_value(&self) -> bool {
        matches!(self.peek(), Some(TokenKind::Open('(')))
            && matches!(self.peek_at(2), Some(TokenKind::Close('(')))
    }
}

/// `base^exponent`, where a product of letters passes the power to its last letter.
fn raised(base: Expression, exponent: Expression) -> Expression {
    Expression::Power(Box::new(base), Box::new(exponent))
}

fn joined(mut parts: Vec<Expression>) -> Option<Expression> {
    if parts.len() > 1 {
        Some(Expression::Add(parts))
    } else {
        parts.pop()
    }
}

fn multiplied(mut factors: Vec<Expression>) -> Option<Expression> {
    if factors.len() <= 1 {
        return factors.pop();
    }
    // Products of products are one product: letters side by side, brackets that only group.
    let mut flat = Vec::with_capacity(factors.len());
    for factor in factors {
        match factor {
            Expression::Multiply(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    Some(Expression::Multiply(flat))
}
