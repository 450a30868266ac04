//! A primary, two replicas and three sentinels that watch over them.

use std::{io, time::Duration};

use super::{
    client::Value,
    options::{ServerOptions, quoted},
    server::{RedisServer, find, named_by_most, with_logs},
};
use crate::{
    port::{ReservedPort, with_free_ports},
    wait::wait_until,
};

/// What the sentinels call the primary.
const NAME: &str = "mymaster";
const NODES: usize = 3;
const SENTINELS: usize = 3;
/// How many sentinels must agree that the primary is away.
const QUORUM: usize = 2;
/// Half the time until a failover that failed is tried again, in milliseconds.
const FAILOVER_TIMEOUT_MS: u32 = 5_000;
/// How long a failover, or finding everything in order again, may take.
const LIMIT: Duration = Duration::from_secs(45);

/// What sentinels do not do on a machine so busy that they are not run for seconds: give up watching for half a minute.
const PATIENT: [&str; 4] = ["SENTINEL", "DEBUG", "TILT-TRIGGER", "60000"];
/// Sentinels look at the nodes and tell each other what they know much more often than they do by themselves.
const HURRIED: [&str; 6] = [
    "SENTINEL",
    "DEBUG",
    "INFO-PERIOD",
    "100",
    "PUBLISH-PERIOD",
    "100",
];
/// What they do by themselves.
const AT_EASE: [&str; 6] = [
    "SENTINEL",
    "DEBUG",
    "INFO-PERIOD",
    "10000",
    "PUBLISH-PERIOD",
    "2000",
];

/// Three nodes, all persistent, of which one is the primary, and three sentinels. A node and a sentinel are named by
/// their ports. Everything is killed when the value is dropped.
#[derive(Debug)]
pub struct SentinelSet {
    nodes: Vec<RedisServer>,
    sentinels: Vec<RedisServer>,
}

impl SentinelSet {
    /// Starts a set with the default options, and returns once both replicas are in step with the primary and every
    /// sentinel knows both and the other sentinels.
    ///
    /// # Errors
    ///
    /// If there is no `redis-server` on the PATH, or if the set is not in order in time.
    pub fn start() -> io::Result<Self> {
        Self::start_with(&ServerOptions::default())
    }

    /// Starts a set whose nodes have these options and are persistent. A sentinel has no password.
    ///
    /// # Errors
    ///
    /// As [`SentinelSet::start`].
    pub fn start_with(options: &ServerOptions) -> io::Result<Self> {
        let options = options.clone().persistent();
        with_free_ports(|| Self::try_start(&options))
    }

    fn try_start(options: &ServerOptions) -> io::Result<Self> {
        let ports: Vec<ReservedPort> = (0..NODES + SENTINELS)
            .map(|_| ReservedPort::new())
            .collect::<io::Result<_>>()?;
        let numbers: Vec<u16> = ports.iter().map(ReservedPort::number).collect();
        let (node_ports, sentinel_ports) = numbers.split_at(NODES);
        let replica_of = format!("replicaof 127.0.0.1 {}\n", node_ports[0]);
        let mut set = Self {
            nodes: Vec::new(),
            sentinels: Vec::new(),
        };
        for port in ports {
            let number = port.number();
            if number == node_ports[0] {
                set.nodes.push(RedisServer::launch(port, options, "")?);
            } else if node_ports.contains(&number) {
                let node = RedisServer::launch(port, options, &replica_of)?;
                set.nodes.push(node);
            } else {
                let config = sentinel_config(number, node_ports, sentinel_ports, options);
                let sentinel = RedisServer::launch_sentinel(port, &config)?;
                set.sentinels.push(sentinel);
            }
        }
        for server in set.nodes.iter_mut().chain(&mut set.sentinels) {
            server.wait_until_ready()?;
        }
        set.tell_sentinels(&PATIENT)?;
        set.settle()?;
        Ok(set)
    }

    /// What the sentinels call the primary.
    pub fn master_name(&self) -> &'static str {
        NAME
    }

    /// The ports of the sentinels.
    pub fn sentinel_ports(&self) -> Vec<u16> {
        self.sentinels.iter().map(RedisServer::port).collect()
    }

    /// The set as services name it in their settings: the sentinels and the primary's name.
    pub fn url(&self) -> String {
        let sentinels: Vec<String> = self
            .sentinel_ports()
            .iter()
            .map(|port| format!("127.0.0.1:{port}"))
            .collect();
        format!("redis+sentinel://{}/{NAME}", sentinels.join(","))
    }

    /// The nodes, in the order of their start: the first one was the primary.
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

    /// The sentinels, to end some, stop them or let them go on.
    pub fn sentinels(&mut self) -> &mut [RedisServer] {
        &mut self.sentinels
    }

    /// The primary's port as most of the running sentinels have it now.
    ///
    /// # Errors
    ///
    /// If no sentinel answers.
    pub fn primary(&self) -> io::Result<u16> {
        let asked = self.running_sentinels().map(|sentinel| {
            let reply = sentinel.command(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME])?;
            let port = reply.items().get(1).map(Value::text).unwrap_or_default();
            port.parse::<u16>().map_err(io::Error::other)
        });
        named_by_most(asked)
    }

    /// Kills the primary of this moment, and answers its port. The sentinels choose another one after some three seconds
    /// with [`ServerOptions::failing_over`].
    ///
    /// # Errors
    ///
    /// As [`SentinelSet::primary`].
    pub fn kill_primary(&mut self) -> io::Result<u16> {
        let port = self.primary()?;
        self.node(port)?.kill();
        Ok(port)
    }

    /// Starts a node again with what it had written, and returns once it takes commands. A former primary still takes
    /// itself for the primary then, for some ten seconds; [`SentinelSet::settle`] shortens them.
    ///
    /// # Errors
    ///
    /// If no node has the port, or as [`RedisServer::start_again`].
    pub fn restart(&mut self, port: u16) -> io::Result<()> {
        self.node(port)?.start_again()
    }

    /// Has the sentinels make another node the primary while the present one runs, and answers the new one's port once
    /// most sentinels report it. The former primary goes on taking writes for some ten seconds, and loses them;
    /// [`SentinelSet::settle`] shortens them.
    ///
    /// # Errors
    ///
    /// If the sentinels do not switch in time.
    pub fn planned_failover(&mut self) -> io::Result<u16> {
        let before = self.primary()?;
        let asked = wait_until("a sentinel to begin a failover", LIMIT, || {
            let sentinel = self.running_sentinels().next();
            sentinel
                .ok_or_else(|| io::Error::other("no sentinel runs"))?
                .command(&["SENTINEL", "FAILOVER", NAME])
        });
        asked.map_err(|error| self.explained(error))?;
        self.wait_for_primary_other_than(before)
    }

    /// Waits until most sentinels report another primary than this one, and answers its port.
    ///
    /// # Errors
    ///
    /// If they do not in time.
    pub fn wait_for_primary_other_than(&self, port: u16) -> io::Result<u16> {
        wait_until(
            "the sentinels to name another primary",
            LIMIT,
            || match self.primary() {
                Ok(primary) if primary != port => Ok(primary),
                Ok(primary) => Err(format!("{primary} is the primary")),
                Err(error) => Err(error.to_string()),
            },
        )
        .map_err(|error| self.explained(error))
    }

    /// Waits until everything that runs is in order: the sentinels name one primary, all other nodes are its replicas
    /// and in step with it, and the sentinels know all that and each other. Sentinels hurry during this call, so that
    /// what takes them up to twenty seconds by themselves takes about one.
    ///
    /// # Errors
    ///
    /// If it is not in order in time.
    pub fn settle(&self) -> io::Result<()> {
        self.tell_sentinels(&HURRIED)?;
        let settled = wait_until("the set to be in order", LIMIT, || self.in_order());
        self.tell_sentinels(&AT_EASE)?;
        settled.map_err(|error| self.explained(error))
    }

    /// Says what is not in order, if something is not.
    fn in_order(&self) -> io::Result<()> {
        let primary = self.primary()?;
        let mut running: Vec<u16> = Vec::new();
        for node in self.nodes.iter().filter(|node| node.is_running()) {
            running.push(node.port());
            if node.port() != primary {
                node.follows(primary)?;
            }
        }
        for sentinel in self.running_sentinels() {
            let ask = |what: &str| sentinel.command(&["SENTINEL", what, NAME]);
            let seen = [
                (described(&ask("MASTER")?), "master", vec![primary]),
                (
                    ask("REPLICAS")?
                        .items()
                        .iter()
                        .flat_map(described)
                        .collect(),
                    "slave",
                    running
                        .iter()
                        .copied()
                        .filter(|port| *port != primary)
                        .collect(),
                ),
                (
                    ask("SENTINELS")?
                        .items()
                        .iter()
                        .flat_map(described)
                        .collect(),
                    "sentinel",
                    self.running_sentinels()
                        .map(RedisServer::port)
                        .filter(|port| *port != sentinel.port())
                        .collect(),
                ),
            ];
            for (seen, flags, ports) in seen {
                for port in ports {
                    let wanted = Seen {
                        port: port.to_string(),
                        flags: flags.to_owned(),
                        follows: (flags == "slave").then(|| format!("{primary} ok")),
                    };
                    if !seen.contains(&wanted) {
                        let sentinel = sentinel.port();
                        let message = format!("sentinel {sentinel} sees {seen:?}, not {wanted:?}");
                        return Err(io::Error::other(message));
                    }
                }
            }
        }
        Ok(())
    }

    fn running_sentinels(&self) -> impl Iterator<Item = &RedisServer> {
        self.sentinels
            .iter()
            .filter(|sentinel| sentinel.is_running())
    }

    fn tell_sentinels(&self, command: &[&str]) -> io::Result<()> {
        for sentinel in self.running_sentinels() {
            sentinel.command(command)?;
        }
        Ok(())
    }

    fn explained(&self, error: io::Error) -> io::Error {
        with_logs(error, self.nodes.iter().chain(&self.sentinels))
    }
}

/// The configuration of a sentinel that knows the other two and both replicas from the start, as it would write it
/// itself after it had found them.
fn sentinel_config(own: u16, nodes: &[u16], sentinels: &[u16], options: &ServerOptions) -> String {
    let id = |port: u16| format!("{port:040x}");
    let mut config = format!(
        "sentinel myid {}\n\
         sentinel monitor {NAME} 127.0.0.1 {} {QUORUM}\n\
         sentinel down-after-milliseconds {NAME} {}\n\
         sentinel failover-timeout {NAME} {FAILOVER_TIMEOUT_MS}\n\
         sentinel parallel-syncs {NAME} {NODES}\n",
        id(own),
        nodes[0],
        options.down_after_ms(),
    );
    if let Some(password) = options.password_needed() {
        let password = quoted(password);
        config.push_str(&format!("sentinel auth-pass {NAME} {password}\n"));
    }
    for replica in &nodes[1..] {
        config.push_str(&format!(
            "sentinel known-replica {NAME} 127.0.0.1 {replica}\n"
        ));
    }
    for other in sentinels.iter().filter(|port| **port != own) {
        let id = id(*other);
        config.push_str(&format!(
            "sentinel known-sentinel {NAME} 127.0.0.1 {other} {id}\n"
        ));
    }
    config
}

/// A node or a sentinel as a sentinel sees it.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    port: String,
    /// What it is, and what is wrong with it.
    flags: String,
    /// A replica's primary, and the state of the link to it.
    follows: Option<String>,
}

/// What a sentinel's list of names and values says.
fn described(entry: &Value) -> Vec<Seen> {
    let texts: Vec<String> = entry.items().iter().map(Value::text).collect();
    let get = |name: &str| {
        let pair = texts.chunks_exact(2).find(|pair| pair[0] == name);
        pair.map(|pair| pair[1].clone())
    };
    let (Some(port), Some(flags)) = (get("port"), get("flags")) else {
        return Vec::new();
    };
    let follows = get("master-port").zip(get("master-link-status"));
    vec![Seen {
        port,
        flags,
        follows: follows.map(|(port, link)| format!("{port} {link}")),
    }]
}
