//! The service's settings, and whether they fit together.

mod limits;
mod queue;
mod resilience;
mod shared;

use std::time::Duration;

use turnwise_llm_backends::BackendSettings;

pub use limits::LimitSettings;
pub use queue::{Numbers, QueueSettings};
pub use resilience::ResilienceSettings;
pub use shared::SharedSettings;

use crate::{error::StartError, grpc::Waits};

/// Which models the service calls, how many calls at once, and what happens when they fail.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Settings {
    /// Models and their servers.
    #[command(flatten)]
    pub backends: BackendSettings,
    /// Slots and queues.
    #[command(flatten)]
    pub queue: QueueSettings,
    /// Retries and circuit breakers.
    #[command(flatten)]
    pub resilience: ResilienceSettings,
    /// Limits and budgets.
    #[command(flatten)]
    pub limits: LimitSettings,
    /// What replicas share.
    #[command(flatten)]
    pub shared: SharedSettings,
}

impl Settings {
    /// How long callers wait for a slot.
    pub(crate) fn waits(&self) -> Waits {
        Waits {
            default: self.queue.helper_queue_max_wait_seconds,
            ceiling: self.queue.queue_max_wait_ceiling_seconds,
        }
    }

    /// Refuses settings that contradict each other.
    pub(crate) fn check(&self) -> Result<(), StartError> {
        let queue = &self.queue;
        if queue.helper_queue_max_wait_seconds > queue.queue_max_wait_ceiling_seconds {
            return Err(StartError::WaitAboveCeiling {
                default: queue.helper_queue_max_wait_seconds,
                ceiling: queue.queue_max_wait_ceiling_seconds,
            });
        }
        let several = queue.queue_replicas.is_some_and(|replicas| replicas > 1);
        if several != queue.queue_replica_index.is_some() && queue.queue_replicas != Some(1) {
            return Err(StartError::HalfAReplica);
        }
        let (index, replicas) = queue.set_replica().unwrap_or((0, 1));
        // With Redis it still has its part of what the others lend; without, it would refuse every call.
        let none_own = |(_, slots): &(&str, u32)| queue.own_slots(*slots) == 0;
        if self.shared.url().is_none()
            && let Some((setting, slots)) = queue.slot_settings().find(none_own)
        {
            return Err(StartError::NoOwnSlot {
                setting,
                index,
                replicas,
                slots,
            });
        }
        if self.shared.url().is_some()
            && queue.helper_queue_poll_seconds * 3 > queue.helper_queue_slot_ttl_seconds
        {
            return Err(StartError::PollAboveTtl {
                poll: queue.helper_queue_poll_seconds,
                ttl: queue.helper_queue_slot_ttl_seconds,
            });
        }
        Ok(())
    }
}

/// Seconds, whole or with a fraction, within bounds.
fn seconds(text: &str, least: f64, most: f64) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (least..=most).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!(
            "must be a number of seconds from {least} to {most}"
        )),
    }
}
