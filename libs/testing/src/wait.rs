//! Waiting for what other processes do, which can only be looked at again and again.
#![expect(
    clippy::disallowed_methods,
    reason = "another process keeps its own time and tells nobody of its changes"
)]

use std::{
    fmt::Display,
    io::{self, ErrorKind},
    thread,
    time::{Duration, Instant},
};

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// Looks until there is an answer. Until then each look says what it saw instead.
///
/// # Errors
///
/// If there is no answer within `limit`; the message says what was waited for and what the last look saw.
pub(crate) fn wait_until<T, E: Display>(
    what: &str,
    limit: Duration,
    mut look: impl FnMut() -> Result<T, E>,
) -> io::Result<T> {
    let start = Instant::now();
    loop {
        match look() {
            Ok(answer) => return Ok(answer),
            Err(seen) if start.elapsed() > limit => {
                return Err(io::Error::new(
                    ErrorKind::TimedOut,
                    format!("waited {limit:?} for {what}, and saw last: {seen}"),
                ));
            }
            Err(_) => thread::sleep(PAUSE),
        }
    }
}
