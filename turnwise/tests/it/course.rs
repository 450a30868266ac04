//! `turnwise course`: beginning, checking, drawing and importing packs, topics and references.

mod check;
mod graph;
mod import;
mod new;
mod pack;
mod references;
mod rows;
mod topics;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use turnwise::course::{CourseArgs, run};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    course: CourseArgs,
}

/// Runs `course …` and gives its exit code, or its error in full, and what it printed.
fn course(args: &[&str]) -> (Result<ExitCode, String>, String) {
    let cli = Cli::try_parse_from(["turnwise"].iter().chain(args)).unwrap();
    let mut out = Vec::new();
    let code = run(&cli.course, &mut out).map_err(|error| format!("{error:#}"));
    (code, String::from_utf8(out).unwrap())
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
