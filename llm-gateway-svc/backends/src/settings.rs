//! The settings of the backends.

use std::{fmt, path::PathBuf, str::FromStr, time::Duration};

use clap::{ValueEnum, builder::BoolishValueParser, value_parser};
use reqwest::{Url, header::HeaderValue};
use turnwise_kit::files::{Followed, NamedFile};

use crate::{
    completion::check_model_name,
    mock,
    remote::{Acknowledged, PrivateSuffixes},
    start::StartError,
};

/// Which models are called, where they are, and how patiently.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct BackendSettings {
    /// The backend that completions and embeddings come from; `none`: no model is called, and replies are the course's own.
    #[arg(long, env = "HELPER_LLM_BACKEND", default_value = "ollama")]
    pub helper_llm_backend: BackendKind,

    /// Further backends, separated by commas, each `backend` or `backend/model`, such as `openai_compatible/qwen2,ollama`.
    /// They are called in this order when the ones before fail. Empty: none.
    #[arg(long, env = "LLM_FAILOVER", default_value = "")]
    pub llm_failover: Failover,

    /// Agree to send prompts to model servers outside this machine and its private network: 1 for that of
    /// HELPER_LLM_BACKEND alone, or the names of backends, separated by commas, such as `ollama,openai`. Calls to any other
    /// such server are refused and no socket is opened. 0: all of them.
    #[arg(long, env = "HELPER_REMOTE_MODE_ACKNOWLEDGED", default_value = "0")]
    pub helper_remote_mode_acknowledged: Acknowledged,

    /// What the names of hosts in the private network end with, separated by commas, each with a dot before it. Text is
    /// sent there without acknowledgement. Empty: none.
    #[arg(
        long,
        env = "PRIVATE_HOST_SUFFIXES",
        default_value = ".svc,.cluster.local,.internal,.local"
    )]
    pub private_host_suffixes: PrivateSuffixes,

    /// Let the backend `mock`, which is no language model, answer students (0 or 1): for tests and for trying things out.
    #[arg(
        long,
        env = "LLM_ALLOW_MOCK",
        default_value = "0",
        value_parser = BoolishValueParser::new(),
        action = clap::ArgAction::Set
    )]
    pub llm_allow_mock: bool,

    /// The longest time to connect to a model server, encryption included, in seconds (0.01 to 3600). Unset: 5, or the
    /// longest silence if that is less.
    #[arg(long, env = "LLM_CONNECT_TIMEOUT_SECONDS", value_parser = seconds)]
    pub llm_connect_timeout_seconds: Option<Duration>,

    /// The longest silence between two tokens, in seconds (0.01 to 3600). Unset: as long as before the first byte, as a server
    /// that reads another call's prompt is silent for that long.
    #[arg(long, env = "LLM_BETWEEN_TOKENS_TIMEOUT_SECONDS", value_parser = seconds)]
    pub llm_between_tokens_timeout_seconds: Option<Duration>,

    /// The longest time for one call to a model, in seconds (0.01 to 3600). Unset: 300, or the longest silence if that is
    /// more.
    #[arg(long, env = "LLM_TOTAL_TIMEOUT_SECONDS", value_parser = seconds)]
    pub llm_total_timeout_seconds: Option<Duration>,

    /// Send one system message, at the beginning (0 or 1): for models whose chat template refuses a second one or drops it,
    /// such as Gemma's and Mistral's. What it says then heads the last user message.
    #[arg(
        long,
        env = "LLM_ONE_SYSTEM_MESSAGE",
        default_value = "0",
        value_parser = BoolishValueParser::new(),
        action = clap::ArgAction::Set
    )]
    pub llm_one_system_message: bool,

    /// What the mock model `mock` says in place of its own text; at most 10,000 bytes. Empty: its own text.
    #[arg(long, env = "HELPER_MOCK_RESPONSE_TEXT", default_value = "", value_parser = mock_text)]
    pub helper_mock_response_text: String,

    /// The mock model that is used when a call names none, such as `mock` or `mock:stall`.
    #[arg(long, env = "MOCK_MODEL", default_value = "mock", value_parser = mock_model)]
    pub mock_model: String,

    /// The mock model for embeddings that is used when a call names none, such as `mock` or `mock:length:8`.
    #[arg(long, env = "MOCK_EMBED_MODEL", default_value = "mock", value_parser = mock_embed_model)]
    pub mock_embed_model: String,

    /// Where Ollama listens: an http or https address.
    #[arg(long, env = "OLLAMA_BASE_URL", default_value = "http://localhost:11434", value_parser = base_url)]
    pub ollama_base_url: Url,

    /// The Ollama model that is used when a call names none.
    #[arg(long, env = "OLLAMA_MODEL", default_value = "llama3.2:1b", value_parser = model_name)]
    pub ollama_model: String,

    /// The Ollama model for embeddings that is used when a call names none.
    #[arg(long, env = "OLLAMA_EMBED_MODEL", default_value = "nomic-embed-text", value_parser = model_name)]
    pub ollama_embed_model: String,

    /// The longest silence of Ollama before its first byte, in seconds (0.01 to 3600).
    #[arg(long, env = "OLLAMA_TIMEOUT_SECONDS", default_value = "30", value_parser = seconds)]
    pub ollama_timeout_seconds: Duration,

    /// Ollama's sampling temperature (0 to 2).
    #[arg(long, env = "OLLAMA_TEMPERATURE", default_value = "0.2", value_parser = temperature)]
    pub ollama_temperature: f32,

    /// Ollama's nucleus sampling bound (0 to 1).
    #[arg(long, env = "OLLAMA_TOP_P", default_value = "0.9", value_parser = top_p)]
    pub ollama_top_p: f32,

    /// The most tokens of an Ollama completion (0 to 32768); 0: the model's own bound.
    #[arg(long, env = "OLLAMA_NUM_PREDICT", default_value = "400", value_parser = value_parser!(u32).range(0..=32_768))]
    pub ollama_num_predict: u32,

    /// The tokens of Ollama's context window, for a prompt and its completion together (0 to 1048576); 0: the model's own.
    /// PROMPT_MAX_TOKENS of the gateway is made for 4096.
    #[arg(long, env = "OLLAMA_NUM_CTX", default_value = "4096", value_parser = value_parser!(u32).range(0..=1_048_576))]
    pub ollama_num_ctx: u32,

    /// Seconds for which Ollama keeps a model in memory after a call, and with it the beginnings of prompts that it has read
    /// (0 to 604800).
    #[arg(long, env = "OLLAMA_KEEP_ALIVE_SECONDS", default_value = "1800", value_parser = value_parser!(u32).range(0..=604_800))]
    pub ollama_keep_alive_seconds: u32,

    /// Where OpenAI or the OpenAI-compatible server listens: an http or https address, with or without a path such as
    /// `/v1`. Required for `openai_compatible`; unset, `openai` is at https://api.openai.com/v1.
    #[arg(long, env = "OPENAI_BASE_URL", value_parser = base_url)]
    pub openai_base_url: Option<Url>,

    /// The model of OpenAI or the OpenAI-compatible server that is used when a call names none.
    #[arg(long, env = "OPENAI_MODEL", default_value = "gpt-5.2", value_parser = model_name)]
    pub openai_model: String,

    /// The model for embeddings of OpenAI or the OpenAI-compatible server that is used when a call names none.
    #[arg(long, env = "OPENAI_EMBED_MODEL", default_value = "text-embedding-3-small", value_parser = model_name)]
    pub openai_embed_model: String,

    /// The key for OpenAI, which needs one, or for the OpenAI-compatible server. Empty: none is sent. A file is the safer
    /// place.
    #[arg(long, env = "OPENAI_API_KEY", hide_env_values = true)]
    pub openai_api_key: Option<ApiKey>,

    /// A file that holds the key for OpenAI or the OpenAI-compatible server. It is read again when it changes.
    #[arg(long, env = "OPENAI_API_KEY_FILE")]
    pub openai_api_key_file: Option<PathBuf>,

    /// The longest silence of OpenAI or the OpenAI-compatible server before its first byte, in seconds (0.01 to 3600).
    #[arg(long, env = "OPENAI_TIMEOUT_SECONDS", default_value = "30", value_parser = seconds)]
    pub openai_timeout_seconds: Duration,

    /// Ask the OpenAI-compatible server for whole answers, where it is quick, instead of tokens (0 or 1). That costs less,
    /// and is only for servers that stop working when a caller goes away: vLLM does, llama.cpp works on for nobody.
    #[arg(
        long,
        env = "OPENAI_COMPATIBLE_WHOLE_ANSWERS",
        default_value = "0",
        value_parser = BoolishValueParser::new(),
        action = clap::ArgAction::Set
    )]
    pub openai_compatible_whole_answers: bool,

    /// Which OpenAI-compatible server it is. `llama_cpp` gets a grammar that allows no white space between the parts of a
    /// reply, and keeps the beginnings of prompts for each slot; others get no more than all of them know.
    #[arg(long, env = "OPENAI_COMPATIBLE_SERVER", default_value = "any")]
    pub openai_compatible_server: CompatibleServer,

    /// The most tokens of a completion of OpenAI or the OpenAI-compatible server (0 to 32768); 0: no bound is sent.
    #[arg(
        long,
        env = "OPENAI_MAX_OUTPUT_TOKENS",
        default_value = "400",
        value_parser = value_parser!(u32).range(0..=32_768)
    )]
    pub openai_max_output_tokens: u32,
}

impl BackendSettings {
    /// Whether a backend of this kind is called, first or where others fail.
    #[must_use]
    pub fn calls(&self, kind: BackendKind) -> bool {
        let mut further = self.llm_failover.0.iter();
        self.helper_llm_backend == kind || further.any(|(other, _)| *other == kind)
    }

    /// The header with the key for OpenAI or the OpenAI-compatible server, from wherever it was set.
    pub(crate) fn authorization(&self) -> Result<Option<Authorization>, StartError> {
        let direct = self.openai_api_key.as_ref().filter(|key| !key.0.is_empty());
        let file = self
            .openai_api_key_file
            .as_ref()
            .filter(|path| !path.as_os_str().is_empty());
        match (direct, file) {
            (Some(_), Some(_)) => Err(StartError::TwoKeys),
            (None, None) => Ok(None),
            (Some(key), None) => match bearer(&key.0) {
                Some(header) => Ok(Some(Followed::fixed(header))),
                None => Err(StartError::MalformedKey),
            },
            (None, Some(path)) => {
                let files = vec![NamedFile::secret("OPENAI_API_KEY_FILE", path)];
                Ok(Some(Followed::load(files, |contents| {
                    let key = String::from_utf8_lossy(&contents[0]);
                    let malformed = "it must hold one key of visible ASCII characters";
                    Ok(bearer(key.trim()).ok_or(malformed)?)
                })?))
            }
        }
    }
}

/// Which kind of server models are called at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum BackendKind {
    /// Ollama's own protocol.
    Ollama,
    /// OpenAI's Responses.
    Openai,
    /// Any server with OpenAI's chat completions.
    OpenaiCompatible,
    /// Deterministic answers without a model, for tests.
    Mock,
    /// No model at all: every call is refused, and replies are the course's own.
    None,
}

impl BackendKind {
    /// Its name, as settings and answers spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::Openai => "openai",
            Self::OpenaiCompatible => "openai_compatible",
            Self::Mock => "mock",
            Self::None => "none",
        }
    }

    /// Whether it is called at a server of its own.
    pub(crate) fn has_server(self) -> bool {
        match self {
            Self::Ollama | Self::Openai | Self::OpenaiCompatible => true,
            Self::Mock | Self::None => false,
        }
    }
}

/// An OpenAI-compatible server, as far as it knows more than others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum CompatibleServer {
    /// Any.
    Any,
    /// llama.cpp's.
    LlamaCpp,
}

/// Further backends, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failover(pub(crate) Vec<(BackendKind, Option<String>)>);

impl Failover {
    /// Whether nothing stands in for the first backend.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for Failover {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let entry = |entry: &str| {
            let entry = entry.trim();
            // A model's own name may hold slashes.
            let (backend, model) = match entry.split_once('/') {
                Some((backend, model)) => (backend, Some(model)),
                None => (entry, None),
            };
            let kind = BackendKind::from_str(backend, false)
                .ok()
                .filter(|kind| *kind != BackendKind::None)
                .ok_or_else(|| {
                    format!(
                        "`{backend}` is no backend to call: give `backend` or `backend/model`, with ollama, openai, \
                         openai_compatible or mock"
                    )
                })?;
            let model = model
                .map(|model| match kind {
                    BackendKind::Mock => mock_model(model),
                    _ => model_name(model),
                })
                .transpose()
                .map_err(|problem| format!("the model in `{entry}`: {problem}"))?;
            Ok((kind, model))
        };
        text.split(',')
            .map(entry)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// A secret key; its value is never printed.
#[derive(Clone)]
pub struct ApiKey(String);

/// The header with a key, which may change.
pub(crate) type Authorization = Followed<HeaderValue>;

/// The header that carries a key, marked as sensitive, so that no log prints it; `None` if it is no key.
fn bearer(key: &str) -> Option<HeaderValue> {
    if key.is_empty() || !key.bytes().all(|b| b.is_ascii_graphic()) {
        return None;
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {key}")).ok()?;
    value.set_sensitive(true);
    Some(value)
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
    check_model_name(text)
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

fn mock_embed_model(text: &str) -> Result<String, String> {
    text.parse::<mock::EmbedModel>()
        .map(|_| text.to_owned())
        .map_err(|_| {
            "no mock model for embeddings has this name; `mock` is one, and the module `mock` lists all"
                .to_owned()
        })
}

fn mock_text(text: &str) -> Result<String, String> {
    if text.len() > 10_000 {
        return Err("must hold at most 10000 bytes".to_owned());
    }
    Ok(text.to_owned())
}

/// A time, whole seconds or a fraction.
fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("must be a number of seconds from 0.01 to 3600".to_owned()),
    }
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
