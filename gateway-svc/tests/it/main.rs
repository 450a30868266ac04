//! The gateway's own tests: tokens, input, evidence, limits. Whole turns are tested end to end.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod access;
mod address;
mod card_tokens;
mod evidence;
mod exam;
mod input;
mod issuer;
mod limits;
mod open_card;
mod record;
mod scope_tokens;
mod strangers;
mod texts;
mod tokens;
mod webhooks;
