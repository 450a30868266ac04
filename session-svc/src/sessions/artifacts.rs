//! Artifacts that are kept beside a thread for context requests to come. They go with their thread. A batch finds those of
//! all its threads: in its record a thread stands until the student is erased, and says nothing once it is gone.

use std::{borrow::Cow, collections::BTreeMap};

use bytes::Bytes;
use sha2::{Digest, Sha256};
use turnwise_kit::time;
use turnwise_proto::session::v1::Artifact;
use turnwise_session_store::{FieldName, Outcome, Read, StudentKey, Transaction, Write};
use uuid::Uuid;

use super::{
    Sessions,
    fields::decimal,
    json::json,
    keys,
    stored::StoredThread,
    threads::{field, is_about, unknown},
};
use crate::{error::SessionError, pending::PendingError, record};

const WHAT: &str = "artifact";
/// The most artifacts beside a thread.
const MOST: usize = 50;
/// The most threads of a batch that are looked at, the latest.
const THREADS: usize = 50;

/// An artifact to keep.
#[derive(Debug, Clone)]
pub struct PutArtifact {
    /// The batch for which it is kept.
    pub batch_id: String,
    /// What it is.
    pub artifact_type: String,
    /// The content; redacted before it is stored.
    pub content: String,
    /// Who puts it there.
    pub supplier_id: String,
    /// What they are.
    pub supplier_role: String,
}

fn name(batch_id: &str, artifact_type: &str) -> FieldName {
    Cow::Owned(format!("{batch_id}:{artifact_type}"))
}

impl Sessions {
    /// Keeps an artifact in place of what the thread had of this type in this batch.
    pub async fn put_artifact(
        &self,
        student: &StudentKey,
        thread_id: &str,
        put: PutArtifact,
    ) -> Result<Artifact, SessionError> {
        let opened = self.opened(student, thread_id).await?;
        let (thread, since) = (&opened.stored, opened.since);
        let class_id = &thread.thread.class_id;
        let content = self
            .roster(&student.tenant, class_id)
            .await?
            .redact(&put.content);
        let artifact = Artifact {
            artifact_type: put.artifact_type,
            batch_id: put.batch_id,
            thread_id: thread_id.to_owned(),
            size_bytes: i32::try_from(content.len()).unwrap_or(i32::MAX),
            sha256: Sha256::digest(&content).to_vec().into(),
            supplier_id: put.supplier_id,
            supplier_role: put.supplier_role,
            supply_time: Some(time::to_proto(self.now())),
        };
        let name = name(&artifact.batch_id, &artifact.artifact_type);
        let partition = self.partition(student).await?;
        let wanted = vec![Read::Record {
            key: keys::artifacts(thread_id),
        }];
        let known = self.read(&partition, wanted).await?.record()?;
        if known.len() >= MOST && known.iter().all(|(kept, _)| *kept != name) {
            return Err(PendingError::Invalid {
                field: "artifact_type",
                problem: "is one too many: a thread has at most 50 artifacts",
            }
            .into());
        }
        // So that a class reset notices what came after its archive.
        let mut changed = vec![field("touched", Uuid::new_v4().to_string().into())];
        let mut writes = Vec::new();
        if self.is_to_be_indexed(thread) {
            // The next reset must find the thread, so that the artifact goes with it.
            let kept_until = self.index(student, class_id, thread_id, since).await?;
            changed.push(field("kept", decimal(kept_until)));
            writes.extend(self.kept_anew(thread_id));
        }
        writes.push(Write::Put {
            key: keys::thread(thread_id),
            fields: changed,
        });
        let records = [
            (
                keys::artifacts(thread_id),
                name.clone(),
                record::encode(&artifact),
            ),
            (
                keys::artifact_contents(thread_id),
                name,
                record::stamp(content.as_bytes()),
            ),
            (
                keys::batch(&artifact.batch_id),
                Cow::Owned(thread_id.to_owned()),
                Bytes::from_static(b"1"),
            ),
        ];
        for (key, name, value) in records {
            writes.push(Write::Put {
                key: key.clone(),
                fields: vec![(name, value)],
            });
            writes.push(Write::Expire {
                key,
                after: self.limits().thread_retention,
            });
        }
        let mut checks = vec![is_about(thread_id, &thread.thread.course_id)];
        checks.extend(opened.checks());
        let transaction = Transaction {
            checks,
            writes,
            reads: Vec::new(),
        };
        match self.transact(&partition, transaction).await? {
            Outcome::Applied(_) => Ok(artifact),
            Outcome::Refused(refused) => Err(match refused.check {
                0 => unknown(thread_id),
                1 | 2 => SessionError::TurnErased,
                _ => SessionError::Contended,
            }),
        }
    }

    /// What is kept for a batch in all threads of this thread's class and course: the latest of each type, by type.
    pub async fn artifacts(
        &self,
        student: &StudentKey,
        thread_id: &str,
        batch_id: &str,
    ) -> Result<Vec<Artifact>, SessionError> {
        let partition = self.partition(student).await?;
        let wanted = vec![
            StoredThread::read(&keys::thread(thread_id)),
            Read::Record {
                key: keys::batch(batch_id),
            },
        ];
        let mut reads = self.read(&partition, wanted).await?;
        let thread = StoredThread::decode(reads.fields()?)?.ok_or_else(|| unknown(thread_id))?;
        let mut threads: Vec<String> = reads.record()?.into_iter().map(|(id, _)| id).collect();
        if threads.is_empty() {
            return Ok(Vec::new());
        }
        threads.sort();
        threads.truncate(THREADS);
        let wanted = threads.iter().flat_map(|id| {
            [
                StoredThread::read(&keys::thread(id)),
                Read::Record {
                    key: keys::artifacts(id),
                },
            ]
        });
        let mut reads = self.read(&partition, wanted.collect()).await?;
        let mut latest = BTreeMap::<String, Artifact>::new();
        for _ in &threads {
            let (stored, kept) = (StoredThread::decode(reads.fields()?)?, reads.record()?);
            let is_near = stored.is_some_and(|other| {
                other.thread.class_id == thread.thread.class_id
                    && other.thread.course_id == thread.thread.course_id
            });
            if !is_near {
                continue;
            }
            for (_, bytes) in kept {
                let artifact: Artifact = record::decode(WHAT, &bytes)?;
                let is_later = latest
                    .get(&artifact.artifact_type)
                    .is_none_or(|known| age(known) < age(&artifact));
                if artifact.batch_id == batch_id && is_later {
                    latest.insert(artifact.artifact_type.clone(), artifact);
                }
            }
        }
        Ok(latest.into_values().collect())
    }

    /// An artifact with its content.
    pub async fn artifact(
        &self,
        student: &StudentKey,
        thread_id: &str,
        batch_id: &str,
        artifact_type: &str,
    ) -> Result<(Artifact, String), SessionError> {
        let name = name(batch_id, artifact_type);
        let wanted = vec![
            StoredThread::read(&keys::thread(thread_id)),
            Read::Fields {
                key: keys::artifacts(thread_id),
                fields: vec![name.clone()],
            },
            Read::Fields {
                key: keys::artifact_contents(thread_id),
                fields: vec![name],
            },
        ];
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        if StoredThread::decode(reads.fields()?)?.is_none() {
            return Err(unknown(thread_id));
        }
        let artifact = reads.fields()?.take().ok_or(PendingError::Invalid {
            field: "artifact_type",
            problem: "must be an artifact that is kept beside the thread",
        })?;
        let content = reads.fields()?.take();
        let content = content.ok_or(SessionError::RecordCorrupted { record: WHAT })?;
        let content = String::from_utf8(record::unstamp(WHAT, &content)?.into());
        let content = content.map_err(|_| SessionError::RecordCorrupted { record: WHAT })?;
        Ok((record::decode(WHAT, &artifact)?, content))
    }
}

impl Sessions {
    /// The artifacts beside a thread, each with its content, as far as they can be read.
    pub(super) async fn artifacts_beside(
        &self,
        student: &StudentKey,
        thread_id: &str,
    ) -> Result<Vec<(Artifact, Option<String>)>, SessionError> {
        let partition = self.partition(student).await?;
        let wanted = vec![Read::Record {
            key: keys::artifacts(thread_id),
        }];
        let kept = self.read(&partition, wanted).await?.record()?;
        let mut found = Vec::with_capacity(kept.len());
        for (name, bytes) in kept {
            let Ok(artifact) = record::decode::<Artifact>(WHAT, &bytes) else {
                continue;
            };
            // One at a time: each may be large.
            let wanted = vec![Read::Fields {
                key: keys::artifact_contents(thread_id),
                fields: vec![Cow::Owned(name)],
            }];
            let content = self.read(&partition, wanted).await?.fields()?.take();
            let content = content.and_then(|content| {
                let content = record::unstamp(WHAT, &content).ok()?;
                String::from_utf8(content.into()).ok()
            });
            found.push((artifact, content));
        }
        Ok(found)
    }
}

/// An artifact in archives and exports, without its content.
pub(super) fn document(artifact: &Artifact) -> Result<serde_json::Value, SessionError> {
    let artifact = json("turnwise.session.v1.Artifact", artifact)?;
    Ok(serde_json::json!({ "artifact": artifact }))
}

fn age(artifact: &Artifact) -> (i64, i32) {
    artifact
        .supply_time
        .map_or((0, 0), |at| (at.seconds, at.nanos))
}
