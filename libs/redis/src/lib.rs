//! Redis, wherever its primary is: one server, a set that sentinels watch, or a cluster.
//!
//! [`Redis`] runs scripts and plain commands on connections that all callers share, and subscribes to channels. Each call
//! is about one partition, whose name stands in braces in all its keys, so that a cluster keeps them on one server.
//! What was asked for is sent again only where Redis has certainly not done it, so an answer always is the answer to
//! what was asked; a [`Failure`] says whether it may have been done.
//!
//! [`Step`], [`Node`] and [`SentinelSet`] are for those who must know which server did something, as to wait for its
//! replicas.
//!
//! All of it needs a tokio runtime.

mod address;
mod failure;
mod failure_log;
mod node;
mod partition;
mod script;
mod step;
mod subscription;
mod topology;

use std::{collections::BTreeSet, future::Future, sync::Arc, time::Duration};

pub use redis::{Cmd, FromRedisValue, ToRedisArgs, Value, cmd, from_redis_value};
pub use rustls::ClientConfig;
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use self::{address::Address, node::Evicts, topology::Topology};
pub use self::{
    address::{HostPort, OpenError},
    failure::{Failure, FailureKind},
    failure_log::FailureLog,
    node::Node,
    partition::without_braces,
    script::Script,
    step::{Replies, Step},
    subscription::{Event, Subscription},
    topology::{SentinelSet, slot},
};

/// What is asked for with every connection that is made, since it may change.
pub type Current<T> = Arc<dyn Fn() -> T + Send + Sync>;

/// How Redis is opened.
#[derive(Clone)]
pub struct RedisOptions {
    /// `redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]`,
    /// `redis+sentinel://[USER[:PASSWORD]@]HOST[:PORT],.../NAME[/DATABASE]` with the sentinels and their name of the
    /// primary, or `redis+cluster://[USER[:PASSWORD]@]HOST[:PORT],...` with some nodes. User, password and database
    /// are those of the servers that hold the data. Signs that are special in a URL are written as `%XX`. With `rediss` in
    /// place of `redis` servers and sentinels are called with TLS.
    pub address: String,
    /// The password; it goes before one in the address.
    pub password: Option<Current<String>>,
    /// What a client of an address with `rediss` trusts.
    pub tls: Option<Current<Arc<ClientConfig>>>,
    /// The user of the sentinels.
    pub sentinel_user: Option<String>,
    /// The password of the sentinels.
    pub sentinel_password: Option<Current<String>>,
    /// How long Redis may take to answer.
    pub response_timeout: Duration,
    /// How many connections to a server are shared. One is best unless commands block and hold up what comes after
    /// them on their connection. At least 1.
    pub connections: usize,
    /// Whether it keeps what must not be lost: then every server is asked once, with `INFO`, whether it may throw
    /// away what is kept in it. One that is there at the start and may is an error; of another, and where the answer is
    /// missing, it is warned.
    pub keeps_records: bool,
}

impl RedisOptions {
    /// Redis at this address, with a response time-out of 2 s and one connection to each server, for records.
    pub fn new(address: impl Into<String>) -> Self {
        Self {
            address: address.into(),
            password: None,
            tls: None,
            sentinel_user: None,
            sentinel_password: None,
            response_timeout: Duration::from_secs(2),
            connections: 1,
            keeps_records: true,
        }
    }
}

/// Redis. Copies share their connections, which are made when they are needed and again when they break.
#[derive(Clone)]
pub struct Redis {
    topology: Arc<Topology>,
    failure_log: Arc<FailureLog>,
    response_timeout: Duration,
}

impl Redis {
    /// Opens Redis. One that does not answer yet is no error: calls fail until it does, and this returns after the
    /// response time-out at the latest.
    ///
    /// # Errors
    ///
    /// If the address cannot be read, does not go with `tls`, or the server may throw records away.
    pub async fn open(options: &RedisOptions) -> Result<Self, OpenError> {
        let address = Address::parse(&options.address)?;
        match (address.tls, &options.tls) {
            (true, None) => return Err(OpenError::NoAuthority),
            (false, Some(_)) => return Err(OpenError::Plain),
            _ => {}
        }
        let evicts = Evicts::default();
        let redis = Self {
            topology: Arc::new(Topology::new(&address, options, &evicts)),
            failure_log: Arc::default(),
            response_timeout: options.response_timeout,
        };
        // The first connection is made now, so that what is wrong with it is told now.
        let _ = redis.send("", vec![redis::cmd("PING")]).await;
        match evicts.get() {
            Some((server, policy)) => Err(OpenError::Evicts {
                server: server.clone(),
                policy: policy.clone(),
            }),
            None => Ok(redis),
        }
    }

    /// Runs a script on a partition, and returns what it returned: one round trip, unless the server does not know
    /// the script yet. All keys must hold `{PARTITION}`. Arguments may be a list of texts or numbers, a tuple of such
    /// lists and of single ones, or `None::<&str>`. A script tells its outcomes by what it returns: an error is a
    /// failure, and told in the log. A call that is given up may be done or not.
    ///
    /// # Errors
    ///
    /// If the script was not done, or perhaps not: see [`Failure::is_certainly_not_done`] and [`Failure::kind`].
    /// Failures are told in the log, each kind once in a while.
    pub fn run(
        &self,
        script: &Script,
        partition: &str,
        keys: &[impl AsRef<str>],
        arguments: impl ToRedisArgs,
    ) -> impl Future<Output = Result<Value, Failure>> + Send {
        let step = Step::calling(script, vec![script.call(keys, arguments)]);
        async move {
            let done = self.answer(partition, &step).await?;
            done.into_iter().next().ok_or(Failure::Unreadable)
        }
    }

    /// Sends commands on a partition, which Redis does as one step, and returns what it said to each. All keys must
    /// hold `{PARTITION}`. If there is more than one command, what Redis said to one of them may be
    /// [`Value::ServerError`], and the others were done.
    ///
    /// # Errors
    ///
    /// If they were not done, or perhaps not, as for [`Redis::run`].
    pub async fn send(&self, partition: &str, commands: Vec<Cmd>) -> Result<Vec<Value>, Failure> {
        if commands.is_empty() {
            return Ok(Vec::new());
        }
        self.answer(partition, &Step::new(commands)).await
    }

    /// Follows channels: the messages that anybody publishes to them on whatever server, and word of when some may
    /// have been missed. It subscribes again by itself, with pauses of 100 ms to 2 s. In a cluster the number that
    /// `PUBLISH` returns counts those alone who listen to the same node, so it says nothing.
    pub fn subscribe(&self, channels: impl IntoIterator<Item = impl Into<String>>) -> Subscription {
        let channels = channels.into_iter().map(Into::into).collect();
        self.subscribe_to_those_in(watch::channel(channels).1)
    }

    /// Follows the channels that are in a set, at each time.
    pub fn subscribe_to_those_in(
        &self,
        channels: watch::Receiver<BTreeSet<String>>,
    ) -> Subscription {
        Subscription::open(
            Arc::clone(&self.topology),
            Arc::clone(&self.failure_log),
            channels,
        )
    }

    /// Sends a step to the server in charge of a partition, and returns what that said, and which it was. Failures
    /// are not told in the log.
    ///
    /// # Errors
    ///
    /// If it was not done, or perhaps not.
    pub async fn deliver(
        &self,
        partition: &str,
        step: &Step<'_>,
        deadline: Instant,
    ) -> Result<(Arc<Node>, Replies), Failure> {
        let delivered = step.deliver(&self.topology, partition, deadline);
        timeout_at(deadline, delivered)
            .await
            .unwrap_or(Err(Failure::TimedOut))
    }

    /// Says that other servers may be in charge, so that the next call finds out.
    pub fn doubt(&self) {
        self.topology.doubt();
    }

    /// Whether partitions lie on different servers. Where they do not, one script may look at keys of several.
    pub fn is_cluster(&self) -> bool {
        matches!(&*self.topology, Topology::Cluster(_))
    }

    /// The set that sentinels watch, if it is one.
    pub fn sentinels(&self) -> Option<&SentinelSet> {
        match &*self.topology {
            Topology::Sentinel(set) => Some(set),
            Topology::Standalone(_) | Topology::Cluster(_) => None,
        }
    }

    /// What tells failures in the log.
    pub fn failure_log(&self) -> &FailureLog {
        &self.failure_log
    }

    async fn answer(&self, partition: &str, step: &Step<'_>) -> Result<Vec<Value>, Failure> {
        let deadline = Instant::now() + self.response_timeout;
        match self.deliver(partition, step, deadline).await {
            Ok((_, replies)) => Ok(replies.done),
            Err(failure) => {
                self.failure_log.log(&failure);
                Err(failure)
            }
        }
    }
}
