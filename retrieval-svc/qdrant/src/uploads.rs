//! Sources: what was uploaded, kept where all replicas find it.
//!
//! Each source has one *head* point, which names the upload that is committed and the one that is staged; each upload has
//! an id of its own, drawn when it begins, and a point for each chunk. Beginning, committing and removing change nothing
//! but the head, and only if it is still in the state that was read: so a commit is one write, and two replicas cannot
//! undo each other's. Uploads that nothing names any more stand in the head's list of discarded ones until their chunks
//! are deleted; ids are never used again, so deleting twice or late does no harm.

mod chunks;
mod head;

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};
use turnwise_retrieval_index::{
    BoxFuture, Progress, SourceError, SourceHead, SourceKey, SourceState, Sources, UploadedChunk,
};
use uuid::Uuid;

use crate::{
    Qdrant,
    failure::Failure,
    filter,
    options::Inner,
    payload::{Reader, everything, only},
};
use head::{Head, Kept};

/// How often we try to change a head that others change at the same time.
const MOST_TRIES: u32 = 8;

impl Sources for Qdrant {
    fn begin<'a>(
        &'a self,
        key: &'a SourceKey,
        head: &'a SourceHead,
    ) -> BoxFuture<'a, Result<Progress, SourceError>> {
        let inner = &self.inner;
        Box::pin(async move {
            inner.uploads_ready().await?;
            inner.heard(inner.begin(key, head).await).await?
        })
    }

    fn stage<'a>(
        &'a self,
        key: &'a SourceKey,
        revision: &'a str,
        first: u32,
        chunks: Vec<UploadedChunk>,
    ) -> BoxFuture<'a, Result<u32, SourceError>> {
        let inner = &self.inner;
        Box::pin(async move {
            inner.uploads_ready().await?;
            let staged = inner.stage(key, revision, first, chunks).await;
            inner.heard(staged).await?
        })
    }

    fn commit<'a>(
        &'a self,
        key: &'a SourceKey,
        revision: &'a str,
        now_ms: u64,
    ) -> BoxFuture<'a, Result<(), SourceError>> {
        let inner = &self.inner;
        Box::pin(async move {
            inner.uploads_ready().await?;
            inner
                .heard(inner.commit(key, revision, now_ms).await)
                .await?
        })
    }

    fn remove<'a>(&'a self, key: &'a SourceKey) -> BoxFuture<'a, Result<bool, SourceError>> {
        let inner = &self.inner;
        Box::pin(async move {
            inner.uploads_ready().await?;
            inner.heard(inner.remove(key).await).await?
        })
    }

    fn list<'a>(
        &'a self,
        tenant: &'a str,
        course: &'a str,
    ) -> BoxFuture<'a, Result<Vec<SourceState>, SourceError>> {
        let inner = &self.inner;
        Box::pin(async move {
            inner.uploads_ready().await?;
            inner.heard(inner.list(tenant, course).await).await
        })
    }

    fn courses<'a>(&'a self) -> BoxFuture<'a, Result<Vec<(Box<str>, Box<str>)>, SourceError>> {
        let inner = &self.inner;
        Box::pin(async move {
            inner.uploads_ready().await?;
            inner.heard(inner.courses().await).await
        })
    }

    fn chunks<'a>(
        &'a self,
        key: &'a SourceKey,
    ) -> BoxFuture<'a, Result<(SourceHead, Vec<UploadedChunk>), SourceError>> {
        let inner = &self.inner;
        Box::pin(async move {
            inner.uploads_ready().await?;
            inner.heard(inner.committed(key).await).await?
        })
    }
}

impl Qdrant {
    /// A number that changes when any source of any tenant is committed or removed, on whichever replica. Reads one short
    /// field of each source, so it can be asked for every few seconds.
    ///
    /// # Errors
    /// [`SourceError::Unavailable`].
    pub async fn revision_stamp(&self) -> Result<u64, SourceError> {
        self.inner.uploads_ready().await?;
        self.inner.heard(self.inner.stamp().await).await
    }
}

/// What a call about a source comes to: the database's failures outside, refusals inside.
type Answer<T> = Result<Result<T, SourceError>, Failure>;

impl Inner {
    async fn uploads_ready(&self) -> Result<(), SourceError> {
        Ok(self.schema.uploads(&self.connection).await?)
    }

    /// Passes a result on; a collection that is gone is made again at the next call.
    async fn heard<T>(&self, result: Result<T, Failure>) -> Result<T, SourceError> {
        if let Err(Failure::Missing(_)) = &result {
            self.schema.forget().await;
        }
        Ok(result?)
    }

    async fn begin(&self, key: &SourceKey, wanted: &SourceHead) -> Answer<Progress> {
        for _ in 0..MOST_TRIES {
            let old = self.head(key).await?;
            if let Some(old) = &old {
                self.clean(key, &old.discarded).await;
                if old
                    .committed
                    .as_ref()
                    .is_some_and(|kept| kept.head == *wanted)
                {
                    return Ok(Ok(Progress::Committed));
                }
                if let Some(pending) = old.pending.as_ref().filter(|p| p.head == *wanted) {
                    let staged = self.staged(key, &pending.upload).await?;
                    return Ok(Ok(Progress::Staged(staged)));
                }
            }
            let mut new = old.clone().unwrap_or_default();
            new.discard(new.pending.clone());
            new.pending = Some(Kept {
                head: wanted.clone(),
                upload: Uuid::new_v4().to_string(),
                at_ms: 0,
            });
            if self.replace(key, old.as_ref(), &mut new).await? {
                self.clean(key, &new.discarded).await;
                return Ok(Ok(Progress::Staged(0)));
            }
        }
        Err(contended())
    }

    async fn stage(
        &self,
        key: &SourceKey,
        revision: &str,
        first: u32,
        chunks: Vec<UploadedChunk>,
    ) -> Answer<u32> {
        let head = self.head(key).await?;
        match head.and_then(|h| h.pending) {
            Some(open) if *open.head.revision == *revision => {
                self.keep(key, &open, first, chunks).await
            }
            _ => Ok(Err(SourceError::NotBegun)),
        }
    }

    async fn commit(&self, key: &SourceKey, revision: &str, now_ms: u64) -> Answer<()> {
        for _ in 0..MOST_TRIES {
            let Some(old) = self.head(key).await? else {
                return Ok(Err(SourceError::NotBegun));
            };
            let open = old.pending.clone();
            let Some(open) = open.filter(|p| *p.head.revision == *revision) else {
                return Ok(match old.committed_revision() {
                    Some(committed) if committed == revision => Ok(()),
                    _ => Err(SourceError::NotBegun),
                });
            };
            let staged = self.staged(key, &open.upload).await?;
            let missing = open.head.chunks.saturating_sub(staged);
            if missing > 0 {
                return Ok(Err(SourceError::Incomplete { missing }));
            }
            let mut new = old.clone();
            new.pending = None;
            new.discard(new.committed.clone());
            new.committed = Some(Kept {
                at_ms: now_ms,
                ..open
            });
            new.damaged = false;
            if self.replace(key, Some(&old), &mut new).await? {
                self.clean(key, &new.discarded).await;
                return Ok(Ok(()));
            }
        }
        Err(contended())
    }

    async fn remove(&self, key: &SourceKey) -> Answer<bool> {
        for _ in 0..MOST_TRIES {
            let Some(old) = self.head(key).await? else {
                return Ok(Ok(false));
            };
            let there = old.committed.is_some() || old.pending.is_some() || old.damaged;
            // The head stays until the chunks are gone, so that a removal that is broken off is known.
            let mut gone = old.clone();
            gone.discard(gone.committed.clone());
            gone.discard(gone.pending.clone());
            gone.committed = None;
            gone.pending = None;
            gone.damaged = false;
            if self.replace(key, Some(&old), &mut gone).await? {
                self.forget(key, &gone).await?;
                return Ok(Ok(there));
            }
        }
        Err(contended())
    }

    async fn list(&self, tenant: &str, course: &str) -> Result<Vec<SourceState>, Failure> {
        let mut states = Vec::new();
        for (key, head) in self.heads(tenant, course).await? {
            let committed = head.committed.as_ref();
            let complete = match committed {
                Some(kept) => self.staged(&key, &kept.upload).await? == kept.head.chunks,
                None => true,
            };
            let pending = match &head.pending {
                Some(open) => Some((open.head.clone(), self.staged(&key, &open.upload).await?)),
                None => None,
            };
            if committed.is_some() || pending.is_some() || head.damaged {
                states.push(SourceState {
                    committed: committed.map(|kept| (kept.head.clone(), kept.at_ms)),
                    pending,
                    damaged: head.damaged || !complete,
                    key,
                });
            }
        }
        states.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(states)
    }

    async fn courses(&self) -> Result<Vec<(Box<str>, Box<str>)>, Failure> {
        let wanted = only(&[head::TENANT, head::COURSE_ID, head::PUBLISHED]);
        let uploads = self.names.uploads();
        let heads = self
            .connection
            .scroll(&uploads, filter::heads(None), wanted);
        let mut courses = BTreeSet::new();
        for point in heads.await? {
            let fields = Reader(&point.payload);
            match (
                fields.text(head::TENANT),
                fields.text(head::COURSE_ID),
                fields.text(head::PUBLISHED),
            ) {
                (Ok(_), Ok(_), Ok("")) => {}
                (Ok(tenant), Ok(course), Ok(_)) => {
                    courses.insert((tenant.into(), course.into()));
                }
                _ => tracing::warn!("a source has no tenant or course that can be read"),
            }
        }
        Ok(courses.into_iter().collect())
    }

    async fn committed(&self, key: &SourceKey) -> Answer<(SourceHead, Vec<UploadedChunk>)> {
        let mut head = self.head(key).await?;
        for _ in 0..MOST_TRIES {
            let Some(known) = head else {
                return Ok(Err(SourceError::NotBegun));
            };
            let Some(kept) = known.committed.clone() else {
                return Ok(Err(if known.damaged {
                    SourceError::Damaged(key.source.to_string())
                } else {
                    SourceError::NotBegun
                }));
            };
            if let Some(chunks) = self.all(key, &kept).await? {
                return Ok(Ok((kept.head, chunks)));
            }
            // Another revision may have been committed meanwhile, and this one's chunks deleted.
            let now = self.head(key).await?;
            let same = |h: &Head| {
                h.committed
                    .as_ref()
                    .is_some_and(|c| c.upload == kept.upload)
            };
            if now.as_ref().is_some_and(same) {
                return Ok(Err(SourceError::Damaged(key.source.to_string())));
            }
            head = now;
        }
        Err(contended())
    }

    async fn stamp(&self) -> Result<u64, Failure> {
        let uploads = self.names.uploads();
        let wanted = only(&[head::PUBLISHED]);
        let heads = self
            .connection
            .scroll(&uploads, filter::heads(None), wanted);
        let heads = heads.await?;
        let uploads: BTreeSet<&str> = heads
            .iter()
            .filter_map(|point| Reader(&point.payload).text(head::PUBLISHED).ok())
            .filter(|upload| !upload.is_empty())
            .collect();
        let mut hasher = Sha256::new();
        for upload in uploads {
            hasher.update((upload.len() as u64).to_le_bytes());
            hasher.update(upload.as_bytes());
        }
        let hash = hasher.finalize();
        Ok(hash[..8].iter().fold(0, |all, &b| all << 8 | u64::from(b)))
    }

    /// All heads of a tenant's course.
    async fn heads(&self, tenant: &str, course: &str) -> Result<Vec<(SourceKey, Head)>, Failure> {
        let filter = filter::heads(Some((tenant, course)));
        let uploads = self.names.uploads();
        let points = self.connection.scroll(&uploads, filter, everything());
        let mut heads = Vec::new();
        for point in points.await? {
            let fields = Reader(&point.payload);
            let Ok(source) = fields.text(head::SOURCE) else {
                tracing::warn!(tenant, course, "a source has no id that can be read");
                continue;
            };
            let key = SourceKey {
                tenant: tenant.into(),
                course: course.into(),
                source: source.into(),
            };
            heads.push((key, Head::read(fields)));
        }
        Ok(heads)
    }
}

fn contended() -> Failure {
    Failure::Away("other replicas change this source at the same time".to_owned())
}
