//! The contracts as documents: every reason has a code and a sample, the error list is what the proto says, and every text
//! of a card is known.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod contracts;
mod error_list;
mod readable;
