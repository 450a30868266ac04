//! One Redis server and the connections to it, which are made when they are needed and again when they break.

use std::{
    io::{self, ErrorKind},
    ops::{Deref, DerefMut},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, IntoConnectionInfo, Pipeline, ProtocolVersion,
    PushInfo, PushKind, RedisConnectionInfo, RedisResult, Value, aio::MultiplexedConnection,
    io::tcp::TcpSettings,
};
use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout, timeout_at},
};
use tokio_rustls::TlsConnector;
use tokio_util::task::AbortOnDropHandle;

use crate::{
    Current, RedisOptions,
    address::{Address, HostPort},
    failure::Failure,
};

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// How many requests wait in front of a connection before callers wait for room.
const QUEUE: usize = 512;

/// What a server is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Duty {
    /// It holds data.
    Data,
    /// It holds data, and must call itself primary before it is used.
    Primary,
    /// It watches others and holds no data.
    Sentinel,
}

/// The first server that was found to throw away records when its memory is full, and its policy.
pub(crate) type Evicts = Arc<OnceLock<(HostPort, String)>>;

/// Makes connections.
#[derive(Clone)]
pub(crate) struct Connector {
    redis: RedisConnectionInfo,
    /// Goes before one in `redis`.
    password: Option<Current<String>>,
    tls: Option<Current<Arc<ClientConfig>>>,
    duty: Duty,
    /// Whether the servers keep what must not be lost.
    keeps_records: bool,
    evicts: Evicts,
}

impl Connector {
    /// Makes connections to servers for this duty. The address's user, password and database are those of the servers with
    /// data.
    pub(crate) fn new(
        address: &Address,
        options: &RedisOptions,
        duty: Duty,
        evicts: &Evicts,
    ) -> Self {
        // RESP3 tells of a broken connection even while nobody calls, and brings news on any connection.
        let mut redis = RedisConnectionInfo::default()
            .set_protocol(ProtocolVersion::RESP3)
            .set_skip_set_lib_name();
        let (user, password) = if duty == Duty::Sentinel {
            (&options.sentinel_user, &options.sentinel_password)
        } else {
            redis = redis.set_db(address.database);
            if let Some(password) = &address.password {
                redis = redis.set_password(password);
            }
            (&address.user, &options.password)
        };
        if let Some(user) = user {
            redis = redis.set_username(user);
        }
        Self {
            redis,
            password: password.clone(),
            tls: options.tls.clone(),
            duty,
            keeps_records: options.keeps_records && duty != Duty::Sentinel,
            evicts: Arc::clone(evicts),
        }
    }

    /// Makes a connection. What the server says unasked goes to `news`, and at last that the connection broke.
    pub(crate) async fn connect(
        &self,
        to: &HostPort,
        news: impl Fn(PushInfo) + Send + Sync + 'static,
    ) -> RedisResult<Live> {
        let mut redis = self.redis.clone();
        if let Some(password) = &self.password {
            redis = redis.set_password(password());
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(None)
            .set_pipeline_buffer_size(QUEUE)
            .set_push_sender(move |info| {
                news(info);
                Ok::<(), redis::aio::SendError>(())
            });
        if let Some(tls) = &self.tls {
            let made = timeout(CONNECT_TIMEOUT, encrypted(to, tls(), redis, config)).await;
            return made.map_err(|_| io::Error::from(ErrorKind::TimedOut))?;
        }
        let info = ConnectionAddr::Tcp(to.host.clone(), to.port)
            .into_connection_info()?
            .set_tcp_settings(TcpSettings::default().set_nodelay(true))
            .set_redis_settings(redis);
        let connection = Client::open(info)?
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        Ok(Live {
            connection,
            _driver: None,
        })
    }
}

/// A connection with TLS. The client library would read all of the system's certificates for each.
async fn encrypted(
    to: &HostPort,
    tls: Arc<ClientConfig>,
    redis: RedisConnectionInfo,
    config: AsyncConnectionConfig,
) -> RedisResult<Live> {
    let name = ServerName::try_from(to.host.clone());
    let name = name.map_err(|error| io::Error::new(ErrorKind::InvalidInput, error))?;
    let socket = TcpStream::connect((to.host.as_str(), to.port)).await?;
    socket.set_nodelay(true)?;
    let stream = TlsConnector::from(tls).connect(name, socket).await?;
    let (connection, driver) =
        MultiplexedConnection::new_with_config(&redis, stream, config).await?;
    let driver = AbortOnDropHandle::new(tokio::spawn(driver));
    Ok(Live {
        connection,
        _driver: Some(Arc::new(driver)),
    })
}

/// A connection, which is closed with the last of its copies.
#[derive(Clone)]
pub(crate) struct Live {
    connection: MultiplexedConnection,
    /// What works on it, where the client library has not begun that itself.
    _driver: Option<Arc<AbortOnDropHandle<()>>>,
}

impl Deref for Live {
    type Target = MultiplexedConnection;

    fn deref(&self) -> &MultiplexedConnection {
        &self.connection
    }
}

impl DerefMut for Live {
    fn deref_mut(&mut self) -> &mut MultiplexedConnection {
        &mut self.connection
    }
}

/// A server, and the connections that are kept to it.
pub struct Node {
    address: HostPort,
    connector: Connector,
    connections: Box<[Connection]>,
    next_connection: AtomicUsize,
    eviction_looked_at: AtomicBool,
}

impl Node {
    /// A server to which `connections` connections are kept; nothing is sent yet.
    pub(crate) fn new(address: HostPort, connector: Connector, connections: usize) -> Self {
        Self {
            address,
            connector,
            connections: (0..connections.max(1))
                .map(|_| Connection::default())
                .collect(),
            next_connection: AtomicUsize::new(0),
            eviction_looked_at: AtomicBool::new(false),
        }
    }

    /// Where it is.
    pub fn address(&self) -> &HostPort {
        &self.address
    }

    /// Makes a connection of its own. What the server says unasked goes to `news`, and at last that the connection broke.
    pub(crate) async fn listen(
        &self,
        news: impl Fn(PushInfo) + Send + Sync + 'static,
    ) -> Result<Live, Failure> {
        self.connector
            .connect(&self.address, news)
            .await
            .map_err(Failure::of_connecting)
    }

    /// Sends commands on one of the connections, one after the other and with nothing in between, and returns what
    /// Redis says to each, errors too.
    pub(crate) async fn send(
        &self,
        commands: &Pipeline,
        deadline: Instant,
    ) -> Result<Vec<Value>, Failure> {
        let place = self.next_connection.fetch_add(1, Ordering::Relaxed) % self.connections.len();
        let connection = &self.connections[place];
        let mut open = timeout_at(deadline, connection.open(self))
            .await
            .map_err(|_| Failure::TimedOut)??;
        let answer = open
            .connection
            .send_packed_commands(commands, 0, commands.len());
        match timeout_at(deadline, answer).await {
            Ok(Ok(values)) => Ok(values),
            Ok(Err(error)) => {
                open.broken.store(true, Ordering::Relaxed);
                Err(Failure::Lost(error))
            }
            Err(_) => {
                // Perhaps the network lost the server without a word; a new connection finds out.
                open.broken.store(true, Ordering::Relaxed);
                Err(Failure::TimedOut)
            }
        }
    }

    async fn connect(&self) -> Result<Open, Failure> {
        let broken = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&broken);
        let connection = self
            .connector
            .connect(&self.address, move |info| {
                if info.kind == PushKind::Disconnection {
                    told.store(true, Ordering::Relaxed);
                }
            })
            .await
            .map_err(Failure::of_connecting)?;
        let mut open = Open { connection, broken };
        if self.connector.duty == Duty::Primary {
            open.must_be_primary().await?;
        }
        if self.connector.keeps_records && !self.eviction_looked_at.swap(true, Ordering::Relaxed) {
            open.look_at_eviction(&self.address, &self.connector.evicts)
                .await;
        }
        Ok(open)
    }
}

/// A connection that many callers use at once.
#[derive(Default)]
struct Connection {
    open: Mutex<Option<Open>>,
    /// Held while a connection is made; when that failed last, and why.
    opening: tokio::sync::Mutex<Option<(Instant, Failure)>>,
}

impl Connection {
    async fn open(&self, node: &Node) -> Result<Open, Failure> {
        if let Some(open) = self.usable() {
            return Ok(open);
        }
        let asked = Instant::now();
        let mut failed = self.opening.lock().await;
        if let Some(open) = self.usable() {
            return Ok(open);
        }
        // Those who waited for one attempt share its end.
        if let Some((at, failure)) = &*failed
            && *at >= asked
        {
            return Err(failure.clone());
        }
        match node.connect().await {
            Ok(open) => {
                *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(open.clone());
                Ok(open)
            }
            Err(failure) => {
                *failed = Some((Instant::now(), failure.clone()));
                Err(failure)
            }
        }
    }

    fn usable(&self) -> Option<Open> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.as_ref()
            .filter(|open| !open.broken.load(Ordering::Relaxed))
            .cloned()
    }
}

/// A connection, and whether it is known to be broken.
#[derive(Clone)]
struct Open {
    connection: Live,
    broken: Arc<AtomicBool>,
}

impl Open {
    /// A server that was restarted, or that a sentinel told to follow another, must get no write.
    async fn must_be_primary(&mut self) -> Result<(), Failure> {
        let role: Vec<Value> = redis::cmd("ROLE")
            .query_async(&mut *self.connection)
            .await
            .map_err(Failure::of_connecting)?;
        match role.first() {
            Some(Value::BulkString(name)) if name == b"master" => Ok(()),
            _ => Err(Failure::NotPrimary),
        }
    }

    async fn look_at_eviction(&mut self, server: &HostPort, evicts: &Evicts) {
        // Not CONFIG GET: whoever may do that may read the passwords in the configuration.
        let mut command = redis::cmd("INFO");
        command.arg("memory");
        let answer: RedisResult<String> = command.query_async(&mut *self.connection).await;
        let told = answer.unwrap_or_default();
        let mut lines = told.lines();
        match lines.find_map(|line| line.strip_prefix("maxmemory_policy:")) {
            Some("noeviction") => {}
            Some(policy) => {
                let _ = evicts.set((server.clone(), policy.to_owned()));
                tracing::warn!(
                    %server,
                    %policy,
                    "Redis may throw away what is kept in it when its memory is full; set `maxmemory-policy noeviction`"
                );
            }
            None => tracing::warn!(
                %server,
                "cannot tell what Redis does when its memory is full; make sure that `maxmemory-policy` is noeviction"
            ),
        }
    }
}
