//! What the service counts beside its calls.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family},
};
use turnwise_kit::Metrics;
use turnwise_proto::classes::v1::{AlertKind, SafeguardingAlert};

/// The service's own metrics. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct SessionMetrics {
    alerts: Family<AlertLabels, Counter>,
    escalations: Counter,
    resets: Family<ResetLabels, Counter>,
    dropped: Counter,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct AlertLabels {
    kind: &'static str,
    /// `yes` or `no`.
    uncertain: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ResetLabels {
    /// `done` or `failed`.
    outcome: &'static str,
}

impl SessionMetrics {
    /// Registers them.
    pub fn register(metrics: &Metrics) -> Self {
        let own = Self::default();
        // From zero on: an alert rule that asks for an increase would not see a count that begins with one.
        for kind in (1..).map_while(|number| AlertKind::try_from(number).ok()) {
            if kind == AlertKind::Handoff {
                continue;
            }
            for uncertain in ["yes", "no"] {
                let labels = AlertLabels {
                    kind: kind.as_str_name(),
                    uncertain,
                };
                drop(own.alerts.get_or_create(&labels));
            }
        }
        metrics.registry(|registry| {
            registry.register(
                "turnwise_session_safeguarding_alerts",
                "Calls for help that were raised in classes",
                own.alerts.clone(),
            );
            registry.register(
                "turnwise_session_escalations",
                "Persons that were asked to step in after a clarification",
                own.escalations.clone(),
            );
            registry.register(
                "turnwise_session_class_resets",
                "Class resets that came to an end",
                own.resets.clone(),
            );
            registry.register(
                "turnwise_session_webhook_events_dropped",
                "Events for webhooks that were dropped unsent because their stream had grown too long",
                own.dropped.clone(),
            );
        });
        own
    }

    pub(crate) fn raised(&self, alert: &SafeguardingAlert) {
        if alert.kind() == AlertKind::Handoff {
            self.escalations.inc();
            return;
        }
        self.alerts
            .get_or_create(&AlertLabels {
                kind: alert.kind().as_str_name(),
                uncertain: if alert.uncertain { "yes" } else { "no" },
            })
            .inc();
    }

    pub(crate) fn dropped(&self, events: i64) {
        self.dropped.inc_by(events.max(0).unsigned_abs());
    }

    pub(crate) fn reset(&self, outcome: &'static str) {
        self.resets.get_or_create(&ResetLabels { outcome }).inc();
    }
}
