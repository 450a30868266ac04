//! The session service as a process of its own.

use std::process::ExitCode;

use clap::Parser;
use turnwise_kit::{
    run::{self, Service},
    settings::ServerSettings,
};

use crate::{SERVICE_NAMES, Settings, routes};

/// Keeps snapshots, threads and idempotent answers.
#[derive(Parser, Debug)]
#[command(name = "session-svc", version)]
struct Cli {
    #[command(flatten)]
    server: ServerSettings,
    #[command(flatten)]
    service: Settings,
}

/// Runs the service until SIGTERM or SIGINT, with the settings of the arguments and the environment.
pub fn main() -> ExitCode {
    run::service::<Cli, _, _>(
        "session-svc",
        &[("LISTEN", "127.0.0.1:50054")],
        |cli| &cli.server,
        |cli, kit| async move {
            let routes = routes(&cli.service, &kit).await?;
            Ok(Service::internal(routes, SERVICE_NAMES))
        },
    )
}
