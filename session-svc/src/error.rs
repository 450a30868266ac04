//! What can go wrong, while the service runs and when it starts, and what each failure means to a caller.

use std::{io, path::PathBuf, time::Duration};

use turnwise_kit::Fault;
use turnwise_proto::common::v1::ErrorReason;

/// The longest wait that a caller is told while another turn runs: most turns end long before their lease.
const TURN_RETRY: Duration = Duration::from_secs(1);
/// When a call that lost a race may be sent again.
const CONFLICT_RETRY: Duration = Duration::from_millis(100);
/// When a call may be sent again that the store did not answer.
const STORAGE_RETRY: Duration = Duration::from_secs(1);

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The student has no such thread; somebody else's counts as none.
    #[error("no thread `{thread_id}`; ask for one that ListThreads names")]
    UnknownThread {
        /// The id that was asked for.
        thread_id: String,
    },
    /// The thread is about another course than the one named.
    #[error(
        "the thread is not about course `{course_id}`; name the course that the thread was made for"
    )]
    OtherCourse {
        /// The course that was named.
        course_id: String,
    },
    /// Another turn of the thread holds its lease.
    #[error("another turn of this thread is being worked on; try again with the same key")]
    TurnInProgress {
        /// How long that lease lasts at most if it is not renewed.
        lease_remainder: Duration,
    },
    /// The idempotency key was used with another request.
    #[error("this idempotency key was used before with another request; send a new key")]
    IdempotencyConflict,
    /// The turn's lease has run out or has passed to another turn.
    #[error(
        "the turn's lease is no longer held, nothing was written; begin the turn again with the same key"
    )]
    LeaseLost,
    /// The messages' ids do not follow the thread's.
    #[error("the ids of `messages` must go on from {expected}")]
    MessageIds {
        /// The id that the first message must have.
        expected: i64,
    },
    /// A stored record cannot be read.
    #[error("the stored {record} cannot be read; restore it from a backup")]
    RecordCorrupted {
        /// What kind of record.
        record: &'static str,
    },
    /// A stored record was written by a newer version.
    #[error(
        "the stored {record} has schema version {version}, which this version does not know; upgrade the service"
    )]
    SchemaTooNew {
        /// What kind of record.
        record: &'static str,
        /// The version it was written with.
        version: u8,
    },
    /// The store does not answer or cannot write; its own words are in the log.
    #[error("the store does not answer; try again")]
    Unavailable,
}

impl From<SessionError> for Fault {
    fn from(error: SessionError) -> Self {
        let message = error.to_string();
        let fault = |reason| Fault::new(reason, message.clone());
        match error {
            SessionError::UnknownThread { thread_id } => fault(ErrorReason::UnknownThread)
                .meta("thread_id", thread_id)
                .field("thread_id", "no such thread"),
            SessionError::OtherCourse { course_id } => fault(ErrorReason::UnknownCourse)
                .meta("course_id", course_id)
                .field("course_id", "is not the thread's course"),
            SessionError::TurnInProgress { lease_remainder } => {
                fault(ErrorReason::TurnInProgress).retry_after(lease_remainder.min(TURN_RETRY))
            }
            SessionError::IdempotencyConflict => fault(ErrorReason::IdempotencyConflict),
            SessionError::LeaseLost => {
                fault(ErrorReason::VersionConflict).retry_after(CONFLICT_RETRY)
            }
            SessionError::MessageIds { expected } => Fault::invalid(
                "messages",
                format!("must have ids that go on from {expected}"),
            ),
            SessionError::RecordCorrupted { record } => {
                fault(ErrorReason::RecordCorrupted).meta("record", record)
            }
            SessionError::SchemaTooNew { record, version } => fault(ErrorReason::SchemaTooNew)
                .meta("record", record)
                .meta("version", version.to_string()),
            SessionError::Unavailable => {
                fault(ErrorReason::StorageUnavailable).retry_after(STORAGE_RETRY)
            }
        }
    }
}

/// Why the service does not start. The messages never hold a password.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// `SESSION_STORE` names no store.
    #[error(
        "SESSION_STORE must be `embedded:` and the path of a file, or a `redis://` URL: {problem}"
    )]
    UnknownStore {
        /// What is wrong with the value.
        problem: String,
    },
    /// The password file cannot be read.
    #[error("cannot read SESSION_REDIS_PASSWORD_FILE {}; give this user the right to read it", path.display())]
    PasswordFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder or the file of the embedded store cannot be made.
    #[error("cannot create {}; name a place in SESSION_STORE that this user may write to", path.display())]
    CreateStore {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process has the embedded store open.
    #[error("{} is in use by another process; stop that process or name another file in SESSION_STORE", path.display())]
    StoreInUse {
        /// The file.
        path: PathBuf,
    },
    /// The embedded store cannot be opened.
    #[error("cannot open the store {}; if the file is damaged, restore it from a backup", path.display())]
    OpenStore {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<redb::Error>,
    },
    /// The thread that writes to the embedded store cannot be started.
    #[error(
        "cannot start the thread that writes to the store; raise the limit of threads of this user"
    )]
    StartWriter {
        /// Why.
        source: io::Error,
    },
}
