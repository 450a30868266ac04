//! Decisions of the lesson policy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod attacked;
mod conversations;
mod decisions;
mod fixture;
mod measured;
mod properties;
mod suggestions;
mod text_languages;
