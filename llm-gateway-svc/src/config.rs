//! The service's settings.

use std::{fmt, path::PathBuf, str::FromStr, time::Duration};

use clap::{ValueEnum, builder::BoolishValueParser, value_parser};
use reqwest::Url;

use crate::{error::StartError, mock};

/// Which models the service calls, and how many at once.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Settings {
    /// The backend that completions come from.
    #[arg(long, env = "HELPER_LLM_BACKEND", default_value = "ollama")]
    pub helper_llm_backend: BackendKind,

    /// Agree to send prompts to a model server outside this machine and its private network (0 or 1). Without it, calls
    /// to such a server are refused and no socket is opened.
    #[arg(
        long,
        env = "HELPER_REMOTE_MODE_ACKNOWLEDGED",
        default_value = "0",
        value_parser = BoolishValueParser::new(),
        action = clap::ArgAction::Set
    )]
    pub helper_remote_mode_acknowledged: bool,

    /// What the mock model `mock` says in place of its own text; at most 10,000 bytes. Empty: its own text.
    #[arg(long, env = "HELPER_MOCK_RESPONSE_TEXT", default_value = "", value_parser = mock_text)]
    pub helper_mock_response_text: String,

    /// The mock model that is used when a call names none, such as `mock` or `mock:stall`.
    #[arg(long, env = "MOCK_MODEL", default_value = "mock", value_parser = mock_model)]
    pub mock_model: String,

    /// How many calls to the model run at once (1 to 1024).
    #[arg(long, env = "HELPER_MAX_CONCURRENCY", default_value = "2", value_parser = value_parser!(u32).range(1..=1024))]
    pub helper_max_concurrency: u32,

    /// How long a caller who asks for nothing else waits for a slot, in seconds (0 to 3600).
    #[arg(
        long,
        env = "HELPER_QUEUE_MAX_WAIT_SECONDS",
        default_value = "10",
        value_parser = value_parser!(u32).range(0..=3600)
    )]
    pub helper_queue_max_wait_seconds: u32,

    /// The longest wait for a slot that a caller may ask for, in seconds (0 to 3600).
    #[arg(
        long,
        env = "QUEUE_MAX_WAIT_CEILING_SECONDS",
        default_value = "600",
        value_parser = value_parser!(u32).range(0..=3600)
    )]
    pub queue_max_wait_ceiling_seconds: u32,

    /// Where Ollama listens: an http or https address.
    #[arg(long, env = "OLLAMA_BASE_URL", default_value = "http://localhost:11434", value_parser = base_url)]
    pub ollama_base_url: Url,

    /// The Ollama model that is used when a call names none.
    #[arg(long, env = "OLLAMA_MODEL", default_value = "llama3.2:1b", value_parser = model_name)]
    pub ollama_model: String,

    /// The longest silence of Ollama, before its first byte and between two, in seconds (1 to 3600).
    #[arg(
        long,
        env = "OLLAMA_TIMEOUT_SECONDS",
        default_value = "30",
        value_parser = value_parser!(u32).range(1..=3600)
    )]
    pub ollama_timeout_seconds: u32,

    /// Ollama's sampling temperature (0 to 2).
    #[arg(long, env = "OLLAMA_TEMPERATURE", default_value = "0.2", value_parser = temperature)]
    pub ollama_temperature: f32,

    /// Ollama's nucleus sampling bound (0 to 1).
    #[arg(long, env = "OLLAMA_TOP_P", default_value = "0.9", value_parser = top_p)]
    pub ollama_top_p: f32,

    /// The most tokens of an Ollama completion (0 to 32768); 0: the model's own bound.
    #[arg(long, env = "OLLAMA_NUM_PREDICT", default_value = "400", value_parser = value_parser!(u32).range(0..=32_768))]
    pub ollama_num_predict: u32,

    /// Where the OpenAI-compatible server listens: an http or https address, with or without a path such as `/v1`.
    /// Required for that backend.
    #[arg(long, env = "OPENAI_BASE_URL", value_parser = base_url)]
    pub openai_base_url: Option<Url>,

    /// The model of the OpenAI-compatible server that is used when a call names none.
    #[arg(long, env = "OPENAI_MODEL", default_value = "gpt-5.2", value_parser = model_name)]
    pub openai_model: String,

    /// The key for the OpenAI-compatible server. Empty: none is sent. A file is the safer place.
    #[arg(long, env = "OPENAI_API_KEY", hide_env_values = true)]
    pub openai_api_key: Option<ApiKey>,

    /// A file that holds the key for the OpenAI-compatible server.
    #[arg(long, env = "OPENAI_API_KEY_FILE")]
    pub openai_api_key_file: Option<PathBuf>,

    /// The longest silence of the OpenAI-compatible server, before its first byte and between two, in seconds (1 to
    /// 3600).
    #[arg(
        long,
        env = "OPENAI_TIMEOUT_SECONDS",
        default_value = "30",
        value_parser = value_parser!(u32).range(1..=3600)
    )]
    pub openai_timeout_seconds: u32,

    /// The most tokens of a completion of the OpenAI-compatible server (0 to 32768); 0: no bound is sent.
    #[arg(
        long,
        env = "OPENAI_MAX_OUTPUT_TOKENS",
        default_value = "400",
        value_parser = value_parser!(u32).range(0..=32_768)
    )]
    pub openai_max_output_tokens: u32,
}

impl Settings {
    /// How long callers wait for a slot.
    pub(crate) fn waits(&self) -> Result<Waits, StartError> {
        let (default, ceiling) = (
            self.helper_queue_max_wait_seconds,
            self.queue_max_wait_ceiling_seconds,
        );
        if default > ceiling {
            return Err(StartError::WaitAboveCeiling { default, ceiling });
        }
        Ok(Waits {
            default: Duration::from_secs(default.into()),
            ceiling: Duration::from_secs(ceiling.into()),
        })
    }

    /// The key for the OpenAI-compatible server, from wherever it was set.
    pub(crate) fn api_key(&self) -> Result<Option<ApiKey>, StartError> {
        let direct = self.openai_api_key.as_ref().filter(|key| !key.0.is_empty());
        let file = self
            .openai_api_key_file
            .as_ref()
            .filter(|path| !path.as_os_str().is_empty());
        let key = match (direct, file) {
            (Some(_), Some(_)) => return Err(StartError::TwoKeys),
            (None, None) => return Ok(None),
            (Some(key), None) => key.clone(),
            (None, Some(path)) => {
                let text = std::fs::read_to_string(path).map_err(|source| StartError::KeyFile {
                    path: path.clone(),
                    source,
                })?;
                ApiKey(text.trim().to_owned())
            }
        };
        if key.0.is_empty() || !key.0.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(StartError::MalformedKey);
        }
        Ok(Some(key))
    }
}

/// How long callers wait for a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waits {
    /// For a caller who asks for nothing else.
    pub(crate) default: Duration,
    /// The most a caller may ask for.
    pub(crate) ceiling: Duration,
}

/// Where completions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum BackendKind {
    /// Ollama's own protocol.
    Ollama,
    /// Deterministic answers without a model, for tests and first steps.
    Mock,
    /// Any server with OpenAI's chat completions.
    OpenaiCompatible,
}

/// A secret key; its value is never printed.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// The key itself, for the one header that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

/// Never fails: a refusal here would print the key. It is checked at start.
impl FromStr for ApiKey {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

fn base_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text)
        .map_err(|e| format!("{e}; give an address such as http://localhost:11434"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err("must begin with http:// or https:// and name a host".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must hold no user name or password".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("must hold no query and no fragment".to_owned());
    }
    Ok(url)
}

fn model_name(text: &str) -> Result<String, String> {
    crate::completion::check_model_name(text)
        .map(|()| text.to_owned())
        .map_err(str::to_owned)
}

fn mock_model(text: &str) -> Result<String, String> {
    text.parse::<mock::Model>()
        .map(|_| text.to_owned())
        .map_err(|_| {
            "no mock model has this name; `mock` is one, and the module `mock` lists all".to_owned()
        })
}

fn mock_text(text: &str) -> Result<String, String> {
    if text.len() > 10_000 {
        return Err("must hold at most 10000 bytes".to_owned());
    }
    Ok(text.to_owned())
}

fn temperature(text: &str) -> Result<f32, String> {
    number_up_to(text, 2.0)
}

fn top_p(text: &str) -> Result<f32, String> {
    number_up_to(text, 1.0)
}

fn number_up_to(text: &str, max: f32) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(number) if (0.0..=max).contains(&number) => Ok(number),
        _ => Err(format!("must be a number from 0 to {max}")),
    }
}
