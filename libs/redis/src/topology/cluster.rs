//! A Redis Cluster: which node owns a slot, learnt from any node and from the redirections of those that do not.
//!
//! A transaction is sent again only where it was certainly not done.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use redis::{Pipeline, Value};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::Way;
use crate::{
    RedisOptions,
    address::{Address, HostPort, parse_text},
    failure::Failure,
    node::{Connector, Duty, Evicts, Node},
};

/// How many slots a cluster has.
const SLOTS: u16 = 16384;
/// How long one node may take to tell who owns what.
const MAP_TIMEOUT: Duration = Duration::from_millis(500);
/// How long after a map was learnt it is not asked for again.
const MAP_HOLDS: Duration = Duration::from_millis(50);
/// The pause before a node that cannot serve a slot right now is asked again.
const PAUSE: Duration = Duration::from_millis(50);

/// The nodes of a cluster.
pub(crate) struct Cluster {
    connector: Connector,
    connections: usize,
    seeds: Vec<HostPort>,
    known: Mutex<Known>,
    /// Held while the map is learnt; when that began last.
    learning: tokio::sync::Mutex<Option<Instant>>,
}

#[derive(Default)]
struct Known {
    nodes: HashMap<HostPort, Arc<Node>>,
    /// First slot, last slot and owner, in the order of the slots.
    ranges: Vec<(u16, u16, Arc<Node>)>,
    /// Whether something went wrong since the map was learnt.
    doubtful: bool,
    /// Turns, so that not always the same node is asked for the map.
    turn: usize,
}

impl Cluster {
    pub(super) fn new(
        address: &Address,
        options: &RedisOptions,
        evicts: &Evicts,
        seeds: &[HostPort],
    ) -> Self {
        Self {
            connector: Connector::new(address, options, Duty::Data, evicts),
            connections: options.connections,
            seeds: seeds.to_vec(),
            known: Mutex::default(),
            learning: tokio::sync::Mutex::default(),
        }
    }

    /// The node that owns a partition's slot.
    pub(super) async fn owner(
        &self,
        partition: &str,
        deadline: Instant,
    ) -> Result<Arc<Node>, Failure> {
        let slot = slot(partition);
        let doubtful = self.lock().doubtful;
        if !doubtful && let Some(node) = self.lock().owner(slot) {
            return Ok(node);
        }
        let learnt = self.learn(deadline).await;
        match self.lock().owner(slot) {
            Some(node) => Ok(node),
            None => Err(learnt.err().unwrap_or(Failure::NobodyInCharge)),
        }
    }

    /// Any node that owns something.
    pub(super) async fn any(&self, deadline: Instant) -> Result<Arc<Node>, Failure> {
        let known = self.lock().any();
        match known {
            Some(node) => Ok(node),
            None => {
                self.learn(deadline).await?;
                self.lock().any().ok_or(Failure::NobodyInCharge)
            }
        }
    }

    pub(super) async fn detour(
        &self,
        partition: &str,
        from: &Way,
        failure: &Failure,
        deadline: Instant,
    ) -> Option<Way> {
        self.doubt();
        match failure {
            // It may have been done.
            Failure::Lost(_) | Failure::TimedOut | Failure::Unreadable => return None,
            Failure::Said(said) => match said.code() {
                code @ ("MOVED" | "ASK") => {
                    let node = self.redirected(from, said.details()?)?;
                    let asking = code == "ASK";
                    // A slot on its way is still its old owner's.
                    self.lock().doubtful = !asking;
                    return Some(Way { node, asking });
                }
                "CLUSTERDOWN" | "TRYAGAIN" | "LOADING" | "MASTERDOWN" | "READONLY" => {}
                _ => return None,
            },
            Failure::Unreachable(_) | Failure::NotPrimary | Failure::NobodyInCharge => {}
        }
        sleep_until(deadline.min(Instant::now() + PAUSE)).await;
        let node = self.owner(partition, deadline).await.ok()?;
        Some(Way::to(node))
    }

    /// Says that other nodes may own the slots.
    pub(super) fn doubt(&self) {
        self.lock().doubtful = true;
    }

    /// The node that a redirection `SLOT HOST:PORT` names; a host that is left out is that of the one who said so.
    fn redirected(&self, from: &Way, detail: &str) -> Option<Arc<Node>> {
        let (host, port) = detail.split_ascii_whitespace().nth(1)?.rsplit_once(':')?;
        let host = if host.is_empty() {
            &from.node.address().host
        } else {
            host
        };
        Some(self.lock().node(
            HostPort {
                host: host.to_owned(),
                port: port.parse().ok()?,
            },
            self,
        ))
    }

    /// Asks one node after the other who owns what, until one knows.
    async fn learn(&self, deadline: Instant) -> Result<(), Failure> {
        let asked = Instant::now();
        let mut learning = self.learning.lock().await;
        // Somebody else learnt it while this one waited, or a moment ago.
        if let Some(begun) = *learning
            && (begun >= asked || asked.duration_since(begun) < MAP_HOLDS)
        {
            return Ok(());
        }
        *learning = Some(Instant::now());
        let mut last = Failure::NobodyInCharge;
        for node in self.to_ask() {
            let mut commands = Pipeline::with_capacity(1);
            commands.cmd("CLUSTER").arg("SLOTS");
            let deadline = deadline.min(Instant::now() + MAP_TIMEOUT);
            match timeout_at(deadline, node.send(&commands, deadline)).await {
                Ok(Ok(values)) => match read_map(values, node.address()) {
                    Ok(map) if !map.is_empty() => {
                        self.lock().learn(map, self);
                        return Ok(());
                    }
                    Ok(_) => {}
                    Err(failure) => last = failure,
                },
                Ok(Err(failure)) => last = failure,
                Err(_) => last = Failure::TimedOut,
            }
        }
        Err(last)
    }

    /// The nodes that are known, beginning with another one each time, and those that the address names.
    fn to_ask(&self) -> Vec<Arc<Node>> {
        let mut known = self.lock();
        for seed in &self.seeds {
            known.node(seed.clone(), self);
        }
        let mut nodes: Vec<_> = known.nodes.values().cloned().collect();
        nodes.sort_unstable_by(|one, other| {
            (&one.address().host, one.address().port)
                .cmp(&(&other.address().host, other.address().port))
        });
        known.turn = known.turn.wrapping_add(1);
        let first = known.turn % nodes.len().max(1);
        nodes.rotate_left(first);
        nodes
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn owner(&self, slot: u16) -> Option<Arc<Node>> {
        let after = self.ranges.partition_point(|(first, ..)| *first <= slot);
        let (_, last, node) = self.ranges.get(after.checked_sub(1)?)?;
        (slot <= *last).then(|| Arc::clone(node))
    }

    /// Another one each time, as one may be away.
    fn any(&mut self) -> Option<Arc<Node>> {
        self.turn = self.turn.wrapping_add(1);
        let place = self.turn.checked_rem(self.ranges.len())?;
        self.ranges.get(place).map(|(.., node)| Arc::clone(node))
    }

    fn node(&mut self, address: HostPort, cluster: &Cluster) -> Arc<Node> {
        let node = self.nodes.entry(address.clone()).or_insert_with(|| {
            Arc::new(Node::new(
                address,
                cluster.connector.clone(),
                cluster.connections,
            ))
        });
        Arc::clone(node)
    }

    fn learn(&mut self, map: Vec<(u16, u16, HostPort)>, cluster: &Cluster) {
        self.ranges = map
            .into_iter()
            .map(|(first, last, address)| (first, last, self.node(address, cluster)))
            .collect();
        self.ranges.sort_unstable_by_key(|(first, ..)| *first);
        let ranges = &self.ranges;
        self.nodes.retain(|_, node| {
            ranges.iter().any(|(.., owner)| Arc::ptr_eq(owner, node))
                || cluster.seeds.contains(node.address())
        });
        self.doubtful = false;
    }
}

/// Reads the answer to `CLUSTER SLOTS`: first slot, last slot, primary, replicas. A host that is left out is that of the
/// node that answered.
fn read_map(values: Vec<Value>, from: &HostPort) -> Result<Vec<(u16, u16, HostPort)>, Failure> {
    let ranges = match values.into_iter().next() {
        Some(Value::Array(ranges)) => ranges,
        Some(Value::ServerError(said)) => return Err(Failure::Said(said)),
        _ => return Err(Failure::Unreadable),
    };
    let range = |range: &Value| {
        let Value::Array(parts) = range else {
            return None;
        };
        let [
            Value::Int(first),
            Value::Int(last),
            Value::Array(primary),
            ..,
        ] = parts.as_slice()
        else {
            return None;
        };
        let [host, port, ..] = primary.as_slice() else {
            return None;
        };
        let told = parse_text(host).filter(|host| !host.is_empty() && *host != "?");
        let mut address = HostPort::told(&Value::SimpleString(from.host.clone()), port)?;
        if let Some(host) = told {
            host.clone_into(&mut address.host);
        }
        let slot = |number: i64| u16::try_from(number).ok().filter(|slot| *slot < SLOTS);
        Some((slot(*first)?, slot(*last)?, address))
    };
    ranges
        .iter()
        .map(range)
        .collect::<Option<_>>()
        .ok_or(Failure::Unreadable)
}

/// The slot of a partition in a cluster: CRC-16/XMODEM of its name. The same number for everybody, and for ever.
pub fn slot(partition: &str) -> u16 {
    let mut sum: u16 = 0;
    for byte in partition.bytes() {
        sum ^= u16::from(byte) << 8;
        for _ in 0..8 {
            sum = if sum & 0x8000 == 0 {
                sum << 1
            } else {
                (sum << 1) ^ 0x1021
            };
        }
    }
    sum % SLOTS
}

#[cfg(test)]
mod tests {
    use super::slot;

    #[test]
    fn slots_are_those_of_the_specification() {
        assert_eq!(slot("123456789"), 0x31C3);
        assert_eq!(slot("foo"), 12182);
    }
}
