//! Who may touch whose records.

use turnwise_kit::{Caller, Fault, ids};
use turnwise_proto::common::v1::ErrorReason;

use crate::store::StudentKey;

const STUDENT: &str = "student";

/// The key of a student whom the caller may act for: a student for themselves, services and staff for everyone of
/// their tenant.
pub fn student(caller: &Caller, student_id: &str) -> Result<StudentKey, Fault> {
    caller.require(&[STUDENT, "service", "staff"])?;
    if caller.is(STUDENT) && caller.subject != student_id {
        return Err(Fault::new(
            ErrorReason::PermissionDenied,
            "a student's call may name only that student in `student_id`",
        )
        .meta("need", "student_id of the caller"));
    }
    // The tenant is part of every key, so it may hold no separator either.
    if !ids::is_valid(&caller.tenant) {
        return Err(Fault::new(
            ErrorReason::Unauthenticated,
            "the caller's tenant must match [A-Za-z0-9._~@-]{1,128}",
        )
        .meta("cause", "claims"));
    }
    Ok(StudentKey {
        tenant: caller.tenant.clone(),
        student: student_id.to_owned(),
    })
}

/// Refuses a class that a student does not belong to.
pub fn class(caller: &Caller, class_id: &str) -> Result<(), Fault> {
    if caller.is(STUDENT) && !caller.groups.iter().any(|group| group == class_id) {
        return Err(Fault::new(
            ErrorReason::PermissionDenied,
            "`class_id` must be one of the caller's classes",
        )
        .meta("need", "class of the caller"));
    }
    Ok(())
}
