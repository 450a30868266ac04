//! Tests of the redaction: what goes, what stays, and the real data of the course.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod addresses;
mod adversarial;
mod mathematics;
mod names;
mod numbers;
mod planted;
mod real_data;

use turnwise_redaction::{Roster, redact_with};

/// Checks a table of texts and what becomes of them, and that nothing more becomes of them a second time.
fn check(roster: &Roster, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let redacted = redact_with(text, roster);
        assert_eq!(redacted, *expected, "of {text:?}");
        assert_eq!(
            redact_with(&redacted, roster),
            redacted,
            "again, of {text:?}"
        );
    }
}

/// Checks that texts come back as the same bytes, borrowed.
fn check_unchanged(roster: &Roster, texts: &[&str]) {
    for text in texts {
        let redacted = redact_with(text, roster);
        assert_eq!(redacted, *text);
        assert!(
            matches!(redacted, std::borrow::Cow::Borrowed(_)),
            "{text:?}"
        );
    }
}
