//! Formulas as trees, printed in LaTeX, on a line and with Unicode's signs: all three have the same terms.

use proptest::prelude::*;
use turnwise_text::Analyser;

#[derive(Debug, Clone)]
enum Formula {
    Number(u32),
    Decimal(u32, u32),
    Variable(&'static str),
    Named(usize),
    /// One of the fractions that have a character.
    Vulgar(usize),
    Mixed(u32, usize),
    Fraction(Box<Formula>, Box<Formula>),
    Power(Box<Formula>, Box<Formula>),
    Index(&'static str, u32),
    Root(Box<Formula>),
    Degree(u32, Box<Formula>),
    Grouped(Box<Formula>),
    Absolute(Box<Formula>),
    /// A number and what it multiplies.
    Times(u32, Box<Formula>),
    Joined(usize, Box<Formula>, Box<Formula>),
    Negative(Box<Formula>),
    Function(&'static str, Box<Formula>),
    Angle(u32),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Style {
    Latex,
    Line,
    Unicode,
}

use Style::{Latex, Line, Unicode};

/// Name, command, letter.
const NAMED: [(&str, &str, &str); 4] = [
    ("pi", r"\pi", "π"),
    ("theta", r"\theta", "θ"),
    ("alpha", r"\alpha", "α"),
    ("Delta", r"\Delta", "Δ"),
];

const VULGAR: [(u32, u32, &str); 4] = [(1, 2, "½"), (3, 4, "¾"), (2, 3, "⅔"), (5, 8, "⅝")];

/// On a line, in LaTeX, in Unicode.
const JOINS: [(&str, &str, &str); 10] = [
    ("+", "+", "+"),
    ("-", "-", "−"),
    ("*", r"\cdot ", "⋅"),
    ("*", r"\times ", "×"),
    ("/", r"\div ", "÷"),
    ("=", "=", "="),
    ("!=", r"\neq ", "≠"),
    ("<=", r"\leq ", "≤"),
    (">=", r"\ge ", "≥"),
    ("+-", r"\pm ", "±"),
];

fn raised(text: &str) -> Option<String> {
    text.chars()
        .map(|c| match c {
            '0'..='9' => "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(c as usize - '0' as usize),
            '+' => Some('⁺'),
            '-' | '−' => Some('⁻'),
            'n' => Some('ⁿ'),
            'x' => Some('ˣ'),
            'y' => Some('ʸ'),
            _ => None,
        })
        .collect()
}

fn lowered(number: u32) -> String {
    let digit = |c: char| "₀₁₂₃₄₅₆₇₈₉".chars().nth(c as usize - '0' as usize);
    number.to_string().chars().filter_map(digit).collect()
}

impl Formula {
    /// `wide` sets spaces around signs.
    fn print(&self, style: Style, wide: bool) -> String {
        let print = |formula: &Formula| formula.print(style, wide);
        let braces = |formula: &Formula| {
            let inner = formula.print(style, wide);
            match style {
                Latex => format!("{{{inner}}}"),
                Line | Unicode => format!("({inner})"),
            }
        };
        match self {
            Self::Number(number) => number.to_string(),
            Self::Decimal(whole, part) => format!("{whole}.{part}"),
            Self::Variable(name) => (*name).to_owned(),
            Self::Named(at) => {
                let (line, latex, unicode) = NAMED[*at];
                match style {
                    Latex => format!("{latex} "),
                    Line => line.to_owned(),
                    Unicode => unicode.to_owned(),
                }
            }
            Self::Vulgar(at) => {
                let (above, below, sign) = VULGAR[*at];
                match style {
                    Latex => format!(r"\frac{{{above}}}{{{below}}}"),
                    Line => format!("({above})/({below})"),
                    Unicode => sign.to_owned(),
                }
            }
            Self::Mixed(whole, at) => {
                let (above, below, sign) = VULGAR[*at];
                match style {
                    Latex => format!(r"{whole}\tfrac{{{above}}}{{{below}}}"),
                    Line => format!("{whole} {above}/{below}"),
                    Unicode => format!("{whole}{sign}"),
                }
            }
            Self::Fraction(above, below) => match style {
                Latex => format!(r"\dfrac{}{}", braces(above), braces(below)),
                Line => format!("{}/{}", braces(above), braces(below)),
                Unicode => format!("{}∕{}", braces(above), braces(below)),
            },
            Self::Power(base, power) => {
                let text = power.print(style, false);
                let unicode = (style == Unicode).then(|| raised(&text)).flatten();
                match unicode {
                    Some(raised) => format!("{}{raised}", print(base)),
                    None => format!("{}^{}", print(base), braces(power)),
                }
            }
            Self::Index(name, number) => match style {
                Latex => format!("{name}_{{{number}}}"),
                Line => format!("{name}_{number}"),
                Unicode => format!("{name}{}", lowered(*number)),
            },
            Self::Root(inner) => match style {
                Latex => format!(r"\sqrt{}", braces(inner)),
                Line => format!("sqrt({})", print(inner)),
                Unicode => format!("√({})", print(inner)),
            },
            Self::Degree(degree, inner) => match style {
                Latex => format!(r"\sqrt[{degree}]{}", braces(inner)),
                Line => format!("root{degree}({})", print(inner)),
                Unicode => match raised(&degree.to_string()) {
                    Some(raised) => format!("{raised}√({})", print(inner)),
                    None => format!("√[{degree}]({})", print(inner)),
                },
            },
            Self::Grouped(inner) => match style {
                Latex => format!(r"\left({}\right)", print(inner)),
                Line | Unicode => format!("({})", print(inner)),
            },
            Self::Absolute(inner) => match style {
                Latex => format!(r"\left|{}\right|", print(inner)),
                Line | Unicode => format!("|{}|", print(inner)),
            },
            Self::Times(number, inner) => format!("{number}{}", print(inner)),
            Self::Joined(at, left, right) => {
                let (line, latex, unicode) = JOINS[*at];
                let sign = match style {
                    Latex => latex,
                    Line => line,
                    Unicode => unicode,
                };
                let space = if wide { " " } else { "" };
                format!("{}{space}{sign}{space}{}", print(left), print(right))
            }
            Self::Negative(inner) => match style {
                Latex | Line => format!("-{}", print(inner)),
                Unicode => format!("−{}", print(inner)),
            },
            Self::Function(name, inner) => match style {
                Latex => format!(r"\{name}\left({}\right)", print(inner)),
                Line | Unicode => format!("{name}({})", print(inner)),
            },
            Self::Angle(degrees) => match style {
                Latex => format!(r"{degrees}^\circ "),
                Line => format!("{degrees} degrees"),
                Unicode => format!("{degrees}°"),
            },
        }
    }
}

fn formula() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        3 => (0..2_000_u32).prop_map(Formula::Number),
        1 => (0..100_u32, 1..10_u32).prop_map(|(whole, part)| Formula::Decimal(whole, part)),
        4 => prop::sample::select(vec!["x", "y", "n", "k", "b", "X"]).prop_map(Formula::Variable),
        1 => (0..NAMED.len()).prop_map(Formula::Named),
        1 => (0..VULGAR.len()).prop_map(Formula::Vulgar),
        1 => (1..20_u32, 0..VULGAR.len()).prop_map(|(whole, at)| Formula::Mixed(whole, at)),
        1 => (prop::sample::select(vec!["x", "y", "m"]), 0..30_u32).prop_map(|(name, n)| Formula::Index(name, n)),
        1 => (0..360_u32).prop_map(Formula::Angle),
    ];
    leaf.prop_recursive(4, 40, 2, |inner| {
        let boxed = inner.prop_map(Box::new).boxed();
        let (a, b) = (boxed.clone(), boxed.clone());
        let bracketed = boxed.clone().prop_map(|inner| Box::new(Formula::Grouped(inner)));
        let base = prop_oneof![
            prop::sample::select(vec!["x", "y", "b"]).prop_map(|name| Box::new(Formula::Variable(name))),
            bracketed.clone(),
        ];
        let factor = prop_oneof![
            prop::sample::select(vec!["x", "y", "b"]).prop_map(|name| Box::new(Formula::Variable(name))),
            (0..NAMED.len()).prop_map(|at| Box::new(Formula::Named(at))),
            bracketed,
        ];
        prop_oneof![
            2 => (a.clone(), b.clone()).prop_map(|(a, b)| Formula::Fraction(a, b)),
            2 => (base, a.clone()).prop_map(|(base, power)| Formula::Power(base, power)),
            1 => a.clone().prop_map(Formula::Root),
            1 => (2..12_u32, a.clone()).prop_map(|(degree, inner)| Formula::Degree(degree, inner)),
            1 => a.clone().prop_map(Formula::Grouped),
            1 => a.clone().prop_map(Formula::Absolute),
            1 => (2..50_u32, factor).prop_map(|(number, inner)| Formula::Times(number, inner)),
            4 => (0..JOINS.len(), a.clone(), b).prop_map(|(at, a, b)| Formula::Joined(at, a, b)),
            1 => a.clone().prop_map(Formula::Negative),
            1 => (prop::sample::select(vec!["sin", "log", "cos"]), a).prop_map(|(name, a)| Formula::Function(name, a)),
        ]
    })
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    #[test]
    fn a_formula_has_one_set_of_terms(formula in formula(), wide in any::<bool>(), german in any::<bool>()) {
        let analyser = Analyser::new(if german { "de" } else { "en" });
        let printed = [Line, Latex, Unicode].map(|style| formula.print(style, wide));
        let expected = analyser.analyse(&format!("Solve {} now", printed[0]));
        prop_assert!(expected.terms.len() > 2);
        for spelling in &printed {
            for text in [
                format!("Solve {spelling} now"),
                format!("Solve ${spelling}$ now"),
                format!(r"Solve \({spelling}\) now"),
            ] {
                prop_assert_eq!(&analyser.analyse(&text), &expected, "{} is not {}", text, &printed[0]);
            }
        }
    }
}
