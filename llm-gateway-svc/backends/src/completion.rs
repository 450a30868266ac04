//! What goes to a model for a completion and what comes back, whichever backend it is.

use std::borrow::Cow;

use serde::Serialize;

use crate::schema::Schema;

/// The most characters of a model's name.
const MODEL_NAME_MAX_CHARS: usize = 256;

/// What is said to a model, and its limits.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// What is said, oldest first.
    pub messages: Vec<Message>,
    /// What the output must keep, where the backend can enforce that. It is never trusted to.
    pub schema: Option<Schema>,
    /// The most tokens of the completion; `None`: the backend's configured bound.
    pub max_output_tokens: Option<u32>,
}

impl Prompt {
    /// What is said, in the form that the model's template takes.
    pub(crate) fn said(&self, one_system_message: bool) -> Cow<'_, [Message]> {
        match one_system_message {
            true => Cow::Owned(with_one_system_message(&self.messages)),
            false => Cow::Borrowed(&self.messages),
        }
    }
}

/// One message of a prompt. It serializes as all wire formats spell it.
#[derive(Debug, Clone, Serialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// The messages for a model whose template knows one system message, at the beginning, and has user and assistant speak by
/// turns: a later system message heads the user message that follows it.
fn with_one_system_message(messages: &[Message]) -> Vec<Message> {
    let mut folded: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages {
        let role = match message.role {
            Role::System if !folded.is_empty() => Role::User,
            role => role,
        };
        match folded.last_mut() {
            Some(last) if last.role == role && role == Role::User => {
                last.content.push_str("\n\n");
                last.content.push_str(&message.content);
            }
            _ => folded.push(Message {
                role,
                content: message.content.clone(),
            }),
        }
    }
    folded
}

/// Who speaks in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Rules.
    System,
    /// Data and the student's words.
    User,
    /// Earlier replies.
    Assistant,
}

/// A piece of a completion: deltas, none of them empty, then exactly one end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The next piece of text.
    Delta(String),
    /// How it went.
    End(End),
}

/// A whole completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What the model wrote; at most 1 MiB.
    pub text: String,
    /// How it went.
    pub end: End,
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
    /// Those of the prompt's tokens that the backend had read before; 0 where it does not say.
    pub cached_input_tokens: u32,
    /// Tokens of the completion; 0 where the backend did not count.
    pub output_tokens: u32,
}

impl End {
    /// Of a model that has told nothing so far.
    pub(crate) fn untold(model: String) -> Self {
        Self {
            model,
            finish: Finish::Unknown,
            input_tokens: 0,
            cached_input_tokens: 0,
            output_tokens: 0,
        }
    }
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
    /// Something else, such as a content filter or a refusal.
    Other,
}

impl Finish {
    /// Reads the word that a backend ends with; Ollama and chat completions use the same two for the usual cases.
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

/// Refuses a name that is empty, too long or holds control characters, and says what is wrong.
pub fn check_model_name(name: &str) -> Result<(), &'static str> {
    // Bytes bound characters from above.
    if name.is_empty()
        || (name.len() > MODEL_NAME_MAX_CHARS && name.chars().count() > MODEL_NAME_MAX_CHARS)
    {
        return Err("must hold 1 to 256 characters");
    }
    if name.chars().any(char::is_control) {
        return Err("must hold no control characters");
    }
    Ok(())
}
