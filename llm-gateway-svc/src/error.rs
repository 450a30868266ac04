//! Failures: of requests, each with its reason, and of a start.

use std::time::Duration;

use turnwise_kit::Fault;
use turnwise_llm_backends::{Failure, schema::SchemaError};
use turnwise_llm_queue::{InvalidOption, Refusal};
use turnwise_proto::common::v1::ErrorReason;

/// When a caller may try again where nothing better is known.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Why a request got no completion, or no embeddings. No variant holds text of a prompt or of a completion.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A model's server failed.
    #[error(transparent)]
    Backend(#[from] Failure),
    /// The queue had no slot for it.
    #[error("{}", refusal_message(.refusal, *.slots))]
    Queue {
        /// Why not.
        refusal: Refusal,
        /// How many slots the model has.
        slots: usize,
        /// How many may wait.
        max_entries: usize,
    },
    /// The slot had to be given up: it belongs to another replica, and Redis is out of reach.
    #[error("the model slot of this call had to be given back to another replica; try again")]
    SlotLost,
    /// The model is left alone for a while.
    #[error(
        "the model `{model}` of `{backend}` has failed too often in a row and is left alone for a while"
    )]
    CircuitOpen {
        /// Which backend.
        backend: &'static str,
        /// Which model.
        model: String,
        /// When it is tried again.
        retry_after: Duration,
    },
    /// Somebody has used what they may in a minute.
    #[error("{who} has used its {per_minute} {what} a minute; try again later")]
    RateLimited {
        /// Whose limit it is: `actor`, `class` or `address`.
        who: &'static str,
        /// Of what: `requests` or `tokens`.
        what: &'static str,
        /// The limit.
        per_minute: u32,
        /// When the next request passes.
        retry_after: Duration,
    },
    /// The class has used its tokens for the day.
    #[error(
        "the class has used its {tokens_per_day} model tokens for today (UTC); try again when RetryInfo says"
    )]
    BudgetExhausted {
        /// The class, without its tenant.
        class_id: String,
        /// The budget.
        tokens_per_day: u32,
        /// When the next day begins.
        retry_after: Duration,
    },
    /// No backend of this name is configured.
    #[error("no backend `{backend}` is configured here; leave `backend` empty")]
    UnknownBackend {
        /// The name.
        backend: String,
    },
    /// More models are in use than queues are kept for.
    #[error("too many models are in use at the same time; use fewer")]
    TooManyModels,
    /// An option of the queue is out of its bounds, which those of the settings rule out.
    #[error("the queue in front of the model cannot be made: {0}")]
    Misconfigured(InvalidOption),
    /// The schema that should constrain the output is none, or is named and not known here.
    #[error("`json_schema` {0}")]
    InvalidSchema(#[from] SchemaError),
    /// The caller's deadline ran out.
    #[error("the caller's deadline ran out before the answer was whole")]
    DeadlineExceeded,
}

impl Error {
    /// The reason as callers see it.
    pub fn reason(&self) -> ErrorReason {
        match self {
            Self::Backend(failure) => match failure {
                Failure::Unreachable { .. } | Failure::Silent { .. } => {
                    ErrorReason::BackendUnavailable
                }
                Failure::Status { .. } | Failure::Answer { .. } => ErrorReason::BackendError,
                Failure::UnknownModel { .. } => ErrorReason::UnknownModel,
                Failure::RemoteNotAcknowledged { .. } => ErrorReason::RemoteBackendNotAcknowledged,
                Failure::Off => ErrorReason::LlmOff,
            },
            Self::Queue { refusal, .. } => match refusal {
                Refusal::TooLong(_) | Refusal::NoSlot { .. } => ErrorReason::Busy,
                Refusal::Full { .. } => ErrorReason::QueueFull,
                Refusal::Superseded => ErrorReason::Superseded,
            },
            Self::SlotLost => ErrorReason::BackendUnavailable,
            Self::CircuitOpen { .. } => ErrorReason::CircuitOpen,
            Self::RateLimited { .. } => ErrorReason::RateLimited,
            Self::BudgetExhausted { .. } => ErrorReason::BudgetExhausted,
            Self::UnknownBackend { .. } => ErrorReason::UnknownBackend,
            Self::TooManyModels => ErrorReason::Busy,
            Self::Misconfigured(_) => ErrorReason::Internal,
            Self::InvalidSchema(SchemaError::Unknown) => ErrorReason::UnknownSchema,
            Self::InvalidSchema(_) => ErrorReason::InvalidSchema,
            Self::DeadlineExceeded => ErrorReason::DeadlineExceeded,
        }
    }

    /// Whether another backend may do better: the server is away, fails or wants to be left alone. It would be asked for
    /// the same, so what is wrong with the request or its caller stays wrong.
    pub fn is_about_the_server(&self) -> bool {
        match self {
            Self::Backend(failure) => failure.may_retry(),
            Self::CircuitOpen { .. } => true,
            _ => false,
        }
    }

    /// Whether no model has worked on the request.
    pub fn cost_nothing(&self) -> bool {
        !matches!(self, Self::Backend(Failure::Answer { .. }) | Self::SlotLost)
    }

    /// Whether the request was refused before any server was asked.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Queue { .. }
            | Self::CircuitOpen { .. }
            | Self::RateLimited { .. }
            | Self::BudgetExhausted { .. }
            | Self::UnknownBackend { .. }
            | Self::TooManyModels
            | Self::Backend(Failure::RemoteNotAcknowledged { .. } | Failure::Off) => true,
            Self::Backend(_)
            | Self::SlotLost
            | Self::Misconfigured(_)
            | Self::InvalidSchema(_)
            | Self::DeadlineExceeded => false,
        }
    }

    /// Whether it is about this one caller, so that who shares the completion may still get one.
    pub fn is_about_the_caller(&self) -> bool {
        matches!(
            self,
            Self::Queue { .. }
                | Self::RateLimited { .. }
                | Self::BudgetExhausted { .. }
                | Self::DeadlineExceeded
        )
    }
}

fn refusal_message(refusal: &Refusal, slots: usize) -> String {
    match refusal {
        Refusal::TooLong(_) => format!(
            "all {slots} model slots will stay taken for longer than this call may wait; retry when RetryInfo says, \
             with `place_ticket` if there is one"
        ),
        Refusal::Full { .. } => {
            "the queue in front of the model is full; try again later".to_owned()
        }
        Refusal::Superseded => {
            "a newer request of the same student has taken over this one's place".to_owned()
        }
        Refusal::NoSlot { .. } => {
            "this replica has no slot to give, as it is detached from the others or ends; try another one"
                .to_owned()
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let fault = Fault::new(error.reason(), error.to_string());
        match error {
            Error::Backend(failure) => of_backend(fault, failure),
            Error::Queue {
                refusal,
                slots,
                max_entries,
            } => of_queue(fault, refusal, slots, max_entries),
            Error::SlotLost => fault.meta("cause", "slot_lost").retry_after(RETRY_AFTER),
            Error::CircuitOpen {
                backend,
                model,
                retry_after,
            } => fault
                .meta("backend", backend)
                .meta("model", model)
                .retry_after(retry_after),
            Error::RateLimited {
                who,
                what,
                per_minute,
                retry_after,
            } => fault
                .meta("limit", format!("{who}_{what}"))
                .meta("per_minute", per_minute.to_string())
                .retry_after(retry_after),
            Error::BudgetExhausted {
                class_id,
                tokens_per_day,
                retry_after,
            } => fault
                .meta("class_id", class_id)
                .meta("tokens_per_day", tokens_per_day.to_string())
                .retry_after(retry_after),
            Error::UnknownBackend { backend } => fault
                .meta("backend", backend)
                .field("backend", "is not configured"),
            Error::InvalidSchema(problem) => fault
                .meta("field", "json_schema")
                .field("json_schema", problem.to_string()),
            Error::TooManyModels => fault.retry_after(RETRY_AFTER),
            Error::DeadlineExceeded | Error::Misconfigured(_) => fault,
        }
    }
}

fn of_backend(fault: Fault, failure: Failure) -> Fault {
    let fault = fault.meta("backend", failure.backend());
    let again = failure.retry_after().unwrap_or(RETRY_AFTER);
    match &failure {
        Failure::Unreachable { .. } | Failure::Silent { .. } => {
            fault.meta("cause", failure.word()).retry_after(again)
        }
        Failure::Status { status, .. } => {
            let fault = fault.meta("status", status.to_string());
            if failure.may_retry() {
                fault.retry_after(again)
            } else {
                fault
            }
        }
        Failure::Answer { status, .. } => fault.meta(
            "status",
            status.map_or_else(|| "none".to_owned(), |status| status.to_string()),
        ),
        Failure::UnknownModel { model, .. } => {
            fault.meta("model", model).field("model", "is unknown")
        }
        Failure::RemoteNotAcknowledged { host, .. } => fault.meta("host", host),
        Failure::Off => fault,
    }
}

fn of_queue(fault: Fault, refusal: Refusal, slots: usize, max_entries: usize) -> Fault {
    match refusal {
        Refusal::TooLong(come_back) => {
            let fault = fault
                .meta("slots", slots.to_string())
                .retry_after(come_back.after);
            match come_back.held {
                Some(held) => fault
                    .meta("position", held.position.to_string())
                    .meta("wait_ms", held.wait.as_millis().to_string())
                    .meta("place_ticket", held.ticket),
                None => fault,
            }
        }
        Refusal::Full { retry_after } => fault
            .meta("max_entries", max_entries.to_string())
            .retry_after(retry_after),
        Refusal::Superseded => fault,
        Refusal::NoSlot { retry_after } => fault.meta("slots", "0").retry_after(retry_after),
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
    /// The backends cannot.
    #[error(transparent)]
    Backends(#[from] turnwise_llm_backends::StartError),
    /// A caller who asks for nothing would wait longer than anybody may.
    #[error(
        "HELPER_QUEUE_MAX_WAIT_SECONDS={} is above QUEUE_MAX_WAIT_CEILING_SECONDS={}; lower the first or raise the second",
        default.as_secs_f64(),
        ceiling.as_secs_f64()
    )]
    WaitAboveCeiling {
        /// The default wait.
        default: Duration,
        /// The most a caller may ask for.
        ceiling: Duration,
    },
    /// Leases would run out before they are renewed.
    #[error(
        "HELPER_QUEUE_POLL_SECONDS={} is above a third of HELPER_QUEUE_SLOT_TTL_SECONDS={}; lower the first or raise the \
         second",
        poll.as_secs_f64(),
        ttl.as_secs_f64()
    )]
    PollAboveTtl {
        /// How often a process looks for itself.
        poll: Duration,
        /// How long a dead process's slot stays taken.
        ttl: Duration,
    },
    /// Replicas of which nobody knows which one they are would all use the same slots while Redis is away.
    #[error(
        "QUEUE_REPLICAS above 1 and QUEUE_REPLICA_INDEX go together; set both, with an index of its own for each replica, or \
         neither: with LLM_REDIS_URL replicas then lease their numbers"
    )]
    HalfAReplica,
    /// The process could never call a model.
    #[error(
        "replica {index} of {replicas} owns none of the {slots} slots of {setting}, and without LLM_REDIS_URL nobody lends \
         it one; raise {setting}, lower QUEUE_REPLICAS, or set LLM_REDIS_URL"
    )]
    NoOwnSlot {
        /// The setting with the slots.
        setting: &'static str,
        /// QUEUE_REPLICA_INDEX.
        index: u32,
        /// QUEUE_REPLICAS.
        replicas: u32,
        /// How many slots there are.
        slots: u32,
    },
    /// A file with a password or a certificate.
    #[error(transparent)]
    File(#[from] turnwise_kit::settings::SettingsError),
    /// The address of Redis is none.
    #[error("LLM_REDIS_URL cannot be read: {0}")]
    RedisUrl(String),
}
