//! Writes that are acknowledged only once replicas have them.
//!
//! `WAIT` follows the script on its connection and covers all that the server wrote before. It waits in short steps, as
//! it holds up its connection, and as a wait is in vain once the servers have turned to another primary.
//!
//! Where its count is short, sentinels help: if every replica that can be reached has the write, it is safe. Less is not
//! enough: in a planned failover the replica that is promoted has left its primary, another one still follows, and what
//! only that one has is lost when both turn to the new primary.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::join_all;
use tokio::time::Instant;
use turnwise_redis::{HostPort, Node, SentinelSet, Step, Value, cmd};

use super::failure::Failure;

/// How long one command waits. Replicas take about a millisecond.
const STEP: Duration = Duration::from_millis(100);
/// How long a replica may take to say whom it follows.
const ROLE_TIMEOUT: Duration = Duration::from_millis(200);
/// How long fewer replicas than wanted are waited for, after it turned out that the others are away.
const FEWER_FOR: Duration = Duration::from_secs(1);

/// How many replicas must have a write.
pub(super) struct Durable {
    wanted: u32,
    timeout: Duration,
    /// So many replicas were there, and how long that is taken to hold.
    fewer: Mutex<Option<(u32, Instant)>>,
    /// Connections to replicas.
    replicas: Mutex<HashMap<HostPort, Arc<Node>>>,
}

impl Durable {
    /// At least one replica, within this time.
    pub(super) fn new(wanted: u32, timeout: Duration) -> Self {
        Self {
            wanted,
            timeout,
            fewer: Mutex::default(),
            replicas: Mutex::default(),
        }
    }

    /// How long a wait may take.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Adds the command that waits.
    pub(super) fn wait_after(&self, step: &mut Step<'_>) {
        let wanted = match *self.fewer.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((count, until)) if Instant::now() < until => count,
            _ => self.wanted,
        };
        let mut wait = cmd("WAIT");
        // For Redis 0 is for ever.
        let milliseconds = self.timeout.min(STEP).as_millis().max(1);
        wait.arg(wanted).arg(milliseconds);
        step.then(wait);
    }

    /// Whether what the wait said is enough. If not, waiting longer may help.
    ///
    /// # Errors
    ///
    /// If it cannot help: the server is not in charge any more.
    pub(super) async fn is_enough(
        &self,
        sentinels: Option<&SentinelSet>,
        primary: &Node,
        waited: &Value,
        deadline: Instant,
    ) -> Result<bool, Failure> {
        let replicas = match waited {
            Value::Int(count) => *count,
            Value::ServerError(said) => {
                return Err(turnwise_redis::Failure::Said(said.clone()).into());
            }
            _ => return Err(turnwise_redis::Failure::Unreadable.into()),
        };
        if replicas >= i64::from(self.wanted) {
            return Ok(true);
        }
        let Some(set) = sentinels else {
            return Ok(false);
        };
        let Some(following) = self.following(set, primary, deadline).await else {
            return Err(Failure::NotReplicated { replicas });
        };
        let enough = replicas > 0 && replicas >= i64::from(following);
        if enough {
            let fewer = (following.max(1), Instant::now() + FEWER_FOR);
            *self.fewer.lock().unwrap_or_else(PoisonError::into_inner) = Some(fewer);
        }
        Ok(enough)
    }

    /// How many replicas can be reached, if none of them has turned away from this primary. Without a sentinel that
    /// knows them they are as many as are wanted.
    async fn following(&self, set: &SentinelSet, primary: &Node, deadline: Instant) -> Option<u32> {
        let Some(known) = set.replicas(deadline).await else {
            return Some(self.wanted);
        };
        let others: Vec<_> = known
            .into_iter()
            .filter(|address| address != primary.address())
            .map(|address| self.replica(address, set))
            .collect();
        let deadline = deadline.min(Instant::now() + ROLE_TIMEOUT);
        let roles = join_all(
            others
                .iter()
                .map(|node| role(node, primary.address(), deadline)),
        );
        let mut count = 0;
        for role in roles.await {
            match role {
                Role::Away => {}
                Role::Follows => count += 1,
                Role::GoesItsOwnWay => return None,
            }
        }
        Some(count)
    }

    fn replica(&self, address: HostPort, set: &SentinelSet) -> Arc<Node> {
        let mut replicas = self.replicas.lock().unwrap_or_else(PoisonError::into_inner);
        let node = replicas
            .entry(address.clone())
            .or_insert_with(|| Arc::new(set.server(address)));
        Arc::clone(node)
    }
}

/// What a server that should be a replica is.
enum Role {
    /// It cannot be reached.
    Away,
    /// A replica of the primary.
    Follows,
    /// A primary itself, or a replica of another one.
    GoesItsOwnWay,
}

async fn role(node: &Arc<Node>, primary: &HostPort, deadline: Instant) -> Role {
    let step = Step::new(vec![cmd("ROLE")]);
    let Ok(replies) = step.send_to(node, deadline).await else {
        return Role::Away;
    };
    match replies.done.as_slice() {
        [Value::Array(role)] => match role.as_slice() {
            [Value::BulkString(kind), host, port, ..]
                if kind == b"slave" && HostPort::told(host, port).as_ref() == Some(primary) =>
            {
                Role::Follows
            }
            _ => Role::GoesItsOwnWay,
        },
        _ => Role::GoesItsOwnWay,
    }
}
