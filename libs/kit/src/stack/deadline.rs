//! Deadlines: read from `grpc-timeout`, bounded, enforced, and handed to the handler for the calls that it makes. The end of
//! the process is a deadline, too.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::Poll,
    time::Duration,
};

use axum::{extract::Request, response::Response};
use http::HeaderMap;
use tokio::time::{Instant, sleep_until};
use turnwise_proto::common::v1::ErrorReason;

use super::{Answers, Repeated, drain, errors, only};
use crate::{CallContext, Drain, Fault, drain::cut_off};

/// How long calls may take.
#[derive(Debug, Clone, Copy)]
pub struct DeadlineRule {
    /// For a call without `grpc-timeout`.
    pub default: Duration,
    /// The most that anybody gets.
    pub most: Duration,
}

impl Default for DeadlineRule {
    fn default() -> Self {
        Self {
            default: Duration::from_secs(30),
            most: Duration::from_secs(600),
        }
    }
}

/// What a hop keeps back, so that its own answer leaves before the caller, or the transport's own timer, gives up.
const HOP_MARGIN: Duration = Duration::from_millis(2);

pub(super) async fn enforce<F: Future<Output = Response>>(
    rule: DeadlineRule,
    ending: &Drain,
    answers: Answers,
    mut request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response {
    let context = request.extensions().get::<CallContext>();
    // A call from this process has its deadline already.
    let asked = match context.and_then(CallContext::remaining) {
        Some(left) => Some(left),
        None => match asked(request.headers()) {
            Ok(asked) => asked,
            Err(fault) => return errors::respond(fault),
        },
    };
    let budget = asked
        .map_or(rule.default, |d| d.saturating_sub(HOP_MARGIN))
        .min(rule.most);
    let at = Instant::now() + budget;
    if let Some(context) = request.extensions_mut().get_mut::<CallContext>() {
        context.deadline = Some(at);
    }
    let work = pin!(next(request));
    let response = tokio::select! {
        biased;
        response = before(at, work) => response.unwrap_or_else(|| errors::respond(expired())),
        () = ending.nearly_over(Duration::ZERO) => errors::respond(cut_off()),
    };
    match answers {
        Answers::One => response,
        Answers::Many => drain::until(ending.nearly_over(Duration::ZERO), response),
        Answers::Watch => drain::until(ending.begun(), response),
    }
}

/// How long the caller waits; `None` if it does not say.
fn asked(headers: &HeaderMap) -> Result<Option<Duration>, Fault> {
    const NAME: &str = "grpc-timeout";
    let value = match only(headers, NAME) {
        Ok(None) => return Ok(None),
        Ok(value) => value.and_then(|v| v.to_str().ok()),
        Err(Repeated) => None,
    };
    match value.and_then(parse_timeout) {
        Some(timeout) => Ok(Some(timeout)),
        None => Err(Fault::invalid(
            NAME,
            "must come once, as 1 to 8 digits and a unit: H, M, S, m, u or n",
        )),
    }
}

/// The failure of a call whose time is up.
pub(crate) fn expired() -> Fault {
    Fault::new(
        ErrorReason::DeadlineExceeded,
        "the call's time is up; give it a longer deadline",
    )
}

/// Runs `work` until `at`. The timer is looked at first, so that an expired deadline always wins.
pub(crate) async fn before<F: Future>(at: Instant, mut work: Pin<&mut F>) -> Option<F::Output> {
    // The timer rounds up to a millisecond.
    if at <= Instant::now() {
        return None;
    }
    // Most work is done at once: it needs no timer.
    if let Poll::Ready(done) = poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx))).await {
        return Some(done);
    }
    if at <= Instant::now() {
        return None;
    }
    let mut timer = pin!(sleep_until(at));
    let mut was_polled = true;
    poll_fn(|cx| {
        if timer.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        // The first time, the work was polled just now.
        if std::mem::take(&mut was_polled) {
            return Poll::Pending;
        }
        work.as_mut().poll(cx).map(Some)
    })
    .await
}

/// Reads a `grpc-timeout`: at most 8 digits and a unit.
pub fn parse_timeout(value: &str) -> Option<Duration> {
    let (digits, unit) = value.split_at_checked(value.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let n: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(n * 3600),
        "M" => Duration::from_secs(n * 60),
        "S" => Duration::from_secs(n),
        "m" => Duration::from_millis(n),
        "u" => Duration::from_micros(n),
        "n" => Duration::from_nanos(n),
        _ => return None,
    })
}

/// Writes a `grpc-timeout`, rounded down.
pub fn format_timeout(timeout: Duration) -> String {
    let micros = timeout.as_micros();
    if micros < 100_000_000 {
        format!("{micros}u")
    } else {
        format!("{}m", timeout.as_millis().min(99_999_999))
    }
}
