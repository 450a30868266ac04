//! `turnwise course import`: turns a course data set (JSON lines) into packs.
//!
//! A pack is written beside its place, loaded and checked there, and moved into place only if it is
//! good: a broken pack never replaces a good one.

mod number;
mod rows;
mod source;
mod writer;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use turnwise_course_pack::{Pack, load};

use super::check::{Summary, counted, write_faults, write_refusal};
use source::{CourseData, DataSet};

/// Arguments of `turnwise course import`.
#[derive(clap::Args, Debug, Clone)]
pub struct ImportArgs {
    /// Folder of the data set: units.jsonl, anchors.jsonl, chunks.jsonl, exam_candidates.jsonl,
    /// readiness_quiz.jsonl.
    #[arg(long, value_name = "DIR")]
    pub from: PathBuf,
    /// Folder that receives the packs, each in a folder named after its course.
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Import this course only; without it, every course of the data set.
    #[arg(long, value_name = "ID")]
    pub course: Option<String>,
    /// Replace packs that are there already.
    #[arg(long)]
    pub force: bool,
}

/// Runs `course import`: failure if a pack that was written has faults.
pub(super) fn run(args: &ImportArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let mut data = DataSet::open(&args.from, args.course.as_deref())?;
    let places: Vec<Place> = data
        .courses
        .iter()
        .map(|course| Place::new(&args.to, &course.id))
        .collect();
    for place in &places {
        place.check(args.force)?;
    }
    let written = data.write(&args.from, |course| stage(&places, course));
    if let Err(error) = written {
        for place in &places {
            // What was begun is of no use to anyone; the error above it is what matters.
            let _ = fs::remove_dir_all(&place.stage);
        }
        return Err(error);
    }
    let mut code = ExitCode::SUCCESS;
    for (course, place) in data.courses.iter().zip(&places) {
        match load(&place.stage) {
            Ok(pack) => {
                place.install()?;
                write_summary(course, &pack, &place.pack, out)?;
            }
            Err(faults) => {
                code = ExitCode::FAILURE;
                write_faults(&faults, out)?;
                write_refusal(&place.pack, &faults, out)?;
                writeln!(
                    out,
                    "  left for a look in {}; {} is as it was",
                    place.stage.display(),
                    place.pack.display()
                )?;
            }
        }
    }
    Ok(code)
}

/// The folder in which the course is being written.
fn stage(places: &[Place], course: &str) -> PathBuf {
    places
        .iter()
        .find(|place| place.course == course)
        .map(|place| place.stage.clone())
        .unwrap_or_default()
}

fn write_summary(
    course: &CourseData,
    pack: &Pack,
    dir: &Path,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let summary = Summary::of(pack);
    summary.write(out)?;
    let drills = pack.units.iter().map(|u| u.drills.len()).sum();
    let choices = pack
        .questions
        .iter()
        .filter(|q| q.is_multiple_choice())
        .count();
    writeln!(
        out,
        "  questions: {choices} multiple choice, {} typed; {}",
        pack.questions.len() - choices,
        counted(drills, "drill")
    )?;
    if !course.open_answers.is_empty() {
        writeln!(
            out,
            "  left out, as the printed answer says that answers vary ({}): {}",
            course.open_answers.len(),
            course.open_answers.join(", ")
        )?;
    }
    writeln!(out, "  written to {}", dir.display())
}

/// Where a course's pack goes.
struct Place {
    course: String,
    pack: PathBuf,
    /// Where it is written and checked first; hidden, so that nobody loads it.
    stage: PathBuf,
    /// Where the pack before it stands while the two change places.
    old: PathBuf,
}

impl Place {
    fn new(to: &Path, course: &str) -> Self {
        Self {
            course: course.to_owned(),
            pack: to.join(course),
            stage: to.join(format!(".{course}.import")),
            old: to.join(format!(".{course}.old")),
        }
    }

    /// Refuses a place that is taken, and clears what an earlier run left.
    fn check(&self, force: bool) -> anyhow::Result<()> {
        let pack = self.pack.display();
        if self.pack.exists() {
            if !self.pack.is_dir() {
                bail!("{pack} is a file; move it away, or name another folder with --to");
            }
            let empty = fs::read_dir(&self.pack)
                .with_context(|| format!("{pack} cannot be read"))?
                .next()
                .is_none();
            if !empty && !force {
                bail!("{pack} is there already; --force replaces it, --to names another folder");
            }
            if !empty && !self.pack.join("course.yaml").is_file() {
                bail!(
                    "{pack} holds files but is no course pack; it is not replaced, not even with \
                     --force: move it away"
                );
            }
        }
        for left in [&self.stage, &self.old] {
            if left.exists() {
                fs::remove_dir_all(left).with_context(|| {
                    format!(
                        "{} is left from an earlier import; remove it",
                        left.display()
                    )
                })?;
            }
        }
        Ok(())
    }

    /// Moves the checked pack into place.
    fn install(&self) -> anyhow::Result<()> {
        let replaces = self.pack.exists();
        if replaces {
            fs::rename(&self.pack, &self.old)
                .with_context(|| format!("{} cannot be moved", self.pack.display()))?;
        }
        if let Err(error) = fs::rename(&self.stage, &self.pack) {
            if replaces {
                fs::rename(&self.old, &self.pack).with_context(|| {
                    format!("the pack that was here is now in {}", self.old.display())
                })?;
            }
            return Err(error)
                .with_context(|| format!("{} cannot be written", self.pack.display()));
        }
        if replaces {
            fs::remove_dir_all(&self.old)
                .with_context(|| format!("{} cannot be removed", self.old.display()))?;
        }
        Ok(())
    }
}
