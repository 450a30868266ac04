//! The turn gateway as a process of its own.

use std::process::ExitCode;

use clap::Parser;
use turnwise_kit::{run, settings::ServerSettings};

use crate::{Endpoints, Place, Settings, service};

/// The public face of Turnwise: takes a student's turn and composes the answer from the upstream services.
#[derive(Parser, Debug)]
#[command(name = "gateway-svc", version)]
struct Cli {
    #[command(flatten)]
    server: ServerSettings,
    #[command(flatten)]
    endpoints: Endpoints,
    #[command(flatten)]
    gateway: Settings,
}

/// Runs the service until SIGTERM or SIGINT, with the settings of the arguments and the environment.
pub fn main() -> ExitCode {
    run::service::<Cli, _, _>(
        "gateway-svc",
        &[
            ("LISTEN", "127.0.0.1:50050"),
            ("POLICY_ENDPOINT", "http://127.0.0.1:50051"),
            ("RETRIEVAL_ENDPOINT", "http://127.0.0.1:50052"),
            ("LLM_GATEWAY_ENDPOINT", "http://127.0.0.1:50053"),
            ("SESSION_ENDPOINT", "http://127.0.0.1:50054"),
        ],
        |cli| &cli.server,
        |cli, kit| async move {
            let client = |(service, setting, endpoint): Place<'_>| {
                cli.server.client(service, setting, endpoint, &kit)
            };
            service(&cli.gateway, &cli.endpoints, &cli.server, client, &kit).await
        },
    )
}
