//! The store in Redis, shared by all replicas of the service: on one server, on a set that sentinels watch, or on a
//! cluster.
//!
//! A transaction is one call of one script, `transact.lua`: one round trip on a connection that all callers share. It is
//! sent again only where Redis has certainly not done it, so an answer always is the answer to what was asked.

mod durable;
mod failure;
mod inventory;
mod news;
mod packed;
mod read;
mod reply;
mod request;
mod transact;

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};
use tokio_util::task::AbortOnDropHandle;
use turnwise_redis::{Node, Redis, Script, Value};

use self::{
    durable::Durable,
    failure::Failure,
    news::News,
    request::{Replies, Request},
};
use crate::{Key, OpenError, Outcome, Partition, Reply, Store, Transaction};

/// The script that runs every transaction.
const TRANSACT: &str = include_str!("transact.lua");
/// How many connections to a server are shared where no call blocks.
const LANES: usize = 1;
/// How many where calls wait for replicas, and hold up what comes after them on their connection.
const DURABLE_LANES: usize = 8;

/// How the store in Redis is opened.
#[derive(Clone)]
pub struct RedisOptions {
    /// Where it is, and how it is called. The store decides how many connections there are, and that they are for records.
    pub server: turnwise_redis::RedisOptions,
    /// How many replicas must have a write before it is acknowledged; 0 for none. Only all the replicas that a primary
    /// has protect a write from every failover.
    pub wait_replicas: u32,
    /// How long they may take, besides the response time-out. At least 1 ms.
    pub wait_timeout: Duration,
}

impl RedisOptions {
    /// The store at this address, with a response time-out of 2 s and without waiting for replicas.
    pub fn new(address: impl Into<String>) -> Self {
        Self {
            server: turnwise_redis::RedisOptions::new(address),
            wait_replicas: 0,
            wait_timeout: Duration::from_secs(1),
        }
    }
}

/// The store in Redis.
pub struct RedisStore {
    redis: Redis,
    script: Script,
    durable: Option<Durable>,
    response_timeout: Duration,
    news: Arc<News>,
    /// Passes the news on for as long as the store lives.
    _messages: AbortOnDropHandle<()>,
}

impl RedisStore {
    /// Opens the store. A Redis that does not answer yet is no error: calls fail until it does.
    ///
    /// # Errors
    ///
    /// If the address cannot be read, or the server that answers may throw records away.
    pub async fn open(options: &RedisOptions) -> Result<Self, OpenError> {
        let durable = (options.wait_replicas > 0)
            .then(|| Durable::new(options.wait_replicas, options.wait_timeout));
        let redis = Redis::open(&turnwise_redis::RedisOptions {
            connections: if durable.is_some() {
                DURABLE_LANES
            } else {
                LANES
            },
            keeps_records: true,
            ..options.server.clone()
        })
        .await?;
        let news = Arc::new(News::new());
        let messages = Arc::clone(&news).pass_on(news.follow(&redis));
        Ok(Self {
            redis,
            script: Script::new(TRANSACT),
            durable,
            response_timeout: options.server.response_timeout,
            news,
            _messages: AbortOnDropHandle::new(tokio::spawn(messages)),
        })
    }

    async fn run(
        &self,
        partition: &Partition,
        transaction: &Transaction,
    ) -> Result<Outcome, Failure> {
        let durable = self
            .durable
            .as_ref()
            .filter(|_| !transaction.writes.is_empty());
        let request = |script_reads| {
            Request::new(
                self.calling(),
                partition,
                transaction,
                durable,
                script_reads,
            )
        };
        let waiting = durable.map_or(Duration::ZERO, Durable::timeout);
        let deadline = Instant::now() + self.response_timeout + waiting;
        let in_parts = request(false);
        let (node, replies) = match self.deliver(partition, &in_parts, deadline).await {
            Err(failure) if failure.code() == "OOM" && in_parts.is_in_parts() => {
                self.deliver(partition, &request(true), deadline).await?
            }
            delivered => delivered?,
        };
        if let (Some(durable), Some(waited)) = (durable, &replies.waited) {
            let waited = waited.clone();
            let replicated = self.replicated(durable, partition, &node, waited, deadline);
            timeout_at(deadline, replicated)
                .await
                .unwrap_or(Err(Failure::Redis(turnwise_redis::Failure::TimedOut)))
                .inspect_err(|_| self.redis.doubt())?;
        }
        let outcome = reply::decode(replies.returned, &transaction.reads, replies.found)?;
        Ok(outcome)
    }

    /// The script, and whether it is told all names as keys: a node of a cluster must know them.
    fn calling(&self) -> (&Script, bool) {
        (&self.script, self.redis.is_cluster())
    }

    /// Returns once enough replicas of this server have all that it had when the script ran.
    async fn replicated(
        &self,
        durable: &Durable,
        partition: &Partition,
        node: &Arc<Node>,
        mut waited: Value,
        deadline: Instant,
    ) -> Result<(), Failure> {
        let give_up = Instant::now() + durable.timeout();
        while !durable
            .is_enough(self.redis.sentinels(), node, &waited, deadline)
            .await?
        {
            let replicas = match waited {
                Value::Int(count) => count,
                _ => 0,
            };
            if Instant::now() >= give_up {
                return Err(Failure::NotReplicated { replicas });
            }
            // A wait covers what its own connection wrote, so it takes another write.
            let nothing = Transaction::default();
            let again = Request::new(self.calling(), partition, &nothing, Some(durable), false);
            let sent = again.step().send_to(node, deadline).await;
            waited = match sent.and_then(|replies| again.read(replies)) {
                Ok(replies) => replies.waited.ok_or(turnwise_redis::Failure::Unreadable)?,
                // The server is gone or not in charge any more, and the write perhaps with it.
                Err(_) => return Err(Failure::NotReplicated { replicas }),
            };
        }
        Ok(())
    }

    /// Sends a request to the server in charge of a partition, and returns what it said, and which it was.
    async fn deliver(
        &self,
        partition: &Partition,
        request: &Request<'_>,
        deadline: Instant,
    ) -> Result<(Arc<Node>, Replies), turnwise_redis::Failure> {
        let step = request.step();
        let (node, replies) = self
            .redis
            .deliver(partition.as_str(), step, deadline)
            .await?;
        Ok((node, request.read(replies)?))
    }
}

impl Store for RedisStore {
    fn transact<'a>(
        &'a self,
        partition: &'a Partition,
        transaction: Transaction,
    ) -> Reply<'a, Outcome> {
        Box::pin(async move {
            let result = self.run(partition, &transaction).await;
            result.map_err(|failure| {
                failure.tell(self.redis.failure_log());
                failure.kind()
            })
        })
    }

    fn watch(&self, partition: &Partition, log: &Key) -> watch::Receiver<u64> {
        self.news.watch(partition, log)
    }
}
