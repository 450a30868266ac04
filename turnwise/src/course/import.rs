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

use anyhow::{Context, bail};
use turnwise_course_pack::{Pack, PackFault, load};

use self::pack::PackFile;
use super::check::{Summary, write_faults, write_refusal};

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
        Ok(course) => place.fill(&args.from, &pack::files(&course))?,
        Err(faults) => Err(faults),
    };
    match imported {
        Ok(pack) => {
            place.install()?;
            Summary::of(&pack).write(out)?;
            writeln!(out, "  written to {}", args.to.display())?;
            Ok(ExitCode::SUCCESS)
        }
        Err(faults) => {
            write_faults(&faults, out)?;
            write_refusal(&args.to, &faults, out)?;
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Where the pack goes.
struct Place {
    pack: PathBuf,
    /// Where it is written and loaded first; hidden, so that no service loads it.
    stage: PathBuf,
    /// Where the pack before it stands while the two change places.
    old: PathBuf,
}

impl Place {
    fn new(pack: &Path) -> anyhow::Result<Self> {
        let Some(name) = pack.file_name() else {
            bail!(
                "--to {} has no name; name the pack's folder",
                pack.display()
            );
        };
        let hidden = |ending: &str| {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(ending);
            pack.with_file_name(hidden)
        };
        Ok(Self {
            pack: pack.to_path_buf(),
            stage: hidden(".import"),
            old: hidden(".old"),
        })
    }

    /// Refuses a place that is taken, and clears what an interrupted import left. A pack that it had moved away and not
    /// replaced yet may be the only copy, so it goes back first.
    fn check(&self, force: bool) -> anyhow::Result<()> {
        let pack = self.pack.display();
        if self.old.exists() && !self.pack.exists() {
            fs::rename(&self.old, &self.pack).with_context(|| {
                format!("the pack that was here is now in {}", self.old.display())
            })?;
        }
        if self.pack.exists() {
            let mut entries = fs::read_dir(&self.pack)
                .with_context(|| format!("{pack} cannot be read as a folder"))?;
            let empty = entries.next().is_none();
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

    /// Writes the pack beside its place and loads it; nothing is left there if it has faults.
    fn fill(
        &self,
        from: &Path,
        files: &[PackFile],
    ) -> anyhow::Result<Result<Pack, Vec<PackFault>>> {
        let written = self.write(from, files);
        let loaded =
            written.map(|()| load(&self.stage).map_err(|faults| self.blame(from, files, faults)));
        if !matches!(loaded, Ok(Ok(_))) {
            // The error or the faults matter, not whether what is left is there.
            let _ = fs::remove_dir_all(&self.stage);
        }
        loaded
    }

    fn write(&self, from: &Path, files: &[PackFile]) -> anyhow::Result<()> {
        fs::create_dir_all(&self.stage).with_context(|| self.stage.display().to_string())?;
        for name in TAKEN_OVER {
            let file = from.join(name);
            if file.exists() {
                fs::copy(&file, self.stage.join(name))
                    .with_context(|| file.display().to_string())?;
            }
        }
        for file in files {
            let path = self.stage.join(&file.name);
            let written = path
                .parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::write(&path, &file.text));
            written.with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// The faults of the pack as faults of the files that it comes from.
    fn blame(&self, from: &Path, files: &[PackFile], faults: Vec<PackFault>) -> Vec<PackFault> {
        let mut faults: Vec<PackFault> = faults
            .into_iter()
            .map(|fault| {
                let name = fault.file.strip_prefix(&self.stage).unwrap_or(&fault.file);
                let file = files.iter().find(|file| Path::new(&file.name) == name);
                let origin = file
                    .zip(fault.line)
                    .and_then(|(file, line)| file.origin(line));
                PackFault {
                    file: from.join(origin.map_or(name, |origin| Path::new(origin.file))),
                    line: origin.map_or(fault.line, |origin| Some(origin.line)),
                    ..fault
                }
            })
            .collect();
        faults.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        faults
    }

    /// Moves the good pack into place.
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
