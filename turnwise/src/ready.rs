//! `turnwise ready`: whether a service of this container takes calls, for an engine's health checks.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context, Result, bail};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Arguments of `turnwise ready`.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct ReadyArgs {
    /// Where the service has its admin port; an address of all interfaces is asked on this machine
    #[arg(long, env = "ADMIN_LISTEN")]
    pub admin_listen: SocketAddr,
}

/// Asks the service's admin port.
///
/// # Errors
///
/// If the service does not take calls.
pub async fn run(args: &ReadyArgs) -> Result<ExitCode> {
    let mut admin = args.admin_listen;
    if admin.ip().is_unspecified() {
        admin.set_ip(match admin {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let client = reqwest::Client::builder()
        .no_proxy()
        .timeout(PATIENCE)
        .build()?;
    let asked = client.get(format!("http://{admin}/readyz")).send().await;
    let answer = asked.with_context(|| {
        format!("nobody answers at {admin}; is the service there, and ADMIN_LISTEN as it has it?")
    })?;
    if !answer.status().is_success() {
        bail!("the service at {admin} does not take calls; its log says why");
    }
    println!("ready");
    Ok(ExitCode::SUCCESS)
}
