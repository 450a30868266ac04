//! `turnwise course`: checks and draws course packs, and turns course data into packs.

pub mod check;
pub mod graph;
pub mod import;

use std::io::Write;
use std::process::ExitCode;

pub use check::CheckArgs;
pub use graph::GraphArgs;
pub use import::ImportArgs;

/// Work with course packs.
#[derive(clap::Args, Debug, Clone)]
pub struct CourseArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: CourseCommand,
}

/// What can be done with course packs.
#[derive(clap::Subcommand, Debug, Clone)]
pub enum CourseCommand {
    /// Report every fault of one or more packs, with file, line and remedy.
    Check(CheckArgs),
    /// Draw a pack's prerequisites, for a student if one is given.
    Graph(GraphArgs),
    /// Turn a course data set (JSON lines) into packs, and check them.
    Import(ImportArgs),
}

/// Runs the command and gives the process's exit code: success, or failure if a
/// pack has faults.
///
/// # Errors
/// `out` cannot be written, or an import cannot be carried out; the message says what to do.
pub fn run(args: &CourseArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match &args.command {
        CourseCommand::Check(args) => check::run(args, out),
        CourseCommand::Graph(args) => graph::run(args, out, &mut std::io::stderr()),
        CourseCommand::Import(args) => import::run(args, out),
    }
}
