//! The names of what is stored. Ids hold neither `:` nor `/`, and what may hold them (an idempotency key) comes last, so no
//! two names are confused.
//!
//! In a student's partition, which is named by the tenant's pseudonym of the student:
//!
//! | name | kind | holds |
//! | --- | --- | --- |
//! | `threads:KIND` | ranking | ids of the threads of a kind by the microsecond of their making |
//! | `thread:ID` | record | `record`, `course`, `class`, `count`, `updated`, `locked`, `kept`, `kind`, `status`, `focus`, `graded`, `card`, `exam`, `touched`, `floor` |
//! | `timeline:ID` | log | messages; a message's id is its place |
//! | `events:ID` | log | events |
//! | `lease:ID` | lease | of the turn under way |
//! | `memory:ID` | record | memory scope → `ConversationMemory`; expires |
//! | `interactions:ID` | record | `version`, `pending`, `clarified`, and `request:ID` and `claims:ID` for each context request |
//! | `requests:ID` | ranking | ids of the thread's context requests by the version at which they were opened |
//! | `payloads:ID` | record | `REQUEST:SLOT` → the text that was supplied for a slot of a context request |
//! | `artifacts:ID` | record | `version`, and `BATCH/TYPE` → `Artifact` for what is kept beside the thread |
//! | `artifact-texts:ID` | record | `BATCH/TYPE` → the artifact's text |
//! | `help:ID` | record | of a help session: `procedure`, `version`, `run`, `overlay` |
//! | `batches` | ranking | `BATCH/ID` of the threads that have artifacts or requests, by the millisecond of their end; expires |
//! | `turns:ID` | ranking | turn ids by the millisecond of their commit |
//! | `turn:ID` | record | `facts`, `text`, `erased`; expires |
//! | `idempotency-index:ID` | ranking | names of the idempotency entries that hold text of the thread, by the millisecond of their end |
//! | `idempotency:OPERATION:KEY` | record | an idempotency entry: `fingerprint`, `outcome` (of a turn perhaps without its messages, which stand in `timeline:ID`), for evidence `text`; expires |
//! | `graded` | ranking | `COURSE/NAME` of the idempotency entries of evidence that hold text, by the millisecond of their end; expires |
//! | `cleared` | record | `at`: a class reset took the student's text a moment ago; expires |
//! | `nonce:NONCE` | record | `verdict`; expires |
//! | `courses` | record | course ids as fields |
//! | `snapshot:COURSE` | record | `turn`, `evidence`, `version` |
//! | `questions:COURSE` | record | question id → `QuestionRecord`, for the questions that were passed or locked |
//! | `places` | record | `CLASS/COURSE` as fields: where the student has worked |
//! | `activity:CLASS:COURSE:WEEK` | record | counts; expires |
//! | `works` | record | work id → thread id, for each piece of deferred work |
//! | `erased` | record | `fence`: what began before it may no longer write; `running`: the erasure under way; expires |
//!
//! In a class's partition: `conversations` (ranking of `STUDENT/THREAD` by the millisecond of their end), `students`
//! (ranking of who has worked in it by the millisecond of their end), `roster` (record: `names`), `policy` (record:
//! `policy`), `placements` (record: ids of the courses in which a placement was begun for the class as fields), `settings`
//! (log that tells of changes of these, always empty), `alert:ID` (record: `alert`; expires), `alerts`
//! and `open-alerts`, `escalations` and `open-escalations` (rankings of `STUDENT/ALERT` by the millisecond of their making), `alert-changes` (log of alerts' ids)
//! `reset` (record of the latest class reset), `reset:KEY` (record of one that ended; expires), `reset-lease` and `erased:PSEUDONYM` (record: `fence`; expires). In a tenant's: `audit` (log), `pseudonym-key` (record: `key`), and idempotency
//! entries of what staff change, and `dead-letters` (log; expires). In both: `outbox:STREAM` (log of events to deliver; expires),
//! `outbox-state:STREAM` (record: `cursor`, `mark`, `attempts`, `first`; expires) and `outbox-lease:STREAM`. In the partition
//! `outbox`: `DESTINATION-due` and `DESTINATION-waiting` (rankings of streams by the millisecond at which they are looked at,
//! and of their oldest undelivered event) and `stream:DESTINATION/STREAM` (record: `touched`, `since`; expires). In the
//! partition `resets`: `resets` (ranking of
//! `TENANT/CLASS` that are being reset, by the millisecond of the beginning). In the partition `due`: `due` (ranking of work ids by the millisecond
//! of their time), `work:ID` (record: `item`), `claim:ID` (lease) and `erased:PSEUDONYM` as in a class's.
//!
//! KIND is `tutor`, `helper` or `procedure`; OPERATION is KIND for a turn, `thread-KIND` for making a thread, else `evidence`, `events` or `change`.

use turnwise_proto::session::v1::ThreadKind;
use turnwise_session_store::Key;

/// The operations that keep idempotency keys; each has its own keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Making a thread of a kind.
    CreateThread(ThreadKind),
    /// A turn in a thread of a kind.
    Turn(ThreadKind),
    /// Evidence.
    Evidence,
    /// Events outside of turns.
    Events,
    /// What staff change.
    Change,
}

/// All kinds of threads, whose numbers follow each other.
pub(crate) fn kinds() -> impl Iterator<Item = ThreadKind> {
    (1..).map_while(|number| ThreadKind::try_from(number).ok())
}

fn name(kind: ThreadKind) -> &'static str {
    match kind {
        ThreadKind::Tutor | ThreadKind::Unspecified => "tutor",
        ThreadKind::Helper => "helper",
        ThreadKind::Procedure => "procedure",
    }
}

/// What kind of record stands under a name, for people and programs that are told that it is damaged.
pub(crate) fn record(key: &Key) -> &'static str {
    let kind = key.as_str().split(':').next().unwrap_or_default();
    match kind {
        "thread" => "thread",
        "threads" | "turns" | "idempotency-index" | "graded" | "conversations" | "students"
        | "requests" | "resets" | "alerts" | "open-alerts" | "escalations" | "open-escalations"
        | "alert-changes" => "index",
        "activity" | "places" => "activity",
        "policy" | "placements" => "class_policy",
        "alert" => "alert",
        "reset" => "reset",
        "pseudonym-key" => "pseudonym_key",
        "timeline" => "message",
        "events" => "event",
        "memory" => "memory",
        "help" => "help_session",
        "interactions" => "pending",
        "payloads" => "context_payload",
        "artifacts" | "artifact-texts" | "batches" => "artifact",
        "turn" => "turn_log",
        "idempotency" => "idempotency_entry",
        "nonce" => "nonce",
        "snapshot" => "evidence",
        "questions" => "question",
        "works" | "work" | "due" => "work",
        "erased" | "cleared" => "erasure",
        "roster" => "roster",
        "audit" => "audit_entry",
        "dead-letters" => "dead_letter",
        "outbox" | "outbox-state" | "stream" | "audit-due" | "audit-waiting" | "alert-due"
        | "alert-waiting" => "outgoing_event",
        _ => "store",
    }
}

/// Whether a field holds a record, whose checksum can be compared, of the name of a kind that goes on with `id`; the other
/// fields are numbers and ids.
pub(crate) fn is_record(kind: &str, id: &str, field: &str) -> bool {
    match kind {
        "thread" => matches!(field, "record" | "updated" | "focus" | "graded"),
        "memory" | "payloads" | "artifact-texts" | "questions" => true,
        "interactions" | "artifacts" | "help" => field != "version",
        "turn" => matches!(field, "facts" | "text"),
        "idempotency" => {
            let operation = id.split(':').next().unwrap_or_default();
            let is_answer = !matches!(operation, "evidence" | "events" | "change");
            field == "text" || (field == "outcome" && is_answer)
        }
        "nonce" => field == "verdict",
        "snapshot" => field != "version",
        "roster" => field == "names",
        "policy" | "alert" | "reset" => field == kind,
        "work" => field == "item",
        _ => false,
    }
}

/// Whether the entries of a log are records.
pub(crate) fn is_log_of_records(kind: &str) -> bool {
    matches!(
        kind,
        "timeline" | "events" | "audit" | "outbox" | "dead-letters"
    )
}

pub(crate) fn threads(kind: ThreadKind) -> Key {
    Key::new(format!("threads:{}", name(kind)))
}

pub(crate) fn thread(id: &str) -> Key {
    Key::new(format!("thread:{id}"))
}

pub(crate) fn timeline(id: &str) -> Key {
    Key::new(format!("timeline:{id}"))
}

pub(crate) fn events(id: &str) -> Key {
    Key::new(format!("events:{id}"))
}

pub(crate) fn lease(id: &str) -> Key {
    Key::new(format!("lease:{id}"))
}

pub(crate) fn memory(id: &str) -> Key {
    Key::new(format!("memory:{id}"))
}

pub(crate) fn interactions(id: &str) -> Key {
    Key::new(format!("interactions:{id}"))
}

pub(crate) fn requests(id: &str) -> Key {
    Key::new(format!("requests:{id}"))
}

pub(crate) fn payloads(id: &str) -> Key {
    Key::new(format!("payloads:{id}"))
}

pub(crate) fn artifacts(id: &str) -> Key {
    Key::new(format!("artifacts:{id}"))
}

pub(crate) fn artifact_texts(id: &str) -> Key {
    Key::new(format!("artifact-texts:{id}"))
}

pub(crate) fn help(id: &str) -> Key {
    Key::new(format!("help:{id}"))
}

pub(crate) fn batches() -> Key {
    Key::new("batches")
}

pub(crate) fn turns(id: &str) -> Key {
    Key::new(format!("turns:{id}"))
}

pub(crate) fn turn(id: &str) -> Key {
    Key::new(format!("turn:{id}"))
}

pub(crate) fn idempotency_index(id: &str) -> Key {
    Key::new(format!("idempotency-index:{id}"))
}

pub(crate) fn graded() -> Key {
    Key::new("graded")
}

pub(crate) fn cleared() -> Key {
    Key::new("cleared")
}

pub(crate) fn idempotency(operation: Operation, idempotency_key: &str) -> Key {
    Key::new(match operation {
        Operation::CreateThread(kind) => {
            format!("idempotency:thread-{}:{idempotency_key}", name(kind))
        }
        Operation::Turn(kind) => format!("idempotency:{}:{idempotency_key}", name(kind)),
        Operation::Evidence => format!("idempotency:evidence:{idempotency_key}"),
        Operation::Events => format!("idempotency:events:{idempotency_key}"),
        Operation::Change => format!("idempotency:change:{idempotency_key}"),
    })
}

pub(crate) fn nonce(nonce: &str) -> Key {
    Key::new(format!("nonce:{nonce}"))
}

pub(crate) fn courses() -> Key {
    Key::new("courses")
}

pub(crate) fn snapshot(course_id: &str) -> Key {
    Key::new(format!("snapshot:{course_id}"))
}

pub(crate) fn questions(course_id: &str) -> Key {
    Key::new(format!("questions:{course_id}"))
}

pub(crate) fn works() -> Key {
    Key::new("works")
}

pub(crate) fn erased() -> Key {
    Key::new("erased")
}

pub(crate) fn conversations() -> Key {
    Key::new("conversations")
}

pub(crate) fn roster() -> Key {
    Key::new("roster")
}

pub(crate) fn places() -> Key {
    Key::new("places")
}

pub(crate) fn activity(class_id: &str, course_id: &str, week: i64) -> Key {
    Key::new(format!("activity:{class_id}:{course_id}:{week}"))
}

pub(crate) fn students() -> Key {
    Key::new("students")
}

pub(crate) fn class_policy() -> Key {
    Key::new("policy")
}

pub(crate) fn class_placements() -> Key {
    Key::new("placements")
}

pub(crate) fn settings() -> Key {
    Key::new("settings")
}

pub(crate) fn alert(id: &str) -> Key {
    Key::new(format!("alert:{id}"))
}

/// The rankings of a class's alerts: all, and those that are open.
pub(crate) fn alerts(handoffs: bool) -> [Key; 2] {
    match handoffs {
        false => [Key::new("alerts"), Key::new("open-alerts")],
        true => [Key::new("escalations"), Key::new("open-escalations")],
    }
}

pub(crate) fn alert_changes() -> Key {
    Key::new("alert-changes")
}

pub(crate) fn pseudonym_key() -> Key {
    Key::new("pseudonym-key")
}

pub(crate) fn reset() -> Key {
    Key::new("reset")
}

pub(crate) fn reset_outcome(idempotency_key: &str) -> Key {
    Key::new(format!("reset:{idempotency_key}"))
}

pub(crate) fn reset_lease() -> Key {
    Key::new("reset-lease")
}

pub(crate) fn resets() -> Key {
    Key::new("resets")
}

pub(crate) fn audit() -> Key {
    Key::new("audit")
}

pub(crate) fn dead_letters() -> Key {
    Key::new("dead-letters")
}

pub(crate) fn outbox(stream: &str) -> Key {
    Key::new(format!("outbox:{stream}"))
}

pub(crate) fn outbox_state(stream: &str) -> Key {
    Key::new(format!("outbox-state:{stream}"))
}

pub(crate) fn outbox_lease(stream: &str) -> Key {
    Key::new(format!("outbox-lease:{stream}"))
}

pub(crate) fn outbox_due(destination: &str) -> Key {
    Key::new(format!("{destination}-due"))
}

pub(crate) fn outbox_waiting(destination: &str) -> Key {
    Key::new(format!("{destination}-waiting"))
}

pub(crate) fn stream(stream_id: &str) -> Key {
    Key::new(format!("stream:{stream_id}"))
}

pub(crate) fn erased_student(pseudonym: &str) -> Key {
    Key::new(format!("erased:{pseudonym}"))
}

pub(crate) fn due() -> Key {
    Key::new("due")
}

pub(crate) fn work(id: &str) -> Key {
    Key::new(format!("work:{id}"))
}

pub(crate) fn claim(id: &str) -> Key {
    Key::new(format!("claim:{id}"))
}
