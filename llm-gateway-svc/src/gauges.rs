//! Keeps the gauges of queues and breakers up to date.

use std::{sync::Arc, time::Duration};

use tokio::time::{MissedTickBehavior, interval};
use turnwise_breaker::State;
use turnwise_kit::Kit;

use crate::{call::Calls, metrics::ModelMetrics};

/// How often. Prometheus looks less often than that.
const EVERY: Duration = Duration::from_secs(5);

/// A queue whose gauges were set, and the classes that waited in it.
struct Published {
    metrics: Arc<ModelMetrics>,
    classes: Vec<String>,
}

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

/// Sets the gauges of all queues; `published` is what was set before.
async fn publish(calls: &Calls, mut published: Vec<Published>) -> Vec<Published> {
    let mut now = Vec::new();
    for upstream in calls.upstreams.all() {
        let view = upstream.queue.view(0).await;
        let classes: Vec<(String, usize)> = view
            .classes
            .iter()
            .map(|class| (class.class.to_string(), class.waiting))
            .collect();
        let same = |published: &Published| Arc::ptr_eq(&published.metrics, &upstream.metrics);
        let before = published
            .iter()
            .position(same)
            .map(|place| published.swap_remove(place));
        let before = before.map_or_else(Vec::new, |published| published.classes);
        let taken = view.slots.iter().filter(|slot| slot.call.is_some()).count();
        now.push((upstream, (view.slots.len(), taken), before, classes));
    }
    // Those that are gone go first: a queue may have been made anew under the same name.
    for gone in published {
        gone.metrics.queue_forgotten(&gone.classes);
    }
    let mut published = Vec::with_capacity(now.len());
    for (upstream, slots, before, classes) in now {
        upstream.metrics.queue(slots, &before, &classes);
        upstream
            .metrics
            .breaker(match calls.breakers.state(&upstream.breaker) {
                State::Closed { .. } => 0,
                State::HalfOpen { .. } => 1,
                State::Open { .. } => 2,
            });
        published.push(Published {
            metrics: Arc::clone(&upstream.metrics),
            classes: classes.into_iter().map(|(class, _)| class).collect(),
        });
    }
    published
}
