//! The port of what is uploaded: the truth from which parts are made, and the vectors that are worth keeping.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::{
    document::ContentHash,
    engine::{BoxFuture, ModelId, PartId},
};

/// Names an uploaded source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceKey {
    /// Whose it is; never empty.
    pub tenant: Box<str>,
    /// The course.
    pub course: Box<str>,
    /// The source's id; never empty.
    pub source: Box<str>,
}

/// A tenant and one of its courses.
pub type TenantCourse = (Box<str>, Box<str>);

/// What an upload says about itself first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceHead {
    /// Names this content of the source.
    pub revision: Box<str>,
    /// What people read.
    pub title: Box<str>,
    /// `text`, `pdf` or `transcript`.
    pub chunk_type: Box<str>,
    /// How many chunks there are.
    pub chunks: u32,
}

/// One uploaded chunk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UploadedChunk {
    /// Its id, unique in its source.
    pub id: Box<str>,
    /// The unit that it teaches.
    pub unit: Box<str>,
    /// Its heading.
    pub section: Box<str>,
    /// A free word such as `explanation`.
    pub section_kind: Box<str>,
    /// Where it can be read.
    pub url: Box<str>,
    /// Its page; 0: none.
    pub page: u32,
    /// Its place in a recording, in milliseconds.
    pub start_ms: Option<u64>,
    /// The text.
    pub text: Box<str>,
}

/// How far an upload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Chunks up to this place, from 0, are kept.
    Staged(u32),
    /// This revision is committed.
    Committed,
}

/// A source as it is listed.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceState {
    /// The source.
    pub key: SourceKey,
    /// What is committed, and when (milliseconds since 1970); `None`: nothing yet.
    pub committed: Option<(SourceHead, u64)>,
    /// What is staged: its head, and how many chunks are kept.
    pub pending: Option<(SourceHead, u32)>,
    /// What is kept of the committed revision cannot be read.
    pub damaged: bool,
}

/// Why the store could not do something.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SourceError {
    /// The store does not answer or cannot write. Nothing was acknowledged.
    #[error("the store of sources does not answer: {0}")]
    Unavailable(String),
    /// An upload that was not begun, or was replaced by another revision meanwhile.
    #[error("no upload of this revision is open; begin again")]
    NotBegun,
    /// Chunks that do not follow those that are kept.
    #[error("chunk {given} does not follow: the next is {next}")]
    OutOfOrder {
        /// The place that was given.
        given: u32,
        /// The place that would follow.
        next: u32,
    },
    /// A commit before all chunks are there.
    #[error("{missing} chunks are missing")]
    Incomplete {
        /// How many.
        missing: u32,
    },
    /// Two chunks with one id.
    #[error("chunk id `{0}` occurs twice")]
    DuplicateChunk(String),
    /// What is kept cannot be read.
    #[error("what is kept of source `{0}` cannot be read; upload it again")]
    Damaged(String),
    /// The store itself is damaged, not one source.
    #[error("the store of sources is damaged: {0}")]
    Corrupted(String),
}

/// Uploaded sources. Whatever was answered `Ok` survives the process's death.
pub trait Sources: Send + Sync {
    /// Opens an upload, or goes on with it. Another revision than the one that is staged replaces it, staged chunks
    /// included; so does the same revision with another head. The committed revision stays until the commit.
    fn begin<'a>(
        &'a self,
        key: &'a SourceKey,
        head: &'a SourceHead,
    ) -> BoxFuture<'a, Result<Progress, SourceError>>;

    /// Keeps the next chunks, `first` being the place of the first of them; answers the next place. Chunks that are kept
    /// already are passed over, so a repeated call does no harm.
    fn stage<'a>(
        &'a self,
        key: &'a SourceKey,
        revision: &'a str,
        first: u32,
        chunks: Vec<UploadedChunk>,
    ) -> BoxFuture<'a, Result<u32, SourceError>>;

    /// Makes the staged revision the committed one, at once and as a whole; repeating it does no harm. `now_ms` is the
    /// time, in milliseconds since 1970.
    fn commit<'a>(
        &'a self,
        key: &'a SourceKey,
        revision: &'a str,
        now_ms: u64,
    ) -> BoxFuture<'a, Result<(), SourceError>>;

    /// Removes a source, and what is staged of it; whether there was any.
    fn remove<'a>(&'a self, key: &'a SourceKey) -> BoxFuture<'a, Result<bool, SourceError>>;

    /// The sources of a tenant's course, by id.
    fn list<'a>(
        &'a self,
        tenant: &'a str,
        course: &'a str,
    ) -> BoxFuture<'a, Result<Vec<SourceState>, SourceError>>;

    /// Every tenant and course with a committed source, in order.
    fn courses<'a>(&'a self) -> BoxFuture<'a, Result<Vec<TenantCourse>, SourceError>>;

    /// The chunks of the committed revision, in order, with its head.
    ///
    /// # Errors
    /// [`SourceError::NotBegun`] if nothing is committed; [`SourceError::Damaged`].
    fn chunks<'a>(
        &'a self,
        key: &'a SourceKey,
    ) -> BoxFuture<'a, Result<(SourceHead, Vec<UploadedChunk>), SourceError>>;
}

/// What can be made again, and is kept because that takes time. All of it may be lost; none of it may be wrong. Calls
/// block for as long as the disk takes.
pub trait Cache: Send + Sync {
    /// The vectors that a model has made of these contents; `None` where it has made none. A vector of another length than
    /// the model's is left out.
    fn vectors(&self, model: &ModelId, contents: &[ContentHash]) -> Vec<Option<Vec<f32>>>;

    /// Keeps vectors.
    fn keep_vectors(&self, model: &ModelId, vectors: &[(ContentHash, Vec<f32>)]);

    /// Forgets the vectors of a model for these contents.
    fn forget_vectors(&self, model: &ModelId, contents: &[ContentHash]);

    /// Forgets the vectors of a model for all contents but these; how many those were. Vectors that are kept while this
    /// runs may be forgotten, too.
    fn forget_unused(&self, model: &ModelId, keep: &HashSet<ContentHash>) -> u64;

    /// A part as it was kept: what [`Part::encode`](crate::Part::encode) made, vectors left out.
    fn part(&self, id: &PartId) -> Option<Vec<u8>>;

    /// Keeps a part, and forgets other revisions of the same source that are not among `keep`.
    fn keep_part(&self, id: &PartId, encoded: &[u8], keep: &[PartId]);
}
