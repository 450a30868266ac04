//! What llm-gateway-svc costs and how well it shares a scarce model: beside direct calls to the same model server, and in
//! a school of ten classes with two slots.
//!
//! `cargo bench -p turnwise-tests --bench model_gateway` builds what it needs, measures, and prints tables and lines of
//! the form `figure NAME VALUE BOUND`. A bound that is not kept is marked `missed` and is no failure: figures are read,
//! not enforced, because they depend on the machine.

// A benchmark that cannot run ends by panicking, and says why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod classroom;
mod direct;
mod overhead;

use std::process::Command;

use clap::{Parser, ValueEnum};

#[derive(Parser)]
pub struct Args {
    /// Few calls and one round: shows that the benchmark runs; its figures mean nothing.
    #[arg(long)]
    quick: bool,
    /// Does not build the binaries first.
    #[arg(long)]
    no_build: bool,
    /// Rounds; medians over them are told.
    #[arg(long, default_value = "3")]
    rounds: usize,
    /// Callers with one call under way each, in the part `overhead`.
    #[arg(long, value_delimiter = ',', default_value = "1,16,64")]
    concurrency: Vec<usize>,
    /// The parts to run.
    #[arg(long, value_delimiter = ',', default_value = "overhead,classroom")]
    part: Vec<Part>,
    /// What all times of the part `classroom` are divided by; 1: a model that needs 2 s, as in a school.
    #[arg(long, default_value = "20", value_parser = scale)]
    scale: f64,
    /// The seed by which students press.
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Only the classrooms whose names hold this: local, redis_1 and redis_3.
    #[arg(long, default_value = "")]
    only: String,
    /// Cargo adds it.
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Overhead,
    Classroom,
}

impl Args {
    fn rounds(&self) -> usize {
        if self.quick { 1 } else { self.rounds }
    }

    /// The students of the school.
    fn students(&self) -> usize {
        if self.quick { 40 } else { 300 }
    }

    /// The calls of a closed loop.
    fn calls(&self) -> usize {
        if self.quick { 120 } else { 600 }
    }
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if (1.0..=100.0).contains(&scale) => Ok(scale),
        _ => Err("must be a number from 1 to 100".to_owned()),
    }
}

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
    if args.part.contains(&Part::Overhead) {
        overhead::run(&args).await;
    }
    if args.part.contains(&Part::Classroom) {
        classroom::run(&args).await;
    }
}

/// Builds the binaries that are measured, as they are shipped.
fn build() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--release", "--quiet"]);
    command.args([
        "-p",
        "turnwise-llm-gateway-svc",
        "-p",
        "turnwise-tests",
        "--bins",
    ]);
    let status = command.status().unwrap();
    assert!(status.success(), "the binaries could not be built");
}
