//! Channels over sockets. They connect when they are first used, so services may start in any order.

use std::{collections::BTreeSet, net::SocketAddr, time::Duration};

use tokio::sync::mpsc;
use tonic::transport::{
    Certificate, Channel, ClientTlsConfig, Endpoint, Identity, channel::Change,
};
use tower::util::BoxCloneSyncService;

use super::{ClientOptions, GrpcClient, failover::Failover, outgoing::Outgoing};
use crate::Kit;

/// How often a DNS name is looked up again.
const DNS_PERIOD: Duration = Duration::from_secs(5);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Whom we trust, and who we are.
#[derive(Clone)]
pub struct Tls {
    /// The certificate of the authority that signs the certificates of our peers, PEM; `None`: no peer is trusted.
    pub authority: Option<Vec<u8>>,
    /// Our own certificate; `None` for a client that shows none.
    pub identity: Option<TlsIdentity>,
}

/// A certificate and its key.
#[derive(Clone)]
pub struct TlsIdentity {
    /// The certificate, PEM.
    pub certificate: Vec<u8>,
    /// The key, PEM.
    pub key: Vec<u8>,
}

/// Why an endpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// It cannot be read.
    #[error(
        "`{0}` is no endpoint: write http://HOST:PORT, a comma-separated list of those, or dns://NAME:PORT (https:// and dnss:// with TLS files)"
    )]
    Malformed(String),
    /// TLS is asked for without the files, or they are unusable.
    #[error("`{0}` needs TLS_CLIENT_CA_FILE, the authority that signed that service's certificate")]
    Tls(String),
}

/// A client of the service at `endpoint`: `http://HOST:PORT`, several of those separated by commas, or
/// `dns://NAME:PORT`, whose addresses are looked up again every few seconds.
pub fn connect(
    endpoint: &str,
    tls: Option<&Tls>,
    options: ClientOptions,
    kit: &Kit,
) -> Result<GrpcClient, ConnectError> {
    let channel = match endpoint.split_once("://") {
        Some(("dns" | "dnss", authority)) => by_name(endpoint, authority, tls, kit)?,
        _ => {
            let list = endpoint
                .split(',')
                .map(|uri| tuned(uri.trim(), None, tls))
                .collect::<Result<Vec<_>, _>>()?;
            match <[Endpoint; 1]>::try_from(list) {
                Ok([one]) => {
                    let channel = one.connect_lazy();
                    return Ok(BoxCloneSyncService::new(Outgoing::new(channel, options)));
                }
                Err(list) => Channel::balance_list(list.into_iter()),
            }
        }
    };
    let channel = Failover(channel);
    Ok(BoxCloneSyncService::new(Outgoing::new(channel, options)))
}

/// An endpoint of one address without TLS, with the settings that all our channels share: what a benchmark compares with.
pub fn endpoint(uri: &str) -> Result<Endpoint, ConnectError> {
    tuned(uri, None, None)
}

/// An endpoint with the settings that all our channels share.
fn tuned(
    uri: &str,
    server_name: Option<&str>,
    tls: Option<&Tls>,
) -> Result<Endpoint, ConnectError> {
    let malformed = || ConnectError::Malformed(uri.to_owned());
    if !uri.starts_with("http://") && !uri.starts_with("https://") {
        return Err(malformed());
    }
    let endpoint = Endpoint::from_shared(uri.to_owned())
        .map_err(|_| malformed())?
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(true);
    if uri.starts_with("http://") {
        return Ok(endpoint);
    }
    let missing = || ConnectError::Tls(uri.to_owned());
    let tls = tls.ok_or_else(missing)?;
    let authority = tls.authority.as_ref().ok_or_else(missing)?;
    let mut config = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority));
    if let Some(identity) = &tls.identity {
        config = config.identity(Identity::from_pem(&identity.certificate, &identity.key));
    }
    if let Some(name) = server_name {
        config = config.domain_name(name);
    }
    endpoint
        .tls_config(config)
        .map_err(|_| ConnectError::Tls(uri.to_owned()))
}

/// A channel over all addresses of a name, kept up to date by a task that ends with the process.
fn by_name(
    endpoint: &str,
    authority: &str,
    tls: Option<&Tls>,
    kit: &Kit,
) -> Result<Channel, ConnectError> {
    let (name, port) = authority
        .rsplit_once(':')
        .ok_or_else(|| ConnectError::Malformed(endpoint.to_owned()))?;
    port.parse::<u16>()
        .map_err(|_| ConnectError::Malformed(endpoint.to_owned()))?;
    let scheme = if endpoint.starts_with("dnss://") {
        "https"
    } else {
        "http"
    };
    // Refuses what is wrong at the start and not at the first look-up.
    tuned(&format!("{scheme}://{authority}"), Some(name), tls)?;
    let (channel, changes) = Channel::balance_channel(16);
    let watch = Watch {
        authority: authority.to_owned(),
        name: name.to_owned(),
        scheme,
        tls: tls.cloned(),
        changes,
        known: BTreeSet::new(),
    };
    let shutdown = kit.shutdown.clone();
    kit.tasks.spawn(async move {
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = watch.run() => {}
        }
    });
    Ok(channel)
}

struct Watch {
    authority: String,
    name: String,
    scheme: &'static str,
    tls: Option<Tls>,
    changes: mpsc::Sender<Change<SocketAddr, Endpoint>>,
    known: BTreeSet<SocketAddr>,
}

impl Watch {
    async fn run(mut self) {
        loop {
            let found = tokio::net::lookup_host(&self.authority)
                .await
                .map(Iterator::collect);
            match found {
                Ok(found) => {
                    if self.update(found).await.is_err() {
                        return;
                    }
                }
                // The last known addresses stay in use.
                Err(error) => {
                    tracing::warn!(name = %self.name, %error, "the name cannot be looked up")
                }
            }
            tokio::time::sleep(DNS_PERIOD).await;
        }
    }

    /// Adds before it removes, so that there is never a moment without an address. Fails when the channel is gone.
    async fn update(&mut self, found: BTreeSet<SocketAddr>) -> Result<(), ()> {
        if found.is_empty() {
            return Ok(());
        }
        for address in found.difference(&self.known) {
            let uri = format!("{}://{address}", self.scheme);
            if let Ok(endpoint) = tuned(&uri, Some(&self.name), self.tls.as_ref()) {
                self.changes
                    .send(Change::Insert(*address, endpoint))
                    .await
                    .map_err(|_| ())?;
            }
        }
        for address in self.known.difference(&found) {
            self.changes
                .send(Change::Remove(*address))
                .await
                .map_err(|_| ())?;
        }
        self.known = found;
        Ok(())
    }
}
