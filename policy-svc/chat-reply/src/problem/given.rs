//! Problems that say what one of their unknowns is, or where: `y = 2x + 7 and y = 15`, `zeros of f(x) = x² - 9`,
//! `slope through (1, 2) and (3, 8)`.

use std::sync::LazyLock;

use regex::Regex;
use turnwise_reply_guard::formula::{Formula, Part, Symbol};

use super::{Kind, MOST, Problem, problem};

/// The most values that are put in.
const MOST_GIVEN: usize = 6;

/// Where a graph meets an axis, and two points and a slope.
static PATTERNS: LazyLock<Option<[Regex; 4]>> = LazyLock::new(|| {
    Some([
        Regex::new(
            r"(?i)\b(?:zeros|zeroes|nullstellen?|x-intercepts?|roots of|x-ax[ie]s|x-achse)\b",
        )
        .ok()?,
        Regex::new(r"(?i)\b(?:y-intercept|y-achsenabschnitt|y-axis|y-achse)\b").ok()?,
        Regex::new(r"(?i)\b(?:slope|gradient|steigung|rate of change)\b").ok()?,
        Regex::new(r"\(\s*([-−]?\d+(?:\.\d+)?)\s*[,;|]\s*([-−]?\d+(?:\.\d+)?)\s*\)").ok()?,
    ])
});

/// The equations of a text with what it gives of their unknowns put in, where one unknown is left.
pub(super) fn put_in(text: &str, parts: &[Part]) -> Vec<Problem> {
    let formulas = || {
        parts.iter().filter_map(|part| match part {
            Part::Formula(formula) => Some(formula),
            _ => None,
        })
    };
    let mut given: Vec<(char, Vec<Symbol>)> =
        formulas().filter_map(value).take(MOST_GIVEN).collect();
    let mut found = Vec::new();
    if let Some([x_axis, y_axis, ..]) = &*PATTERNS {
        let zero = || vec![Symbol::Number("0".to_owned())];
        if y_axis.is_match(text) {
            given.push(('x', zero()));
        }
        if x_axis.is_match(text) {
            given.push(('y', zero()));
            // `zeros of x² - 9`
            let alone = formulas().filter(|formula| {
                !formula.is_relation() && formula.letters().len() == 1 && formula.has_operation()
            });
            found.extend(
                alone
                    .take(MOST)
                    .filter_map(|formula| equation(format!("{formula}=0"), formula)),
            );
        }
    }
    let equations = formulas().filter(|one| one.is_relation() && one.letters().len() > 1);
    for formula in equations.take(MOST) {
        let each = given.iter().map(std::slice::from_ref);
        for some in each.chain([given.as_slice()]) {
            let put_in = with_values(formula, some);
            let [left] = *put_in.letters() else {
                continue;
            };
            let asked = (put_in != *formula)
                .then(|| equation(put_in.to_string(), formula))
                .flatten();
            // Where the unknown that is left is given, too, and rightly, nothing is asked.
            found.extend(asked.filter(|asked| {
                !given.iter().any(|(letter, value)| {
                    *letter == left
                        && asked.solved_by(&format!("{left} = {}", Formula(value.clone())), "")
                })
            }));
        }
    }
    found
}

fn equation(question: String, shown: &Formula) -> Option<Problem> {
    let unknown = question.chars().find(|c| c.is_alphabetic())?;
    let prompt = format!("Solve for {unknown}.");
    problem(Kind::Equation, &prompt, &question, &shown.to_string())
}

/// An unknown and what it is: `y = 15`, and `x ist y = 15` of `für welches x ist f(x) = 15`.
fn value(formula: &Formula) -> Option<(char, Vec<Symbol>)> {
    if formula
        .0
        .iter()
        .any(|symbol| matches!(symbol, Symbol::Sign('<' | '>' | '≤' | '≥')))
    {
        return None;
    }
    let sides: Vec<&[Symbol]> = formula
        .0
        .split(|symbol| *symbol == Symbol::Sign('='))
        .collect();
    let plain = |side: &[Symbol]| !side.is_empty() && !Formula(side.to_vec()).has_letter();
    sides.windows(2).find_map(|two| match *two {
        [[Symbol::Letter(letter)], value] | [value, [Symbol::Letter(letter)]] if plain(value) => {
            Some((*letter, value.to_vec()))
        }
        _ => None,
    })
}

fn with_values(formula: &Formula, given: &[(char, Vec<Symbol>)]) -> Formula {
    let symbols = formula.0.iter().flat_map(|symbol| {
        let value = given
            .iter()
            .find(|(letter, _)| *symbol == Symbol::Letter(*letter));
        match value {
            Some((_, value)) => {
                let open = [Symbol::Sign('(')].into_iter();
                open.chain(value.iter().cloned())
                    .chain([Symbol::Sign(')')])
                    .collect()
            }
            None => vec![symbol.clone()],
        }
    });
    Formula(symbols.collect())
}

/// The slope through two points.
pub(super) fn slope(text: &str) -> Option<Problem> {
    let [.., slope, point] = PATTERNS.as_ref()?;
    let points: Vec<[String; 2]> = point
        .captures_iter(text)
        .take(3)
        .map(|found| [1, 2].map(|at| found[at].replace('−', "-")))
        .collect();
    let [[x1, y1], [x2, y2]] = points.as_slice() else {
        return None;
    };
    let question = format!("(({y2}) - ({y1})) / (({x2}) - ({x1}))");
    slope
        .is_match(text)
        .then(|| problem(Kind::Other, "Work out the value.", &question, ""))?
}
