//! Integration tests: everything through the public face.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answers;
mod canned;
mod checkable;
mod course;
mod drills;
mod exercises;
mod golden;
mod guesses;
mod hostile;
mod keys;
mod next_step;
mod properties;
mod shared_data;
mod statements;
mod typed;
mod worded_statements;
mod wording;
mod worked_examples;
