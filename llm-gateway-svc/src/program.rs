//! The model gateway as a process of its own.

use std::process::ExitCode;

use clap::Parser;
use turnwise_kit::{
    run::{self, Service},
    settings::ServerSettings,
};

use crate::{SERVICE_NAMES, Settings, routes};

/// Calls the configured model, with a bound on calls at once.
#[derive(Parser, Debug)]
#[command(name = "llm-gateway-svc", version)]
struct Cli {
    #[command(flatten)]
    server: ServerSettings,
    #[command(flatten)]
    service: Settings,
}

/// Runs the service until SIGTERM or SIGINT, with the settings of the arguments and the environment.
pub fn main() -> ExitCode {
    run::service::<Cli, _, _>(
        "llm-gateway-svc",
        // It waits for models most of the time, and one thread serves thousands of calls a second. With more, each wakes
        // the others for next to nothing.
        &[("LISTEN", "127.0.0.1:50053"), ("WORKER_THREADS", "1")],
        |cli| &cli.server,
        |cli, kit| async move {
            let routes = routes(&cli.service, &kit).await?;
            Ok(Service::internal(routes, SERVICE_NAMES))
        },
    )
}
