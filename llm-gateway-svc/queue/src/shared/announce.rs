//! The task that announces places while somebody follows one.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep, sleep_until},
};

use super::{Shared, picture::Picture, state::Mode};
use crate::{ask::Place, forecast::Foreseen, waiter::Waiter};

/// The least time between two announcements, so that changes that come together are told together.
const BETWEEN: Duration = Duration::from_millis(5);
/// Announcing takes at most one part in so many of the time.
const SHARE: u32 = 20;
/// Places are announced again after so long even if nothing happened: bounds pass, and held places expire.
const AT_LEAST_EVERY: Duration = Duration::from_secs(1);
/// A line is looked at again after one start for each so many in line.
const STEP: usize = 100;

/// Announces places whenever the line moves on, until nobody follows one any more.
pub(super) async fn run(line: Weak<Shared>, newcomers: Arc<Notify>) {
    loop {
        let Some(line) = line.upgrade() else { return };
        let started = Instant::now();
        let mut version = {
            let mut state = line.state();
            let mut waiters = state.waiters.values();
            if !waiters.any(|in_line| in_line.waiter.is_watched()) {
                state.announcing = false;
                return;
            }
            state.version.subscribe()
        };
        let seen = *version.borrow_and_update();
        let picture = line.picture(started).await;
        let in_line = announce(&line, picture.as_deref(), started);
        drop((picture, line));
        let not_before = started + BETWEEN.max(started.elapsed() * SHARE);
        let enough = seen + 1 + (in_line / STEP) as u64;
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

/// Tells those who follow their places, and returns how many are in line.
fn announce(line: &Shared, picture: Option<&Picture>, at: Instant) -> usize {
    let state = line.state();
    let aging = state.options.aging;
    let foreseen: Vec<Foreseen> = match (picture, &state.mode) {
        (Some(picture), _) => picture.foresee(aging),
        (None, Mode::Out(out)) => state.foresee_out(&out.order.lineup(), at),
        (None, _) => Vec::new(),
    };
    for foreseen in &foreseen {
        let waiter: Option<&Waiter> = state
            .waiters
            .get(&foreseen.id)
            .map(|in_line| &in_line.waiter);
        if let Some(waiter) = waiter {
            waiter.announce(Place {
                position: foreseen.position,
                wait: foreseen.bound,
                at,
            });
        }
    }
    foreseen.len()
}
