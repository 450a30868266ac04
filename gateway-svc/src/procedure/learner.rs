//! Whom a call speaks for.

use std::sync::Arc;

use turnwise_kit::{CallContext, Caller, Fault, ids};
use turnwise_proto::common::v1::ErrorReason;

use crate::access::{STAFF, STUDENT};

/// The learner as the caller of everything that a call does: staff name one, students and simulators are or have one.
pub(crate) fn learner(context: &CallContext, student_id: &str) -> Result<Arc<Caller>, Fault> {
    let caller = context.caller()?;
    if caller.is(STAFF) {
        ids::check("student_id", student_id)?;
        return Ok(Arc::new(Caller {
            subject: student_id.to_owned(),
            ..caller.clone()
        }));
    }
    if !student_id.is_empty() && student_id != caller.subject {
        return Err(Fault::new(
            ErrorReason::PermissionDenied,
            "the token speaks for another learner; leave `student_id` out",
        )
        .meta("need", "token of the learner")
        .field("student_id", "is not whom the token speaks for"));
    }
    Ok(Arc::new(Caller {
        role: STUDENT.to_owned(),
        ..caller.clone()
    }))
}

/// Whether a learner may add to a session of this class.
pub(super) fn belongs(learner: &Caller, class_id: &str) -> bool {
    learner.is(STAFF) || learner.groups.iter().any(|class| class == class_id)
}

pub(super) fn left_class() -> Fault {
    Fault::new(
        ErrorReason::PermissionDenied,
        "the token does not name the class of this session; open one in a class that it names",
    )
    .meta("need", "class of the session")
}

/// The course has moved on.
pub(super) fn closed() -> Fault {
    Fault::new(
        ErrorReason::HelpSessionClosed,
        "the version of the course that this session keeps to is served no more; open a new session",
    )
    .field("session_id", "is closed")
}
