//! What became of presses of *help*, of observations and of overlays.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family},
};
use turnwise_kit::{Fault, metrics::Metrics};
use turnwise_proto::{
    procedure::v1::{Help, HelpStatus},
    session::v1::OverlayChange,
};

/// Counts what help does. Cheap to clone; the clones count together.
#[derive(Clone, Default)]
pub(crate) struct ProcedureMetrics {
    helps: Family<Labels, Counter>,
    observations: Family<Labels, Counter>,
    acknowledgements: Family<Labels, Counter>,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Labels {
    outcome: &'static str,
}

impl ProcedureMetrics {
    /// Registers the metrics.
    pub(super) fn register(metrics: &Metrics) -> Self {
        let made = Self::default();
        metrics.registry(|registry| {
            registry.register(
                "procedure_helps",
                "Presses of help, by the answer's status or the reason of a refusal",
                made.helps.clone(),
            );
            registry.register(
                "procedure_observations",
                "Observations of procedures, by `taken` or the reason of a refusal",
                made.observations.clone(),
            );
            registry.register(
                "procedure_overlay_acks",
                "Acknowledgements of overlays, by what became of them",
                made.acknowledgements.clone(),
            );
        });
        made
    }

    pub(super) fn helped(&self, answered: &Result<Help, Fault>) {
        count(
            &self.helps,
            match answered {
                Ok(help) => match help.status() {
                    HelpStatus::Ok => "ok",
                    HelpStatus::Fallback => "fallback",
                    HelpStatus::Error | HelpStatus::Unspecified => "error",
                },
                Err(fault) => fault.reason().wire_name(),
            },
        );
    }

    pub(super) fn observed<T>(&self, taken: &Result<T, Fault>) {
        count(
            &self.observations,
            match taken {
                Ok(_) => "taken",
                Err(fault) => fault.reason().wire_name(),
            },
        );
    }

    pub(super) fn acknowledged(&self, change: OverlayChange) {
        count(
            &self.acknowledgements,
            match change {
                OverlayChange::Applied => "applied",
                _ => "failed",
            },
        );
    }
}

fn count(family: &Family<Labels, Counter>, outcome: &'static str) {
    family.get_or_create(&Labels { outcome }).inc();
}
