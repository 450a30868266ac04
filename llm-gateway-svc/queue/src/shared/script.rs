//! Calls of `queue.lua`, its replies and its notices.

use std::{
    pin::Pin,
    sync::{Arc, LazyLock},
    time::Duration,
};

use tokio::time::timeout;
use turnwise_redis::{Failure, Redis, Script, Value, without_braces};

use crate::{
    name_hashes,
    order::{Entry, EntryId, Micros},
    request::Band,
};

/// The script. Its parts are put together in this order.
static SCRIPT: LazyLock<Script> = LazyLock::new(|| {
    Script::new(concat!(
        include_str!("queue.lua"),
        include_str!("order.lua"),
        include_str!("slots.lua"),
        include_str!("operations.lua"),
    ))
});

/// How long Redis may take to answer. What it has not done by then it does not do later: the script knows the deadline.
pub(super) const TIMEOUT: Duration = Duration::from_secs(1);

/// The keys of a queue, after its name: all that the script touches, in its order.
const KEYS: [&str; 21] = [
    "state",
    "classes",
    "students",
    "entries",
    "owners",
    "by_process",
    "held",
    "rotation",
    "arrivals",
    "ready:i",
    "ready:b",
    "finished:i",
    "finished:b",
    "slots",
    "leases",
    "running",
    "free",
    "joined",
    "seen",
    "homes",
    "indexes",
];

/// How many entries are entered with one call.
pub(super) const AT_ONCE: usize = 100;

/// Calls the script for one queue and process.
#[derive(Clone)]
pub(super) struct ScriptClient {
    redis: Redis,
    /// The queue, where it is told from others.
    pub(super) partition: String,
    /// What all keys and channels begin with.
    name: String,
    keys: Arc<[String]>,
    /// The replica's index or the number that it is shown under, a dot, and a name of its own.
    pub(super) process: String,
}

/// The reply to a call.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: Status,
    /// The time on Redis' clock.
    pub(super) now: Micros,
    pub(super) epoch: u64,
    /// Rises whenever somebody starts or leaves.
    pub(super) version: u64,
    /// Rises whenever anything changes.
    pub(super) changes: u64,
    pub(super) notices: Vec<Notice>,
    /// What the operation returns.
    pub(super) returned: Vec<Value>,
}

/// Whether it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// It is.
    Ok,
    /// Not done: the process has not joined this epoch.
    Join,
    /// Not done: it came too late.
    Late,
}

/// A notice to a process, as `queue.lua` documents them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Notice {
    Run {
        id: EntryId,
        slot: usize,
        fence: u64,
        at: Micros,
    },
    Waiting {
        id: EntryId,
        place: u64,
        arrival: u64,
    },
    Superseded(EntryId),
    Full {
        id: EntryId,
        queued: usize,
    },
    Forget(EntryId),
    Held {
        id: EntryId,
        until: Micros,
    },
    Lent {
        slot: usize,
        fence: u64,
        process: String,
        at: Micros,
    },
    Back {
        slot: usize,
        fence: u64,
        at: Micros,
    },
}

impl Notice {
    /// Reads it.
    pub(super) fn read(words: &[u8]) -> Option<Self> {
        let mut words = std::str::from_utf8(words).ok()?.split(' ');
        let what = words.next()?;
        let words: Vec<&str> = words.collect();
        let number = |at: usize| words.get(at)?.parse::<u64>().ok();
        let slot = |at: usize| usize::try_from(number(at)?).ok();
        Some(match what {
            "run" => Self::Run {
                id: number(0)?,
                slot: slot(1)?,
                fence: number(2)?,
                at: number(3)?,
            },
            "waiting" => Self::Waiting {
                id: number(0)?,
                place: number(1)?,
                arrival: number(2)?,
            },
            "superseded" => Self::Superseded(number(0)?),
            "full" => Self::Full {
                id: number(0)?,
                queued: slot(1)?,
            },
            "forget" => Self::Forget(number(0)?),
            "held" => Self::Held {
                id: number(0)?,
                until: number(1)?,
            },
            "lent" => Self::Lent {
                slot: slot(0)?,
                fence: number(1)?,
                process: (*words.get(2)?).to_owned(),
                at: number(3)?,
            },
            "back" => Self::Back {
                slot: slot(0)?,
                fence: number(1)?,
                at: number(2)?,
            },
            _ => return None,
        })
    }
}

impl ScriptClient {
    /// Calls the script for the queue of this name, as this replica.
    pub(super) fn new(redis: Redis, name: &str, replica: usize) -> Self {
        let partition = format!("queue/{}", without_braces(name));
        let name = format!("turnwise:{{{partition}}}");
        let process = uuid::Uuid::new_v4().simple();
        Self {
            redis,
            keys: KEYS.iter().map(|key| format!("{name}:{key}")).collect(),
            name,
            partition,
            process: format!("{replica}.{process}"),
        }
    }

    /// The channel of notices to this process.
    pub(super) fn channel(&self) -> String {
        format!("{}:{}", self.name, self.process)
    }

    /// Redis.
    pub(super) fn redis(&self) -> &Redis {
        &self.redis
    }

    /// Calls the script.
    ///
    /// # Errors
    ///
    /// If it was not done, or perhaps not; it will not be done later than `not_after` in Redis' time.
    pub(super) async fn call(
        &self,
        what: &str,
        epoch: u64,
        not_after: Micros,
        arguments: Vec<String>,
    ) -> Result<Reply, Failure> {
        let arguments = (what, &self.process, epoch, not_after, arguments);
        let run = self
            .redis
            .run(&SCRIPT, &self.partition, &self.keys, arguments);
        // Boxed, as it is a part of many futures that would all be as large.
        let run: Pin<Box<dyn Future<Output = _> + Send + '_>> = Box::pin(run);
        let value = timeout(TIMEOUT, run)
            .await
            .unwrap_or(Err(Failure::TimedOut))?;
        read(value).ok_or_else(unreadable)
    }
}

/// Logs that a reply is none that the script gives.
pub(super) fn unreadable() -> Failure {
    tracing::error!(
        "what Redis keeps of a queue cannot be read; check what else writes to this Redis"
    );
    Failure::Unreadable
}

/// Reads a reply.
fn read(value: Value) -> Option<Reply> {
    let Value::Array(parts) = value else {
        return None;
    };
    let mut parts = parts.into_iter();
    let status = match text(&parts.next()?)? {
        "ok" => Status::Ok,
        "join" => Status::Join,
        "late" => Status::Late,
        _ => return None,
    };
    let now = number(&parts.next()?)?;
    let epoch = number(&parts.next()?)?;
    let version = number(&parts.next()?)?;
    let changes = number(&parts.next()?)?;
    let Value::Array(notices) = parts.next()? else {
        return None;
    };
    Some(Reply {
        status,
        now,
        epoch,
        version,
        changes,
        notices: notices
            .iter()
            .map(|notice| match notice {
                Value::BulkString(words) => Notice::read(words),
                _ => None,
            })
            .collect::<Option<_>>()?,
        returned: parts.collect(),
    })
}

/// A text.
pub(super) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::BulkString(bytes) => std::str::from_utf8(bytes).ok(),
        Value::SimpleString(text) => Some(text),
        _ => None,
    }
}

/// A number, or a text that is one.
pub(super) fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Int(number) => u64::try_from(*number).ok(),
        other => text(other)?.parse().ok(),
    }
}

/// A list of texts.
pub(super) fn texts(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::Array(values) => values.iter().map(text).collect(),
        _ => None,
    }
}

/// The arguments of an entry for `enter`. With a rank, its place and arrival, it has been in the queue before. Without
/// room it is let in only if it starts at once.
pub(super) fn entry(entry: &Entry, rank: Option<(u64, u64)>, room: bool) -> [String; 13] {
    let (place, arrival) = rank.unwrap_or_default();
    let since = if rank.is_some() { entry.since } else { 0 };
    let band = match entry.band {
        Band::Interactive => "i",
        Band::Batch => "b",
    };
    [
        entry.id.to_string(),
        band.to_owned(),
        name_hashes::hash(&[&entry.owner.class]),
        name_hashes::student(&entry.owner, entry.id),
        name_hashes::owner(&entry.owner),
        entry.weight.to_string(),
        since.to_string(),
        place.to_string(),
        arrival.to_string(),
        entry.held_until.unwrap_or(0).to_string(),
        u8::from(room).to_string(),
        entry.owner.purpose.to_owned(),
        entry.owner.class.clone(),
    ]
}
