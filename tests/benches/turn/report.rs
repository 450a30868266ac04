//! The report: tables for people, then lines that a script can read.

use turnwise_tests::floor::{Bytes, Calls, To};

use crate::{at_rest::AtRest, median, subject::Sample};

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

/// Prints the bytes of a turn's calls.
pub fn bytes(what: &str, calls: &Calls) {
    println!("\n{what}, its calls, mean bytes over a script (request, response):");
    let line = |name: &str, bytes: Bytes| {
        println!("  {name:<22} {:>6} {:>6}", bytes.request, bytes.response);
    };
    line("the student's own", calls.front);
    for call in calls.phases.iter().flatten() {
        line(&call.method, call.bytes);
        match call.to {
            To::Begin => line("  store, on the wire", calls.store.begin),
            To::Commit => line("  store, on the wire", calls.store.commit),
            To::Policy | To::Retrieval | To::Llm => {}
        }
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
pub fn at_rest(seen: &AtRest) {
    println!(
        "\n`turnwise up` at rest: {:.1} MB resident; first start {:.0} ms, restart {:.0} ms",
        seen.resident_mb, seen.first_start_ms, seen.restart_ms
    );
}
