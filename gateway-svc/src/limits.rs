//! How many calls a caller may make.

use std::{num::NonZeroU32, time::Duration};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock};
use turnwise_kit::{Caller, Fault};
use turnwise_proto::common::v1::ErrorReason;

/// A limit per caller and minute, kept in this process. A caller may use a minute's calls at once and gets them back
/// evenly.
pub struct CallLimit {
    limiter: DefaultKeyedRateLimiter<(String, String)>,
    clock: governor::clock::DefaultClock,
    per_minute: u32,
}

/// How many remembered callers cause the idle ones to be forgotten.
const SWEEP_ABOVE: usize = 10_000;

impl CallLimit {
    /// A limit; `per_minute` of 0 counts as 1.
    pub fn new(per_minute: u32) -> Self {
        let quota = NonZeroU32::new(per_minute).unwrap_or(NonZeroU32::MIN);
        Self {
            limiter: RateLimiter::keyed(Quota::per_minute(quota)),
            clock: governor::clock::DefaultClock::default(),
            per_minute,
        }
    }

    /// Counts a call; refuses it, with the time of the next one, if the caller has none left.
    pub fn check(&self, caller: &Caller) -> Result<(), Fault> {
        if self.limiter.len() > SWEEP_ABOVE {
            self.limiter.retain_recent();
        }
        let key = (caller.tenant.clone(), caller.subject.clone());
        self.limiter.check_key(&key).map_err(|not_until| {
            let wait: Duration = not_until.wait_time_from(self.clock.now());
            Fault::new(
                ErrorReason::RateLimited,
                "too many calls in a minute; wait as long as RetryInfo says",
            )
            .meta("per_minute", self.per_minute.to_string())
            .retry_after(wait)
        })
    }
}
