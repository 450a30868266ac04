//! A first look at a statement: whether it can have to do with the solution at all. Most of a reply's numbers cannot, and the
//! grader, which decides, takes a hundred times as long for each.

use crate::{
    answer::OpenDrill,
    formula::{Formula, Part, is_relation, parts, typed},
    value::{any, linear_root, value},
};

/// What the values of an exercise's solution are, modulo a prime.
pub(crate) struct Solution {
    letters: Vec<char>,
    values: Vec<u64>,
    /// Whether the solution is an expression with variables.
    is_expression: bool,
}

impl Solution {
    /// The solution of an exercise with these formulas: what the course's key says, and what comes of an only formula that is
    /// an expression or a linear equation. `None` where it is something else than values.
    pub(crate) fn of(
        open: &OpenDrill<'_>,
        formulas: &[&Formula],
        letters: &[char],
    ) -> Option<Self> {
        let keys = open.key.map_or(Some(Vec::new()), keys)?;
        let mut values: Vec<u64> = keys
            .iter()
            .map(|key| value(key, &any))
            .collect::<Option<_>>()?;
        let has_letter = |text: &String| text.contains(|c: char| c.is_ascii_alphabetic());
        let mut is_expression = keys.iter().any(has_letter);
        let own = match formulas {
            [first, others @ ..] if others.iter().all(|other| other == first) => {
                own(first, letters)
            }
            _ => None,
        };
        if let Some((value, has_letters)) = own {
            values.push(value);
            is_expression |= has_letters;
        }
        // A key with a letter of its own may have a unit.
        let in_letters = |text: &String| {
            let mut own = text.chars().filter(char::is_ascii_alphabetic);
            own.all(|letter| letters.contains(&letter))
        };
        (!values.is_empty() && keys.iter().all(in_letters)).then(|| Self {
            letters: letters.to_vec(),
            values,
            is_expression,
        })
    }

    /// Whether a statement, as it is typed, may state the solution. It surely does not where no side and no number of it has the
    /// solution's value, and none of the solution's values fulfils it.
    pub(crate) fn may_be_in(&self, statement: &str) -> bool {
        let sides: Vec<&str> = statement.split('=').collect();
        let mut letters = statement.chars().filter(|c| c.is_alphabetic());
        if !letters.all(|letter| self.letters.contains(&letter)) {
            return true;
        }
        let has_letter = statement.contains(char::is_alphabetic);
        if sides.len() > 1 && has_letter {
            // What holds everywhere says nothing of the solution.
            let holds = |put_in: &dyn Fn(char) -> u64| {
                let mut values = sides.iter().map(|side| value(side, &put_in));
                let first = values.next().flatten();
                first.is_none() || values.any(|value| value.is_none() || value == first)
            };
            let is_met = || self.values.iter().any(|solution| holds(&|_| *solution));
            if self.is_expression || is_met() && !holds(&any) {
                return true;
            }
        }
        let numbers = statement.split(|c: char| !c.is_ascii_digit());
        let numbers = numbers.filter(|number| !number.is_empty());
        sides
            .into_iter()
            .chain(numbers)
            .any(|part| value(part, &any).is_none_or(|value| self.values.contains(&value)))
    }
}

/// The values that a key names, as they are typed: `x = 2 or x = -3`. `None` where it says something else.
fn keys(key: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for part in parts(key) {
        match part {
            Part::Formula(formula) => {
                let sides: Vec<String> = formula.0.split(is_relation).map(typed).collect();
                let is_letter = |side: &String| side.chars().all(char::is_alphabetic);
                match sides.as_slice() {
                    [only] => found.push(only.clone()),
                    [letter, value] if is_letter(letter) && !formula.is_unequal() => {
                        found.push(value.clone());
                    }
                    _ => return None,
                }
            }
            Part::Stop(',' | ';') => {}
            Part::Word(word) if matches!(&*word, "or" | "and" | "oder" | "und") => {}
            _ => return None,
        }
    }
    Some(found)
}

/// The value of an expression, or the solution of a linear equation with one variable; whether variables are in it.
fn own(formula: &Formula, letters: &[char]) -> Option<(u64, bool)> {
    let sides: Vec<String> = formula.0.split(is_relation).map(typed).collect();
    match sides.as_slice() {
        [only] => Some((value(only, &any)?, formula.has_letter())),
        [left, right] if letters.len() == 1 && !formula.is_unequal() => {
            Some((linear_root(left, right)?, false))
        }
        _ => None,
    }
}
