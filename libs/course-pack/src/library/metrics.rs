//! What an operator sees of a library: packs refused, and the versions that are served.

use std::sync::atomic::AtomicU64;

use jiff::Timestamp;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

type Seconds = Gauge<f64, AtomicU64>;

#[derive(Debug, Default)]
pub(super) struct LibraryMetrics {
    refused: Counter,
    served_since: Family<ServedLabels, Seconds>,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ServedLabels {
    course_id: String,
    pack_hash: String,
}

impl LibraryMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "course_packs_refused",
            "Course packs refused for their faults, each once per change",
            self.refused.clone(),
        );
        registry.register(
            "course_served_since_timestamp_seconds",
            "The course versions that are served now, and since when, as Unix time",
            self.served_since.clone(),
        );
    }

    pub(super) fn refused(&self) {
        self.refused.inc();
    }

    pub(super) fn served(&self, course_id: &str, hash: &str, now: Timestamp) {
        self.served_since
            .get_or_create(&labels(course_id, hash))
            .set(now.as_duration().as_secs_f64());
    }

    pub(super) fn no_longer_served(&self, course_id: &str, hash: &str) {
        self.served_since.remove(&labels(course_id, hash));
    }
}

fn labels(course_id: &str, hash: &str) -> ServedLabels {
    ServedLabels {
        course_id: course_id.to_owned(),
        pack_hash: hash.to_owned(),
    }
}
