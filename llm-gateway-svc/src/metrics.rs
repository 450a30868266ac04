//! The service's own metrics.

use std::time::Duration;

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
};
use turnwise_kit::Metrics;

/// Seconds, from no wait at all to the longest that may be asked for.
const WAIT_BUCKETS: [f64; 12] = [
    0.001, 0.01, 0.05, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 75.0, 600.0,
];

/// Counters of calls and slots. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CallMetrics {
    calls: Family<CallLabels, Counter>,
    slots_in_use: Gauge,
    queue_wait: Histogram,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct CallLabels {
    backend: &'static str,
    outcome: &'static str,
}

impl CallMetrics {
    /// Registers the metrics of a service with this many slots.
    pub fn register(metrics: &Metrics, slots: u32) -> Self {
        let own = Self {
            calls: Family::default(),
            slots_in_use: Gauge::default(),
            queue_wait: Histogram::new(WAIT_BUCKETS),
        };
        let all = Gauge::<i64>::default();
        all.set(slots.into());
        metrics.registry(|registry| {
            registry.register(
                "llm_calls",
                "Calls to a model, by backend and outcome: OK, CANCELLED or the error's reason",
                own.calls.clone(),
            );
            registry.register(
                "llm_slots_in_use",
                "Model slots taken now",
                own.slots_in_use.clone(),
            );
            registry.register("llm_slots", "Model slots of this process", all);
            registry.register(
                "llm_queue_wait_seconds",
                "Time that calls waited for a slot, those that got none included",
                own.queue_wait.clone(),
            );
        });
        own
    }

    pub(crate) fn waited(&self, wait: Duration) {
        self.queue_wait.observe(wait.as_secs_f64());
    }

    pub(crate) fn ended(&self, backend: &'static str, outcome: &'static str) {
        self.calls
            .get_or_create(&CallLabels { backend, outcome })
            .inc();
    }

    /// Counts a slot as taken until the guard is dropped.
    pub(crate) fn slot_taken(&self) -> SlotTaken {
        self.slots_in_use.inc();
        SlotTaken(self.slots_in_use.clone())
    }
}

/// A slot that counts as taken.
#[derive(Debug)]
pub(crate) struct SlotTaken(Gauge);

impl Drop for SlotTaken {
    fn drop(&mut self) {
        self.0.dec();
    }
}
