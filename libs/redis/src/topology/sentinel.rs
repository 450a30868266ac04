//! A primary with replicas that sentinels watch: who is primary, learnt from the sentinels and again whenever that may
//! have changed.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use redis::{Pipeline, PushInfo, PushKind, Value};
use tokio::{
    sync::Notify,
    time::{Instant, sleep, timeout},
};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    RedisOptions,
    address::{Address, HostPort, parse_text},
    failure::Failure,
    node::{Connector, Duty, Evicts, Node},
};

/// How long one sentinel may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(500);
/// How often a sentinel that says nothing is asked whether it is still there.
const ALIVE_EVERY: Duration = Duration::from_secs(1);
/// The pause before a sentinel is tried again.
const PAUSE: Duration = Duration::from_millis(500);
/// What a sentinel publishes when there is another primary.
const SWITCHED: &str = "+switch-master";

/// A primary, its replicas and the sentinels that watch them.
pub struct SentinelSet {
    watched: Arc<Watched>,
    /// They listen to the sentinels.
    _listeners: Vec<AbortOnDropHandle<()>>,
}

struct Watched {
    name: String,
    sentinels: Vec<Node>,
    to_primary: Connector,
    to_servers: Connector,
    connections: usize,
    current: Mutex<Current>,
    /// Held while the sentinels are asked.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Current {
    primary: Option<Arc<Node>>,
    /// Counts the reasons to ask the sentinels again; those up to `settled` have been dealt with.
    doubts: u64,
    settled: u64,
}

impl SentinelSet {
    pub(super) fn new(
        address: &Address,
        options: &RedisOptions,
        evicts: &Evicts,
        sentinels: &[HostPort],
        name: &str,
    ) -> Self {
        let to_sentinels = Connector::new(address, options, Duty::Sentinel, evicts);
        let watched = Arc::new(Watched {
            name: name.to_owned(),
            sentinels: sentinels
                .iter()
                .map(|sentinel| Node::new(sentinel.clone(), to_sentinels.clone(), 1))
                .collect(),
            to_primary: Connector::new(address, options, Duty::Primary, evicts),
            to_servers: Connector::new(address, options, Duty::Data, evicts),
            connections: options.connections,
            current: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        });
        let listeners = sentinels
            .iter()
            .map(|sentinel| {
                let listen = listen(sentinel.clone(), to_sentinels.clone(), Arc::clone(&watched));
                AbortOnDropHandle::new(tokio::spawn(listen))
            })
            .collect();
        Self {
            watched,
            _listeners: listeners,
        }
    }

    /// The primary, as far as is known.
    pub(super) async fn primary(&self, deadline: Instant) -> Result<Arc<Node>, Failure> {
        self.watched.primary(deadline).await
    }

    /// The primary to try after a failure at another one: `None` if the first may have done it, or is still the one.
    pub(super) async fn detour(
        &self,
        from: &Arc<Node>,
        failure: &Failure,
        deadline: Instant,
    ) -> Option<Arc<Node>> {
        let not_done = match failure {
            Failure::Unreachable(_) | Failure::NotPrimary | Failure::NobodyInCharge => true,
            Failure::Said(said) => matches!(said.code(), "READONLY" | "MASTERDOWN" | "LOADING"),
            Failure::Lost(_) | Failure::TimedOut => false,
            Failure::Unreadable => return None,
        };
        if matches!(failure, Failure::Said(_)) && !not_done {
            return None;
        }
        self.doubt();
        if !not_done {
            return None;
        }
        let primary = self.primary(deadline).await.ok()?;
        (primary.address() != from.address()).then_some(primary)
    }

    /// Says that another server may be the primary.
    pub(super) fn doubt(&self) {
        self.watched.doubt();
    }

    /// The replicas that the first sentinel to answer knows of the primary, reachable or not; none if no sentinel answers.
    pub async fn replicas(&self, deadline: Instant) -> Option<Vec<HostPort>> {
        let mut command = Pipeline::with_capacity(1);
        command
            .cmd("SENTINEL")
            .arg("REPLICAS")
            .arg(&self.watched.name);
        for sentinel in &self.watched.sentinels {
            let deadline = deadline.min(Instant::now() + ANSWER_TIMEOUT);
            if let Ok(values) = sentinel.send(&command, deadline).await
                && let [Value::Array(replicas)] = values.as_slice()
            {
                return replicas
                    .iter()
                    .map(|replica| HostPort::told(field(replica, "ip")?, field(replica, "port")?))
                    .collect();
            }
        }
        None
    }

    /// A server of the set, whatever its role, with one connection. Nothing is sent yet.
    pub fn server(&self, address: HostPort) -> Node {
        Node::new(address, self.watched.to_servers.clone(), 1)
    }
}

impl Watched {
    fn lock(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn doubt(&self) {
        self.lock().doubts += 1;
    }

    fn settled(&self) -> Option<Arc<Node>> {
        let current = self.lock();
        current
            .primary
            .clone()
            .filter(|_| current.settled == current.doubts)
    }

    async fn primary(&self, deadline: Instant) -> Result<Arc<Node>, Failure> {
        if let Some(primary) = self.settled() {
            return Ok(primary);
        }
        let _asking = self.asking.lock().await;
        if let Some(primary) = self.settled() {
            return Ok(primary);
        }
        // Doubts that come up while the sentinels are asked are not settled by what they say.
        let doubts = self.lock().doubts;
        let address = self.ask(deadline).await.ok_or(Failure::NobodyInCharge)?;
        let mut current = self.lock();
        let primary = match &current.primary {
            Some(primary) if *primary.address() == address => Arc::clone(primary),
            earlier => {
                if earlier.is_some() {
                    tracing::info!(primary = %address, "the sentinels name another primary");
                }
                Arc::new(Node::new(
                    address,
                    self.to_primary.clone(),
                    self.connections,
                ))
            }
        };
        current.primary = Some(Arc::clone(&primary));
        current.settled = doubts;
        Ok(primary)
    }

    /// Asks all sentinels, and takes the newest of the answers once most have given one.
    async fn ask(&self, deadline: Instant) -> Option<HostPort> {
        let deadline = deadline.min(Instant::now() + ANSWER_TIMEOUT);
        let mut command = Pipeline::with_capacity(2);
        command
            .cmd("SENTINEL")
            .arg("GET-MASTER-ADDR-BY-NAME")
            .arg(&self.name)
            .cmd("SENTINEL")
            .arg("MASTER")
            .arg(&self.name);
        let mut answers: FuturesUnordered<_> = self
            .sentinels
            .iter()
            .map(|sentinel| sentinel.send(&command, deadline))
            .collect();
        let mut answered = 0;
        let mut newest: Option<(u64, HostPort)> = None;
        while let Some(answer) = answers.next().await {
            let Ok(values) = answer else { continue };
            let Some((epoch, address)) = read_primary(&values) else {
                continue;
            };
            answered += 1;
            if newest.as_ref().is_none_or(|(other, _)| epoch > *other) {
                newest = Some((epoch, address));
            }
            if answered > self.sentinels.len() / 2 {
                break;
            }
        }
        newest.map(|(_, address)| address)
    }
}

/// The primary's address and the epoch in which it became primary.
fn read_primary(values: &[Value]) -> Option<(u64, HostPort)> {
    let [Value::Array(address), master] = values else {
        return None;
    };
    let [host, port] = address.as_slice() else {
        return None;
    };
    let epoch = parse_text(field(master, "config-epoch")?)?.parse().ok()?;
    Some((epoch, HostPort::told(host, port)?))
}

/// A field of what a sentinel says of a server: a map, or names and values in turn.
fn field<'a>(record: &'a Value, name: &str) -> Option<&'a Value> {
    record
        .as_map_iter()?
        .find(|(field, _)| parse_text(field) == Some(name))
        .map(|(_, value)| value)
}

/// Listens to one sentinel for ever. Each time that it may have said something unheard, the primary is in doubt.
async fn listen(sentinel: HostPort, connector: Connector, watched: Arc<Watched>) {
    loop {
        // An error is told by the calls that fail for want of a primary.
        let _ = listen_once(&sentinel, &connector, &watched).await;
        sleep(PAUSE).await;
    }
}

async fn listen_once(
    sentinel: &HostPort,
    connector: &Connector,
    watched: &Arc<Watched>,
) -> redis::RedisResult<()> {
    let broken = Arc::new(Notify::new());
    let (told, of) = (Arc::clone(&broken), Arc::clone(watched));
    let mut connection = connector
        .connect(sentinel, move |info| match info.kind {
            PushKind::Message if is_about(&info, &of.name) => of.doubt(),
            PushKind::Disconnection => told.notify_one(),
            _ => {}
        })
        .await?;
    connection.subscribe(SWITCHED).await?;
    watched.doubt();
    loop {
        if timeout(ALIVE_EVERY, broken.notified()).await.is_ok() {
            break;
        }
        let ping = redis::cmd("PING");
        let answer = timeout(ANSWER_TIMEOUT, ping.query_async::<Value>(&mut *connection)).await;
        if !matches!(answer, Ok(Ok(_))) {
            break;
        }
    }
    Ok(())
}

/// Whether a message is about the primary of this name: `NAME OLD-HOST OLD-PORT NEW-HOST NEW-PORT`.
fn is_about(info: &PushInfo, name: &str) -> bool {
    info.data
        .last()
        .and_then(parse_text)
        .and_then(|message| message.split(' ').next())
        == Some(name)
}
