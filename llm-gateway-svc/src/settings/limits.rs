//! Settings of how much of the models anybody may use.

use clap::value_parser;

/// How much anybody may use; 0 everywhere: as much as the slots give.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct LimitSettings {
    /// Calls to models in a minute for each student (0 to 1000000; 0: no limit)
    #[arg(long, env = "LLM_ACTOR_REQUESTS_PER_MINUTE", default_value = "0", value_parser = value_parser!(u32).range(0..=1_000_000))]
    pub llm_actor_requests_per_minute: u32,

    /// Tokens in a minute for each student (0 to 60000000; 0: no limit)
    #[arg(long, env = "LLM_ACTOR_TOKENS_PER_MINUTE", default_value = "0", value_parser = value_parser!(u32).range(0..=60_000_000))]
    pub llm_actor_tokens_per_minute: u32,

    /// Calls to models in a minute for each class (0 to 1000000; 0: no limit)
    #[arg(long, env = "LLM_CLASS_REQUESTS_PER_MINUTE", default_value = "0", value_parser = value_parser!(u32).range(0..=1_000_000))]
    pub llm_class_requests_per_minute: u32,

    /// Tokens in a minute for each class (0 to 60000000; 0: no limit)
    #[arg(long, env = "LLM_CLASS_TOKENS_PER_MINUTE", default_value = "0", value_parser = value_parser!(u32).range(0..=60_000_000))]
    pub llm_class_tokens_per_minute: u32,

    /// Calls to models in a minute for each address that requests come from (0 to 1000000; 0: no limit). A school may sit
    /// behind one address
    #[arg(long, env = "LLM_ADDRESS_REQUESTS_PER_MINUTE", default_value = "0", value_parser = value_parser!(u32).range(0..=1_000_000))]
    pub llm_address_requests_per_minute: u32,

    /// Tokens in a minute for each address (0 to 60000000; 0: no limit)
    #[arg(long, env = "LLM_ADDRESS_TOKENS_PER_MINUTE", default_value = "0", value_parser = value_parser!(u32).range(0..=60_000_000))]
    pub llm_address_tokens_per_minute: u32,

    /// Tokens of prompts and completions that each class may use in a day, UTC (0 to 4294967295; 0: no limit)
    #[arg(long, env = "LLM_CLASS_TOKENS_PER_DAY", default_value = "0", value_parser = value_parser!(u32))]
    pub llm_class_tokens_per_day: u32,
}
