//! Who may call what of the public port: one table, by which every service admits its callers and of which
//! `docs/access.md` is made. A role that it does not name is refused.

use turnwise_kit::{CallContext, Caller, Fault, ids};
use turnwise_proto::common::v1::ErrorReason;

/// The role that talks to the tutor.
pub const STUDENT: &str = "student";
/// The role that teaches the classes of its token.
pub const TEACHER: &str = "teacher";
/// The role of people who look after a tenant.
pub const STAFF: &str = "staff";
/// The role of a platform's own programs.
pub const SERVICE: &str = "service";
/// What a program is whose token speaks for one learner (`on_behalf_of`). No token names this role.
pub const SIMULATOR: &str = "simulator";
/// What whoever shows HELPER_INTERNAL_API_TOKEN is. No token of the issuer gives this role.
pub const RESET_KEY: &str = "reset-key";
/// The roles that a token may give.
pub const ROLES: [&str; 4] = [STUDENT, TEACHER, STAFF, SERVICE];
/// The tenant of tokens that name none, and the only one for the reset key.
pub const DEFAULT_TENANT: &str = "default";

/// Who may call the RPCs of a service, or one of them.
#[derive(Debug, PartialEq, Eq)]
pub struct Access {
    /// The service.
    pub service: &'static str,
    /// The one RPC; none: all that have no line of their own.
    pub method: Option<&'static str>,
    /// Which roles may.
    pub roles: &'static [&'static str],
    /// Whether the reset key opens it, for classes of its tenant.
    pub reset_key: bool,
}

/// The tutor.
pub const TUTOR: Access = Access::of("turnwise.tutor.v1.TutorService", &[STUDENT]);
/// What messages wait for: supplied by whoever the course names.
pub const CONTEXT: Access = Access::of(
    "turnwise.context.v1.ContextService",
    &[STUDENT, TEACHER, STAFF, SERVICE],
);
/// Whether to go on without, or not at all, is the student's to say; and what happens in a thread is theirs to read.
pub const SKIP_CONTEXT: Access = Access {
    method: Some("SkipContext"),
    roles: &[STUDENT],
    ..CONTEXT
};
/// As [`SKIP_CONTEXT`].
pub const CANCEL_CONTEXT: Access = Access {
    method: Some("CancelContext"),
    ..SKIP_CONTEXT
};
/// As [`SKIP_CONTEXT`].
pub const WATCH_THREAD: Access = Access {
    method: Some("WatchThread"),
    ..SKIP_CONTEXT
};
/// Who may have a message answered without.
pub const FORCE_RUN: Access = Access {
    method: Some("ForceRun"),
    roles: &[TEACHER, STAFF, SERVICE],
    ..CONTEXT
};
/// The homework helper. What a student may ask about is in the scope token.
pub const HELPER: Access = Access::of(
    "turnwise.helper.v1.HelperService",
    &[STUDENT, TEACHER, STAFF, SERVICE],
);
/// Help with procedures.
pub const PROCEDURES: Access = Access::of(
    "turnwise.procedure.v1.ProcedureHelpService",
    &[STUDENT, STAFF, SIMULATOR],
);
/// What a student already knows.
pub const PLACEMENT: Access = Access::of("turnwise.placement.v1.PlacementService", &[STUDENT]);
/// Who signs scopes.
pub const MINT: Access = Access {
    method: Some("MintScopeToken"),
    roles: &[STAFF, SERVICE],
    ..HELPER
};
/// Why a turn went as it did.
pub const EXPLAIN: Access = Access::of("turnwise.explain.v1.ExplainService", &[STAFF, SERVICE]);
/// The queues in front of models.
pub const QUEUES: Access = Access::of("turnwise.llm.v1.LlmQueueService", &[STAFF, SERVICE]);
/// What is uploaded to courses.
pub const INDEX: Access = Access::of("turnwise.retrieval.v1.IndexService", &[STAFF, SERVICE]);
/// Classes; a teacher's are those that the token names.
pub const CLASSES: Access = Access::of(
    "turnwise.school.v1.ClassService",
    &[TEACHER, STAFF, SERVICE],
);
/// The reset of a class.
pub const RESET: Access = Access {
    method: Some("ResetClassConversations"),
    reset_key: true,
    ..CLASSES
};
/// What is kept of students.
pub const RECORDS: Access = Access::of(
    "turnwise.school.v1.StudentRecordsService",
    &[STAFF, SERVICE],
);

/// The whole table. The first line that fits an RPC holds.
pub const TABLE: [&Access; 16] = [
    &TUTOR,
    &SKIP_CONTEXT,
    &CANCEL_CONTEXT,
    &WATCH_THREAD,
    &FORCE_RUN,
    &CONTEXT,
    &MINT,
    &HELPER,
    &PROCEDURES,
    &PLACEMENT,
    &RESET,
    &CLASSES,
    &RECORDS,
    &EXPLAIN,
    &QUEUES,
    &INDEX,
];

impl Access {
    const fn of(service: &'static str, roles: &'static [&'static str]) -> Self {
        Self {
            service,
            method: None,
            roles,
            reset_key: false,
        }
    }

    /// The line for an RPC.
    #[must_use]
    pub fn to(service: &str, method: &str) -> Option<&'static Self> {
        TABLE
            .into_iter()
            .find(|line| line.service == service && line.method.is_none_or(|only| only == method))
    }

    /// The context of a call, if its caller may make it.
    pub(crate) fn admit<T>(&self, request: &tonic::Request<T>) -> Result<CallContext, Fault> {
        let context = CallContext::of(request);
        let caller = context.caller()?;
        if !(self.reset_key && caller.is(RESET_KEY)) {
            caller.require(self.roles)?;
        }
        Ok(context)
    }
}

/// Refuses a class that is none, and for a teacher one that the token does not name.
pub(crate) fn check_class(caller: &Caller, class_id: &str) -> Result<(), Fault> {
    ids::check("class_id", class_id)?;
    if caller.is(TEACHER) && !caller.groups.iter().any(|class| class == class_id) {
        return Err(foreign_class());
    }
    Ok(())
}

/// The token names other classes.
pub(crate) fn foreign_class() -> Fault {
    Fault::new(
        ErrorReason::PermissionDenied,
        "the token does not name this class; name one that it does",
    )
    .meta("need", "class")
    .field("class_id", "is no class of the token")
}
