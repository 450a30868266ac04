//! The port: what turns texts into vectors, and how it fails.

use std::time::Duration;

use turnwise_kit::CallContext;
use turnwise_retrieval_index::{BoxFuture, ModelId};

/// What a text is for. Some models treat the two differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Something that is looked for. It is worked on before documents are.
    Query,
    /// Something that can be found.
    Document,
}

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Which model this is; `None`: there is none, and nothing can be embedded. A remote model may have to be asked for
    /// its name and length at first; from then on the answer is at hand, and it never changes.
    ///
    /// # Errors
    /// As [`embed`](Self::embed).
    fn describe<'a>(
        &'a self,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<ModelId>, EmbedError>>;

    /// The vectors of these texts, in their order: each of the model's dimension, finite and of length 1. The texts are
    /// embedded as they are: whoever calls has normalised them. No texts, no vectors. It answers before the call's
    /// deadline; whoever stops waiting sooner just drops the future, and no further work is begun for it.
    ///
    /// # Errors
    /// [`EmbedError::NoModel`], [`EmbedError::Unavailable`], [`EmbedError::Timeout`], [`EmbedError::WrongModel`],
    /// [`EmbedError::WrongLength`], [`EmbedError::Unusable`]; [`EmbedError::Refused`] for an empty text.
    fn embed<'a>(
        &'a self,
        texts: Vec<Box<str>>,
        purpose: Purpose,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>>;
}

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EmbedError {
    /// None is set up.
    #[error("there is no embedding model; EMBEDDINGS names one")]
    NoModel,
    /// The model does not answer. Trying again may help.
    #[error("the embedding model does not answer: {problem}")]
    Unavailable {
        /// What is the matter.
        problem: String,
        /// When to try again, if that is known.
        retry_after: Option<Duration>,
    },
    /// The time was up first. Trying again may help.
    #[error("the embedding model took too long")]
    Timeout,
    /// Another model answered than the one whose vectors are kept.
    #[error("model `{given}` answered instead of `{wanted}`; name one model in EMBEDDINGS")]
    WrongModel {
        /// The model that was asked.
        wanted: String,
        /// The model that answered.
        given: String,
    },
    /// Vectors of another length than the model's.
    #[error("the embedding model gave a vector of {given} numbers instead of {wanted}")]
    WrongLength {
        /// The model's dimension.
        wanted: usize,
        /// The length that came.
        given: usize,
    },
    /// The answer makes no sense.
    #[error("the embedding model gave an unusable answer: {0}")]
    Unusable(String),
    /// The request is wrong, or the model is not there. Trying again does not help.
    #[error("the texts cannot be embedded: {0}")]
    Refused(String),
}

impl EmbedError {
    /// A word for metrics and logs; never changes.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NoModel => "no_model",
            Self::Unavailable { .. } => "unavailable",
            Self::Timeout => "timeout",
            Self::WrongModel { .. } => "wrong_model",
            Self::WrongLength { .. } => "wrong_length",
            Self::Unusable(_) => "unusable",
            Self::Refused(_) => "refused",
        }
    }

    /// Whether trying again may help.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Timeout)
    }

    pub(crate) fn unavailable(problem: impl Into<String>) -> Self {
        Self::Unavailable {
            problem: problem.into(),
            retry_after: None,
        }
    }
}

/// Refuses texts that have no vector.
pub(crate) fn check_texts(texts: &[Box<str>]) -> Result<(), EmbedError> {
    match texts.iter().position(|text| text.is_empty()) {
        Some(at) => Err(EmbedError::Refused(format!("text {at} is empty"))),
        None => Ok(()),
    }
}

/// No model: words alone decide.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoModel;

impl Embedder for NoModel {
    fn describe<'a>(
        &'a self,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<ModelId>, EmbedError>> {
        Box::pin(async { Ok(None) })
    }

    fn embed<'a>(
        &'a self,
        texts: Vec<Box<str>>,
        _: Purpose,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            if texts.is_empty() {
                Ok(Vec::new())
            } else {
                Err(EmbedError::NoModel)
            }
        })
    }
}
