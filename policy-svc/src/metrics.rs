//! The service's own metrics.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family},
};
use turnwise_decisions::{FallbackReason, Resolution};
use turnwise_kit::Metrics;

/// Counts what became of the model's replies. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ReplyMetrics {
    outcomes: Family<OutcomeLabels, Counter>,
    observations: Family<ObservationLabels, Counter>,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ObservationLabels {
    observation: &'static str,
}

impl ReplyMetrics {
    /// Registers the metrics.
    pub fn register(metrics: &Metrics) -> Self {
        let own = Self {
            outcomes: Family::default(),
            observations: Family::default(),
        };
        metrics.registry(|registry| {
            registry.register(
                "policy_replies",
                "Replies resolved, by outcome: accepted, or the reason of the fallback",
                own.outcomes.clone(),
            );
            registry.register(
                "policy_reply_observations",
                "Accepted replies with something worth counting that is no fault",
                own.observations.clone(),
            );
        });
        own
    }

    /// Counts one resolved reply.
    pub fn count(&self, resolution: &Resolution) {
        let outcome = resolution
            .fallback_reason
            .map_or("accepted", FallbackReason::as_str);
        self.outcomes
            .get_or_create(&OutcomeLabels { outcome })
            .inc();
        for observation in &resolution.observations {
            self.observations
                .get_or_create(&ObservationLabels {
                    observation: observation.as_str(),
                })
                .inc();
        }
    }
}
