//! Parts a text into words and formulas, whatever the spelling: LaTeX, signs, or words for numbers and operations.

mod lexer;
mod spoken;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A word, in lower case.
    Word(String),
    /// A formula.
    Formula(Formula),
    /// The end of a sentence or of a part of one: its sign, or a new line.
    Stop(char),
}

/// A sign of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Symbol {
    /// A number, in digits with a point.
    Number(String),
    /// A variable.
    Letter(char),
    /// Anything else, such as `+`, `=`, `≤`, `√`.
    Sign(char),
}

/// A formula.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Formula(pub Vec<Symbol>);

impl Formula {
    /// Whether it holds a variable.
    #[must_use]
    pub fn has_letter(&self) -> bool {
        self.0
            .iter()
            .any(|symbol| matches!(symbol, Symbol::Letter(_)))
    }

    /// Whether it holds an equality or an inequality.
    #[must_use]
    pub fn is_relation(&self) -> bool {
        self.0.iter().any(is_relation)
    }

    /// Whether it holds an inequality.
    pub(crate) fn is_unequal(&self) -> bool {
        let is_unequal = |symbol: &Symbol| is_relation(symbol) && *symbol != Symbol::Sign('=');
        self.0.iter().any(is_unequal)
    }

    /// Its numbers.
    pub fn numbers(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|symbol| match symbol {
            Symbol::Number(number) => Some(number.as_str()),
            _ => None,
        })
    }

    /// Its variables, in order, each once.
    #[must_use]
    pub fn letters(&self) -> Vec<char> {
        let mut letters: Vec<char> = self
            .0
            .iter()
            .filter_map(|symbol| match symbol {
                Symbol::Letter(letter) => Some(*letter),
                _ => None,
            })
            .collect();
        letters.sort_unstable();
        letters.dedup();
        letters
    }

    /// Whether it has an operation between two values.
    #[must_use]
    pub fn has_operation(&self) -> bool {
        self.0.iter().enumerate().any(|(at, symbol)| {
            matches!(symbol, Symbol::Sign('*' | '/' | '^' | '√' | '%'))
                || (at > 0 && matches!(symbol, Symbol::Sign('+' | '-' | '±')))
        })
    }

    /// The formula without what cannot begin or end one.
    fn tidied(symbols: &[Symbol]) -> Self {
        let is = |symbol: &Symbol, signs: &str| matches!(symbol, Symbol::Sign(sign) if signs.contains(*sign));
        let count = |sign: char| {
            let signs = symbols
                .iter()
                .filter(|symbol| **symbol == Symbol::Sign(sign));
            signs.count()
        };
        let (mut open, mut close) = (count('('), count(')'));
        let mut rest = symbols;
        loop {
            match rest {
                [kept @ .., last]
                    if is(last, "+-*/^=<>≤≥√±(") || (close > open && is(last, ")")) =>
                {
                    open -= usize::from(is(last, "("));
                    close -= usize::from(is(last, ")"));
                    rest = kept;
                }
                [first, kept @ ..] if is(first, "+*/^=)%") || (open > close && is(first, "(")) => {
                    open -= usize::from(is(first, "("));
                    close -= usize::from(is(first, ")"));
                    rest = kept;
                }
                _ => return Self(rest.to_vec()),
            }
        }
    }
}

pub(crate) fn is_relation(symbol: &Symbol) -> bool {
    matches!(symbol, Symbol::Sign('=' | '<' | '>' | '≤' | '≥'))
}

/// Pairs of inequalities that stand side by side, as one statement: `x ≤ -2 or x ≥ 4`.
pub(crate) fn unions(parts: &[Part]) -> impl Iterator<Item = String> {
    let unequal = |formula: &Formula| {
        formula.is_unequal() && !formula.0.contains(&Symbol::Sign('=')) && formula.has_letter()
    };
    parts.windows(3).filter_map(move |three| match three {
        [
            Part::Formula(left),
            Part::Word(_) | Part::Stop(',' | ';' | '\n'),
            Part::Formula(right),
        ] if unequal(left) && unequal(right) => Some(format!("{left} or {right}")),
        _ => None,
    })
}

/// Symbols as a formula is typed.
pub(crate) fn typed(symbols: &[Symbol]) -> String {
    let mut text = String::new();
    let mut last: Option<&Symbol> = None;
    for symbol in symbols {
        match symbol {
            Symbol::Number(number) => {
                if matches!(last, Some(Symbol::Number(_))) {
                    text.push(' ');
                }
                text.push_str(number);
            }
            Symbol::Letter(letter) => text.push(*letter),
            Symbol::Sign(sign) => text.push(*sign),
        }
        last = Some(symbol);
    }
    text
}

impl std::fmt::Display for Formula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&typed(&self.0))
    }
}

/// The parts of a text, in order. Marks of lists and text between signs that draw nothing are left out.
#[must_use]
pub fn parts(text: &str) -> Vec<Part> {
    let normal = crate::fold::looking_latin(&turnwise_text::normalise(text));
    spoken::parts(lexer::tokens(&normal))
}
