//! Failures: a reason from the closed list, what is wrong, which field, and when to try again.

use std::{
    collections::{BTreeMap, HashMap},
    error::Error as StdError,
    fmt,
    time::Duration,
};

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};
use turnwise_proto::common::v1::ErrorReason;

/// The `domain` of every `google.rpc.ErrorInfo`.
pub const ERROR_DOMAIN: &str = "turnwise";

/// A failure as a value. It becomes a `tonic::Status` with `ErrorInfo` and, where they apply, `BadRequest` and
/// `RetryInfo`. The message tells the reader what to do next and holds nothing private.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    reason: ErrorReason,
    message: String,
    fields: Vec<(String, String)>,
    metadata: BTreeMap<String, String>,
    retry_after: Option<Duration>,
}

impl Fault {
    /// A failure for this reason.
    pub fn new(reason: ErrorReason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            fields: Vec::new(),
            metadata: BTreeMap::new(),
            retry_after: None,
        }
    }

    /// A field that is missing, of a wrong form or out of bounds.
    pub fn invalid(field: &str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::new(ErrorReason::InvalidArgument, format!("`{field}` {problem}"))
            .meta("field", field)
            .field(field, problem)
    }

    /// Names a field at fault and says what is wrong with it.
    #[must_use]
    pub fn field(mut self, name: &str, description: impl Into<String>) -> Self {
        self.fields.push((name.to_owned(), description.into()));
        self
    }

    /// Adds a metadata entry that a program can read.
    #[must_use]
    pub fn meta(mut self, key: &str, value: impl Into<String>) -> Self {
        self.metadata.insert(key.to_owned(), value.into());
        self
    }

    /// Says that the call may be tried again, and when.
    #[must_use]
    pub fn retry_after(mut self, delay: Duration) -> Self {
        self.retry_after = Some(delay);
        self
    }

    /// Why.
    pub fn reason(&self) -> ErrorReason {
        self.reason
    }

    /// What is wrong, for people.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// When to try again; `None` if trying again is pointless.
    pub fn retry_delay(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The value of a metadata entry.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).map(String::as_str)
    }

    /// The names of the fields at fault.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }

    /// Reads a failure out of a status, whoever made it. One without our `ErrorInfo` gets the reason that its code
    /// suggests.
    pub fn from_status(status: &Status) -> Self {
        let details = status.get_error_details();
        let info = details.error_info().filter(|i| i.domain == ERROR_DOMAIN);
        let reason = info
            .and_then(|i| ErrorReason::from_wire_name(&i.reason))
            .unwrap_or_else(|| {
                // A peer that dies in the middle of an answer leaves a broken stream, which tonic calls unknown.
                let broken = status.code() == Code::Unknown && StdError::source(status).is_some();
                if broken {
                    ErrorReason::DependencyUnavailable
                } else {
                    reason_of_code(status.code())
                }
            });
        Self {
            reason,
            message: status.message().to_owned(),
            fields: details.bad_request().map_or_else(Vec::new, |b| {
                b.field_violations
                    .iter()
                    .map(|v| (v.field.clone(), v.description.clone()))
                    .collect()
            }),
            metadata: info.map_or_else(BTreeMap::new, |i| {
                i.metadata
                    .iter()
                    .map(|(k, v)| (k.clone(), v.clone()))
                    .collect()
            }),
            retry_after: details.retry_info().and_then(|r| r.retry_delay),
        }
    }
}

/// The reason for a status that names none: the transport's own failures.
fn reason_of_code(code: Code) -> ErrorReason {
    match code {
        Code::DeadlineExceeded => ErrorReason::DeadlineExceeded,
        Code::Unavailable | Code::Cancelled => ErrorReason::DependencyUnavailable,
        Code::Unauthenticated => ErrorReason::Unauthenticated,
        Code::PermissionDenied => ErrorReason::PermissionDenied,
        Code::Unimplemented => ErrorReason::UnknownMethod,
        Code::OutOfRange => ErrorReason::PayloadTooLarge,
        Code::InvalidArgument => ErrorReason::InvalidArgument,
        Code::ResourceExhausted => ErrorReason::Busy,
        _ => ErrorReason::Internal,
    }
}

impl From<Fault> for Status {
    fn from(fault: Fault) -> Self {
        let metadata: HashMap<_, _> = fault.metadata.into_iter().collect();
        let mut details =
            ErrorDetails::with_error_info(fault.reason.wire_name(), ERROR_DOMAIN, metadata);
        for (name, description) in fault.fields {
            details.add_bad_request_violation(name, description);
        }
        if let Some(delay) = fault.retry_after {
            details.set_retry_info(Some(delay));
        }
        Status::with_error_details(fault.reason.code(), fault.message, details)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason.wire_name(), self.message)
    }
}

impl std::error::Error for Fault {}
