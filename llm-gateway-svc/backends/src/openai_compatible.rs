//! Servers with OpenAI's chat completions: `POST /v1/chat/completions`, answered by server-sent events or by one JSON
//! object, and `POST /v1/embeddings`.

use std::{borrow::Cow, collections::VecDeque};

use futures_util::FutureExt;
use reqwest::{Url, header::HeaderValue};
use serde::{Deserialize, Serialize, de::IgnoredAny};

use crate::{
    backend::{Backend, Operation, Pieces, Vectors, Whole, collected},
    completion::{Completion, End, Finish, Message, Piece, Prompt},
    failure::Problem,
    grammar,
    http::{self, Events, Pace, Request, Server, Wire},
    lenient::if_readable,
    openai_embeddings,
    schema::Schema,
    settings::{Authorization, BackendSettings, CompatibleServer},
};

/// A server with OpenAI's chat completions.
pub(crate) struct OpenaiCompatible {
    server: Server,
    /// `None`: whole answers are never asked for.
    pace: Option<Pace>,
    chat: Url,
    embeddings: Url,
    model: String,
    embed_model: String,
    authorization: Option<Authorization>,
    max_output_tokens: u32,
    one_system_message: bool,
    is_llama_cpp: bool,
}

impl OpenaiCompatible {
    /// The server at `base`, called with this header.
    pub(crate) fn new(
        settings: &BackendSettings,
        base: &Url,
        server: Server,
        authorization: Option<Authorization>,
    ) -> Self {
        Self {
            pace: settings
                .openai_compatible_whole_answers
                .then(|| Pace::new(server.timeouts.first_byte)),
            server,
            chat: http::below_v1(base, "/chat/completions"),
            embeddings: http::below_v1(base, "/embeddings"),
            model: settings.openai_model.clone(),
            embed_model: settings.openai_embed_model.clone(),
            authorization,
            max_output_tokens: settings.openai_max_output_tokens,
            one_system_message: settings.llm_one_system_message,
            is_llama_cpp: settings.openai_compatible_server == CompatibleServer::LlamaCpp,
        }
    }

    /// The header with the key as it is now.
    fn authorization(&self) -> Option<HeaderValue> {
        let key = self.authorization.as_ref()?;
        Some(HeaderValue::clone(&key.get()))
    }

    fn request(&self, model: &str, prompt: &Prompt, stream: bool) -> Request {
        let configured = Some(self.max_output_tokens).filter(|bound| *bound > 0);
        let schema = prompt.schema.as_ref();
        let grammar = schema
            .filter(|_| self.is_llama_cpp)
            .and_then(|schema| grammar::of_schema(schema.as_json()));
        // llama.cpp refuses a request with both, so that a server which knows no grammar has no schema either: `turnwise
        // doctor` says where one that is no llama.cpp is called so.
        let schema = schema.filter(|_| grammar.is_none());
        Request::json(
            &self.chat,
            self.authorization(),
            &ChatRequest {
                model,
                messages: prompt.said(self.one_system_message),
                stream,
                stream_options: stream.then_some(StreamOptions {
                    include_usage: true,
                }),
                max_tokens: prompt.max_output_tokens.or(configured),
                cache_prompt: self.is_llama_cpp.then_some(true),
                grammar,
                response_format: schema.map(|schema| ResponseFormat {
                    r#type: "json_schema",
                    json_schema: JsonSchema {
                        name: "reply",
                        schema,
                    },
                }),
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
    stream_options: Option<StreamOptions>,
    /// The older name of the bound: compatible servers know it, and not all of them know the newer one.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    /// Of llama.cpp: that what a slot has read is kept for the next prompt that begins like it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_prompt: Option<bool>,
    /// Of llama.cpp.
    #[serde(skip_serializing_if = "Option::is_none")]
    grammar: Option<String>,
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
            events: Events::default(),
            end: End::untold(model.to_owned()),
            refused: false,
        };
        let request = self.request(model, prompt, true);
        http::pieces(self.server.clone(), request, model.to_owned(), wire)
    }

    fn complete(&self, model: &str, prompt: &Prompt) -> Whole {
        let tokens = || collected(self.name(), self.stream(model, prompt));
        let Some(pace) = self.pace.clone() else {
            return tokens().boxed();
        };
        if !pace.is_quick() {
            return pace.measured(tokens()).boxed();
        }
        let request = self.request(model, prompt, false);
        let (server, most) = (self.server.clone(), http::COMPLETION_MAX_BYTES);
        let whole = http::whole(server, request, model.to_owned(), most, read_chat);
        pace.measured(whole).boxed()
    }

    fn embed(&self, model: &str, texts: &[String]) -> Vectors {
        let request = openai_embeddings::request(
            &self.embeddings,
            self.authorization(),
            model,
            texts,
            // The form that every compatible server knows.
            "float",
        );
        openai_embeddings::embed(self.server.clone(), request, model, texts.len())
    }
}

/// Reads the events of an answer, each of them one JSON object, and `[DONE]` at the end.
struct Chat {
    events: Events,
    /// What is known of the end; the model is the one that was asked for until the server names one.
    end: End,
    refused: bool,
}

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow)]
    choices: Option<Vec<Choice<'a>>>,
    usage: Option<Usage>,
    #[serde(default, deserialize_with = "if_readable")]
    timings: Option<Timings>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    /// In events.
    #[serde(default)]
    delta: Said,
    /// In a whole answer.
    message: Option<Said>,
    #[serde(borrow)]
    finish_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize, Default)]
struct Said {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize, Default)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u32,
    #[serde(default)]
    completion_tokens: u32,
    #[serde(default, deserialize_with = "if_readable")]
    prompt_tokens_details: Option<PromptTokens>,
}

#[derive(Deserialize)]
struct PromptTokens {
    #[serde(default)]
    cached_tokens: Option<u32>,
}

/// What llama.cpp counts, be there a `usage` or not.
#[derive(Deserialize)]
struct Timings {
    /// Tokens of the prompt that it read before.
    #[serde(default)]
    cache_n: u32,
    /// Tokens of the prompt that it read now.
    #[serde(default)]
    prompt_n: u32,
    /// Tokens that it wrote.
    #[serde(default)]
    predicted_n: u32,
}

impl<'a> Chunk<'a> {
    fn of(data: &'a [u8]) -> Result<Self, Problem> {
        let chunk: Self = serde_json::from_slice(data).map_err(|_| Problem::Unreadable)?;
        if chunk.error.is_some() {
            return Err(Problem::Reported);
        }
        Ok(chunk)
    }

    /// Writes what this part of an answer knows of its end.
    fn tell(&self, end: &mut End) {
        if let Some(model) = self.model.as_deref()
            && !model.is_empty()
            && model != end.model
        {
            model.clone_into(&mut end.model);
        }
        if let Some(timings) = &self.timings {
            end.input_tokens = timings.cache_n.saturating_add(timings.prompt_n);
            end.cached_input_tokens = timings.cache_n;
            end.output_tokens = timings.predicted_n;
        }
        if let Some(usage) = &self.usage {
            end.input_tokens = usage.prompt_tokens;
            end.output_tokens = usage.completion_tokens;
            let details = usage.prompt_tokens_details.as_ref();
            if let Some(cached) = details.and_then(|details| details.cached_tokens) {
                end.cached_input_tokens = cached;
            }
        }
    }
}

/// Reads the data of one event.
fn event(
    data: &[u8],
    end: &mut End,
    refused: &mut bool,
    pieces: &mut VecDeque<Piece>,
) -> Result<(), Problem> {
    if data.trim_ascii() == b"[DONE]" {
        pieces.push_back(Piece::End(end.clone()));
        return Ok(());
    }
    let chunk = Chunk::of(data)?;
    chunk.tell(end);
    let choices = chunk.choices.ok_or(Problem::Unreadable)?;
    // We ask for one choice.
    let Some(choice) = choices.into_iter().next() else {
        return Ok(());
    };
    if let Some(text) = choice.delta.content {
        pieces.push_back(Piece::Delta(text));
    }
    if let Some(text) = choice.delta.refusal {
        *refused |= !text.is_empty();
        pieces.push_back(Piece::Delta(text));
    }
    if let Some(word) = choice.finish_reason {
        end.finish = finish(&word, *refused);
    }
    Ok(())
}

/// A refusal is a text, but not the one that was asked for.
fn finish(word: &str, refused: bool) -> Finish {
    if refused {
        Finish::Other
    } else {
        Finish::of(Some(word))
    }
}

impl Wire for Chat {
    fn line(&mut self, line: &[u8], pieces: &mut VecDeque<Piece>) -> Result<(), Problem> {
        match self.events.line(line)? {
            Some(data) => event(data, &mut self.end, &mut self.refused, pieces),
            None => Ok(()),
        }
    }

    /// A server may leave out `[DONE]`, but not the reason for which it stopped.
    fn close(&mut self, pieces: &mut VecDeque<Piece>) -> Result<(), Problem> {
        if let Some(data) = self.events.rest() {
            event(data, &mut self.end, &mut self.refused, pieces)?;
        }
        if matches!(pieces.back(), Some(Piece::End(_))) {
            return Ok(());
        }
        if self.end.finish == Finish::Unknown {
            return Err(Problem::BrokeOff);
        }
        pieces.push_back(Piece::End(self.end.clone()));
        Ok(())
    }
}

fn read_chat(model: String, body: &[u8]) -> Result<Completion, Problem> {
    let chunk = Chunk::of(body)?;
    let mut end = End::untold(model);
    chunk.tell(&mut end);
    let choices = chunk.choices.ok_or(Problem::Unreadable)?;
    let choice = choices.into_iter().next().ok_or(Problem::Unreadable)?;
    let said = choice.message.ok_or(Problem::Unreadable)?;
    let refusal = said.refusal.filter(|text| !text.is_empty());
    if let Some(word) = choice.finish_reason {
        end.finish = finish(&word, refusal.is_some());
    }
    let text = said.content.unwrap_or_default() + refusal.as_deref().unwrap_or_default();
    Ok(Completion {
        text: http::bounded(text)?,
        end,
    })
}
