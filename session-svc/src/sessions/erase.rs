//! Erasing a student: first a fence that keeps everything in flight from being written, then all that is kept.

use std::collections::BTreeSet;

use turnwise_redaction::redact;
use turnwise_session_archive::ArchiveError;
use turnwise_session_store::{Partition, Read, StudentKey, Write};
use uuid::Uuid;

use super::{
    END, Sessions,
    audit::{Actor, Deed},
    classes::activity,
    fence, keys,
};
use crate::error::SessionError;

/// Threads that are looked up at a time.
const THREADS: usize = 500;

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
            facts: vec![("reason", self.reason_without_names(student, reason).await?)],
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

    async fn erase(
        &self,
        student: &StudentKey,
        report: &mut EraseReport,
    ) -> Result<(), SessionError> {
        let partition = self.partition(student).await?;
        let erasure = Uuid::new_v4().to_string();
        let mut writes: Vec<_> = fence::begun(&erasure).into();
        writes.push(Write::Expire {
            key: keys::erased(),
            // As long as anything that began before may still come.
            after: self.limits().idempotency_ttl,
        });
        let token = self.write(&partition, writes).await?.token;
        let token = token.ok_or(SessionError::Unavailable)?;
        // First whatever names the student elsewhere: cut off, the next attempt still finds where that is.
        self.withdraw_all(student, token).await?;
        for class_id in self.classes_of(student).await? {
            self.forget_in_class(student, &class_id, token).await?;
        }
        loop {
            let threads = self.thread_ids(student).await?;
            if threads.is_empty() {
                break;
            }
            for thread_id in threads {
                let found = self.conversation(student, &thread_id).await?;
                self.remove_thread(student, &found).await?;
                report.threads += u64::from(found.is_there());
            }
        }
        self.remove_courses(student).await?;
        // Nothing that began before can be written any more, now that the snapshots are gone.
        self.remove_graded(student).await?;
        let erased = self.erase_archived(student).await?;
        report.archive_records = erased.records;
        report.unreadable_archives = erased.unreadable;
        self.transact(&partition, fence::ended(&erasure)).await?;
        if erased.unreadable > 0 {
            return Err(not_erased());
        }
        Ok(())
    }

    /// Some of the threads that the student has, or that left traces.
    async fn thread_ids(&self, student: &StudentKey) -> Result<Vec<String>, SessionError> {
        let wanted = keys::kinds().map(|kind| Read::Lowest {
            key: keys::threads(kind),
            from: 0,
            to: END,
            limit: THREADS,
        });
        let partition = self.partition(student).await?;
        let mut reads = self.read(&partition, wanted.collect()).await?;
        let mut threads = Vec::new();
        for _ in keys::kinds() {
            threads.extend(reads.members()?.into_iter().map(|(id, _)| id));
        }
        Ok(threads)
    }

    /// The classes in which something of the student may stand: where it was noted before anything was written there.
    async fn classes_of(&self, student: &StudentKey) -> Result<BTreeSet<String>, SessionError> {
        let wanted = vec![Read::Record {
            key: keys::places(),
        }];
        let partition = self.partition(student).await?;
        let places = self.read(&partition, wanted).await?.record()?;
        let classes = places.iter().filter_map(|(place, _)| place.split_once('/'));
        Ok(classes.map(|(class_id, _)| class_id.to_owned()).collect())
    }

    /// A reason without what names a person: the names of the student's classes, and the student's own id.
    async fn reason_without_names(
        &self,
        student: &StudentKey,
        reason: &str,
    ) -> Result<String, SessionError> {
        let classes = self.classes_of(student).await?;
        if classes.is_empty() {
            // No roster is known that has the student's name.
            return Ok(String::new());
        }
        let mut reason = redact(reason).replace(&student.student, "[student]");
        for class_id in classes {
            // Without the names nothing is kept, rather than one of them; and no roster keeps anybody from being erased.
            let Ok(roster) = self.roster(&student.tenant, &class_id).await else {
                return Ok(String::new());
            };
            reason = roster.redact(&reason);
        }
        Ok(reason)
    }

    /// Takes a student out of what a class keeps; afterwards nothing comes that was under way.
    async fn forget_in_class(
        &self,
        student: &StudentKey,
        class_id: &str,
        token: i64,
    ) -> Result<(), SessionError> {
        let class = Partition::class(&student.tenant, class_id);
        self.fence(student, &class, token).await?;
        self.forget_alerts(student, class_id).await?;
        let mut writes = vec![Write::Unrank {
            key: keys::students(),
            members: vec![student.student.clone()],
        }];
        let entries = self.entries(&student.tenant, class_id).await?;
        let theirs = entries
            .into_iter()
            .filter(|entry| entry.student == *student);
        let members: Vec<_> = theirs.map(|entry| entry.member).collect();
        for members in members.chunks(THREADS) {
            writes.push(Write::Unrank {
                key: keys::conversations(),
                members: members.to_vec(),
            });
        }
        self.write(&class, writes).await.map(drop)
    }

    async fn remove_courses(&self, student: &StudentKey) -> Result<(), SessionError> {
        let partition = self.partition(student).await?;
        let wanted = vec![
            Read::Record {
                key: keys::courses(),
            },
            Read::Record {
                key: keys::places(),
            },
        ];
        let mut reads = self.read(&partition, wanted).await?;
        let courses: BTreeSet<String> = reads.record()?.into_iter().map(|(id, _)| id).collect();
        let places: Vec<String> = reads.record()?.into_iter().map(|(id, _)| id).collect();
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
        let rest = [
            keys::courses(),
            keys::works(),
            keys::places(),
            keys::batches(),
        ]
        .into_iter();
        let rest = rest.chain(keys::kinds().map(keys::threads));
        writes.extend(rest.map(|key| Write::Remove { key }));
        self.write(&partition, writes).await?;
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
