//! `turnwise serve`: any of the services in one process, with the settings that their own binaries have.

use std::process::ExitCode;

use turnwise_kit::run::{self, StartError};

use crate::{
    grouping::Grouping,
    suite::{self, SuiteSettings},
};

/// Arguments of `turnwise serve`.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct ServeArgs {
    /// Which services.
    #[command(flatten)]
    pub grouping: Grouping,
    /// Their settings.
    #[command(flatten)]
    pub suite: SuiteSettings,
}

/// Runs the services until SIGTERM or SIGINT.
///
/// # Errors
///
/// If something stops the start.
pub async fn run(args: ServeArgs) -> Result<ExitCode, StartError> {
    let server = args.suite.server.clone();
    run::serve("turnwise", server, |kit| async move {
        suite::service(&args.suite, &args.grouping, &kit).await
    })
    .await
}
