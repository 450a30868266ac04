//! What goes to a model and what comes back, whichever backend it is.

use std::pin::Pin;

use futures_util::Stream;
use serde::Serialize;
use serde_json::Value;

use crate::error::Error;

/// The most characters of a model's name.
const MODEL_NAME_MAX_CHARS: usize = 256;

/// A prompt, its limits and the model to call.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// The model; never empty once a backend sees it.
    pub model: String,
    /// What is said, oldest first.
    pub messages: Vec<Message>,
    /// What the output must keep, where the backend can enforce that.
    pub schema: Option<Schema>,
    /// The most tokens of the completion; `None`: the backend's configured bound.
    pub max_output_tokens: Option<u32>,
}

/// One message of a prompt. It serializes as both wire formats spell it.
#[derive(Debug, Clone, Serialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// Who speaks in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Rules.
    System,
    /// Data and the student's words.
    User,
    /// Earlier replies.
    Assistant,
}

/// A JSON Schema: one JSON object.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Schema(Value);

impl Schema {
    /// Reads a schema; anything but one JSON object is refused.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => Ok(Self(value)),
            _ => Err(Error::InvalidSchema),
        }
    }

    /// The schema as JSON; an object.
    pub fn as_json(&self) -> &Value {
        &self.0
    }
}

/// A piece of a completion: deltas, then exactly one end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The next piece of text.
    Delta(String),
    /// How it went.
    End(End),
}

/// How a completion went, as the backend tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The model that was really used.
    pub model: String,
    /// Why it stopped.
    pub finish: Finish,
    /// Tokens of the prompt; 0 where the backend did not count.
    pub input_tokens: u32,
    /// Tokens of the completion; 0 where the backend did not count.
    pub output_tokens: u32,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The backend did not say.
    Unknown,
    /// It was done.
    Stop,
    /// It ran into a bound.
    Length,
    /// Something else, such as a content filter.
    Other,
}

impl Finish {
    /// Reads the word that a backend ends with; Ollama and OpenAI use the same two for the usual cases.
    pub(crate) fn of(word: Option<&str>) -> Self {
        match word {
            None => Self::Unknown,
            Some("stop") => Self::Stop,
            Some("length") => Self::Length,
            Some(_) => Self::Other,
        }
    }

    /// The word for telemetry.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Stop => "stop",
            Self::Length => "length",
            Self::Other => "other",
        }
    }
}

/// The pieces of one completion as they come. Dropping it cancels the call.
pub type Pieces = Pin<Box<dyn Stream<Item = Result<Piece, Error>> + Send>>;

/// Something that completes prompts.
pub trait Backend: Send + Sync + 'static {
    /// Its name: `mock`, `ollama` or `openai_compatible`.
    fn name(&self) -> &'static str;

    /// The model that is used when a call names none.
    fn default_model(&self) -> &str;

    /// Refuses, before the call waits for a slot, what would be refused in any case.
    fn admit(&self, model: &str) -> Result<(), Error>;

    /// Calls the model, once. Nothing happens before the stream is first polled.
    fn stream(&self, prompt: Prompt) -> Pieces;
}

/// Refuses a name that is empty, too long or holds control characters, and says what is wrong.
pub(crate) fn check_model_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() || name.chars().count() > MODEL_NAME_MAX_CHARS {
        return Err("must hold 1 to 256 characters");
    }
    if name.chars().any(char::is_control) {
        return Err("must hold no control characters");
    }
    Ok(())
}
