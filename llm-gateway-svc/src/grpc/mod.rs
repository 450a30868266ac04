//! Proto to domain and back.

pub mod gateway;
pub mod queue;
mod request;

use std::time::Duration;

pub use gateway::LlmGateway;
pub use queue::LlmQueue;
pub(crate) use request::Waits;
pub use request::{
    MAX_INPUTS, MAX_MESSAGES, MAX_OUTPUT_TOKENS, MAX_PROMPT_CHARS, MIN_RESPONSE_CHARS,
};

fn duration(duration: Duration) -> Option<prost_types::Duration> {
    prost_types::Duration::try_from(duration).ok()
}

fn count(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}
