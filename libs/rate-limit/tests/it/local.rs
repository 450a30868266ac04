//! Limits and budgets of one process.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::time::advance;
use turnwise_kit::clock::ManualClock;
use turnwise_rate_limit::{Bound, Hit, Limiter, Quota, Refused};

use crate::{DAY, HOUR, daily, rate};

/// Six in the morning of some day.
fn morning() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(
        "2026-03-04T06:00:00Z".parse::<Timestamp>().unwrap(),
    ))
}

fn limiter() -> Limiter {
    Limiter::local(morning())
}

fn refused(hit: usize, wait: Duration) -> Result<(), Refused> {
    Err(Refused { hit, wait })
}

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_minutes_hits_may_come_at_once_and_come_back_evenly() {
    let limiter = limiter();
    for _ in 0..30 {
        assert_eq!(limiter.take(&[rate("ada", 30, 1)]).await, Ok(()));
    }
    assert_eq!(
        limiter.take(&[rate("ada", 30, 1)]).await,
        refused(0, 2 * SECOND)
    );
    assert_eq!(limiter.take(&[rate("ben", 30, 1)]).await, Ok(()));
    advance(SECOND).await;
    assert_eq!(
        limiter.take(&[rate("ada", 30, 1)]).await,
        refused(0, SECOND)
    );
    advance(SECOND).await;
    assert_eq!(limiter.take(&[rate("ada", 30, 1)]).await, Ok(()));
    assert_eq!(
        limiter.take(&[rate("ada", 30, 1)]).await,
        refused(0, 2 * SECOND)
    );
}

#[tokio::test(start_paused = true)]
async fn a_burst_may_differ_from_the_rate() {
    let limiter = limiter();
    let bound = Bound::Rate(Quota::per_minute(60).with_burst(2));
    let hit = Hit {
        key: "ada",
        bound,
        cost: 1,
    };
    assert_eq!(limiter.take(&[hit]).await, Ok(()));
    assert_eq!(limiter.take(&[hit]).await, Ok(()));
    assert_eq!(limiter.take(&[hit]).await, refused(0, SECOND));
}

#[tokio::test(start_paused = true)]
async fn all_hits_count_or_none() {
    let limiter = limiter();
    let hits = [
        rate("actor", 60, 1),
        rate("class", 2, 1),
        daily("tokens", 10, 1),
    ];
    assert_eq!(limiter.take(&hits).await, Ok(()));
    assert_eq!(limiter.take(&hits).await, Ok(()));
    for _ in 0..100 {
        assert_eq!(limiter.take(&hits).await, refused(1, 30 * SECOND));
    }
    // Of those that were refused none took anything.
    assert_eq!(
        limiter
            .take(&[rate("actor", 60, 58), daily("tokens", 10, 8)])
            .await,
        Ok(())
    );
    // The longest wait is the one that counts.
    assert_eq!(limiter.take(&hits).await, refused(2, 18 * HOUR));
}

#[tokio::test(start_paused = true)]
async fn what_was_charged_afterwards_is_worked_off() {
    let limiter = limiter();
    let ask = [rate("tokens", 600, 0)];
    assert_eq!(limiter.take(&ask).await, Ok(()));
    limiter.charge(&[rate("tokens", 600, 900)]).await;
    // Ten in a second: 300 of debt, and the one that was asked for.
    assert_eq!(
        limiter.take(&ask).await,
        refused(0, Duration::from_millis(30_100))
    );
    advance(Duration::from_millis(30_100)).await;
    assert_eq!(limiter.take(&ask).await, Ok(()));
    assert_eq!(
        limiter.take(&ask).await,
        Ok(()),
        "who only asks takes nothing"
    );
}

#[tokio::test(start_paused = true)]
async fn more_than_there_can_ever_be_passes_where_nothing_was_used() {
    let limiter = limiter();
    assert_eq!(limiter.take(&[rate("ada", 60, 90)]).await, Ok(()));
    assert_eq!(
        limiter.take(&[rate("ada", 60, 1)]).await,
        refused(0, 31 * SECOND)
    );
    assert_eq!(limiter.take(&[daily("ada", 60, 90)]).await, Ok(()));
    assert_eq!(
        limiter.take(&[daily("ada", 60, 1)]).await,
        refused(0, 18 * HOUR)
    );
}

#[tokio::test(start_paused = true)]
async fn no_debt_lasts_longer_than_a_day() {
    let limiter = limiter();
    for _ in 0..100 {
        limiter.charge(&[rate("ada", 1, u32::MAX)]).await;
    }
    let Err(refused) = limiter.take(&[rate("ada", 1, 1)]).await else {
        panic!("there is a debt");
    };
    assert_eq!(refused.wait, DAY + Duration::from_secs(60));
}

#[tokio::test(start_paused = true)]
async fn a_budget_is_new_at_midnight() {
    let clock = morning();
    let limiter = Limiter::local(clock.clone());
    assert_eq!(limiter.take(&[daily("7b", 1000, 0)]).await, Ok(()));
    limiter.charge(&[daily("7b", 1000, 999)]).await;
    assert_eq!(limiter.take(&[daily("7b", 1000, 0)]).await, Ok(()));
    limiter.charge(&[daily("7b", 1000, 500)]).await;
    assert_eq!(
        limiter.take(&[daily("7b", 1000, 0)]).await,
        refused(0, 18 * HOUR)
    );
    clock.advance(i64::try_from((18 * HOUR).as_micros()).unwrap() - 1);
    let last_moment = Duration::from_micros(1);
    assert_eq!(
        limiter.take(&[daily("7b", 1000, 0)]).await,
        refused(0, last_moment)
    );
    clock.advance(1);
    // A debt does not go over to the next day.
    assert_eq!(limiter.take(&[daily("7b", 1000, 1000)]).await, Ok(()));
    assert_eq!(limiter.take(&[daily("7b", 1000, 0)]).await, refused(0, DAY));
}

#[tokio::test(start_paused = true)]
async fn a_budget_of_nothing_lets_nothing_pass() {
    assert_eq!(
        limiter().take(&[daily("7b", 0, 0)]).await,
        refused(0, 18 * HOUR)
    );
}

#[tokio::test(start_paused = true)]
async fn strangers_push_out_nobody_who_keeps_coming() {
    let limiter = limiter();
    assert_eq!(limiter.take(&[rate("ada", 1, 1)]).await, Ok(()));
    assert_eq!(limiter.take(&[rate("idle", 1, 1)]).await, Ok(()));
    for stranger in 0..200_000 {
        let _ = limiter
            .take(&[rate(&format!("stranger {stranger}"), 1, 1)])
            .await;
        if stranger % 10_000 == 0 {
            limiter.charge(&[rate("ada", 1, 1)]).await;
        }
    }
    assert!(limiter.take(&[rate("ada", 1, 0)]).await.is_err());
    // Memory is bounded: who did not come for so long is forgotten.
    assert_eq!(limiter.take(&[rate("idle", 1, 0)]).await, Ok(()));
}
