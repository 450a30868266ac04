//! Servers with OpenAI's chat completions: `POST /v1/chat/completions`, answered by server-sent events.

use std::{collections::VecDeque, time::Duration};

use reqwest::{Client, Url};
use serde::{Deserialize, Serialize, de::IgnoredAny};

use super::http::{self, Unreadable, Upstream, Wire};
use crate::{
    completion::{Backend, End, Finish, Message, Piece, Pieces, Prompt, Schema},
    config::{ApiKey, Settings},
    error::{Error, StartError},
};

pub(super) const NAME: &str = "openai_compatible";

/// A server with OpenAI's chat completions.
pub(super) struct OpenaiCompatible {
    client: Client,
    chat: Url,
    upstream: Upstream,
    model: String,
    key: Option<ApiKey>,
    max_output_tokens: u32,
}

impl OpenaiCompatible {
    pub(super) fn new(
        settings: &Settings,
        base: &Url,
        key: Option<ApiKey>,
    ) -> Result<Self, StartError> {
        if key.is_some() && base.scheme() == "http" && super::is_remote(base) {
            tracing::warn!("the key for the model server travels unencrypted: use https");
        }
        // Some people write the address with its version, as OpenAI's own clients want it, and some without.
        let path = if base.path().trim_end_matches('/').is_empty() {
            "/v1/chat/completions"
        } else {
            "/chat/completions"
        };
        Ok(Self {
            client: http::client(base)?,
            chat: http::below(base, path),
            upstream: Upstream {
                backend: NAME,
                silence: Duration::from_secs(settings.openai_timeout_seconds.into()),
            },
            model: settings.openai_model.clone(),
            key,
            max_output_tokens: settings.openai_max_output_tokens,
        })
    }
}

#[derive(Serialize)]
struct ChatRequest<'a> {
    model: &'a str,
    messages: &'a [Message],
    stream: bool,
    stream_options: StreamOptions,
    /// The older name of the bound: compatible servers know it, and not all of them know the newer one.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    r#type: &'static str,
    json_schema: JsonSchema<'a>,
}

#[derive(Serialize)]
struct JsonSchema<'a> {
    name: &'static str,
    /// Not sent as `strict`: that mode refuses optional keys and alternatives, and what comes back is checked anyway.
    schema: &'a Schema,
}

impl Backend for OpenaiCompatible {
    fn name(&self) -> &'static str {
        NAME
    }

    fn default_model(&self) -> &str {
        &self.model
    }

    fn admit(&self, _model: &str) -> Result<(), Error> {
        Ok(())
    }

    fn stream(&self, prompt: Prompt) -> Pieces {
        let configured = Some(self.max_output_tokens).filter(|bound| *bound > 0);
        let mut request = self.client.post(self.chat.clone()).json(&ChatRequest {
            model: &prompt.model,
            messages: &prompt.messages,
            stream: true,
            stream_options: StreamOptions {
                include_usage: true,
            },
            max_tokens: prompt.max_output_tokens.or(configured),
            response_format: prompt.schema.as_ref().map(|schema| ResponseFormat {
                r#type: "json_schema",
                json_schema: JsonSchema {
                    name: "reply",
                    schema,
                },
            }),
        });
        if let Some(key) = &self.key {
            // reqwest marks the header as sensitive.
            request = request.bearer_auth(key.expose());
        }
        let wire = OpenaiWire {
            data: String::new(),
            model: prompt.model.clone(),
            finish: None,
            usage: Usage::default(),
        };
        self.upstream.pieces(request, prompt.model, wire)
    }
}

/// Reads the lines of an answer: server-sent events, each of them one JSON object, and `[DONE]` at the end.
struct OpenaiWire {
    /// The data of the event that is being read.
    data: String,
    /// The model that was asked for, then the one that the server names.
    model: String,
    finish: Option<Finish>,
    usage: Usage,
}

#[derive(Deserialize)]
struct Chunk {
    model: Option<String>,
    choices: Option<Vec<Choice>>,
    usage: Option<Usage>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Delta,
    finish_reason: Option<String>,
}

#[derive(Deserialize, Default)]
struct Delta {
    content: Option<String>,
}

#[derive(Deserialize, Default)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u32,
    #[serde(default)]
    completion_tokens: u32,
}

impl OpenaiWire {
    fn event(&mut self, data: &str, pieces: &mut VecDeque<Piece>) -> Result<(), Unreadable> {
        if data.trim() == "[DONE]" {
            let end = self.end();
            pieces.push_back(Piece::End(end));
            return Ok(());
        }
        let chunk: Chunk = serde_json::from_str(data)
            .map_err(|_| Unreadable("its answer is no event of OpenAI's chat completions"))?;
        if chunk.error.is_some() {
            return Err(Unreadable("it reported an error in its answer"));
        }
        let choices = chunk.choices.ok_or(Unreadable(
            "its answer is no event of OpenAI's chat completions",
        ))?;
        if let Some(model) = chunk.model.filter(|model| !model.is_empty()) {
            self.model = model;
        }
        if let Some(usage) = chunk.usage {
            self.usage = usage;
        }
        // We ask for one choice.
        if let Some(choice) = choices.into_iter().next() {
            if let Some(text) = choice.delta.content {
                pieces.push_back(Piece::Delta(text));
            }
            if let Some(word) = choice.finish_reason {
                self.finish = Some(Finish::of(Some(&word)));
            }
        }
        Ok(())
    }

    fn end(&mut self) -> End {
        End {
            model: std::mem::take(&mut self.model),
            finish: self.finish.unwrap_or(Finish::Unknown),
            input_tokens: self.usage.prompt_tokens,
            output_tokens: self.usage.completion_tokens,
        }
    }
}

impl Wire for OpenaiWire {
    fn line(&mut self, line: &str, pieces: &mut VecDeque<Piece>) -> Result<(), Unreadable> {
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return if data.is_empty() {
                Ok(())
            } else {
                self.event(&data, pieces)
            };
        }
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            return Ok(());
        }
        // Comments, and the fields of an event that say nothing here.
        if line.starts_with(':') || line.split_once(':').is_some_and(|(name, _)| is_field(name)) {
            return Ok(());
        }
        Err(Unreadable("its answer is no stream of events"))
    }

    /// A server may leave out `[DONE]`, but not the reason for which it stopped.
    fn at_close(&mut self) -> Option<End> {
        self.finish?;
        Some(self.end())
    }
}

fn is_field(name: &str) -> bool {
    matches!(name, "event" | "id" | "retry")
}
