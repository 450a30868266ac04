//! Why Redis did not answer: whether what was asked for may have been done, and what can be said of it.

use std::fmt;

use redis::{ErrorKind, RedisError, ServerError, ServerErrorKind};

/// Why there is no answer. It shows no value and no password.
#[derive(Clone)]
pub enum Failure {
    /// There is no connection: nothing was sent.
    Unreachable(RedisError),
    /// The connection broke: what was sent may have been done.
    Lost(RedisError),
    /// Redis did not answer in time: what was sent may have been done.
    TimedOut,
    /// Redis said no. A command alone then did nothing; a script may have done what it did before that.
    Said(ServerError),
    /// The server is not the primary. Nothing was sent.
    NotPrimary,
    /// No sentinel or node of the cluster says who is in charge of the partition. Nothing was sent.
    NobodyInCharge,
    /// The answer is none that there can be.
    Unreadable,
}

/// What a failure means for whoever asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// Redis cannot be reached, or serves nobody now.
    Unavailable,
    /// Redis answers too slowly.
    TimedOut,
    /// Redis has no room, in memory or on its disk. Nothing was written.
    Full,
    /// Redis takes no writes now. Nothing was written.
    ReadOnly,
    /// Redis refused the user or the password, or lets this user not do this.
    Denied,
    /// Something else is stored under a name than should be, or the answer is none that there can be.
    Unexpected,
    /// Redis refused a command or a script for another reason, which most often is a mistake in it.
    Refused,
}

impl Failure {
    /// Sorts an error of making a connection.
    pub(crate) fn of_connecting(error: RedisError) -> Self {
        match said(&error) {
            // A server that has no room for one more connection, for one, has no code of its own for that.
            Some(said) if said.code() != "ERR" => Self::Said(said),
            _ => Self::Unreachable(error),
        }
    }

    /// Sorts an error that came instead of an answer.
    pub(crate) fn of_answer(error: RedisError) -> Self {
        match said(&error) {
            Some(said) => Self::Said(said),
            None => Self::Lost(error),
        }
    }

    /// Whether nothing was done for certain. If not, it may have been done, or a part of it if it is a script that failed.
    pub fn is_certainly_not_done(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::NotPrimary | Self::NobodyInCharge => true,
            Self::Lost(_) | Self::TimedOut | Self::Unreadable => false,
            // These come before a script has written anything. Others may be what it said itself, or stumbled over.
            Self::Said(said) => matches!(
                said.code(),
                "ASK"
                    | "BUSY"
                    | "CLUSTERDOWN"
                    | "CROSSSLOT"
                    | "LOADING"
                    | "MASTERDOWN"
                    | "MISCONF"
                    | "MOVED"
                    | "NOAUTH"
                    | "NOREPLICAS"
                    | "NOSCRIPT"
                    | "OOM"
                    | "READONLY"
                    | "TRYAGAIN"
                    | "WRONGPASS"
            ),
        }
    }

    /// Redis' code for what it said, such as `MOVED`; empty if it said nothing.
    pub fn code(&self) -> &str {
        match self {
            Self::Said(said) => said.code(),
            _ => "",
        }
    }

    /// What it means.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Unreachable(error) if error.kind() == ErrorKind::AuthenticationFailed => {
                FailureKind::Denied
            }
            Self::Unreachable(error) if error.is_timeout() => FailureKind::TimedOut,
            Self::TimedOut => FailureKind::TimedOut,
            Self::Unreachable(_) | Self::Lost(_) | Self::NotPrimary | Self::NobodyInCharge => {
                FailureKind::Unavailable
            }
            Self::Unreadable => FailureKind::Unexpected,
            Self::Said(said) => match said.code() {
                "ASK" | "BUSY" | "CLUSTERDOWN" | "LOADING" | "MASTERDOWN" | "MOVED"
                | "TRYAGAIN" => FailureKind::Unavailable,
                "OOM" => FailureKind::Full,
                "MISCONF" if detail(said).contains("No space left") => FailureKind::Full,
                "MISCONF" | "READONLY" | "NOREPLICAS" => FailureKind::ReadOnly,
                "NOAUTH" | "WRONGPASS" | "NOPERM" => FailureKind::Denied,
                "WRONGTYPE" => FailureKind::Unexpected,
                _ => FailureKind::Refused,
            },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(error) | Self::Lost(error) => f.write_str(&describe(error)),
            Self::TimedOut => f.write_str("no answer in time"),
            Self::Said(said) => f.write_str(&describe_said(said)),
            Self::NotPrimary => f.write_str("the server is not the primary"),
            Self::NobodyInCharge => f.write_str("no server says that it is in charge"),
            Self::Unreadable => f.write_str("an answer that there cannot be"),
        }
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Unreachable(_) => "Unreachable",
            Self::Lost(_) => "Lost",
            Self::TimedOut => "TimedOut",
            Self::Said(_) => "Said",
            Self::NotPrimary => "NotPrimary",
            Self::NobodyInCharge => "NobodyInCharge",
            Self::Unreadable => "Unreadable",
        };
        write!(f, "{name}({self})")
    }
}

impl std::error::Error for Failure {}

fn said(error: &RedisError) -> Option<ServerError> {
    let errors = error.clone().into_server_errors()?;
    errors.first().map(|(_, said)| said.clone())
}

/// An error for the log. One about a value would show the value, one about the set-up of a connection its user.
fn describe(error: &RedisError) -> String {
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
