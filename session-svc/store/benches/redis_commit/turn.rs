//! The two transactions of a turn, and the same as plain commands.

use std::time::Duration;

use bytes::Bytes;
use redis::Pipeline;
use turnwise_session_store::{Check, Key, Read, Transaction, Write};

const LEASE: Duration = Duration::from_secs(30);
const KEPT: Duration = Duration::from_secs(86_400);

/// What a turn writes, in sizes like those of a tutor's.
pub struct Content {
    message: Bytes,
    snapshot: Bytes,
    fingerprint: Bytes,
    outcome: Bytes,
    event: Bytes,
    log: Bytes,
}

impl Content {
    pub fn new() -> Self {
        let text = |length: usize| {
            let words = "abcdefghijklmnopqrstuvwxyz 0123456789";
            Bytes::from(words.bytes().cycle().take(length).collect::<Vec<u8>>())
        };
        Self {
            message: text(300),
            snapshot: text(200),
            fingerprint: text(32),
            outcome: text(800),
            event: text(300),
            log: text(1000),
        }
    }
}

fn key(name: impl Into<String>) -> Key {
    Key::new(name)
}

pub fn begin(turn: usize) -> Transaction {
    let fields = |key: &str, fields: &[&'static str]| Read::Fields {
        key: Key::new(key),
        fields: fields.iter().map(|field| (*field).into()).collect(),
    };
    Transaction {
        checks: vec![
            Check::Absent {
                key: key(format!("answer:{turn}")),
                tell: vec!["fingerprint", "outcome"],
            },
            Check::Present {
                key: key("thread:t"),
            },
            Check::LeaseFree {
                key: key("lease:t"),
                or_of: Bytes::new(),
            },
        ],
        writes: vec![Write::TakeLease {
            key: key("lease:t"),
            ttl: LEASE,
            holder: Bytes::from(format!("turn-{turn}")),
        }],
        reads: vec![
            fields("thread:t", &["course", "count", "updated", "fence"]),
            fields("snapshot:c", &["turn", "evidence"]),
            Read::LogBefore {
                key: key("messages:t"),
                before: i64::MAX,
                limit: 6,
            },
            fields("memory", &["memory"]),
        ],
    }
}

pub fn commit(content: &Content, turn: usize, token: i64) -> Transaction {
    let count = |turn: usize| Bytes::from((2 * turn).to_string());
    let answer = || key(format!("answer:{turn}"));
    let log = || key(format!("turn:{turn}"));
    let put = |key: Key, fields: Vec<(&'static str, Bytes)>| Write::Put {
        key,
        fields: fields
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect(),
    };
    Transaction {
        checks: vec![
            Check::Absent {
                key: answer(),
                tell: vec!["fingerprint", "outcome"],
            },
            Check::FieldIs {
                key: key("thread:t"),
                field: "count",
                value: Some(count(turn)),
                tell: vec!["count"],
            },
            Check::FenceBelow {
                key: key("thread:t"),
                field: "fence",
                token,
            },
            Check::LeaseHeld {
                key: key("lease:t"),
                token,
            },
        ],
        writes: vec![
            Write::Append {
                key: key("messages:t"),
                entries: vec![content.message.clone(), content.message.clone()],
            },
            put(
                key("thread:t"),
                vec![
                    ("count", count(turn + 1)),
                    ("updated", "1764000000000".into()),
                ],
            ),
            put(key("snapshot:c"), vec![("turn", content.snapshot.clone())]),
            put(
                answer(),
                vec![
                    ("fingerprint", content.fingerprint.clone()),
                    ("outcome", content.outcome.clone()),
                ],
            ),
            Write::Expire {
                key: answer(),
                after: KEPT,
            },
            Write::Rank {
                key: key("threads"),
                member: "t".to_owned(),
                score: i64::try_from(turn).unwrap(),
            },
            Write::UnrankUpTo {
                key: key("threads"),
                score: -1,
            },
            Write::Append {
                key: key("events"),
                entries: vec![content.event.clone()],
            },
            put(log(), vec![("log", content.log.clone())]),
            Write::Expire {
                key: log(),
                after: KEPT,
            },
            Write::ReleaseLease {
                key: key("lease:t"),
            },
        ],
        reads: Vec::new(),
    }
}

/// What there is before the first turn.
pub fn start() -> Transaction {
    let put = |name: &str, field: &'static str, value: Bytes| Write::Put {
        key: Key::new(name),
        fields: vec![(field.into(), value)],
    };
    Transaction {
        writes: vec![
            put("thread:t", "course", "c".into()),
            put("thread:t", "count", "0".into()),
            put("memory", "memory", vec![b'm'; 200].into()),
        ],
        ..Transaction::default()
    }
}

/// The commands that the script runs for [`begin`].
pub fn plain_begin(name: &str, turn: usize) -> Pipeline {
    let name = |key: &str| format!("turnwise:{{{name}}}:{key}");
    let mut commands = redis::pipe();
    commands.cmd("EXISTS").arg(name(&format!("answer:{turn}")));
    commands.cmd("EXISTS").arg(name("thread:t"));
    commands.cmd("GET").arg(name("lease:t"));
    commands.cmd("TIME");
    commands
        .cmd("SET")
        .arg(name("token"))
        .arg("1764000000000000")
        .arg("GET");
    commands
        .cmd("SET")
        .arg(name("lease:t"))
        .arg(format!("1764000000000000 turn-{turn}"))
        .arg("PX")
        .arg(LEASE.as_millis());
    commands
        .cmd("HMGET")
        .arg(name("thread:t"))
        .arg(&["course", "count", "updated", "fence"]);
    commands
        .cmd("HMGET")
        .arg(name("snapshot:c"))
        .arg(&["turn", "evidence"]);
    commands.cmd("XREVRANGE").arg(name("messages:t")).arg(&[
        "(0-9223372036854775807",
        "-",
        "COUNT",
        "6",
    ]);
    commands.cmd("HMGET").arg(name("memory")).arg("memory");
    commands
}

/// The commands that the script runs for [`commit`].
pub fn plain_commit(content: &Content, student: &str, turn: usize) -> Pipeline {
    let name = |key: &str| format!("turnwise:{{{student}}}:{key}");
    let answer = name(&format!("answer:{turn}"));
    let log = name(&format!("turn:{turn}"));
    let mut commands = redis::pipe();
    commands.cmd("EXISTS").arg(&answer);
    commands.cmd("HGET").arg(name("thread:t")).arg("count");
    commands.cmd("HGET").arg(name("thread:t")).arg("fence");
    commands.cmd("GET").arg(name("lease:t"));
    commands.cmd("EXISTS").arg(name("ids"));
    for _ in 0..2 {
        commands
            .cmd("XADD")
            .arg(name("messages:t"))
            .arg(&["0-*", ""])
            .arg(&content.message[..]);
    }
    commands
        .cmd("HSET")
        .arg(name("thread:t"))
        .arg("count")
        .arg(2 * turn + 2)
        .arg("updated")
        .arg("1764000000000");
    commands
        .cmd("HSET")
        .arg(name("snapshot:c"))
        .arg("turn")
        .arg(&content.snapshot[..]);
    commands
        .cmd("HSET")
        .arg(&answer)
        .arg("fingerprint")
        .arg(&content.fingerprint[..])
        .arg("outcome")
        .arg(&content.outcome[..]);
    commands.cmd("PEXPIRE").arg(&answer).arg(KEPT.as_millis());
    commands.cmd("ZADD").arg(name("threads")).arg(turn).arg("t");
    commands
        .cmd("ZREMRANGEBYSCORE")
        .arg(name("threads"))
        .arg("-inf")
        .arg(-1);
    commands
        .cmd("XADD")
        .arg(name("events"))
        .arg(&["0-*", ""])
        .arg(&content.event[..]);
    commands
        .cmd("HSET")
        .arg(&log)
        .arg("log")
        .arg(&content.log[..]);
    commands.cmd("PEXPIRE").arg(&log).arg(KEPT.as_millis());
    commands.cmd("DEL").arg(name("lease:t"));
    commands
        .cmd("PUBLISH")
        // Any of the channels; nobody listens.
        .arg("turnwise:changed:0")
        .arg(format!("{student} messages:t events"));
    commands
}
