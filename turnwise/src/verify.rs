//! `turnwise verify`: what a backup, a directory of embedded files or a Redis holds, counted and checked.

use std::{
    collections::BTreeMap,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::Serialize;
use tempfile::TempDir;
use turnwise_embedded_file::{Lock, beside};
use turnwise_kit::{Kit, clock::SystemClock, files, settings::SecretFiles, tls};
use turnwise_redis::RedisOptions;
use turnwise_retrieval_index::Sources;
use turnwise_retrieval_store::Store;
use turnwise_session_svc::inventory::{self, Inventory};

use crate::{
    archive,
    backup::{SUMS, Sums, copy, files_below, hash, is_store, read_sums},
};

/// The file of uploads; every other embedded file is one of students' records.
const UPLOADS: &str = "retrieval.redb";
/// Where archives of class resets are.
const ARCHIVES: &str = "helper_reset_exports";

/// Arguments of `turnwise verify`.
#[derive(clap::Args, Debug, Clone)]
pub struct VerifyArgs {
    /// A backup, whose hashes are compared; or a directory with embedded files that nobody serves, of which copies are looked
    /// through in a temporary folder. Both stay as they are
    #[arg(value_name = "FOLDER", required_unless_present = "redis")]
    pub folder: Option<PathBuf>,
    /// A Redis that is looked through, with no password in it: `redis://[USER@]HOST:PORT/DATABASE`, or that with sentinels;
    /// of a cluster one primary after the other. While somebody writes to it, what is half seen is taken for a fault
    #[arg(long, value_name = "ADDRESS", conflicts_with = "folder")]
    pub redis: Option<String>,
    /// A file with the password for Redis
    #[arg(long, value_name = "FILE", requires = "redis")]
    pub redis_password_file: Option<PathBuf>,
    /// A file with the authorities that a Redis with `rediss://` is trusted by, as PEM
    #[arg(long, value_name = "FILE", requires = "redis")]
    pub redis_ca_file: Option<PathBuf>,
    /// Who may read the file with the password.
    #[command(flatten)]
    pub secret_files: SecretFiles,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// How many of what there are.
    pub counts: BTreeMap<String, u64>,
    /// What is wrong, the first hundred of a store.
    pub problems: Vec<String>,
    /// What cannot be told.
    pub notes: Vec<String>,
}

impl Verified {
    fn of(counts: BTreeMap<String, u64>, problems: Vec<String>) -> Self {
        Self {
            ok: problems.is_empty(),
            counts,
            problems,
            notes: Vec::new(),
        }
    }

    /// What is wrong, in one line.
    pub(crate) fn problems(&self) -> String {
        self.problems.join("; ")
    }

    /// Prints it for people.
    pub(crate) fn print(&self, out: &mut dyn Write) -> Result<()> {
        for (what, count) in &self.counts {
            writeln!(out, "{:<16} {count:>10}", what.replace('_', " "))?;
        }
        for problem in &self.problems {
            writeln!(out, "WRONG {problem}")?;
        }
        for note in &self.notes {
            writeln!(out, "NOTE {note}")?;
        }
        Ok(())
    }
}

/// Runs the command and gives the process's exit code: success, or failure if something is wrong.
///
/// # Errors
/// There is nothing to look at, it is in use, or `out` cannot be written.
pub async fn run(args: VerifyArgs, out: &mut (dyn Write + Send)) -> Result<ExitCode> {
    let found = match (&args.folder, &args.redis) {
        (Some(folder), _) if folder.join(SUMS).exists() => of_backup(folder)?,
        (Some(folder), _) => {
            let copies = copies_of_stores(folder)?;
            of_directory(folder, copies.path()).await?
        }
        (None, Some(address)) => {
            args.secret_files.decide();
            let password = args.redis_password_file.as_ref();
            of_redis(address, password, args.redis_ca_file.as_ref()).await?
        }
        (None, None) => Verified::default(),
    };
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &found)?;
        writeln!(out)?;
    } else {
        found.print(out)?;
        let all = if found.ok {
            "all as it was written"
        } else {
            "not all as it was written"
        };
        writeln!(out, "{all}")?;
    }
    Ok(if found.ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Compares the hashes of a backup, and opens nothing of it.
pub(crate) fn of_backup(folder: &Path) -> Result<Verified> {
    let Sums { files: sums, count } = read_sums(folder)?;
    // First, as a pipe in the place of a file would be waited for.
    let files = files_below(folder)?;
    let mut problems = Vec::new();
    for (file, wanted) in &sums {
        match hash(&folder.join(file)) {
            Ok(found) if found == *wanted => {}
            Ok(_) => problems.push(format!("{}: its hash differs", file.display())),
            Err(error) => problems.push(format!("{error:#}")),
        }
    }
    for file in files {
        if !sums.contains_key(&file) && file != Path::new(SUMS) {
            problems.push(format!("{}: it is not in {SUMS}", file.display()));
        }
    }
    let mut notes = Vec::new();
    match count {
        Some(count) if count != sums.len() => {
            let named = sums.len();
            problems.push(format!(
                "{SUMS}: it names {named} files, and there were {count}"
            ));
        }
        // A copy of a Redis is one file, which cannot be missing from a list that names it.
        None if sums.keys().any(|file| is_store(file)) => notes.push(format!(
            "{SUMS}: it does not say how many files there were, as those of earlier versions; one that was lost together \
             with its line is not noticed"
        )),
        _ => {}
    }
    let counts = [("files".to_owned(), sums.len() as u64)].into();
    Ok(Verified {
        notes,
        ..Verified::of(counts, problems)
    })
}

/// Copies a directory's embedded files, which nobody may serve meanwhile: whoever opens one writes into it and beside it.
fn copies_of_stores(directory: &Path) -> Result<TempDir> {
    let copies = tempfile::tempdir().context("no temporary folder can be made; set TMPDIR")?;
    let mut stores = files_below(directory)?;
    stores.retain(|file| is_store(file));
    for store in stores {
        let path = directory.join(&store);
        // Where there is none nobody has served the file, and none is made.
        let is_locked = beside(&path, "lock").exists();
        let _lock = is_locked.then(|| Lock::take(&path)).transpose()?;
        copy(&path, &copies.path().join(&store))?;
    }
    Ok(copies)
}

/// Looks through the embedded files of a directory as a start of the services does, and through its archives. The files are
/// opened as they lie in `copies`, which may be the directory itself if that is a copy.
///
/// # Errors
/// There are none, or one of them cannot be opened.
pub(crate) async fn of_directory(directory: &Path, copies: &Path) -> Result<Verified> {
    let (mut counts, mut problems) = (BTreeMap::new(), Vec::new());
    let files = files_below(directory)?;
    let stores: Vec<_> = files.iter().filter(|file| is_store(file)).collect();
    anyhow::ensure!(
        !stores.is_empty(),
        "{} is no backup and has no embedded files (*.redb)",
        directory.display()
    );
    for store in stores {
        let path = copies.join(store);
        let looked = if path.ends_with(UPLOADS) {
            uploads(&path, &mut counts, &mut problems).await
        } else {
            inventory::of_file(&path, Timestamp::now())
                .map(|found| add(found, &mut counts, &mut problems))
                .map_err(anyhow::Error::from)
        };
        let original = directory.join(store);
        looked.with_context(|| format!("cannot look through {}", original.display()))?;
        // The copy was mended.
        if beside(&path, "damaged").exists() {
            problems.push(format!(
                "{}: it is damaged; a start of its service mends it",
                store.display()
            ));
        }
    }
    let archives = directory.join(ARCHIVES);
    if archives.is_dir() {
        let found = archive::verify(&[archives]);
        counts.insert("archives".to_owned(), found.archives.len() as u64);
        let wrong = found.archives.iter().filter(|archive| !archive.ok);
        problems.extend(
            wrong.map(|archive| format!("{}: it is not what was written", archive.path.display())),
        );
    }
    counts.insert("files".to_owned(), files.len() as u64);
    Ok(Verified::of(counts, problems))
}

async fn uploads(
    path: &Path,
    counts: &mut BTreeMap<String, u64>,
    problems: &mut Vec<String>,
) -> Result<()> {
    let store = Store::open(path)?;
    let mut sources = 0;
    for (tenant, course) in store.courses().await? {
        for source in store.list(&tenant, &course).await? {
            sources += 1;
            let name = &source.key.source;
            if source.damaged {
                problems.push(format!("source {name} of {course}: it cannot be read"));
            } else if source.committed.is_some()
                && let Err(error) = store.chunks(&source.key).await
            {
                problems.push(format!("source {name} of {course}: {error}"));
            }
        }
    }
    counts.insert("uploads".to_owned(), sources);
    Ok(())
}

async fn of_redis(
    address: &str,
    password_file: Option<&PathBuf>,
    authority: Option<&PathBuf>,
) -> Result<Verified> {
    let kit = Kit::new(Arc::new(SystemClock));
    let password = files::text("--redis-password-file", password_file, &kit)?;
    let server = RedisOptions {
        password,
        tls: tls::authority("--redis-ca-file", authority, &kit)?,
        ..RedisOptions::new(address)
    };
    let (mut counts, mut problems) = (BTreeMap::new(), Vec::new());
    let found = inventory::of_redis(server).await?;
    add(found, &mut counts, &mut problems);
    Ok(Verified::of(counts, problems))
}

fn add(found: Inventory, counts: &mut BTreeMap<String, u64>, problems: &mut Vec<String>) {
    for (what, count) in found.counts {
        *counts.entry(what.to_owned()).or_default() += count;
    }
    let more = found.faulty - found.faults.len() as u64;
    problems.extend(found.faults);
    if more > 0 {
        problems.push(format!("{more} more"));
    }
}
