//! The words of OpenAI's and Ollama's protocols, as far as their servers speak them.

use std::fmt::Write;

use hyper::Method;
use serde::{Deserialize, de::IgnoredAny};

use super::{Fault, statistics::Kind};

/// How many tokens every prompt is said to have.
const INPUT_TOKENS: usize = 25;

/// A method of one of the protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    Chat,
    Responses,
    Embeddings,
    OllamaChat,
    OllamaEmbed,
}

/// What of a request matters here.
#[derive(Debug, Deserialize)]
pub(super) struct Ask {
    #[serde(default)]
    pub(super) model: String,
    stream: Option<bool>,
    input: Option<Input>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Input {
    Many(Vec<IgnoredAny>),
    One(IgnoredAny),
}

impl Ask {
    /// How many texts are to be turned into vectors.
    pub(super) fn inputs(&self) -> usize {
        match &self.input {
            None => 0,
            Some(Input::One(_)) => 1,
            Some(Input::Many(inputs)) => inputs.len(),
        }
    }
}

impl Api {
    pub(super) fn of(method: &Method, path: &str) -> Option<Self> {
        if method != Method::POST {
            return None;
        }
        Some(match path {
            "/v1/chat/completions" => Self::Chat,
            "/v1/responses" => Self::Responses,
            "/v1/embeddings" => Self::Embeddings,
            "/api/chat" => Self::OllamaChat,
            "/api/embed" => Self::OllamaEmbed,
            _ => return None,
        })
    }

    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Chat | Self::Responses | Self::OllamaChat => Kind::Completion,
            Self::Embeddings | Self::OllamaEmbed => Kind::Embedding,
        }
    }

    /// Whether the answer is a stream. Ollama's are unless the request says otherwise, OpenAI's if it says so.
    pub(super) fn streams(self, ask: &Ask) -> bool {
        self.kind() == Kind::Completion && ask.stream.unwrap_or(self == Self::OllamaChat)
    }

    pub(super) fn content_type(self, stream: bool) -> &'static str {
        match (self, stream) {
            (_, false) => "application/json",
            (Self::OllamaChat, true) => "application/x-ndjson",
            (_, true) => "text/event-stream",
        }
    }

    /// What a stream begins with.
    pub(super) fn opening(self, model: &str) -> String {
        let model = quoted(model);
        match self {
            Self::Chat => chunk(&model, r#"{"role":"assistant","content":""}"#, "null"),
            Self::Responses => event(
                "response.created",
                &format!(
                    r#""response":{{"id":"resp_1","object":"response","status":"in_progress","model":{model},"output":[]}}"#
                ),
            ),
            _ => String::new(),
        }
    }

    /// A piece of text.
    pub(super) fn piece(self, model: &str, text: &str) -> String {
        let (model, text) = (quoted(model), quoted(text));
        match self {
            Self::Chat => chunk(&model, &format!(r#"{{"content":{text}}}"#), "null"),
            Self::Responses => event(
                "response.output_text.delta",
                &format!(r#""item_id":"msg_1","output_index":0,"content_index":0,"delta":{text}"#),
            ),
            _ => format!(
                "{{\"model\":{model},\"created_at\":\"2025-01-01T00:00:00Z\",\"message\":{{\"role\":\"assistant\",\"content\":{text}}},\"done\":false}}\n"
            ),
        }
    }

    /// What a stream ends with.
    pub(super) fn closing(self, model: &str, text: &str, tokens: usize) -> String {
        match self {
            Self::Chat => {
                let model = quoted(model);
                let usage = openai_usage(tokens);
                format!(
                    "{}data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1735689600,\"model\":{model},\"choices\":[],\"usage\":{usage}}}\n\ndata: [DONE]\n\n",
                    chunk(&model, "{}", "\"stop\""),
                )
            }
            Self::Responses => {
                let whole = self.whole(model, text, tokens);
                event("response.completed", &format!("\"response\":{whole}"))
            }
            _ => self.whole(model, "", tokens) + "\n",
        }
    }

    /// A line that belongs into a stream and cannot be read.
    pub(super) fn malformed(self) -> &'static str {
        match self {
            Self::OllamaChat => "{\"model\":\"m\",\"message\":{\"role\":\n",
            _ => "data: {\"choices\":[{\"delta\":{\"content\":\n\n",
        }
    }

    /// A whole completion.
    pub(super) fn whole(self, model: &str, text: &str, tokens: usize) -> String {
        let (model, text) = (quoted(model), quoted(text));
        match self {
            Self::Chat => format!(
                r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1735689600,"model":{model},"choices":[{{"index":0,"message":{{"role":"assistant","content":{text}}},"finish_reason":"stop"}}],"usage":{}}}"#,
                openai_usage(tokens)
            ),
            Self::Responses => format!(
                r#"{{"id":"resp_1","object":"response","created_at":1735689600,"status":"completed","model":{model},"output":[{{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{{"type":"output_text","text":{text},"annotations":[]}}]}}],"usage":{{"input_tokens":{INPUT_TOKENS},"output_tokens":{tokens},"total_tokens":{}}}}}"#,
                INPUT_TOKENS + tokens
            ),
            _ => format!(
                r#"{{"model":{model},"created_at":"2025-01-01T00:00:01Z","message":{{"role":"assistant","content":{text}}},"done":true,"done_reason":"stop","total_duration":1000000,"load_duration":1000,"prompt_eval_count":{INPUT_TOKENS},"prompt_eval_duration":1000,"eval_count":{tokens},"eval_duration":1000}}"#
            ),
        }
    }

    /// Vectors, one for each input. Each is a unit vector of its own: input `n` has its one at place `n`.
    pub(super) fn vectors(
        self,
        model: &str,
        inputs: usize,
        dimensions: usize,
        fault: Fault,
    ) -> String {
        let model = quoted(model);
        let count = inputs - usize::from(fault == Fault::EmbeddingsMissing).min(inputs);
        let vectors = (0..count).map(|index| {
            let last = index + 1 == count;
            let length = dimensions - usize::from(last && fault == Fault::EmbeddingsUneven);
            let values = (0..length).map(|place| match place {
                0 if last && fault == Fault::EmbeddingsNull => "null",
                _ if place == index % dimensions => "1.0",
                _ => "0.0",
            });
            format!("[{}]", joined(values))
        });
        match self {
            Self::OllamaEmbed => format!(
                r#"{{"model":{model},"embeddings":[{}],"total_duration":1000000,"load_duration":1000,"prompt_eval_count":{INPUT_TOKENS}}}"#,
                joined(vectors)
            ),
            _ => {
                let data = vectors.enumerate().map(|(index, vector)| {
                    format!(r#"{{"object":"embedding","index":{index},"embedding":{vector}}}"#)
                });
                format!(
                    r#"{{"object":"list","data":[{}],"model":{model},"usage":{{"prompt_tokens":{INPUT_TOKENS},"total_tokens":{INPUT_TOKENS}}}}}"#,
                    joined(data)
                )
            }
        }
    }

    /// What a failure says.
    pub(super) fn failure(self, message: &str) -> String {
        let message = quoted(message);
        match self {
            Self::OllamaChat | Self::OllamaEmbed => format!(r#"{{"error":{message}}}"#),
            _ => format!(
                r#"{{"error":{{"message":{message},"type":"server_error","param":null,"code":null}}}}"#
            ),
        }
    }
}

/// The models that Ollama has.
pub(super) fn tags() -> String {
    r#"{"models":[{"name":"llama3.2:1b","model":"llama3.2:1b","size":1321098329},{"name":"model:latest","model":"model:latest","size":1}]}"#.to_owned()
}

/// An event of a stream of chat completions. The model is quoted already.
fn chunk(model: &str, delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1735689600,\"model\":{model},\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

/// An event of a stream of responses.
fn event(kind: &str, rest: &str) -> String {
    format!("event: {kind}\ndata: {{\"type\":\"{kind}\",{rest}}}\n\n")
}

fn openai_usage(tokens: usize) -> String {
    format!(
        r#"{{"prompt_tokens":{INPUT_TOKENS},"completion_tokens":{tokens},"total_tokens":{}}}"#,
        INPUT_TOKENS + tokens
    )
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn joined<T: AsRef<str>>(parts: impl Iterator<Item = T>) -> String {
    let mut all = String::new();
    for (n, part) in parts.enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(all, "{}{}", if n == 0 { "" } else { "," }, part.as_ref());
    }
    all
}
