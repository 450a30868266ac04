//! The task that announces places while somebody follows one.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep, sleep_until},
};

use super::{SharedQueue, snapshot::QueueSnapshot, state::Mode};
use crate::{forecast::WaitEstimate, request::Place, waiter::Waiter};

/// The least time between two announcements, so that changes that come together are announced together.
const BETWEEN: Duration = Duration::from_millis(5);
/// Announcing takes at most one part in so many of the time.
const SHARE: u32 = 20;
/// Places are announced again after so long even if nothing happened: bounds pass, and held places expire.
const AT_LEAST_EVERY: Duration = Duration::from_secs(1);
/// A queue is looked at again after one start for each so many in the queue.
const STEP: usize = 100;

/// Announces places whenever the queue moves on, until nobody follows one any more.
pub(super) async fn run(queue: Weak<SharedQueue>, newcomers: Arc<Notify>) {
    loop {
        let Some(queue) = queue.upgrade() else { return };
        let started = Instant::now();
        let mut version = {
            let mut state = queue.state();
            let mut waiters = state.waiters.values();
            if !waiters.any(|queued| queued.waiter.is_watched()) {
                state.announcing = false;
                return;
            }
            state.version.subscribe()
        };
        let seen = *version.borrow_and_update();
        let snapshot = queue.snapshot(started).await;
        let queued = announce(&queue, snapshot.as_deref(), started);
        drop((snapshot, queue));
        let not_before = started + BETWEEN.max(started.elapsed() * SHARE);
        let enough = seen + 1 + (queued / STEP) as u64;
        let moved = version.wait_for(|version| *version >= enough || *version < seen);
        tokio::select! {
            _ = moved => {}
            () = newcomers.notified() => {}
            () = sleep(AT_LEAST_EVERY) => {}
        }
        // Mostly past by now, which costs no timer.
        if Instant::now() < not_before {
            sleep_until(not_before).await;
        }
    }
}

/// Announces places to those who follow them, and returns how many are in the queue.
fn announce(queue: &SharedQueue, snapshot: Option<&QueueSnapshot>, at: Instant) -> usize {
    let state = queue.state();
    let aging = state.options.aging;
    let estimates: Vec<WaitEstimate> = match (snapshot, &state.mode) {
        (Some(snapshot), _) => snapshot.estimate_waits(aging),
        (None, Mode::Detached(detached)) => state.estimate_detached(&detached.order.snapshot(), at),
        (None, _) => Vec::new(),
    };
    for estimate in &estimates {
        let waiter: Option<&Waiter> = state.waiters.get(&estimate.id).map(|queued| &queued.waiter);
        if let Some(waiter) = waiter {
            waiter.announce(Place {
                position: estimate.position,
                wait: estimate.bound,
                at,
            });
        }
    }
    estimates.len()
}
