//! Which server is in charge of a partition, and where to turn when it is not any more.

mod cluster;
mod sentinel;

use std::sync::Arc;

use redis::{Cmd, aio::MultiplexedConnection};
use tokio::time::Instant;

use self::cluster::Cluster;
pub use self::{cluster::slot, sentinel::SentinelSet};
use crate::{
    RedisOptions,
    address::{Address, Layout},
    failure::Failure,
    node::{Connector, Duty, Evicts, Node},
};

/// The servers and how to find the right one.
pub(crate) enum Topology {
    /// One server, in charge of everything.
    Standalone(Arc<Node>),
    /// One primary at a time.
    Sentinel(SentinelSet),
    /// A primary for each slot.
    Cluster(Box<Cluster>),
}

/// The way to a server.
#[derive(Clone)]
pub(crate) struct Way {
    /// The server.
    pub(crate) node: Arc<Node>,
    /// Whether it must be told that another server sent us, as it does not own the slot yet.
    pub(crate) asking: bool,
}

impl Way {
    /// To a server that owns what it is asked for.
    pub(crate) fn to(node: Arc<Node>) -> Self {
        Self {
            node,
            asking: false,
        }
    }
}

impl Topology {
    /// The servers of an address, which is that of the options. Nothing is sent yet. What is found of servers that may evict
    /// is put into `evicts`.
    pub(crate) fn new(address: &Address, options: &RedisOptions, evicts: &Evicts) -> Self {
        match &address.layout {
            Layout::Standalone(server) => {
                let connector = Connector::new(address, options, Duty::Data, evicts);
                Self::Standalone(Arc::new(Node::new(
                    server.clone(),
                    connector,
                    options.connections,
                )))
            }
            Layout::Sentinel { sentinels, name } => {
                Self::Sentinel(SentinelSet::new(address, options, evicts, sentinels, name))
            }
            Layout::Cluster(seeds) => {
                Self::Cluster(Box::new(Cluster::new(address, options, evicts, seeds)))
            }
        }
    }

    /// The way to the server in charge of a partition.
    pub(crate) async fn way(&self, partition: &str, deadline: Instant) -> Result<Way, Failure> {
        match self {
            Self::Standalone(node) => Ok(Way::to(Arc::clone(node))),
            Self::Sentinel(set) => set.primary(deadline).await.map(Way::to),
            Self::Cluster(cluster) => cluster.owner(partition, deadline).await.map(Way::to),
        }
    }

    /// Another way, after one failed in such a manner that nothing was done: `None` if there is none.
    pub(crate) async fn detour(
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
    pub(crate) fn doubt(&self) {
        match self {
            Self::Standalone(_) => {}
            Self::Sentinel(set) => set.doubt(),
            Self::Cluster(cluster) => cluster.doubt(),
        }
    }

    /// A server that hears all messages.
    pub(crate) async fn listened_to(&self, deadline: Instant) -> Result<Arc<Node>, Failure> {
        match self {
            Self::Standalone(node) => Ok(Arc::clone(node)),
            Self::Sentinel(set) => set.primary(deadline).await,
            Self::Cluster(cluster) => cluster.any(deadline).await,
        }
    }

    /// Finds out on this connection whether the server is there, and still hears all messages.
    pub(crate) async fn hears_all(
        &self,
        listened_to: &Node,
        connection: &mut MultiplexedConnection,
        deadline: Instant,
    ) -> Result<(), Failure> {
        match self {
            Self::Standalone(_) => {
                answered(connection, redis::cmd("PING")).await?;
            }
            Self::Sentinel(set) => {
                answered(connection, redis::cmd("PING")).await?;
                // While no sentinel answers nobody else is primary, as far as can be known.
                if let Ok(primary) = set.primary(deadline).await
                    && primary.address() != listened_to.address()
                {
                    return Err(Failure::NotPrimary);
                }
            }
            Self::Cluster(_) => {
                let mut info = redis::cmd("CLUSTER");
                info.arg("INFO");
                let told = answered(connection, info).await?;
                // A node that has lost most of the others hears nothing from them.
                if told.is_some_and(|told| told.contains("cluster_state:fail")) {
                    return Err(Failure::NobodyInCharge);
                }
            }
        }
        Ok(())
    }
}

/// What a server answers, if it is text and no refusal: who refuses is there, too.
async fn answered(
    connection: &mut MultiplexedConnection,
    command: Cmd,
) -> Result<Option<String>, Failure> {
    match command.query_async(connection).await {
        Ok(told) => Ok(Some(told)),
        Err(error) => match Failure::of_answer(error) {
            Failure::Said(_) => Ok(None),
            failure => Err(failure),
        },
    }
}
