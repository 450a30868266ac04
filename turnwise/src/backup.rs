//! `turnwise backup`, `restore`: the embedded files of a data directory, copied while nobody serves them, and brought back
//! elsewhere, with a hash of every file.
//!
//! A backup is a folder: the files as they were, and `SHA256SUMS`, in the form that `sha256sum --check` reads. Its first line
//! says how many there are, so that it is noticed if one was lost together with its own.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Component, Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail, ensure};
use ring::digest::{Context as Hash, SHA256};
use turnwise_embedded_file::{Lock, OpenError, beside};

use crate::{
    data_dir::{DataDir, private_dir, write_private},
    verify,
};

/// The names and hashes of all other files of a backup.
pub(crate) const SUMS: &str = "SHA256SUMS";
/// What stands before the number of files in the first line of that list; for `sha256sum` it is a comment.
const COUNT: &str = "# files: ";
/// Where a restore has files before they are known to be right.
const PART: &str = ".restore";
/// What a file system puts into its own root.
const OF_A_VOLUME: &str = "lost+found";
/// Endings of files that are made anew when they are needed, or hold what is not whole.
const LEFT_OUT: [&str; 6] = ["lock", "cache", "copy", "new", "part", "damaged"];

/// Arguments of `turnwise backup`.
#[derive(clap::Args, Debug, Clone)]
pub struct BackupArgs {
    /// Directory with embedded files, such as that of `turnwise up` or a volume of session-svc or retrieval-svc, which must
    /// be stopped; default: that of `turnwise up`
    #[arg(long, env = "TURNWISE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// Folder to make, which must not be there yet. It holds keys and students' texts: keep it as closed as the directory
    #[arg(long, value_name = "FOLDER")]
    pub to: PathBuf,
}

/// Arguments of `turnwise restore`.
#[derive(clap::Args, Debug, Clone)]
pub struct RestoreArgs {
    /// The folder that `turnwise backup` made
    #[arg(long, value_name = "FOLDER")]
    pub from: PathBuf,
    /// Directory to fill, which must be empty or not there yet; default: that of `turnwise up`
    #[arg(long, env = "TURNWISE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
}

/// Copies a data directory, checks the copy, and says what is in it.
///
/// # Errors
/// The directory is in use or none, a file cannot be copied or is damaged, or the folder is there already.
pub async fn back_up(args: BackupArgs, out: &mut (dyn Write + Send)) -> Result<ExitCode> {
    let from = args.data_dir.unwrap_or_else(DataDir::default_path);
    // Without a slash at its end, which would make a file in it of one beside it.
    let to = &args.to.components().collect::<PathBuf>();
    ensure!(
        !to.try_exists()?,
        "{} is there already; name a folder that is not, so that no backup is overwritten",
        to.display()
    );
    ensure!(
        !is_within(to, &from),
        "{} is in the directory that is backed up; name a folder outside of it",
        to.display()
    );
    let mut stores = files_below(&from)?;
    stores.retain(|file| is_store(file));
    ensure!(
        !stores.is_empty(),
        "{} has no embedded files (*.redb); name the directory of `turnwise up`, or the volume of a service",
        from.display()
    );
    // Held to the end: nobody writes meanwhile.
    let _locks = stores
        .iter()
        .map(|store| Lock::take(&from.join(store)).map_err(|error| still_served(error, &from)))
        .collect::<Result<Vec<_>>>()?;
    let mut files = files_below(&from)?;
    // A directory that was copied from a backup has the list of that one.
    files.retain(|file| file != Path::new(SUMS));
    let part = beside(to, "part");
    if part.exists() {
        fs::remove_dir_all(&part).with_context(|| format!("cannot remove {}", part.display()))?;
    }
    private_dir(&part)?;
    let copied = copied(&from, &files, &part, out).await;
    if copied.is_err() {
        let _ = fs::remove_dir_all(&part);
    }
    copied?;
    fs::rename(&part, to).with_context(|| format!("cannot make {}", to.display()))?;
    sync_parent(to)?;
    writeln!(out, "backed up {} files to {}", files.len(), to.display())?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a path, which need not be there, leads into a folder or is it.
fn is_within(path: &Path, folder: &Path) -> bool {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut above = path.ancestors();
    let there = above.find_map(|above| fs::canonicalize(above).ok());
    let folder = fs::canonicalize(folder).ok();
    there
        .zip(folder)
        .is_some_and(|(there, folder)| there.starts_with(folder))
}

/// Makes a backup of these files in a folder that is for nothing else.
async fn copied(
    from: &Path,
    files: &[PathBuf],
    part: &Path,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    for file in files {
        copy(&from.join(file), &part.join(file))?;
    }
    // Opened as a start of the services would, the copies are known to be whole, and closed.
    let found = verify::of_directory(part, part).await?;
    found.print(out)?;
    ensure!(
        found.ok,
        "what was copied is not whole, and no backup was made; start and stop the suite once, which mends what can be mended, \
         and back up again"
    );
    let files = files_below(part)?;
    let mut sums = format!("{COUNT}{}\n", files.len());
    for file in files {
        let hash = hash(&part.join(&file))?;
        writeln!(sums, "{hash}  {}", file.display())?;
    }
    for left in leftovers(part)? {
        fs::remove_file(&left)?;
    }
    write_private(&part.join(SUMS), sums.as_bytes())
}

/// Fills a data directory from a backup whose hashes are right, and says what is in it.
///
/// # Errors
/// The backup is not what was written, or the directory is not empty or cannot be filled.
pub async fn restore(args: RestoreArgs, out: &mut (dyn Write + Send)) -> Result<ExitCode> {
    let (from, to) = (
        &args.from,
        args.data_dir.unwrap_or_else(DataDir::default_path),
    );
    ensure!(
        !is_within(&to, from),
        "{} is in the backup; name a directory outside of it",
        to.display()
    );
    let sums = read_sums(from)?;
    let checked = verify::of_backup(from)?;
    ensure!(
        checked.ok,
        "{} is not what was backed up: {}; take another backup",
        from.display(),
        checked.problems()
    );
    private_dir(&to)?;
    let part = to.join(PART);
    if part.exists() {
        // What a restore left that was ended in the middle.
        fs::remove_dir_all(&part).with_context(|| format!("cannot remove {}", part.display()))?;
    }
    let entries = fs::read_dir(&to)?.collect::<io::Result<Vec<_>>>()?;
    ensure!(
        entries.iter().all(|entry| entry.file_name() == OF_A_VOLUME),
        "{} is not empty; name another directory, or move away what is there",
        to.display()
    );
    private_dir(&part)?;
    let filled = fill(from, &part, &sums.files).await;
    let found = match filled {
        Ok(found) => found,
        Err(error) => {
            let _ = fs::remove_dir_all(&part);
            return Err(error);
        }
    };
    let notes = checked.notes;
    verify::Verified { notes, ..found }.print(out)?;
    for leftover in leftovers(&part)? {
        fs::remove_file(leftover)?;
    }
    for entry in fs::read_dir(&part)? {
        let entry = entry?;
        fs::rename(entry.path(), to.join(entry.file_name()))?;
    }
    fs::remove_dir(&part)?;
    fs::File::open(&to)?.sync_all()?;
    let count = sums.files.len();
    writeln!(out, "restored {count} files to {}", to.display())?;
    Ok(ExitCode::SUCCESS)
}

/// Copies the files of a backup, each with the hash that it must have, and looks into them.
async fn fill(
    from: &Path,
    part: &Path,
    sums: &BTreeMap<PathBuf, String>,
) -> Result<verify::Verified> {
    for (file, wanted) in sums {
        bring(from, part, file, wanted)?;
    }
    let found = verify::of_directory(part, part).await?;
    ensure!(
        found.ok,
        "what the backup holds is not whole: {}",
        found.problems()
    );
    // Whoever opens one writes into it. What stays is what was backed up, so that the list fits it.
    for (file, wanted) in sums.iter().filter(|(file, _)| is_store(file)) {
        fs::remove_file(part.join(file))?;
        bring(from, part, file, wanted)?;
    }
    Ok(found)
}

/// Copies one file of a backup, which must have this hash then.
fn bring(from: &Path, part: &Path, file: &Path, wanted: &str) -> Result<()> {
    let to = part.join(file);
    copy(&from.join(file), &to)?;
    ensure!(
        hash(&to)? == wanted,
        "{} is not what was backed up: its hash differs; take another backup",
        from.join(file).display()
    );
    Ok(())
}

/// What a backup's list says.
pub(crate) struct Sums {
    /// The files and their hashes.
    pub(crate) files: BTreeMap<PathBuf, String>,
    /// How many files there were; `None`: the list does not say so.
    pub(crate) count: Option<usize>,
}

/// Reads the list of a backup.
pub(crate) fn read_sums(folder: &Path) -> Result<Sums> {
    let file = folder.join(SUMS);
    // A pipe would be waited for.
    let is_other = fs::metadata(&file).is_ok_and(|found| !found.is_file());
    ensure!(!is_other, "{} is no plain file", file.display());
    let text = fs::read_to_string(&file).with_context(|| {
        format!(
            "{} is no backup, or one that is not whole: it has no {SUMS}",
            folder.display()
        )
    })?;
    let (mut files, mut count) = (BTreeMap::new(), None);
    for line in text.lines() {
        if let Some(number) = line.strip_prefix(COUNT) {
            let no_number = || format!("{}: `{number}` is no number", file.display());
            count = Some(number.parse::<usize>().with_context(no_number)?);
            continue;
        }
        let (hash, name) = line
            .split_once("  ")
            .with_context(|| format!("{}: `{line}` is no hash and file", file.display()))?;
        let name = PathBuf::from(name);
        // Nothing outside of the folder is read or written, whoever made it.
        let is_below = name
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        ensure!(
            is_below,
            "{}: `{}` is no file of the folder",
            file.display(),
            name.display()
        );
        files.insert(name, hash.to_owned());
    }
    ensure!(!files.is_empty(), "{} names no files", file.display());
    Ok(Sums { files, count })
}

/// Whether a file is one of those that a lock goes with.
pub(crate) fn is_store(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "redb")
}

/// All files below a directory that belong into a backup, by their path within it.
pub(crate) fn files_below(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    each_file(root, &mut |file| {
        if !is_left_out(file) {
            found.push(file.strip_prefix(root).unwrap_or(file).to_owned());
        }
    })?;
    found.sort();
    Ok(found)
}

fn is_left_out(file: &Path) -> bool {
    file.extension()
        .is_some_and(|ending| LEFT_OUT.iter().any(|left| ending == *left))
}

/// What opening the files left beside them.
fn leftovers(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    each_file(root, &mut |file| {
        if is_left_out(file) {
            found.push(file.to_owned());
        }
    })?;
    Ok(found)
}

fn each_file(folder: &Path, visit: &mut dyn FnMut(&Path)) -> Result<()> {
    let entries = fs::read_dir(folder)
        .with_context(|| format!("cannot read the directory {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            if entry.file_name() != OF_A_VOLUME {
                each_file(&path, visit)?;
            }
        } else if kind.is_file() {
            visit(&path);
        } else {
            bail!(
                "{} is neither a file nor a folder; a backup would lack what it stands for: put the file itself there",
                path.display()
            );
        }
    }
    Ok(())
}

/// Copies a file, for this user alone, with its folders, and brings it to disk.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        private_dir(folder)?;
    }
    let copy = || -> io::Result<()> {
        let mut source = fs::File::open(from)?;
        let mut target = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(to)?;
        io::copy(&mut source, &mut target)?;
        target.sync_all()
    };
    copy().with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// The SHA-256 of a file, in hexadecimal.
pub(crate) fn hash(file: &Path) -> Result<String> {
    let read = || -> io::Result<String> {
        let (mut file, mut hash) = (fs::File::open(file)?, Hash::new(&SHA256));
        let mut buffer = vec![0; 1024 * 1024];
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                read => hash.update(&buffer[..read]),
            }
        }
        Ok(hex::encode(hash.finish()))
    };
    read().with_context(|| format!("cannot read {}", file.display()))
}

fn sync_parent(path: &Path) -> Result<()> {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    fs::File::open(parent.unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(())
}

fn still_served(error: OpenError, directory: &Path) -> anyhow::Error {
    match error {
        OpenError::InUse { path } => anyhow::anyhow!(
            "{} is being served; stop the suite or the service of {}, back up, and start it again",
            path.display(),
            directory.display()
        ),
        error => error.into(),
    }
}
