//! How many calls a caller may make.

use turnwise_kit::{Caller, Fault, Kit};
use turnwise_proto::common::v1::ErrorReason;
use turnwise_rate_limit::{Bound, Hit, Limiter, Quota};
use turnwise_redis::Redis;

use crate::{config::Settings, error::StartError};

/// The name under which all replicas count.
const NAME: &str = "gateway";

/// A limit per caller and minute, for all replicas together where they have a Redis. A caller may use a minute's calls at
/// once and gets them back evenly.
pub struct CallLimit {
    limiter: Limiter,
    per_minute: u32,
}

impl CallLimit {
    /// The limit that the settings give.
    ///
    /// # Errors
    ///
    /// If the Redis that they name has no address that can be read, or its password cannot be read. One that does not
    /// answer is no error: until it does, each replica counts for itself.
    pub async fn open(settings: &Settings, kit: &Kit) -> Result<Self, StartError> {
        let clock = kit.clock.clone();
        let limiter = match settings.redis()? {
            Some(options) => Limiter::shared(clock, Redis::open(&options).await?, NAME),
            None => Limiter::local(clock),
        };
        Ok(Self {
            limiter,
            per_minute: settings.helper_rate_limit_per_minute,
        })
    }

    /// Counts a call; refuses it, with the time of the next one, if the caller has none left.
    pub async fn check(&self, caller: &Caller) -> Result<(), Fault> {
        let hit = Hit {
            key: &format!("actor:{}/{}", caller.tenant, caller.subject),
            bound: Bound::Rate(Quota::per_minute(self.per_minute)),
            cost: 1,
        };
        self.limiter.take(&[hit]).await.map_err(|refused| {
            Fault::new(
                ErrorReason::RateLimited,
                "too many calls in a minute; wait as long as RetryInfo says",
            )
            .meta("per_minute", self.per_minute.to_string())
            .retry_after(refused.wait)
        })
    }
}
