//! What a store holds, counted and checked: whether every record is what was written, and whether the lists of threads and
//! courses agree with what they list. `turnwise verify` shows it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use bytes::Bytes;
use jiff::Timestamp;
use turnwise_session_store::{
    DAMAGED, Found, OpenError, StoreError,
    embedded::EmbeddedStore,
    inventory::Named,
    redis::{RedisOptions, RedisStore},
};

use crate::{error::SessionError, record, sessions::keys};

/// What kinds of names are called, and whether each entry counts instead of the name.
const COUNTED: [(&str, &str, bool); 15] = [
    ("thread", "threads", false),
    ("timeline", "messages", true),
    ("events", "events", true),
    ("turn", "turn_logs", false),
    ("snapshot", "course_records", false),
    ("questions", "exam_questions", true),
    ("memory", "memories", false),
    ("idempotency", "stored_answers", false),
    ("nonce", "spent_drills", false),
    ("artifacts", "artifacts", false),
    ("help", "help_sessions", false),
    ("alert", "alerts", false),
    ("audit", "audit_entries", true),
    ("outbox", "outgoing_events", true),
    ("work", "deferred_work", false),
];

/// How many faults are named; the others are counted.
const MOST_FAULTS: usize = 100;

/// What is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inventory {
    /// How many of what: `students`, and the names of kinds of records.
    pub counts: BTreeMap<&'static str, u64>,
    /// What is wrong, the first hundred; names of partitions are pseudonyms.
    pub faults: Vec<String>,
    /// How many faults there are.
    pub faulty: u64,
}

/// What is looked at together: a partition's.
#[derive(Default)]
struct Gathered {
    /// Threads, and how many messages each says that it has.
    threads: BTreeMap<String, i64>,
    /// The last message of each.
    last: BTreeMap<String, i64>,
    listed: BTreeSet<String>,
    snapshots: Vec<String>,
    courses: BTreeSet<String>,
}

/// Takes an inventory of the file of an embedded store that nobody serves, of what has not run out by `now`.
///
/// # Errors
///
/// The file is in use, cannot be opened, or lacks rows.
pub fn of_file(path: &Path, now: Timestamp) -> Result<Inventory, OpenError> {
    let mut taking = Taking::default();
    EmbeddedStore::inventory(path, now.as_millisecond(), &mut |named| taking.take(&named))?;
    Ok(taking.done())
}

/// Why no inventory of a Redis was taken.
#[derive(Debug, thiserror::Error)]
pub enum InventoryError {
    /// The address cannot be read.
    #[error(transparent)]
    Address(#[from] OpenError),
    /// It is that of a cluster.
    #[error(
        "a cluster has an inventory for each primary: name one after the other with redis://HOST:PORT"
    )]
    Cluster,
    /// The server does not answer.
    #[error("{0}; see the log, and correct the address or the password")]
    Store(#[from] StoreError),
}

/// Takes an inventory of a Redis. If somebody writes to it meanwhile, what was only half seen is taken for a fault.
///
/// # Errors
///
/// The address cannot be read or is that of a cluster, or the server does not answer.
pub async fn of_redis(server: turnwise_redis::RedisOptions) -> Result<Inventory, InventoryError> {
    let scheme = server.address.split(':').next();
    if scheme.is_some_and(|scheme| scheme.ends_with("+cluster")) {
        return Err(InventoryError::Cluster);
    }
    let options = RedisOptions {
        server,
        ..RedisOptions::new("")
    };
    let store = RedisStore::open(&options).await?;
    let mut taking = Taking::default();
    store.inventory(&mut |named| taking.take(&named)).await?;
    Ok(taking.done())
}

/// An inventory under way. Names come ordered by partition.
#[derive(Default)]
struct Taking {
    inventory: Inventory,
    partition: String,
    gathered: Gathered,
}

impl Taking {
    fn take(&mut self, named: &Named) {
        if named.partition.as_str() != self.partition {
            self.end_partition();
            self.partition = named.partition.as_str().to_owned();
        }
        let name = named.key.as_str();
        let (kind, id) = name.split_once(':').unwrap_or((name, ""));
        if let Some((_, called, each)) = COUNTED.iter().find(|(of, ..)| *of == kind)
            && (kind != "thread" || has(&named.found, "record"))
        {
            let many = match (&named.found, each) {
                (Found::Entries(entries), true) => entries.len(),
                (Found::Record(fields), true) => fields.len(),
                _ => 1,
            };
            *self.inventory.counts.entry(called).or_default() += many as u64;
        }
        let broken: Vec<String> = match &named.found {
            Found::Record(fields) => {
                let broken = fields.iter().filter_map(|(field, value)| {
                    let problem = wrong(keys::is_record(kind, id, field), value)?;
                    Some(format!("{name} {field}: {problem}"))
                });
                broken.collect()
            }
            Found::Entries(entries) => {
                let broken = entries.iter().filter_map(|(id, value)| {
                    let problem = wrong(keys::is_log_of_records(kind), value)?;
                    Some(format!("{name} {id}: {problem}"))
                });
                broken.collect()
            }
            Found::Fields(_) | Found::Members(_) => Vec::new(),
        };
        for fault in broken {
            self.fault(fault);
        }
        self.gather(kind, id, &named.found);
    }

    fn gather(&mut self, kind: &str, id: &str, found: &Found) {
        let gathered = &mut self.gathered;
        match (kind, found) {
            ("thread", Found::Record(fields)) if has(found, "record") => {
                let count = fields.iter().find(|(field, _)| field == "count");
                let count =
                    count.and_then(|(_, count)| std::str::from_utf8(count).ok()?.parse().ok());
                gathered.threads.insert(id.to_owned(), count.unwrap_or(-1));
            }
            ("timeline", Found::Entries(entries)) => {
                gathered
                    .last
                    .extend(entries.last().map(|(last, _)| (id.to_owned(), *last)));
            }
            ("threads", Found::Members(members)) => {
                gathered
                    .listed
                    .extend(members.iter().map(|(id, _)| id.clone()));
            }
            ("snapshot", _) => gathered.snapshots.push(id.to_owned()),
            ("courses", Found::Record(fields)) => {
                gathered
                    .courses
                    .extend(fields.iter().map(|(id, _)| id.clone()));
            }
            _ => {}
        }
    }

    /// Compares what a partition's names say of each other.
    fn end_partition(&mut self) {
        let gathered = std::mem::take(&mut self.gathered);
        if !(gathered.threads.is_empty() && gathered.snapshots.is_empty()) {
            *self.inventory.counts.entry("students").or_default() += 1;
        }
        for (id, count) in &gathered.threads {
            if !gathered.listed.contains(id) {
                self.fault(format!("thread:{id}: it is in no list of threads"));
            }
            // Where a reset took the messages there is none to compare.
            if let Some(last) = gathered.last.get(id).filter(|last| *last != count) {
                self.fault(format!(
                    "thread:{id}: it counts {count} messages, and the last is {last}"
                ));
            }
        }
        for course in gathered.snapshots {
            if !gathered.courses.contains(&course) {
                self.fault(format!("snapshot:{course}: it is in no list of courses"));
            }
        }
    }

    fn fault(&mut self, fault: String) {
        self.inventory.faulty += 1;
        if self.inventory.faults.len() < MOST_FAULTS {
            let partition = &self.partition;
            self.inventory.faults.push(format!("{partition}: {fault}"));
        }
    }

    fn done(mut self) -> Inventory {
        self.end_partition();
        self.inventory
    }
}

fn has(found: &Found, name: &str) -> bool {
    matches!(found, Found::Record(fields) if fields.iter().any(|(field, _)| field == name))
}

/// What is wrong with a value.
fn wrong(is_record: bool, value: &Bytes) -> Option<&'static str> {
    const DAMAGE: &str = "it is not what was written";
    if value == DAMAGED {
        return Some(DAMAGE);
    }
    if !is_record {
        return None;
    }
    let record = record::part(value).unwrap_or_else(|| value.clone());
    match record::unstamp("record", &record) {
        Ok(_) => None,
        Err(SessionError::SchemaTooNew { .. }) => Some("a newer version wrote it"),
        Err(_) => Some(DAMAGE),
    }
}
