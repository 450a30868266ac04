//! The retrieval service as a process of its own.

use std::process::ExitCode;

use clap::Parser;
use turnwise_kit::{
    run::{self, Service},
    settings::ServerSettings,
};

use crate::{SERVICE_NAMES, Settings, routes};

/// Finds bounded course text for a turn.
#[derive(Parser, Debug)]
#[command(name = "retrieval-svc", version)]
struct Cli {
    #[command(flatten)]
    server: ServerSettings,
    #[command(flatten)]
    service: Settings,
    /// The model gateway, which embeds with EMBEDDINGS=gateway: one address, several with commas between, or
    /// `dns://NAME:PORT` for all that a name stands for
    #[arg(long, env = "LLM_GATEWAY_ENDPOINT")]
    llm_gateway_endpoint: Option<String>,
}

/// Runs the service until SIGTERM or SIGINT, with the settings of the arguments and the environment.
pub fn main() -> ExitCode {
    run::service::<Cli, _, _>(
        "retrieval-svc",
        &[("LISTEN", "127.0.0.1:50052")],
        |cli| &cli.server,
        |cli, kit| async move {
            let llm = cli.llm_gateway_endpoint.as_deref().map(|endpoint| {
                let (service, setting) = ("llm-gateway-svc", "LLM_GATEWAY_ENDPOINT");
                cli.server.client(service, setting, Some(endpoint), &kit)
            });
            let routes = routes(&cli.service, llm.transpose()?, &kit).await?;
            Ok(Service::internal(routes, SERVICE_NAMES))
        },
    )
}
