//! The task that announces places while somebody follows one.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use super::LocalQueue;

/// The least time between two announcements, so that changes that come together are announced together.
const BETWEEN: Duration = Duration::from_millis(5);

/// Announcing takes at most one part in so many of the time.
const SHARE: u32 = 20;

/// Announces places whenever the queue changes, until nobody follows one any more.
pub(super) async fn run(local: Weak<LocalQueue>, news: Arc<Notify>) {
    loop {
        let Some(queue) = local.upgrade() else { return };
        let started = Instant::now();
        let announced = queue.state().announce(started);
        drop(queue);
        let Some(announced) = announced else { return };
        let not_before = started + BETWEEN.max(started.elapsed() * SHARE);
        match announced.again_at {
            None => news.notified().await,
            Some(at) => tokio::select! {
                () = news.notified() => {}
                () = sleep_until(at.max(not_before)) => {}
            },
        }
        // Mostly past by now, which costs no timer.
        if Instant::now() < not_before {
            sleep_until(not_before).await;
        }
    }
}
