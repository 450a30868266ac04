//! The gateway's own tests: tokens, input, redaction, prompts. Whole turns are tested end to end.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod input;
mod limits;
mod prompts;
mod tokens;
