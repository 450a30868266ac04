//! What the formulas of a message are about, by their shape: pupils often type nothing else.

use turnwise_text::normalise_signs;

/// What a formula shows of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A letter and an equals sign: `2x+3=11`.
    Equation,
    /// `y = 2x + 1`, `f(x) = …`.
    Function,
    /// `3/4`.
    Fraction,
    /// `x^2`, `2^5`.
    Power,
    /// A square of a letter: `x^2 + 7x + 12`.
    Quadratic,
    /// `(x+2)(x+3)`, `3(x+2)`.
    Brackets,
    /// `-3`, `5 - (-8)`.
    Negative,
    /// `2:3`.
    Ratio,
    /// `20%`.
    Percent,
    /// `(2, 5)`.
    Point,
    /// `3x + 2x`, `4n`.
    Term,
    /// `2 + 3 * 4`.
    Arithmetic,
    /// `sqrt(9)`.
    Root,
    /// `x < 3`.
    Inequality,
}

impl Shape {
    pub(crate) fn read(name: &str) -> Option<Self> {
        Some(match name {
            "equation" => Self::Equation,
            "function" => Self::Function,
            "fraction" => Self::Fraction,
            "power" => Self::Power,
            "quadratic" => Self::Quadratic,
            "brackets" => Self::Brackets,
            "negative" => Self::Negative,
            "ratio" => Self::Ratio,
            "percent" => Self::Percent,
            "point" => Self::Point,
            "term" => Self::Term,
            "arithmetic" => Self::Arithmetic,
            "root" => Self::Root,
            "inequality" => Self::Inequality,
            _ => return None,
        })
    }
}

/// One sign of a formula: `n` a number, `v` a letter, or the sign itself. A space ends a formula beside letters that are
/// words.
fn signs(text: &str) -> Vec<String> {
    let characters: Vec<char> = normalise_signs(text).to_lowercase().chars().collect();
    let mut formulas = vec![String::new()];
    let mut at = 0;
    while at < characters.len() {
        let c = characters[at];
        let run = |is: fn(char) -> bool| characters[at..].iter().take_while(|c| is(**c)).count();
        if c.is_ascii_digit() {
            let mut length = run(|c| c.is_ascii_digit());
            let decimals = |from: usize| {
                let mut rest = characters[from..].iter();
                rest.next().is_some_and(|c| *c == '.')
                    && rest.next().is_some_and(char::is_ascii_digit)
            };
            if decimals(at + length) {
                let from = at + length + 1;
                length += 1 + characters[from..]
                    .iter()
                    .take_while(|c| c.is_ascii_digit())
                    .count();
            }
            push(&mut formulas, 'n');
            at += length;
        } else if c.is_alphabetic() {
            let length = run(char::is_alphabetic);
            let word: String = characters[at..at + length].iter().collect();
            let touches = |c: Option<&char>| {
                c.is_some_and(|c| c.is_ascii_digit() || "+-*/^=()<>".contains(*c))
            };
            let beside = touches(at.checked_sub(1).and_then(|at| characters.get(at)))
                || touches(characters.get(at + length));
            if word == "sqrt" {
                push(&mut formulas, 'r');
            } else if length == 1 && (beside || !"ai".contains(c))
                || length == 2 && after_number(&formulas, &characters, at)
            {
                for _ in 0..length {
                    push(&mut formulas, 'v');
                }
            } else {
                formulas.push(String::new());
            }
            at += length;
        } else {
            if "+-*/^=()<>:%,|".contains(c) {
                // `(2|3)` is how German books write a point.
                push(&mut formulas, if c == '|' { ',' } else { c });
            } else if !c.is_whitespace() {
                formulas.push(String::new());
            }
            at += 1;
        }
    }
    formulas.retain(|formula| formula.contains(['n', 'v']));
    formulas
}

fn after_number(formulas: &[String], characters: &[char], at: usize) -> bool {
    at > 0
        && characters[at - 1].is_ascii_digit()
        && formulas
            .last()
            .is_some_and(|formula| formula.ends_with('n'))
}

fn push(formulas: &mut [String], sign: char) {
    if let Some(formula) = formulas.last_mut() {
        formula.push(sign);
    }
}

/// The shapes of the formulas in a text, each once.
pub(crate) fn shapes(text: &str) -> Vec<Shape> {
    let mut found = Vec::new();
    for formula in signs(text) {
        let has = |part: &str| formula.contains(part);
        let any = |parts: &[&str]| parts.iter().any(|part| formula.contains(part));
        let operates = any(&["n+", "n-", "n*", "n/", "v+", "v-", "v*", "v/", ")+", ")-"]);
        let letters = has("v");
        let checks = [
            (Shape::Equation, letters && has("=") && formula.len() >= 3),
            (
                Shape::Function,
                any(&["v=nv", "v=v", "v=-nv", "v=-v", "v(v)="]),
            ),
            (Shape::Fraction, any(&["n/n", "v/n", "n/v", "v/v", "n/("])),
            (Shape::Power, has("^")),
            (
                Shape::Quadratic,
                has("v^n") && operates || has(")(") && letters,
            ),
            (
                Shape::Brackets,
                any(&[")(", "n(", "v("]) || (has("(") && has(")") && operates),
            ),
            (
                Shape::Negative,
                formula.starts_with("-n")
                    || any(&["(-", "+-", "--", "*-", "=-n", ",-n", "<-n", ">-n", "/-"])
                    || has("n-n"),
            ),
            (Shape::Ratio, any(&["n:n", "v:v", "n:v"])),
            (Shape::Percent, has("n%")),
            (
                Shape::Point,
                any(&["(n,n)", "(-n,n)", "(n,-n)", "(-n,-n)", "(v,v)"]),
            ),
            (
                Shape::Term,
                letters && !has("=") && (any(&["nv", "vv"]) || operates),
            ),
            (
                Shape::Arithmetic,
                any(&["n+n", "n-n", "n*n", "n/n", "n*(", "n+(", ")*n", "n-("]),
            ),
            (Shape::Root, has("r")),
            (Shape::Inequality, any(&["<", ">"])),
        ];
        for (shape, holds) in checks {
            if holds && !found.contains(&shape) {
                found.push(shape);
            }
        }
    }
    found
}

/// Whether the text has a formula or a number at all.
pub(crate) fn has_formula(text: &str) -> bool {
    !signs(text).is_empty()
}

/// Whether the text has a chemical formula: `2H2O`, `C6H12O6`; one element alone may be anything.
pub(crate) fn is_chemical(text: &str) -> bool {
    const ELEMENTS: [&str; 22] = [
        "H", "He", "Li", "C", "N", "O", "F", "Na", "Mg", "Al", "Si", "P", "S", "Cl", "K", "Ca",
        "Fe", "Cu", "Zn", "Br", "Ag", "I",
    ];
    normalise_signs(text)
        .split(|c: char| !c.is_alphanumeric())
        .map(|token| token.trim_start_matches(|c: char| c.is_ascii_digit()))
        .any(|token| {
            let is_upper = |c: char| c.is_ascii_uppercase();
            let starts = token.match_indices(is_upper).map(|(at, _)| at);
            let ends = starts.clone().skip(1).chain([token.len()]);
            let parts: Vec<&str> = starts
                .zip(ends)
                .map(|(from, to)| token[from..to].trim_end_matches(|c: char| c.is_ascii_digit()))
                .collect();
            parts.len() >= 2
                && token.starts_with(is_upper)
                && token.contains(|c: char| c.is_ascii_digit())
                && parts.iter().all(|part| ELEMENTS.contains(part))
        })
}
