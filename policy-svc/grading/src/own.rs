//! The exercise in what a student writes: a message that is one, whatever words stand around it, or its only formula for
//! which a step is known; and what goes on with one.

use std::iter;

use num_traits::Signed;

use crate::{
    algebra::{Env, Rational, Roots, Work, normal},
    grade::Drill,
    next_step::next_step,
    notation::Expression,
    prompt::{Piece, pieces},
    solving::is_solved,
    task::{self, Subject},
};

/// Longer messages are not read for an exercise.
const MOST_BYTES: usize = 1_000;

/// What may stand behind an exercise.
const END_MARKS: [char; 7] = ['?', '!', '.', '=', ',', ';', ' '];

/// The tasks of an expression with a variable that no word names, the likelier first.
const UNSAID: [&str; 2] = ["Expand.", "Simplify."];

/// Words around an exercise that name no task, in the catalogue's languages; none by which an answer is given.
#[rustfmt::skip]
const FRAME: &[&str] = &[
    "", "about", "an", "bracket", "brackets", "calculate", "calculating", "can", "compute", "could", "do",
    "does", "doing", "don't", "dont", "equation", "equations", "evaluate", "exercise", "expression", "for", "fraction",
    "get", "help", "hello", "hey", "hi", "how", "i", "is", "me", "my", "need", "now", "out", "please", "problem",
    "question", "show", "solve", "solving", "stuck", "sum", "task", "tell", "term", "that", "the",
    "this", "to", "understand", "value", "we", "what", "what's", "whats", "with", "work", "would", "you",
    "aufgabe", "auf", "aus", "bei", "berechne", "berechnen", "bestimme", "bitte", "brauche", "bruch", "das", "den",
    "der", "die", "diese", "dieser", "ergibt", "geht", "gibt", "gleichung", "hallo", "hilf", "hilfe", "ich",
    "ist", "kann", "kannst", "klammer", "klammern", "löse", "lösen", "löst", "man", "mir", "mit", "nicht",
    "rechne", "rechnen", "rechnet", "so", "viel", "von", "was", "weit", "wie", "wieviel", "wir", "verstehe", "zu",
    "möglich", "vollständig", "du", "macht", "mache",
];

/// Words around what comes of a step, in the catalogue's languages.
#[rustfmt::skip]
const SAID: &[&str] = &[
    "also", "and", "answer", "get", "got", "guess", "have", "is", "it", "maybe", "not", "or", "so", "that", "that's",
    "the", "then", "think", "it's", "its", "thats", "you", "you're", "youre", "are", "i'm", "im", "but",
    "antwort", "bekomme", "da", "dann", "das", "die", "es", "ergibt", "gibt", "habe", "heraus", "hab", "ich", "ist",
    "kommt", "nicht", "oder", "raus", "und", "vielleicht", "du", "liegst", "stimmt", "war", "aber",
];

/// Answers to whether a number is a solution, and to what was said.
const DECIDED: [&str; 9] = [
    "yes",
    "no",
    "wrong",
    "incorrect",
    "right",
    "ja",
    "nein",
    "falsch",
    "richtig",
];

/// How a guess begins, whatever it is: `is it times`.
const GUESSED: [&str; 4] = ["is it ", "is that ", "ist es ", "ist das "];

/// Words that name a task, and the prompt with it.
const TASKS: &[(&str, &str)] = &[
    ("simplify", "Simplify."),
    ("simplifying", "Simplify."),
    ("reduce", "Simplify."),
    ("combine", "Simplify."),
    ("cancel", "Simplify."),
    ("expand", "Expand."),
    ("expanding", "Expand."),
    ("multiply", "Expand."),
    ("factor", "Factor."),
    ("factorise", "Factor."),
    ("factorize", "Factor."),
    ("vereinfache", "Simplify."),
    ("vereinfachen", "Simplify."),
    ("kürze", "Simplify."),
    ("kürzen", "Simplify."),
    ("kürzt", "Simplify."),
    ("vereinfacht", "Simplify."),
    ("zusammenfassen", "Simplify."),
    ("fasse", "Simplify."),
    ("zusammen", "Simplify."),
    ("multipliziere", "Expand."),
    ("ausmultiplizieren", "Expand."),
    ("ausmultipliziert", "Expand."),
    ("klammere", "Factor."),
    ("faktorisiere", "Factor."),
    ("faktorisieren", "Factor."),
    ("ausklammern", "Factor."),
];

/// Words for a sum, and between its two parts.
const ADDING: [&str; 4] = ["add", "adding", "addiere", "addieren"];
const ADDED: [&str; 4] = ["and", "to", "und", "zu"];

/// Words between a part and what it is taken of.
const PART_OF: [&str; 2] = ["of", "von"];

/// Words for signs.
const SIGNS: [(&str, &str); 5] = [
    ("times", "*"),
    ("mal", "*"),
    ("plus", "+"),
    ("minus", "-"),
    ("durch", "/"),
];

/// See [`crate::exercise_in`].
pub(crate) fn exercise_in(message: &str) -> Option<(String, String)> {
    if let Some(whole) = exercise_alone(message) {
        return Some(whole);
    }
    if !may_hold_one(message) {
        return None;
    }
    let mut found = Vec::new();
    for piece in pieces(message) {
        if let Piece::Formula(formula) = piece {
            let formula = without_words(&formula);
            if begins("", &formula) && !found.contains(&formula) {
                found.push(formula);
            }
        }
    }
    let [only] = <[String; 1]>::try_from(found).ok()?;
    Some((String::new(), only))
}

/// The exercise that a message is, whatever words of a task stand around it.
pub(crate) fn exercise_alone(message: &str) -> Option<(String, String)> {
    // `5 - 9 = ?`
    let message = message.trim_end_matches(END_MARKS);
    if !may_hold_one(message) {
        return None;
    }
    let step = next_step(&drill(message, ""));
    let in_words = || (message.to_owned(), String::new());
    if step.as_ref().is_some_and(|step| !step.is_only()) {
        return Some(in_words());
    }
    let in_frame = || {
        let (prompt, formula) = framed(message)?;
        let mut formulas = [formula.clone(), with_points(&formula)].into_iter();
        formulas.find_map(|formula| Some((prompt_of(prompt, &formula)?.to_owned(), formula)))
    };
    in_frame().or_else(|| step.map(|_| in_words()))
}

/// See [`crate::goes_on`].
pub(crate) fn goes_on(message: &str) -> bool {
    let message = message.trim().to_lowercase().replace('’', "'");
    if message.len() > MOST_BYTES {
        return false;
    }
    let words = message.split_whitespace();
    let mut words = words.map(|token| token.trim_matches(['.', ':', ',', '!', '?']));
    let says =
        message.contains(char::is_numeric) || words.clone().any(|word| DECIDED.contains(&word));
    let is_said = |word: &str| SAID.contains(&word) || DECIDED.contains(&word) || !is_wordy(word);
    GUESSED.iter().any(|guess| message.starts_with(guess)) || says && words.all(is_said)
}

fn may_hold_one(message: &str) -> bool {
    message.len() <= MOST_BYTES && message.contains(char::is_numeric)
}

/// Whether a first step of several is known. A single operation may be anything: `5-9 apples`.
fn begins(prompt: &str, question_latex: &str) -> bool {
    next_step(&drill(prompt, question_latex)).is_some_and(|step| !step.is_only())
}

fn drill<'a>(prompt: &'a str, question_latex: &'a str) -> Drill<'a> {
    Drill {
        prompt,
        question_latex,
        key: None,
    }
}

/// The prompt of the task that a message names, and the formula that is all else it says.
fn framed(message: &str) -> Option<(&'static str, String)> {
    let tokens: Vec<&str> = message.split_whitespace().collect();
    let mut rest = tokens.as_slice();
    let mut prompt = "";
    while let [first, others @ ..] = rest
        && let Some(task) = frame(first)
    {
        prompt = if prompt.is_empty() { task } else { prompt };
        rest = others;
    }
    while let [others @ .., last] = rest
        && let Some(task) = frame(last)
    {
        prompt = if prompt.is_empty() { task } else { prompt };
        rest = others;
    }
    if let Some(sum) = sum_in_words(rest) {
        return Some((prompt, sum));
    }
    let before = iter::once(&"").chain(rest);
    let signs: Vec<String> = (before.zip(rest))
        .map(|(before, token)| match sign(before, token) {
            // `2/3 * 3/4` multiplies fractions.
            part if is_part(part) && is_product_sign(before) => format!("({part})"),
            other => other.to_owned(),
        })
        .collect();
    if signs.iter().any(|token| is_wordy(token)) {
        return None;
    }
    let formula = signs.join(" ");
    let formula = formula.trim_end_matches(END_MARKS);
    let formula = if formula.contains('\\') {
        formula.to_owned()
    } else {
        formula.replace(':', "/")
    };
    Some((prompt, formula))
}

/// Whether a token is a fraction of two whole numbers.
fn is_part(token: &str) -> bool {
    let is_whole = |number: &str| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    let number = token.trim_end_matches(END_MARKS);
    number
        .split_once('/')
        .is_some_and(|(above, below)| is_whole(above) && is_whole(below))
}

fn is_product_sign(token: &str) -> bool {
    let signs = ["*", "×", "·", "⋅", "/", "÷", ":", "of", "von"];
    let said = sign("", token);
    signs.contains(&said)
}

/// The sum that `add -3 and 8` asks for.
fn sum_in_words(tokens: &[&str]) -> Option<String> {
    let [verb, middle @ .., first, between, second] = tokens else {
        return None;
    };
    let is_one_of = |words: &[&str], token: &str| {
        let token = token.to_lowercase();
        words.iter().any(|word| *word == token)
    };
    let is_number = |token: &str| token.contains(char::is_numeric) && !is_wordy(token);
    let is_said = is_one_of(&ADDING, verb)
        && is_one_of(&ADDED, between)
        && middle.iter().all(|token| frame(token) == Some(""));
    let second = second.trim_end_matches(END_MARKS);
    let is_sum = is_said && is_number(first) && is_number(second);
    let second = if second.starts_with(['-', '−', '–']) {
        format!("({second})")
    } else {
        second.to_owned()
    };
    is_sum.then(|| format!("{first} + {second}"))
}

/// The prompt that a word around an exercise stands for, empty for most; `None` for a word that is none.
fn frame(token: &str) -> Option<&'static str> {
    let word = token.trim_matches(['.', ':', ',', '!', '?']);
    let word = word.to_lowercase().replace('’', "'");
    let task = TASKS.iter().find(|(named, _)| *named == word);
    let is_plain = || FRAME.contains(&word.as_str()).then_some("");
    task.map(|(_, prompt)| *prompt).or_else(is_plain)
}

/// The sign that a word stands for, else the word. A part is taken of something, `7 of 10` is no exercise.
fn sign<'a>(before: &str, token: &'a str) -> &'a str {
    let word = token.to_lowercase();
    if PART_OF.contains(&word.as_str()) && before.contains(['/', '%', '\\']) {
        return "*";
    }
    let sign = SIGNS.iter().find(|(named, _)| *named == word);
    sign.map_or(token, |(_, sign)| *sign)
}

/// Whether a token is no part of a formula: a word, or letters that are more than a product of variables.
fn is_wordy(token: &str) -> bool {
    let mut runs = token.split(|c: char| !c.is_alphabetic());
    let is_long =
        !token.contains(['\\', '√']) && runs.any(|run| run.chars().count() > 2 && run != "sqrt");
    is_long || token.chars().count() > 1 && token.chars().all(char::is_alphabetic)
}

/// A formula with points for the commas of its decimals: `0,5x = 3`.
fn with_points(formula: &str) -> String {
    let characters: Vec<char> = formula.chars().collect();
    let is_digit = |at: usize| characters.get(at).is_some_and(char::is_ascii_digit);
    let one = |(at, own): (usize, &char)| match own {
        ',' if at > 0 && is_digit(at - 1) && is_digit(at + 1) => '.',
        other => *other,
    };
    characters.iter().enumerate().map(one).collect()
}

/// The prompt that a formula is an exercise with, where `named` is the task's that the words name; `None` where it is none:
/// a value, a variable's value, a term alone may be an answer.
fn prompt_of(named: &'static str, formula: &str) -> Option<&'static str> {
    match task::formula(formula)? {
        Subject::Relations(relations) => {
            let [only] = relations.as_slice() else {
                return None;
            };
            let has_unknown = only.left.has_variable() || only.right.has_variable();
            (has_unknown && !is_solved(only)).then_some("")
        }
        Subject::System(_) => Some(""),
        Subject::Expression(expression) if expression.has_variable() => {
            let is_read = |prompt: &str| task::in_english(&drill(prompt, formula)).is_ok();
            let of_laws = || calls_for_laws(&expression).then_some("Simplify.");
            let unsaid = || {
                let begun = UNSAID.into_iter().find(|prompt| begins(prompt, formula));
                begun.or_else(of_laws)
            };
            match named {
                "" => unsaid(),
                named => is_read(named).then_some(named),
            }
        }
        Subject::Expression(expression) => {
            let is_task = operates(&expression) || is_fraction(&expression) && !named.is_empty();
            let is_simplified = named == "Simplify.";
            is_task.then_some(if is_simplified { named } else { "" })
        }
        Subject::Quantity(_) | Subject::Comparison(..) => None,
    }
}

/// Whether a term is more than an answer though no step is known for it: powers are multiplied, divided or raised to a power, an
/// exponent is zero or negative, or terms with different letters are added.
fn calls_for_laws(expression: &Expression) -> bool {
    let is_letter = |part: &Expression| matches!(part, Expression::Variable(_));
    let is_power = |part: &Expression| matches!(part, Expression::Power(..)) && part.has_variable();
    match expression {
        Expression::Multiply(factors) => {
            let letters = factors.iter().filter(|part| part.has_variable());
            let mut letters: Vec<_> = letters.map(Expression::variables).collect();
            let all = letters.len();
            letters.sort_unstable();
            letters.dedup();
            letters.len() < all
        }
        Expression::Power(base, exponent) => {
            let is_positive = value(exponent).is_none_or(|exponent| exponent.is_positive());
            base.has_variable()
                && (matches!(**base, Expression::Power(..) | Expression::Multiply(_))
                    || !is_positive)
        }
        Expression::Divide(above, below) => {
            is_power(above) && (is_power(below) || is_letter(below))
        }
        Expression::Add(parts) => {
            let has_letters = parts.iter().all(Expression::has_variable);
            has_letters && expression.variables().len() > 1
        }
        _ => false,
    }
}

/// Whether there is something to work out with numbers. A fraction in lowest terms or not is a number; `12/4` is a division.
fn operates(expression: &Expression) -> bool {
    match expression {
        Expression::Negate(inner) => operates(inner),
        Expression::Add(_)
        | Expression::Multiply(_)
        | Expression::Power(..)
        | Expression::Root(..) => true,
        Expression::Divide(..) => {
            !is_fraction(expression) || value(expression).is_some_and(|value| value.is_integer())
        }
        _ => false,
    }
}

/// Whether it is a fraction of two numbers.
pub(crate) fn is_fraction(expression: &Expression) -> bool {
    fn is_number(expression: &Expression) -> bool {
        match expression {
            Expression::Negate(inner) => is_number(inner),
            Expression::Number { .. } => true,
            _ => false,
        }
    }
    matches!(expression, Expression::Divide(above, below) if is_number(above) && is_number(below))
}

/// The rational number that an expression is.
pub(crate) fn value(expression: &Expression) -> Option<Rational> {
    let mut env = Env::new(Roots::Real);
    let normal = normal(expression, &mut env, &mut Work::new()).ok()?;
    normal.as_number()
}

/// A formula without short words of other languages around it: `ich 2x + 3 = 7`.
pub(crate) fn without_words(formula: &str) -> String {
    let is_word = |token: &str| token.chars().all(char::is_alphabetic);
    let mut tokens: Vec<&str> = formula.split_whitespace().collect();
    while let [first, second, ..] = tokens.as_slice()
        && is_word(first)
        && second.starts_with(char::is_alphanumeric)
    {
        tokens.remove(0);
    }
    while let [.., before, last] = tokens.as_slice()
        && is_word(last)
        && last.chars().nth(1).is_some()
        && before.ends_with(char::is_alphanumeric)
    {
        tokens.pop();
    }
    tokens.join(" ")
}
