//! What can go wrong, while the service runs and when it starts, and what each failure means to a caller.

use std::time::Duration;

use turnwise_kit::Fault;
use turnwise_proto::common::v1::ErrorReason;
use turnwise_session_archive::ArchiveError;
use turnwise_session_store::{OpenError, StoreError};

use crate::{pending::PendingError, sessions::keys};

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
    /// A turn of the thread holds its lease.
    #[error("{}; try again with the same key", in_progress(*same_request))]
    TurnInProgress {
        /// Whether it is this very request, sent before.
        same_request: bool,
        /// How long that lease lasts at most if it is not renewed.
        lease_remainder: Duration,
    },
    /// The idempotency key was used with another request.
    #[error("this idempotency key was used before with another request; send a new key")]
    IdempotencyConflict,
    /// The id of deferred work is that of other work.
    #[error("this id names other deferred work; send a new `work_id`")]
    OtherWork,
    /// The turn's lease has run out or has passed to another turn.
    #[error(
        "the turn's lease is no longer held, nothing was written; begin the turn again with the same key"
    )]
    LeaseLost,
    /// The messages' ids do not follow the thread's.
    #[error("the ids of `messages` must go on from the thread's message_count")]
    MessageIds {
        /// The id that the first message must have; none if they do not even follow each other.
        expected: Option<i64>,
    },
    /// What the thread waits for has changed since the turn began.
    #[error(
        "what the thread waits for has changed since the turn began, nothing was written; begin the turn again with the same key"
    )]
    PendingChanged,
    /// The thread's text, or the student, was erased since the turn began or the record was read.
    #[error("the text was erased since this began, nothing was written; begin anew")]
    TurnErased,
    /// The thread that the key opened was erased, or its text.
    #[error(
        "the conversation that this key opened was erased, and no other was opened; open one with a new key"
    )]
    ThreadErased,
    /// The student is being erased.
    #[error("what is kept of this student is being erased; try again when that is done")]
    ErasureUnderWay,
    /// The thread's log has no such event yet.
    #[error(
        "the thread has no event `{after}` yet; send the id of the last one that you have, or 0"
    )]
    NoSuchEvent {
        /// The id after which events were asked for.
        after: i64,
    },
    /// The student has no such turn, or its log is past its time.
    #[error("no log of turn `{turn_id}` is kept; name a later turn of this student")]
    UnknownTurn {
        /// The id that was asked for.
        turn_id: String,
    },
    /// The student has not worked in the class, or nothing is kept of them.
    #[error("nothing is kept of this student here; name one who has worked in the class")]
    UnknownStudent,
    /// The class has no such alert.
    #[error("the class has no alert `{alert_id}`; name one that ListSafeguardingAlerts lists")]
    UnknownAlert {
        /// The id that was asked for.
        alert_id: String,
    },
    /// The tenant has no such archive.
    #[error("there is no such archive; name one that a reset or an export answered")]
    UnknownArchive,
    /// The session never had such an overlay.
    #[error("`overlay_id` is no overlay of this session; name its latest")]
    UnknownOverlay,
    /// Another reset of the class runs.
    #[error("the class is being reset under another key; try again, or ask with that key")]
    ResetInProgress {
        /// The class.
        class_id: String,
    },
    /// Others wrote first, again and again.
    #[error("the record was changed in between, again and again; try again with the same key")]
    Contended,
    /// A reader of a stream is too slow.
    #[error("this reader is too slow; watch again from event {after_id}")]
    ResumeRequired {
        /// The last event that it was sent.
        after_id: i64,
    },
    /// A step of what the thread waits for is not legal now.
    #[error(transparent)]
    Pending(#[from] PendingError),
    /// An archive could not be written.
    #[error(
        "the archive cannot be written, nothing was deleted; look at the service's log, make room or give it the right to write, and try again"
    )]
    ArchiveFailed {
        /// The class.
        class_id: String,
    },
    /// A stored record cannot be read.
    #[error("the stored {record} cannot be read; report the x-request-id")]
    RecordCorrupted {
        /// What kind of record.
        record: &'static str,
    },
    /// A stored record was written by a newer version.
    #[error(
        "the stored {record} has schema version {version}, which this version does not know, and is left as it is; try again once the upgrade is done, and report the x-request-id if it stays"
    )]
    SchemaTooNew {
        /// What kind of record.
        record: &'static str,
        /// The version it was written with.
        version: u8,
    },
    /// A student was erased, but an archive could not be read or rewritten.
    #[error(
        "the student's records are erased, but an archive cannot be read or rewritten; look at the service's log, mend or remove that archive, and erase the student again"
    )]
    ArchiveNotErased,
    /// The store does not answer or cannot write; its own words are in the log.
    #[error("{0}; try again")]
    Store(StoreError),
    /// The service cannot do it now: it is being stopped, or the store answered something unexpected.
    #[error("the service cannot do this now; try again")]
    Unavailable,
}

impl From<StoreError> for SessionError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Damaged { key } => Self::RecordCorrupted {
                record: keys::record(&key),
            },
            error => Self::Store(error),
        }
    }
}

fn in_progress(same_request: bool) -> &'static str {
    match same_request {
        true => "this request is being worked on already",
        false => "another request of this thread is being worked on",
    }
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
            SessionError::TurnInProgress {
                same_request,
                lease_remainder,
            } => fault(ErrorReason::TurnInProgress)
                .meta(
                    "cause",
                    match same_request {
                        true => "same_request",
                        false => "other_request",
                    },
                )
                .retry_after(lease_remainder.min(TURN_RETRY)),
            SessionError::IdempotencyConflict => fault(ErrorReason::IdempotencyConflict),
            SessionError::OtherWork => {
                fault(ErrorReason::IdempotencyConflict).field("work.work_id", "names other work")
            }
            SessionError::LeaseLost => {
                fault(ErrorReason::VersionConflict).retry_after(CONFLICT_RETRY)
            }
            SessionError::MessageIds { expected } => Fault::invalid(
                "messages",
                expected.map_or_else(
                    || "must have ids that go on from the thread's message_count".to_owned(),
                    |expected| format!("must have ids that go on from {expected}"),
                ),
            ),
            SessionError::PendingChanged => {
                fault(ErrorReason::VersionConflict).retry_after(CONFLICT_RETRY)
            }
            SessionError::TurnErased => fault(ErrorReason::TurnErased),
            SessionError::ThreadErased => fault(ErrorReason::TurnErased)
                .field("idempotency_key", "opened a conversation that was erased"),
            SessionError::ErasureUnderWay => {
                fault(ErrorReason::TurnErased).retry_after(STORAGE_RETRY)
            }
            SessionError::NoSuchEvent { .. } => fault(ErrorReason::InvalidArgument)
                .meta("field", "after_id")
                .field("after_id", "is of no event of the thread yet"),
            SessionError::UnknownTurn { turn_id } => fault(ErrorReason::UnknownTurn)
                .meta("turn_id", turn_id)
                .field("turn_id", "no such turn"),
            SessionError::UnknownStudent => {
                fault(ErrorReason::UnknownStudent).field("student_id", "no such student here")
            }
            SessionError::UnknownOverlay => {
                Fault::invalid("overlay_id", "is no overlay of this session")
            }
            SessionError::UnknownAlert { alert_id } => fault(ErrorReason::UnknownAlert)
                .meta("alert_id", alert_id)
                .field("alert_id", "no such alert"),
            SessionError::UnknownArchive => {
                fault(ErrorReason::UnknownArchive).field("archive_name", "no such archive")
            }
            SessionError::ResetInProgress { class_id } => fault(ErrorReason::ResetInProgress)
                .meta("class_id", class_id)
                .retry_after(STORAGE_RETRY),
            SessionError::Contended => {
                fault(ErrorReason::VersionConflict).retry_after(CONFLICT_RETRY)
            }
            SessionError::ResumeRequired { after_id } => fault(ErrorReason::ResumeRequired)
                .meta("after_id", after_id.to_string())
                .retry_after(CONFLICT_RETRY),
            SessionError::Pending(error) => error.into(),
            SessionError::ArchiveFailed { class_id } => {
                fault(ErrorReason::ArchiveFailed).meta("class_id", class_id)
            }
            SessionError::RecordCorrupted { record } => {
                tracing::error!(
                    record,
                    "a stored record cannot be read; restore it from a backup"
                );
                fault(ErrorReason::RecordCorrupted).meta("record", record)
            }
            SessionError::SchemaTooNew { record, version } => {
                tracing::error!(
                    record,
                    version,
                    "a stored record is of a newer version; upgrade the service"
                );
                fault(ErrorReason::SchemaTooNew)
                    .meta("record", record)
                    .meta("version", version.to_string())
            }
            SessionError::ArchiveNotErased => fault(ErrorReason::ArchiveFailed),
            SessionError::Store(StoreError::Corrupted) => {
                fault(ErrorReason::RecordCorrupted).meta("record", "store")
            }
            SessionError::Store(error) => fault(ErrorReason::StorageUnavailable)
                .meta("cause", cause(&error))
                .retry_after(STORAGE_RETRY),
            SessionError::Unavailable => fault(ErrorReason::StorageUnavailable)
                .meta("cause", "unavailable")
                .retry_after(STORAGE_RETRY),
        }
    }
}

impl From<PendingError> for Fault {
    fn from(error: PendingError) -> Self {
        let message = error.to_string();
        match error {
            PendingError::Busy | PendingError::NothingPending => {
                Fault::invalid("pending_change", message)
            }
            PendingError::ContextRequestClosed { request_id, state } => {
                let state = state
                    .as_str_name()
                    .trim_start_matches("CONTEXT_REQUEST_STATE_");
                Fault::new(ErrorReason::ContextRequestClosed, message)
                    .meta("request_id", request_id)
                    .meta("state", state.to_ascii_lowercase())
            }
            PendingError::NotYet { wait } => {
                Fault::new(ErrorReason::VersionConflict, message).retry_after(wait)
            }
            PendingError::PayloadTooLarge { limit, .. } => {
                Fault::new(ErrorReason::PayloadTooLarge, message)
                    .meta("limit", limit.to_string())
                    .field("content", format!("must have at most {limit} bytes"))
            }
            PendingError::UnsupportedPayload { expected } => {
                Fault::new(ErrorReason::UnsupportedPayload, message)
                    .meta("expected", expected.clone())
                    .field("artifact_type", format!("must be `{expected}`"))
            }
            PendingError::OtherSupplier { .. } => {
                Fault::new(ErrorReason::PermissionDenied, message).meta("need", "supplier")
            }
            PendingError::Invalid { field, problem } => Fault::invalid(field, problem),
        }
    }
}

/// The cause of a store's failure, for programs.
fn cause(error: &StoreError) -> &'static str {
    match error {
        StoreError::Unavailable | StoreError::Corrupted | StoreError::Damaged { .. } => {
            "unavailable"
        }
        StoreError::TimedOut => "timed_out",
        StoreError::Full => "full",
        StoreError::ReadOnly => "read_only",
        StoreError::Refused => "refused",
        StoreError::NotReplicated => "not_replicated",
    }
}

/// Why the service does not start. The messages never hold a password.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// `SESSION_STORE` names no store.
    #[error(
        "SESSION_STORE must be `embedded:` and the path of a file, or an address that begins with `redis://`, `redis+sentinel://` or `redis+cluster://`, or `rediss` for TLS: {problem}"
    )]
    UnknownStore {
        /// What is wrong with the value.
        problem: String,
    },
    /// The store cannot be opened.
    #[error("the store that SESSION_STORE names cannot be opened")]
    OpenStore(#[from] OpenError),
    /// A file with a password or a certificate.
    #[error(transparent)]
    File(#[from] turnwise_kit::settings::SettingsError),
    /// The folder of the archives cannot be used.
    #[error(
        "the folder of HELPER_CLASS_RESET_ARCHIVE_DIR cannot be used; name one that this user may write to, or set HELPER_CLASS_RESET_ARCHIVE_ENABLED=0"
    )]
    Archives(#[source] ArchiveError),
    /// Settings of the memory that contradict each other.
    #[error(
        "HELPER_CONVERSATION_TURN_MAX_CHARS ({turn}) is more than HELPER_CONVERSATION_HISTORY_MAX_CHARS ({history}), which bounds all turns together; lower the first or raise the second"
    )]
    TurnBeyondHistory {
        /// The most characters of one turn.
        turn: u32,
        /// The most characters of all.
        history: u32,
    },
}
