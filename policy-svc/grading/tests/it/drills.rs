//! The real drills of the shared data: read, and counted.

use std::path::Path;

use serde_json::Value;
use turnwise_grading::Verdict;

/// A drill with its answers.
#[derive(Debug, Clone)]
pub struct Row {
    /// The question as the student saw it.
    pub question: String,
    /// The key, where the set is graded with it.
    pub key: Option<String>,
    /// The right answer.
    pub gold: String,
    /// Answers known to be wrong.
    pub wrong: Vec<String>,
}

/// What became of a set of drills.
#[derive(Debug, Clone, Copy, Default)]
pub struct Report {
    /// Drills.
    pub rows: usize,
    /// Right answers called right.
    pub gold_right: usize,
    /// Right answers called wrong.
    pub gold_wrong: usize,
    /// Wrong answers.
    pub options: usize,
    /// Wrong answers called right.
    pub options_right: usize,
    /// Wrong answers called wrong.
    pub options_wrong: usize,
    /// Other spellings of right answers that were called right themselves.
    pub spellings: usize,
    /// Those of them called right.
    pub spellings_right: usize,
    /// Those of them called wrong.
    pub spellings_wrong: usize,
}

impl Report {
    /// Counts a right answer's verdict.
    pub fn gold(&mut self, verdict: Verdict) {
        self.rows += 1;
        match verdict {
            Verdict::Right => self.gold_right += 1,
            Verdict::Wrong => self.gold_wrong += 1,
            Verdict::CannotTell => {}
        }
    }

    /// Counts a wrong answer's verdict.
    pub fn option(&mut self, verdict: Verdict) {
        self.options += 1;
        self.options_right += usize::from(verdict == Verdict::Right);
        self.options_wrong += usize::from(verdict == Verdict::Wrong);
    }

    /// Counts the verdict of another spelling of a right answer.
    pub fn spelling(&mut self, verdict: Verdict) {
        self.spellings += 1;
        self.spellings_right += usize::from(verdict == Verdict::Right);
        self.spellings_wrong += usize::from(verdict == Verdict::Wrong);
    }

    /// The share of right answers that got a verdict.
    pub fn coverage(&self) -> f64 {
        share(self.gold_right + self.gold_wrong, self.rows)
    }

    /// The share of decided right answers that were called right.
    pub fn agreement(&self) -> f64 {
        share(self.gold_right, self.gold_right + self.gold_wrong)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn lines(path: &Path) -> Vec<Value> {
    std::fs::read_to_string(path)
        .unwrap_or_default()
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

fn text(row: &Value, name: &str) -> Option<String> {
    match row.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(all) => all.first().and_then(Value::as_str).map(str::to_owned),
        _ => None,
    }
}

fn options(row: &Value, name: &str) -> Vec<String> {
    match row.get(name) {
        Some(Value::Array(all)) => all
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Number(number)) => vec![number.to_string()],
        _ => Vec::new(),
    }
}

fn rows(path: &Path, wrong: &str, keyed: bool) -> Vec<Row> {
    lines(path)
        .iter()
        .filter_map(|row| {
            let gold = text(row, "gold")?;
            Some(Row {
                question: text(row, "question")?,
                key: keyed.then(|| gold.clone()),
                wrong: options(row, wrong),
                gold,
            })
        })
        .collect()
}

/// Other spellings of an answer that mean the same: signs, spaces, LaTeX, full width.
pub fn spellings(answer: &str) -> Vec<String> {
    let spaced = answer
        .chars()
        .flat_map(|character| match character {
            '+' | '=' => vec![' ', character, ' '],
            other => vec![other],
        })
        .collect();
    let mut all = vec![
        answer.replace('-', "−"),
        spaced,
        format!("${answer}$"),
        format!(" {answer}."),
        answer.replace('(', "\\left(").replace(')', "\\right)"),
        answer.replace('+', "＋").replace('=', "＝"),
        answer.replace('*', "\\cdot "),
        answer.replace("sqrt(", "√("),
        answer.replace("^2", "²"),
    ];
    all.sort();
    all.dedup();
    all.retain(|other| other != answer);
    all
}

/// The sets of drills under a data directory.
pub fn sets(directory: &Path) -> Vec<(&'static str, Vec<Row>)> {
    let path = |name: &str| directory.join("drills").join(name);
    vec![
        (
            "oatutor without key",
            rows(&path("oatutor_drills.jsonl"), "wrong", false),
        ),
        (
            "oatutor with key",
            rows(&path("oatutor_drills.jsonl"), "wrong", true),
        ),
        (
            "mae with key",
            rows(&path("mae_misconceptions.jsonl"), "wrong", true),
        ),
        (
            "mathdial with key",
            rows(&path("mathdial_wrong_solutions.jsonl"), "wrong_final", true),
        ),
    ]
}
