//! How much a whole turn costs: in one process, as five processes with Redis, and beside its floor in the same run.
//!
//! `cargo bench -p turnwise-tests --bench turn` builds what it needs, measures, and prints tables and lines of the form
//! `figure NAME VALUE BOUND`. A bound that is not kept is marked `missed` and is no failure: figures are read, not
//! enforced, because they depend on the machine. docs/figures.md tells the method and holds the latest figures.

// A benchmark that cannot run ends by panicking, and says why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod at_rest;
mod chat;
mod load;
mod probe;
mod report;
mod script;
mod spans;
mod subject;

use std::{path::PathBuf, process::Command};

use clap::Parser;

use chat::Chatter;
use load::{Doing, Student};
use report::Row;
use subject::{
    CHAT, CHAT_FLOOR, FIVE, FIVE_ALWAYS, FIVE_BEFORE, FIVE_DRILLS, FIVE_FLOOR, FIVE_STREAM,
    ONE_OFF, ONE_OFF_FLOOR, ONE_ON, ONE_ON_FLOOR, Sample, Subjects,
};
use turnwise_testing::figure::{Bound, figure};

#[derive(Parser)]
struct Args {
    /// Few turns and one round: shows that the benchmark runs; its figures mean nothing.
    #[arg(long)]
    quick: bool,
    /// Does not build the binaries first.
    #[arg(long)]
    no_build: bool,
    /// Rounds; medians over them are told.
    #[arg(long, default_value = "3")]
    rounds: usize,
    /// Workers, each with one turn under way.
    #[arg(long, value_delimiter = ',', default_value = "1,16,64")]
    concurrency: Vec<usize>,
    /// Only the subjects whose names hold this.
    #[arg(long, default_value = "")]
    only: String,
    /// Worker threads of each of the five processes and of their floor's; each has its own default else.
    #[arg(long)]
    threads: Option<u16>,
    /// A checkout of another commit, with its release binaries built: its five processes are measured in the same rounds.
    #[arg(long)]
    before: Option<PathBuf>,
    /// Leaves out how soon `turnwise up` is there, and its memory.
    #[arg(long)]
    no_rest: bool,
    /// Cargo adds it.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Beyond this, a turn mostly waits for its turn.
const SPANS_UP_TO: usize = 16;

/// The middle of some values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[tokio::main]
async fn main() {
    let args = Args::parse();
    if !args.no_build {
        build();
    }
    machine();

    let at_rest = match args.no_rest {
        true => None,
        false => Some(at_rest::measure(if args.quick { 1 } else { 5 }).await),
    };
    if let Some(at_rest) = &at_rest {
        report::at_rest(at_rest);
    }
    let (turn, chat) = probe::measure().await;
    report::bytes("A turn", &turn);
    report::bytes("A chat", &chat);

    let before = args.before.as_deref();
    let mut subjects = Subjects::start(turn, chat, &args.only, args.threads, before).await;
    let mut rows = Vec::new();
    for concurrency in &args.concurrency {
        rows.extend(rounds(&args, &mut subjects, *concurrency).await);
    }
    report::table(&rows);
    for concurrency in &args.concurrency {
        if *concurrency > SPANS_UP_TO {
            continue;
        }
        let turns = if args.quick { 32 } else { 1000 };
        if FIVE.contains(&args.only) {
            let student = |channel, token: &str| Student::new(channel, token, Doing::Turns);
            spans::tell(&subjects.five, "turn", *concurrency, turns, student).await;
        }
        if CHAT.contains(&args.only) {
            let chatter = |channel, token: &str| Chatter::new(channel, token, &subjects.page);
            spans::tell(&subjects.five, "chat", *concurrency, turns, chatter).await;
        }
    }
    println!();
    figures(&rows, &args);
    let Some(at_rest) = at_rest else { return };
    figure("up_resident_mb", at_rest.resident_mb, Bound::Below(80.0));
    figure("up_ready_ms", at_rest.first_start_ms, Bound::Below(1000.0));
    figure(
        "up_restart_ready_ms",
        at_rest.restart_ms,
        Bound::Below(1000.0),
    );
}

/// All rounds at one concurrency, the subjects of each round one after another.
async fn rounds(args: &Args, subjects: &mut Subjects, concurrency: usize) -> Vec<Row> {
    let turns = if args.quick {
        4 * concurrency
    } else {
        (60 * concurrency).max(1000)
    };
    let rounds = if args.quick { 1 } else { args.rounds };
    let wanted: Vec<usize> = (0..subjects.all.len())
        .filter(|n| subjects.all[*n].name.contains(&args.only))
        .collect();
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); wanted.len()];
    for round in 1..=rounds {
        for (subject, samples) in wanted.iter().zip(&mut samples) {
            let subject = &mut subjects.all[*subject];
            let sample = subject.sample(concurrency, turns).await;
            eprintln!(
                "round {round} c={concurrency} {}: p50 {:.2} ms, {:.2} CPU ms, {:.0}/s",
                subject.name, sample.p50_ms, sample.cpu_ms, sample.per_second
            );
            samples.push(sample);
        }
    }
    wanted
        .iter()
        .zip(samples)
        .map(|(subject, samples)| Row::of(subjects.all[*subject].name, concurrency, &samples))
        .collect()
}

/// The ratios, and what else is kept.
fn figures(rows: &[Row], args: &Args) {
    for concurrency in &args.concurrency {
        let of = |name: &str| {
            rows.iter()
                .find(|row| row.name == name && row.concurrency == *concurrency)
                .map(|row| row.sample)
        };
        let tell = |name: &str, value: Option<f64>, bound: Bound| {
            if let Some(value) = value {
                figure(&format!("{name}_c{concurrency}"), value, bound);
            }
        };
        let p50_ratio = |a: &str, b: &str| Some(of(a)?.p50_ms / of(b)?.p50_ms);
        let p50_more = |a: &str, b: &str| Some(of(a)?.p50_ms - of(b)?.p50_ms);
        let cpu = |a: &str| Some(of(a)?.cpu_ms);
        let told = Bound::Report;
        tell(
            "turn_over_floor_p50",
            p50_ratio(FIVE, FIVE_FLOOR),
            Bound::AtMost(2.0),
        );
        let p99_ratio = |a: &str, b: &str| Some(of(a)?.p99_ms / of(b)?.p99_ms);
        tell("turn_over_floor_p99", p99_ratio(FIVE, FIVE_FLOOR), told);
        let p50 = |a: &str| Some(of(a)?.p50_ms);
        let p99 = |a: &str| Some(of(a)?.p99_ms);
        tell("turn_p50_ms", p50(FIVE), told);
        tell("turn_p99_ms", p99(FIVE), told);
        tell("floor_p50_ms", p50(FIVE_FLOOR), told);
        tell("floor_p99_ms", p99(FIVE_FLOOR), told);
        let cpu_bound = match concurrency {
            16 => Bound::AtMost(1.0),
            _ => told,
        };
        tell("turn_cpu_ms", cpu(FIVE), cpu_bound);
        tell("turn_floor_cpu_ms", cpu(FIVE_FLOOR), told);
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        tell(
            "turns_per_second_per_core",
            of(FIVE).map(|sample| sample.per_second / cores),
            told,
        );
        tell(
            "turns_per_cpu_second",
            of(FIVE).map(|sample| 1000.0 / (sample.cpu_ms + sample.redis_cpu_ms)),
            told,
        );
        tell("stream_over_turn_p50", p50_ratio(FIVE_STREAM, FIVE), told);
        tell("stream_cpu_ms", cpu(FIVE_STREAM), told);
        tell("drill_over_turn_p50", p50_ratio(FIVE_DRILLS, FIVE), told);
        tell("drill_cpu_ms", cpu(FIVE_DRILLS), told);
        let chat_bound = match concurrency {
            16 => Bound::AtMost(2.2),
            _ => told,
        };
        let cpu_ratio = |a: &str, b: &str| Some(cpu(a)? / cpu(b)?);
        let cpu_us = |a: &str| Some(1000.0 * cpu(a)?);
        tell(
            "chat_cpu_over_floor",
            cpu_ratio(CHAT, CHAT_FLOOR),
            chat_bound,
        );
        tell("chat_cpu_us", cpu_us(CHAT), told);
        tell("chat_floor_cpu_us", cpu_us(CHAT_FLOOR), told);
        tell("turn_cpu_over_floor", cpu_ratio(FIVE, FIVE_FLOOR), told);
        let before_bound = match concurrency {
            16 => Bound::AtMost(1.05),
            _ => told,
        };
        tell(
            "turn_cpu_over_before",
            cpu_ratio(FIVE, FIVE_BEFORE),
            before_bound,
        );
        tell("turn_before_cpu_ms", cpu(FIVE_BEFORE), told);
        tell("chat_over_turn_cpu", cpu_ratio(CHAT, FIVE), told);
        tell("chat_over_floor_p50", p50_ratio(CHAT, CHAT_FLOOR), told);
        tell(
            "one_to_five_p50_ratio",
            p50_ratio(ONE_OFF, FIVE),
            Bound::AtMost(0.333),
        );
        tell(
            "one_process_p50_ratio",
            p50_ratio(ONE_OFF, ONE_OFF_FLOOR),
            told,
        );
        tell(
            "one_process_fsync_p50_ratio",
            p50_ratio(ONE_ON, ONE_ON_FLOOR),
            told,
        );
        tell("one_process_cpu_ms", cpu(ONE_OFF), told);
        tell("fsync_price_p50_ratio", p50_ratio(ONE_ON, ONE_OFF), told);
        tell("fsync_price_p50_ms", p50_more(ONE_ON, ONE_OFF), told);
        tell(
            "aof_always_price_p50_ratio",
            p50_ratio(FIVE_ALWAYS, FIVE),
            told,
        );
        tell("aof_always_price_p50_ms", p50_more(FIVE_ALWAYS, FIVE), told);
    }
}

/// Builds the binaries that are measured, as they are shipped.
fn build() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--release", "--workspace", "--bins", "--quiet"]);
    let status = command.status().unwrap();
    assert!(status.success(), "the binaries could not be built");
}

/// Says where the figures come from.
fn machine() {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let cpuinfo = read("/proc/cpuinfo");
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown processor", |rest| {
            rest.trim_matches([' ', '\t', ':'])
        });
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let said = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = said("git", &["describe", "--always", "--dirty"]).unwrap_or_default();
    let redis = said("redis-server", &["--version"]).unwrap_or_default();
    let disk = std::env::temp_dir();
    let disk = said(
        "findmnt",
        &["-no", "FSTYPE,SOURCE", "-T", &disk.display().to_string()],
    );
    println!(
        "{model}, {cores} cores; Linux {}",
        read("/proc/sys/kernel/osrelease").trim()
    );
    println!(
        "commit {commit}; {redis}; stores on {}",
        disk.unwrap_or_default()
    );
}
