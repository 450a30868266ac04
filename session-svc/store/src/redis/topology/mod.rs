//! Which server is in charge of a partition, and where to turn when it is not any more.

mod cluster;
mod sentinel;

use std::sync::Arc;

use tokio::time::Instant;

pub(super) use self::{cluster::Cluster, sentinel::SentinelSet};
use super::{
    address::{Address, HostPort, Layout},
    failure::Failure,
    node::{Connector, Duty, Node},
};

/// The servers and how to find the right one.
pub(super) enum Topology {
    /// One server, in charge of everything.
    Standalone(Arc<Node>),
    /// One primary at a time.
    Sentinel(SentinelSet),
    /// A primary for each slot.
    Cluster(Box<Cluster>),
}

/// The way to a server.
#[derive(Clone)]
pub(super) struct Way {
    /// The server.
    pub(super) node: Arc<Node>,
    /// Whether it must be told that another server sent us, as it does not own the slot yet.
    pub(super) asking: bool,
}

impl Way {
    /// To a server that owns what it is asked for.
    pub(super) fn to(node: Arc<Node>) -> Self {
        Self {
            node,
            asking: false,
        }
    }
}

impl Topology {
    /// The servers of an address; to each that holds data there will be so many connections. Nothing is sent yet.
    pub(super) fn new(address: &Address, lanes: usize) -> Self {
        match &address.layout {
            Layout::Standalone(server) => {
                let connector = Connector::new(address, Duty::Data);
                Self::Standalone(Arc::new(Node::new(server.clone(), connector, lanes)))
            }
            Layout::Sentinel { sentinels, name } => {
                Self::Sentinel(SentinelSet::new(address, sentinels, name, lanes))
            }
            Layout::Cluster(seeds) => Self::Cluster(Box::new(Cluster::new(address, seeds, lanes))),
        }
    }

    /// The way to the server in charge of a partition.
    pub(super) async fn way(&self, partition: &str, deadline: Instant) -> Result<Way, Failure> {
        match self {
            Self::Standalone(node) => Ok(Way::to(Arc::clone(node))),
            Self::Sentinel(set) => set.primary(deadline).await.map(Way::to),
            Self::Cluster(cluster) => cluster.owner(partition, deadline).await.map(Way::to),
        }
    }

    /// Another way, after one failed in such a manner that nothing was done: `None` if there is none.
    pub(super) async fn detour(
        &self,
        partition: &str,
        from: &Way,
        failure: &Failure,
        deadline: Instant,
    ) -> Option<Way> {
        match self {
            Self::Standalone(_) => None,
            Self::Sentinel(set) => set.detour(&from.node, failure, deadline).await.map(Way::to),
            Self::Cluster(cluster) => cluster.detour(partition, from, failure, deadline).await,
        }
    }

    /// Says that another server may be in charge.
    pub(super) fn doubt(&self) {
        match self {
            Self::Standalone(_) => {}
            Self::Sentinel(set) => set.doubt(),
            Self::Cluster(cluster) => cluster.doubt(),
        }
    }

    /// A server that publishes all news, and how to connect to it.
    pub(super) async fn herald(&self, deadline: Instant) -> Result<(HostPort, Connector), Failure> {
        let node = match self {
            Self::Standalone(node) => Arc::clone(node),
            Self::Sentinel(set) => set.primary(deadline).await?,
            Self::Cluster(cluster) => cluster.any(deadline).await?,
        };
        Ok((node.address.clone(), node.connector().clone()))
    }
}
