//! `turnwise course graph`: draws a course's prerequisite graph, for a student if one is given.
//!
//! The drawing alone goes to standard output; what is to be said about it goes to standard error.

mod dot;
mod drawing;
mod graphviz;
mod marks;
mod select;
mod snapshot;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use turnwise_course_pack::{Pack, PackFault, load_all};
use turnwise_decisions::record::Record;
use turnwise_policy_svc::courses::LoadedCourse;

use super::check::{counted, refused, write_faults};
use drawing::{Drawing, Student};

/// Arguments of `turnwise course graph`.
#[derive(clap::Args, Debug, Clone)]
pub struct GraphArgs {
    /// The pack, or a folder with one pack in it.
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// What to write: DOT, the language of Graphviz, or SVG, which needs its program `dot` (Debian package graphviz).
    #[arg(long, value_enum, default_value_t = Format::Dot)]
    pub format: Format,
    /// A student's record of this course, as JSON (StudentSnapshot); colours the units by their badges.
    #[arg(long, value_name = "FILE")]
    pub snapshot: Option<PathBuf>,
    /// Write to this file and not to standard output; a file that is there is replaced.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw this unit with everything that it builds on, and no other; may be given several times.
    #[arg(long = "unit", value_name = "ID")]
    pub units: Vec<String>,
    /// Seconds that Graphviz may take for an SVG (1 to 3600).
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
}

/// What a drawing is written in.
#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The language of Graphviz.
    Dot,
    /// A picture, which browsers show.
    Svg,
}

/// From so many units on, Graphviz takes its time for a picture.
const MANY_UNITS: usize = 1_000;

/// Runs `course graph`: failure if the pack or the snapshot has faults.
pub(super) fn run(
    args: &GraphArgs,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let (dir, pack) = match one_pack(&args.dir) {
        Ok((dir, Ok(pack))) => (dir, pack),
        Ok((dir, Err(faults))) => return refused(&dir, &faults, notes),
        Err(fault) => return refuse(fault, notes),
    };
    let unit_ids: Vec<String> = pack.units.iter().map(|unit| unit.id.clone()).collect();
    // As policy-svc decides on it, so that nothing is drawn otherwise than it is decided.
    let loaded = LoadedCourse::new(pack)?;
    let course = &loaded.course;

    let units = match select::units(course, &unit_ids, &args.units) {
        Ok(units) => units,
        Err(unknown) => return refuse(unknown.fault(&dir), notes),
    };
    let reading = match &args.snapshot {
        None => None,
        Some(file) => match snapshot::read(file, &loaded.id, course) {
            Ok(reading) => Some(reading),
            Err(fault) => return refuse(fault, notes),
        },
    };
    for warning in reading.iter().flat_map(|reading| &reading.warnings) {
        writeln!(notes, "warning: {warning}")?;
    }
    let student = reading.as_ref().map(|reading| Student {
        id: reading.student_id.as_deref(),
        at: reading.snapshot.last_turn_at,
        // No mark depends on the time: it only ranks units, and ranks are not drawn.
        record: Record::new(
            course,
            &reading.snapshot,
            reading.snapshot.last_turn_at.unwrap_or_default(),
        ),
    });
    let source = Drawing {
        course_id: &loaded.id,
        title: &loaded.title,
        course,
        units: &units,
        parts_of: &args.units,
        student: student.as_ref(),
    }
    .to_dot();

    let written = match args.format {
        Format::Dot => source.into_bytes(),
        Format::Svg => {
            if units.len() > MANY_UNITS {
                writeln!(
                    notes,
                    "warning: {}: Graphviz may need minutes for a picture; --unit draws a part",
                    counted(units.len(), "unit")
                )?;
            }
            let picture = graphviz::svg(&source, Duration::from_secs(args.timeout))?;
            for line in picture.said.lines() {
                writeln!(notes, "graphviz: {line}")?;
            }
            picture.svg
        }
    };
    match &args.out {
        Some(file) => fs::write(file, written)
            .with_context(|| format!("{} cannot be written; name another file", file.display()))?,
        None => out.write_all(&written)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The one pack that `dir` is or holds, or its faults.
fn one_pack(dir: &Path) -> Result<(PathBuf, Result<Pack, Vec<PackFault>>), PackFault> {
    let mut packs = load_all(dir)?;
    let fault = |message: String, remedy: &str| PackFault {
        file: dir.to_path_buf(),
        line: None,
        message,
        remedy: remedy.to_owned(),
    };
    match (packs.pop(), packs.len()) {
        (Some(pack), 0) => Ok(pack),
        (None, _) => Err(fault(
            "there is no pack here, nor in a folder right below".to_owned(),
            "name a folder that holds a course.yaml",
        )),
        (Some(_), others) => Err(fault(
            format!("there are {} packs here", others + 1),
            "name the folder of the one to draw",
        )),
    }
}

/// Says what is wrong with what was given.
fn refuse(fault: PackFault, notes: &mut dyn Write) -> anyhow::Result<ExitCode> {
    write_faults(&[fault], notes)?;
    Ok(ExitCode::FAILURE)
}
