//! What can go wrong with Redis, whether the transaction may have been done, and what is said about it.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use redis::{ErrorKind, RedisError, ServerError, ServerErrorKind};
use tokio::time::Instant;

use crate::error::StoreError;

/// How often one kind of failure is told in the log.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// Why there is no answer.
#[derive(Debug, Clone)]
pub(super) enum Failure {
    /// There is no connection: nothing was sent.
    Unreachable(RedisError),
    /// The connection broke: what was sent may have been done.
    Lost(RedisError),
    /// Redis did not answer in time: what was sent may have been done.
    TimedOut,
    /// Redis said no, and did nothing.
    Said(ServerError),
    /// The server is not the primary. Nothing was sent.
    NotPrimary,
    /// No sentinel or node of the cluster says who is in charge of the partition. Nothing was sent.
    NobodyInCharge,
    /// It was done, but fewer replicas than wanted have it.
    NotReplicated {
        /// How many have it.
        replicas: i64,
    },
    /// The answer is none that the script gives.
    Unreadable,
}

impl Failure {
    /// Sorts an error of making a connection.
    pub(super) fn of_connecting(error: RedisError) -> Self {
        match error.clone().into_server_errors().as_deref() {
            Some([(_, said), ..]) => Self::Said(said.clone()),
            _ => Self::Unreachable(error),
        }
    }

    /// Redis' code for what it said, such as `MOVED`.
    pub(super) fn code(&self) -> &str {
        match self {
            Self::Said(said) => said.code(),
            _ => "",
        }
    }

    /// What the caller of the store is told.
    pub(super) fn kind(&self) -> StoreError {
        match self {
            Self::Unreachable(error) if error.kind() == ErrorKind::AuthenticationFailed => {
                StoreError::Refused
            }
            Self::Unreachable(error) if error.is_timeout() => StoreError::TimedOut,
            Self::TimedOut => StoreError::TimedOut,
            Self::Unreachable(_) | Self::Lost(_) | Self::NotPrimary | Self::NobodyInCharge => {
                StoreError::Unavailable
            }
            Self::NotReplicated { .. } => StoreError::NotReplicated,
            Self::Unreadable => StoreError::Corrupted,
            Self::Said(said) => match said.code() {
                "OOM" => StoreError::Full,
                "MISCONF" if detail(said).contains("No space left") => StoreError::Full,
                "MISCONF" | "READONLY" | "NOREPLICAS" => StoreError::ReadOnly,
                "NOAUTH" | "WRONGPASS" | "NOPERM" => StoreError::Refused,
                "WRONGTYPE" => StoreError::Corrupted,
                // The wait ended because the server is no longer primary.
                "UNBLOCKED" => StoreError::NotReplicated,
                _ => StoreError::Unavailable,
            },
        }
    }

    /// What the log is told: no value, which may be a student's, and no password.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Unreachable(error) | Self::Lost(error) => describe(error),
            Self::TimedOut => "no answer in time".to_owned(),
            Self::Said(said) => describe_said(said),
            Self::NotPrimary => "the server is not the primary".to_owned(),
            Self::NobodyInCharge => "no server says that it is in charge".to_owned(),
            Self::NotReplicated { replicas } => format!("{replicas} replicas have the write"),
            Self::Unreadable => "an answer that the script does not give".to_owned(),
        }
    }
}

/// An error for the log. One about a value would show the value, one about the set-up of a connection its user.
pub(super) fn describe(error: &RedisError) -> String {
    match error.kind() {
        ErrorKind::Io => error.to_string(),
        ErrorKind::Server(_) | ErrorKind::Extension => match error.clone().into_server_errors() {
            Some(said) => said
                .iter()
                .map(|(_, said)| describe_said(said))
                .collect::<Vec<_>>()
                .join("; "),
            None => error.category().to_owned(),
        },
        _ => error.category().to_owned(),
    }
}

fn describe_said(said: &ServerError) -> String {
    match said.kind() {
        // Redis repeats the arguments of a command that it does not know.
        Some(ServerErrorKind::ResponseError) => {
            let detail = detail(said);
            let detail = detail.split(", with args").next().unwrap_or_default();
            format!("{} {detail}", said.code())
        }
        _ => format!("{} {}", said.code(), detail(said)),
    }
}

fn detail(said: &ServerError) -> &str {
    said.details().unwrap_or_default()
}

/// Tells failures in the log, each kind once in a while.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    told: Mutex<HashMap<&'static str, (Instant, u64)>>,
}

impl Complaints {
    /// Tells of a failure, unless one of its kind was told a moment ago.
    pub(super) fn tell(&self, failure: &Failure) {
        let (kind, advice) = match failure.kind() {
            StoreError::Unavailable => ("unavailable", "check the server and the store's address"),
            StoreError::TimedOut => ("slow", "check the server's load and the network"),
            StoreError::Full => ("full", "give Redis more memory or disk"),
            StoreError::ReadOnly => (
                "read-only",
                "check that the server is a primary, its disk and its replicas",
            ),
            StoreError::Refused => ("refused", "check the store's user and password"),
            StoreError::NotReplicated => ("not replicated", "check the replicas"),
            StoreError::Corrupted => ("unreadable", "check what else writes to this Redis"),
        };
        let Some(left_out) = self.due(kind) else {
            return;
        };
        let error = failure.describe();
        tracing::warn!(
            kind,
            error,
            left_out,
            "Redis did not answer as it should; if this stays, {advice}"
        );
    }

    /// Whether this is to be told now, and then how often it was left out since it was told last.
    fn due(&self, kind: &'static str) -> Option<u64> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        match told.get_mut(kind) {
            Some((last, left_out)) if now.duration_since(*last) < TELL_EVERY => {
                *left_out += 1;
                None
            }
            Some(entry) => Some(std::mem::replace(entry, (now, 0)).1),
            None => {
                told.insert(kind, (now, 0));
                Some(0)
            }
        }
    }
}
