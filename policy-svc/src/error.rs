//! What can go wrong: at start, and in a call.

use turnwise_course_bundles::OpenError;
use turnwise_course_pack::ArtifactFormat;
use turnwise_decisions::PolicyFault;
use turnwise_kit::Fault;
use turnwise_proto::common::v1::ErrorReason;

use crate::artifacts::Refusal;

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The courses cannot be served, or not be archived.
    #[error(transparent)]
    Courses(#[from] OpenError),
    /// The start broke off.
    #[error("the start broke off: {0}")]
    Interrupted(String),
    /// The reply guard cannot be made.
    #[error("the reply guard cannot be made: {0}")]
    Guard(#[from] turnwise_reply_guard::GuardError),
    /// The rules for help with procedures cannot be made.
    #[error(transparent)]
    HelpRules(#[from] turnwise_procedure_help::RuleError),
}

/// Why a call fails.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// No such course is loaded.
    #[error("no course `{course_id}` is served here; name one that is, such as that of a thread")]
    UnknownCourse {
        /// The request's field that names it.
        field: &'static str,
        /// The course.
        course_id: String,
    },
    /// The only packs of the course have prerequisites that go in a circle.
    #[error(
        "the prerequisites of course `{course_id}` go in a circle, so it is not served; whoever keeps the course corrects it"
    )]
    CourseGraphInvalid {
        /// The request's field that names it.
        field: &'static str,
        /// The course.
        course_id: String,
    },
    /// The course is held in other versions only.
    #[error("course `{course_id}` is not held in the version `{pack_hash}`; try again")]
    UnknownPackVersion {
        /// The request's field that names it.
        field: &'static str,
        /// The course.
        course_id: String,
        /// The version that was asked for.
        pack_hash: String,
    },
    /// The course has no such unit.
    #[error(
        "the course has no unit `{unit_id}`; send one that it has, such as the card's or the button's"
    )]
    UnknownUnit {
        /// The request's field that names it.
        field: String,
        /// The unit.
        unit_id: String,
    },
    /// The course's exam catalogue has no such question.
    #[error("the course has no exam question `{question_id}`; send the card's")]
    UnknownQuestion {
        /// The request's field that names it.
        field: String,
        /// The question.
        question_id: String,
    },
    /// No placement waits for an answer or a pause.
    #[error(
        "no placement waits for this: none was begun, or it has ended; BeginPlacement says how it stands"
    )]
    PlacementClosed,
    /// A placement's question is not the one that waits: it is of an earlier placement, or the course has changed.
    #[error("this is not the question that waits for an answer; call BeginPlacement for that one")]
    QuestionGone,
    /// Somebody on the way from the store did not know a field of the evidence.
    #[error(
        "the student's record has a field that only a newer version knows, nothing was written; try again once every process is of that version"
    )]
    EvidenceTooNew,
    /// A field is missing, of a wrong form or out of bounds.
    #[error("`{field}` {problem}")]
    Invalid {
        /// The field.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
    /// What was supplied is not what is asked for.
    #[error("{refusal}")]
    Artifact {
        /// Why it is not taken.
        refusal: Refusal,
        /// The format that is asked for.
        expected: &'static str,
    },
}

impl PolicyError {
    /// A field is missing, of a wrong form or out of bounds.
    pub fn invalid(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Invalid {
            field: field.into(),
            problem: problem.into(),
        }
    }

    /// What was supplied for an artifact of this format is not taken.
    pub fn artifact(refusal: Refusal, format: ArtifactFormat) -> Self {
        match refusal {
            Refusal::KeyPath => Self::invalid("key_path", "must name a part as the course does"),
            refusal => Self::Artifact {
                refusal,
                expected: format.as_str(),
            },
        }
    }

    /// A required field is absent.
    pub fn missing(field: impl Into<String>) -> Self {
        Self::invalid(field, "is required")
    }

    /// A plan or policy, which came in as the field `within`, is one that could not have been made.
    pub fn impossible(within: &str, fault: &PolicyFault) -> Self {
        Self::invalid(format!("{within}.{}", fault.field), fault.problem)
    }
}

impl From<PolicyError> for Fault {
    fn from(error: PolicyError) -> Self {
        let message = error.to_string();
        match error {
            PolicyError::UnknownCourse { field, course_id } => {
                Self::new(ErrorReason::UnknownCourse, message)
                    .field(field, "no such course")
                    .meta("course_id", course_id)
            }
            PolicyError::CourseGraphInvalid { field, course_id } => {
                Self::new(ErrorReason::CourseGraphInvalid, message)
                    .field(field, "its prerequisites go in a circle")
                    .meta("course_id", course_id)
            }
            PolicyError::UnknownPackVersion {
                field, pack_hash, ..
            } => Self::new(ErrorReason::UnknownPackVersion, message)
                .field(field, "not held here")
                .meta("pack_hash", pack_hash),
            PolicyError::UnknownUnit { field, unit_id } => {
                Self::new(ErrorReason::UnknownUnit, message)
                    .field(&field, "no such unit")
                    .meta("unit_id", unit_id)
            }
            PolicyError::UnknownQuestion { field, question_id } => {
                Self::new(ErrorReason::UnknownQuestion, message)
                    .field(&field, "no such question")
                    .meta("question_id", question_id)
            }
            PolicyError::Artifact {
                refusal: Refusal::TooLarge { limit, .. },
                ..
            } => Self::new(ErrorReason::PayloadTooLarge, message)
                .field("content", format!("must have at most {limit} bytes"))
                .meta("limit", limit.to_string()),
            PolicyError::Artifact { refusal, expected } => {
                Self::new(ErrorReason::UnsupportedPayload, message)
                    .field("content", "is not what is asked for")
                    .meta("cause", refusal.cause())
                    .meta("expected", expected)
            }
            PolicyError::EvidenceTooNew => {
                tracing::error!(
                    "a record is of a newer version; upgrade the gateways and the policy"
                );
                Self::new(ErrorReason::SchemaTooNew, message).meta("record", "evidence")
            }
            PolicyError::PlacementClosed => Self::new(ErrorReason::PlacementClosed, message),
            PolicyError::QuestionGone => Self::new(ErrorReason::DrillTokenInvalid, message)
                .field("question.token", "is not of the question that waits")
                .meta("cause", "mismatch"),
            PolicyError::Invalid { field, problem } => Self::invalid(&field, problem),
        }
    }
}

impl From<PolicyError> for tonic::Status {
    fn from(error: PolicyError) -> Self {
        Fault::from(error).into()
    }
}
