//! Who may touch whose records.

use turnwise_kit::{Caller, Fault, ids};
use turnwise_proto::{common::v1::ErrorReason, session::v1::ContextRequestChange};

use turnwise_session_store::StudentKey;

const STUDENT: &str = "student";
const TEACHER: &str = "teacher";

/// The key of somebody whom the caller may act for: students and teachers for themselves, services and staff for everyone
/// of their tenant.
pub fn student(caller: &Caller, student_id: &str) -> Result<StudentKey, Fault> {
    caller.require(&[STUDENT, TEACHER, "service", "staff"])?;
    if (caller.is(STUDENT) || caller.is(TEACHER)) && caller.subject != student_id {
        return Err(Fault::new(
            ErrorReason::PermissionDenied,
            "a student's or teacher's call may name only its own caller in `student_id`",
        )
        .meta("need", "student_id of the caller"));
    }
    key(caller, student_id)
}

/// The key of a student for whom the caller may supply artifacts: as [`student`], and teachers, whose class
/// [`teacher_of`] checks.
pub fn supplier(caller: &Caller, student_id: &str) -> Result<StudentKey, Fault> {
    if caller.is(TEACHER) {
        return key(caller, student_id);
    }
    student(caller, student_id)
}

/// Refuses a change of a context request that is not the caller's to make: the student goes on without or gives up, staff
/// and teachers decide to go on without, and the service keeps the time.
pub fn context_change(
    caller: &Caller,
    student_id: &str,
    change: ContextRequestChange,
) -> Result<(), Fault> {
    let own = (caller.is(STUDENT) || caller.is(TEACHER)) && caller.subject == student_id;
    match change {
        ContextRequestChange::Cancel | ContextRequestChange::Skip if own => Ok(()),
        ContextRequestChange::Force => caller.require(&[TEACHER, "staff", "service"]),
        _ => caller.require(&["service"]),
    }
}

/// Refuses teachers who do not teach this class; says nothing about others.
pub fn teacher_of(caller: &Caller, class_id: &str) -> Result<(), Fault> {
    if caller.is(TEACHER) && !caller.groups.iter().any(|group| group == class_id) {
        return Err(not_their_class());
    }
    Ok(())
}

/// Refuses whoever may not act for a class as staff: services, staff of the tenant, and the class's own teachers may.
pub fn staff_of_class(caller: &Caller, class_id: &str) -> Result<(), Fault> {
    caller.require(&["service", "staff", TEACHER])?;
    teacher_of(caller, class_id)
}

/// The caller's tenant. It is part of every key, so it may hold no separator.
pub fn tenant(caller: &Caller) -> Result<String, Fault> {
    if ids::is_valid(&caller.tenant) {
        return Ok(caller.tenant.clone());
    }
    Err(Fault::new(
        ErrorReason::Unauthenticated,
        "the caller's tenant must match [A-Za-z0-9._~@-]{1,128}",
    )
    .meta("cause", "claims"))
}

fn key(caller: &Caller, student_id: &str) -> Result<StudentKey, Fault> {
    Ok(StudentKey {
        tenant: tenant(caller)?,
        student: student_id.to_owned(),
    })
}

fn not_their_class() -> Fault {
    Fault::new(
        ErrorReason::PermissionDenied,
        "`class_id` must be one of the caller's classes",
    )
    .meta("need", "class of the caller")
}

/// Refuses a class that a student does not belong to.
pub fn class(caller: &Caller, class_id: &str) -> Result<(), Fault> {
    match belongs(caller, class_id) {
        true => Ok(()),
        false => Err(not_their_class()),
    }
}

/// Refuses new work in a thread whose class the student belongs to no more. What was said there can still be read.
pub fn class_of_thread(caller: &Caller, class_id: &str) -> Result<(), Fault> {
    if belongs(caller, class_id) {
        return Ok(());
    }
    Err(Fault::new(
        ErrorReason::PermissionDenied,
        "the token does not name the class of this thread any more: the thread can be read, but nothing is added to it; \
         open a new thread in a class that the token names",
    )
    .meta("need", "class of the thread")
    .field("thread_id", "is a thread of a class that the token does not name"))
}

fn belongs(caller: &Caller, class_id: &str) -> bool {
    !caller.is(STUDENT) || caller.groups.iter().any(|group| group == class_id)
}
