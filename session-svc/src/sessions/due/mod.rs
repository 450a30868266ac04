//! Work that is due later. It is entered before what promises it, handed out under a lease and a fencing token, and
//! dropped if what promised it was never written or is gone.

mod claim;

use std::borrow::Cow;

use bytes::Bytes;
use turnwise_kit::time;
use turnwise_proto::session::v1::DueWork;
use turnwise_session_store::{
    Check, DAMAGED, Outcome, Partition, Read, StudentKey, Transaction, Write,
};

use super::{
    END, Sessions,
    fence::Since,
    fields::Fields,
    keys,
    threads::{field, is_about, unknown},
};
use crate::{error::SessionError, record};

/// What must be the same of work whose id is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// All of it.
    Whole,
    /// All but its time: a step that is tried again is due a moment later.
    AnyTime,
}

/// How many pieces are read at a time.
const PAGE: usize = 200;

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

/// Work as it is stored for a student.
fn entry(student: &StudentKey, thread_id: &str, work: &DueWork) -> DueWork {
    DueWork {
        tenant: student.tenant.clone(),
        student_id: student.student.clone(),
        thread_id: thread_id.to_owned(),
        ..work.clone()
    }
}

/// Enters work that is not there yet.
fn entering(item: &DueWork, due: i64, not_erased: &Check) -> Transaction {
    Transaction {
        checks: vec![
            not_erased.clone(),
            Check::Absent {
                key: keys::work(&item.work_id),
                tell: vec!["item"],
            },
        ],
        writes: vec![
            Write::Put {
                key: keys::work(&item.work_id),
                fields: vec![field("item", record::encode(item))],
            },
            ranked(item.work_id.clone(), due),
        ],
        reads: Vec::new(),
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
            record::look::<DueWork>("work", item).map_or(true, |work| work.thread_id == thread_id)
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
        let opened = self.opened(student, &thread_id).await?;
        let (thread, since) = (&opened.stored, opened.since);
        if self.is_to_be_indexed(thread) {
            // The next reset must find the thread, so that what the work holds goes with it.
            self.index(student, &thread.thread.class_id, &thread_id, since)
                .await?;
        }
        let works = [work];
        self.schedule(student, &thread_id, &works, Known::Whole, since)
            .await?;
        // The thread may have been removed since it was read.
        let mut checks = vec![is_about(&thread_id, &thread.thread.course_id)];
        checks.extend(opened.checks());
        let transaction = Transaction {
            checks,
            writes: vec![promise(&work_id, &thread_id)],
            reads: Vec::new(),
        };
        let partition = self.partition(student).await?;
        let Outcome::Refused(refused) = self.transact(&partition, transaction).await? else {
            return Ok(());
        };
        self.withdraw(vec![work_id]).await?;
        Err(match refused.check {
            0 => unknown(&thread_id),
            1 | 2 => SessionError::TurnErased,
            _ => SessionError::Contended,
        })
    }

    /// Runs a transaction in the student's partition that promises work, which is entered just before it: what is promised
    /// is then found, whatever happens.
    pub(super) async fn promising(
        &self,
        (student, at): (&StudentKey, &Partition),
        thread_id: &str,
        works: &[DueWork],
        since: Since,
        transaction: Transaction,
    ) -> Result<Outcome, SessionError> {
        if !works.is_empty() {
            let not_erased = self.not_erased_since(student, since).await?;
            let all = works.iter().map(|work| {
                let item = entry(student, thread_id, work);
                (partition(), entering(&item, self.due(work), &not_erased))
            });
            let all: Vec<_> = all.chain([(at.clone(), transaction.clone())]).collect();
            let count = all.len();
            let mut outcomes = self.inner.store.transact_in_turn(all).await?;
            if let Some(outcome) = outcomes.pop().filter(|_| outcomes.len() + 1 == count) {
                return Ok(outcome);
            }
            // Some of it is there already, or may not be.
            self.schedule(student, thread_id, works, Known::AnyTime, since)
                .await?;
        }
        self.transact(at, transaction).await
    }

    /// When work is due, in milliseconds.
    fn due(&self, work: &DueWork) -> i64 {
        let due = work.due_time.as_ref().and_then(time::from_proto);
        due.unwrap_or_else(|| self.now()).as_millisecond()
    }

    /// Enters work; what promises it is written next. Work that is there already stays as it is, and is looked at as soon as
    /// it is due: it is promised now. An id that other work has is refused.
    async fn schedule(
        &self,
        student: &StudentKey,
        thread_id: &str,
        works: &[DueWork],
        known: Known,
        since: Since,
    ) -> Result<(), SessionError> {
        let not_erased = self.not_erased_since(student, since).await?;
        for work in works {
            let item = entry(student, thread_id, work);
            let transaction = entering(&item, self.due(work), &not_erased);
            let Outcome::Refused(refused) = self.transact(&partition(), transaction).await? else {
                continue;
            };
            if refused.check == 0 {
                return Err(SessionError::TurnErased);
            }
            let Some(stored) = Fields::of(refused.told).take() else {
                continue;
            };
            let stored: DueWork = record::look("work", &stored)?;
            let expected = match known {
                Known::Whole => item,
                Known::AnyTime => DueWork {
                    due_time: stored.due_time,
                    ..item
                },
            };
            if stored != expected {
                return Err(SessionError::OtherWork);
            }
            let transaction = Transaction {
                checks: vec![Check::Present {
                    key: keys::work(&work.work_id),
                }],
                writes: vec![ranked(work.work_id.clone(), self.due(&stored))],
                reads: Vec::new(),
            };
            self.transact(&partition(), transaction).await?;
        }
        Ok(())
    }

    /// Withdraws all work of a student, promised or not, readable promises or not; afterwards none comes that was under way.
    pub(super) async fn withdraw_all(
        &self,
        student: &StudentKey,
        token: i64,
    ) -> Result<(), SessionError> {
        self.fence(student, &partition(), token).await?;
        let wanted = vec![Read::Lowest {
            key: keys::due(),
            from: 0,
            to: END,
            limit: usize::MAX >> 1,
        }];
        let due = self.read(&partition(), wanted).await?.members()?;
        for page in due.chunks(PAGE) {
            let wanted = page.iter().map(|(id, _)| Read::Fields {
                key: keys::work(id),
                fields: vec!["item".into()],
            });
            let mut reads = self.read(&partition(), wanted.collect()).await?;
            let mut theirs = Vec::new();
            for (id, _) in page {
                let Some(item) = reads.fields()?.take() else {
                    continue;
                };
                let work = record::look::<DueWork>("work", &item);
                if work.is_ok_and(|work| student_of(&work) == *student) {
                    theirs.push(id.clone());
                }
            }
            self.withdraw(theirs).await?;
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
        self.write(&partition(), writes).await?;
        Ok(())
    }

    /// Withdraws work that a step has just ended. The step is done: if this fails, nothing promises the work any more, and
    /// it is dropped in time.
    pub(super) async fn withdraw_done(&self, work_ids: Vec<String>) {
        if let Err(error) = self.withdraw(work_ids).await {
            tracing::warn!(%error, "deferred work that is over is not withdrawn yet");
        }
    }
}

fn ranked(work_id: String, score: i64) -> Write {
    Write::Rank {
        key: keys::due(),
        member: work_id,
        score,
    }
}

fn student_of(work: &DueWork) -> StudentKey {
    StudentKey {
        tenant: work.tenant.clone(),
        student: work.student_id.clone(),
    }
}
