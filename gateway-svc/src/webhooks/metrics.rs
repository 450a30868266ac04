//! What is counted of webhooks; no label names a tenant.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
};
use turnwise_kit::Metrics;

/// Metrics of webhooks. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct WebhookMetrics {
    attempts: Family<AttemptLabels, Counter>,
    dead: Family<ReceiverLabel, Counter>,
    dropped: Family<ReceiverLabel, Counter>,
    waiting: Family<ReceiverLabel, Gauge>,
    oldest: Family<ReceiverLabel, Gauge>,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ReceiverLabel {
    /// `audit`, `alert` or `access`.
    receiver: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct AttemptLabels {
    receiver: &'static str,
    /// `delivered` or `failed`.
    outcome: &'static str,
}

impl WebhookMetrics {
    pub(super) fn register(metrics: &Metrics) -> Self {
        let own = Self::default();
        metrics.registry(|registry| {
            registry.register(
                "turnwise_gateway_webhook_attempts",
                "Events that were sent to a receiver, by what came of it",
                own.attempts.clone(),
            );
            registry.register(
                "turnwise_gateway_webhook_dead_letters",
                "Events that were given up",
                own.dead.clone(),
            );
            registry.register(
                "turnwise_gateway_webhook_dropped",
                "Access events that were not sent: there were too many, or the process ended",
                own.dropped.clone(),
            );
            registry.register(
                "turnwise_gateway_webhook_streams_waiting",
                "Students, classes and tenants with undelivered events, in all replicas together; 1000 stands for more",
                own.waiting.clone(),
            );
            registry.register(
                "turnwise_gateway_webhook_oldest_seconds",
                "Age of the oldest undelivered event, in all replicas together",
                own.oldest.clone(),
            );
        });
        own
    }

    pub(super) fn attempt(&self, receiver: &'static str, outcome: &'static str) {
        self.attempts
            .get_or_create(&AttemptLabels { receiver, outcome })
            .inc();
    }

    pub(super) fn dead(&self, receiver: &'static str) {
        self.dead.get_or_create(&ReceiverLabel { receiver }).inc();
    }

    pub(super) fn dropped(&self, receiver: &'static str) {
        self.dropped
            .get_or_create(&ReceiverLabel { receiver })
            .inc();
    }

    pub(super) fn backlog(&self, receiver: &'static str, streams: i64, oldest_seconds: i64) {
        let label = ReceiverLabel { receiver };
        self.waiting.get_or_create(&label).set(streams);
        self.oldest.get_or_create(&label).set(oldest_seconds);
    }
}
