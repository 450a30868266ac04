//! `turnwise course import`: a course in JSON Lines becomes a pack.
//!
//! The importer knows where each row goes in a pack and leaves its keys to the loader, so that a row and a pack's entry
//! have one format. The pack is written and loaded beside its place; what the loader finds is reported for the row that
//! it comes from, and only a good pack is moved into place.

mod pack;
mod rows;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use turnwise_course_pack::PackFault;

use self::pack::PackFile;
use super::check::{Summary, refused};
use super::place::Place;

/// Files that a pack takes over as they are: the course, and whose work it is.
const TAKEN_OVER: [&str; 2] = ["course.yaml", "ATTRIBUTION.md"];

/// Arguments of `turnwise course import`.
#[derive(clap::Args, Debug, Clone)]
pub struct ImportArgs {
    /// Folder with course.yaml, units.jsonl and, where there are any, chunks.jsonl, exercises.jsonl and ATTRIBUTION.md.
    #[arg(long, value_name = "DIR")]
    pub from: PathBuf,
    /// Folder of the pack that is written.
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Replace the pack that is there, and all that was added to it.
    #[arg(long)]
    pub force: bool,
}

/// Runs `course import`: failure if the rows, or the pack that they make, have faults.
pub(super) fn run(args: &ImportArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let place = Place::new(&args.to)?;
    place.check(args.force)?;
    let imported = match rows::read(&args.from) {
        Ok(course) => {
            let files = pack::files(&course);
            let taken_over = taken_over(&args.from)?;
            let texts = files.iter().map(|file| (&*file.name, file.text.as_bytes()));
            let taken_over = taken_over.iter().map(|(name, bytes)| (*name, &**bytes));
            place
                .fill(taken_over.chain(texts))?
                .map_err(|faults| blame(&args.from, &files, faults))
        }
        Err(faults) => Err(faults),
    };
    match imported {
        Ok(pack) => {
            place.install()?;
            Summary::of(&pack).write(out)?;
            writeln!(out, "  written to {}", args.to.display())?;
            Ok(ExitCode::SUCCESS)
        }
        Err(faults) => refused(&args.to, &faults, out),
    }
}

/// The files that the pack takes over, as name and content.
fn taken_over(from: &Path) -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let mut files = Vec::new();
    for name in TAKEN_OVER {
        let file = from.join(name);
        if file.exists() {
            let content = fs::read(&file).with_context(|| file.display().to_string())?;
            files.push((name, content));
        }
    }
    Ok(files)
}

/// The faults of the pack as faults of the files that it comes from.
fn blame(from: &Path, files: &[PackFile], faults: Vec<PackFault>) -> Vec<PackFault> {
    let mut faults: Vec<PackFault> = faults
        .into_iter()
        .map(|fault| {
            let file = files
                .iter()
                .find(|file| Path::new(&file.name) == fault.file);
            let origin = file
                .zip(fault.line)
                .and_then(|(file, line)| file.origin(line));
            let name = origin.map_or(&*fault.file, |origin| Path::new(origin.file));
            PackFault {
                file: from.join(name),
                line: origin.map_or(fault.line, |origin| Some(origin.line)),
                ..fault
            }
        })
        .collect();
    faults.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    faults
}
