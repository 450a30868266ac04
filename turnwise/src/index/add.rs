//! `turnwise index add`: files to chunks, and chunks to the index.

use std::{
    collections::HashMap,
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use turnwise_extract::{Chunk, EXTRACTION, Extracted, Kind, MAX_INPUT, extract, pdf};
use turnwise_proto::retrieval::v1::{DenseUse, SourceBegin, SourceChunk};

use super::{
    Staff, bar, count,
    upload::{Outcome, Progress, Upload},
};
use crate::{client::EndpointArgs, course::check::counted};

/// What a shell reports of a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;
/// The most characters of a title.
const MAX_TITLE: usize = 300;

/// Arguments of `turnwise index add`.
#[derive(clap::Args, Debug, Clone)]
pub struct AddArgs {
    /// Where the suite is.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// The course
    pub course: String,
    /// The files, each a source of its own
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The unit that they teach
    #[arg(long)]
    pub unit: String,
    /// The source's id, for one file; default: the file's name without its ending
    #[arg(long)]
    pub source: Option<String>,
    /// The title that people read, for one file; default: the file's name without its ending
    #[arg(long)]
    pub title: Option<String>,
    /// Where it can be read or watched: an http or https address
    #[arg(long, default_value = "", hide_default_value = true)]
    pub url: String,
    /// What the files are: vtt, srt, text, markdown or pdf; default: told by the ending
    #[arg(long)]
    pub kind: Option<Kind>,
}

/// A file to add, and as what.
struct Job {
    file: PathBuf,
    kind: Kind,
    source: String,
    title: String,
}

/// Adds the files one after the other. A file that cannot be added does not keep the others out, but makes the command
/// fail.
pub(super) async fn run(args: AddArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let jobs = jobs(&args)?;
    let staff = Staff::connect(&args.endpoint)?;
    let reader = pdf::Reader::this_program().context("cannot find this program's own file")?;
    let mut code = ExitCode::SUCCESS;
    for job in &jobs {
        let name = job.file.display();
        let upload = match prepare(&args, job, &reader, out).await {
            Ok(upload) => upload,
            Err(error) => {
                eprintln!("{error:#}");
                code = ExitCode::FAILURE;
                continue;
            }
        };
        let total = upload.chunks.len();
        let bar = bar(count(total), job.source.clone());
        let mut stored = 0;
        let mut report = |progress| stored = show(&bar, stored, progress);
        let outcome = tokio::select! {
            outcome = upload.run(&staff, &mut report) => Some(outcome),
            // No way to listen for Ctrl-C means that it ends the program at once, which loses nothing.
            Ok(()) = tokio::signal::ctrl_c() => None,
        };
        bar.finish_and_clear();
        match outcome {
            Some(Ok(Outcome::Already)) => {
                writeln!(out, "{name}: already indexed as {}", job.source)?;
            }
            Some(Ok(Outcome::Committed(committed))) => {
                let vectors = match committed.dense() {
                    DenseUse::Unavailable => ", found by words until its vectors are made",
                    DenseUse::NoModel => ", found by words",
                    DenseUse::Used | DenseUse::Unspecified => "",
                };
                writeln!(
                    out,
                    "{name}: {} added to {} as {}{vectors}; index {}",
                    counted(total, "chunk"),
                    args.unit,
                    job.source,
                    committed.index_id
                )?;
            }
            Some(Err(fault)) => {
                eprintln!("{name}: refused: {fault}");
                if stored > 0 {
                    eprintln!("  {}", kept(stored, total));
                }
                code = ExitCode::FAILURE;
            }
            None => {
                eprintln!("{name}: stopped");
                eprintln!("  {}", kept(stored, total));
                return Ok(ExitCode::from(INTERRUPTED));
            }
        }
    }
    Ok(code)
}

fn kept(stored: u64, total: usize) -> String {
    format!("{stored} of {total} chunks are kept; run the same command again to go on from there")
}

fn show(bar: &ProgressBar, stored: u64, progress: Progress) -> u64 {
    match progress {
        Progress::Stored { stored, embedded } => {
            bar.set_position(stored);
            bar.set_message(if embedded > 0 {
                format!("stored, {embedded} vectors")
            } else {
                "stored".to_owned()
            });
            stored
        }
        Progress::Lost => {
            bar.set_message("connection lost, trying again");
            stored
        }
    }
}

fn jobs(args: &AddArgs) -> Result<Vec<Job>> {
    if args.files.len() > 1 && (args.source.is_some() || args.title.is_some()) {
        bail!(
            "--source and --title name one file: add several files without them, or one at a time"
        );
    }
    let mut jobs = Vec::new();
    let mut sources: HashMap<String, &Path> = HashMap::new();
    for file in &args.files {
        let name = file.display();
        let kind = args.kind.or_else(|| Kind::of(file)).with_context(|| {
            format!("{name}: its ending tells no kind; name it with --kind (vtt, srt, text, markdown or pdf)")
        })?;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let source = args.source.clone().unwrap_or_else(|| source_id(&stem));
        if !is_source_id(&source) {
            bail!(
                "{name}: `{source}` is no source id; give one with --source: 1 to 128 of letters, digits, `.`, `_` and `-`"
            );
        }
        if let Some(other) = sources.insert(source.clone(), file) {
            bail!(
                "{name} and {} would both be the source {source}; add them one at a time, with --source",
                other.display()
            );
        }
        let title = args.title.clone().unwrap_or_else(|| stem.into_owned());
        jobs.push(Job {
            file: file.clone(),
            kind,
            source,
            title: title.chars().take(MAX_TITLE).collect(),
        });
    }
    Ok(jobs)
}

/// A file's name as an id: other characters become `-`.
fn source_id(stem: &str) -> String {
    let id: String = stem
        .chars()
        .take(128)
        .map(|c| if is_id_char(c) { c } else { '-' })
        .collect();
    id.trim_matches('-').to_owned()
}

fn is_source_id(id: &str) -> bool {
    (1..=128).contains(&id.len()) && id.chars().all(is_id_char)
}

fn is_id_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._-".contains(c)
}

/// Reads and cuts a file.
async fn prepare(
    args: &AddArgs,
    job: &Job,
    reader: &pdf::Reader,
    out: &mut dyn Write,
) -> Result<Upload> {
    let name = job.file.display().to_string();
    let bytes = read(&job.file).with_context(|| format!("cannot read {name}"))?;
    let revision = revision(args, job, &bytes);
    let Extracted {
        chunks,
        unreadable_pages,
    } = extract(&name, job.kind, bytes, reader).await?;
    if !unreadable_pages.is_empty() {
        let pages: Vec<String> = unreadable_pages.iter().map(u32::to_string).collect();
        writeln!(
            out,
            "{name}: damaged pages are left out: {}",
            pages.join(", ")
        )?;
    }
    Ok(Upload {
        begin: SourceBegin {
            course_id: args.course.clone(),
            source_id: job.source.clone(),
            revision,
            title: job.title.clone(),
            chunk_type: job.kind.chunk_type().to_owned(),
            chunk_count: i32::try_from(chunks.len()).context("too many chunks")?,
        },
        chunks: chunks
            .into_iter()
            .map(|chunk| source_chunk(args, chunk))
            .collect(),
    })
}

/// One byte more than may be, so that a larger file is refused by its size.
fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?
        .take(MAX_INPUT as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Names the content: all that decides what is uploaded.
fn revision(args: &AddArgs, job: &Job, bytes: &[u8]) -> String {
    let mut context = ring::digest::Context::new(&ring::digest::SHA256);
    context.update(&EXTRACTION.to_be_bytes());
    for part in [
        job.kind.as_str().as_bytes(),
        args.unit.as_bytes(),
        job.title.as_bytes(),
        args.url.as_bytes(),
        bytes,
    ] {
        // With its length, so that no part can reach into the next.
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part);
    }
    context
        .finish()
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn source_chunk(args: &AddArgs, chunk: Chunk) -> SourceChunk {
    SourceChunk {
        chunk_id: chunk.id,
        unit_id: args.unit.clone(),
        section: chunk.section,
        section_kind: String::new(),
        url: args.url.clone(),
        page: i32::try_from(chunk.page).unwrap_or(0),
        // A time that the wire cannot hold is none.
        start_time: chunk.start.and_then(|start| start.try_into().ok()),
        text: chunk.text,
        vector: Vec::new(),
        vector_model: String::new(),
    }
}
