//! A Redis Cluster of three primaries with a replica each.

use std::{io, iter, time::Duration};

use super::{
    client::Value,
    options::ServerOptions,
    server::{RedisServer, find, named_by_most, with_logs},
    slot_move::SlotMove,
};
use crate::{
    port::{ReservedPort, with_free_ports},
    wait::wait_until,
};

/// The slots of the first three nodes. Each of the other three becomes a replica of one of them.
const SLOTS: [(u16, u16); 3] = [(0, 5_460), (5_461, 10_922), (10_923, 16_383)];
const NODES: usize = 2 * SLOTS.len();
/// How long a failover, or finding everything in order again, may take.
const LIMIT: Duration = Duration::from_secs(45);

/// Six nodes, all persistent. A node is named by its port. All are killed when the value is dropped.
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<RedisServer>,
}

impl Cluster {
    /// Starts a cluster with the default options, and returns once every node says that it is in order and every
    /// replica is in step with its primary.
    ///
    /// # Errors
    ///
    /// If there is no `redis-server` on the PATH, or if the cluster is not in order in time.
    pub fn start() -> io::Result<Self> {
        Self::start_with(&ServerOptions::default())
    }

    /// Starts a cluster whose nodes have these options and are persistent.
    ///
    /// # Errors
    ///
    /// As [`Cluster::start`].
    pub fn start_with(options: &ServerOptions) -> io::Result<Self> {
        let options = options.clone().persistent();
        with_free_ports(|| Self::try_start(&options))
    }

    fn try_start(options: &ServerOptions) -> io::Result<Self> {
        let more = format!(
            "cluster-enabled yes\n\
             cluster-config-file nodes.conf\n\
             cluster-node-timeout {}\n",
            options.down_after_ms()
        );
        let nodes = iter::repeat_with(|| RedisServer::launch(ReservedPort::new()?, options, &more))
            .take(NODES)
            .collect::<io::Result<_>>()?;
        let mut cluster = Self { nodes };
        for node in &mut cluster.nodes {
            node.wait_until_ready()?;
        }
        cluster.join().map_err(|error| cluster.explained(error))?;
        cluster.settle()?;
        Ok(cluster)
    }

    /// Makes a cluster of nodes that do not know each other.
    fn join(&self) -> io::Result<()> {
        let (primaries, replicas) = self.nodes.split_at(SLOTS.len());
        for (epoch, node) in (1..).zip(&self.nodes) {
            // Epochs that differ from the start spare the nodes the search for such. A node takes one only while it
            // knows no other node.
            node.command(&["CLUSTER", "SET-CONFIG-EPOCH", &i32::to_string(&epoch)])?;
        }
        for node in &self.nodes {
            for other in self.ports().iter().filter(|port| **port != node.port()) {
                let port = other.to_string();
                node.command(&["CLUSTER", "MEET", "127.0.0.1", &port])?;
            }
        }
        for (node, (first, last)) in primaries.iter().zip(SLOTS) {
            let (first, last) = (first.to_string(), last.to_string());
            node.command(&["CLUSTER", "ADDSLOTSRANGE", &first, &last])?;
        }
        for (replica, primary) in replicas.iter().zip(primaries) {
            let id = primary.command(&["CLUSTER", "MYID"])?.text();
            wait_until("a node to know its primary", LIMIT, || {
                replica.command(&["CLUSTER", "REPLICATE", &id])
            })?;
        }
        Ok(())
    }

    /// The ports of the nodes, in the order of their start: the first three were the primaries, and the fourth to sixth
    /// their replicas in the same order.
    pub fn ports(&self) -> Vec<u16> {
        self.nodes.iter().map(RedisServer::port).collect()
    }

    /// The cluster as services name it in their settings: all nodes.
    pub fn url(&self) -> String {
        let nodes: Vec<String> = self
            .ports()
            .iter()
            .map(|port| format!("127.0.0.1:{port}"))
            .collect();
        format!("redis+cluster://{}", nodes.join(","))
    }

    /// The nodes, in the order of [`Cluster::ports`].
    pub fn nodes(&self) -> &[RedisServer] {
        &self.nodes
    }

    /// The node on this port, to end it, stop it or let it go on.
    ///
    /// # Errors
    ///
    /// If no node has the port.
    pub fn node(&mut self, port: u16) -> io::Result<&mut RedisServer> {
        find(&mut self.nodes, port)
    }

    /// The port of the primary of this key's slot, as most of the running nodes have it now.
    ///
    /// # Errors
    ///
    /// If no node knows it.
    pub fn primary_of(&self, key: &str) -> io::Result<u16> {
        named_by_most(self.running().map(|node| {
            let slot = node.command(&["CLUSTER", "KEYSLOT", key])?.int();
            let owner = view(node)?
                .into_iter()
                .find(|entry| entry.primary && slot.is_some_and(|slot| entry.has(slot)));
            let message = || format!("node {} knows no primary of {key:?}", node.port());
            owner
                .map(|entry| entry.port)
                .ok_or_else(|| io::Error::other(message()))
        }))
    }

    /// Kills the primary of this key's slot, and answers its port. Its replica takes its place after some three seconds
    /// with [`ServerOptions::failing_over`], and has no replica of its own then: with `min_replicas_to_write` it refuses
    /// writes until the node is restarted.
    ///
    /// # Errors
    ///
    /// As [`Cluster::primary_of`].
    pub fn kill_primary_of(&mut self, key: &str) -> io::Result<u16> {
        let port = self.primary_of(key)?;
        self.node(port)?.kill();
        Ok(port)
    }

    /// Starts a node again with what it had written, and returns once it takes commands. A former primary finds its
    /// place as a replica a moment later; [`Cluster::settle`] waits for that.
    ///
    /// # Errors
    ///
    /// If no node has the port, or as [`RedisServer::start_again`].
    pub fn restart(&mut self, port: u16) -> io::Result<()> {
        self.node(port)?.start_again()
    }

    /// Has the replica of this key's slot take the place of its primary, which goes on as its replica, and answers its
    /// port once most nodes know.
    ///
    /// # Errors
    ///
    /// If the slot has no running replica, or if it does not take over in time.
    pub fn planned_failover_of(&mut self, key: &str) -> io::Result<u16> {
        let before = self.primary_of(key)?;
        let replica = self
            .running()
            .find(|node| node.port() != before && node.follows(before).is_ok())
            .ok_or_else(|| io::Error::other(format!("{before} has no replica in step")))?;
        replica.command(&["CLUSTER", "FAILOVER"])?;
        self.wait_for_primary_of(key, before)
    }

    /// Waits until most nodes name another primary of this key's slot than this one, and answers its port.
    ///
    /// # Errors
    ///
    /// If they do not in time.
    pub fn wait_for_primary_of(&self, key: &str, other_than: u16) -> io::Result<u16> {
        wait_until("the nodes to name another primary", LIMIT, || {
            match self.primary_of(key) {
                Ok(primary) if primary != other_than => Ok(primary),
                Ok(primary) => Err(format!("{primary} is the primary")),
                Err(error) => Err(error.to_string()),
            }
        })
        .map_err(|error| self.explained(error))
    }

    /// Begins to move this key's slot to another primary. The nodes must have no password.
    ///
    /// # Errors
    ///
    /// If nobody knows the slot's primary, or if there is no other one.
    pub fn begin_move_of(&self, key: &str) -> io::Result<SlotMove<'_>> {
        SlotMove::begin(self, key)
    }

    /// Waits until everything that runs is in order: every node says so, takes all running nodes for reachable and has
    /// the same primaries for the same slots as all others, and the replicas are in step.
    ///
    /// # Errors
    ///
    /// If it is not in order in time.
    pub fn settle(&self) -> io::Result<()> {
        wait_until("the cluster to be in order", LIMIT, || self.in_order())
            .map_err(|error| self.explained(error))
    }

    /// Says what is not in order, if something is not.
    fn in_order(&self) -> io::Result<()> {
        let running: Vec<u16> = self.running().map(RedisServer::port).collect();
        let mut agreed: Option<Vec<Entry>> = None;
        for node in self.running() {
            let port = node.port();
            let info = node.command(&["CLUSTER", "INFO"])?.text();
            if !info.contains("cluster_state:ok") {
                return Err(io::Error::other(format!("node {port} says: {info}")));
            }
            let mut entries = view(node)?;
            entries.retain(|entry| running.contains(&entry.port));
            entries.sort_by_key(|entry| entry.port);
            let reachable = entries.iter().filter(|entry| entry.reachable).count();
            if reachable < running.len() {
                return Err(io::Error::other(format!("node {port} sees: {entries:?}")));
            }
            let own = entries.iter().find(|entry| entry.port == port);
            if let Some(primary) = own.and_then(|own| own.follows.clone()) {
                let primary = entries.iter().find(|entry| entry.id == primary);
                let unknown = || io::Error::other(format!("node {port} follows nobody who runs"));
                node.follows(primary.ok_or_else(unknown)?.port)?;
            }
            match &agreed {
                None => agreed = Some(entries),
                Some(others) if *others == entries => {}
                Some(others) => {
                    let message = format!("node {port} sees: {entries:?}, others: {others:?}");
                    return Err(io::Error::other(message));
                }
            }
        }
        Ok(())
    }

    fn running(&self) -> impl Iterator<Item = &RedisServer> {
        self.nodes.iter().filter(|node| node.is_running())
    }

    fn explained(&self, error: io::Error) -> io::Error {
        with_logs(error, &self.nodes)
    }
}

/// A node as another one sees it.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    id: String,
    port: u16,
    primary: bool,
    reachable: bool,
    /// The id of a replica's primary.
    follows: Option<String>,
    /// The first and last slots of its ranges.
    slots: Vec<(i64, i64)>,
}

impl Entry {
    fn has(&self, slot: i64) -> bool {
        self.slots
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&slot))
    }
}

/// All nodes as this one sees them.
fn view(node: &RedisServer) -> io::Result<Vec<Entry>> {
    let text = node
        .command(&["CLUSTER", "NODES"])
        .map(|it| Value::text(&it))?;
    let entries: Option<Vec<Entry>> = text.lines().map(entry).collect();
    entries.ok_or_else(|| io::Error::other(format!("cannot read these nodes: {text}")))
}

/// One line of `CLUSTER NODES`: id, address, flags, primary's id, two times, epoch, link, slots.
fn entry(line: &str) -> Option<Entry> {
    let words: Vec<&str> = line.split(' ').collect();
    let [id, address, flags, follows, _, _, _, link, slots @ ..] = words.as_slice() else {
        return None;
    };
    let (address, _) = address.split_once('@')?;
    let (_, port) = address.rsplit_once(':')?;
    let flags: Vec<&str> = flags.split(',').collect();
    let known_and_up = !["fail", "fail?", "handshake", "noaddr"]
        .iter()
        .any(|flag| flags.contains(flag));
    let slots = slots.iter().map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some((first.parse().ok()?, last.parse().ok()?))
    });
    Some(Entry {
        id: (*id).to_owned(),
        port: port.parse().ok()?,
        primary: flags.contains(&"master"),
        reachable: known_and_up && *link == "connected",
        follows: (*follows != "-").then(|| (*follows).to_owned()),
        slots: slots.collect::<Option<_>>()?,
    })
}
