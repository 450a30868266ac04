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
mod plain;
mod probe;
mod report;
mod script;
mod spans;
mod subject;
mod waits;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use clap::Parser;

use chat::Chatter;
use load::{Doing, Student};
use report::Row;
use subject::{
    CHAT, CHAT_FLOOR, FIVE, FIVE_ALWAYS, FIVE_BEFORE, FIVE_DRILLS, FIVE_FLOOR, FIVE_STREAM,
    ONE_OFF, ONE_OFF_BEFORE, ONE_OFF_FLOOR, ONE_ON, PYTHON, Sample, Subject, Subjects, THREE,
    options_over_tcp,
};
use turnwise_testing::figure::{Bound, figure};
use turnwise_tests::floor::Frozen;

#[derive(Parser)]
pub struct Args {
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
    /// A checkout of another commit, with its release binaries built: it is measured in the same rounds.
    #[arg(long)]
    before: Option<PathBuf>,
    /// A Python for tests/python/plain_turn.py; default: the one in .venv. Without one that turn is left out.
    #[arg(long, env = "TURNWISE_PYTHON")]
    python: Option<PathBuf>,
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

    let before = args.before.as_deref();
    if !args.no_rest {
        measure_at_rest(if args.quick { 1 } else { 5 }, before).await;
    }
    let (turn, chat) = probe::measure().await;
    report::bytes("A turn", &turn);
    report::bytes("A chat", &chat);
    println!(
        "\nThe floor of a turn is commit {}'s.",
        Frozen::turn().commit
    );

    let mut subjects = Subjects::start(probe::chat_calls(chat), &args).await;
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
    if FIVE.contains(&args.only) {
        let turns = if args.quick { 32 } else { 500 };
        waits::tell("turn", options_over_tcp(args.threads, None), turns).await;
        if before.is_some() {
            let options = options_over_tcp(args.threads, before);
            waits::tell("turn_before", options, turns).await;
        }
    }
    println!();
    figures(&rows, &args);
    let (_, to_store) = turn["TakeTurn"].mean();
    let to_store = to_store.request as f64;
    figure("store_bytes_per_turn", to_store, Bound::AtMost(4096.0));
    let mut all = subjects.all.iter();
    let stored = all.find(|subject| subject.name == ONE_ON);
    if let Some(bytes) = stored.and_then(Subject::disk_bytes_per_turn) {
        figure("disk_bytes_per_turn", bytes, Bound::AtMost(5120.0));
    }
}

/// How soon `turnwise up` is there, and its memory.
async fn measure_at_rest(times: usize, before: Option<&Path>) {
    let seen = at_rest::measure(times, None).await;
    report::at_rest("", &seen);
    figure("up_resident_mb", seen.resident_mb, Bound::Below(80.0));
    figure("up_ready_ms", seen.first_start_ms, Bound::Below(1000.0));
    figure("up_restart_ready_ms", seen.restart_ms, Bound::Below(1000.0));
    if before.is_some() {
        let old = at_rest::measure(times, before).await;
        report::at_rest(", before,", &old);
        let ratio = seen.resident_mb / old.resident_mb;
        figure("up_resident_over_before", ratio, Bound::AtMost(1.0));
    }
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
        let told = Bound::Report;
        let at_16 = |most: f64| match concurrency {
            16 => Bound::AtMost(most),
            _ => told,
        };
        let p50 = |a: &str| Some(of(a)?.p50_ms);
        let p99 = |a: &str| Some(of(a)?.p99_ms);
        let cpu = |a: &str| Some(of(a)?.cpu_ms);
        let p50_over = |a: &str, b: &str| Some(p50(a)? / p50(b)?);
        let p50_more = |a: &str, b: &str| Some(p50(a)? - p50(b)?);
        let cpu_over = |a: &str, b: &str| Some(cpu(a)? / cpu(b)?);
        let tail = || Some(p99(FIVE)? / p50(FIVE)?);
        let per_cpu_second = |turn: Sample| 1000.0 / (turn.cpu_ms + turn.redis_cpu_ms);
        let to_floor = Bound::AtMost(2.0);
        let one_to_five = Bound::AtMost(0.333);
        for (name, value, bound) in [
            ("turn_p50_ms", p50(FIVE), told),
            ("turn_p99_ms", p99(FIVE), told),
            ("turn_p99_over_p50", tail(), at_16(2.0)),
            ("turn_over_floor_p50", p50_over(FIVE, FIVE_FLOOR), to_floor),
            ("turn_cpu_ms", cpu(FIVE), told),
            ("turn_floor_cpu_ms", cpu(FIVE_FLOOR), told),
            ("turn_before_cpu_ms", cpu(FIVE_BEFORE), told),
            (
                "turn_cpu_over_floor",
                cpu_over(FIVE, FIVE_FLOOR),
                at_16(2.0),
            ),
            (
                "turn_cpu_over_before",
                cpu_over(FIVE, FIVE_BEFORE),
                at_16(1.05),
            ),
            ("turns_per_cpu_second", of(FIVE).map(per_cpu_second), told),
            ("stream_over_turn_p50", p50_over(FIVE_STREAM, FIVE), told),
            ("stream_cpu_ms", cpu(FIVE_STREAM), told),
            ("drill_over_turn_p50", p50_over(FIVE_DRILLS, FIVE), told),
            ("drill_cpu_ms", cpu(FIVE_DRILLS), told),
            (
                "aof_always_price_p50_ratio",
                p50_over(FIVE_ALWAYS, FIVE),
                told,
            ),
            ("aof_always_price_p50_ms", p50_more(FIVE_ALWAYS, FIVE), told),
            (
                "three_over_five_cpu",
                cpu_over(THREE, FIVE_BEFORE),
                at_16(0.6),
            ),
            ("three_over_own_five_cpu", cpu_over(THREE, FIVE), told),
            ("chat_cpu_us", cpu(CHAT).map(|ms| 1000.0 * ms), told),
            (
                "chat_cpu_over_floor",
                cpu_over(CHAT, CHAT_FLOOR),
                at_16(2.2),
            ),
            ("chat_over_floor_p50", p50_over(CHAT, CHAT_FLOOR), told),
            ("chat_over_turn_cpu", cpu_over(CHAT, FIVE), told),
            ("one_process_cpu_ms", cpu(ONE_OFF), told),
            (
                "one_process_cpu_over_floor",
                cpu_over(ONE_OFF, ONE_OFF_FLOOR),
                at_16(3.0),
            ),
            (
                "one_process_cpu_over_before",
                cpu_over(ONE_OFF, ONE_OFF_BEFORE),
                told,
            ),
            (
                "one_process_p50_ratio",
                p50_over(ONE_OFF, ONE_OFF_FLOOR),
                told,
            ),
            (
                "one_to_five_p50_ratio",
                p50_over(ONE_OFF, FIVE),
                one_to_five,
            ),
            ("fsync_price_p50_ratio", p50_over(ONE_ON, ONE_OFF), told),
            ("fsync_price_p50_ms", p50_more(ONE_ON, ONE_OFF), told),
            ("python_cpu_ms", cpu(PYTHON), told),
            ("turn_over_python_cpu", cpu_over(FIVE, PYTHON), at_16(0.5)),
            (
                "one_process_over_python_cpu",
                cpu_over(ONE_OFF, PYTHON),
                at_16(0.25),
            ),
        ] {
            if let Some(value) = value {
                figure(&format!("{name}_c{concurrency}"), value, bound);
            }
        }
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
