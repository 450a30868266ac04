//! Grades the real drills of a data directory and prints a table: coverage, agreement with the key, wrong options that were
//! accepted, and time per call.

#![allow(clippy::print_stdout)]

#[path = "../tests/it/drills.rs"]
mod drills;

use std::{path::PathBuf, time::Duration};

use tokio::time::Instant;

use turnwise_grading::{Drill, Verdict, grade};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let directory = arguments
        .iter()
        .position(|argument| argument == "--data")
        .and_then(|at| arguments.get(at + 1))
        .map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let verbose = arguments.iter().any(|argument| argument == "--list");
    let mut times = Vec::new();
    println!(
        "set | rows | decided | agreement | gold wrong | wrong options: all, wrong, right | spellings: all, right, wrong"
    );
    for (name, rows) in drills::sets(&directory) {
        let mut graded = |row: &drills::Row, answer: &str| {
            let drill = Drill {
                prompt: &row.question,
                question_latex: "",
                key: row.key.as_deref(),
            };
            // The best of three: other processes of the machine are not what is measured.
            let mut best = Duration::MAX;
            let mut own = grade(&drill, answer);
            for _ in 0..3 {
                let start = Instant::now();
                own = grade(&drill, answer);
                best = best.min(start.elapsed());
            }
            times.push((best, row.question.clone()));
            own
        };
        let mut report = drills::Report::default();
        for row in &rows {
            let own = graded(row, &row.gold);
            report.gold(own.verdict);
            if verbose && own.verdict != Verdict::Right {
                println!(
                    "  {:?} {} {} | {} | gold {}",
                    own.verdict,
                    own.task.as_str(),
                    own.reason.as_str(),
                    row.question,
                    row.gold
                );
            }
            if own.verdict == Verdict::Right {
                for other in drills::spellings(&row.gold) {
                    let own = graded(row, &other);
                    report.spelling(own.verdict);
                    if verbose && own.verdict == Verdict::Wrong {
                        println!(
                            "  SPELLING {} | {} | {other}",
                            own.reason.as_str(),
                            row.question
                        );
                    }
                }
            }
            for wrong in &row.wrong {
                let own = graded(row, wrong);
                report.option(own.verdict);
                if verbose && own.verdict == Verdict::Right {
                    println!(
                        "  OPTION {} | {} | gold {} | {wrong}",
                        own.reason.as_str(),
                        row.question,
                        row.gold
                    );
                }
            }
        }
        println!(
            "{name} | {} | {:.1} % | {:.1} % | {} | {}, {}, {} | {}, {}, {}",
            report.rows,
            100.0 * report.coverage(),
            100.0 * report.agreement(),
            report.gold_wrong,
            report.options,
            report.options_wrong,
            report.options_right,
            report.spellings,
            report.spellings_right,
            report.spellings_wrong,
        );
    }
    times.sort();
    let at = |share: usize| {
        times
            .get(times.len().saturating_sub(1) * share / 1000)
            .map_or(Duration::ZERO, |(time, _)| *time)
    };
    println!(
        "time per call: p50 {:?}, p99 {:?}, most {:?}",
        at(500),
        at(990),
        at(1000)
    );
    if verbose {
        for (time, question) in times.iter().rev().take(5) {
            println!("  {time:?} {question}");
        }
    }
}
