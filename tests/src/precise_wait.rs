//! Waits to the microsecond, which the runtime's timers, knowing milliseconds, are too coarse for.

use std::time::Duration;

use tokio::time::Instant;

/// Waits so long to the microsecond, and keeps its thread busy meanwhile: for threads that may block.
pub fn wait_exactly(time: Duration) {
    let until = Instant::now() + time;
    while Instant::now() < until {
        std::thread::yield_now();
    }
}
