//! Class resets as work that outlives its caller and its process: what is to be done stands in the class's record before
//! anything is deleted; whoever finds it unfinished goes on with it, one at a time.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use bytes::Bytes;
use prost::Message;
use tokio::time::Instant;
use turnwise_proto::{classes::v1::ResetState, session::v1::ResetClassResponse};
use turnwise_session_store::{Check, Key, Outcome, Partition, Read, Transaction, Write};

use super::{
    END, Idempotency, Sessions,
    audit::{Actor, Deed},
    fields::Fields,
    keys,
    reset::{ResetProgress, ResetReport},
    threads::field,
};
use crate::{error::SessionError, record};

/// How long a process that works on a reset has it to itself without a sign of life.
const LEASE: Duration = Duration::from_secs(30);
/// How often unfinished resets of other processes are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// How often a reset that another process works on is looked at.
const POLL: Duration = Duration::from_millis(200);

/// A class's latest reset, as it is stored.
#[derive(Clone, PartialEq, Message)]
struct Stored {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(bytes = "bytes", tag = "2")]
    body_hash: Bytes,
    #[prost(string, tag = "3")]
    actor_id: String,
    #[prost(string, tag = "4")]
    reason: String,
    /// How far it is.
    #[prost(message, optional, tag = "5")]
    progress: Option<ResetClassResponse>,
    #[prost(string, repeated, tag = "6")]
    chains: Vec<String>,
    /// It ended without having deleted anything: the archive could not be written.
    #[prost(bool, tag = "7")]
    failed: bool,
    /// The audit log's entry of the intent.
    #[prost(int64, tag = "8")]
    begun: i64,
}

impl Stored {
    fn runs(&self) -> bool {
        !self.failed
            && self
                .progress
                .as_ref()
                .is_none_or(|p| p.state() != ResetState::Done)
    }
}

/// Starts to look for resets that nobody works on.
pub fn start(sessions: &Sessions) {
    let sessions = sessions.clone();
    sessions.tasks().clone().spawn(async move {
        let end = sessions.shutdown().clone();
        while end
            .run_until_cancelled(tokio::time::sleep(LOOK_EVERY))
            .await
            .is_some()
        {
            if let Err(error) = sessions.resume_resets().await {
                tracing::warn!(%error, "unfinished class resets cannot be looked for; tried again later");
            }
        }
    });
}

fn all() -> Partition {
    Partition::system("resets")
}

impl Sessions {
    /// Resets a class, or tells how far the reset of this key is; waits so long for its end.
    pub async fn reset_class(
        &self,
        actor: &Actor,
        class_id: &str,
        reason: &str,
        idempotency: &Idempotency,
        wait: Duration,
    ) -> Result<ResetClassResponse, SessionError> {
        let until = Instant::now() + wait;
        let class = Partition::class(&actor.tenant, class_id);
        let (before, found) = self.stored_reset(&class).await?;
        match found {
            Some(found) if found.key == idempotency.key && !found.failed => {
                if found.body_hash != idempotency.body_hash {
                    return Err(SessionError::IdempotencyConflict);
                }
            }
            Some(found) if found.runs() => {
                return Err(SessionError::ResetInProgress {
                    class_id: class_id.to_owned(),
                });
            }
            _ => {
                if let Some(done) = self.ended_reset(&class, idempotency).await? {
                    return Ok(done);
                }
                self.begin_reset(actor, class_id, reason, idempotency, before)
                    .await?;
            }
        }
        let member = format!("{}/{class_id}", actor.tenant);
        let mut work = self.work_on(member.clone());
        loop {
            // It ends here, or another process has it and this one has nothing to do; what came of it stands in the record,
            // unless the store failed it.
            match tokio::time::timeout_at(until, &mut work).await {
                Ok(Ok(Err(error))) if !matches!(error, SessionError::ArchiveFailed { .. }) => {
                    return Err(error);
                }
                Ok(_) | Err(_) => {}
            }
            let (_, found) = self.stored_reset(&class).await?;
            let Some(found) = found.filter(|found| found.key == idempotency.key) else {
                return Err(SessionError::ResetInProgress {
                    class_id: class_id.to_owned(),
                });
            };
            if found.failed {
                return Err(SessionError::ArchiveFailed {
                    class_id: class_id.to_owned(),
                });
            }
            let left = until.saturating_duration_since(Instant::now());
            if !found.runs() || left.is_zero() {
                return Ok(found.progress.unwrap_or_default());
            }
            // Another process has it: it is looked at again.
            tokio::time::sleep(left.min(POLL)).await;
            work = self.work_on(member.clone());
        }
    }

    /// Works on a reset whether or not the caller stays.
    fn work_on(&self, member: String) -> tokio::task::JoinHandle<Result<(), SessionError>> {
        let sessions = self.clone();
        self.inner
            .tasks
            .spawn(async move { sessions.resume_reset(&member).await })
    }

    async fn stored_reset(
        &self,
        class: &Partition,
    ) -> Result<(Option<Bytes>, Option<Stored>), SessionError> {
        let wanted = vec![Read::Fields {
            key: keys::reset(),
            fields: vec!["reset".into()],
        }];
        let stored = self.read(class, wanted).await?.fields()?.take();
        let found = stored
            .as_ref()
            .map(|bytes| record::decode("reset", bytes))
            .transpose()?;
        Ok((stored, found))
    }

    /// What came of a reset of this key, if it ended before the latest one.
    async fn ended_reset(
        &self,
        class: &Partition,
        idempotency: &Idempotency,
    ) -> Result<Option<ResetClassResponse>, SessionError> {
        let wanted = vec![Read::Fields {
            key: keys::reset_outcome(&idempotency.key),
            fields: vec!["reset".into()],
        }];
        let Some(bytes) = self.read(class, wanted).await?.fields()?.take() else {
            return Ok(None);
        };
        let ended: Stored = record::decode("reset", &bytes)?;
        match ended.body_hash == idempotency.body_hash {
            true => Ok(Some(ended.progress.unwrap_or_default())),
            false => Err(SessionError::IdempotencyConflict),
        }
    }

    /// The intent, in the audit log and in the class's record, before anything is deleted.
    async fn begin_reset(
        &self,
        actor: &Actor,
        class_id: &str,
        reason: &str,
        idempotency: &Idempotency,
        before: Option<Bytes>,
    ) -> Result<(), SessionError> {
        let roster = self.roster(&actor.tenant, class_id).await?;
        let reason = roster.redact(reason);
        let deed = Deed {
            kind: "class-reset-begun",
            class_id,
            facts: vec![("reason", reason.clone())],
            ..Deed::default()
        };
        let begun = self.audit(actor, deed).await?;
        let entered = Write::Rank {
            key: keys::resets(),
            member: format!("{}/{class_id}", actor.tenant),
            score: self.now_millis(),
        };
        self.write(&all(), vec![entered]).await?;
        let stored = Stored {
            key: idempotency.key.clone(),
            body_hash: idempotency.body_hash.clone(),
            actor_id: actor.id.clone(),
            reason,
            progress: Some(ResetClassResponse {
                state: ResetState::Running.into(),
                audit_id: begun,
                ..ResetClassResponse::default()
            }),
            begun,
            ..Stored::default()
        };
        let transaction = Transaction {
            checks: vec![Check::FieldIs {
                key: keys::reset(),
                field: "reset",
                value: before,
                tell: vec!["reset"],
            }],
            writes: vec![put(keys::reset(), &stored)],
            reads: Vec::new(),
        };
        let class = Partition::class(&actor.tenant, class_id);
        match self.transact(&class, transaction).await? {
            Outcome::Applied(_) => Ok(()),
            Outcome::Refused(refused) => {
                let first = Fields::of(refused.told).take();
                let first: Option<Stored> = first
                    .map(|bytes| record::decode("reset", &bytes))
                    .transpose()?;
                match first {
                    Some(first) if first.key == idempotency.key => {
                        match first.body_hash == idempotency.body_hash {
                            true => Ok(()),
                            false => Err(SessionError::IdempotencyConflict),
                        }
                    }
                    _ => Err(SessionError::ResetInProgress {
                        class_id: class_id.to_owned(),
                    }),
                }
            }
        }
    }

    async fn resume_resets(&self) -> Result<(), SessionError> {
        let wanted = vec![Read::Lowest {
            key: keys::resets(),
            from: 0,
            to: END,
            limit: 100,
        }];
        for (member, _) in self.read(&all(), wanted).await?.members()? {
            if let Err(error) = self.resume_reset(&member).await {
                tracing::warn!(%error, "a class reset did not end; it is tried again");
            }
        }
        Ok(())
    }

    /// Goes on with a reset that nobody works on; nothing where somebody does, or where there is none.
    async fn resume_reset(&self, member: &str) -> Result<(), SessionError> {
        let Some((tenant, class_id)) = member.split_once('/') else {
            return Ok(());
        };
        let class = Partition::class(tenant, class_id);
        let key = keys::reset_lease();
        let transaction = Transaction {
            checks: vec![Check::LeaseFree {
                key: key.clone(),
                or_of: Bytes::new(),
            }],
            writes: vec![Write::TakeLease {
                key: key.clone(),
                ttl: LEASE,
                holder: Bytes::new(),
            }],
            reads: Vec::new(),
        };
        let Outcome::Applied(applied) = self.transact(&class, transaction).await? else {
            return Ok(());
        };
        let token = applied.token.ok_or(SessionError::Unavailable)?;
        let lease = Arc::new(Lease {
            sessions: self.clone(),
            class: class.clone(),
            token,
        });
        let renewing = {
            let lease = Arc::clone(&lease);
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(LEASE / 3).await;
                    // What ends the lease is noticed by the work itself, at its next step.
                    let _ = lease.write(Vec::new()).await;
                }
            })
        };
        let done = self.finish_reset(tenant, class_id, &class, &lease).await;
        renewing.abort();
        let given_back = lease.write(vec![Write::ReleaseLease { key }]).await;
        done.and(given_back)
    }

    async fn finish_reset(
        &self,
        tenant: &str,
        class_id: &str,
        class: &Partition,
        lease: &Arc<Lease>,
    ) -> Result<(), SessionError> {
        let (_, found) = self.stored_reset(class).await?;
        if let Some(mut stored) = found.filter(Stored::runs) {
            let actor = Actor {
                tenant: tenant.to_owned(),
                id: stored.actor_id.clone(),
            };
            let mut report = ResetReport::default();
            let mut progress = Progress {
                lease: Arc::clone(lease),
                before: stored.clone(),
            };
            let reset = self
                .reset(&actor, class_id, &mut report, &mut progress)
                .await;
            let failed = matches!(reset, Err(SessionError::ArchiveFailed { .. }));
            if let Err(error) = &reset
                && !failed
            {
                // The store is away, or the process ends: somebody goes on later.
                return Err(error.clone());
            }
            stored = sum(&stored, &report);
            let done = stored.progress.clone().unwrap_or_default();
            let outcome = if failed { "failed" } else { "done" };
            let deed = Deed {
                kind: "class-reset",
                class_id,
                student: None,
                facts: vec![
                    ("outcome", outcome.to_owned()),
                    ("reason", stored.reason.clone()),
                    ("conversations", done.conversations.to_string()),
                    ("threads", done.threads.to_string()),
                    ("students", done.students.to_string()),
                    ("unreadable_records", report.unreadable.to_string()),
                    ("archives", done.archive_names.join(" ")),
                    // A file that was replaced as a whole verifies; it has another chain.
                    ("chains", stored.chains.join(" ")),
                ],
                related_id: stored.begun,
            };
            let audit_id = self.audit(&actor, deed).await?;
            stored.failed = failed;
            stored.progress = Some(ResetClassResponse {
                state: ResetState::Done.into(),
                audit_id,
                ..done
            });
            let kept = |key| Write::Expire {
                key,
                after: self.limits().idempotency_ttl,
            };
            let mut writes = vec![put(keys::reset(), &stored), kept(keys::reset())];
            if !failed {
                // The next reset takes the place of this one in the class's record.
                let outcome = keys::reset_outcome(&stored.key);
                writes.push(put(outcome.clone(), &stored));
                writes.push(kept(outcome));
            }
            lease.write(writes).await?;
            self.inner.metrics.reset(outcome);
        }
        let gone = Write::Unrank {
            key: keys::resets(),
            members: vec![format!("{tenant}/{class_id}")],
        };
        self.write(&all(), vec![gone]).await.map(drop)
    }
}

/// The right to work on a class's reset.
struct Lease {
    sessions: Sessions,
    class: Partition,
    token: i64,
}

impl Lease {
    /// Writes while the lease is held, and makes it last its full time again.
    async fn write(&self, mut writes: Vec<Write>) -> Result<(), SessionError> {
        let key = keys::reset_lease();
        writes.insert(
            0,
            Write::RenewLease {
                key: key.clone(),
                ttl: LEASE,
            },
        );
        let transaction = Transaction {
            checks: vec![Check::LeaseHeld {
                key,
                token: self.token,
            }],
            writes,
            reads: Vec::new(),
        };
        match self.sessions.transact(&self.class, transaction).await? {
            Outcome::Applied(_) => Ok(()),
            Outcome::Refused(_) => Err(SessionError::LeaseLost),
        }
    }
}

/// Notes in the class's record how far its reset is.
struct Progress {
    lease: Arc<Lease>,
    before: Stored,
}

impl ResetProgress for Progress {
    fn tell<'a>(
        &'a mut self,
        report: &'a ResetReport,
    ) -> Pin<Box<dyn Future<Output = Result<(), SessionError>> + Send + 'a>> {
        Box::pin(async move {
            self.lease
                .write(vec![put(keys::reset(), &sum(&self.before, report))])
                .await
        })
    }
}

fn put(key: Key, stored: &Stored) -> Write {
    Write::Put {
        key,
        fields: vec![field("reset", record::encode(stored))],
    }
}

/// What was done before, by whatever process, and since.
fn sum(before: &Stored, report: &ResetReport) -> Stored {
    let mut sum = before.clone();
    let progress = sum.progress.get_or_insert_default();
    let count = |now: u64| i64::try_from(now).unwrap_or(i64::MAX);
    progress.conversations += count(report.conversations);
    progress.threads += count(report.threads);
    progress.students += count(report.students);
    progress.batches += count(report.batches);
    progress
        .archive_names
        .extend(report.archive_names.iter().cloned());
    sum.chains.extend(report.archive_chains.iter().cloned());
    sum
}
