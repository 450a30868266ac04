//! `turnwise class`: what teachers and staff do with a class.

mod alerts;
mod board;
mod escalations;
mod policy;
mod report;
mod reset;
mod roster;

use std::{io::Write, process::ExitCode};

use anyhow::Result;
use turnwise_kit::client::GrpcClient;
use turnwise_proto::school::v1::class_service_client::ClassServiceClient;
use uuid::Uuid;

use crate::{
    client::EndpointArgs,
    school::{Caller, ended},
};

/// Arguments of `turnwise class`.
#[derive(clap::Args, Debug, Clone)]
pub struct ClassArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ClassCommand,
}

/// What can be done with a class.
#[derive(clap::Subcommand, Debug, Clone)]
pub enum ClassCommand {
    /// Show the names that are redacted, or replace them
    Roster(roster::RosterArgs),
    /// Show what the class's teacher decided, or change it from the next turn on
    Policy(policy::PolicyArgs),
    /// Tell how the class stands in a course
    Report(report::ReportArgs),
    /// Remove the conversations of the class, and follow how far it is
    Reset(reset::ResetArgs),
    /// Write an archive of the class and delete nothing
    Export(reset::ExportArgs),
    /// List calls for help, or take one on
    Alerts(alerts::AlertsArgs),
    /// List who waits for a person, or say that you have stepped in
    Escalations(escalations::EscalationsArgs),
    /// A live board: calls for help, who waits, who is stuck
    Watch(board::WatchArgs),
}

/// Which class, and who asks.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct WhoArgs {
    /// Where the suite is.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// The class
    pub class: String,
    /// Name in the development token, where no --token-file is given
    #[arg(long, default_value = "teacher")]
    pub teacher: String,
}

/// A connection that speaks for a class's teacher.
pub(crate) struct Class {
    pub(crate) caller: Caller,
    pub(crate) client: ClassServiceClient<GrpcClient>,
    pub(crate) id: String,
}

impl WhoArgs {
    fn connect(&self) -> Result<Class> {
        let classes = std::slice::from_ref(&self.class);
        let caller = Caller::connect(&self.endpoint, "teacher", &self.teacher, classes)?;
        Ok(Class {
            client: ClassServiceClient::new(caller.channel.clone()),
            caller,
            id: self.class.clone(),
        })
    }
}

/// A key for a call that changes something.
fn fresh_key() -> String {
    Uuid::new_v4().to_string()
}

/// Runs the command.
///
/// # Errors
/// `out` cannot be written, or no connection can be set up; the message says what to do. What the suite refuses is
/// printed, and a failure.
pub async fn run(args: ClassArgs, out: &mut (dyn Write + Send)) -> Result<ExitCode> {
    ended(match args.command {
        ClassCommand::Roster(args) => roster::run(args, out).await,
        ClassCommand::Policy(args) => policy::run(args, out).await,
        ClassCommand::Report(args) => report::run(args, out).await,
        ClassCommand::Reset(args) => reset::run(args, out).await,
        ClassCommand::Export(args) => reset::export(args, out).await,
        ClassCommand::Alerts(args) => alerts::run(args, out).await,
        ClassCommand::Escalations(args) => escalations::run(args, out).await,
        ClassCommand::Watch(args) => board::run(args, out).await,
    })
}
