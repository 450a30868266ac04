//! Handing out deferred work: a bounded pass over what is due, claims, and their end.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use turnwise_kit::time;
use turnwise_proto::session::v1::{ClaimedWork, DueWork};
use turnwise_session_store::{Check, Outcome, Read, StudentKey, Transaction, Write};

use super::{kept, partition, ranked, student_of};
use crate::{
    error::SessionError,
    record,
    sessions::{END, Sessions, fields::Reads, keys, millis},
};

/// How long a claim lasts unless it is renewed.
const CLAIM_TTL: Duration = Duration::from_secs(30);
/// The most work that one pass looks at. What it does not hand out moves back, so that the next pass looks at other work.
const LOOK_AT: usize = 200;
/// How many students' promises are read at a time.
const SIDE_BY_SIDE: usize = 32;
/// When work that nothing promises is looked at again: after as long as it is due already, between these.
const LOOK_AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// Work that nothing promises is dropped once it is so old; younger work may be promised in the next moment.
const ORPHANED_AFTER: Duration = Duration::from_secs(600);

/// Claimed work, how long the claims last, and when more will be due.
#[derive(Debug, Clone, Default)]
pub struct Claims {
    /// What came due first.
    pub claimed: Vec<ClaimedWork>,
    /// How long the claims last.
    pub lease_ttl: Duration,
    /// When more will be due, if that is known.
    pub next: Option<Timestamp>,
}

impl Sessions {
    /// Hands out work whose time has come. A pass looks at a bounded number of pieces, and each that it does not hand out
    /// moves back, so that none stands before the others for ever.
    pub async fn claim_due(&self, limit: usize) -> Result<Claims, SessionError> {
        let now = self.now();
        let wanted = vec![
            Read::Lowest {
                key: keys::due(),
                from: 0,
                to: now.as_millisecond(),
                limit: LOOK_AT + 1,
            },
            Read::Lowest {
                key: keys::due(),
                from: now.as_millisecond() + 1,
                to: END,
                limit: 1,
            },
        ];
        let mut reads = self.read(&partition(), wanted).await?;
        let mut due = reads.members()?;
        let later = reads.members()?;
        let mut left = due.len() > LOOK_AT;
        due.truncate(LOOK_AT);
        let mut claimed = Vec::new();
        for work in self.sort_out(due, now).await? {
            if claimed.len() == limit {
                left = true;
                break;
            }
            claimed.extend(self.claim(work, now).await?);
        }
        let next = match left {
            true => Some(now),
            false => later
                .first()
                .and_then(|(_, score)| Timestamp::from_millisecond(*score).ok()),
        };
        Ok(Claims {
            claimed,
            lease_ttl: CLAIM_TTL,
            next,
        })
    }

    /// The pieces of these that are promised. Of the others, those that cannot be read or that nothing promises any more
    /// are dropped, and those that may be promised in the next moment, or that a newer version wrote, are looked at again later.
    async fn sort_out(
        &self,
        due: Vec<(String, i64)>,
        now: Timestamp,
    ) -> Result<Vec<DueWork>, SessionError> {
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = due.iter().map(|(id, _)| Read::Fields {
            key: keys::work(id),
            fields: vec!["item".into()],
        });
        let mut reads = self.read(&partition(), wanted.collect()).await?;
        let mut works = Vec::with_capacity(due.len());
        let (mut gone, mut newer) = (Vec::new(), Vec::new());
        for (work_id, _) in due {
            match reads.fields()?.take() {
                Some(item) => match record::look::<DueWork>("work", &item) {
                    Ok(work) => works.push(work),
                    // A process of that version will do it.
                    Err(error @ SessionError::SchemaTooNew { .. }) => {
                        tracing::warn!(%error, work_id, "deferred work is left to a newer version");
                        newer.push(ranked(work_id, now.as_millisecond() + millis(LOOK_AGAIN.1)));
                    }
                    // One piece that cannot be read must not keep the others from being done.
                    Err(error) => {
                        tracing::error!(%error, work_id, "deferred work cannot be read; it is dropped");
                        gone.push(work_id);
                    }
                },
                None => gone.push(work_id),
            }
        }
        let promised = self.promised(&works).await?;
        let mut kept = Vec::with_capacity(works.len());
        let mut back = newer;
        for work in works {
            if promised.contains(&work.work_id) {
                kept.push(work);
                continue;
            }
            let due = work.due_time.as_ref().and_then(time::from_proto);
            let age = due.map_or(i64::MAX, |due| {
                now.as_millisecond().saturating_sub(due.as_millisecond())
            });
            if age >= millis(ORPHANED_AFTER) {
                let work_id = &work.work_id;
                tracing::info!(work_id, "deferred work that nothing promises is dropped");
                gone.push(work.work_id);
            } else {
                let wait = age.clamp(millis(LOOK_AGAIN.0), millis(LOOK_AGAIN.1));
                back.push(ranked(work.work_id, now.as_millisecond() + wait));
            }
        }
        self.withdraw(gone).await?;
        if !back.is_empty() {
            self.write(&partition(), back).await?;
        }
        Ok(kept)
    }

    /// Which pieces are promised: one read for each student.
    async fn promised(&self, works: &[DueWork]) -> Result<HashSet<String>, SessionError> {
        let mut by_student: HashMap<StudentKey, Vec<String>> = HashMap::new();
        for work in works {
            let ids = by_student.entry(student_of(work)).or_default();
            ids.push(work.work_id.clone());
        }
        let found: Vec<Vec<String>> = stream::iter(by_student)
            .map(|(student, ids)| async move {
                let wanted = vec![Read::Fields {
                    key: keys::works(),
                    fields: ids.iter().cloned().map(Cow::Owned).collect(),
                }];
                let mut found = self
                    .read(&self.partition(&student).await?, wanted)
                    .await?
                    .fields()?;
                let mut ids = ids;
                ids.retain(|_| found.take().is_some());
                Ok::<_, SessionError>(ids)
            })
            .buffer_unordered(SIDE_BY_SIDE)
            .try_collect()
            .await?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Claims a piece; none if somebody else has it. Until the claim runs out, it stands behind what is due now.
    async fn claim(
        &self,
        work: DueWork,
        now: Timestamp,
    ) -> Result<Option<ClaimedWork>, SessionError> {
        let claim = keys::claim(&work.work_id);
        let transaction = Transaction {
            checks: vec![
                Check::LeaseFree {
                    key: claim.clone(),
                    or_of: Bytes::new(),
                },
                Check::Present {
                    key: keys::work(&work.work_id),
                },
            ],
            writes: vec![
                Write::TakeLease {
                    key: claim,
                    ttl: CLAIM_TTL,
                    holder: Bytes::new(),
                },
                ranked(work.work_id.clone(), claimed_until(now)),
            ],
            reads: Vec::new(),
        };
        let applied = match self.transact(&partition(), transaction).await? {
            Outcome::Applied(applied) => applied,
            Outcome::Refused(refused) => {
                if let Some(rest) = refused.lease_remainder {
                    self.stays_claimed(&work.work_id, now, rest).await?;
                }
                return Ok(None);
            }
        };
        Ok(Some(ClaimedWork {
            work: Some(work),
            fencing_token: applied.token.ok_or(SessionError::Unavailable)?,
        }))
    }

    /// Lets a piece that somebody has stand behind what is due now, for as long as the claim lasts: whoever claimed it put it
    /// there by a clock that may be behind this one.
    async fn stays_claimed(
        &self,
        work_id: &str,
        now: Timestamp,
        rest: Duration,
    ) -> Result<(), SessionError> {
        let until = now.as_millisecond().saturating_add(millis(rest).max(1));
        let transaction = Transaction {
            checks: vec![Check::Present {
                key: keys::work(work_id),
            }],
            writes: vec![ranked(work_id.to_owned(), until)],
            reads: Vec::new(),
        };
        self.transact(&partition(), transaction).await.map(drop)
    }

    /// Makes a claim last its full time again; answers that time.
    pub async fn renew_claim(&self, work_id: &str, token: i64) -> Result<Duration, SessionError> {
        let key = keys::claim(work_id);
        let transaction = Transaction {
            checks: vec![Check::LeaseHeld {
                key: key.clone(),
                token,
            }],
            writes: vec![
                Write::RenewLease {
                    key,
                    ttl: CLAIM_TTL,
                },
                ranked(work_id.to_owned(), claimed_until(self.now())),
            ],
            reads: Vec::new(),
        };
        match self.transact(&partition(), transaction).await? {
            Outcome::Applied(_) => Ok(CLAIM_TTL),
            Outcome::Refused(_) => Err(SessionError::LeaseLost),
        }
    }

    /// Takes claimed work out of the due set, and its promise out of the student's partition.
    pub async fn complete_claim(&self, work_id: &str, token: i64) -> Result<(), SessionError> {
        let claim = keys::claim(work_id);
        let transaction = Transaction {
            checks: vec![Check::LeaseHeld {
                key: claim.clone(),
                token,
            }],
            writes: Vec::new(),
            reads: vec![Read::Fields {
                key: keys::work(work_id),
                fields: vec!["item".into()],
            }],
        };
        let item = match self.transact(&partition(), transaction).await? {
            Outcome::Applied(applied) => Reads::new(applied.found).fields()?.take(),
            Outcome::Refused(_) => return Err(SessionError::LeaseLost),
        };
        if let Some(item) = item {
            let work: DueWork = record::look("work", &item)?;
            self.write(
                &self.partition(&student_of(&work)).await?,
                vec![kept(vec![work_id.to_owned()])],
            )
            .await?;
        }
        let transaction = Transaction {
            checks: vec![Check::LeaseHeld {
                key: claim.clone(),
                token,
            }],
            writes: vec![
                Write::Remove {
                    key: keys::work(work_id),
                },
                Write::Unrank {
                    key: keys::due(),
                    members: vec![work_id.to_owned()],
                },
                Write::ReleaseLease { key: claim },
            ],
            reads: Vec::new(),
        };
        match self.transact(&partition(), transaction).await? {
            Outcome::Applied(_) => Ok(()),
            Outcome::Refused(_) => Err(SessionError::LeaseLost),
        }
    }
}

/// Where claimed work stands: what runs on with another clock finds it earlier or later, and its lease decides.
fn claimed_until(now: Timestamp) -> i64 {
    now.as_millisecond().saturating_add(millis(CLAIM_TTL))
}
