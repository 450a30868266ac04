//! The head of a source: which upload is committed, and which is staged.

use qdrant_client::qdrant::UpsertPoints;
use turnwise_retrieval_index::{SourceHead, SourceKey};
use uuid::Uuid;

use crate::{
    failure::Failure,
    filter,
    names::{course_key, head_point, source_key},
    options::Inner,
    payload::{
        Payload, Reader, Unreadable, everything, field, fields, group, number, text, texts, wide,
    },
    points::bare,
};

/// Whose the source is.
pub(super) const TENANT: &str = "tenant";
/// The course's own id.
pub(super) const COURSE_ID: &str = "course_id";
/// The source's own id.
pub(super) const SOURCE: &str = "source";
/// The committed upload; empty: none.
pub(super) const PUBLISHED: &str = "published";

/// How many discarded uploads are remembered. Their chunks are deleted at once; remembered, they are deleted again, in
/// case that failed or chunks came late.
const MOST_DISCARDED: usize = 16;

/// The head of a source.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    /// Names this state of it.
    state: String,
    pub(super) committed: Option<Kept>,
    pub(super) pending: Option<Kept>,
    /// Uploads whose chunks are to go, the oldest first.
    pub(super) discarded: Vec<String>,
    /// Something of it cannot be read.
    pub(super) damaged: bool,
}

/// An upload.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) head: SourceHead,
    /// Names its chunks.
    pub(super) upload: String,
    /// When it was committed, in milliseconds since 1970; 0 before.
    pub(super) at_ms: u64,
}

impl Head {
    pub(super) fn committed_revision(&self) -> Option<&str> {
        self.committed.as_ref().map(|kept| &*kept.head.revision)
    }

    pub(super) fn discard(&mut self, kept: Option<Kept>) {
        self.discarded.extend(kept.map(|k| k.upload));
        let extra = self.discarded.len().saturating_sub(MOST_DISCARDED);
        self.discarded.drain(..extra);
    }

    /// The head that these fields are. What cannot be read is left out, and the head damaged.
    pub(super) fn read(fields: Reader<'_>) -> Self {
        let mut damaged = false;
        let mut kept = |name| {
            let kept = fields
                .group_opt(name)
                .and_then(|group| group.map(Kept::read).transpose());
            kept.unwrap_or_else(|Unreadable(problem)| {
                tracing::warn!(name, problem, "the head of a source cannot be read");
                damaged = true;
                None
            })
        };
        let (committed, pending) = (kept("committed"), kept("pending"));
        Self {
            state: fields.text(field::STATE).unwrap_or_default().to_owned(),
            committed,
            pending,
            discarded: fields
                .texts("discarded")
                .unwrap_or_default()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            damaged,
        }
    }

    fn written(&self, key: &SourceKey) -> Payload {
        let published = self.committed.as_ref().map_or("", |kept| &kept.upload);
        let mut payload = fields([
            (field::KIND, text("head")),
            (field::COURSE, text(&course_key(&key.tenant, &key.course))),
            (field::STATE, text(&self.state)),
            (TENANT, text(&key.tenant)),
            (COURSE_ID, text(&key.course)),
            (SOURCE, text(&key.source)),
            (PUBLISHED, text(published)),
            (
                "discarded",
                texts(self.discarded.iter().map(String::as_str)),
            ),
        ]);
        for (name, kept) in [("committed", &self.committed), ("pending", &self.pending)] {
            if let Some(kept) = kept {
                payload.insert(name.to_owned(), group(kept.written()));
            }
        }
        payload
    }
}

impl Kept {
    fn read(fields: Reader<'_>) -> Result<Self, Unreadable> {
        Ok(Self {
            head: SourceHead {
                revision: fields.text("revision")?.into(),
                title: fields.text("title")?.into(),
                chunk_type: fields.text("chunk_type")?.into(),
                chunks: fields.number("chunks")?,
            },
            upload: fields.text("upload")?.to_owned(),
            at_ms: fields.wide("at_ms")?,
        })
    }

    fn written(&self) -> Payload {
        fields([
            ("revision", text(&self.head.revision)),
            ("title", text(&self.head.title)),
            ("chunk_type", text(&self.head.chunk_type)),
            ("chunks", number(self.head.chunks.into())),
            ("upload", text(&self.upload)),
            ("at_ms", wide(self.at_ms)),
        ])
    }
}

impl Inner {
    /// The head of a source.
    pub(super) async fn head(&self, key: &SourceKey) -> Result<Option<Head>, Failure> {
        let id = head_point(&source_key(key));
        let uploads = self.names.uploads();
        let points = self
            .connection
            .get(&uploads, vec![id], everything())
            .await?;
        Ok(points
            .first()
            .map(|point| Head::read(Reader(&point.payload))))
    }

    /// Writes a head if it is still in the state of `old` (`None`: if it is still not there), and draws its new state;
    /// whether it was written.
    pub(super) async fn replace(
        &self,
        key: &SourceKey,
        old: Option<&Head>,
        new: &mut Head,
    ) -> Result<bool, Failure> {
        new.state = Uuid::new_v4().to_string();
        let point = head_point(&source_key(key));
        // No head is in the empty state: then only a new point can be written.
        let expected = old.map_or("", |old| &old.state);
        let condition = filter::head_in_state(&key.tenant, &key.course, point.clone(), expected);
        let request = UpsertPoints {
            collection_name: self.names.uploads(),
            points: vec![bare(point, new.written(key))],
            update_filter: Some(condition),
            ..UpsertPoints::default()
        };
        self.connection.upsert(request).await?;
        let now = self.head(key).await?;
        Ok(now.is_some_and(|now| now.state == new.state))
    }

    /// Deletes the head of a source that is removed, and its chunks before it.
    pub(super) async fn forget(&self, key: &SourceKey, gone: &Head) -> Result<(), Failure> {
        let uploads = self.names.uploads();
        if !gone.discarded.is_empty() {
            let chunks = filter::chunks(&key.tenant, &key.course, &gone.discarded);
            self.connection.delete(&uploads, chunks).await?;
        }
        let point = head_point(&source_key(key));
        let head = filter::head_in_state(&key.tenant, &key.course, point, &gone.state);
        self.connection.delete(&uploads, head).await
    }

    /// Deletes the chunks of discarded uploads. What fails is tried again when the source is uploaded the next time.
    pub(super) async fn clean(&self, key: &SourceKey, discarded: &[String]) {
        if discarded.is_empty() {
            return;
        }
        let chunks = filter::chunks(&key.tenant, &key.course, discarded);
        if let Err(failure) = self.connection.delete(&self.names.uploads(), chunks).await {
            tracing::warn!(?failure, "chunks of a discarded upload stay for now");
        }
    }
}
