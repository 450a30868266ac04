//! Brings what version 0.1 stored to this version: its embedded file, and its keys in Redis. Cut off in the middle it is
//! done again from the beginning and makes nothing twice.

pub mod embedded;
pub mod redis;

use std::time::Duration;

use bytes::Bytes;
use turnwise_session_store::{Check, Outcome, Partition, Store, StudentKey, Transaction, Write};

use crate::{
    error::SessionError,
    sessions::{keys, member},
};

/// The bytes of a SHA-256, with which a fingerprint begins.
const HASH_BYTES: usize = 32;

/// Enters a thread into its class's index, as the version before did not.
async fn index(
    store: &dyn Store,
    student: &StudentKey,
    class_id: &str,
    thread_id: &str,
    kept_until: i64,
) -> Result<(), SessionError> {
    let class = Partition::class(&student.tenant, class_id);
    let entry = Write::Rank {
        key: keys::conversations(),
        member: member(student, thread_id),
        score: kept_until,
    };
    run(store, &class, Vec::new(), vec![entry]).await.map(drop)
}

/// Notes that an answer holds text of the thread that its fingerprint ends with, so that an erasure finds it.
fn note(
    answer: &turnwise_session_store::Key,
    fingerprint: &[u8],
    rest: i64,
    now: i64,
) -> Vec<Write> {
    let about = fingerprint.get(HASH_BYTES..).unwrap_or_default();
    let Ok(thread_id) = std::str::from_utf8(about) else {
        return Vec::new();
    };
    let key = keys::answers(thread_id);
    vec![
        Write::Rank {
            key: key.clone(),
            member: answer.as_str().to_owned(),
            score: now.saturating_add(rest),
        },
        Write::Expire {
            key,
            after: Duration::from_millis(u64::try_from(rest).unwrap_or(1).max(1)),
        },
    ]
}

fn known(course: &str) -> Write {
    Write::Put {
        key: keys::courses(),
        fields: vec![(course.to_owned().into(), Bytes::from_static(b"1"))],
    }
}

async fn run(
    store: &dyn Store,
    partition: &Partition,
    checks: Vec<Check>,
    writes: Vec<Write>,
) -> Result<Outcome, SessionError> {
    let transaction = Transaction {
        checks,
        writes,
        reads: Vec::new(),
    };
    Ok(store.transact(partition, transaction).await?)
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
