//! Answers as pupils write them, each with the verdicts that are allowed, read from text files and counted by kind.
//!
//! A line `# …` names the kind of the drills below it. A drill is `@ID` of the demo course, `= KEY | prompt | formula` with a
//! key of its own, or `! UNIT | prompt | formula` without one. Its answers follow, one a line, each behind its mark: `R` must
//! be right, `W` must be wrong, `N` must not be right, `U` must be undecided, `A` only shows what is said. `LR` and the like
//! mark LaTeX, which the grader reads as any text. `\uXXXX` stands for a character.

use std::collections::BTreeMap;

use turnwise_grading::{Drill, Grade, Verdict, grade};

use crate::canned::canned;

/// An answer to a drill.
#[derive(Debug, Clone)]
pub struct Row {
    /// What sort of drill it is.
    pub kind: String,
    /// What to do.
    pub prompt: String,
    /// With which formula.
    pub question: String,
    /// The course's answer.
    pub key: Option<String>,
    /// What is expected.
    pub mark: char,
    /// The student's answer.
    pub answer: String,
}

impl Row {
    /// What the grader says.
    pub fn grade(&self) -> Grade {
        let drill = Drill {
            prompt: &self.prompt,
            question_latex: &self.question,
            key: self.key.as_deref(),
        };
        grade(&drill, &self.answer)
    }

    /// What to call the verdict.
    pub fn outcome(&self, verdict: Verdict) -> Outcome {
        match (self.mark, verdict) {
            ('R', Verdict::Wrong) => Outcome::FalseWrong,
            ('W' | 'N' | 'U', Verdict::Right) => Outcome::FalseRight,
            ('U', Verdict::Wrong) => Outcome::FalseWrong,
            ('R' | 'W', Verdict::CannotTell) => Outcome::Undecided,
            _ => Outcome::Met,
        }
    }
}

/// How a verdict meets what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As expected.
    Met,
    /// A teacher would decide it.
    Undecided,
    /// Called right, and it is not.
    FalseRight,
    /// Called wrong, and it is not.
    FalseWrong,
}

/// What became of the answers of one kind.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count {
    /// Called right.
    pub right: usize,
    /// Called wrong.
    pub wrong: usize,
    /// Left open.
    pub open: usize,
    /// Left open, and a teacher would decide it.
    pub undecided: usize,
    /// Called right, and not so.
    pub false_right: usize,
    /// Called wrong, and not so.
    pub false_wrong: usize,
}

impl Count {
    /// Adds a verdict.
    pub fn add(&mut self, verdict: Verdict, outcome: Outcome) {
        self.right += usize::from(verdict == Verdict::Right);
        self.wrong += usize::from(verdict == Verdict::Wrong);
        self.open += usize::from(verdict == Verdict::CannotTell);
        self.undecided += usize::from(outcome == Outcome::Undecided);
        self.false_right += usize::from(outcome == Outcome::FalseRight);
        self.false_wrong += usize::from(outcome == Outcome::FalseWrong);
    }
}

/// Reads the answers of a file.
pub fn rows(text: &str) -> Vec<Row> {
    let course = canned();
    let mut kind = String::new();
    let mut drill = (String::new(), String::new(), None);
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let field = |text: &str, at: usize| {
            text.split(" | ")
                .nth(at)
                .unwrap_or_default()
                .trim()
                .to_owned()
        };
        if let Some(title) = line.strip_prefix('#') {
            title.trim().clone_into(&mut kind);
        } else if let Some(id) = line.strip_prefix('@') {
            let own = course.iter().find(|own| own.id == id.trim()).unwrap();
            drill = (
                own.prompt.clone(),
                own.question.clone(),
                Some(own.answer.clone()),
            );
        } else if let Some(own) = line.strip_prefix('=') {
            drill = (field(own, 1), field(own, 2), Some(field(own, 0)));
        } else if let Some(own) = line.strip_prefix('!') {
            drill = (field(own, 1), field(own, 2), None);
        } else {
            let (mark, answer) = line.trim_start_matches('L').split_once(' ').unwrap();
            rows.push(Row {
                kind: kind.clone(),
                prompt: drill.0.clone(),
                question: drill.1.clone(),
                key: drill.2.clone(),
                mark: mark.chars().next().unwrap(),
                answer: unescaped(answer),
            });
        }
    }
    rows
}

/// The text with `\uXXXX` as characters; LaTeX has no command of that form.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let character = part
            .get(..4)
            .and_then(|code| u32::from_str_radix(code, 16).ok())
            .and_then(char::from_u32);
        match character {
            Some(character) => {
                plain.push(character);
                plain.push_str(&part[4..]);
            }
            None => {
                plain.push_str("\\u");
                plain.push_str(part);
            }
        }
    }
    plain
}

/// Counts by kind, and the answers whose verdict is not the expected one.
pub fn counted(rows: &[Row]) -> (BTreeMap<String, Count>, Vec<String>) {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut odd = Vec::new();
    for row in rows {
        let grade = row.grade();
        let outcome = row.outcome(grade.verdict);
        counts
            .entry(row.kind.clone())
            .or_default()
            .add(grade.verdict, outcome);
        if outcome != Outcome::Met {
            odd.push(format!(
                "{outcome:?} | {} | {} | {} | {} {} | {}",
                row.prompt,
                row.question,
                row.key.as_deref().unwrap_or("-"),
                row.mark,
                row.answer,
                grade.reason.as_str(),
            ));
        }
    }
    (counts, odd)
}
