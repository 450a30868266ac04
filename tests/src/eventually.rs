//! Waiting for a condition that nobody announces.

use std::{future::Future, time::Duration};

/// How often the condition is looked at.
const PERIOD: Duration = Duration::from_millis(20);

/// Asks until there is an answer; fails the test, naming `what`, once `bound` has passed.
pub async fn eventually<T, F, Fut>(what: &str, bound: Duration, mut ask: F) -> T
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let asking = async {
        let mut ticks = tokio::time::interval(PERIOD);
        loop {
            ticks.tick().await;
            if let Some(answer) = ask().await {
                return answer;
            }
        }
    };
    tokio::time::timeout(bound, asking)
        .await
        .unwrap_or_else(|_| panic!("not within {bound:?}: {what}"))
}
