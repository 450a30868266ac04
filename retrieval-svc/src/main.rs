//! The retrieval service as a process of its own.

use std::process::ExitCode;

use clap::Parser;
use turnwise_kit::{
    client::{ClientOptions, connect},
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
    /// The model gateway, which embeds with EMBEDDINGS=gateway: one address, several with commas between, or
    /// `dns://NAME:PORT` for all that a name stands for
    #[arg(long, env = "LLM_GATEWAY_ENDPOINT")]
    llm_gateway_endpoint: Option<String>,
}

fn main() -> ExitCode {
    run::service::<Cli, _, _>(
        "retrieval-svc",
        &[("LISTEN", "127.0.0.1:50052")],
        |cli| &cli.server,
        |cli, kit| async move {
            let options = ClientOptions {
                peer: "llm-gateway-svc",
                token: cli.server.internal_token()?,
            };
            let tls = cli.server.tls()?;
            let endpoint = cli.llm_gateway_endpoint.as_deref();
            let llm = endpoint.map(|endpoint| connect(endpoint, tls.as_ref(), options, &kit));
            let llm = llm.transpose();
            let llm = llm.map_err(|error| format!("LLM_GATEWAY_ENDPOINT: {error}"))?;
            Ok(Service {
                routes: routes(&cli.service, llm, &kit).await?,
                names: SERVICE_NAMES,
                auth: None,
                deadline: DeadlineRule::default(),
            })
        },
    )
}
