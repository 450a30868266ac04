//! Settings of what happens when a model's server fails.

use std::time::Duration;

use clap::{builder::BoolishValueParser, value_parser};

/// How often failed calls are tried again, and when a model is left alone.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct ResilienceSettings {
    /// How often a backend is called for one request at most (1 to 10). Only failures of the transport are tried again,
    /// never an answer
    #[arg(long, env = "HELPER_BACKEND_MAX_ATTEMPTS", default_value = "2", value_parser = value_parser!(u32).range(1..=10))]
    pub helper_backend_max_attempts: u32,

    /// Seconds (0 to 60) to wait before the second attempt at most, twice as many before each further one; how many is
    /// left to chance each time
    #[arg(long, env = "HELPER_BACKOFF_SECONDS", default_value = "0.4", value_parser = backoff)]
    pub helper_backoff_seconds: Duration,

    /// Seconds (0 to 600) that a slot is held at most because the server asks to come back later (Retry-After); with more
    /// than that there is no further attempt
    #[arg(long, env = "LLM_RETRY_AFTER_MAX_SECONDS", default_value = "5", value_parser = retry_after)]
    pub llm_retry_after_max_seconds: Duration,

    /// How many further attempts there may be for a hundred requests (0 to 1000), besides one in each second. 0: none at
    /// all
    #[arg(long, env = "LLM_RETRY_BUDGET_PERCENT", default_value = "20", value_parser = value_parser!(u32).range(0..=1000))]
    pub llm_retry_budget_percent: u32,

    /// How many requests in a row may fail before a model is left alone (1 to 1000)
    #[arg(long, env = "HELPER_CIRCUIT_BREAKER_FAILURES", default_value = "5", value_parser = value_parser!(u32).range(1..=1000))]
    pub helper_circuit_breaker_failures: u32,

    /// Seconds (1 to 3600) for which it is left alone, and after which a failure is forgotten
    #[arg(long, env = "HELPER_CIRCUIT_BREAKER_TTL_SECONDS", default_value = "30", value_parser = breaker_ttl)]
    pub helper_circuit_breaker_ttl_seconds: Duration,

    /// Let identical requests of one class that are under way at the same time share one completion (0 or 1)
    #[arg(
        long,
        env = "LLM_COALESCE",
        default_value = "0",
        value_parser = BoolishValueParser::new(),
        action = clap::ArgAction::Set
    )]
    pub llm_coalesce: bool,
}

fn backoff(text: &str) -> Result<Duration, String> {
    super::seconds(text, 0.0, 60.0)
}

fn retry_after(text: &str) -> Result<Duration, String> {
    super::seconds(text, 0.0, 600.0)
}

fn breaker_ttl(text: &str) -> Result<Duration, String> {
    super::seconds(text, 1.0, 3600.0)
}
