//! Why the backends cannot start. Each message tells an operator what to do.

use std::time::Duration;

/// Why the backends cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The backend needs an address.
    #[error(
        "the backend openai_compatible needs OPENAI_BASE_URL, such as http://127.0.0.1:8080; set it, or choose another \
         backend"
    )]
    NoBaseUrl,
    /// The backend needs a key.
    #[error(
        "the backend openai needs a key; set OPENAI_API_KEY or OPENAI_API_KEY_FILE, or choose another backend"
    )]
    NoKey,
    /// Two sources for one secret.
    #[error("OPENAI_API_KEY and OPENAI_API_KEY_FILE are both set; keep one of them")]
    TwoKeys,
    /// The key's file cannot be used.
    #[error(transparent)]
    KeyFile(#[from] turnwise_kit::settings::SettingsError),
    /// The key is no key.
    #[error("the OpenAI key is empty or holds characters other than visible ASCII; set it again")]
    MalformedKey,
    /// The mock, where it was not asked for on purpose.
    #[error(
        "the backend mock is no language model and would answer students; choose another one in HELPER_LLM_BACKEND and \
         LLM_FAILOVER, `none` for no model, or set LLM_ALLOW_MOCK=1"
    )]
    MockNotAllowed,
    /// Others would stand in for a backend that nobody is to call.
    #[error(
        "HELPER_LLM_BACKEND=none calls no model, but LLM_FAILOVER names some; empty it, or name one of them in \
         HELPER_LLM_BACKEND"
    )]
    FailoverOfNone,
    /// Two backends that read the same settings.
    #[error(
        "LLM_FAILOVER and HELPER_LLM_BACKEND name both openai and openai_compatible, which share OPENAI_BASE_URL and the \
         key; keep one of them"
    )]
    TwoOpenais,
    /// A backend and model that is already called before.
    #[error("LLM_FAILOVER names `{backend}/{model}`, which is called before that; leave it out")]
    FailoverTwice {
        /// The backend's name.
        backend: &'static str,
        /// Its model, the configured one where the entry names none.
        model: String,
    },
    /// A part of a call may take longer than what it is a part of.
    #[error(
        "{part}={} is above {whole}={}; lower the first or raise the second",
        part_limit.as_secs_f64(),
        whole_limit.as_secs_f64()
    )]
    Contradiction {
        /// The setting of the part.
        part: &'static str,
        /// Its value.
        part_limit: Duration,
        /// The setting of the whole.
        whole: &'static str,
        /// Its value.
        whole_limit: Duration,
    },
    /// Ollama's completion may take all of the context window.
    #[error(
        "OLLAMA_NUM_PREDICT={completion} leaves no room for a prompt in OLLAMA_NUM_CTX={window}; lower the first or raise \
         the second"
    )]
    NoRoomForPrompt {
        /// The most tokens of a completion.
        completion: u32,
        /// The tokens of the window.
        window: u32,
    },
    /// The HTTP client cannot be made.
    #[error(
        "the HTTP client for the model server cannot be made; check that the machine has root certificates"
    )]
    Client(#[source] reqwest::Error),
}
