//! The turn gateway as a process of its own.

use std::{process::ExitCode, sync::Arc};

use clap::Parser;
use turnwise_gateway_svc::{
    Endpoints, SERVICE_NAMES, Settings, Upstreams, auth::JwtAuth, routes, upstream::connect_exam,
};
use turnwise_kit::{
    run::{self, Service},
    settings::ServerSettings,
};

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

fn main() -> ExitCode {
    run::service::<Cli, _, _>(
        "gateway-svc",
        &[("LISTEN", "127.0.0.1:50050")],
        |cli| &cli.server,
        |cli, kit| async move {
            let tls = cli.server.tls()?;
            let upstreams = Upstreams::connect(
                &cli.endpoints,
                connect_exam(&cli.gateway, tls.as_ref(), &kit)?,
                tls.as_ref(),
                cli.server.internal_token()?,
                &kit,
            )?;
            let auth = JwtAuth::new(&cli.gateway, &kit).await?;
            Ok(Service {
                routes: routes(&cli.gateway, upstreams, &kit).await?,
                names: SERVICE_NAMES,
                auth: Some(Arc::new(auth)),
                deadline: cli.gateway.deadline_rule(),
            })
        },
    )
}
