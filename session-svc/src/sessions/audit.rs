//! The tenant's audit log: what staff, teachers and services did. It names no student: a pseudonym stands for one, the same
//! in all entries of a tenant.

use std::{collections::BTreeMap, future::Future, time::Duration};

use bytes::Bytes;
use moka::future::Cache;
use prost::Message;
use ring::{
    hmac,
    rand::{SecureRandom, SystemRandom},
};
use turnwise_proto::school::v1::AuditEntry;
use turnwise_session_store::{Check, Outcome, Partition, Read, StudentKey, Transaction, Write};

use super::{
    Idempotency, Sessions,
    fields::{Fields, Reads},
    idempotency::IdempotencyEntry,
    json::json,
    keys::{self, Operation},
    outbox::{News, Stream},
    threads::{field, stamp},
};
use crate::{error::SessionError, record};

/// The most entries that one call with a filter looks at.
const LOOKED_AT: usize = 2000;
/// The most tenants whose keys are kept in memory.
const TENANTS: u64 = 10_000;
/// How long a key is used without another look: if a store lost it, all replicas soon have the new one.
const FRESH: Duration = Duration::from_secs(60);
/// The bytes of a key for pseudonyms.
const KEY_BYTES: usize = 32;
/// The bytes of a pseudonym that are shown.
const PSEUDONYM_BYTES: usize = 16;

/// Who does something as staff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// Their tenant.
    pub tenant: String,
    /// Who they are.
    pub id: String,
}

/// Which entries are wanted; empty: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// About this student.
    pub student_id: String,
    /// About this class.
    pub class_id: String,
}

/// A page of the audit log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuditPage {
    /// Newest first.
    pub entries: Vec<AuditEntry>,
    /// Where the next page goes on; none after the last.
    pub before: Option<i64>,
}

/// Something that is done, as the audit log tells it.
#[derive(Debug, Clone, Default)]
pub(super) struct Deed<'a> {
    pub(super) kind: &'static str,
    pub(super) class_id: &'a str,
    pub(super) student: Option<&'a StudentKey>,
    pub(super) facts: Vec<(&'static str, String)>,
    /// The entry that this one ends.
    pub(super) related_id: i64,
}

/// Keys of tenants, by which students get their pseudonyms.
pub(super) struct Pseudonyms(Cache<String, hmac::Key>);

impl Default for Pseudonyms {
    fn default() -> Self {
        Self(
            Cache::builder()
                .max_capacity(TENANTS)
                .time_to_live(FRESH)
                .build(),
        )
    }
}

impl Sessions {
    /// Appends an entry; answers its id.
    pub(super) async fn audit(&self, actor: &Actor, deed: Deed<'_>) -> Result<i64, SessionError> {
        let entry = self.entry(actor, deed).await?;
        let transaction = Transaction {
            writes: self.told(actor, &entry).await?,
            reads: vec![newest()],
            ..Transaction::default()
        };
        let partition = Partition::tenant(&actor.tenant);
        let applied = self.apply(&partition, transaction).await?;
        let entries = Reads::new(applied.found).entries()?;
        Ok(entries.first().map_or(0, |(id, _)| *id))
    }

    /// Makes a change once for each key: its entry in the audit log first, then the change. Sent again, it answers what the
    /// change answered; one that was cut off in between is made.
    pub(super) async fn once<R: Message + Default>(
        &self,
        actor: &Actor,
        idempotency: &Idempotency,
        deed: Deed<'_>,
        change: impl Future<Output = Result<R, SessionError>>,
    ) -> Result<R, SessionError> {
        let partition = Partition::tenant(&actor.tenant);
        let about = format!("{}/{}", deed.kind, deed.class_id);
        let entry = IdempotencyEntry::new(Operation::Change, idempotency, &about);
        let audited = self.entry(actor, deed).await?;
        let mut writes = self.told(actor, &audited).await?;
        writes.extend(entry.store(Bytes::new(), self.limits()));
        let transaction = Transaction {
            checks: vec![entry.unused()],
            writes,
            reads: Vec::new(),
        };
        if let Outcome::Refused(refused) = self.transact(&partition, transaction).await? {
            let answer = entry.stored_text(refused)?;
            if !answer.is_empty() {
                // A byte of its own stands before it, so that no answer is empty.
                return R::decode(answer.slice(1..)).map_err(|_| SessionError::RecordCorrupted {
                    record: "idempotency_entry",
                });
            }
        }
        let answer = change.await?;
        let kept = [&[1], answer.encode_to_vec().as_slice()].concat();
        self.write(&partition, entry.store_text(&kept.into()).into())
            .await?;
        Ok(answer)
    }

    /// An entry with the event that tells a platform of it; the event's stream is entered at once.
    async fn told(&self, actor: &Actor, entry: &AuditEntry) -> Result<Vec<Write>, SessionError> {
        let stream = Stream::audit(&actor.tenant, &entry.class_id, &entry.student_pseudonym);
        self.announce(&stream).await?;
        let mut writes = vec![appended(entry)];
        writes.extend(stream.append(News {
            kind: &entry.kind,
            created: self.now_millis(),
            subject: match entry.class_id.as_str() {
                "" => String::new(),
                class_id => format!("class/{class_id}"),
            },
            data: json("turnwise.school.v1.AuditEntry", entry)?.to_string(),
        }));
        Ok(writes)
    }

    async fn entry(&self, actor: &Actor, deed: Deed<'_>) -> Result<AuditEntry, SessionError> {
        let facts: BTreeMap<_, _> = deed
            .facts
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        let (kind, class_id) = (deed.kind, deed.class_id);
        // The reason is the caller's own text.
        tracing::info!(kind, class_id, actor = actor.id, "audit");
        let student_pseudonym = match deed.student {
            Some(student) => self.pseudonym(&actor.tenant, &student.student).await?,
            None => String::new(),
        };
        Ok(AuditEntry {
            audit_id: 0,
            kind: kind.to_owned(),
            create_time: Some(stamp(self)),
            actor_id: actor.id.clone(),
            class_id: class_id.to_owned(),
            student_pseudonym,
            facts,
            related_id: deed.related_id,
        })
    }

    /// What stands for a student of a tenant in the audit log, in webhooks, and in the names of what is stored.
    pub(super) async fn pseudonym(
        &self,
        tenant: &str,
        student_id: &str,
    ) -> Result<String, SessionError> {
        let keys = &self.inner.pseudonyms.0;
        let key = match keys.get(tenant).await {
            Some(key) => key,
            None => {
                let key = self.pseudonym_key(tenant).await?;
                keys.insert(tenant.to_owned(), key.clone()).await;
                key
            }
        };
        let tag = hmac::sign(&key, student_id.as_bytes());
        Ok(hex::encode(&tag.as_ref()[..PSEUDONYM_BYTES]))
    }

    /// The tenant's key, made when it is first needed.
    async fn pseudonym_key(&self, tenant: &str) -> Result<hmac::Key, SessionError> {
        let mut made = [0; KEY_BYTES];
        SystemRandom::new()
            .fill(&mut made)
            .map_err(|_| SessionError::Unavailable)?;
        let key = keys::pseudonym_key();
        let transaction = Transaction {
            checks: vec![Check::Absent {
                key: key.clone(),
                tell: vec!["key"],
            }],
            writes: vec![Write::Put {
                key,
                fields: vec![field("key", record::stamp(&made))],
            }],
            reads: Vec::new(),
        };
        let stored = match self
            .transact(&Partition::tenant(tenant), transaction)
            .await?
        {
            Outcome::Applied(_) => Bytes::copy_from_slice(&made),
            Outcome::Refused(refused) => {
                let stored = Fields::of(refused.told).take().unwrap_or_default();
                record::unstamp("pseudonym_key", &stored)?
            }
        };
        Ok(hmac::Key::new(hmac::HMAC_SHA256, &stored))
    }

    /// A page of a tenant's audit log, newest first. With a filter it may be short before the last page.
    pub async fn audit_entries(
        &self,
        tenant: &str,
        filter: &AuditFilter,
        before: Option<i64>,
        limit: usize,
    ) -> Result<AuditPage, SessionError> {
        let pseudonym = match filter.student_id.as_str() {
            "" => String::new(),
            student_id => self.pseudonym(tenant, student_id).await?,
        };
        let filtered = *filter != AuditFilter::default();
        let looked_at = if filtered { LOOKED_AT } else { limit };
        let wanted = vec![Read::LogBefore {
            key: keys::audit(),
            before: before.unwrap_or(i64::MAX),
            limit: looked_at + 1,
        }];
        let partition = Partition::tenant(tenant);
        let mut found = self.read(&partition, wanted).await?.entries()?;
        let mut more = found.len() > looked_at;
        found.truncate(looked_at);
        let mut last = found.last().map(|(id, _)| *id);
        let mut entries = Vec::new();
        for (id, bytes) in found {
            if entries.len() == limit {
                (more, last) = (true, Some(id + 1));
                break;
            }
            let entry = AuditEntry {
                audit_id: id,
                ..record::look("audit_entry", &bytes)?
            };
            let about = (pseudonym.is_empty() || entry.student_pseudonym == pseudonym)
                && (filter.class_id.is_empty() || entry.class_id == filter.class_id);
            if about {
                entries.push(entry);
            }
        }
        Ok(AuditPage {
            entries,
            before: last.filter(|_| more),
        })
    }

    /// Notes that archives past their time are looked for, before any is deleted.
    pub async fn note_retention(&self, actor: &Actor) -> Result<(), SessionError> {
        let deed = Deed {
            kind: "retention-run",
            ..Deed::default()
        };
        self.audit(actor, deed).await.map(drop)
    }

    /// Notes that a student's words are read, before they are handed out.
    pub async fn note_access(
        &self,
        actor: &Actor,
        class_id: &str,
        student: &StudentKey,
        turn_id: &str,
    ) -> Result<(), SessionError> {
        let deed = Deed {
            kind: "turn-explained",
            class_id,
            student: Some(student),
            facts: vec![("turn", turn_id.to_owned())],
            ..Deed::default()
        };
        self.audit(actor, deed).await.map(drop)
    }
}

fn appended(entry: &AuditEntry) -> Write {
    Write::Append {
        key: keys::audit(),
        entries: vec![record::encode(entry)],
    }
}

fn newest() -> Read {
    Read::LogBefore {
        key: keys::audit(),
        before: i64::MAX,
        limit: 1,
    }
}
