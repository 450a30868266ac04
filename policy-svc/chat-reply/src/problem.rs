//! The problem that a student works on, as far as mathematics can solve it: read from the latest message and from what was
//! said before, in English and German, as it is typed.

mod given;
mod kind;
mod labels;
mod powers;
mod quantities;
mod said;
mod stories;
mod tasks;

use labels::mixed_in_brackets;
use tasks::{Tasks, task};
use turnwise_grading::{Drill, Reason, grade};
use turnwise_reply_guard::{
    OpenDrill,
    formula::{Formula, Part, Symbol, parts},
    respelled, states_solution,
};

pub use kind::Kind;

/// The most problems that are read from one text.
const MOST: usize = 24;
/// The most problems of a conversation that are remembered.
const MOST_PROBLEMS: usize = 96;
/// The most claims of a conversation that are told apart.
const MOST_CLAIMS: usize = 24;
/// The most claims that are no guesses.
const MOST_GUESSES: usize = 2;
/// The most bytes of a text that are read.
const MOST_BYTES: usize = 64_000;

/// A problem that mathematics can solve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What it asks for.
    pub kind: Kind,
    /// What to do, as the grader reads it.
    pub prompt: String,
    /// The formula, as the grader reads it; may be empty.
    pub question: String,
    /// The formula as the student's own; empty where it is in words alone.
    pub shown: String,
}

/// What a student and the helper said.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conversation<'a> {
    /// The latest message.
    pub message: &'a str,
    /// What the student said before, oldest first.
    pub before: &'a [&'a str],
    /// What was said before that, by either side: it may hold the problem, and nothing in it is the student's own word.
    pub summary: &'a str,
}

/// The problems of a conversation, and what the student said beside them.
#[derive(Debug, Clone, Default)]
pub struct OwnProblems {
    problems: Vec<Problem>,
    /// What the student claims, each value once.
    claims: Vec<String>,
    /// What of it is free, for each problem.
    said: Vec<String>,
}

impl OwnProblems {
    /// Reads all of a conversation: a new problem does not set an older one free.
    #[must_use]
    pub fn read(conversation: &Conversation<'_>) -> Self {
        let mut own = Self::default();
        let before = conversation.before.iter().rev().copied();
        for text in [conversation.message].into_iter().chain(before) {
            let read = read(text);
            own.add(read.problems);
            for claim in read.claims {
                let value = said::value(&claim);
                let known = own.claims.iter().any(|known| said::value(known) == value);
                if !known && own.claims.len() < MOST_CLAIMS {
                    own.claims.push(claim);
                }
            }
        }
        own.add(read(conversation.summary).problems);
        if !conversation.before.is_empty() {
            // What one message gives may belong to an equation of another.
            let all = format!(
                "{}\n{}",
                conversation.before.join("\n"),
                conversation.message
            );
            let end = all.floor_char_boundary(MOST_BYTES);
            let all = labels::without_labels(all.get(..end).unwrap_or_default());
            own.add(given::put_in(&all, &parts(&all)));
        }
        own.said = own.free();
        own
    }

    fn add(&mut self, problems: Vec<Problem>) {
        for problem in problems {
            if self.problems.len() < MOST_PROBLEMS && !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }

    /// What a student's claims set free of each problem. More than a few that solve no other problem are guesses.
    fn free(&self) -> Vec<String> {
        let all = self.claims.join("\n");
        if self.claims.len() <= MOST_GUESSES {
            return vec![all; self.problems.len()];
        }
        if self.claims.len() == MOST_CLAIMS {
            return vec![String::new(); self.problems.len()];
        }
        let solves: Vec<Vec<bool>> = self
            .problems
            .iter()
            .map(|problem| {
                let claims = self.claims.iter();
                claims.map(|claim| problem.solved_by(claim, "")).collect()
            })
            .collect();
        let for_others = |own: usize, claim: usize| {
            let mut others = solves.iter().enumerate();
            !solves[own][claim] && others.any(|(other, solves)| other != own && solves[claim])
        };
        (0..self.problems.len())
            .map(|own| {
                let guesses = (0..self.claims.len()).filter(|claim| !for_others(own, *claim));
                if guesses.count() > MOST_GUESSES {
                    String::new()
                } else {
                    all.clone()
                }
            })
            .collect()
    }

    /// The problem that the student asks about.
    #[must_use]
    pub fn first(&self) -> Option<&Problem> {
        self.problems.first()
    }

    /// The problems, the latest first.
    #[must_use]
    pub fn all(&self) -> &[Problem] {
        &self.problems
    }

    /// Whether a text states the solution of one of them before the student did.
    #[must_use]
    pub fn solved_by(&self, text: &str) -> bool {
        let mut each = self.problems.iter().zip(&self.said);
        each.any(|(problem, said)| problem.solved_by(text, said))
    }
}

impl Problem {
    fn solved_by(&self, text: &str, said: &str) -> bool {
        let open = OpenDrill {
            prompt: &self.prompt,
            question_latex: &self.question,
            key: None,
            said,
        };
        states_solution([text], &open)
    }
}

/// A text's problems, and what it claims.
#[derive(Debug, Default)]
struct Read {
    problems: Vec<Problem>,
    claims: Vec<String>,
}

/// Reads a text as it is, and without its labels.
fn read(text: &str) -> Read {
    let end = text.floor_char_boundary(MOST_BYTES);
    let text = text.get(..end).unwrap_or_default().replace("\r\n", "\n");
    let (text, absolute) = powers::absolute(&text);
    let bare = labels::without_labels(&text);
    let mut found = read_as_it_is(&bare);
    if bare != text {
        let other = read_as_it_is(&text).problems;
        found.problems.extend(other);
    }
    if let Some(respelled) = respelled(&bare) {
        found.problems.extend(read_as_it_is(&respelled).problems);
    }
    found.problems.splice(0..0, absolute);
    found.problems.truncate(MOST);
    found
}

fn read_as_it_is(text: &str) -> Read {
    let mut read = Read::default();
    let mut equations: Vec<Formula> = Vec::new();
    let parts = parts(text);
    let words = words(&parts);
    for line in parts.split(|part| *part == Part::Stop('\n')) {
        let mut asked: Vec<Formula> = Vec::new();
        for sentence in line.split(|part| matches!(part, Part::Stop('.' | '?' | '!' | ';'))) {
            read.sentence(sentence, &words, &mut equations, &mut asked);
        }
        read.claims
            .extend(said::claims(line, |formula| asked.contains(formula)));
    }
    // A problem in words alone, such as `Round 3.456 to two decimal places.`
    if equations.is_empty() && read.problems.is_empty() {
        let lines = text
            .lines()
            .filter(|line| line.contains(char::is_alphabetic))
            .filter_map(|line| problem(Kind::Other, line, "", ""));
        read.problems.extend(lines);
        if !read.problems.is_empty() {
            read.claims.clear();
        }
    }
    read.systems(&equations);
    let given = given::put_in(text, &parts);
    let slope = given::slope(text);
    read.problems.splice(0..0, slope.into_iter().chain(given));
    read.problems.extend(stories::read(&parts));
    read
}

/// The words of a text, which may say what to do with a formula in another sentence.
fn words(parts: &[Part]) -> Vec<String> {
    let words = parts.iter().filter_map(|part| match part {
        Part::Word(word) => Some(word.clone()),
        _ => None,
    });
    words.collect()
}

impl Read {
    fn sentence(
        &mut self,
        parts: &[Part],
        words: &[String],
        equations: &mut Vec<Formula>,
        asked: &mut Vec<Formula>,
    ) {
        let quantity = quantities::read(parts);
        let given = givens(parts);
        let task = task(words);
        for (at, part) in parts.iter().enumerate() {
            let Part::Formula(formula) = part else {
                continue;
            };
            let in_quantity = quantity
                .as_ref()
                .is_some_and(|(range, _)| range.contains(&at));
            if in_quantity
                || (!given.is_empty() && is_given(formula))
                || self.formula(formula, task, &given, equations)
            {
                asked.push(formula.clone());
            }
        }
        self.problems.extend(quantities::named(parts));
        if let Some((_, problems)) = quantity {
            self.problems.extend(problems);
        }
    }

    /// Reads a formula. Whether it is a problem.
    fn formula(
        &mut self,
        formula: &Formula,
        task: Tasks,
        given: &str,
        equations: &mut Vec<Formula>,
    ) -> bool {
        if is_solved(formula) {
            return false;
        }
        let shown = formula.to_string();
        let equal = formula
            .0
            .iter()
            .filter(|symbol| **symbol == Symbol::Sign('='))
            .count();
        if formula.is_relation() {
            if !formula.has_letter() {
                return false;
            }
            let kind = if equal == 0 {
                Kind::Inequality
            } else {
                Kind::Equation
            };
            if kind == Kind::Equation {
                equations.push(formula.clone());
            }
            let unknown = formula.letters().first().copied().unwrap_or('x');
            let unknown = task.unknown.unwrap_or(unknown);
            let prompt = format!("Solve for {unknown}.");
            let found = powers::exponent(formula);
            let found = found.or_else(|| problem(kind, &prompt, &shown, &shown));
            self.problems.extend(found);
            // One of a system need not be a problem for itself.
            return true;
        }
        if !formula.has_operation() {
            return false;
        }
        let before = self.problems.len();
        if formula.has_letter() {
            if !given.is_empty() {
                let prompt = format!("Evaluate the expression when {given}.");
                self.problems
                    .extend(problem(Kind::Calculation, &prompt, &shown, &shown));
            }
            for (kind, prompt, asked) in [
                (Kind::Expand, "Expand.", task.expand),
                (Kind::Factor, "Factor.", task.factor),
                (
                    Kind::Simplify,
                    "Simplify.",
                    task.simplify || !(task.expand || task.factor),
                ),
            ] {
                if asked && given.is_empty() {
                    self.problems.extend(problem(kind, prompt, &shown, &shown));
                }
            }
        } else {
            for (prompt, asked) in [
                ("Convert to a percent.", task.percent),
                ("Write as a decimal.", task.decimal),
            ] {
                if asked {
                    self.problems
                        .extend(problem(Kind::Other, prompt, &shown, &shown));
                }
            }
            let is_fraction = formula.0.len() == 3 && has_fraction(formula);
            let (kind, prompt) = if task.simplify && is_fraction {
                (Kind::Simplify, "Simplify.")
            } else if has_fraction(formula) {
                (Kind::Fraction, "Work out the value.")
            } else {
                (Kind::Calculation, "Work out the value.")
            };
            self.problems.extend(problem(kind, prompt, &shown, &shown));
            if task.factor {
                self.problems
                    .extend(problem(Kind::Factor, "Factor.", &shown, &shown));
            }
        }
        self.problems.len() > before
    }

    /// Equations that have as many unknowns as there are of them are one problem.
    fn systems(&mut self, equations: &[Formula]) {
        let mut at = 0;
        while at < equations.len() {
            let longest = (2..=4).rev().find_map(|length| {
                let some = equations.get(at..at + length)?;
                let mut letters: Vec<char> = some.iter().flat_map(Formula::letters).collect();
                letters.sort_unstable();
                letters.dedup();
                let each = some.iter().any(|one| one.letters().len() > 1);
                (letters.len() == length && each).then_some(some)
            });
            let Some(some) = longest else {
                at += 1;
                continue;
            };
            at += some.len();
            let together: Vec<String> = some.iter().map(Formula::to_string).collect();
            let shown = together.join(", ");
            let found = problem(Kind::System, "Solve the system.", &shown, &shown);
            if let Some(found) = found {
                // Before its equations, each of which says less.
                self.problems.retain(|one| !together.contains(&one.shown));
                self.problems.insert(0, found);
            }
        }
    }
}

/// The problem, if the grader can read it.
fn problem(kind: Kind, prompt: &str, question: &str, shown: &str) -> Option<Problem> {
    let question = &mixed_in_brackets(question);
    let drill = Drill {
        prompt,
        question_latex: question,
        key: None,
    };
    let unread = matches!(
        grade(&drill, "0").reason,
        Reason::UnreadableTask | Reason::UnreadableQuestion
    );
    (!unread).then(|| Problem {
        kind,
        prompt: prompt.to_owned(),
        question: question.clone(),
        shown: shown.to_owned(),
    })
}

/// Whether a formula holds a division that does not come out even.
fn has_fraction(formula: &Formula) -> bool {
    formula.0.windows(3).any(|three| {
        let [Symbol::Number(above), Symbol::Sign('/'), Symbol::Number(below)] = three else {
            return false;
        };
        let (above, below) = (above.parse::<u64>(), below.parse::<u64>());
        !matches!((above, below), (Ok(above), Ok(below)) if below > 0 && above.is_multiple_of(below))
    })
}

/// Whether a formula says what an unknown is: `x = 4`.
fn is_solved(formula: &Formula) -> bool {
    let mut sides = formula
        .0
        .split(|symbol| matches!(symbol, Symbol::Sign('=' | '<' | '>' | '≤' | '≥')));
    let (Some(left), Some(right), None) = (sides.next(), sides.next(), sides.next()) else {
        return false;
    };
    let plain = |side: &[Symbol]| !Formula(side.to_vec()).has_letter();
    let lone = |side: &[Symbol]| matches!(side, [Symbol::Letter(_)]);
    (lone(left) && plain(right)) || (lone(right) && plain(left))
}

fn is_given(formula: &Formula) -> bool {
    is_solved(formula) && formula.0.contains(&Symbol::Sign('='))
}

/// What variables stand for, in a sentence that says so: `für x = 4`.
fn givens(parts: &[Part]) -> String {
    let introduces = |part: &Part| {
        matches!(part, Part::Word(word) if matches!(
            word.as_str(),
            "for" | "für" | "fuer" | "when" | "if" | "wenn" | "falls" | "with" | "mit" | "where" | "wobei" | "at"
                | "let" | "and" | "und"
        ))
    };
    let mut found = Vec::new();
    for two in parts.windows(2) {
        if let [before, Part::Formula(formula)] = two
            && is_given(formula)
            && (introduces(before) || (!found.is_empty() && matches!(before, Part::Stop(_))))
        {
            found.push(formula.to_string());
        }
    }
    found.join(", ")
}
