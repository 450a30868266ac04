//! How long a call and its parts may take.

use std::time::Duration;

use crate::{settings::BackendSettings, start::StartError};

const CONNECT: Duration = Duration::from_secs(5);
const TOTAL: Duration = Duration::from_secs(300);

/// How long a call to one backend and its parts may take; no part is longer than the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timeouts {
    /// Until the connection stands.
    pub(crate) connect: Duration,
    /// From the beginning to the first byte of the answer's body; and from there to the first token.
    pub(crate) first_byte: Duration,
    /// The setting of `first_byte`.
    pub(crate) setting: &'static str,
    /// From one token to the next, and from the last to the end.
    pub(crate) between_tokens: Duration,
    /// From the beginning to the end.
    pub(crate) total: Duration,
}

impl Timeouts {
    /// Those of a backend whose longest silence is `first_byte`, as `setting` says. What is not set follows from that, so
    /// that the one setting alone never contradicts the rest.
    pub(crate) fn of(
        settings: &BackendSettings,
        first_byte: Duration,
        setting: &'static str,
    ) -> Result<Self, StartError> {
        let connect = settings.llm_connect_timeout_seconds;
        let between_tokens = settings.llm_between_tokens_timeout_seconds;
        let total = settings.llm_total_timeout_seconds;
        let part = |part, part_limit: Option<Duration>, whole, whole_limit: Option<Duration>| match (
            part_limit,
            whole_limit,
        ) {
            (Some(part_limit), Some(whole_limit)) if part_limit > whole_limit => {
                Err(StartError::Contradiction {
                    part,
                    part_limit,
                    whole,
                    whole_limit,
                })
            }
            _ => Ok(()),
        };
        let silence = Some(first_byte);
        let (tokens, whole) = (
            "LLM_BETWEEN_TOKENS_TIMEOUT_SECONDS",
            "LLM_TOTAL_TIMEOUT_SECONDS",
        );
        part("LLM_CONNECT_TIMEOUT_SECONDS", connect, setting, silence)?;
        part(tokens, between_tokens, whole, total)?;
        part(tokens, between_tokens, setting, silence)?;
        part(setting, silence, whole, total)?;
        Ok(Self {
            connect: connect.unwrap_or(CONNECT.min(first_byte)),
            first_byte,
            setting,
            // A server that reads the prompt of another slot writes nothing meanwhile, and is no slower to begin.
            between_tokens: between_tokens.unwrap_or(first_byte),
            total: total.unwrap_or(TOTAL.max(first_byte)),
        })
    }
}
