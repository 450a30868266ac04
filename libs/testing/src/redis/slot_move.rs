//! A slot that moves from one primary of a cluster to another, step by step, as `redis-cli --cluster reshard` moves it.

use std::{io, time::Duration};

use super::{client::Value, cluster::Cluster, server::RedisServer};
use crate::wait::wait_until;

/// How long the nodes may take to know the new owner.
const LIMIT: Duration = Duration::from_secs(45);
/// How long one key may take, in milliseconds.
const KEY_LIMIT: &str = "5000";

/// A move that has begun: the old owner still serves the keys that it has, and sends those who ask for others to the new
/// one. It ends with [`SlotMove::finish`] alone.
#[derive(Debug)]
pub struct SlotMove<'a> {
    cluster: &'a Cluster,
    key: String,
    slot: String,
    from: &'a RedisServer,
    to: &'a RedisServer,
}

impl<'a> SlotMove<'a> {
    pub(super) fn begin(cluster: &'a Cluster, key: &str) -> io::Result<Self> {
        let owner = cluster.primary_of(key)?;
        let mut from = None;
        let mut to = None;
        for node in cluster.nodes().iter().filter(|node| node.is_running()) {
            if node.port() == owner {
                from = Some(node);
            } else if is_primary(node)? {
                to = Some(node);
            }
        }
        let nobody = || io::Error::other("a slot needs two primaries to move");
        let (from, to) = (from.ok_or_else(nobody)?, to.ok_or_else(nobody)?);
        let slot = from.command(&["CLUSTER", "KEYSLOT", key])?.int();
        let slot = slot.unwrap_or_default().to_string();
        to.command(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &id(from)?])?;
        from.command(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &id(to)?])?;
        Ok(Self {
            cluster,
            key: key.to_owned(),
            slot,
            from,
            to,
        })
    }

    /// Carries so many keys over, and answers how many there were.
    ///
    /// # Errors
    ///
    /// If the new owner has one of them already, or does not answer.
    pub fn carry(&self, most: usize) -> io::Result<usize> {
        let most = most.to_string();
        let keys = self
            .from
            .command(&["CLUSTER", "GETKEYSINSLOT", &self.slot, &most])?;
        let keys: Vec<String> = keys.items().iter().map(Value::text).collect();
        if !keys.is_empty() {
            let port = self.to.port().to_string();
            let mut words = vec!["MIGRATE", "127.0.0.1", &port, "", "0", KEY_LIMIT, "KEYS"];
            words.extend(keys.iter().map(String::as_str));
            self.from.command(&words)?;
        }
        Ok(keys.len())
    }

    /// How many keys of the slot the old owner has, and the new one.
    ///
    /// # Errors
    ///
    /// If one does not answer.
    pub fn keys(&self) -> io::Result<(i64, i64)> {
        let count = |node: &RedisServer| {
            let count = node.command(&["CLUSTER", "COUNTKEYSINSLOT", &self.slot])?;
            Ok::<_, io::Error>(count.int().unwrap_or_default())
        };
        Ok((count(self.from)?, count(self.to)?))
    }

    /// Carries the rest over and gives the slot to its new owner; returns once most nodes know.
    ///
    /// # Errors
    ///
    /// As [`SlotMove::carry`], or if the nodes do not know it in time.
    pub fn finish(self) -> io::Result<()> {
        while self.carry(10)? > 0 {}
        let owner = id(self.to)?;
        for node in [self.to, self.from] {
            node.command(&["CLUSTER", "SETSLOT", &self.slot, "NODE", &owner])?;
        }
        wait_until("the nodes to know a slot's owner", LIMIT, || {
            match self.cluster.primary_of(&self.key) {
                Ok(port) if port == self.to.port() => Ok(()),
                Ok(port) => Err(format!("{port} is the owner")),
                Err(error) => Err(error.to_string()),
            }
        })
    }
}

fn id(node: &RedisServer) -> io::Result<String> {
    Ok(node.command(&["CLUSTER", "MYID"])?.text())
}

fn is_primary(node: &RedisServer) -> io::Result<bool> {
    let role = node.command(&["ROLE"])?;
    Ok(role.items().first().map(Value::text).as_deref() == Some("master"))
}
