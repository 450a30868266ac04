//! `turnwise student`: what staff do with what is kept of a pupil.

use std::{io::Write, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result, bail};
use indicatif::{HumanBytes, ProgressBar};
use turnwise_kit::{Fault, client::GrpcClient};
use turnwise_proto::school::v1::{
    EraseStudentRequest, ExportStudentRequest,
    student_records_service_client::StudentRecordsServiceClient,
};

use crate::{
    client::EndpointArgs,
    school::{Caller, WORK, answered, ended},
    wire::to_json,
};

/// Arguments of `turnwise student`.
#[derive(clap::Args, Debug, Clone)]
pub struct StudentArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: StudentCommand,
}

/// What can be done with what is kept of a pupil.
#[derive(clap::Subcommand, Debug, Clone)]
pub enum StudentCommand {
    /// Write all that is kept of a pupil as one JSON document
    Export(ExportArgs),
    /// Remove all that is kept of a pupil, in the archives too
    Erase(EraseArgs),
}

/// Arguments of `turnwise student export`.
#[derive(clap::Args, Debug, Clone)]
pub struct ExportArgs {
    /// Where the suite is.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// The pupil
    pub student: String,
    /// File to write, which must not be there yet; default: standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Arguments of `turnwise student erase`.
#[derive(clap::Args, Debug, Clone)]
pub struct EraseArgs {
    /// Where the suite is.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// The pupil
    pub student: String,
    /// Why; kept in the audit log without what identifies a person
    #[arg(long, default_value = "")]
    pub reason: String,
    /// Do it; without this nothing is removed
    #[arg(long)]
    pub yes: bool,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
///
/// # Errors
/// `out` or the file cannot be written, or no connection can be set up. What the suite refuses is printed, and a failure.
pub async fn run(args: StudentArgs, out: &mut (dyn Write + Send)) -> Result<ExitCode> {
    ended(match args.command {
        StudentCommand::Export(args) => export(args, out).await,
        StudentCommand::Erase(args) => erase(args, out).await,
    })
}

fn connect(endpoint: &EndpointArgs) -> Result<(Caller, StudentRecordsServiceClient<GrpcClient>)> {
    let caller = Caller::connect(endpoint, "staff", "turnwise-student", &[])?;
    let client = StudentRecordsServiceClient::new(caller.channel.clone());
    Ok((caller, client))
}

async fn export(args: ExportArgs, out: &mut (dyn Write + Send)) -> Result<()> {
    let (caller, mut client) = connect(&args.endpoint)?;
    let request = ExportStudentRequest {
        student_id: args.student.clone(),
    };
    let mut pieces = answered(client.export_student(caller.request(request, WORK)).await)?;
    let Some(path) = &args.out else {
        while let Some(piece) = next(pieces.message().await)? {
            out.write_all(&piece.json)?;
        }
        return Ok(writeln!(out)?);
    };
    // Complete or not there: what breaks off leaves nothing that looks whole.
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or_else(|| ".".as_ref()))
        .with_context(|| format!("cannot write beside {}", path.display()))?;
    let bar = ProgressBar::new_spinner();
    let mut bytes = 0;
    while let Some(piece) = next(pieces.message().await)? {
        file.write_all(&piece.json)?;
        bytes += piece.json.len() as u64;
        bar.set_message(HumanBytes(bytes).to_string());
        bar.tick();
    }
    bar.finish_and_clear();
    file.as_file().sync_all()?;
    file.persist_noclobber(path)
        .with_context(|| format!("cannot write {}", path.display()))?;
    writeln!(
        out,
        "{}: {} in {}",
        args.student,
        HumanBytes(bytes),
        path.display()
    )?;
    Ok(())
}

fn next<T>(piece: Result<Option<T>, tonic::Status>) -> Result<Option<T>, Fault> {
    piece.map_err(|status| Fault::from_status(&status))
}

async fn erase(args: EraseArgs, out: &mut (dyn Write + Send)) -> Result<()> {
    if !args.yes {
        bail!(
            "this removes all that is kept of {}, badges and archives included; add --yes to do it",
            args.student
        );
    }
    let (caller, mut client) = connect(&args.endpoint)?;
    let bar = ProgressBar::new_spinner().with_message("erasing");
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    let request = EraseStudentRequest {
        student_id: args.student.clone(),
        reason: args.reason,
    };
    let erased = client.erase_student(caller.request(request, WORK)).await;
    bar.finish_and_clear();
    let erased = answered(erased)?;
    if args.json {
        let name = "turnwise.school.v1.EraseStudentResponse";
        writeln!(out, "{}", to_json(name, &erased)?)?;
    } else {
        writeln!(
            out,
            "{}: {} threads removed, {} records of archives erased (audit entry {})",
            args.student, erased.threads, erased.archive_records, erased.audit_id
        )?;
    }
    Ok(())
}
