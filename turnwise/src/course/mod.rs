//! `turnwise course`: checks and draws course packs, turns course data into packs, and lessons into references.

pub mod check;
pub mod graph;
pub mod import;
pub mod references;

use std::io::Write;
use std::process::ExitCode;

pub use check::CheckArgs;
pub use graph::GraphArgs;
pub use import::ImportArgs;
pub use references::ReferencesArgs;

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
    /// Make one reference text a lesson from a pack's own lessons.
    References(ReferencesArgs),
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
        CourseCommand::References(args) => references::run(args, out),
    }
}
