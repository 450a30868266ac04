//! The retrieval service as a process of its own.

use std::process::ExitCode;

use clap::Parser;
use turnwise_kit::{
    run::{self, Service},
    settings::ServerSettings,
    stack::DeadlineRule,
};
use turnwise_retrieval_svc::{SERVICE_NAMES, Settings, routes};

/// Finds bounded course text for a turn.
#[derive(Parser, Debug)]
#[command(name = "retrieval-svc", version)]
struct Cli {
    #[command(flatten)]
    server: ServerSettings,
    #[command(flatten)]
    service: Settings,
}

fn main() -> ExitCode {
    run::service::<Cli, _, _>(
        "retrieval-svc",
        &[("LISTEN", "127.0.0.1:50052")],
        |cli| &cli.server,
        |cli, kit| async move {
            Ok(Service {
                routes: routes(&cli.service, &kit).await?,
                names: SERVICE_NAMES,
                auth: None,
                deadline: DeadlineRule::default(),
            })
        },
    )
}
