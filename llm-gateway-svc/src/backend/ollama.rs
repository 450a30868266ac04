//! Ollama's own protocol: `POST /api/chat`, answered by one JSON object a line.

use std::{collections::VecDeque, time::Duration};

use reqwest::{Client, Url};
use serde::{Deserialize, Serialize, de::IgnoredAny};
use tokio::time::timeout;

use super::http::{self, Unreadable, Upstream, Wire};
use crate::{
    completion::{Backend, End, Finish, Message, Piece, Pieces, Prompt, Schema},
    config::Settings,
    error::{Error, StartError},
};

pub(super) const NAME: &str = "ollama";

/// How long [`ollama_answers`] waits.
const PROBE_TIMEOUT: Duration = Duration::from_millis(500);
/// The most bytes of the list of models that [`ollama_answers`] reads.
const PROBE_MAX_BYTES: usize = 1024 * 1024;

/// Ollama.
pub(super) struct Ollama {
    client: Client,
    chat: Url,
    upstream: Upstream,
    model: String,
    temperature: f32,
    top_p: f32,
    num_predict: u32,
}

impl Ollama {
    pub(super) fn new(settings: &Settings) -> Result<Self, StartError> {
        let base = &settings.ollama_base_url;
        Ok(Self {
            client: http::client(base)?,
            chat: http::below(base, "/api/chat"),
            upstream: Upstream {
                backend: NAME,
                silence: Duration::from_secs(settings.ollama_timeout_seconds.into()),
            },
            model: settings.ollama_model.clone(),
            temperature: settings.ollama_temperature,
            top_p: settings.ollama_top_p,
            num_predict: settings.ollama_num_predict,
        })
    }
}

#[derive(Serialize)]
struct ChatRequest<'a> {
    model: &'a str,
    messages: &'a [Message],
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a Schema>,
    options: Options,
}

#[derive(Serialize)]
struct Options {
    temperature: f32,
    top_p: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_predict: Option<u32>,
}

impl Backend for Ollama {
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
        let configured = Some(self.num_predict).filter(|bound| *bound > 0);
        let request = self.client.post(self.chat.clone()).json(&ChatRequest {
            model: &prompt.model,
            messages: &prompt.messages,
            stream: true,
            format: prompt.schema.as_ref(),
            options: Options {
                temperature: self.temperature,
                top_p: self.top_p,
                num_predict: prompt.max_output_tokens.or(configured),
            },
        });
        let wire = OllamaWire {
            model: prompt.model.clone(),
        };
        self.upstream.pieces(request, prompt.model, wire)
    }
}

/// Reads the lines of an answer.
struct OllamaWire {
    /// The model that was asked for, in case that the server names none.
    model: String,
}

#[derive(Deserialize)]
struct ChatLine {
    model: Option<String>,
    message: Option<ChatLineMessage>,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    #[serde(default)]
    prompt_eval_count: u32,
    #[serde(default)]
    eval_count: u32,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct ChatLineMessage {
    #[serde(default)]
    content: String,
}

impl Wire for OllamaWire {
    fn line(&mut self, line: &str, pieces: &mut VecDeque<Piece>) -> Result<(), Unreadable> {
        if line.trim().is_empty() {
            return Ok(());
        }
        let line: ChatLine = serde_json::from_str(line)
            .map_err(|_| Unreadable("its answer is no line of Ollama's chat protocol"))?;
        if line.error.is_some() {
            return Err(Unreadable("it reported an error in its answer"));
        }
        if line.message.is_none() && !line.done {
            return Err(Unreadable(
                "its answer is no line of Ollama's chat protocol",
            ));
        }
        if let Some(message) = line.message {
            pieces.push_back(Piece::Delta(message.content));
        }
        if line.done {
            pieces.push_back(Piece::End(End {
                model: line.model.unwrap_or_else(|| self.model.clone()),
                finish: Finish::of(line.done_reason.as_deref()),
                input_tokens: line.prompt_eval_count,
                output_tokens: line.eval_count,
            }));
        }
        Ok(())
    }

    fn at_close(&mut self) -> Option<End> {
        None
    }
}

/// Whether Ollama answers now and holds the configured model. It asks once, for at most half a second, and asks no remote
/// server that nobody agreed to.
pub async fn ollama_answers(settings: &Settings) -> bool {
    let base = &settings.ollama_base_url;
    if super::is_remote(base) && !settings.helper_remote_mode_acknowledged {
        return false;
    }
    timeout(PROBE_TIMEOUT, has_model(base, &settings.ollama_model))
        .await
        .ok()
        .flatten()
        .unwrap_or(false)
}

#[derive(Deserialize)]
struct Tags {
    models: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
}

/// `None` if the server cannot be asked.
async fn has_model(base: &Url, model: &str) -> Option<bool> {
    let client = http::client(base).ok()?;
    let request = client.get(http::below(base, "/api/tags"));
    let mut response = request.send().await.ok()?.error_for_status().ok()?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        body.extend_from_slice(&chunk);
        if body.len() > PROBE_MAX_BYTES {
            return None;
        }
    }
    let tags: Tags = serde_json::from_slice(&body).ok()?;
    Some(tags.models.iter().any(|tag| {
        tag.name == model
            || tag
                .name
                .strip_suffix(":latest")
                .is_some_and(|name| name == model)
    }))
}
