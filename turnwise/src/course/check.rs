//! `turnwise course check`: every fault of the packs, keys of drills with parameters included, then a line about each.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use turnwise_course_pack::{Pack, PackFault, load_all};
use turnwise_policy_svc::{courses, drill_checks, exam_drills, mathematics};

/// Arguments of `turnwise course check`.
#[derive(clap::Args, Debug, Clone)]
pub struct CheckArgs {
    /// Packs, or folders of packs.
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub json: bool,
}

/// What `course check` found.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Whether there is no fault at all.
    pub ok: bool,
    /// The packs, in the order of the arguments and then of their names.
    pub packs: Vec<PackReport>,
    /// Faults that belong to no pack, such as a folder without one.
    pub faults: Vec<PackFault>,
}

/// What was found about one pack.
#[derive(Debug, Serialize)]
pub struct PackReport {
    /// The pack's folder.
    pub dir: PathBuf,
    /// Whether it loads.
    pub ok: bool,
    /// What it holds, if it loads.
    pub summary: Option<Summary>,
    /// What is wrong with it.
    pub faults: Vec<PackFault>,
    /// What the checks could not decide; it is no fault.
    pub warnings: Vec<PackFault>,
}

/// What a good pack holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The course's id.
    pub course_id: String,
    /// How many units it has.
    pub units: usize,
    /// How many edges lead from a prerequisite to its dependent.
    pub edges: usize,
    /// How many content chunks it has.
    pub chunks: usize,
    /// How many exam questions it has.
    pub questions: usize,
    /// How many documents it has.
    pub documents: usize,
    /// The ids of its procedures.
    pub procedures: Vec<String>,
    /// The pack's hash, in hex.
    pub hash: String,
    /// The units whose mastery cannot be shown, and which count as met.
    pub not_assessable: Vec<String>,
}

impl Summary {
    /// Counts what is in the pack.
    #[must_use]
    pub fn of(pack: &Pack) -> Self {
        Self {
            course_id: pack.course.id.clone(),
            units: pack.units.len(),
            edges: pack.units.iter().map(|u| u.prerequisites.len()).sum(),
            chunks: pack.chunks.len(),
            questions: pack.questions.len(),
            documents: pack.documents.len(),
            procedures: pack.procedures.iter().map(|p| p.id.clone()).collect(),
            hash: pack.hash.clone(),
            not_assessable: pack
                .units
                .iter()
                .filter(|u| !u.assessable)
                .map(|u| u.id.clone())
                .collect(),
        }
    }

    /// Writes it as lines for people.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(
            out,
            "{}: {}, {}, {}, {}, {}, hash {:.12}…, ok",
            self.course_id,
            counted(self.units, "unit"),
            counted(self.edges, "edge"),
            counted(self.chunks, "chunk"),
            counted(self.questions, "question"),
            counted(self.documents, "document"),
            self.hash,
        )?;
        if !self.not_assessable.is_empty() {
            writeln!(
                out,
                "  not assessable, so always met: {}",
                self.not_assessable.join(", ")
            )?;
        }
        if !self.procedures.is_empty() {
            writeln!(out, "  procedures: {}", self.procedures.join(", "))?;
        }
        Ok(())
    }
}

/// The number with its noun.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Runs `course check`.
pub(super) fn run(args: &CheckArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let report = report(&args.dirs);
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    } else {
        write_report(&report, out)?;
    }
    Ok(if report.ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Loads the packs and notes what is wrong with them.
#[must_use]
pub fn report(dirs: &[PathBuf]) -> Report {
    let mut packs = Vec::new();
    let mut faults = Vec::new();
    for dir in dirs {
        match load_all(dir) {
            Ok(found) if found.is_empty() => faults.push(PackFault {
                file: dir.clone(),
                line: None,
                message: "there is no pack here, nor in a folder right below".to_owned(),
                remedy: "name a folder that holds a course.yaml, or a folder of such folders"
                    .to_owned(),
            }),
            Ok(found) => packs.extend(found.into_iter().map(|(dir, result)| match result {
                Ok(mut pack) => {
                    let faults = courses::faults(&pack, usize::MAX);
                    let mut warnings = std::mem::take(&mut pack.warnings);
                    warnings.extend(exam_drills::leave_out(&mut pack).0);
                    warnings.extend(drill_checks::warnings(&pack));
                    warnings.extend(mathematics::lesson_warnings(&dir));
                    PackReport {
                        dir,
                        ok: faults.is_empty(),
                        summary: faults.is_empty().then(|| Summary::of(&pack)),
                        faults,
                        warnings,
                    }
                }
                Err(faults) => PackReport {
                    dir,
                    ok: false,
                    summary: None,
                    faults,
                    warnings: Vec::new(),
                },
            })),
            Err(fault) => faults.push(fault),
        }
    }
    Report {
        ok: faults.is_empty() && packs.iter().all(|pack| pack.ok),
        packs,
        faults,
    }
}

fn write_report(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    write_faults(&report.faults, out)?;
    for pack in &report.packs {
        write_faults(&pack.faults, out)?;
        for warning in &pack.warnings {
            write_found(warning, "warning: ", out)?;
        }
    }
    for pack in &report.packs {
        match &pack.summary {
            Some(summary) => summary.write(out)?,
            None => write_refusal(&pack.dir, &pack.faults, out)?,
        }
    }
    Ok(())
}

/// Writes the faults, each with its remedy below it.
pub(super) fn write_faults(faults: &[PackFault], out: &mut dyn Write) -> std::io::Result<()> {
    faults
        .iter()
        .try_for_each(|fault| write_found(fault, "", out))
}

/// Writes what was found, behind a word for what it is, and its remedy below it.
fn write_found(found: &PackFault, kind: &str, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{}: {kind}{}", found.place(), found.message)?;
    writeln!(out, "  remedy: {}", found.remedy)
}

/// Says what is wrong with a pack that is refused, and fails.
pub(super) fn refused(
    dir: &Path,
    faults: &[PackFault],
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    write_faults(faults, out)?;
    write_refusal(dir, faults, out)?;
    Ok(ExitCode::FAILURE)
}

/// Writes the line about a pack that is refused.
fn write_refusal(dir: &Path, faults: &[PackFault], out: &mut dyn Write) -> std::io::Result<()> {
    // `.` and `..` have no name of their own.
    let name = dir.file_name().map_or_else(
        || dir.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    );
    writeln!(out, "{name}: {}, refused", counted(faults.len(), "fault"))
}
