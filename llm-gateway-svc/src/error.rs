//! Failures: of calls, each with its reason, and of a start.

use std::{path::PathBuf, time::Duration};

use turnwise_kit::Fault;
use turnwise_proto::common::v1::ErrorReason;

/// When a caller may try again after BUSY or an unreachable backend.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Why a call to a model failed. No variant holds text of a prompt or of a completion.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No slot became free in the wait that was allowed.
    #[error("all {slots} model slots stayed taken for as long as this call may wait; try again")]
    Busy {
        /// How many slots there are.
        slots: usize,
    },
    /// The server cannot be reached, or gave up before the first byte of its answer.
    #[error(
        "the model server of `{backend}` cannot be reached or gave up before its first byte; check that it runs and its \
         address"
    )]
    Unavailable {
        /// Which backend.
        backend: &'static str,
        /// Whether it could not be reached or let the caller wait too long.
        cause: Away,
    },
    /// The server answered with an error or with something unreadable.
    #[error("the model server of `{backend}` failed: {problem}")]
    Backend {
        /// Which backend.
        backend: &'static str,
        /// The status it answered with, or `none` if it spoke no HTTP.
        status: String,
        /// What was wrong, in words of ours.
        problem: &'static str,
    },
    /// The backend has no model of this name.
    #[error("`{backend}` has no model `{model}`; install it there or name another")]
    UnknownModel {
        /// Which backend.
        backend: &'static str,
        /// The model that was asked for.
        model: String,
    },
    /// The schema that should constrain the output is no JSON object.
    #[error("`json_schema` must be one JSON object")]
    InvalidSchema,
    /// The backend is outside of this machine and its private network, and nobody agreed to that.
    #[error(
        "the model server at `{host}` is remote and nobody has agreed to send text there; set \
         HELPER_REMOTE_MODE_ACKNOWLEDGED=1 or use a local one"
    )]
    RemoteNotAcknowledged {
        /// The server's host name.
        host: String,
    },
    /// The caller's deadline ran out.
    #[error("the caller's deadline ran out before the completion was whole")]
    DeadlineExceeded,
}

/// Why a server gave no byte of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Away {
    /// It cannot be reached, or closed the connection.
    Unreachable,
    /// It let the caller wait for longer than the time-out.
    Silent,
}

impl Away {
    /// The word in the failure's metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Silent => "silent",
        }
    }
}

impl Error {
    /// The reason as callers see it.
    pub fn reason(&self) -> ErrorReason {
        match self {
            Self::Busy { .. } => ErrorReason::Busy,
            Self::Unavailable { .. } => ErrorReason::BackendUnavailable,
            Self::Backend { .. } => ErrorReason::BackendError,
            Self::UnknownModel { .. } => ErrorReason::UnknownModel,
            Self::InvalidSchema => ErrorReason::InvalidSchema,
            Self::RemoteNotAcknowledged { .. } => ErrorReason::RemoteBackendNotAcknowledged,
            Self::DeadlineExceeded => ErrorReason::DeadlineExceeded,
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let fault = Fault::new(error.reason(), error.to_string());
        match error {
            Error::Busy { slots } => fault
                .meta("slots", slots.to_string())
                .retry_after(RETRY_AFTER),
            Error::Unavailable { backend, cause } => fault
                .meta("backend", backend)
                .meta("cause", cause.as_str())
                .retry_after(RETRY_AFTER),
            Error::Backend {
                backend, status, ..
            } => fault.meta("backend", backend).meta("status", status),
            Error::UnknownModel { model, .. } => fault.meta("model", model),
            Error::InvalidSchema => fault
                .meta("field", "json_schema")
                .field("json_schema", "must be one JSON object"),
            Error::RemoteNotAcknowledged { host } => fault.meta("host", host),
            Error::DeadlineExceeded => fault,
        }
    }
}

impl From<Error> for tonic::Status {
    fn from(error: Error) -> Self {
        Fault::from(error).into()
    }
}

/// Why the service cannot start. Each message tells an operator what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The backend needs an address.
    #[error(
        "HELPER_LLM_BACKEND=openai_compatible needs OPENAI_BASE_URL, such as http://127.0.0.1:8080; set it, or choose \
         another backend"
    )]
    NoBaseUrl,
    /// Two sources for one secret.
    #[error("OPENAI_API_KEY and OPENAI_API_KEY_FILE are both set; keep one of them")]
    TwoKeys,
    /// The key's file cannot be read.
    #[error("OPENAI_API_KEY_FILE `{}` cannot be read; check its path and permissions", path.display())]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The key is no key.
    #[error("the OpenAI key is empty or holds characters other than visible ASCII; set it again")]
    MalformedKey,
    /// A caller who asks for nothing would wait longer than anybody may.
    #[error(
        "HELPER_QUEUE_MAX_WAIT_SECONDS={default} is above QUEUE_MAX_WAIT_CEILING_SECONDS={ceiling}; lower the first or \
         raise the second"
    )]
    WaitAboveCeiling {
        /// The default wait, in seconds.
        default: u32,
        /// The most a caller may ask for, in seconds.
        ceiling: u32,
    },
    /// The HTTP client cannot be made.
    #[error(
        "the HTTP client for the model server cannot be made; check that the machine has root certificates"
    )]
    Client(#[source] reqwest::Error),
}
