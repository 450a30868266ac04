//! How often people are asked for what an answer needs, who supplies it, and how it ends.

use std::time::Duration;

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
};
use turnwise_kit::metrics::Metrics;

/// From a second to a day.
const SECONDS: [f64; 10] = [
    1.0, 5.0, 15.0, 60.0, 150.0, 300.0, 900.0, 3_600.0, 14_400.0, 86_400.0,
];

/// Counts requests. Cheap to clone; the clones count together.
#[derive(Clone)]
pub(crate) struct ContextMetrics {
    requests: Family<End, Counter>,
    supplies: Family<Supplier, Counter>,
    waits: Family<End, Histogram>,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct End {
    /// `opened`, `satisfied`, `skipped`, `forced`, `expired` or `apology`; `deferred`: nothing was asked for.
    outcome: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Supplier {
    role: String,
}

impl ContextMetrics {
    /// Registers the metrics.
    pub(crate) fn register(metrics: &Metrics) -> Self {
        let requests = Family::<End, Counter>::default();
        let supplies = Family::<Supplier, Counter>::default();
        let waits = Family::<End, Histogram>::new_with_constructor(|| Histogram::new(SECONDS));
        metrics.registry(|registry| {
            registry.register(
                "turnwise_gateway_context_requests",
                "Requests for what an answer needs, opened and answered, by how they ended",
                requests.clone(),
            );
            registry.register(
                "turnwise_gateway_context_supplies",
                "Artifacts that were supplied, by the supplier's role",
                supplies.clone(),
            );
            registry.register(
                "turnwise_gateway_context_request_seconds",
                "The time from the request to the answer, by how the request ended",
                waits.clone(),
            );
        });
        Self {
            requests,
            supplies,
            waits,
        }
    }

    pub(crate) fn opened(&self) {
        self.requests
            .get_or_create(&End { outcome: "opened" })
            .inc();
    }

    pub(super) fn answered(&self, outcome: &'static str, after: Option<Duration>) {
        let end = End { outcome };
        self.requests.get_or_create(&end).inc();
        if let Some(after) = after {
            self.waits.get_or_create(&end).observe(after.as_secs_f64());
        }
    }

    pub(super) fn supplied(&self, role: &str) {
        let role = role.to_owned();
        self.supplies.get_or_create(&Supplier { role }).inc();
    }
}
