//! `turnwise archive`: whether the archives of class resets and exports are what was written.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde::Serialize;
use turnwise_session_archive::{ArchiveError, Report, verify_dir, verify_file};

/// Work with the archives of class resets and exports.
#[derive(clap::Args, Debug, Clone)]
pub struct ArchiveArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ArchiveCommand,
}

/// What can be done with archives.
#[derive(clap::Subcommand, Debug, Clone)]
pub enum ArchiveCommand {
    /// Check the hash chain of archives, and say what is wrong with which line.
    Verify(VerifyArgs),
}

/// Arguments of `turnwise archive verify`.
#[derive(clap::Args, Debug, Clone)]
pub struct VerifyArgs {
    /// Archives, or folders of archives.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub json: bool,
}

/// What `archive verify` found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Whether every archive is what was written.
    pub ok: bool,
    /// The archives, in the order of the arguments and then of their times.
    pub archives: Vec<ArchiveReport>,
}

/// What was found about one archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArchiveReport {
    /// The file.
    pub path: PathBuf,
    /// Whether it is what was written, apart from what was erased since.
    pub ok: bool,
    /// How many records are right.
    pub records: u64,
    /// How many of them were erased.
    pub erased: u64,
    /// The end of the hash chain; compare it with one that you kept. Empty where the file is wrong from the start.
    pub chain: String,
    /// What is wrong; none if nothing is.
    pub problem: Option<String>,
}

/// Runs the command and gives the process's exit code: success, or failure if an archive is not what was written.
///
/// # Errors
/// `out` cannot be written.
pub fn run(args: &ArchiveArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let ArchiveCommand::Verify(args) = &args.command;
    let found = verify(&args.paths);
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &found)?;
        writeln!(out)?;
    } else {
        print(&found, out)?;
    }
    Ok(if found.ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Verifies archives and folders of archives.
pub fn verify(paths: &[PathBuf]) -> Verified {
    let archives: Vec<_> = paths.iter().flat_map(|path| verify_path(path)).collect();
    Verified {
        ok: archives.iter().all(|archive| archive.ok),
        archives,
    }
}

fn verify_path(path: &Path) -> Vec<ArchiveReport> {
    if !path.is_dir() {
        return vec![report(path.to_owned(), verify_file(path))];
    }
    match verify_dir(path) {
        Ok(found) => found
            .archives
            .into_iter()
            .map(|(name, result)| report(path.join(name), result))
            .collect(),
        Err(error) => vec![report(path.to_owned(), Err(error))],
    }
}

fn report(path: PathBuf, result: Result<Report, ArchiveError>) -> ArchiveReport {
    match result {
        Ok(found) => ArchiveReport {
            path,
            ok: found.is_intact(),
            records: found.records,
            erased: found.erased,
            chain: found.chain,
            problem: found
                .fault
                .map(|(line, fault)| format!("line {line}: {fault}")),
        },
        Err(error) => ArchiveReport {
            path,
            ok: false,
            records: 0,
            erased: 0,
            chain: String::new(),
            problem: Some(error.to_string()),
        },
    }
}

fn print(found: &Verified, out: &mut dyn Write) -> std::io::Result<()> {
    for archive in &found.archives {
        let path = archive.path.display();
        match &archive.problem {
            None => writeln!(
                out,
                "{path}: ok, {} records, {} of them erased, chain {}",
                archive.records, archive.erased, archive.chain
            )?,
            Some(problem) => writeln!(out, "{path}: not what was written: {problem}")?,
        }
    }
    if found.archives.is_empty() {
        writeln!(out, "no archives")?;
    }
    Ok(())
}
