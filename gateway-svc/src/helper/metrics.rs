//! What became of messages to the helper.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family},
};
use turnwise_kit::{Fault, metrics::Metrics};
use turnwise_proto::helper::v1::{ChatResponse, RedirectReason};

/// Counts messages. Cheap to clone; the clones count together.
#[derive(Clone)]
pub(crate) struct ChatMetrics {
    chats: Family<Labels, Counter>,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Labels {
    /// `answered`, `degraded`, `redirected`, or the reason of a refusal.
    outcome: &'static str,
    intent: &'static str,
}

impl ChatMetrics {
    /// Registers the metrics.
    pub(crate) fn register(metrics: &Metrics) -> Self {
        let chats = Family::<Labels, Counter>::default();
        metrics.registry(|registry| {
            registry.register(
                "chats",
                "Messages to the homework helper, by what became of them and by what the student wanted",
                chats.clone(),
            );
        });
        Self { chats }
    }

    pub(super) fn answered(&self, answered: &Result<ChatResponse, Fault>) {
        let labels = match answered {
            Ok(answer) => Labels {
                outcome: match answer {
                    answer if answer.redirect() != RedirectReason::Unspecified => "redirected",
                    answer if !answer.degraded_reasons.is_empty() => "degraded",
                    _ => "answered",
                },
                intent: answer.intent().as_str_name(),
            },
            Err(fault) => {
                // Who is refused is no secret of the log, and what was said is not in it.
                tracing::info!(reason = fault.reason().wire_name(), "a chat was refused");
                Labels {
                    outcome: fault.reason().wire_name(),
                    intent: "",
                }
            }
        };
        self.chats.get_or_create(&labels).inc();
    }
}
