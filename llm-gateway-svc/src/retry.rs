//! When a failed call to a model's server is tried again: only what the transport lost, after a pause that is left to
//! chance, and only as long as retries stay a small part of all calls.

use std::time::Duration;

use tower::retry::budget::{Budget, TpsBudget};
use turnwise_llm_backends::Failure;

use crate::{job::TimeLimits, settings::ResilienceSettings};

/// How long a request counts for the budget.
const BUDGET_WINDOW: Duration = Duration::from_secs(10);

/// The rules, and what is left of the budget.
#[derive(Debug)]
pub struct Retries {
    max_attempts: u32,
    backoff: Duration,
    retry_after_max: Duration,
    /// None: nothing is tried again.
    budget: Option<TpsBudget>,
}

impl Retries {
    /// The rules of these settings, with a full budget.
    pub fn new(settings: &ResilienceSettings) -> Self {
        let percent = settings.llm_retry_budget_percent;
        #[expect(clippy::cast_precision_loss, reason = "at most 1000")]
        let budget =
            (percent > 0).then(|| TpsBudget::new(BUDGET_WINDOW, 1, percent as f32 / 100.0));
        Self {
            max_attempts: settings.helper_backend_max_attempts,
            backoff: settings.helper_backoff_seconds,
            retry_after_max: settings.llm_retry_after_max_seconds,
            budget,
        }
    }

    /// Counts a request's first attempt, which earns a part of a retry.
    pub fn begun(&self) {
        if let Some(budget) = &self.budget {
            budget.deposit();
        }
    }

    /// How long to wait before the attempt after `attempt` (from 1), which failed so; `None` if there is none, or none
    /// that `patience` would see. A pause that is told takes a retry out of the budget.
    pub fn pause(
        &self,
        attempt: u32,
        failure: &Failure,
        time_limits: &TimeLimits,
    ) -> Option<Duration> {
        if attempt >= self.max_attempts || !failure.may_retry() {
            return None;
        }
        let asked = failure.retry_after().unwrap_or_default();
        let pause = asked.max(full_jitter(self.backoff, attempt));
        let goes_on = asked <= self.retry_after_max && time_limits.lasts(pause);
        (goes_on && self.budget.as_ref()?.withdraw()).then_some(pause)
    }
}

/// A pause from nothing to `base` · 2^(attempt − 1), each as likely as the other: full jitter, after Brooker,
/// "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).
fn full_jitter(base: Duration, attempt: u32) -> Duration {
    let most = base.saturating_mul(1 << attempt.saturating_sub(1).min(16));
    most.mul_f64(fastrand::f64())
}
