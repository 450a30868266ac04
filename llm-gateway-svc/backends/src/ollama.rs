//! Ollama's own protocol: `POST /api/chat`, answered by one JSON object a line or by one in all, and `POST /api/embed`.

use std::{borrow::Cow, collections::VecDeque, time::Duration};

use futures_util::FutureExt;
use reqwest::Url;
use serde::{Deserialize, Serialize, de::IgnoredAny};
use tokio::time::timeout;

use crate::{
    backend::{Backend, Operation, Pieces, Vectors, Whole, collected},
    completion::{Completion, End, Finish, Message, Piece, Prompt},
    embedding::{self, Embeddings},
    failure::Problem,
    http::{self, Client, Pace, Request, Server, Wire},
    schema::Schema,
    settings::{BackendKind, BackendSettings},
};

/// How long [`ollama_answers`] waits.
const PROBE_TIMEOUT: Duration = Duration::from_millis(500);
/// The most bytes of the list of models that [`ollama_answers`] reads.
const PROBE_MAX_BYTES: usize = 1024 * 1024;

/// Ollama.
pub(crate) struct Ollama {
    server: Server,
    pace: Pace,
    chat: Url,
    embed: Url,
    model: String,
    embed_model: String,
    temperature: f32,
    top_p: f32,
    num_predict: u32,
    num_ctx: u32,
    keep_alive_seconds: u32,
    one_system_message: bool,
}

impl Ollama {
    /// Ollama at `base`.
    pub(crate) fn new(settings: &BackendSettings, base: &Url, server: Server) -> Self {
        Self {
            pace: Pace::new(server.timeouts.first_byte),
            server,
            chat: http::below(base, "/api/chat"),
            embed: http::below(base, "/api/embed"),
            model: settings.ollama_model.clone(),
            embed_model: settings.ollama_embed_model.clone(),
            temperature: settings.ollama_temperature,
            top_p: settings.ollama_top_p,
            num_predict: settings.ollama_num_predict,
            num_ctx: settings.ollama_num_ctx,
            keep_alive_seconds: settings.ollama_keep_alive_seconds,
            one_system_message: settings.llm_one_system_message,
        }
    }

    fn request(&self, model: &str, prompt: &Prompt, stream: bool) -> Request {
        let configured = Some(self.num_predict).filter(|bound| *bound > 0);
        Request::json(
            &self.chat,
            None,
            &ChatRequest {
                model,
                messages: prompt.said(self.one_system_message),
                stream,
                format: prompt.schema.as_ref(),
                keep_alive: self.keep_alive_seconds,
                options: Options {
                    temperature: self.temperature,
                    top_p: self.top_p,
                    num_predict: prompt.max_output_tokens.or(configured),
                    num_ctx: Some(self.num_ctx).filter(|tokens| *tokens > 0),
                },
            },
        )
    }
}

#[derive(Serialize)]
struct ChatRequest<'a> {
    model: &'a str,
    messages: Cow<'a, [Message]>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a Schema>,
    /// Seconds for which the model stays in memory, and with it what it has read.
    keep_alive: u32,
    options: Options,
}

#[derive(Serialize)]
struct Options {
    temperature: f32,
    top_p: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_predict: Option<u32>,
    /// The context window. Another one than before makes the server load the model anew, so that it is always the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    num_ctx: Option<u32>,
}

#[derive(Serialize)]
struct EmbedRequest<'a> {
    model: &'a str,
    input: &'a [String],
}

impl Backend for Ollama {
    fn name(&self) -> &'static str {
        self.server.backend
    }

    fn default_model(&self, operation: Operation) -> &str {
        match operation {
            Operation::Completion => &self.model,
            Operation::Embedding => &self.embed_model,
        }
    }

    fn stream(&self, model: &str, prompt: &Prompt) -> Pieces {
        let wire = Chat {
            model: model.to_owned(),
        };
        let request = self.request(model, prompt, true);
        http::pieces(self.server.clone(), request, model.to_owned(), wire)
    }

    fn complete(&self, model: &str, prompt: &Prompt) -> Whole {
        let pace = self.pace.clone();
        if pace.is_quick() {
            let request = self.request(model, prompt, false);
            let (server, most) = (self.server.clone(), http::COMPLETION_MAX_BYTES);
            let whole = http::whole(server, request, model.to_owned(), most, read_chat);
            pace.measured(whole).boxed()
        } else {
            let pieces = collected(self.name(), self.stream(model, prompt));
            pace.measured(pieces).boxed()
        }
    }

    fn embed(&self, model: &str, texts: &[String]) -> Vectors {
        let request = Request::json(
            &self.embed,
            None,
            &EmbedRequest {
                model,
                input: texts,
            },
        );
        let (server, most) = (self.server.clone(), http::EMBEDDINGS_MAX_BYTES);
        let texts = texts.len();
        http::whole(
            server,
            request,
            model.to_owned(),
            most,
            move |model, body| read_embed(model, body, texts),
        )
    }
}

/// Reads the lines of an answer.
struct Chat {
    /// The model that was asked for, in case that the server names none.
    model: String,
}

#[derive(Deserialize)]
struct ChatLine<'a> {
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
    message: Option<ChatLineMessage>,
    #[serde(default)]
    done: bool,
    #[serde(borrow)]
    done_reason: Option<Cow<'a, str>>,
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

impl ChatLine<'_> {
    fn of(line: &[u8]) -> Result<ChatLine<'_>, Problem> {
        let line: ChatLine<'_> = serde_json::from_slice(line).map_err(|_| Problem::Unreadable)?;
        if line.error.is_some() {
            return Err(Problem::Reported);
        }
        Ok(line)
    }

    fn end(self, asked: String) -> End {
        End {
            model: self.model.map_or(asked, Cow::into_owned),
            finish: Finish::of(self.done_reason.as_deref()),
            input_tokens: self.prompt_eval_count,
            // It does not say what it has read before.
            cached_input_tokens: 0,
            output_tokens: self.eval_count,
        }
    }
}

impl Wire for Chat {
    fn line(&mut self, line: &[u8], pieces: &mut VecDeque<Piece>) -> Result<(), Problem> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let mut line = ChatLine::of(line)?;
        if line.message.is_none() && !line.done {
            return Err(Problem::Unreadable);
        }
        if let Some(message) = line.message.take() {
            pieces.push_back(Piece::Delta(message.content));
        }
        if line.done {
            pieces.push_back(Piece::End(line.end(std::mem::take(&mut self.model))));
        }
        Ok(())
    }

    fn close(&mut self, _pieces: &mut VecDeque<Piece>) -> Result<(), Problem> {
        Err(Problem::BrokeOff)
    }
}

fn read_chat(model: String, body: &[u8]) -> Result<Completion, Problem> {
    let mut line = ChatLine::of(body)?;
    let (Some(message), true) = (line.message.take(), line.done) else {
        return Err(Problem::Unreadable);
    };
    Ok(Completion {
        text: http::bounded(message.content)?,
        end: line.end(model),
    })
}

#[derive(Deserialize)]
struct EmbedAnswer<'a> {
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
    embeddings: Option<Vec<Vec<f32>>>,
    #[serde(default)]
    prompt_eval_count: u32,
    error: Option<IgnoredAny>,
}

fn read_embed(model: String, body: &[u8], texts: usize) -> Result<Embeddings, Problem> {
    let answer: EmbedAnswer<'_> = serde_json::from_slice(body).map_err(|_| Problem::Unreadable)?;
    if answer.error.is_some() {
        return Err(Problem::Reported);
    }
    embedding::checked(
        Embeddings {
            vectors: answer.embeddings.ok_or(Problem::Unreadable)?,
            model: answer.model.map_or(model, Cow::into_owned),
            input_tokens: answer.prompt_eval_count,
        },
        texts,
    )
}

/// Whether Ollama answers now and holds the configured model. It asks once, for at most half a second, and asks no remote
/// server that nobody agreed to.
pub async fn ollama_answers(settings: &BackendSettings) -> bool {
    let base = &settings.ollama_base_url;
    if !settings.may_call(BackendKind::Ollama, base) {
        return false;
    }
    timeout(PROBE_TIMEOUT, has_model(settings))
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
async fn has_model(settings: &BackendSettings) -> Option<bool> {
    let (base, model) = (&settings.ollama_base_url, settings.ollama_model.as_str());
    let client = Client::new(base, settings.is_remote(base), PROBE_TIMEOUT).ok()?;
    let tags = http::below(base, "/api/tags");
    let body = http::get(&client, tags, None, PROBE_MAX_BYTES).await?;
    let tags: Tags = serde_json::from_slice(&body).ok()?;
    Some(tags.models.iter().any(|tag| {
        tag.name == model
            || tag
                .name
                .strip_suffix(":latest")
                .is_some_and(|name| name == model)
    }))
}
