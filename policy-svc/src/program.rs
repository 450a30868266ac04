//! The policy service as a process of its own.

use std::process::ExitCode;

use clap::Parser;
use turnwise_kit::{
    run::{self, Service},
    settings::ServerSettings,
};

use crate::{SERVICE_NAMES, Settings, routes};

/// Decides what is allowed in a turn, from the student's record and the course's prerequisite graph.
#[derive(Parser, Debug)]
#[command(name = "policy-svc", version)]
struct Cli {
    #[command(flatten)]
    server: ServerSettings,
    #[command(flatten)]
    service: Settings,
}

/// Runs the service until SIGTERM or SIGINT, with the settings of the arguments and the environment.
pub fn main() -> ExitCode {
    run::service::<Cli, _, _>(
        "policy-svc",
        &[("LISTEN", "127.0.0.1:50051")],
        |cli| &cli.server,
        |cli, kit| async move {
            let routes = routes(&cli.service, &kit).await?;
            Ok(Service::internal(routes, SERVICE_NAMES))
        },
    )
}
