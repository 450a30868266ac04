//! The tenant's audit log: what staff did. It names no student.

use std::collections::BTreeMap;

use turnwise_proto::school::v1::AuditEntry;
use turnwise_session_store::{Partition, Read, Transaction, Write};

use super::{Sessions, fields::Reads, keys, threads::stamp};
use crate::{error::SessionError, record};

/// Who does something as staff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// Their tenant.
    pub tenant: String,
    /// Who they are.
    pub id: String,
}

/// A page of the audit log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuditPage {
    /// Newest first.
    pub entries: Vec<AuditEntry>,
    /// Where the next page goes on; none after the last.
    pub before: Option<i64>,
}

impl Sessions {
    /// Appends an entry; answers its id.
    pub(super) async fn audit(
        &self,
        actor: &Actor,
        kind: &str,
        class_id: &str,
        facts: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Result<i64, SessionError> {
        let facts: BTreeMap<_, _> = facts
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        tracing::info!(kind, class_id, actor = actor.id, ?facts, "audit");
        let entry = AuditEntry {
            audit_id: 0,
            kind: kind.to_owned(),
            create_time: Some(stamp(self)),
            actor_id: actor.id.clone(),
            class_id: class_id.to_owned(),
            facts,
            ..AuditEntry::default()
        };
        let applied = self
            .apply(
                &Partition::tenant(&actor.tenant),
                Transaction {
                    writes: vec![Write::Append {
                        key: keys::audit(),
                        entries: vec![record::encode(&entry)],
                    }],
                    reads: vec![Read::LogBefore {
                        key: keys::audit(),
                        before: i64::MAX,
                        limit: 1,
                    }],
                    ..Transaction::default()
                },
            )
            .await?;
        let entries = Reads::new(applied.found).entries()?;
        Ok(entries.first().map_or(0, |(id, _)| *id))
    }

    /// A page of a tenant's audit log, newest first.
    pub async fn audit_entries(
        &self,
        tenant: &str,
        before: Option<i64>,
        limit: usize,
    ) -> Result<AuditPage, SessionError> {
        let wanted = vec![Read::LogBefore {
            key: keys::audit(),
            before: before.unwrap_or(i64::MAX),
            limit: limit + 1,
        }];
        let mut found = self
            .read(&Partition::tenant(tenant), wanted)
            .await?
            .entries()?;
        let more = found.len() > limit;
        found.truncate(limit);
        let before = found.last().filter(|_| more).map(|(id, _)| *id);
        let entries = found
            .into_iter()
            .map(|(id, bytes)| {
                Ok(AuditEntry {
                    audit_id: id,
                    ..record::decode("audit_entry", &bytes)?
                })
            })
            .collect::<Result<_, SessionError>>()?;
        Ok(AuditPage { entries, before })
    }
}
