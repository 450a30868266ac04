//! What a failed call means.

use tonic::{Code, Status};
use turnwise_retrieval_index::{EngineError, SourceError};

/// The longest message of the database that we pass on, in characters.
const LONGEST_MESSAGE: usize = 300;

/// Why a call of the database failed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Failure {
    /// It does not answer, is starting or stopping, or could not apply a write in time.
    Away(String),
    /// It refuses our API key.
    Refused,
    /// A collection is not there.
    Missing(String),
    /// What is to be made is there already.
    Exists,
    /// It refuses a request, or answers something that makes no sense.
    Wrong(String),
}

impl Failure {
    pub(crate) fn of(what: &str, status: &Status) -> Self {
        let message = format!("{what}: {}", short(status.message()));
        match status.code() {
            Code::Unauthenticated | Code::PermissionDenied => Self::Refused,
            Code::NotFound => Self::Missing(message),
            Code::AlreadyExists => Self::Exists,
            // Before 1.8 this was how a collection's existence was told.
            Code::InvalidArgument if status.message().contains("already exists!") => Self::Exists,
            Code::Unavailable
            | Code::Cancelled
            | Code::DeadlineExceeded
            | Code::ResourceExhausted
            | Code::Aborted
            // A replica of a shard that is not ready yet answers this.
            | Code::Internal
            // The transport's own failures.
            | Code::Unknown => Self::Away(message),
            _ => Self::Wrong(message),
        }
    }

    /// Whether the same call may succeed a moment later.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Away(_))
    }

    fn into_message(self) -> String {
        match self {
            Self::Away(message) | Self::Missing(message) | Self::Wrong(message) => message,
            Self::Refused => "it refuses our API key; see QDRANT_API_KEY_FILE".to_owned(),
            Self::Exists => "something of that name exists".to_owned(),
        }
    }
}

impl From<Failure> for EngineError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Wrong(message) => Self::Protocol(message),
            other => Self::Unavailable(other.into_message()),
        }
    }
}

impl From<Failure> for SourceError {
    fn from(failure: Failure) -> Self {
        Self::Unavailable(failure.into_message())
    }
}

fn short(message: &str) -> String {
    message.chars().take(LONGEST_MESSAGE).collect()
}
