//! What can go wrong at the start, and which failures of upstream services the gateway passes on.

use turnwise_kit::{Fault, settings::SettingsError};
use turnwise_proto::common::v1::ErrorReason as R;
use turnwise_redis::OpenError;

/// Why the gateway does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A file with a secret or a certificate.
    #[error(transparent)]
    File(#[from] SettingsError),
    /// No issuer.
    #[error("JWT_ISSUER is not set; name the issuer whose tokens are accepted")]
    MissingIssuer,
    /// No keys.
    #[error("neither JWT_JWKS_FILE nor JWT_JWKS_URL is set; name the issuer's public keys")]
    MissingKeys,
    /// Keys that cannot be read.
    #[error("the public keys at `{place}` cannot be used: {problem}")]
    Keys {
        /// The file or address.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// The exam system's address.
    #[error("EXAM_ENDPOINT cannot be used")]
    ExamEndpoint(#[from] turnwise_kit::client::ConnectError),
    /// Less time for a call than it is given.
    #[error(
        "TURN_DEADLINE_SECONDS ({default}) is more than TURN_DEADLINE_MAX_SECONDS ({most}); lower the first or raise the second"
    )]
    Deadlines {
        /// Seconds for a call that names no time.
        default: u64,
        /// Seconds that no call may exceed.
        most: u64,
    },
    /// Two keys that reset classes.
    #[error(
        "HELPER_INTERNAL_API_TOKEN and HELPER_INTERNAL_API_TOKEN_FILE are both set; keep one of them"
    )]
    TwoResetKeys,
    /// A key that resets classes and cannot be used.
    #[error(
        "HELPER_INTERNAL_API_TOKEN cannot be used: it must hold at least {} visible ASCII characters",
        turnwise_kit::caller::InternalToken::MIN_CHARS
    )]
    ResetKey,
    /// No keys for drills, or for scope tokens.
    #[error("{0} is not set; name a file with lines `KID BASE64`, at least 32 random bytes each")]
    MissingTokenKeys(&'static str),
    /// A receiver of webhooks that may not be called.
    #[error("{setting} {problem}")]
    WebhookUrl {
        /// The setting that names it.
        setting: &'static str,
        /// What is wrong, and what to do.
        problem: &'static str,
    },
    /// No keys for webhooks.
    #[error(
        "{setting} is set, and WEBHOOK_KEYS_FILE is not; name a file with lines `KID BASE64`, at least 32 random bytes each"
    )]
    MissingWebhookKeys {
        /// The setting that needs them.
        setting: &'static str,
    },
    /// No HTTP client for webhooks.
    #[error("the HTTP client of webhooks cannot be made; look at this machine's root certificates")]
    WebhookClient(#[source] reqwest::Error),
    /// Guardrails that cannot be used.
    #[error("GUARDRAIL_FILE cannot be used")]
    Guardrails(#[from] turnwise_guardrails::ProfileError),
    /// No address of a Redis.
    #[error("GATEWAY_REDIS_URL names no Redis")]
    RedisAddress(#[from] OpenError),
    /// A prompt sheet that cannot be read.
    #[error("PROMPT_SHEETS_DIR holds a sheet that cannot be used")]
    PromptSheet(#[from] turnwise_prompts::SheetError),
}

/// The failure that a client of the public face sees for a failure of an upstream service: those that the client can
/// act on as they are, the others without their details.
pub(crate) fn public(status: &tonic::Status) -> Fault {
    let fault = Fault::from_status(status);
    match fault.reason() {
        R::UnknownCourse
        | R::CourseGraphInvalid
        | R::UnknownUnit
        | R::UnknownThread
        | R::ContextRequestClosed
        | R::PlacementClosed
        | R::DrillTokenInvalid
        | R::PayloadTooLarge
        | R::UnsupportedPayload
        | R::UnknownQuestion
        | R::UnknownTurn
        | R::UnknownStudent
        | R::UnknownAlert
        | R::UnknownArchive
        | R::ResetInProgress
        | R::ArchiveFailed
        | R::ResumeRequired
        | R::TurnInProgress
        | R::IdempotencyConflict
        | R::VersionConflict
        | R::TurnErased
        | R::PermissionDenied
        | R::InvalidArgument
        | R::InvalidPageToken
        | R::UnknownNamespace
        | R::UnknownPackVersion
        | R::IndexIncompatible
        | R::UpsertsOff
        | R::StorageUnavailable
        | R::DependencyUnavailable
        | R::DeadlineExceeded
        | R::RecordCorrupted
        | R::SchemaTooNew
        | R::Busy
        | R::Draining => fault,
        reason => {
            tracing::error!(
                reason = reason.wire_name(),
                message = fault.message(),
                "a service failed unexpectedly"
            );
            internal()
        }
    }
}

/// The same of a watch, which names the last event that its reader has.
pub(crate) fn public_of_watch(status: &tonic::Status) -> Fault {
    let fault = public(status);
    match fault.reason() {
        R::InvalidArgument => Fault::invalid(
            "after_event_id",
            "is of no event yet; send the id of the last event that you have, or 0 for all",
        ),
        _ => fault,
    }
}

/// A fault of ours; the log says more.
pub(crate) fn internal() -> Fault {
    Fault::new(
        R::Internal,
        "something went wrong here; report the x-request-id",
    )
}
