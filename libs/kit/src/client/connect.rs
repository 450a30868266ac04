//! Channels over sockets. They connect when they are first used, so services may start in any order.

use std::{
    collections::BTreeSet,
    future::{Future, pending},
    net::SocketAddr,
    time::Duration,
};

use tokio::sync::{mpsc, watch};
use tonic::transport::{Channel, Endpoint, channel::Change};
use tower::util::BoxCloneSyncService;

use super::{ClientOptions, GrpcClient, failover::Failover, outgoing::Outgoing};
use crate::{Kit, tls::Tls};

/// How often a DNS name is looked up again.
const DNS_PERIOD: Duration = Duration::from_secs(5);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

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
    let channel = channel(endpoint, tls, kit)?;
    let failover = Failover {
        channel,
        has_several: endpoint.contains(',') || by_name(endpoint).is_some(),
    };
    Ok(BoxCloneSyncService::new(Outgoing::new(failover, options)))
}

/// A channel to the service at `endpoint`, in the same forms. Where certificates change it connects anew with them, and
/// calls on the connections before end there.
pub fn channel(endpoint: &str, tls: Option<&Tls>, kit: &Kit) -> Result<Channel, ConnectError> {
    if let Some((scheme, authority)) = by_name(endpoint) {
        let (name, port) = authority
            .rsplit_once(':')
            .ok_or_else(|| ConnectError::Malformed(endpoint.to_owned()))?;
        port.parse::<u16>()
            .map_err(|_| ConnectError::Malformed(endpoint.to_owned()))?;
        // Refuses what is wrong at the start and not at the first look-up.
        tuned(&format!("{scheme}://{authority}"), Some(name), tls)?;
        let (channel, changes) = Channel::balance_channel(16);
        let watch = Watch {
            authority: authority.to_owned(),
            name: name.to_owned(),
            scheme,
            tls: tls.filter(|_| scheme == "https").cloned(),
            changes,
            known: BTreeSet::new(),
            anew: false,
        };
        until_the_end(kit, watch.run());
        return Ok(channel);
    }
    let uris: Vec<&str> = endpoint.split(',').map(str::trim).collect();
    let list = uris.iter().map(|uri| tuned(uri, None, tls));
    let list = list.collect::<Result<Vec<_>, _>>()?;
    let encrypted = uris.iter().any(|uri| uri.starts_with("https://"));
    match (<[Endpoint; 1]>::try_from(list), tls) {
        (Ok([one]), None) => Ok(one.connect_lazy()),
        (Ok([one]), _) if !encrypted => Ok(one.connect_lazy()),
        (Err(list), None) => Ok(Channel::balance_list(list.into_iter())),
        (list, Some(tls)) => {
            let list = list.map_or_else(|list| list, Vec::from);
            let news = tls.changes();
            let (channel, changes) = Channel::balance_channel(list.len());
            for (place, endpoint) in list.into_iter().enumerate() {
                // There is room for all, and the channel is here.
                let _ = changes.try_send(Change::Insert(place, endpoint));
            }
            let uris = uris.into_iter().map(str::to_owned).collect();
            until_the_end(kit, renew(uris, tls.clone(), news, changes));
            Ok(channel)
        }
    }
}

fn until_the_end(kit: &Kit, work: impl Future<Output = ()> + Send + 'static) {
    let shutdown = kit.shutdown.clone();
    kit.tasks.spawn(async move {
        shutdown.run_until_cancelled(work).await;
    });
}

/// Puts new endpoints in the place of those of a list each time that the certificates change.
async fn renew(
    uris: Vec<String>,
    tls: Tls,
    mut news: watch::Receiver<()>,
    places: mpsc::Sender<Change<usize, Endpoint>>,
) {
    while news.changed().await.is_ok() {
        for (place, uri) in uris.iter().enumerate() {
            if let Ok(endpoint) = tuned(uri, None, Some(&tls))
                && places.send(Change::Insert(place, endpoint)).await.is_err()
            {
                // The channel is gone.
                return;
            }
        }
    }
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
    tls.and_then(|tls| tls.endpoint(endpoint, server_name))
        .ok_or_else(|| ConnectError::Tls(uri.to_owned()))
}

/// The scheme and authority of an endpoint that is a name, whose addresses are kept up to date.
fn by_name(endpoint: &str) -> Option<(&'static str, &str)> {
    match endpoint.split_once("://")? {
        ("dns", authority) => Some(("http", authority)),
        ("dnss", authority) => Some(("https", authority)),
        _ => None,
    }
}

struct Watch {
    authority: String,
    name: String,
    scheme: &'static str,
    tls: Option<Tls>,
    changes: mpsc::Sender<Change<SocketAddr, Endpoint>>,
    known: BTreeSet<SocketAddr>,
    /// The certificates have changed: known addresses are to be connected to anew.
    anew: bool,
}

impl Watch {
    async fn run(mut self) {
        let mut renewed = self.tls.as_ref().map(Tls::changes);
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
            let changed = async {
                let ended = match &mut renewed {
                    Some(renewed) => renewed.changed().await.is_err(),
                    None => true,
                };
                if ended {
                    pending::<()>().await;
                }
            };
            tokio::select! {
                () = tokio::time::sleep(DNS_PERIOD) => {}
                () = changed => self.anew = true,
            }
        }
    }

    /// Adds before it removes, so that there is never a moment without an address. Fails when the channel is gone.
    async fn update(&mut self, found: BTreeSet<SocketAddr>) -> Result<(), ()> {
        if found.is_empty() {
            return Ok(());
        }
        let entered = |address: &&SocketAddr| self.anew || !self.known.contains(*address);
        for address in found.iter().filter(entered) {
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
        self.anew = false;
        Ok(())
    }
}
