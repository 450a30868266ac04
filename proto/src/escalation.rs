//! An escalation is kept as an alert of its own kind.

use crate::classes::v1::{Escalation, SafeguardingAlert};

impl From<SafeguardingAlert> for Escalation {
    /// The escalation that an alert of kind HANDOFF is.
    fn from(alert: SafeguardingAlert) -> Self {
        Self {
            escalation_id: alert.alert_id,
            class_id: alert.class_id,
            student_id: alert.student_id,
            thread_id: alert.thread_id,
            turn_id: alert.turn_id,
            document_id: alert.document_id,
            create_time: alert.create_time,
            resolved_by: alert.acknowledged_by,
            resolve_time: alert.acknowledge_time,
        }
    }
}
