//! Why a transaction has no answer, and what the caller of the store is told.

use turnwise_redis::{FailureKind, FailureLog};

use crate::error::StoreError;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// Redis did not do it, or perhaps not.
    #[error(transparent)]
    Redis(#[from] turnwise_redis::Failure),
    /// It was done, but fewer replicas than wanted have it.
    #[error("{replicas} replicas have the write")]
    NotReplicated {
        /// How many have it.
        replicas: i64,
    },
}

impl Failure {
    /// What the caller of the store is told.
    pub(super) fn kind(&self) -> StoreError {
        match self {
            Self::NotReplicated { .. } => StoreError::NotReplicated,
            // The wait ended because the server is no longer primary.
            Self::Redis(failure) if failure.code() == "UNBLOCKED" => StoreError::NotReplicated,
            Self::Redis(failure) => match failure.kind() {
                FailureKind::Unavailable | FailureKind::Refused => StoreError::Unavailable,
                FailureKind::TimedOut => StoreError::TimedOut,
                FailureKind::Full => StoreError::Full,
                FailureKind::ReadOnly => StoreError::ReadOnly,
                FailureKind::Denied => StoreError::Refused,
                FailureKind::Unexpected => StoreError::Corrupted,
            },
        }
    }

    /// What the log is told: no value, which may be a student's, and no password.
    pub(super) fn tell(&self, failure_log: &FailureLog) {
        match self {
            Self::Redis(failure) if self.kind() != StoreError::NotReplicated => {
                failure_log.log(failure);
            }
            _ => failure_log.log_as("not replicated", self, "check the replicas"),
        }
    }
}
