//! `turnwise index`: what is searched beside a course pack, and the state of a course's index.

mod add;
mod status;
mod upload;

use std::{io::Write, process::ExitCode, time::Duration};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use turnwise_kit::{Fault, client::GrpcClient};
use turnwise_proto::retrieval::v1::{
    DeleteSourceRequest, GetIndexStatusRequest, ListSourcesRequest, RebuildIndexRequest,
    RebuildIndexResponse, Source, index_service_client::IndexServiceClient,
};

use crate::{client::EndpointArgs, school::Caller};

pub use add::AddArgs;

/// How long an upload or a rebuild may take.
const WORK: Duration = Duration::from_secs(3600);
/// The most sources of one page.
const PAGE: i32 = 1_000;

/// Arguments of `turnwise index`.
#[derive(clap::Args, Debug, Clone)]
pub struct IndexArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: IndexCommand,
}

/// What can be done with a course's index.
#[derive(clap::Subcommand, Debug, Clone)]
pub enum IndexCommand {
    /// Add transcripts (VTT, SRT), PDFs and texts (plain, Markdown) to a course, or replace them
    Add(AddArgs),
    /// List what was added to a course
    List(CourseArgs),
    /// Remove a source from a course
    Delete(DeleteArgs),
    /// Tell what is served for a course
    Status(CourseArgs),
    /// Make the terms and vectors of a course anew, while the old index is served
    Rebuild(RebuildArgs),
}

/// A course, and how to print what is known of it.
#[derive(clap::Args, Debug, Clone)]
pub struct CourseArgs {
    /// Where the suite is.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// The course
    pub course: String,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `turnwise index delete`.
#[derive(clap::Args, Debug, Clone)]
pub struct DeleteArgs {
    /// Where the suite is.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// The course
    pub course: String,
    /// The source's id, as `index list` names it
    pub source: String,
}

/// Arguments of `turnwise index rebuild`.
#[derive(clap::Args, Debug, Clone)]
pub struct RebuildArgs {
    /// Where the suite is.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// The course
    pub course: String,
    /// Make all vectors anew, too, instead of using those of texts that did not change
    #[arg(long)]
    pub forget_vectors: bool,
}

/// Runs the command.
///
/// # Errors
/// `out` cannot be written, or no connection can be set up; the message says what to do. What the suite refuses is
/// printed, and a failure.
pub async fn run(args: IndexArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let done = match args.command {
        IndexCommand::Add(args) => return add::run(args, out).await,
        IndexCommand::List(args) => list(&args, out).await?,
        IndexCommand::Delete(args) => delete(&args, out).await?,
        IndexCommand::Status(args) => show_status(&args, out).await?,
        IndexCommand::Rebuild(args) => rebuild(&args, out).await?,
    };
    Ok(match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("refused: {fault}");
            ExitCode::FAILURE
        }
    })
}

/// A connection to the index as a member of staff.
pub(crate) struct Staff {
    pub(crate) client: IndexServiceClient<GrpcClient>,
    pub(crate) caller: Caller,
}

impl Staff {
    pub(crate) fn connect(endpoint: &EndpointArgs) -> Result<Self> {
        let caller = Caller::connect(endpoint, "staff", "turnwise-index", &[])?;
        let client = IndexServiceClient::new(caller.channel.clone());
        Ok(Self { client, caller })
    }
}

/// A failure of a call.
pub(crate) fn fault(status: tonic::Status) -> Fault {
    Fault::from_status(&status)
}

/// A bar on standard error, or none where that is no terminal.
fn bar(length: u64, label: String) -> ProgressBar {
    let bar = ProgressBar::new(length);
    // The template is a constant; a wrong one would leave the default style.
    if let Ok(style) = ProgressStyle::with_template("{prefix}  {bar:30} {pos}/{len}  {msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(label);
    bar
}

/// A count of the wire, none of which is negative.
fn count(number: impl TryInto<u64>) -> u64 {
    number.try_into().unwrap_or(0)
}

async fn list(args: &CourseArgs, out: &mut dyn Write) -> Result<Result<(), Fault>> {
    let mut staff = Staff::connect(&args.endpoint)?;
    let sources = match sources(&mut staff, &args.course).await {
        Ok(sources) => sources,
        Err(fault) => return Ok(Err(fault)),
    };
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &status::sources_json(&sources))?;
        writeln!(out)?;
    } else {
        write!(out, "{}", status::sources(&args.course, &sources))?;
    }
    Ok(Ok(()))
}

async fn sources(staff: &mut Staff, course: &str) -> Result<Vec<Source>, Fault> {
    let mut sources = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = staff.caller.ask(ListSourcesRequest {
            course_id: course.to_owned(),
            page_size: PAGE,
            page_token: page_token.clone(),
        });
        let page = staff.client.list_sources(request).await.map_err(fault)?;
        let page = page.into_inner();
        sources.extend(page.sources);
        // A token that does not change would go on for ever.
        if page.next_page_token.is_empty() || page.next_page_token == page_token {
            return Ok(sources);
        }
        page_token = page.next_page_token;
    }
}

async fn delete(args: &DeleteArgs, out: &mut dyn Write) -> Result<Result<(), Fault>> {
    let mut staff = Staff::connect(&args.endpoint)?;
    let request = staff.caller.ask(DeleteSourceRequest {
        course_id: args.course.clone(),
        source_id: args.source.clone(),
    });
    let answer = match staff.client.delete_source(request).await.map_err(fault) {
        Ok(answer) => answer.into_inner(),
        Err(fault) => return Ok(Err(fault)),
    };
    if answer.deleted {
        writeln!(out, "{}: deleted, index {}", args.source, answer.index_id)?;
    } else {
        writeln!(
            out,
            "{}: no such source in {}, nothing to delete",
            args.source, args.course
        )?;
    }
    Ok(Ok(()))
}

async fn show_status(args: &CourseArgs, out: &mut dyn Write) -> Result<Result<(), Fault>> {
    let mut staff = Staff::connect(&args.endpoint)?;
    let request = staff.caller.ask(GetIndexStatusRequest {
        course_id: args.course.clone(),
    });
    let answer = match staff.client.get_index_status(request).await.map_err(fault) {
        Ok(answer) => answer.into_inner(),
        Err(fault) => return Ok(Err(fault)),
    };
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &status::index_json(&answer))?;
        writeln!(out)?;
    } else {
        write!(out, "{}", status::index(&args.course, &answer))?;
    }
    Ok(Ok(()))
}

async fn rebuild(args: &RebuildArgs, out: &mut dyn Write) -> Result<Result<(), Fault>> {
    let mut staff = Staff::connect(&args.endpoint)?;
    let bar = bar(0, args.course.clone());
    let rebuilt = watch_rebuild(&mut staff, args, &bar).await;
    bar.finish_and_clear();
    match rebuilt {
        Ok(Some(end)) => writeln!(
            out,
            "{}: rebuilt, index {}, {} of {} vectors",
            args.course, end.index_id, end.embedded, end.to_embed
        )?,
        Ok(None) => {
            return Ok(Err(Fault::new(
                turnwise_proto::common::v1::ErrorReason::DependencyUnavailable,
                "the suite ended the rebuild without an index; the old one is served, so try again",
            )));
        }
        Err(fault) => return Ok(Err(fault)),
    }
    Ok(Ok(()))
}

async fn watch_rebuild(
    staff: &mut Staff,
    args: &RebuildArgs,
    bar: &ProgressBar,
) -> Result<Option<RebuildIndexResponse>, Fault> {
    let request = staff.caller.request(
        RebuildIndexRequest {
            course_id: args.course.clone(),
            forget_vectors: args.forget_vectors,
        },
        WORK,
    );
    let answers = staff.client.rebuild_index(request).await.map_err(fault)?;
    let mut answers = answers.into_inner();
    while let Some(answer) = answers.message().await.map_err(fault)? {
        bar.set_length(count(answer.to_embed));
        bar.set_position(count(answer.embedded));
        bar.set_message("vectors");
        if !answer.index_id.is_empty() {
            return Ok(Some(answer));
        }
    }
    Ok(None)
}
