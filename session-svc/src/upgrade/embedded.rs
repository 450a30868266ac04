//! The embedded file of version 0.1, which kept each kind of record in a table of its own. The old tables go last. While
//! it runs, the old records are in memory.

use std::{borrow::Cow, collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use prost::Message;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition, TableHandle};
use turnwise_kit::Kit;
use turnwise_proto::{
    session::v1::{Evidence, ThreadKind},
    tutor::v1::Thread,
};
use turnwise_session_store::{Check, Partition, Store, StudentKey, Write, embedded::EmbeddedStore};

use crate::{
    error::{SessionError, StartError},
    record,
    sessions::{Limits, keys},
};

use super::{index, known, millis, note, run};

type IdKey = (&'static str, &'static str, &'static str);
type OrderKey = (&'static str, &'static str, u64);
type MessageKey = (&'static str, &'static str, &'static str, i64);
type NamedKey = (&'static str, &'static str, &'static str, &'static str);
type ExpiryKey = (i64, &'static str, &'static str, &'static str, &'static str);

const THREADS: TableDefinition<'_, IdKey, &[u8]> = TableDefinition::new("threads");
const THREAD_ORDER: TableDefinition<'_, OrderKey, &str> = TableDefinition::new("thread_order");
const MESSAGES: TableDefinition<'_, MessageKey, &[u8]> = TableDefinition::new("messages");
const TURN_STATES: TableDefinition<'_, IdKey, &[u8]> = TableDefinition::new("turn_states");
const EVIDENCE: TableDefinition<'_, IdKey, &[u8]> = TableDefinition::new("evidence");
const QUESTIONS: TableDefinition<'_, NamedKey, &[u8]> = TableDefinition::new("questions");
const ANSWERS: TableDefinition<'_, NamedKey, &[u8]> = TableDefinition::new("answers");
const ANSWER_EXPIRY: TableDefinition<'_, ExpiryKey, ()> = TableDefinition::new("answer_expiry");

#[derive(Clone, PartialEq, Message)]
struct OldThread {
    #[prost(message, optional, tag = "1")]
    thread: Option<Thread>,
    #[prost(bool, tag = "2")]
    target_locked: bool,
}

#[derive(Clone, PartialEq, Message)]
struct OldEvidence {
    #[prost(message, optional, tag = "1")]
    evidence: Option<Evidence>,
    #[prost(int64, tag = "2")]
    version: i64,
}

#[derive(Clone, PartialEq, Message)]
struct OldAnswer {
    #[prost(bytes = "bytes", tag = "1")]
    fingerprint: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    outcome: Bytes,
    #[prost(int64, tag = "3")]
    expires_at: i64,
}

/// All that a file of the old version holds, by student.
type Old = BTreeMap<(String, String), OldStudent>;

#[derive(Default)]
struct OldStudent {
    threads: Vec<(String, Bytes)>,
    order: Vec<(u64, String)>,
    messages: BTreeMap<String, Vec<Bytes>>,
    turn_states: Vec<(String, Bytes)>,
    evidence: Vec<(String, Bytes)>,
    questions: BTreeMap<String, Vec<(String, Bytes)>>,
    answers: Vec<(String, String, Bytes)>,
}

/// Whether the file at this path holds records of the old version. A file that cannot be opened holds none: opening the
/// store says what is wrong with it.
pub fn is_old(path: &Path) -> bool {
    let tables = || {
        let database = Database::open(path).ok()?;
        let transaction = database.begin_read().ok()?;
        let mut tables = transaction.list_tables().ok()?;
        Some(tables.any(|table| table.name() == THREADS.name()))
    };
    path.is_file() && tables().unwrap_or(false)
}

/// Reads the old records, hands them to the store that `open` opens at the same path, and then drops the old tables.
pub async fn upgrade(
    path: &Path,
    kit: &Kit,
    limits: &Limits,
    open: impl FnOnce() -> Result<EmbeddedStore, StartError>,
) -> Result<(), StartError> {
    let failed = |problem: String| StartError::Upgrade {
        path: path.to_owned(),
        problem,
    };
    let old = read(path).map_err(|error| failed(error.to_string()))?;
    let students = old.len();
    let now = kit.clock.now().as_millisecond();
    let store = Arc::new(open()?);
    for ((tenant, student), records) in old {
        let key = StudentKey { tenant, student };
        write(store.as_ref(), &key, records, now, limits)
            .await
            .map_err(|error| failed(error.to_string()))?;
    }
    drop(store);
    forget(path).map_err(|error| failed(error.to_string()))?;
    tracing::info!(students, "the store was brought to this version");
    Ok(())
}

fn read(path: &Path) -> Result<Old, redb::Error> {
    let database = Database::open(path)?;
    let transaction = database.begin_read()?;
    let mut old = Old::new();
    let of = |tenant: &str, student: &str| (tenant.to_owned(), student.to_owned());
    for entry in transaction.open_table(THREADS)?.iter()? {
        let (key, value) = entry?;
        let (tenant, student, id) = key.value();
        let entry = old.entry(of(tenant, student)).or_default();
        entry.threads.push((id.to_owned(), bytes(value.value())));
    }
    for entry in transaction.open_table(THREAD_ORDER)?.iter()? {
        let (key, value) = entry?;
        let (tenant, student, place) = key.value();
        let entry = old.entry(of(tenant, student)).or_default();
        entry.order.push((place, value.value().to_owned()));
    }
    for entry in transaction.open_table(MESSAGES)?.iter()? {
        let (key, value) = entry?;
        let (tenant, student, id, _) = key.value();
        let entry = old.entry(of(tenant, student)).or_default();
        let messages = entry.messages.entry(id.to_owned()).or_default();
        messages.push(bytes(value.value()));
    }
    for (table, is_evidence) in [(TURN_STATES, false), (EVIDENCE, true)] {
        for entry in transaction.open_table(table)?.iter()? {
            let (key, value) = entry?;
            let (tenant, student, course) = key.value();
            let entry = old.entry(of(tenant, student)).or_default();
            let records = if is_evidence {
                &mut entry.evidence
            } else {
                &mut entry.turn_states
            };
            records.push((course.to_owned(), bytes(value.value())));
        }
    }
    for entry in transaction.open_table(QUESTIONS)?.iter()? {
        let (key, value) = entry?;
        let (tenant, student, course, question) = key.value();
        let entry = old.entry(of(tenant, student)).or_default();
        let questions = entry.questions.entry(course.to_owned()).or_default();
        questions.push((question.to_owned(), bytes(value.value())));
    }
    for entry in transaction.open_table(ANSWERS)?.iter()? {
        let (key, value) = entry?;
        let (tenant, student, operation, name) = key.value();
        let entry = old.entry(of(tenant, student)).or_default();
        let answer = (operation.to_owned(), name.to_owned(), bytes(value.value()));
        entry.answers.push(answer);
    }
    Ok(old)
}

fn bytes(value: &[u8]) -> Bytes {
    Bytes::copy_from_slice(value)
}

async fn write(
    store: &dyn Store,
    student: &StudentKey,
    old: OldStudent,
    now: i64,
    limits: &Limits,
) -> Result<(), SessionError> {
    let partition = Partition::student(student);
    let places: BTreeMap<_, _> = old.order.iter().map(|(place, id)| (id, *place)).collect();
    for (thread_id, bytes) in &old.threads {
        // One that cannot be read stays as it is, so that its reader is told.
        let Ok(found) = record::decode::<OldThread>("thread", bytes) else {
            tracing::error!(
                thread_id,
                "a thread of the old version cannot be read; it is left out"
            );
            continue;
        };
        let thread = found.thread.unwrap_or_default();
        let kept_until = now.saturating_add(millis(limits.thread_retention));
        index(store, student, &thread.class_id, thread_id, kept_until).await?;
        let place = places.get(thread_id).copied().unwrap_or(0);
        let messages = old.messages.get(thread_id).cloned().unwrap_or_default();
        let writes = thread_writes(
            &thread,
            found.target_locked,
            kept_until,
            place,
            messages,
            limits,
        );
        // What is there was written by an upgrade that was cut off.
        let checks = vec![Check::Absent {
            key: keys::thread(thread_id),
            tell: Vec::new(),
        }];
        run(store, &partition, checks, writes).await?;
    }
    let mut writes = Vec::new();
    for (course, bytes) in &old.turn_states {
        writes.push(put(keys::snapshot(course), "turn", bytes.clone()));
        writes.push(known(course));
    }
    for (course, bytes) in &old.evidence {
        let found: OldEvidence = match record::decode("evidence", bytes) {
            Ok(found) => found,
            Err(error) => {
                // Its reader is told in the same way as before.
                tracing::error!(%error, course, "evidence of the old version cannot be read");
                writes.push(put(keys::snapshot(course), "evidence", bytes.clone()));
                continue;
            }
        };
        let evidence = record::encode(&found.evidence.unwrap_or_default());
        writes.push(put(keys::snapshot(course), "evidence", evidence));
        let version = found.version.to_string().into();
        writes.push(put(keys::snapshot(course), "version", version));
        writes.push(known(course));
    }
    for (course, questions) in &old.questions {
        let fields = questions
            .iter()
            .map(|(id, bytes)| (Cow::Owned(id.clone()), bytes.clone()))
            .collect();
        writes.push(Write::Put {
            key: keys::questions(course),
            fields,
        });
    }
    for (operation, name, bytes) in &old.answers {
        writes.extend(answer_writes(operation, name, bytes, now));
    }
    for batch in writes.chunks(1024) {
        run(store, &partition, Vec::new(), batch.to_vec()).await?;
    }
    Ok(())
}

fn thread_writes(
    thread: &Thread,
    target_locked: bool,
    kept_until: i64,
    place: u64,
    messages: Vec<Bytes>,
    limits: &Limits,
) -> Vec<Write> {
    let id = &thread.thread_id;
    let field = |name: &'static str, value: Bytes| (Cow::Borrowed(name), value);
    let decimal = |number: i64| Bytes::from(number.to_string());
    let updated = record::encode(&thread.update_time.unwrap_or_default());
    let mut writes = vec![
        Write::Rank {
            key: keys::threads(ThreadKind::Tutor),
            member: id.clone(),
            score: i64::try_from(place).unwrap_or(0),
        },
        Write::Put {
            key: keys::thread(id),
            fields: vec![
                field("record", record::encode(thread)),
                field("course", thread.course_id.clone().into()),
                field("count", decimal(thread.message_count)),
                field("updated", updated),
                field("locked", decimal(target_locked.into())),
                field("kept", decimal(kept_until)),
                field("kind", decimal((ThreadKind::Tutor as i32).into())),
            ],
        },
    ];
    if !messages.is_empty() {
        writes.push(Write::Append {
            key: keys::timeline(id),
            entries: messages,
        });
    }
    for key in [keys::thread(id), keys::timeline(id)] {
        writes.push(Write::Expire {
            key,
            after: limits.thread_retention,
        });
    }
    writes
}

fn answer_writes(operation: &str, name: &str, bytes: &Bytes, now: i64) -> Vec<Write> {
    let Ok(old) = record::decode::<OldAnswer>("answer", bytes) else {
        tracing::error!("an answer of the old version cannot be read; it is left out");
        return Vec::new();
    };
    let rest = u64::try_from(old.expires_at.saturating_sub(now)).unwrap_or(0);
    if rest == 0 {
        return Vec::new();
    }
    let (operation, outcome) = match operation {
        "thread" => (keys::Operation::CreateThread, record::stamp(&old.outcome)),
        "turn" => (
            keys::Operation::Turn(ThreadKind::Tutor),
            record::stamp(&old.outcome),
        ),
        _ => match <[u8; 8]>::try_from(old.outcome.as_ref()) {
            Ok(version) => {
                let version = i64::from_be_bytes(version).to_string();
                (keys::Operation::Evidence, version.into())
            }
            Err(_) => return Vec::new(),
        },
    };
    let key = keys::answer(operation, name);
    let mut writes = vec![
        put(key.clone(), "fingerprint", old.fingerprint.clone()),
        put(key.clone(), "outcome", outcome),
        Write::Expire {
            key: key.clone(),
            after: Duration::from_millis(rest),
        },
    ];
    if operation == keys::Operation::Turn(ThreadKind::Tutor) {
        let rest = i64::try_from(rest).unwrap_or(i64::MAX);
        writes.extend(note(&key, &old.fingerprint, rest, now));
    }
    writes
}

fn put(key: turnwise_session_store::Key, field: &'static str, value: Bytes) -> Write {
    Write::Put {
        key,
        fields: vec![(Cow::Borrowed(field), value)],
    }
}

fn forget(path: &Path) -> Result<(), redb::Error> {
    let database = Database::open(path)?;
    let transaction = database.begin_write()?;
    transaction.delete_table(THREAD_ORDER)?;
    transaction.delete_table(MESSAGES)?;
    transaction.delete_table(TURN_STATES)?;
    transaction.delete_table(EVIDENCE)?;
    transaction.delete_table(QUESTIONS)?;
    transaction.delete_table(ANSWERS)?;
    transaction.delete_table(ANSWER_EXPIRY)?;
    transaction.delete_table(THREADS)?;
    transaction.commit()?;
    Ok(())
}
