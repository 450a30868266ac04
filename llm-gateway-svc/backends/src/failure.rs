//! Failures of a call to a backend: what happened, whether it may be tried again, and whose fault it is.

use std::time::Duration;

use crate::settings::BackendKind;

/// Why one attempt to call a model failed. No variant holds text of a prompt, of a completion or of a server's message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The server refused the connection or closed it before the first byte of the answer's body.
    #[error(
        "the model server of `{backend}` cannot be reached; check that it runs and its address"
    )]
    Unreachable {
        /// Which backend.
        backend: &'static str,
    },
    /// The server let the caller wait for too long before the first byte of the answer's body.
    #[error(
        "the model server of `{backend}` gave no answer: {wait} took longer than {limit:?}; check whether it is overloaded, \
         or raise {setting}"
    )]
    Silent {
        /// Which backend.
        backend: &'static str,
        /// What was waited for.
        wait: Wait,
        /// How long it may take.
        limit: Duration,
        /// The setting that says so.
        setting: &'static str,
    },
    /// The server answered with a status other than 200.
    #[error("the model server of `{backend}` answered with status {status}{}", hint(*status))]
    Status {
        /// Which backend.
        backend: &'static str,
        /// The HTTP status.
        status: u16,
        /// How long the server asks to be left alone, an hour at the most.
        retry_after: Option<Duration>,
    },
    /// The server answered, and the answer is no good.
    #[error("the model server of `{backend}` failed: {problem}")]
    Answer {
        /// Which backend.
        backend: &'static str,
        /// The HTTP status of the answer; `None` if it spoke no HTTP.
        status: Option<u16>,
        /// What is wrong with it.
        problem: Problem,
    },
    /// The backend has no model of this name.
    #[error("`{backend}` has no model `{model}`; install it there or name another")]
    UnknownModel {
        /// Which backend.
        backend: &'static str,
        /// The model that was asked for.
        model: String,
    },
    /// The backend is outside of this machine and its private network, and nobody agreed to that. No socket was opened.
    #[error(
        "the model server at `{host}` is remote and nobody has agreed to send text there; name `{backend}` in \
         HELPER_REMOTE_MODE_ACKNOWLEDGED, or use a local one"
    )]
    RemoteNotAcknowledged {
        /// Which backend.
        backend: &'static str,
        /// The server's host name.
        host: String,
    },
    /// No model is to be called.
    #[error(
        "no model is called here (HELPER_LLM_BACKEND=none); choose a backend, or go on without"
    )]
    Off,
}

/// What a server let the caller wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Wait {
    /// The connection, encryption included.
    #[error("the connection")]
    Connection,
    /// The first byte of the answer's body.
    #[error("its first byte")]
    FirstByte,
}

/// What is wrong with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It is no HTTP.
    #[error("its answer is no HTTP; check the address and its port")]
    NoHttp,
    /// It is not in the backend's wire format.
    #[error("its answer is not in its protocol; check that the address belongs to such a server")]
    Unreadable,
    /// It reports an error after it had begun well.
    #[error("it reported an error in its answer")]
    Reported,
    /// It ended before its end.
    #[error("its answer broke off")]
    BrokeOff,
    /// It began, and then nothing came for too long.
    #[error("it fell silent in the middle of its answer")]
    Stalled,
    /// It was not whole within LLM_TOTAL_TIMEOUT_SECONDS.
    #[error("its answer took longer than LLM_TOTAL_TIMEOUT_SECONDS allows")]
    TooSlow,
    /// Its text, one of its lines or all of it is longer than any answer may be.
    #[error("its answer is too long")]
    TooLong,
    /// It does not hold one vector for each text.
    #[error("it did not answer with one embedding for each text")]
    WrongCount,
    /// Its vectors are empty, far too long, or not all of one length.
    #[error("its embeddings are empty, overlong or of unequal lengths")]
    WrongLength,
    /// One of its vectors holds a number that is not finite.
    #[error("its embeddings hold numbers that are not finite")]
    NotFinite,
}

/// What to do about a status that has a usual cause.
fn hint(status: u16) -> &'static str {
    match status {
        401 | 403 => "; check OPENAI_API_KEY or OPENAI_API_KEY_FILE",
        300..=399 => "; redirects are not followed: set its address as it is",
        429 => ": it is asked for too much",
        _ => "",
    }
}

impl Failure {
    /// Which backend failed.
    pub fn backend(&self) -> &'static str {
        match self {
            Self::Unreachable { backend }
            | Self::Silent { backend, .. }
            | Self::Status { backend, .. }
            | Self::Answer { backend, .. }
            | Self::UnknownModel { backend, .. }
            | Self::RemoteNotAcknowledged { backend, .. } => backend,
            Self::Off => BackendKind::None.as_str(),
        }
    }

    /// Whether the call may be made once more: only failures of the transport and refusals before the work began, never
    /// once a completion's body has begun to arrive.
    pub fn may_retry(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Silent { .. } => true,
            Self::Status { status, .. } => *status == 429 || (500..=599).contains(status),
            Self::Answer { .. }
            | Self::UnknownModel { .. }
            | Self::RemoteNotAcknowledged { .. }
            | Self::Off => false,
        }
    }

    /// Whether it speaks against the server or the model, so that a breaker counts it.
    ///
    /// Configuration (a model that is not there, a bad key, any other 4xx, a redirect) does not: every call would fail in
    /// the same way, and the caller shall read why. Nor does 429: the server is well and says when to come back; to open the
    /// breaker would refuse callers whom it would serve a moment later.
    pub fn counts_against_breaker(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Silent { .. } | Self::Answer { .. } => true,
            Self::Status { status, .. } => (500..=599).contains(status),
            Self::UnknownModel { .. } | Self::RemoteNotAcknowledged { .. } | Self::Off => false,
        }
    }

    /// How long the server asks to be left alone, an hour at the most.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// One word for it, from a small fixed set, for metrics and for a failure's metadata.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "unreachable",
            Self::Silent { .. } => "silent",
            Self::Status { status: 429, .. } => "limited",
            Self::Status {
                status: 500..=599, ..
            } => "server_error",
            Self::Status { .. } => "refused",
            Self::Answer { problem, .. } => match problem {
                Problem::NoHttp => "no_http",
                Problem::Unreadable => "unreadable",
                Problem::Reported => "reported",
                Problem::BrokeOff => "broke_off",
                Problem::Stalled => "stalled",
                Problem::TooSlow => "too_slow",
                Problem::TooLong => "too_long",
                Problem::WrongCount | Problem::WrongLength | Problem::NotFinite => "bad_embedding",
            },
            Self::UnknownModel { .. } => "unknown_model",
            Self::RemoteNotAcknowledged { .. } => "remote_not_acknowledged",
            Self::Off => "off",
        }
    }
}
