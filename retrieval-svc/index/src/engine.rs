//! The port of a search engine: parts go in, an index over some of them comes out, and an index is searched.
//!
//! A *part* is a piece of content that is complete and never changes: the rows of one version of a course pack, or one
//! revision of an uploaded source. An *index* is a set of parts of one course, as one tenant sees it, under one id. What
//! an index can find is fixed by its parts, when it is opened: no query can reach beyond them.

use std::{future::Future, pin::Pin, sync::Arc};

use crate::{
    Part, Statistics,
    document::{Namespace, Passage, Tier},
    vector,
};

/// A boxed future that may borrow.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Names a part. Equal names mean equal content, vectors included.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId {
    /// Whose it is; empty: a course pack's, for all tenants.
    pub tenant: Box<str>,
    /// The course.
    pub course: Box<str>,
    /// The uploaded source; empty: the course pack itself.
    pub source: Box<str>,
    /// The content's name: a hash of what was put in, of the normaliser and of the model.
    pub revision: Box<str>,
}

/// An embedding model, named so that vectors of different models can never meet.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelId {
    /// What people call it.
    pub name: Box<str>,
    /// What it is: a hash over the files of a local model, backend and name of a remote one.
    pub digest: Box<str>,
    /// The length of its vectors.
    pub dimension: usize,
}

/// What an index is made of.
#[derive(Debug, Clone)]
pub struct Content {
    /// The index's id: equal ids give equal answers.
    pub id: Box<str>,
    /// Whose view it is. Parts belong to this tenant or to all.
    pub tenant: Box<str>,
    /// The course. All parts are its own.
    pub course: Box<str>,
    /// The parts, all of which were published. Of two documents with one id in one namespace, the one of the earlier part
    /// is found.
    pub parts: Vec<PartId>,
    /// How often terms occur in all of them together.
    pub statistics: Arc<Statistics>,
}

/// Terms with their weights, each once, at least 0 and finite; shared by all searches for one message.
pub type WeightedTerms = Arc<[(Box<str>, f64)]>;

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// How rare a term is comes on top, from the statistics.
    pub terms: WeightedTerms,
    /// The vector of the text, of the index's dimension, finite, of length 1. `None`: words alone decide.
    pub vector: Option<Arc<[f32]>>,
    /// How the two rankings become one.
    pub fusion: Fusion,
}

impl Query {
    /// Whether the query keeps its bounds. `dimension` is the length of the index's vectors; `None`: it has none.
    ///
    /// # Errors
    /// [`EngineError::Incompatible`] for a vector of another length; [`EngineError::Query`] for all else.
    pub fn check(&self, dimension: Option<usize>) -> Result<(), EngineError> {
        let fault = |problem: String| Err(EngineError::Query(problem));
        let mut terms: Vec<&str> = self.terms.iter().map(|(term, _)| &**term).collect();
        terms.sort_unstable();
        if let Some(twice) = terms.windows(2).find(|pair| pair[0] == pair[1]) {
            return fault(format!("term `{}` is named twice", twice[0]));
        }
        let weighs = |weight: f64| weight.is_finite() && weight >= 0.0;
        if let Some((term, weight)) = self.terms.iter().find(|(_, weight)| !weighs(*weight)) {
            return fault(format!("term `{term}` weighs {weight}"));
        }
        let fusion = &self.fusion;
        if !(fusion.k.is_finite()
            && fusion.k > 0.0
            && weighs(fusion.lexical)
            && weighs(fusion.dense))
        {
            return fault(format!("rankings cannot be fused by {fusion:?}"));
        }
        let Some(vector) = &self.vector else {
            return Ok(());
        };
        if dimension != Some(vector.len()) {
            return Err(EngineError::Incompatible {
                given: format!("{} values", vector.len()),
                held: dimension.map_or("no model".to_owned(), |held| format!("{held} values")),
            });
        }
        match vector::problem(vector, vector.len()) {
            Some(problem) => fault(problem),
            None => Ok(()),
        }
    }
}

/// Weighted reciprocal rank fusion: a document's score is the sum over both rankings of weight / (k + rank), ranks from 1;
/// equal scores in a ranking share the better rank. Cormack, Clarke and Büttcher, SIGIR 2009.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fusion {
    /// The constant; above 0.
    pub k: f64,
    /// The weight of the ranking by words.
    pub lexical: f64,
    /// The weight of the ranking by meaning.
    pub dense: f64,
    /// How many of each ranking take part: the best by score, among equal scores the first by id. Those beyond it, and
    /// what does not match, do not count in that ranking.
    pub depth: usize,
}

impl Default for Fusion {
    fn default() -> Self {
        Self {
            k: 60.0,
            lexical: 1.0,
            dense: 3.0,
            depth: 200,
        }
    }
}

/// Which rows may be found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Rows of any of these units; `None`: of all units of the index. An unknown unit has no rows; an empty list finds
    /// nothing.
    pub units: Option<Vec<Box<str>>>,
    /// Rows of this tier; `None`: of any, and of none.
    pub tier: Option<Tier>,
}

/// A value and its place in one of the rankings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The BM25 score, above 0, or the cosine similarity, -1 to 1.
    pub score: f64,
    /// The place, from 1.
    pub rank: u32,
}

/// One row that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its id.
    pub id: Box<str>,
    /// Its units.
    pub units: Vec<Box<str>>,
    /// The fused score, above 0.
    pub score: f64,
    /// Its place by words; `None`: no word matched, or it was beyond the depth.
    pub lexical: Option<Ranked>,
    /// Its place by meaning; `None`: there was no vector, or it was beyond the depth.
    pub dense: Option<Ranked>,
    /// What is shown of it.
    pub passage: Option<Arc<Passage>>,
}

/// Why an engine could not do something.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// The vector database does not answer. Trying again may help.
    #[error("the vector database does not answer: {0}")]
    Unavailable(String),
    /// Vectors of another model or length.
    #[error("vectors of {given} do not fit the index, which holds those of {held}")]
    Incompatible {
        /// What was given.
        given: String,
        /// What the index holds.
        held: String,
    },
    /// A query that breaks a bound of [`Query`] or [`Fusion`].
    #[error("the query cannot be used: {0}")]
    Query(String),
    /// A part that an index is to be made of was not published.
    #[error("a part of source `{source_id}` is not there; publish it first")]
    MissingPart {
        /// The source of the part.
        source_id: String,
    },
    /// A part of another tenant or course.
    #[error("a part of another tenant or course cannot be part of this index")]
    ForeignPart,
    /// The database answered something that makes no sense.
    #[error("the vector database answered wrongly: {0}")]
    Protocol(String),
}

/// A search engine. Publishing never changes what an index that is open answers.
pub trait Engine: Send + Sync {
    /// `embedded` or `qdrant`.
    fn name(&self) -> &'static str;

    /// Whether a part is published, so that nothing is embedded in vain.
    fn holds<'a>(&'a self, part: &'a PartId) -> BoxFuture<'a, Result<bool, EngineError>>;

    /// Makes a part available to indexes that are opened from now on. Idempotent: a part that is there stays as it is; one
    /// that was broken off goes on.
    ///
    /// # Errors
    /// [`EngineError::Incompatible`] if its vectors are not of this engine's model; [`EngineError::Unavailable`].
    fn publish<'a>(&'a self, part: Arc<Part>) -> BoxFuture<'a, Result<(), EngineError>>;

    /// Publishes a part anew although it is there, as after damage: row by row over what is there, which is found
    /// meanwhile.
    ///
    /// # Errors
    /// As [`Engine::publish`].
    fn replace<'a>(&'a self, part: Arc<Part>) -> BoxFuture<'a, Result<(), EngineError>>;

    /// Opens an index over published parts.
    ///
    /// # Errors
    /// [`EngineError::MissingPart`], [`EngineError::ForeignPart`], [`EngineError::Unavailable`].
    fn open<'a>(&'a self, content: Content) -> BoxFuture<'a, Result<Arc<dyn Index>, EngineError>>;

    /// Forgets the parts of a course and tenant that are not among `keep`. Indexes that are still open may go on finding
    /// them or not.
    fn retire<'a>(
        &'a self,
        tenant: &'a str,
        course: &'a str,
        keep: &'a [PartId],
    ) -> BoxFuture<'a, Result<(), EngineError>>;
}

/// An open index: immutable, shared by all who search it.
pub trait Index: Send + Sync {
    /// What it is made of.
    fn content(&self) -> &Content;

    /// The rows that match, best first: fused score descending, then id ascending by bytes; at most `top`, each with a
    /// score above 0. A query without terms and without vector finds nothing.
    ///
    /// # Errors
    /// [`EngineError::Incompatible`] for a vector of another length; [`EngineError::Query`];
    /// [`EngineError::Unavailable`].
    fn search<'a>(
        &'a self,
        namespace: Namespace,
        query: &'a Query,
        filter: &'a Filter,
        top: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, EngineError>>;

    /// The terms of a query that a hit of this index holds, in the query's order: why it was found. Nothing for a row that
    /// the index does not have.
    ///
    /// # Errors
    /// [`EngineError::Unavailable`].
    fn matched<'a>(
        &'a self,
        namespace: Namespace,
        hit: &'a Hit,
        query: &'a Query,
    ) -> BoxFuture<'a, Result<Vec<Box<str>>, EngineError>>;
}
