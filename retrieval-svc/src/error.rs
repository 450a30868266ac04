//! What can go wrong: at start, and in a call.

use std::time::Duration;

use turnwise_course_bundles::OpenError;
use turnwise_kit::Fault;
use turnwise_proto::common::v1::ErrorReason;
use turnwise_retrieval_embeddings::{EmbedError, OpenError as EmbeddingsError};
use turnwise_retrieval_index::{EngineError, SourceError};
use turnwise_retrieval_qdrant::OptionsError;
use turnwise_retrieval_store::OpenError as StoreError;

use crate::{indexing::IndexingError, references::SettingError};

/// When a caller may try again what a dependency did not answer.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The courses cannot be served, or not be archived.
    #[error(transparent)]
    Courses(#[from] OpenError),
    /// The place of the index cannot be read.
    #[error(
        "RETRIEVAL_STORE must be `embedded:` and the path of a file, `qdrant:` and an address, or `memory`: {0}"
    )]
    Location(&'static str),
    /// The file of the index cannot be used.
    #[error("RETRIEVAL_STORE: {0}")]
    Store(StoreError),
    /// A file with a secret or a certificate.
    #[error(transparent)]
    File(#[from] turnwise_kit::settings::SettingsError),
    /// Qdrant cannot be used.
    #[error("{setting}: {error}")]
    Qdrant {
        /// The setting that is wrong.
        setting: &'static str,
        /// What is wrong with it.
        error: OptionsError,
    },
    /// Settings of Qdrant without Qdrant.
    #[error(
        "QDRANT_API_KEY_FILE and QDRANT_CA_FILE are for RETRIEVAL_STORE=qdrant:URL; set that, or leave them out"
    )]
    NoQdrant,
    /// A setting that Qdrant does not take.
    #[error("VECTOR_PRECISION=int8 is for the embedded store; configure quantisation in Qdrant")]
    PrecisionWithQdrant,
    /// The embedding model cannot be used.
    #[error(transparent)]
    Embeddings(EmbeddingsError),
    /// The embedding model cannot be used.
    #[error("EMBEDDINGS: {0}")]
    Model(EmbedError),
    /// The model gateway has not told its embedding model.
    #[error("EMBEDDINGS: the model gateway did not tell its embedding model in time")]
    ModelAway,
    /// Reference texts.
    #[error(transparent)]
    References(SettingError),
    /// The start broke off.
    #[error("the start broke off: {0}")]
    Interrupted(String),
}

/// Why a call fails, beyond a field that is out of bounds.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RetrievalError {
    /// No such course is loaded.
    #[error("no course `{0}` is served here; name one that is, such as that of a thread")]
    UnknownCourse(String),
    /// The course is held in other versions only.
    #[error(
        "course `{course_id}` is not held in the version `{pack_hash}`; try again, or leave `pack_hash` out"
    )]
    UnknownPackVersion {
        /// The course.
        course_id: String,
        /// The version that was asked for.
        pack_hash: String,
    },
    /// The course has no such unit.
    #[error(
        "the course has no unit `{unit_id}`; send one that it has, such as the card's or the button's"
    )]
    UnknownUnit {
        /// The request's field that names it.
        field: &'static str,
        /// The unit.
        unit_id: String,
    },
    /// The search engine has not had the course yet.
    #[error("the course is not indexed yet, since the search engine does not answer; try again")]
    EngineAway,
    /// Sources may not be uploaded here.
    #[error(
        "this suite takes no uploads; whoever runs it can keep them in Qdrant, or in a file of one replica"
    )]
    UpsertsOff,
    /// Two chunks of a source with one id.
    #[error("chunk id `{0}` occurs twice in the source; give each its own")]
    DuplicateChunk(String),
    /// The search engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The store of what is uploaded.
    #[error(transparent)]
    Sources(SourceError),
    /// Indexing failed.
    #[error("the course could not be indexed: {0}")]
    Indexing(String),
}

impl From<SourceError> for RetrievalError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::DuplicateChunk(id) => Self::DuplicateChunk(id),
            other => Self::Sources(other),
        }
    }
}

impl From<IndexingError> for RetrievalError {
    fn from(error: IndexingError) -> Self {
        match error {
            IndexingError::Engine(error) => error.into(),
            IndexingError::Sources(error) => error.into(),
            IndexingError::Internal(problem) => Self::Indexing(problem),
        }
    }
}

impl From<RetrievalError> for Fault {
    fn from(error: RetrievalError) -> Self {
        let message = error.to_string();
        match error {
            RetrievalError::UnknownCourse(id) => Self::new(ErrorReason::UnknownCourse, message)
                .field("course_id", "no such course")
                .meta("course_id", id),
            RetrievalError::UnknownPackVersion { pack_hash, .. } => {
                Self::new(ErrorReason::UnknownPackVersion, message)
                    .field("pack_hash", "not held here")
                    .meta("pack_hash", pack_hash)
            }
            RetrievalError::UnknownUnit { field, unit_id } => {
                Self::new(ErrorReason::UnknownUnit, message)
                    .field(field, "no such unit")
                    .meta("unit_id", unit_id)
            }
            RetrievalError::EngineAway => away(message),
            RetrievalError::UpsertsOff => Self::new(ErrorReason::UpsertsOff, message),
            RetrievalError::DuplicateChunk(_) => Self::new(ErrorReason::InvalidArgument, message)
                .field("chunks.chunks.chunk_id", "occurs twice")
                .meta("field", "chunks.chunks.chunk_id"),
            RetrievalError::Engine(error) => engine(&error, message),
            RetrievalError::Sources(error) => sources(&error, message),
            RetrievalError::Indexing(_) => Self::new(ErrorReason::Internal, message),
        }
    }
}

fn away(message: String) -> Fault {
    Fault::new(ErrorReason::DependencyUnavailable, message)
        .meta("service", "search-engine")
        .retry_after(RETRY_AFTER)
}

fn engine(error: &EngineError, message: String) -> Fault {
    match error {
        EngineError::Unavailable(_) | EngineError::MissingPart { .. } => away(message),
        EngineError::Incompatible { held, .. } => {
            Fault::new(ErrorReason::IndexIncompatible, message).meta("index_model", held)
        }
        _ => Fault::new(ErrorReason::Internal, message),
    }
}

fn sources(error: &SourceError, message: String) -> Fault {
    match error {
        SourceError::Unavailable(_) => {
            Fault::new(ErrorReason::StorageUnavailable, message).retry_after(RETRY_AFTER)
        }
        SourceError::NotBegun => Fault::new(ErrorReason::VersionConflict, message)
            .field("begin.revision", "another upload has taken its place")
            .retry_after(RETRY_AFTER),
        SourceError::OutOfOrder { .. } => Fault::new(ErrorReason::InvalidArgument, message)
            .field("chunks.first", "must follow what is kept")
            .meta("field", "chunks.first"),
        SourceError::Incomplete { .. } => Fault::new(ErrorReason::InvalidArgument, message)
            .field("commit", "comes before all chunks are there")
            .meta("field", "commit"),
        SourceError::Damaged(_) | SourceError::Corrupted(_) => {
            Fault::new(ErrorReason::RecordCorrupted, message).meta("record", "source")
        }
        _ => Fault::new(ErrorReason::Internal, message),
    }
}

impl From<RetrievalError> for tonic::Status {
    fn from(error: RetrievalError) -> Self {
        Fault::from(error).into()
    }
}
