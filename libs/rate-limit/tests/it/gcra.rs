//! Limits per minute against the textbook: GCRA with its theoretical arrival time, in exact fractions.

use std::{sync::Arc, time::Duration};

use proptest::prelude::*;
use tokio::time::{Instant, advance};
use turnwise_kit::clock::SystemClock;
use turnwise_rate_limit::{Bound, Hit, Limiter, Quota};

const MINUTE_MICROS: u128 = 60_000_000;

/// The textbook's limit. Times are microseconds times the units of a minute, so that the interval between units is
/// whole.
struct Textbook {
    units: u128,
    burst: u128,
    arrival: u128,
}

impl Textbook {
    /// How many microseconds a hit must wait, up to the next whole one.
    fn take(&mut self, micros: u128, cost: u128) -> Result<(), u128> {
        let now = micros * self.units;
        let start = self.arrival.max(now);
        let fits = start + cost.clamp(1, self.burst) * MINUTE_MICROS;
        let limit = now + self.burst * MINUTE_MICROS;
        if fits > limit {
            return Err((fits - limit).div_ceil(self.units));
        }
        self.arrival = start + cost * MINUTE_MICROS;
        Ok(())
    }
}

proptest! {
    #[test]
    fn hits_pass_as_the_textbook_says(
        units in prop_oneof![1u32..=100, 1u32..=60_000_000],
        burst in 1u32..=200,
        hits in prop::collection::vec((0u64..5_000_000, 0u32..300), 1..60),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let limiter = Limiter::local(Arc::new(SystemClock));
            let mut textbook = Textbook { units: units.into(), burst: burst.into(), arrival: 0 };
            let bound = Bound::Rate(Quota::per_minute(units).with_burst(burst));
            let begin = Instant::now();
            for (pause, cost) in hits {
                advance(Duration::from_micros(pause)).await;
                let hit = Hit { key: "key", bound, cost };
                let expected = textbook.take(begin.elapsed().as_micros(), cost.into());
                let found = limiter.take(&[hit]).await.map_err(|refused| refused.wait.as_micros());
                prop_assert_eq!(found, expected);
                if let Err(wait) = expected {
                    // Not a microsecond earlier.
                    let wait = Duration::from_micros(u64::try_from(wait).unwrap());
                    advance(wait - Duration::from_micros(1)).await;
                    prop_assert!(limiter.take(&[hit]).await.is_err());
                    advance(Duration::from_micros(1)).await;
                    prop_assert_eq!(limiter.take(&[hit]).await, Ok(()));
                    prop_assert_eq!(textbook.take(begin.elapsed().as_micros(), cost.into()), Ok(()));
                }
            }
            Ok(())
        })?;
    }
}
