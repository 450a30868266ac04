//! Artifacts that are kept beside a thread, for context requests to come, and what the threads of a batch have together.
//! What is known of artifacts stands in one record, their texts in another. Which threads are of a batch stands in an
//! index of the student.

use std::{borrow::Cow, collections::BTreeMap};

use bytes::Bytes;
use sha2::{Digest, Sha256};
use turnwise_kit::time;
use turnwise_proto::{
    session::v1::{Artifact, ContextRequest},
    tutor::v1::Thread,
};
use turnwise_session_store::{Check, FieldName, Outcome, Read, StudentKey, Transaction, Write};

use super::{
    END, Sessions, entered,
    fields::{decimal, number},
    interactions::REQUEST,
    keys,
    stored::StoredThread,
    threads::{field, unknown},
};
use crate::{error::SessionError, pending::PendingError, record};

const WHAT: &str = "artifact";
/// Counts the changes of a thread's artifacts.
const VERSION: &str = "version";
/// The most artifacts of a thread.
const ARTIFACTS_MAX: usize = 50;
const ARTIFACT_MAX_BYTES: usize = 262_144;
/// An artifact is put so often against others that come between.
const TRIES: usize = 8;

/// Which artifact of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactName {
    /// The batch.
    pub batch_id: String,
    /// What it is.
    pub artifact_type: String,
}

impl ArtifactName {
    /// Ids hold no `/`.
    fn field(&self) -> FieldName {
        Cow::Owned(format!("{}/{}", self.batch_id, self.artifact_type))
    }
}

/// An artifact to keep.
#[derive(Debug, Clone)]
pub struct NewArtifact {
    /// Which; it replaces the one that was there.
    pub name: ArtifactName,
    /// The course by which it was checked; it must be the thread's.
    pub course_id: String,
    /// Its text; redacted before it is stored.
    pub content: String,
    /// Who supplies it.
    pub supplier_id: String,
    /// What they are.
    pub supplier_role: String,
}

/// What the threads of a batch have.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// The latest artifact of each type, by type.
    pub artifacts: Vec<Artifact>,
    /// The requests, oldest first.
    pub requests: Vec<ContextRequest>,
}

/// How a thread is named in the index of batches.
fn member(batch_id: &str, thread_id: &str) -> String {
    format!("{batch_id}/{thread_id}")
}

/// Enters a thread into the index of batches; what has been there too long is left out of it.
pub(super) fn enters(sessions: &Sessions, batch_id: &str, thread_id: &str) -> [Write; 3] {
    let retention = sessions.limits().thread_retention;
    let (member, now) = (member(batch_id, thread_id), sessions.now_millis());
    entered(keys::batches(), member, now, retention)
}

/// Reads the index of batches.
pub(super) fn batches() -> Read {
    Read::Lowest {
        key: keys::batches(),
        from: 0,
        to: END,
        limit: usize::MAX >> 1,
    }
}

/// The entries of a thread in the index of batches.
pub(super) fn members_of(thread_id: &str, index: Vec<(String, i64)>) -> Vec<String> {
    let members = index.into_iter().map(|(member, _)| member);
    let is_of = |member: &String| {
        member
            .split_once('/')
            .is_some_and(|(_, id)| id == thread_id)
    };
    members.filter(is_of).collect()
}

fn order(time: Option<prost_types::Timestamp>) -> Option<(i64, i32)> {
    time.map(|time| (time.seconds, time.nanos))
}

/// The artifacts in a record.
fn decode(fields: Vec<(String, Bytes)>) -> Result<Vec<Artifact>, SessionError> {
    let artifacts = fields.into_iter().filter(|(name, _)| name != VERSION);
    artifacts
        .map(|(_, bytes)| record::look(WHAT, &bytes))
        .collect()
}

impl Sessions {
    /// Keeps an artifact beside a thread, in place of the one of its type in the batch.
    pub async fn put_artifact(
        &self,
        student: &StudentKey,
        thread_id: &str,
        new: NewArtifact,
    ) -> Result<Artifact, SessionError> {
        for _ in 0..TRIES {
            if let Some(artifact) = self.put_once(student, thread_id, &new).await? {
                return Ok(artifact);
            }
        }
        Err(SessionError::Contended)
    }

    /// None if somebody else came between.
    async fn put_once(
        &self,
        student: &StudentKey,
        thread_id: &str,
        new: &NewArtifact,
    ) -> Result<Option<Artifact>, SessionError> {
        let opened = self.opened(student, thread_id).await?;
        let thread = &opened.stored.thread;
        if thread.course_id != new.course_id {
            return Err(SessionError::OtherCourse {
                course_id: new.course_id.clone(),
            });
        }
        let class_id = &thread.class_id;
        let roster = self.roster(&student.tenant, class_id).await?;
        let content = roster.redact(&new.content);
        if content.len() > ARTIFACT_MAX_BYTES {
            return Err(SessionError::Pending(PendingError::PayloadTooLarge {
                bytes: content.len(),
                limit: ARTIFACT_MAX_BYTES,
            }));
        }
        let key = keys::artifacts(thread_id);
        let wanted = vec![Read::Record { key: key.clone() }];
        let partition = self.partition(student).await?;
        let known = self.read(&partition, wanted).await?.record()?;
        let name = new.name.field();
        let version = known.iter().find(|(field, _)| field == VERSION);
        let version = version.map(|(_, bytes)| bytes.clone());
        let others = known.iter().filter(|(field, _)| *field != name);
        if others.filter(|(field, _)| field != VERSION).count() >= ARTIFACTS_MAX {
            return Err(SessionError::Pending(PendingError::Invalid {
                field: "artifact_type",
                problem: "must be one of the 50 that this thread has, over all its batches; put it in another thread",
            }));
        }
        let artifact = Artifact {
            artifact_type: new.name.artifact_type.clone(),
            batch_id: new.name.batch_id.clone(),
            thread_id: thread_id.to_owned(),
            size_bytes: i32::try_from(content.len()).unwrap_or(i32::MAX),
            sha256: Sha256::digest(&content).to_vec().into(),
            supplier_id: new.supplier_id.clone(),
            supplier_role: new.supplier_role.clone(),
            supply_time: Some(time::to_proto(self.now())),
        };
        let next = version
            .as_ref()
            .map_or(Ok(0), |bytes| number(WHAT, bytes))?
            + 1;
        let texts = keys::artifact_texts(thread_id);
        let mut writes = vec![
            Write::Put {
                key: key.clone(),
                fields: vec![
                    field(VERSION, decimal(next)),
                    (name.clone(), record::encode(&artifact)),
                ],
            },
            Write::Put {
                key: texts.clone(),
                fields: vec![(name, record::stamp(content.as_bytes()))],
            },
        ];
        let after = self.limits().thread_retention;
        writes.extend([key.clone(), texts].map(|key| Write::Expire { key, after }));
        writes.extend(enters(self, &new.name.batch_id, thread_id));
        writes.extend(self.added_to(student, &opened.stored, opened.since).await?);
        let mut checks = vec![
            Check::FieldIs {
                key,
                field: VERSION,
                value: version,
                tell: Vec::new(),
            },
            Check::Present {
                key: keys::thread(thread_id),
            },
        ];
        checks.extend(opened.checks());
        let transaction = Transaction {
            checks,
            writes,
            reads: Vec::new(),
        };
        match self.transact(&partition, transaction).await? {
            Outcome::Applied(_) => Ok(Some(artifact)),
            Outcome::Refused(refused) => match refused.check {
                1 => Err(unknown(thread_id)),
                2 | 3 => Err(SessionError::TurnErased),
                _ => Ok(None),
            },
        }
    }

    /// What the student's threads have in a batch, of threads in the class and course of the one that is named; of that one
    /// all requests, whatever their batch.
    pub async fn batch(
        &self,
        student: &StudentKey,
        thread_id: &str,
        batch_id: &str,
    ) -> Result<Batch, SessionError> {
        let partition = self.partition(student).await?;
        let wanted = vec![StoredThread::read(&keys::thread(thread_id)), batches()];
        let mut reads = self.read(&partition, wanted).await?;
        let named = StoredThread::decode(reads.fields()?)?.ok_or_else(|| unknown(thread_id))?;
        let named = &named.thread;
        let is_near =
            |other: &Thread| other.class_id == named.class_id && other.course_id == named.course_id;
        let index = reads.members()?;
        let of_batch = index.iter().filter_map(|(member, _)| {
            let (batch, id) = member.split_once('/')?;
            (batch == batch_id && id != thread_id).then_some(id)
        });
        let mut latest = BTreeMap::new();
        let mut requests = Vec::new();
        for id in of_batch.chain([thread_id]) {
            let wanted = vec![
                StoredThread::read(&keys::thread(id)),
                Read::Record {
                    key: keys::artifacts(id),
                },
                Read::Record {
                    key: keys::interactions(id),
                },
            ];
            let mut reads = self.read(&partition, wanted).await?;
            let stored = StoredThread::decode(reads.fields()?)?;
            if stored.is_none_or(|stored| !is_near(&stored.thread)) {
                continue;
            }
            for artifact in decode(reads.record()?)? {
                if artifact.batch_id != batch_id {
                    continue;
                }
                let time = |artifact: &Artifact| order(artifact.supply_time);
                let known = latest.get(&artifact.artifact_type);
                if known.is_none_or(|known| time(known) <= time(&artifact)) {
                    latest.insert(artifact.artifact_type.clone(), artifact);
                }
            }
            for (name, bytes) in reads.record()? {
                if !name.starts_with(REQUEST) {
                    continue;
                }
                let request: ContextRequest = record::look("context_request", &bytes)?;
                if id == thread_id || request.batch_id == batch_id {
                    requests.push(request);
                }
            }
        }
        requests.sort_by_key(|request| order(request.create_time));
        Ok(Batch {
            artifacts: latest.into_values().collect(),
            requests,
        })
    }

    /// One artifact of a thread, and its text.
    pub async fn artifact(
        &self,
        student: &StudentKey,
        thread_id: &str,
        name: &ArtifactName,
    ) -> Result<(Artifact, String), SessionError> {
        let of = |key| Read::Fields {
            key,
            fields: vec![name.field()],
        };
        let wanted = vec![
            StoredThread::read(&keys::thread(thread_id)),
            of(keys::artifacts(thread_id)),
            of(keys::artifact_texts(thread_id)),
        ];
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        if StoredThread::decode(reads.fields()?)?.is_none() {
            return Err(unknown(thread_id));
        }
        let artifact = reads.fields()?.take().ok_or(PendingError::Invalid {
            field: "artifact_type",
            problem: "must be an artifact that the thread has in this batch",
        })?;
        let damaged = SessionError::RecordCorrupted { record: WHAT };
        let text = reads.fields()?.take().ok_or_else(|| damaged.clone())?;
        let text = String::from_utf8(record::unstamp(WHAT, &text)?.into());
        Ok((record::decode(WHAT, &artifact)?, text.map_err(|_| damaged)?))
    }

    /// The names of a thread's artifacts.
    pub(super) async fn artifact_names(
        &self,
        student: &StudentKey,
        thread_id: &str,
    ) -> Result<Vec<ArtifactName>, SessionError> {
        let wanted = vec![Read::Record {
            key: keys::artifacts(thread_id),
        }];
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        let names = reads.record()?.into_iter().filter_map(|(name, _)| {
            let (batch_id, artifact_type) = name.split_once('/')?;
            Some(ArtifactName {
                batch_id: batch_id.to_owned(),
                artifact_type: artifact_type.to_owned(),
            })
        });
        Ok(names.collect())
    }
}
