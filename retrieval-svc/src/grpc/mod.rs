//! The service's faces: they check requests and convert answers.

mod check;
mod convert;
mod index;
mod material;
mod retrieval;
mod upload;
mod words;

use std::sync::Arc;

use turnwise_kit::{CancellationToken, PageTokens};
use turnwise_retrieval_embeddings::Queries;

pub use self::{index::IndexGrpc, retrieval::RetrievalGrpc, words::put_in_words};
use crate::{
    Courses,
    course::{CourseVersion, View},
    error::RetrievalError,
    indexing::Indexer,
    references::References,
};

/// What both faces serve.
pub struct Served {
    /// The courses.
    pub courses: Arc<Courses>,
    /// Makes what is searched.
    pub indexer: Arc<Indexer>,
    /// Makes vectors of what is looked for.
    pub queries: Arc<Queries>,
    /// Teachers' reference texts.
    pub references: References,
    /// Whether sources may be uploaded.
    pub upserts: bool,
    /// Makes and checks page tokens.
    pub pages: PageTokens,
    /// Ends streams when the process drains.
    pub shutdown: CancellationToken,
}

impl Served {
    /// The course in a version; without a hash, as new turns have it.
    fn course(&self, id: &str, pack_hash: &str) -> Result<Arc<CourseVersion>, RetrievalError> {
        if pack_hash.is_empty() {
            let course = self.courses.get(id);
            let course = course.ok_or_else(|| RetrievalError::UnknownCourse(id.to_owned()))?;
            return Ok(Arc::clone(&course));
        }
        if !self.courses.holds(id) {
            return Err(RetrievalError::UnknownCourse(id.to_owned()));
        }
        let course = self.courses.version(id, pack_hash);
        let course = course.ok_or_else(|| RetrievalError::UnknownPackVersion {
            course_id: id.to_owned(),
            pack_hash: pack_hash.to_owned(),
        })?;
        Ok(Arc::clone(&course))
    }

    /// What a tenant searches.
    fn view(course: &CourseVersion, tenant: &str) -> Result<Arc<View>, RetrievalError> {
        let view = course.view(tenant);
        view.ok_or(RetrievalError::EngineAway)
    }
}
