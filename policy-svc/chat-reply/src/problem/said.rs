//! What a student claims to be a solution. A number that stands there for something else is no claim, and neither is a row
//! of guesses.

use turnwise_reply_guard::formula::{Formula, Part, Symbol};

use super::is_solved;

/// Words that claim what follows.
#[rustfmt::skip]
const CLAIMS: [&str; 45] = [
    "is", "it's", "its", "it", "be", "got", "get", "gets", "equals", "answer", "result", "solution", "think", "thought",
    "guess", "maybe", "gives", "have", "find", "found", "ist", "ists", "es", "sind", "habe", "hab", "bekomme", "bekam",
    "bekommen", "erhalte", "erhalten", "kommt", "antwort", "lösung", "ergebnis", "denke", "glaube", "vielleicht", "ergibt",
    "wäre", "macht", "makes", "hätte", "so", "also",
];
/// Words that may stand between a claim and its number.
#[rustfmt::skip]
const FILLERS: [&str; 33] = [
    "i", "the", "my", "a", "or", "and", "that", "then", "um", "uh", "like", "just", "about", "would", "as", "to", "for", "x",
    "ich", "die", "das", "der", "meine", "mein", "oder", "und", "dann", "da", "als", "nur", "für", "jetzt", "now",
];
/// Words behind a number that it does not count.
#[rustfmt::skip]
const BEHIND: [&str; 34] = [
    "right", "correct", "ok", "okay", "or", "and", "but", "because", "then", "is", "as", "for", "at", "i", "it", "please",
    "richtig", "korrekt", "oder", "und", "aber", "weil", "dann", "ist", "als", "raus", "heraus", "rausbekommen",
    "herausbekommen", "bekommen", "stimmt", "so", "erhalten", "isn't",
];

/// The claims of a line's parts, each as a statement. `is_problem` says of a part whether it is one.
pub(super) fn claims(line: &[Part], is_problem: impl Fn(&Formula) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut claimed = vec![false; line.len()];
    for (at, part) in line.iter().enumerate() {
        let Part::Formula(formula) = part else {
            continue;
        };
        if is_problem(formula) || is_negated(&line[..at]) {
            continue;
        }
        let claims = if is_solved(formula) || formula.has_letter() {
            true
        } else {
            formula.is_relation()
                || (is_claimed(line, at, &claimed) && !is_counted(line.get(at + 1)))
        };
        if claims {
            claimed[at] = true;
            found.push(statement(formula));
        }
    }
    found
}

/// What a formula says: of a calculation, what comes out.
fn statement(formula: &Formula) -> String {
    if formula.has_letter() {
        return formula.to_string();
    }
    let last = formula
        .0
        .rsplit(|symbol| *symbol == Symbol::Sign('='))
        .next();
    Formula(last.unwrap_or_default().to_vec()).to_string()
}

/// The value of a statement.
pub(super) fn value(statement: &str) -> &str {
    statement.rsplit('=').next().unwrap_or(statement).trim()
}

fn ends_sentence(part: &Part) -> bool {
    matches!(part, Part::Stop('.' | '?' | '!' | ';'))
}

fn is_negated(before: &[Part]) -> bool {
    let near = before
        .iter()
        .rev()
        .take_while(|part| !ends_sentence(part))
        .take(3);
    near.into_iter().any(|part| matches!(part, Part::Word(word) if matches!(
        word.as_str(), "not" | "nicht" | "kein" | "keine" | "never" | "nie" | "no" | "without" | "ohne"
    ) || word.ends_with("n't")))
}

/// Whether a number stands alone, behind words that claim it, or in a row with one that is claimed.
fn is_claimed(line: &[Part], at: usize, claimed: &[bool]) -> bool {
    let mut says = false;
    for before in (0..at).rev() {
        match &line[before] {
            Part::Word(word) if CLAIMS.contains(&word.as_str()) => says = true,
            Part::Word(word) if FILLERS.contains(&word.as_str()) => {}
            Part::Stop(',' | ':') => {}
            Part::Formula(_) if claimed[before] => return true,
            Part::Stop(_) => return says || is_alone(line, at),
            _ => return says,
        }
    }
    says || is_alone(line, at)
}

/// Whether only signs follow to the end of the line: a number at its begin may be a label.
fn is_alone(line: &[Part], at: usize) -> bool {
    line[at + 1..].iter().all(|part| match part {
        Part::Stop(_) => true,
        Part::Word(word) => BEHIND.contains(&word.as_str()),
        Part::Formula(formula) => !formula.has_letter(),
    })
}

/// Whether a word follows that a number counts.
fn is_counted(next: Option<&Part>) -> bool {
    matches!(next, Some(Part::Word(word)) if !BEHIND.contains(&word.as_str()))
}
