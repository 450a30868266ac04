//! Erasing a student: first a fence that keeps everything in flight from being written, then all that is kept.

use std::collections::BTreeSet;

use turnwise_redaction::redact;
use turnwise_session_archive::ArchiveError;
use turnwise_session_store::{Check, Partition, Read, StudentKey, Transaction, Write};

use super::{
    END, Sessions,
    audit::{Actor, Deed},
    classes::activity,
    fields::decimal,
    keys, member,
    threads::field,
};
use crate::error::SessionError;

/// Threads that are looked up at a time.
const THREADS: usize = 500;

/// The field that says that an erasure is under way.
const RUNNING: &str = "running";

/// Holds while no erasure of the student is under way.
pub(super) fn none_under_way() -> Check {
    Check::FieldIs {
        key: keys::erased(),
        field: RUNNING,
        value: None,
        tell: Vec::new(),
    }
}

/// The classes among the places, each a class and a course, in which a student has worked.
fn classes(places: &[String]) -> BTreeSet<&str> {
    let classes = places.iter();
    classes
        .filter_map(|place| Some(place.split_once('/')?.0))
        .collect()
}

/// What an erasure removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EraseReport {
    /// Threads.
    pub threads: u64,
    /// Records of archives that lost their bodies.
    pub archive_records: u64,
    /// Archives that could not be read.
    pub unreadable_archives: usize,
    /// The entry of the audit log.
    pub audit_id: i64,
}

impl Sessions {
    /// Removes all that is kept of a student. It goes on if the caller leaves, and a second call removes what is left.
    pub async fn erase_student(
        &self,
        actor: Actor,
        student: StudentKey,
        reason: String,
    ) -> Result<EraseReport, SessionError> {
        let sessions = self.clone();
        let erase = async move { sessions.erase_audited(&actor, &student, &reason).await };
        let done = self.inner.tasks.spawn(erase).await;
        done.unwrap_or(Err(SessionError::Unavailable))
    }

    /// What is about to be done is in the audit log before it is done, and then what came of it.
    async fn erase_audited(
        &self,
        actor: &Actor,
        student: &StudentKey,
        reason: &str,
    ) -> Result<EraseReport, SessionError> {
        let begun = Deed {
            kind: "student-erasure-begun",
            student: Some(student),
            facts: vec![("reason", self.lasting_reason(student, reason).await?)],
            ..Deed::default()
        };
        let begun = self.audit(actor, begun).await?;
        let mut report = EraseReport::default();
        let erased = self.erase(student, &mut report).await;
        let outcome = match &erased {
            Ok(()) => "done",
            Err(_) => "failed",
        };
        let ended = Deed {
            kind: "student-erased",
            student: Some(student),
            facts: vec![
                ("outcome", outcome.to_owned()),
                ("threads", report.threads.to_string()),
                ("archive_records", report.archive_records.to_string()),
                (
                    "unreadable_archives",
                    report.unreadable_archives.to_string(),
                ),
            ],
            related_id: begun,
            ..Deed::default()
        };
        report.audit_id = self.audit(actor, ended).await?;
        erased.map(|()| report)
    }

    /// The reason as it stays in the audit log: it outlives the student, whose name is on the rosters of their classes.
    async fn lasting_reason(
        &self,
        student: &StudentKey,
        reason: &str,
    ) -> Result<String, SessionError> {
        let wanted = vec![Read::Record {
            key: keys::places(),
        }];
        let mut reads = self.read(&Partition::student(student), wanted).await?;
        let places: Vec<String> = reads.record()?.into_iter().map(|(id, _)| id).collect();
        let mut reason = redact(reason).into_owned();
        for class_id in classes(&places) {
            // Without the names nothing is kept, rather than one of them; and no roster keeps anybody from being erased.
            let Ok(roster) = self.roster(&student.tenant, class_id).await else {
                return Ok(String::new());
            };
            reason = roster.redact(&reason);
        }
        Ok(reason)
    }

    async fn erase(
        &self,
        student: &StudentKey,
        report: &mut EraseReport,
    ) -> Result<(), SessionError> {
        let partition = Partition::student(student);
        self.apply(
            &partition,
            Transaction {
                writes: vec![
                    Write::Fence {
                        key: keys::erased(),
                        field: "fence",
                    },
                    // Nothing new begins meanwhile.
                    Write::Put {
                        key: keys::erased(),
                        fields: vec![field(RUNNING, decimal(1))],
                    },
                    // As long as anything that began before may still come.
                    Write::Expire {
                        key: keys::erased(),
                        after: self.limits().idempotency_ttl,
                    },
                ],
                ..Transaction::default()
            },
        )
        .await?;
        loop {
            let wanted = keys::kinds().map(|kind| Read::Lowest {
                key: keys::threads(kind),
                from: 0,
                to: END,
                limit: THREADS,
            });
            let mut reads = self.read(&partition, wanted.collect()).await?;
            let mut threads = Vec::new();
            for _ in keys::kinds() {
                threads.extend(reads.members()?);
            }
            if threads.is_empty() {
                break;
            }
            for (thread_id, _) in threads {
                let found = self.conversation(student, &thread_id).await?;
                // Cut off between the two, the thread is still found by the next attempt.
                if let Some(class_id) = &found.class_id {
                    self.leave_class(student, class_id, &thread_id).await?;
                }
                self.remove_thread(student, &found).await?;
                // A turn that began between the two may have entered the thread again.
                if let Some(class_id) = &found.class_id {
                    self.leave_class(student, class_id, &thread_id).await?;
                }
                report.threads += u64::from(found.is_there());
            }
        }
        self.remove_courses(student).await?;
        // Nothing that began before can be written any more, now that the snapshots are gone.
        self.remove_graded(student).await?;
        let erased = self.erase_archived(student).await?;
        report.archive_records = erased.records;
        report.unreadable_archives = erased.unreadable;
        self.apply(
            &partition,
            Transaction {
                writes: vec![Write::Unset {
                    key: keys::erased(),
                    fields: vec![RUNNING.into()],
                }],
                ..Transaction::default()
            },
        )
        .await?;
        if erased.unreadable > 0 {
            return Err(not_erased());
        }
        Ok(())
    }

    async fn leave_class(
        &self,
        student: &StudentKey,
        class_id: &str,
        thread_id: &str,
    ) -> Result<(), SessionError> {
        self.apply(
            &Partition::class(&student.tenant, class_id),
            Transaction {
                writes: vec![Write::Unrank {
                    key: keys::conversations(),
                    members: vec![member(student, thread_id)],
                }],
                ..Transaction::default()
            },
        )
        .await?;
        Ok(())
    }

    /// Takes a student out of what a class keeps of its own.
    pub(super) async fn forget_in_class(
        &self,
        student: &StudentKey,
        class_id: &str,
    ) -> Result<(), SessionError> {
        let class = Partition::class(&student.tenant, class_id);
        self.forget_alerts(student, class_id).await?;
        let transaction = Transaction {
            writes: vec![Write::Unrank {
                key: keys::students(),
                members: vec![student.student.clone()],
            }],
            ..Transaction::default()
        };
        self.apply(&class, transaction).await.map(drop)
    }

    async fn remove_courses(&self, student: &StudentKey) -> Result<(), SessionError> {
        let partition = Partition::student(student);
        let wanted = vec![
            Read::Record {
                key: keys::courses(),
            },
            Read::Record { key: keys::works() },
            Read::Record {
                key: keys::places(),
            },
        ];
        let mut reads = self.read(&partition, wanted).await?;
        let courses: BTreeSet<String> = reads.record()?.into_iter().map(|(id, _)| id).collect();
        let works = reads.record()?.into_iter().map(|(id, _)| id).collect();
        let places: Vec<String> = reads.record()?.into_iter().map(|(id, _)| id).collect();
        self.withdraw(works).await?;
        for class_id in classes(&places) {
            self.forget_in_class(student, class_id).await?;
        }
        let mut writes: Vec<_> = courses
            .iter()
            .flat_map(|course| [keys::snapshot(course), keys::questions(course)])
            .map(|key| Write::Remove { key })
            .collect();
        let this_week = activity::week_of(self.now());
        let weeks = places
            .iter()
            .flat_map(|place| activity::all_weeks(place, this_week));
        writes.extend(weeks.map(|key| Write::Remove { key }));
        let rest = [keys::courses(), keys::works(), keys::places()].into_iter();
        let rest = rest.chain(keys::kinds().map(keys::threads));
        writes.extend(rest.map(|key| Write::Remove { key }));
        self.apply(
            &partition,
            Transaction {
                writes,
                ..Transaction::default()
            },
        )
        .await?;
        Ok(())
    }

    async fn erase_archived(&self, student: &StudentKey) -> Result<Erased, SessionError> {
        let Some(archives) = self.inner.archives.clone() else {
            return Ok(Erased::default());
        };
        let student = student.clone();
        let erase = move || archives.erase_student(&student.tenant, &student.student);
        match tokio::task::spawn_blocking(erase).await {
            Ok(Ok(records)) => Ok(Erased {
                records,
                unreadable: 0,
            }),
            Ok(Err(ArchiveError::Damaged { names, erased })) => {
                tracing::error!(archives = ?names, "these archives are not what was written; look into them by hand");
                Ok(Erased {
                    records: erased,
                    unreadable: names.len(),
                })
            }
            Ok(Err(error)) => {
                tracing::error!(%error, "archives cannot be rewritten; erase the student again once they can");
                Err(not_erased())
            }
            Err(error) => {
                tracing::error!(%error, "the rewriting of archives ended in a panic");
                Err(SessionError::Unavailable)
            }
        }
    }
}

/// What an erasure did to archives.
#[derive(Default)]
struct Erased {
    records: u64,
    unreadable: usize,
}

fn not_erased() -> SessionError {
    SessionError::ArchiveNotErased
}
