//! What can go wrong: at start, and in a call.

use std::path::PathBuf;

use turnwise_course_pack::PackFault;
use turnwise_decisions::PolicyFault;
use turnwise_kit::Fault;
use turnwise_proto::common::v1::ErrorReason;

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The folder of packs cannot be read.
    #[error("the courses cannot be read (COURSES_DIR): {0}")]
    Courses(PackFault),
    /// The folder holds no pack.
    #[error("no course pack in `{0}`; point COURSES_DIR at a folder that holds one")]
    NoCourse(PathBuf),
    /// Every pack is broken.
    #[error(
        "no course pack can be served (COURSES_DIR); correct these faults:\n{}",
        lines(.0)
    )]
    NoGoodCourse(Vec<PackFault>),
}

fn lines(faults: &[PackFault]) -> String {
    let lines: Vec<_> = faults.iter().map(|fault| format!("  {fault}")).collect();
    lines.join("\n")
}

/// Why a call fails.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// No such course is loaded.
    #[error("no course `{course_id}` is loaded; ask for one that ListCourses names")]
    UnknownCourse {
        /// The request's field that names it.
        field: &'static str,
        /// The course.
        course_id: String,
    },
    /// The course is loaded in another version.
    #[error("course `{course_id}` is not held in the version `{pack_hash}`; begin the turn again")]
    UnknownPackVersion {
        /// The request's field that names it.
        field: &'static str,
        /// The course.
        course_id: String,
        /// The version that was asked for.
        pack_hash: String,
    },
    /// The course has no such unit.
    #[error("the course has no unit `{unit_id}`; send the unit of the card or button")]
    UnknownUnit {
        /// The request's field that names it.
        field: &'static str,
        /// The unit.
        unit_id: String,
    },
    /// A field is missing, of a wrong form or out of bounds.
    #[error("`{field}` {problem}")]
    Invalid {
        /// The field.
        field: String,
        /// What is wrong with it.
        problem: String,
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
            PolicyError::UnknownPackVersion {
                field, pack_hash, ..
            } => Self::new(ErrorReason::UnknownPackVersion, message)
                .field(field, "not held here")
                .meta("pack_hash", pack_hash),
            PolicyError::UnknownUnit { field, unit_id } => {
                Self::new(ErrorReason::UnknownUnit, message)
                    .field(field, "no such unit")
                    .meta("unit_id", unit_id)
            }
            PolicyError::Invalid { field, problem } => Self::invalid(&field, problem),
        }
    }
}

impl From<PolicyError> for tonic::Status {
    fn from(error: PolicyError) -> Self {
        Fault::from(error).into()
    }
}
