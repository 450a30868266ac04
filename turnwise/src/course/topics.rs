//! `turnwise course topics`: what a chat about a lesson may touch, suggested from the lesson's text.

mod front;
mod suggest;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use turnwise_course_pack::load;

use super::check::{counted, refused};
pub use front::{existing, with_topics};
pub use suggest::{Text, suggest};

/// Arguments of `turnwise course topics`.
#[derive(clap::Args, Debug, Clone)]
pub struct TopicsArgs {
    /// The pack.
    #[arg(value_name = "COURSE")]
    pub course: PathBuf,
    /// Folder of the lessons, Markdown with front matter; default: the pack's own `content/`.
    #[arg(long, value_name = "DIR")]
    pub lessons_dir: Option<PathBuf>,
    /// Write the suggestions into the front matter of lessons that have no topics yet. Nothing else of a file changes.
    #[arg(long)]
    pub write: bool,
    /// With --write, replace the topics that a lesson has.
    #[arg(long, requires = "write")]
    pub replace: bool,
    /// The most topics of a lesson (1 to 50).
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=50))]
    pub max: u64,
}

/// Runs `course topics`: failure if the pack has faults, or a lesson cannot take its topics.
pub(super) fn run(args: &TopicsArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let pack = match load(&args.course) {
        Ok(pack) => pack,
        Err(faults) => return refused(&args.course, &faults, out),
    };
    let dir = args.lessons_dir.clone();
    let dir = dir.unwrap_or_else(|| args.course.join("content"));
    let mut paths = Vec::new();
    markdown_below(&dir, &mut paths)
        .with_context(|| format!("{} cannot be read", dir.display()))?;
    paths.sort();
    let mut texts = Vec::new();
    for path in &paths {
        let text = fs::read_to_string(path);
        texts.push(text.with_context(|| format!("{} cannot be read", path.display()))?);
    }
    let lessons: Vec<Text<'_>> = texts.iter().map(|text| Text::of(text)).collect();
    let most = usize::try_from(args.max).unwrap_or(usize::MAX);
    let suggested = suggest(&pack.course.locale, &lessons, most);
    let (mut written, mut failed) = (0, false);
    for ((path, text), topics) in paths.iter().zip(&texts).zip(&suggested) {
        writeln!(out, "{}", path.display())?;
        let has = existing(text);
        if !has.is_empty() {
            writeln!(out, "  has: {}", has.join(", "))?;
        }
        writeln!(out, "  suggested: {}", topics.join(", "))?;
        if !args.write {
            continue;
        }
        if topics.is_empty() || (!has.is_empty() && !args.replace) {
            writeln!(out, "  kept as it is")?;
        } else if let Some(changed) = with_topics(text, topics) {
            replace(path, &changed)?;
            writeln!(out, "  written")?;
            written += 1;
        } else {
            writeln!(
                out,
                "  not written: the file does not begin with front matter between two lines `---`"
            )?;
            failed = true;
        }
    }
    let lessons = counted(paths.len(), "lesson");
    writeln!(out, "{}: {lessons}, {written} written", pack.course.id)?;
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The Markdown files in the folder and below, without hidden ones and links.
fn markdown_below(dir: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if kind.is_dir() {
            markdown_below(&path, found)?;
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    Ok(())
}

/// Renames the new text into place, so that a reader never sees half of it.
fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let part = path.with_extension("md.part");
    fs::write(&part, text)
        .and_then(|()| fs::set_permissions(&part, fs::metadata(path)?.permissions()))
        .and_then(|()| fs::rename(&part, path))
        .with_context(|| format!("{} cannot be written", path.display()))
}
