//! Whether the longest prompt and its reply fit into Ollama's context window. Only this binary sees both settings: the
//! prompt's bound is gateway-svc's, the window llm-gateway-svc's.

use turnwise_llm_gateway_svc::{BackendKind, Finding};

use crate::suite::SuiteSettings;

/// What a model's chat template adds to a prompt, in tokens.
const TEMPLATE: u64 = 64;
/// The least that PROMPT_MAX_TOKENS takes.
const LEAST_PROMPT: u64 = 1_000;

/// What was found; `None`: Ollama is not called, or its model has a window of its own.
pub(crate) fn finding(settings: &SuiteSettings) -> Option<Finding> {
    let backends = &settings.llm.backends;
    if !backends.calls(BackendKind::Ollama) || backends.ollama_num_ctx == 0 {
        return None;
    }
    let window = u64::from(backends.ollama_num_ctx);
    let beside = u64::from(backends.ollama_num_predict) + TEMPLATE;
    let prompt = u64::from(settings.gateway.prompt_max_tokens);
    // In some languages the estimate is up to a twentieth too low.
    let needed = (prompt * 105).div_ceil(100) + beside;
    let about = "context window of Ollama";
    if needed <= window {
        let text = format!("{needed} of {window} tokens at most");
        return Some(Finding::good(about, text));
    }
    let fits = window.saturating_sub(beside) * 100 / 105;
    let or_lower = if fits < LEAST_PROMPT {
        String::new()
    } else {
        format!(", or lower PROMPT_MAX_TOKENS to {fits}")
    };
    Some(Finding::hint(
        about,
        format!(
            "PROMPT_MAX_TOKENS={prompt} and the reply may need {needed} tokens, more than OLLAMA_NUM_CTX={window}, and what \
             does not fit is cut off: raise OLLAMA_NUM_CTX to {needed}{or_lower}"
        ),
    ))
}
