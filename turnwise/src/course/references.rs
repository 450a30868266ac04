//! `turnwise course references`: one reference text a lesson, made of the course's own text.

use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use turnwise_course_pack::{Chunk, Lesson, Pack, load};

use super::check::{counted, refused};

/// The most bytes of a reference, as retrieval-svc hands it out.
pub const MAX_REFERENCE: usize = 65_536;

/// Arguments of `turnwise course references`.
#[derive(clap::Args, Debug, Clone)]
pub struct ReferencesArgs {
    /// The pack.
    #[arg(long, value_name = "DIR")]
    pub course: PathBuf,
    /// Where to write them; default: the pack's own `references/`.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Overwrite references that say something else.
    #[arg(long)]
    pub force: bool,
}

/// A reference text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The lesson's slug, which is its key.
    pub slug: String,
    /// The text, at most [`MAX_REFERENCE`] bytes.
    pub text: String,
    /// How many bytes at its end did not fit.
    pub left_out: usize,
}

/// Runs `course references`.
pub(super) fn run(args: &ReferencesArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let pack = match load(&args.course) {
        Ok(pack) => pack,
        Err(faults) => return refused(&args.course, &faults, out),
    };
    let dir = args
        .out
        .clone()
        .unwrap_or_else(|| args.course.join("references"));
    fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let references = references(&pack);
    let mut kept = 0;
    for reference in &references {
        let path = dir.join(format!("{}.md", reference.slug));
        let done = write_one(&path, &reference.text, args.force)
            .with_context(|| format!("cannot write {}", path.display()))?;
        kept += usize::from(done == Done::Kept);
        let cut = match reference.left_out {
            0 => String::new(),
            bytes => format!(", {bytes} bytes at its end left out"),
        };
        writeln!(out, "{}: {}{cut}", path.display(), done.as_str())?;
    }
    writeln!(
        out,
        "{}: {}",
        pack.course.id,
        counted(references.len(), "reference")
    )?;
    if kept > 0 {
        writeln!(
            out,
            "  {kept} kept because they say something else; --force overwrites them"
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The references of a pack, in the order of its lessons: each lesson's title, headings and text. Lessons with one slug
/// share a reference. A text that is too long ends with the last paragraph that fits.
#[must_use]
pub fn references(pack: &Pack) -> Vec<Reference> {
    let mut references: Vec<(String, String)> = Vec::new();
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for lesson in &pack.lessons {
        let text = lesson_text(pack, lesson, &mut told);
        let slug = lesson.slug();
        match references.iter_mut().find(|(other, _)| *other == slug) {
            Some((_, whole)) => whole.push_str(&format!("\n{text}")),
            None => references.push((slug, text)),
        }
    }
    references
        .into_iter()
        .map(|(slug, text)| {
            let fit = fitting(&text).len();
            Reference {
                slug,
                left_out: text.len() - fit,
                text: text.get(..fit).unwrap_or_default().to_owned(),
            }
        })
        .collect()
}

fn lesson_text<'p>(pack: &'p Pack, lesson: &Lesson, told: &mut BTreeSet<&'p str>) -> String {
    let mut text = format!("# {}\n", lesson.title);
    let belongs = |chunk: &&Chunk| chunk.source == lesson.source && chunk.unit == lesson.unit;
    for chunk in pack.chunks.iter().filter(belongs) {
        // Two files may hold parts of one lesson; each chunk is told once.
        if told.insert(&chunk.id) {
            text.push_str(&format!("\n## {}\n\n{}\n", chunk.section, chunk.text));
        }
    }
    text
}

/// As much of the text as fits: whole paragraphs, or, if the first is too long, whole characters.
fn fitting(text: &str) -> &str {
    if text.len() <= MAX_REFERENCE {
        return text;
    }
    let mut end = MAX_REFERENCE;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let fit = text.get(..end).unwrap_or_default();
    match fit.rfind("\n\n") {
        Some(end) if end > 0 => fit.get(..=end).unwrap_or_default(),
        _ => fit,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Done {
    Written,
    Overwritten,
    Unchanged,
    Kept,
}

impl Done {
    fn as_str(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Overwritten => "overwritten",
            Self::Unchanged => "unchanged",
            Self::Kept => "kept as it is",
        }
    }
}

fn write_one(path: &Path, text: &str, force: bool) -> std::io::Result<Done> {
    let done = match fs::read(path) {
        Ok(old) if old == text.as_bytes() => return Ok(Done::Unchanged),
        Ok(_) if !force => return Ok(Done::Kept),
        Ok(_) => Done::Overwritten,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Done::Written,
        Err(error) => return Err(error),
    };
    // Renamed into place, so that a reader never sees half of it.
    let part = path.with_extension("md.part");
    fs::write(&part, text)?;
    fs::rename(&part, path)?;
    Ok(done)
}
