//! Class resets and exports. A class's index is walked in batches; what is to be deleted is in an archive first, down to
//! the last turn and as far as it can be read; and an entry leaves the index only when what it points to is gone.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

use futures_util::{StreamExt, TryStreamExt, stream};
use turnwise_proto::session::v1::{ExportClassResponse, ThreadKind};
use turnwise_session_archive::{
    About, ArchiveError, ArchiveKind, ArtifactRecord, ContextRequestRecord, ConversationRecord,
    Writer,
};
use turnwise_session_store::{Partition, Read, StudentKey, Write};

use super::{
    END, Idempotency, Sessions,
    archived::{Copied, Seen},
    audit::{Actor, Deed},
    keys, millis,
};
use crate::error::SessionError;

/// How many conversations of a batch are worked on at a time.
const SIDE_BY_SIDE: usize = 32;
/// How many conversations are read before they are written to an archive; artifacts are read one request at a time.
const EXPORTED_AT_ONCE: usize = 64;
/// Entries that one transaction takes out of an index: it should not hold up others.
const UNINDEXED_AT_ONCE: usize = 1000;
/// Entries of an index that are read at a time.
const INDEX_PAGE: usize = 4096;
/// Turns that are committed while a reset goes on make it look at their threads again; nobody types this fast.
const ROUNDS: usize = 100;
/// A thread is entered into its class's index before it is made. One that is not there may be made in the next moment
/// for so long, and its entry stays for the next reset.
const MADE_WITHIN: Duration = Duration::from_secs(600);

/// What a reset did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResetReport {
    /// Helper conversations and help sessions that were removed.
    pub conversations: u64,
    /// Tutor threads that lost their text, and threads whose record cannot be read, which were removed.
    pub threads: u64,
    /// Students they belonged to.
    pub students: u64,
    /// In how many batches.
    pub batches: u64,
    /// How many stored records the archives lack because they cannot be read.
    pub unreadable: u64,
    /// The archives that were written.
    pub archive_names: Vec<String>,
    /// The ends of their hash chains.
    pub archive_chains: Vec<String>,
}

/// Hears how far a reset is.
pub(super) trait ResetProgress: Send {
    /// After a batch; an error ends the reset.
    fn tell<'a>(
        &'a mut self,
        report: &'a ResetReport,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<(), SessionError>> + Send + 'a>>;
}

/// What an export wrote.
#[derive(Default)]
struct ExportReport {
    archive_name: String,
    /// The end of its hash chain.
    chain: String,
    conversations: u64,
    /// How many of their stored records it lacks because they cannot be read.
    unreadable: u64,
}

/// What each conversation was like when it was archived.
type Archived = HashMap<String, Seen>;

/// What has a line of its own after its conversation.
enum Beside {
    Request(ContextRequestRecord),
    Artifact(ArtifactRecord),
}

/// An entry of a class's index.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) member: String,
    score: i64,
    pub(super) student: StudentKey,
    thread_id: String,
}

impl Sessions {
    /// Removes all that a reset removes; tells after each batch how far it is.
    pub(super) async fn reset(
        &self,
        actor: &Actor,
        class_id: &str,
        report: &mut ResetReport,
        progress: &mut dyn ResetProgress,
    ) -> Result<(), SessionError> {
        let mut students = BTreeSet::new();
        let mut entries = self.entries(&actor.tenant, class_id).await?;
        for round in 0.. {
            if entries.is_empty() {
                break;
            }
            if round == ROUNDS {
                tracing::error!(
                    class_id,
                    left = entries.len(),
                    "a class does not come to rest: some of its threads are not reset"
                );
                return Err(SessionError::Unavailable);
            }
            let mut changed = BTreeSet::new();
            let archived = if self.limits().export_before_reset {
                let (written, seen) = self
                    .export(actor, class_id, ArchiveKind::ClassReset, &entries)
                    .await?;
                report.unreadable += written.unreadable;
                report.archive_names.push(written.archive_name);
                report.archive_chains.push(written.chain);
                Some(seen)
            } else {
                None
            };
            for batch in entries.chunks(self.limits().reset_batch) {
                report.batches += 1;
                let left = self
                    .delete(
                        actor,
                        class_id,
                        batch,
                        archived.as_ref(),
                        report,
                        &mut students,
                    )
                    .await?;
                changed.extend(left);
                report.students = students.len() as u64;
                progress.tell(report).await?;
            }
            if changed.is_empty() {
                break;
            }
            entries = self.entries(&actor.tenant, class_id).await?;
            entries.retain(|entry| changed.contains(&entry.member));
        }
        Ok(())
    }

    /// Deletes a batch. What has changed since it was archived stays for the next round: answered are its members.
    async fn delete(
        &self,
        actor: &Actor,
        class_id: &str,
        batch: &[Entry],
        archived: Option<&Archived>,
        report: &mut ResetReport,
        students: &mut BTreeSet<String>,
    ) -> Result<Vec<String>, SessionError> {
        let mut gone = Vec::with_capacity(batch.len());
        let mut changed = Vec::new();
        let mut stripped = stream::iter(batch.to_vec())
            .map(|entry| async move {
                let found = self.conversation(&entry.student, &entry.thread_id).await?;
                let seen = archived.map(|all| all.get(&entry.member).cloned().unwrap_or_default());
                let done = self.strip(&entry.student, &found, seen.as_ref()).await?;
                Ok::<_, SessionError>((entry, found, done))
            })
            .buffer_unordered(SIDE_BY_SIDE);
        while let Some((entry, found, done)) = stripped.try_next().await? {
            if !done {
                changed.push(entry.member);
                continue;
            }
            match &found.stored {
                Ok(Some(stored)) if stored.kind != ThreadKind::Tutor => report.conversations += 1,
                Ok(Some(_)) | Err(_) => report.threads += 1,
                Ok(None) if self.is_being_made(&entry) => continue,
                Ok(None) => {}
            }
            if found.is_there() {
                students.insert(entry.student.student);
            }
            gone.push((entry.member, entry.score));
        }
        self.unindex(&actor.tenant, class_id, gone).await?;
        Ok(changed)
    }

    /// Whether the thread of an entry, which is not there, may be made in the next moment.
    fn is_being_made(&self, entry: &Entry) -> bool {
        let entered = entry
            .score
            .saturating_sub(millis(self.limits().thread_retention));
        self.now_millis().saturating_sub(entered) < millis(MADE_WITHIN)
    }

    /// Takes entries out of a class's index, unless they were entered anew since they were read.
    pub(super) async fn unindex(
        &self,
        tenant: &str,
        class_id: &str,
        members: Vec<(String, i64)>,
    ) -> Result<(), SessionError> {
        for members in members.chunks(UNINDEXED_AT_ONCE) {
            self.write(
                &Partition::class(tenant, class_id),
                vec![Write::UnrankAt {
                    key: keys::conversations(),
                    members: members.to_vec(),
                }],
            )
            .await?;
        }
        Ok(())
    }

    /// Writes an archive of a class and deletes nothing; once for each key.
    pub async fn export_class(
        &self,
        actor: &Actor,
        class_id: &str,
        idempotency: &Idempotency,
    ) -> Result<ExportClassResponse, SessionError> {
        let deed = Deed {
            kind: "class-export-begun",
            class_id,
            ..Deed::default()
        };
        let exported = async {
            let entries = self.entries(&actor.tenant, class_id).await?;
            let (report, _) = self
                .export(actor, class_id, ArchiveKind::ClassExport, &entries)
                .await?;
            let facts = vec![
                ("archive", report.archive_name.clone()),
                ("chain", report.chain.clone()),
                ("conversations", report.conversations.to_string()),
                ("unreadable_records", report.unreadable.to_string()),
            ];
            let ended = Deed {
                kind: "class-exported",
                class_id,
                facts,
                ..Deed::default()
            };
            Ok(ExportClassResponse {
                archive_name: report.archive_name,
                conversations: i64::try_from(report.conversations).unwrap_or(i64::MAX),
                audit_id: self.audit(actor, ended).await?,
            })
        };
        self.once(actor, idempotency, deed, exported).await
    }

    /// Writes these conversations to an archive, and answers what each of them was like.
    async fn export(
        &self,
        actor: &Actor,
        class_id: &str,
        kind: ArchiveKind,
        entries: &[Entry],
    ) -> Result<(ExportReport, Archived), SessionError> {
        let archives = self.inner.archives.clone().ok_or_else(|| {
            tracing::error!(
                "HELPER_CLASS_RESET_ARCHIVE_ENABLED is off: there is nowhere to export to"
            );
            archive_failed(class_id)
        })?;
        let about = About {
            kind,
            tenant: actor.tenant.clone(),
            class_id: class_id.to_owned(),
            create_time: self.now(),
            actor_id: actor.id.clone(),
        };
        let limit = self.limits().archive_max_messages;
        let mut seen = Archived::new();
        let mut report = ExportReport::default();
        let mut writer = self
            .archive(class_id, move || archives.create(&about, limit))
            .await?;
        for chunk in entries.chunks(EXPORTED_AT_ONCE) {
            let found: Vec<(Entry, Option<Copied>)> = stream::iter(chunk.to_vec())
                .map(|entry| async move {
                    let found = self
                        .archived(&entry.student, &entry.thread_id, limit)
                        .await?;
                    Ok::<_, SessionError>((entry, found))
                })
                .buffered(SIDE_BY_SIDE)
                .try_collect()
                .await?;
            let mut records = Vec::with_capacity(found.len());
            for (entry, copied) in found {
                let Some(copied) = copied else { continue };
                report.unreadable += copied.record.unreadable;
                report.conversations += 1;
                records.push(copied.record);
                for request in copied.requests {
                    let request = self
                        .archived_request(&entry.student, &entry.thread_id, request)
                        .await?;
                    report.unreadable += request.unreadable;
                    let before = std::mem::take(&mut records);
                    writer = self
                        .append(class_id, writer, before, Some(Beside::Request(request)))
                        .await?;
                }
                let names = self.artifact_names(&entry.student, &entry.thread_id);
                for name in names.await? {
                    let artifact = self
                        .archived_artifact(&entry.student, &entry.thread_id, &name)
                        .await?;
                    report.unreadable += u64::from(artifact.is_none());
                    let before = std::mem::take(&mut records);
                    let artifact = artifact.map(Beside::Artifact);
                    writer = self.append(class_id, writer, before, artifact).await?;
                }
                seen.insert(entry.member, copied.seen);
            }
            writer = self.append(class_id, writer, records, None).await?;
        }
        let sealed = self.archive(class_id, move || writer.finish()).await?;
        self.erase_again(class_id, entries, &seen).await?;
        report.archive_name = sealed.name;
        report.chain = sealed.chain;
        Ok((report, seen))
    }

    /// Takes those out of a new archive who were erased while it was written: their erasure did not find it.
    async fn erase_again(
        &self,
        class_id: &str,
        entries: &[Entry],
        seen: &Archived,
    ) -> Result<(), SessionError> {
        let students: BTreeMap<&StudentKey, &Seen> = entries
            .iter()
            .filter_map(|entry| Some((&entry.student, seen.get(&entry.member)?)))
            .collect();
        for (student, seen) in students {
            let wanted = vec![Read::Fields {
                key: keys::erased(),
                fields: vec!["fence".into()],
            }];
            let partition = self.partition(student).await?;
            let erased = self.read(&partition, wanted).await?.fields()?.take();
            if erased.is_none() || erased == seen.erased {
                continue;
            }
            if let Some(archives) = self.inner.archives.clone() {
                let student = student.clone();
                let erase = move || archives.erase_student(&student.tenant, &student.student);
                self.archive(class_id, erase).await?;
            }
        }
        Ok(())
    }

    /// Writes conversations to an archive, and something that stands beside the last one.
    async fn append(
        &self,
        class_id: &str,
        mut writer: Writer,
        records: Vec<ConversationRecord>,
        beside: Option<Beside>,
    ) -> Result<Writer, SessionError> {
        self.archive(class_id, move || {
            for record in records {
                writer.append(record)?;
            }
            match beside {
                Some(Beside::Request(request)) => writer.append_request(&request)?,
                Some(Beside::Artifact(artifact)) => writer.append_artifact(&artifact)?,
                None => {}
            }
            Ok(writer)
        })
        .await
    }

    /// Works on an archive where it may block.
    async fn archive<T: Send + 'static>(
        &self,
        class_id: &str,
        work: impl FnOnce() -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, SessionError> {
        let done = tokio::task::spawn_blocking(work).await;
        match done {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) => {
                tracing::error!(%error, class_id, "an archive cannot be written");
                Err(archive_failed(class_id))
            }
            Err(error) => {
                tracing::error!(%error, class_id, "the writing of an archive ended in a panic");
                Err(archive_failed(class_id))
            }
        }
    }

    /// A class's index as it is now: some hundred bytes for each conversation.
    pub(super) async fn entries(
        &self,
        tenant: &str,
        class_id: &str,
    ) -> Result<Vec<Entry>, SessionError> {
        let partition = Partition::class(tenant, class_id);
        let mut found: BTreeMap<String, i64> = BTreeMap::new();
        let (mut from, mut limit) = (0, INDEX_PAGE);
        loop {
            let wanted = vec![Read::Lowest {
                key: keys::conversations(),
                from,
                to: END,
                limit,
            }];
            let page = self.read(&partition, wanted).await?.members()?;
            let (full, last) = (page.len() == limit, page.last().map(|(_, score)| *score));
            found.extend(page);
            match last {
                // The page ends within the entries of one score: it is read again with those after it.
                Some(last) if full && last > from => from = last,
                Some(_) if full => limit *= 2,
                _ => break,
            }
        }
        Ok(found
            .into_iter()
            .filter_map(|(member, score)| {
                let (student, thread_id) = member.split_once('/')?;
                Some(Entry {
                    student: StudentKey {
                        tenant: tenant.to_owned(),
                        student: student.to_owned(),
                    },
                    thread_id: thread_id.to_owned(),
                    member,
                    score,
                })
            })
            .collect())
    }
}

fn archive_failed(class_id: &str) -> SessionError {
    SessionError::ArchiveFailed {
        class_id: class_id.to_owned(),
    }
}
