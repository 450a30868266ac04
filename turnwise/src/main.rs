//! The binary people run. Called by the name of a service's program, it is that program: the image holds the code of all
//! of them once (docs/decisions/0068).

use std::{path::Path, process::ExitCode};

use clap::{Parser, Subcommand};
use turnwise::{
    archive, backup, chat, class, course, doctor, eval, help_session, index, placement, queue,
    ready, replay, search, serve, student, token, turn, up, verify,
};
#[cfg(feature = "pdf")]
use turnwise_extract::pdf;
use turnwise_kit::{run, settings};

/// Turnwise: a tutoring backend that decides before a model speaks.
#[derive(Parser, Debug)]
#[command(name = "turnwise", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Start all five services in one process
    Up(Box<up::UpArgs>),
    /// Start some of the services, or all, in one process, with the settings of their own binaries
    Serve(Box<serve::ServeArgs>),
    /// Find out whether what `up` would use is there and works: courses, models, Redis
    Doctor(Box<up::UpArgs>),
    /// Ask a service of this container, at ADMIN_LISTEN, whether it takes calls; fails if not
    Ready(ready::ReadyArgs),
    /// Take one turn
    Turn(turn::TurnArgs),
    /// Talk to the tutor in the terminal
    Chat(chat::ChatArgs),
    /// Play a procedure in the terminal: set what a simulator would observe, ask for help, see what is highlighted
    HelpSession(help_session::HelpSessionArgs),
    /// Find out what you know already, by at most 15 questions
    Placement(placement::PlacementArgs),
    /// Make a turn again of its record, and report any byte that differs
    Replay(replay::ReplayArgs),
    /// Show the lines in front of models
    Queue(queue::QueueArgs),
    /// Add transcripts, PDFs and texts to a course, and look after its index
    Index(index::IndexArgs),
    /// Search a course as a turn does, and see why each hit was found
    Search(search::SearchArgs),
    /// Begin, check, pack, draw or import course packs; suggest topics, make references
    Course(course::CourseArgs),
    /// Ask the homework helper prompts with expected behaviours, and report what came of them
    Eval(eval::EvalArgs),
    /// Verify the archives of class resets and exports
    Archive(archive::ArchiveArgs),
    /// Copy the embedded files of a stopped suite, with a hash of each
    Backup(backup::BackupArgs),
    /// Bring a backup of embedded files into an empty directory
    Restore(backup::RestoreArgs),
    /// Count and check what a backup, a directory of embedded files or a Redis holds
    Verify(verify::VerifyArgs),
    /// Look after a class, as its teacher: roster, policy, report, alerts, resets, a live board
    Class(class::ClassArgs),
    /// Export or erase what is kept of a pupil, as staff
    Student(student::StudentArgs),
    /// Mint a development token
    Token(token::TokenArgs),
    /// Read a PDF from standard input, as `index add` has it done
    #[cfg(feature = "pdf")]
    #[command(name = pdf::SUBCOMMAND, hide = true)]
    ExtractPdf,
}

const DEFAULTS: &[(&str, &str)] = &[("LISTEN", "127.0.0.1:50050")];

/// The service whose program's name this process was called by.
fn service() -> Option<fn() -> ExitCode> {
    let called = std::env::args_os().next()?;
    Some(match Path::new(&called).file_name()?.to_str()? {
        "gateway-svc" => turnwise_gateway_svc::program::main,
        "policy-svc" => turnwise_policy_svc::program::main,
        "retrieval-svc" => turnwise_retrieval_svc::program::main,
        "llm-gateway-svc" => turnwise_llm_gateway_svc::program::main,
        "session-svc" => turnwise_session_svc::program::main,
        _ => return None,
    })
}

fn main() -> ExitCode {
    if let Some(service) = service() {
        return service();
    }
    let (cli, given) = match settings::parse::<Cli>(std::env::args_os(), DEFAULTS) {
        Ok(parsed) => parsed,
        Err(error) => return run::settings_failed(&error),
    };
    #[cfg(feature = "pdf")]
    if matches!(cli.command, Command::ExtractPdf) {
        // Before the runtime's threads: their memory would count against its limits.
        return pdf::child();
    }
    let worker_threads = match &cli.command {
        Command::Up(args) => args.suite.server.worker_threads,
        Command::Serve(args) => args.suite.server.worker_threads,
        _ => None,
    };
    run::block_on(worker_threads, async {
        Ok(match cli.command {
            Command::Up(args) => up::run(*args, &given).await?,
            Command::Serve(args) => serve::run(*args).await?,
            Command::Doctor(args) => doctor::run(*args, &given).await?,
            Command::Ready(args) => ready::run(&args).await?,
            Command::Turn(args) => turn::run(args).await?,
            Command::Chat(args) => chat::run(args).await?,
            Command::HelpSession(args) => help_session::run(args).await?,
            Command::Placement(args) => placement::run(args).await?,
            Command::Replay(args) => replay::run(args).await?,
            Command::Queue(args) => queue::run(args).await?,
            Command::Index(args) => index::run(args, &mut std::io::stdout()).await?,
            Command::Search(args) => search::run(args, &mut std::io::stdout()).await?,
            Command::Course(args) => course::run(&args, &mut std::io::stdout())?,
            Command::Eval(args) => eval::run(args, &mut std::io::stdout()).await?,
            Command::Archive(args) => archive::run(&args, &mut std::io::stdout())?,
            Command::Backup(args) => backup::back_up(args, &mut std::io::stdout()).await?,
            Command::Restore(args) => backup::restore(args, &mut std::io::stdout()).await?,
            Command::Verify(args) => verify::run(args, &mut std::io::stdout()).await?,
            Command::Class(args) => class::run(args, &mut std::io::stdout()).await?,
            Command::Student(args) => student::run(args, &mut std::io::stdout()).await?,
            Command::Token(args) => token::run(args)?,
            #[cfg(feature = "pdf")]
            Command::ExtractPdf => pdf::child(),
        })
    })
}
