//! `turnwise course`: begins, checks, draws and packs course packs, makes packs of tables, and topics and references of
//! lessons.

pub mod check;
pub mod graph;
pub mod import;
pub mod new;
pub mod pack;
mod place;
pub mod references;
pub mod topics;

use std::io::Write;
use std::process::ExitCode;

pub use check::CheckArgs;
pub use graph::GraphArgs;
pub use import::ImportArgs;
pub use new::NewArgs;
pub use pack::PackArgs;
pub use references::ReferencesArgs;
pub use topics::TopicsArgs;

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
    /// Begin a course: a folder with a unit, a lesson and a reference for each session.
    New(NewArgs),
    /// Report every fault of one or more packs, with file, line and remedy.
    ///
    /// Front matter of a lesson (content/**/*.md): unit, source, type, title; where wanted url, and for
    /// the homework helper
    ///
    ///   helper_allowed_topics   list: what a chat may be about
    ///   helper_topic_synonyms   topic: [words of students], up to 200 in all
    ///   helper_redirect         answer to a message about something else, up to 500 characters
    ///   helper_check_question   one question, up to 300 characters
    ///   helper_reference        key of the reference text
    #[command(verbatim_doc_comment)]
    Check(CheckArgs),
    /// Check a pack and make one file of it, a bundle, signed if wanted; the same pack makes the same file.
    Pack(PackArgs),
    /// Draw a pack's prerequisites, for a student if one is given.
    Graph(GraphArgs),
    /// Make a pack of a course in JSON Lines, and check it.
    ///
    /// The folder that --from names holds one course. Each line of a .jsonl file is a JSON object with
    /// the keys of the pack's entry that it becomes; numbers are written as texts.
    ///
    ///   course.yaml       the pack's own: format, id, title, locale, entry_unit
    ///   units.jsonl       id, title, prerequisites, summary, anchors, ...; the entry unit among them.
    ///                     "lesson": front matter of the unit's lesson, where it differs from
    ///                     source: the unit's id, type: text, title: the unit's title
    ///   chunks.jsonl      id, unit, text; optional heading, kind, section, url
    ///   exercises.jsonl   id, units, prompt, question_latex, answer; with tier (bronze, silver, gold)
    ///                     an exam question, which may have options; without it a drill of its one unit
    ///   ATTRIBUTION.md    whose work it is and on which terms
    ///
    /// course.yaml and ATTRIBUTION.md go into the pack as they are. Faults are reported for the row that
    /// they come from, and only a pack without faults is written.
    #[command(verbatim_doc_comment)]
    Import(ImportArgs),
    /// Make one reference text a lesson from a pack's own lessons.
    References(ReferencesArgs),
    /// Suggest, from the text of each lesson, what a chat about it may touch.
    Topics(TopicsArgs),
}

/// Runs the command and gives the process's exit code: success, or failure if a
/// pack has faults.
///
/// # Errors
/// `out` cannot be written, or an import cannot be carried out; the message says what to do.
pub fn run(args: &CourseArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match &args.command {
        CourseCommand::New(args) => new::run(args, out),
        CourseCommand::Check(args) => check::run(args, out),
        CourseCommand::Pack(args) => pack::run(args, out),
        CourseCommand::Graph(args) => graph::run(args, out, &mut std::io::stderr()),
        CourseCommand::Import(args) => import::run(args, out),
        CourseCommand::References(args) => references::run(args, out),
        CourseCommand::Topics(args) => topics::run(args, out),
    }
}
