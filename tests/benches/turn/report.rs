//! The report: tables for people, then lines that a script can read.

use crate::{at_rest::AtRest, median, probe::Seen, subject::Sample};

/// Medians over the rounds of one subject at one concurrency.
#[derive(Clone, Copy)]
pub struct Row {
    /// The subject.
    pub name: &'static str,
    /// Workers.
    pub concurrency: usize,
    /// Medians.
    pub sample: Sample,
    /// The lowest and the highest p50 of all rounds, milliseconds.
    pub p50_range: (f64, f64),
}

impl Row {
    /// Takes the medians.
    pub fn of(name: &'static str, concurrency: usize, rounds: &[Sample]) -> Self {
        let middle = |part: fn(&Sample) -> f64| median(rounds.iter().map(part).collect());
        let p50s = || rounds.iter().map(|sample| sample.p50_ms);
        Self {
            name,
            concurrency,
            sample: Sample {
                p50_ms: middle(|s| s.p50_ms),
                p99_ms: middle(|s| s.p99_ms),
                cpu_ms: middle(|s| s.cpu_ms),
                redis_cpu_ms: middle(|s| s.redis_cpu_ms),
                load_cpu_ms: middle(|s| s.load_cpu_ms),
                per_second: middle(|s| s.per_second),
            },
            p50_range: (
                p50s().fold(f64::INFINITY, f64::min),
                p50s().fold(0.0, f64::max),
            ),
        }
    }
}

/// Prints the bytes of the calls of a script.
pub fn bytes(what: &str, seen: &Seen) {
    println!("\n{what} of the suite, mean bytes of each call over a script:\n");
    println!("| call | calls | request | response | to the store | from the store |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (method, sum) in seen {
        let (message, store) = sum.mean();
        println!(
            "| {method} | {} | {} | {} | {} | {} |",
            sum.calls, message.request, message.response, store.request, store.response
        );
    }
}

/// Prints all rows.
pub fn table(rows: &[Row]) {
    println!(
        "\n| what | c | p50 ms | p99 ms | p50 of rounds | CPU ms/turn | Redis CPU | load CPU | turns/s |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for row in rows {
        let s = &row.sample;
        println!(
            "| {} | {} | {:.2} | {:.2} | {:.2}–{:.2} | {:.2} | {:.2} | {:.2} | {:.0} |",
            row.name,
            row.concurrency,
            s.p50_ms,
            s.p99_ms,
            row.p50_range.0,
            row.p50_range.1,
            s.cpu_ms,
            s.redis_cpu_ms,
            s.load_cpu_ms,
            s.per_second,
        );
    }
}

/// Prints what was seen at rest.
pub fn at_rest(which: &str, seen: &AtRest) {
    println!(
        "\n`turnwise up`{which} at rest: {:.1} MB resident; first start {:.0} ms, restart {:.0} ms",
        seen.resident_mb, seen.first_start_ms, seen.restart_ms
    );
}
