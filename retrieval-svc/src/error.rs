//! What can go wrong: at start, and in a call.

use turnwise_course_pack::LibraryError;
use turnwise_kit::Fault;
use turnwise_proto::common::v1::ErrorReason;

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No course can be served.
    #[error("no course can be served (COURSES_DIR): {0}")]
    Courses(LibraryError),
}

/// Why a call fails, beyond a field that is out of bounds.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RetrievalError {
    /// No such course is loaded.
    #[error("no course `{0}` is loaded; ask for one that ListCourses names")]
    UnknownCourse(String),
    /// The course is held in other versions only.
    #[error("course `{course_id}` is not held in the version `{pack_hash}`; begin the turn again")]
    UnknownPackVersion {
        /// The course.
        course_id: String,
        /// The version that was asked for.
        pack_hash: String,
    },
    /// The course has no such unit.
    #[error("the course has no unit `{unit_id}`; ask for one that GetCourse names")]
    UnknownUnit {
        /// The request's field that names it.
        field: &'static str,
        /// The unit.
        unit_id: String,
    },
}

impl From<RetrievalError> for Fault {
    fn from(error: RetrievalError) -> Self {
        let message = error.to_string();
        match error {
            RetrievalError::UnknownCourse(id) => Self::new(ErrorReason::UnknownCourse, message)
                .field("course_id", "no such course")
                .meta("course_id", id),
            RetrievalError::UnknownPackVersion { pack_hash, .. } => {
                Self::new(ErrorReason::UnknownPackVersion, message)
                    .field("pack_hash", "not held here")
                    .meta("pack_hash", pack_hash)
            }
            RetrievalError::UnknownUnit { field, unit_id } => {
                Self::new(ErrorReason::UnknownUnit, message)
                    .field(field, "no such unit")
                    .meta("unit_id", unit_id)
            }
        }
    }
}

impl From<RetrievalError> for tonic::Status {
    fn from(error: RetrievalError) -> Self {
        Fault::from(error).into()
    }
}
