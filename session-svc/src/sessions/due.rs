//! Work that is due later. It is entered before what promises it, handed out under a lease and a fencing token, and
//! dropped if what promised it was never written or is gone.

use std::{borrow::Cow, time::Duration};

use bytes::Bytes;
use jiff::Timestamp;
use turnwise_kit::time;
use turnwise_proto::session::v1::{ClaimedWork, DueWork};
use turnwise_session_store::{
    Check, DAMAGED, Outcome, Partition, Read, StudentKey, Transaction, Write,
};

use super::{
    END, Sessions,
    fields::Fields,
    keys,
    threads::{field, is_about, unknown},
};
use crate::{error::SessionError, record};

/// How long a claim lasts unless it is renewed.
const CLAIM_TTL: Duration = Duration::from_secs(30);
/// The most work that one claim looks at: claimed work of others may stand in front.
const LOOK_AT: usize = 1000;
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

fn partition() -> Partition {
    Partition::system("due")
}

/// What a student's record of deferred work is called for this work.
pub(super) fn promise(work_id: &str, thread_id: &str) -> Write {
    Write::Put {
        key: keys::works(),
        fields: vec![(
            Cow::Owned(work_id.to_owned()),
            Bytes::from(thread_id.to_owned()),
        )],
    }
}

/// Takes promises back.
pub(super) fn kept(work_ids: Vec<String>) -> Write {
    Write::Unset {
        key: keys::works(),
        fields: work_ids.into_iter().map(Cow::Owned).collect(),
    }
}

impl Sessions {
    /// The ids of a thread's deferred work, in order; `works` is the student's record of it.
    pub(super) async fn work_of(
        &self,
        works: Vec<(String, Bytes)>,
        thread_id: &str,
    ) -> Result<Vec<String>, SessionError> {
        let mut ids = Vec::new();
        for (id, of) in works {
            let damaged = of == DAMAGED;
            if of == thread_id.as_bytes() || (damaged && self.may_be_of(&id, thread_id).await?) {
                ids.push(id);
            }
        }
        ids.sort();
        Ok(ids)
    }

    /// Whether work whose promise is damaged is a thread's, as the work itself says. If that cannot be read either, it is
    /// any thread's: nobody can do it, and it must go with the first.
    async fn may_be_of(&self, work_id: &str, thread_id: &str) -> Result<bool, SessionError> {
        tracing::error!(work_id, "the promise of deferred work cannot be read");
        let stored = self.stored_work(&[work_id.to_owned()]).await?;
        Ok(stored.iter().any(|item| {
            record::decode::<DueWork>("work", item).map_or(true, |work| work.thread_id == thread_id)
        }))
    }

    /// Work as it is stored, without what was withdrawn or done meanwhile.
    pub(super) async fn stored_work(
        &self,
        work_ids: &[String],
    ) -> Result<Vec<Bytes>, SessionError> {
        if work_ids.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = work_ids.iter().map(|id| Read::Fields {
            key: keys::work(id),
            fields: vec!["item".into()],
        });
        let mut reads = self.read(&partition(), wanted.collect()).await?;
        let mut found = Vec::with_capacity(work_ids.len());
        for _ in work_ids {
            found.extend(reads.fields()?.take());
        }
        Ok(found)
    }

    /// Puts work into the due set; the thread must be the student's.
    pub async fn defer(&self, student: &StudentKey, work: DueWork) -> Result<(), SessionError> {
        let thread_id = work.thread_id.clone();
        let work_id = work.work_id.clone();
        let course_id = self.thread(student, &thread_id).await?.thread.course_id;
        self.schedule(student, &thread_id, &[work]).await?;
        let transaction = Transaction {
            // The thread may have been removed since it was read.
            checks: vec![is_about(&thread_id, &course_id)],
            writes: vec![promise(&work_id, &thread_id)],
            reads: Vec::new(),
        };
        match self
            .transact(&Partition::student(student), transaction)
            .await?
        {
            Outcome::Applied(_) => Ok(()),
            Outcome::Refused(_) => {
                self.withdraw(vec![work_id]).await?;
                Err(unknown(&thread_id))
            }
        }
    }

    /// Enters work; what promises it is written next. Work that is there already stays as it is; the work of another
    /// thread that has this id is refused.
    pub(super) async fn schedule(
        &self,
        student: &StudentKey,
        thread_id: &str,
        works: &[DueWork],
    ) -> Result<(), SessionError> {
        for work in works {
            let due = work.due_time.as_ref().and_then(time::from_proto);
            let due = due.unwrap_or_else(|| self.now()).as_millisecond();
            let item = DueWork {
                tenant: student.tenant.clone(),
                student_id: student.student.clone(),
                thread_id: thread_id.to_owned(),
                ..work.clone()
            };
            let transaction = Transaction {
                checks: vec![Check::Absent {
                    key: keys::work(&work.work_id),
                    tell: vec!["item"],
                }],
                writes: vec![
                    Write::Put {
                        key: keys::work(&work.work_id),
                        fields: vec![field("item", record::encode(&item))],
                    },
                    Write::Rank {
                        key: keys::due(),
                        member: work.work_id.clone(),
                        score: due,
                    },
                ],
                reads: Vec::new(),
            };
            let Outcome::Refused(refused) = self.transact(&partition(), transaction).await? else {
                continue;
            };
            if let Some(stored) = Fields::of(refused.told).take() {
                let stored: DueWork = record::decode("work", &stored)?;
                if student_of(&stored) != *student || stored.thread_id != thread_id {
                    return Err(SessionError::IdempotencyConflict);
                }
            }
        }
        Ok(())
    }

    /// Takes work out of the due set, claimed or not.
    pub(super) async fn withdraw(&self, work_ids: Vec<String>) -> Result<(), SessionError> {
        if work_ids.is_empty() {
            return Ok(());
        }
        let mut writes: Vec<_> = work_ids
            .iter()
            .map(|id| Write::Remove {
                key: keys::work(id),
            })
            .collect();
        writes.push(Write::Unrank {
            key: keys::due(),
            members: work_ids,
        });
        self.apply(
            &partition(),
            Transaction {
                writes,
                ..Transaction::default()
            },
        )
        .await?;
        Ok(())
    }

    /// Hands out work whose time has come.
    pub async fn claim_due(&self, limit: usize) -> Result<Claims, SessionError> {
        let now = self.now();
        let wanted = vec![
            Read::Lowest {
                key: keys::due(),
                from: 0,
                to: now.as_millisecond(),
                limit: LOOK_AT,
            },
            Read::Lowest {
                key: keys::due(),
                from: now.as_millisecond() + 1,
                to: END,
                limit: 1,
            },
        ];
        let mut reads = self.read(&partition(), wanted).await?;
        let due = reads.members()?;
        let later = reads.members()?;
        let mut claims = Claims {
            lease_ttl: CLAIM_TTL,
            next: later
                .first()
                .and_then(|(_, score)| Timestamp::from_millisecond(*score).ok()),
            ..Claims::default()
        };
        for (work_id, score) in due {
            if claims.claimed.len() == limit {
                break;
            }
            if let Some(claimed) = self.claim(&work_id, score, now).await? {
                claims.claimed.push(claimed);
            }
        }
        Ok(claims)
    }

    async fn claim(
        &self,
        work_id: &str,
        due: i64,
        now: Timestamp,
    ) -> Result<Option<ClaimedWork>, SessionError> {
        let claim = keys::claim(work_id);
        let transaction = Transaction {
            checks: vec![
                Check::LeaseFree { key: claim.clone() },
                Check::Present {
                    key: keys::work(work_id),
                },
            ],
            writes: vec![Write::TakeLease {
                key: claim.clone(),
                ttl: CLAIM_TTL,
                holder: Bytes::new(),
            }],
            reads: vec![Read::Fields {
                key: keys::work(work_id),
                fields: vec!["item".into()],
            }],
        };
        let Outcome::Applied(applied) = self.transact(&partition(), transaction).await? else {
            return Ok(None);
        };
        let token = applied.token.ok_or(SessionError::Unavailable)?;
        let item = super::fields::Reads::new(applied.found).fields()?.take();
        let work = match item.map(|bytes| record::decode::<DueWork>("work", &bytes)) {
            Some(Ok(work)) => work,
            broken => {
                // One piece that cannot be read must not keep the others from being done.
                tracing::error!(
                    work_id,
                    ?broken,
                    "deferred work cannot be read; it is dropped"
                );
                self.withdraw(vec![work_id.to_owned()]).await?;
                return Ok(None);
            }
        };
        if self.is_promised(&work).await? {
            return Ok(Some(ClaimedWork {
                work: Some(work),
                fencing_token: token,
            }));
        }
        let age = now.as_millisecond().saturating_sub(due);
        if age >= super::millis(ORPHANED_AFTER) {
            tracing::info!(work_id, "deferred work that nothing promises is dropped");
            self.withdraw(vec![work_id.to_owned()]).await?;
        } else {
            self.give_back_claim(work_id, token).await?;
        }
        Ok(None)
    }

    async fn is_promised(&self, work: &DueWork) -> Result<bool, SessionError> {
        let student = student_of(work);
        let wanted = vec![Read::Fields {
            key: keys::works(),
            fields: vec![Cow::Owned(work.work_id.clone())],
        }];
        let mut reads = self.read(&Partition::student(&student), wanted).await?;
        Ok(reads.fields()?.take().is_some())
    }

    async fn give_back_claim(&self, work_id: &str, token: i64) -> Result<(), SessionError> {
        let key = keys::claim(work_id);
        let transaction = Transaction {
            checks: vec![Check::LeaseHeld {
                key: key.clone(),
                token,
            }],
            writes: vec![Write::ReleaseLease { key }],
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
            writes: vec![Write::RenewLease {
                key,
                ttl: CLAIM_TTL,
            }],
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
            Outcome::Applied(applied) => super::fields::Reads::new(applied.found).fields()?.take(),
            Outcome::Refused(_) => return Err(SessionError::LeaseLost),
        };
        if let Some(item) = item {
            let work: DueWork = record::decode("work", &item)?;
            self.apply(
                &Partition::student(&student_of(&work)),
                Transaction {
                    writes: vec![kept(vec![work_id.to_owned()])],
                    ..Transaction::default()
                },
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

fn student_of(work: &DueWork) -> StudentKey {
    StudentKey {
        tenant: work.tenant.clone(),
        student: work.student_id.clone(),
    }
}
