//! CPU time of a thread.

use std::{fs, time::Duration};

/// How long this thread has been on a processor: not the time that others took from it. None if the system does not tell.
pub fn time_of_thread() -> Option<Duration> {
    let figures = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = figures.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
