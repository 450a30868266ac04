//! The names of the keys. All keys of one student share a hash tag and so one slot of a cluster: one script can touch
//! them all. Ids hold no `{`, `}`, `/` or `:`, and what may hold them comes last, so no two keys are confused.

use crate::store::{Idempotency, Operation, StudentKey};

/// The keys of one student.
pub(super) struct Keys {
    prefix: String,
}

impl Keys {
    pub(super) fn of(student: &StudentKey) -> Self {
        Self {
            prefix: format!("turnwise:{{{}/{}}}:", student.tenant, student.student),
        }
    }

    /// Hash: record, course, count, updated, locked, fence.
    pub(super) fn thread(&self, thread_id: &str) -> String {
        format!("{}thread:{thread_id}", self.prefix)
    }

    /// Sorted set: thread ids by the order in which they were made.
    pub(super) fn threads(&self) -> String {
        format!("{}threads", self.prefix)
    }

    /// Counter: threads ever made.
    pub(super) fn threads_made(&self) -> String {
        format!("{}threads_made", self.prefix)
    }

    /// List: messages, oldest first; the message with id n is at n - 1.
    pub(super) fn messages(&self, thread_id: &str) -> String {
        format!("{}messages:{thread_id}", self.prefix)
    }

    /// Hash: fence, key, fingerprint; expires with the lease.
    pub(super) fn lease(&self, thread_id: &str) -> String {
        format!("{}lease:{thread_id}", self.prefix)
    }

    /// Hash: turn, evidence, version.
    pub(super) fn snapshot(&self, course_id: &str) -> String {
        format!("{}snapshot:{course_id}", self.prefix)
    }

    /// Hash: question id → record.
    pub(super) fn questions(&self, course_id: &str) -> String {
        format!("{}questions:{course_id}", self.prefix)
    }

    /// Hash: fingerprint, outcome; expires with the idempotency key.
    pub(super) fn answer(&self, operation: Operation, idempotency: &Idempotency) -> String {
        let operation = operation.as_str();
        format!("{}answer:{operation}:{}", self.prefix, idempotency.key)
    }
}
