//! Keeps the gauges of queues and breakers up to date.

use std::{sync::Arc, time::Duration};

use tokio::time::{MissedTickBehavior, interval};
use turnwise_breaker::State;
use turnwise_kit::Kit;

use crate::{call::Calls, metrics::ModelMetrics};

/// How often. Prometheus looks less often than that.
const EVERY: Duration = Duration::from_secs(5);

/// Keeps them until the process ends.
pub(crate) fn keep(calls: Arc<Calls>, kit: &Kit) {
    let shutdown = kit.shutdown.clone();
    kit.tasks.spawn(async move {
        let mut published = Vec::new();
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                _ = ticks.tick() => published = publish(&calls, published).await,
            }
        }
    });
}

/// Sets the gauges of all queues, and returns whose they are; `published` are those that were set before.
async fn publish(calls: &Calls, published: Vec<Arc<ModelMetrics>>) -> Vec<Arc<ModelMetrics>> {
    let mut now = Vec::new();
    for upstream in calls.upstreams.all() {
        let view = upstream.queue.view(0).await;
        now.push((upstream, view));
    }
    // Those that are gone go first: a queue may have been made anew under the same name.
    let is_gone = |metrics: &Arc<ModelMetrics>| {
        now.iter()
            .all(|(upstream, _)| !Arc::ptr_eq(metrics, &upstream.metrics))
    };
    for gone in published.iter().filter(|metrics| is_gone(metrics)) {
        gone.queue_forgotten();
    }
    let mut published = Vec::with_capacity(now.len());
    for (upstream, view) in now {
        let in_use = view.slots.iter().filter(|slot| slot.call.is_some()).count();
        let metrics = &upstream.metrics;
        metrics.queue(view.slots.len(), in_use, view.waiting_total);
        metrics.breaker(match calls.breakers.state(&upstream.breaker) {
            State::Closed { .. } => 0,
            State::HalfOpen { .. } => 1,
            State::Open { .. } => 2,
        });
        published.push(Arc::clone(metrics));
    }
    published
}
