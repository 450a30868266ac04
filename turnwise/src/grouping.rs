//! Which services share a process, and where the others are.

use std::{collections::BTreeSet, net::SocketAddr, str::FromStr};

use anyhow::{Result, bail};
use turnwise_gateway_svc::Endpoints;

/// Every service, by its binary's name. As a target it is called without `-svc`.
const SERVICES: [&str; 5] = [
    "gateway-svc",
    "policy-svc",
    "retrieval-svc",
    "llm-gateway-svc",
    "session-svc",
];

/// Services that share a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Targets(BTreeSet<&'static str>);

impl Targets {
    /// Whether this service, named by its binary, is in the process.
    pub fn contains(&self, service: &str) -> bool {
        self.0.contains(service)
    }
}

impl FromStr for Targets {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut targets = BTreeSet::new();
        for name in text.split(',').map(str::trim) {
            let named =
                |service: &&str| name == "all" || service.strip_suffix("-svc") == Some(name);
            let named: Vec<_> = SERVICES.into_iter().filter(named).collect();
            if named.is_empty() {
                return Err(format!(
                    "`{name}` is no target; name some of gateway, policy, retrieval, llm-gateway and session, with commas between, or all"
                ));
            }
            for service in named {
                if !targets.insert(service) {
                    return Err(format!("{service} is a target twice; name each once"));
                }
            }
        }
        Ok(Self(targets))
    }
}

/// Which services share the process, and where the others are.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct Grouping {
    /// The services of this process: some of gateway, policy, retrieval, llm-gateway and session, with commas between; or
    /// all
    #[arg(long, env = "TURNWISE_TARGET")]
    pub target: Option<Targets>,
    /// Where the targets beside the gateway also take calls of the suite's other processes; unset: they take none. Without
    /// the gateway they take them at LISTEN
    #[arg(long, env = "INTERNAL_LISTEN")]
    pub internal_listen: Option<SocketAddr>,
    /// Where the services are that are no targets.
    #[command(flatten)]
    pub endpoints: Endpoints,
}

impl Grouping {
    /// All five services in one process.
    pub fn all() -> Self {
        Self {
            target: Some(Targets(SERVICES.into())),
            internal_listen: None,
            endpoints: Endpoints::default(),
        }
    }

    /// The services of the process.
    ///
    /// # Errors
    ///
    /// If none is named, or the settings contradict each other; the message says what to do.
    pub fn targets(&self) -> Result<&Targets> {
        let Some(targets) = &self.target else {
            bail!(
                "no target is named; give --target (TURNWISE_TARGET), such as gateway,policy,retrieval, or all"
            );
        };
        for (service, setting, endpoint) in self.endpoints.places() {
            if endpoint.is_none() {
                continue;
            }
            if targets.contains(service) {
                bail!(
                    "{setting} is set, and {service} is a target of this process itself; unset the one, or leave out the other"
                );
            }
            let by_search = service == "llm-gateway-svc" && targets.contains("retrieval-svc");
            if !by_search && !targets.contains("gateway-svc") {
                bail!("{setting} is set, and no target calls {service}; unset it");
            }
        }
        if self.internal_listen.is_some() {
            if !targets.contains("gateway-svc") {
                bail!(
                    "INTERNAL_LISTEN is set, and the gateway is no target: its calls are taken at LISTEN then; unset it"
                );
            }
            if targets.0.len() == 1 {
                bail!(
                    "INTERNAL_LISTEN is set, and no target but the gateway would take calls there; unset it"
                );
            }
        }
        Ok(targets)
    }
}
