//! The header `Retry-After`: seconds, or a date.

use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// The longest time that a server is believed.
const MOST: Duration = Duration::from_secs(3600);

/// How long the server asks to be left alone, [`MOST`] at the most. A date counts from the answer's own `Date`, so that
/// our clock and the server's need not agree; without that, and in every other form, the header says nothing.
pub(super) fn read(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::trim);
    let after = text(RETRY_AFTER)?;
    let wait = if !after.is_empty() && after.bytes().all(|b| b.is_ascii_digit()) {
        // So many digits that they are no number are far above the bound.
        after.parse().map_or(MOST, Duration::from_secs)
    } else {
        let until = httpdate::parse_http_date(after).ok()?;
        let now = httpdate::parse_http_date(text(DATE)?).ok()?;
        until.duration_since(now).unwrap_or_default()
    };
    Some(wait.min(MOST))
}
