//! What each error reason means to gRPC: its name on the wire and its code.

use tonic::Code;

use crate::common::v1::ErrorReason;

impl ErrorReason {
    /// The name in `google.rpc.ErrorInfo.reason`: the enum value without its prefix, such as `UNKNOWN_COURSE`.
    pub fn wire_name(self) -> &'static str {
        self.as_str_name()
            .strip_prefix("ERROR_REASON_")
            .unwrap_or("INTERNAL")
    }

    /// The reason with this name on the wire, if there is one.
    pub fn from_wire_name(name: &str) -> Option<Self> {
        Self::from_str_name(&format!("ERROR_REASON_{name}"))
    }

    /// The one gRPC code that the reason maps to.
    pub fn code(self) -> Code {
        match self {
            Self::Unauthenticated | Self::MissingScopeToken => Code::Unauthenticated,
            Self::PermissionDenied | Self::InvalidScopeToken => Code::PermissionDenied,
            Self::MalformedMessage
            | Self::InvalidArgument
            | Self::InvalidText
            | Self::MessageTooLong
            | Self::MissingMessage
            | Self::InvalidSchema
            | Self::InvalidPageToken
            | Self::UnsupportedPayload
            | Self::UnknownNamespace => Code::InvalidArgument,
            Self::PayloadTooLarge
            | Self::HeadersTooLarge
            | Self::RateLimited
            | Self::Busy
            | Self::QueueFull
            | Self::BudgetExhausted
            | Self::ResumeRequired => Code::ResourceExhausted,
            Self::UnknownBackend
            | Self::UnknownModel
            | Self::UnknownCourse
            | Self::UnknownUnit
            | Self::UnknownThread
            | Self::UnknownTurn
            | Self::UnknownQuestion
            | Self::UnknownReference
            | Self::UnknownStudent
            | Self::UnknownAlert
            | Self::UnknownArchive => Code::NotFound,
            Self::RemoteBackendNotAcknowledged
            | Self::LlmOff
            | Self::UnknownPackVersion
            | Self::UnknownSchema
            | Self::SchemaTooNew
            | Self::ContextRequestClosed
            | Self::HelpSessionClosed
            | Self::PlacementClosed
            | Self::IndexIncompatible
            | Self::UpsertsOff
            | Self::DrillTokenInvalid
            | Self::DrillAlreadyGraded
            | Self::ExerciseRepeated
            | Self::CourseGraphInvalid
            | Self::ExamsClosed
            | Self::ResultMismatch => Code::FailedPrecondition,
            Self::TurnInProgress
            | Self::IdempotencyConflict
            | Self::VersionConflict
            | Self::Superseded
            | Self::ResetInProgress
            | Self::TurnErased => Code::Aborted,
            Self::RecordCorrupted => Code::DataLoss,
            Self::BackendUnavailable
            | Self::CircuitOpen
            | Self::StorageUnavailable
            | Self::DependencyUnavailable
            | Self::Draining => Code::Unavailable,
            Self::DeadlineExceeded => Code::DeadlineExceeded,
            Self::UnknownMethod | Self::UnsupportedEncoding => Code::Unimplemented,
            Self::BackendError | Self::ArchiveFailed | Self::Internal | Self::Unspecified => {
                Code::Internal
            }
        }
    }
}
