//! Keeps the gauges of lines and breakers up to date.

use std::{sync::Arc, time::Duration};

use tokio::time::{MissedTickBehavior, interval};
use turnwise_breaker::State;
use turnwise_kit::Kit;

use crate::{call::Calls, metrics::ModelMetrics};

/// How often. Prometheus looks less often than that.
const EVERY: Duration = Duration::from_secs(5);

/// A line that was told of, and the classes that waited in it.
struct Told {
    metrics: Arc<ModelMetrics>,
    classes: Vec<String>,
}

/// Keeps them until the process ends.
pub(crate) fn keep(calls: Arc<Calls>, kit: &Kit) {
    let shutdown = kit.shutdown.clone();
    kit.tasks.spawn(async move {
        let mut told = Vec::new();
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                _ = ticks.tick() => told = look(&calls, told).await,
            }
        }
    });
}

/// Tells how all lines stand; `told` is what was told before.
async fn look(calls: &Calls, mut told: Vec<Told>) -> Vec<Told> {
    let mut now = Vec::new();
    for lane in calls.lanes.all() {
        let view = lane.line.view(0).await;
        let classes: Vec<(String, usize)> = view
            .classes
            .iter()
            .map(|class| (class.class.to_string(), class.waiting))
            .collect();
        let same = |told: &Told| Arc::ptr_eq(&told.metrics, &lane.metrics);
        let before = told
            .iter()
            .position(same)
            .map(|place| told.swap_remove(place));
        let before = before.map_or_else(Vec::new, |told| told.classes);
        let taken = view.slots.iter().filter(|slot| slot.call.is_some()).count();
        now.push((lane, (view.slots.len(), taken), before, classes));
    }
    // Those that are gone go first: a line may have been made anew under the same name.
    for gone in told {
        gone.metrics.line_gone(&gone.classes);
    }
    let mut told = Vec::with_capacity(now.len());
    for (lane, slots, before, classes) in now {
        lane.metrics.line(slots, &before, &classes);
        lane.metrics
            .breaker(match calls.breakers.state(&lane.breaker) {
                State::Closed { .. } => 0,
                State::HalfOpen { .. } => 1,
                State::Open { .. } => 2,
            });
        told.push(Told {
            metrics: Arc::clone(&lane.metrics),
            classes: classes.into_iter().map(|(class, _)| class).collect(),
        });
    }
    told
}
