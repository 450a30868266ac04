//! Whether a reply states the solution of the exercise that the student works on: as a side of an equality or behind a
//! relation with the unknown, as a formula, or as a number that is none of the exercise's. `docs/helper-strictness.md` has
//! the figures.

use std::collections::{BTreeSet, HashMap};

use turnwise_fingerprint::expression;
use turnwise_grading::{Drill, Reason, Task, Verdict, grade, task};

use crate::{
    formula::{Formula, Part, Symbol, is_relation, parts, typed, unions},
    numbers::{is_division, is_rounded, without_unit},
    signs::spellings,
    solution::Solution,
    surroundings::{counts, is_asked, is_operand, is_told},
    written,
};

/// The most statements that are held against the exercise; each may take the grader some time. What says more is taken to
/// hide the solution among them.
const MOST_STATEMENTS: usize = 256;
/// Numbers in one line of a student's, of which more are guesses and no statement.
const MOST_GUESSES: usize = 4;
/// The exercise that the student works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenDrill<'a> {
    /// What to do.
    pub prompt: &'a str,
    /// The formula; may be empty.
    pub question_latex: &'a str,
    /// Its answer, where the course has one; without one it is worked out.
    pub key: Option<&'a str>,
    /// What the student said: to repeat it gives nothing away.
    pub said: &'a str,
}

/// Whether any of the texts states the solution before the student did.
pub fn states_solution<'a>(texts: impl IntoIterator<Item = &'a str>, open: &OpenDrill<'_>) -> bool {
    let mut grader = Grader::new(open);
    let mut stated = BTreeSet::new();
    for text in texts {
        stated.extend(grader.stated(&parts(text)));
        for text in spellings(text, open) {
            stated.extend(grader.stated(&parts(&text)));
        }
    }
    if stated.is_empty() {
        return false;
    }
    let mut said = BTreeSet::new();
    for line in open.said.lines() {
        let read = parts(line);
        if guesses(&read) <= MOST_GUESSES {
            said.extend(grader.stated(&read));
            for line in spellings(line, open) {
                said.extend(grader.stated(&parts(&line)));
            }
        }
    }
    !said.iter().any(|said| said.whole) && !stated.is_subset(&said)
}

/// A solution as it was stated.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Stated {
    /// The whole solution, not one of several.
    whole: bool,
    text: String,
}

struct Grader<'a> {
    drill: Drill<'a>,
    /// The exercise's numbers.
    known: Vec<String>,
    /// The exercise's expressions.
    problem: Vec<u64>,
    /// The exercise's equalities and inequalities that have one variable, [`bare`], and that.
    relations: Vec<(String, char)>,
    letters: Vec<char>,
    /// A system of equations, or an inequality.
    is_many: bool,
    /// Whether a quantity is to be converted.
    converts: bool,
    /// Where it is known, what cannot be the solution is not graded.
    solution: Option<Solution>,
    judged: HashMap<String, Option<bool>>,
}

/// A number or formula where it stands.
struct Said<'a> {
    formula: &'a Formula,
    told: bool,
    used: bool,
    counts: bool,
    asked: bool,
}

impl<'a> Grader<'a> {
    fn new(open: &OpenDrill<'a>) -> Self {
        let exercise: Vec<Part> = [open.prompt, open.question_latex]
            .iter()
            .flat_map(|text| parts(text))
            .collect();
        let formulas: Vec<&Formula> = exercise
            .iter()
            .filter_map(|part| match part {
                Part::Formula(formula) => Some(formula),
                _ => None,
            })
            .collect();
        let signs = formulas.iter().flat_map(|formula| &formula.0);
        let relations = signs.filter(|symbol| is_relation(symbol)).count();
        let is_many = relations > 1 || formulas.iter().any(|formula| formula.is_unequal());
        let letters: Vec<char> = formulas
            .iter()
            .flat_map(|formula| formula.letters())
            .collect();
        let drill = Drill {
            prompt: open.prompt,
            question_latex: open.question_latex,
            key: open.key,
        };
        let converts = task(open.prompt, open.question_latex) == Task::Convert;
        let solution = (!is_many && !converts)
            .then(|| Solution::of(open, &formulas, &letters))
            .flatten();
        Self {
            converts,
            solution,
            drill,
            known: formulas.iter().copied().flat_map(known).collect(),
            problem: formulas
                .iter()
                .flat_map(|formula| {
                    let sides = formula.0.split(is_relation).map(typed);
                    sides.chain([typed(&formula.0)])
                })
                .chain([open.question_latex.to_owned(), open.prompt.to_owned()])
                .filter_map(|text| expression(&text))
                .collect(),
            relations: formulas
                .iter()
                .filter(|formula| formula.is_relation())
                .filter_map(|formula| match *formula.letters() {
                    [letter] => Some((bare(formula), letter)),
                    _ => None,
                })
                .collect(),
            letters,
            is_many,
            judged: HashMap::new(),
        }
    }

    fn stated(&mut self, parts: &[Part]) -> BTreeSet<Stated> {
        let mut found = BTreeSet::new();
        found.extend(unions(parts).filter_map(|union| self.judge(&union, false)));
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Formula(formula) => {
                    let bare = without_unit(formula, &self.letters);
                    let said = Said {
                        formula: bare.as_ref().unwrap_or(formula),
                        told: is_told(parts, at),
                        used: is_operand(parts, at),
                        counts: counts(parts, at),
                        asked: is_asked(parts, at),
                    };
                    for (statement, unfinished) in self.statements(&said) {
                        // A conversion's answer has its unit.
                        if self.converts
                            && let Some(Part::Word(unit)) = parts.get(at + 1)
                        {
                            found.extend(self.judge(&format!("{statement} {unit}"), false));
                        }
                        found.extend(self.judge(&statement, unfinished));
                    }
                }
                // `The answer is one.`
                Part::Word(word) if written::is_one(word) && word != "a" && is_told(parts, at) => {
                    found.extend(self.judge("1", false));
                }
                _ => {}
            }
        }
        found
    }

    /// What a formula says that may be the solution, and whether it counts before it is worked out.
    fn statements(&self, said: &Said<'_>) -> Vec<(String, bool)> {
        let Said { formula, .. } = *said;
        // A number of the exercise may be used; where it stands alone it is told.
        let bare = match formula.0.as_slice() {
            [Symbol::Sign('('), inner @ .., Symbol::Sign(')')] => inner,
            symbols => symbols,
        };
        let is_number = literals(bare) == [bare];
        let alone = is_number && !(said.used || said.counts || said.asked);
        let told = said.told || alone;
        let text = typed(&formula.0);
        if expression(&text).is_some_and(|hash| self.problem.contains(&hash)) && !told {
            return Vec::new();
        }
        let mut found = Vec::new();
        if formula.is_relation() {
            let sides: Vec<&[Symbol]> = formula.0.split(is_relation).collect();
            let unknown = |side: &[Symbol]| matches!(side, [Symbol::Letter(_)]);
            let isolated = sides.iter().any(|side| unknown(side));
            match sides.first() {
                // `greater than 3`: the unknown is not named.
                Some([]) => {
                    let letters = self.letters.iter();
                    found.extend(letters.map(|letter| (format!("{letter}{text}"), false)));
                }
                _ => found.push((text, isolated)),
            }
            found.extend(
                self.put_in(formula)
                    .map(|number| (number.to_owned(), false)),
            );
            for (at, side) in sides.iter().enumerate() {
                let plain = !side
                    .iter()
                    .any(|symbol| matches!(symbol, Symbol::Letter(_)));
                let calculated = sides.iter().enumerate().any(|(other, side)| {
                    let other_side = Formula(side.to_vec());
                    other != at && !other_side.has_letter() && other_side.has_operation()
                });
                // `Dividing 15 by 3 gives 5` has an equality of two numbers that are not equal.
                let comes_out = at == 1
                    && matches!(sides[0], [Symbol::Number(first)] if matches!(*side, [Symbol::Number(second)] if first != second));
                if !plain {
                    found.push((typed(side), false));
                } else if isolated || calculated || told || comes_out {
                    found.extend(self.numbers(side, true, false));
                } else {
                    found.extend(self.numbers(side, said.counts, said.asked));
                }
            }
        } else if formula.has_letter() {
            found.push((text, false));
            // `24 m²`
            if let [
                number @ Symbol::Number(_),
                Symbol::Letter('m' | 'g' | 'l' | 's' | 'h' | 't'),
                ..,
            ] = formula.0.as_slice()
                && self.letters.is_empty()
            {
                found.extend(self.numbers(std::slice::from_ref(number), told, said.asked));
            }
        } else {
            if told {
                found.push((text.clone(), true));
            }
            if said.told || !said.counts {
                found.extend(self.numbers(&formula.0, told, said.asked));
                // `(-14)/2` is one number.
                if formula.numbers().count() > 1 && !has_sum(&formula.0) && !said.asked {
                    found.push((text, true));
                }
            }
        }
        found
    }

    /// The number that stands where the exercise has its unknown: `5 * 4 - 7 = 13` for `5x - 7 = 13`.
    fn put_in<'f>(&self, formula: &'f Formula) -> Option<&'f str> {
        let said = bare(formula);
        formula.numbers().find(|number| {
            let mut relations = self.relations.iter();
            relations.any(|(relation, letter)| relation.replace(*letter, number) == said)
        })
    }

    /// The numbers of a row of symbols that may be the solution; those of the exercise only where `told`.
    fn numbers(&self, symbols: &[Symbol], told: bool, asked: bool) -> Vec<(String, bool)> {
        let literals = literals(symbols);
        let only = literals.len() == 1;
        let mut found = Vec::new();
        for literal in literals {
            let number = typed(literal);
            // `What is 8/2?` is a step that is still to be done.
            let step = asked && only && is_division(literal);
            if !told && (step || self.known.contains(&number)) {
                continue;
            }
            if self.is_many {
                for letter in &self.letters {
                    for sign in ["=", ">", "<", "≥", "≤"] {
                        found.push((format!("{letter}{sign}{number}"), false));
                    }
                }
            }
            found.push((number, true));
        }
        found
    }

    fn is_ruled_out(&self, statement: &str) -> bool {
        let solution = self.solution.as_ref();
        solution.is_some_and(|solution| !solution.may_be_in(statement))
    }

    fn judge(&mut self, statement: &str, unfinished: bool) -> Option<Stated> {
        let whole = match self.judged.get(statement) {
            Some(known) => *known,
            None if self.judged.len() == MOST_STATEMENTS => Some(false),
            None if self.is_ruled_out(statement) => None,
            None => {
                let grade = grade(&self.drill, statement);
                let is_value = matches!(grade.task, Task::Solve | Task::Evaluate);
                let whole = match (grade.verdict, grade.reason) {
                    (Verdict::Right, _) => Some(true),
                    (_, Reason::IncompleteSolutionSet) => Some(false),
                    (_, Reason::Undecided) if is_rounded(&self.drill, statement) => Some(false),
                    (_, Reason::NotEvaluated | Reason::UnclearSteps) if unfinished && is_value => {
                        Some(true)
                    }
                    _ => None,
                };
                self.judged.insert(statement.to_owned(), whole);
                whole
            }
        };
        let value = statement.rsplit('=').next().unwrap_or(statement).trim();
        whole.map(|whole| Stated {
            whole,
            text: value.to_owned(),
        })
    }
}

/// A formula as it is typed, without brackets and signs of multiplication.
fn bare(formula: &Formula) -> String {
    typed(&formula.0).replace(['*', '(', ')', ' '], "")
}

/// The rows of symbols that are one number: `12`, `-3`, `1 1/2`, `2^2`, `√16`, `50%`.
fn literals(symbols: &[Symbol]) -> Vec<&[Symbol]> {
    let mut found = Vec::new();
    let mut at = 0;
    let number = |at: usize| matches!(symbols.get(at), Some(Symbol::Number(_)));
    let sign = |at: usize, signs: &str| matches!(symbols.get(at), Some(Symbol::Sign(sign)) if signs.contains(*sign));
    while at < symbols.len() {
        let start = at;
        // A sign that stands behind nothing belongs to the number.
        let behind = at > 0
            && (number(at - 1)
                || sign(at - 1, ")%")
                || matches!(symbols.get(at - 1), Some(Symbol::Letter(_))));
        if sign(at, "-") && !behind {
            at += 1;
        }
        if sign(at, "√") {
            at += 1 + usize::from(sign(at + 1, "("));
        }
        if !number(at) {
            at = start + 1;
            continue;
        }
        // `1 1/2`
        if number(at + 1) && sign(at + 2, "/") && number(at + 3) {
            at += 1;
        }
        at += 1;
        while sign(at, "/^") && number(at + 1) {
            at += 2;
        }
        while sign(at, "%") || (sign(at, ")") && symbols[start..at].contains(&Symbol::Sign('('))) {
            at += 1;
        }
        if let Some(literal) = symbols.get(start..at) {
            found.push(literal);
        }
    }
    found
}

/// The numbers of a formula, alone, with the sign before them, and as they stand together. An exponent is none.
fn known(formula: &Formula) -> Vec<String> {
    let mut known: Vec<String> = literals(&formula.0)
        .into_iter()
        .filter(|literal| literal.len() > 1)
        .map(typed)
        .collect();
    for (at, symbol) in formula.0.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| formula.0.get(at));
        if let Symbol::Number(number) = symbol
            && before != Some(&Symbol::Sign('^'))
        {
            known.push(number.clone());
            // A sign in the exercise may be an operator.
            if before == Some(&Symbol::Sign('-')) {
                known.push(format!("-{number}"));
            }
        }
    }
    known
}

/// Whether values are added, subtracted or multiplied.
fn has_sum(symbols: &[Symbol]) -> bool {
    symbols.windows(2).any(|two| {
        matches!(
            two,
            [
                Symbol::Number(_) | Symbol::Letter(_) | Symbol::Sign(')'),
                Symbol::Sign('+' | '-' | '*' | '±')
            ]
        )
    })
}

/// How many numbers stand alone.
fn guesses(parts: &[Part]) -> usize {
    let alone = |part: &&Part| matches!(part, Part::Formula(formula) if formula.0.len() < 3 && !formula.has_letter());
    parts.iter().filter(alone).count()
}
