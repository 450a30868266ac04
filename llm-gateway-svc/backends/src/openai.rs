//! OpenAI's Responses: `POST /v1/responses`, answered by server-sent events or by one JSON object, and its embeddings.

use std::{borrow::Cow, collections::VecDeque};

use futures_util::FutureExt;
use reqwest::{Url, header::HeaderValue};
use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::value::RawValue;

use crate::{
    backend::{Backend, Operation, Pieces, Vectors, Whole, collected},
    completion::{Completion, End, Finish, Message, Piece, Prompt},
    failure::Problem,
    http::{self, Events, Pace, Request, Server, Wire},
    lenient::if_readable,
    openai_embeddings,
    schema::Schema,
    settings::{Authorization, BackendSettings},
};

/// Where OpenAI is.
pub(crate) const PUBLIC_ENDPOINT: &str = "https://api.openai.com/v1";

/// The fewest tokens that the protocol allows as a bound.
const MIN_OUTPUT_TOKENS: u32 = 16;

/// OpenAI.
pub(crate) struct Openai {
    server: Server,
    pace: Pace,
    responses: Url,
    embeddings: Url,
    model: String,
    embed_model: String,
    authorization: Option<Authorization>,
    max_output_tokens: u32,
    one_system_message: bool,
}

impl Openai {
    /// OpenAI at `base`, called with this header.
    pub(crate) fn new(
        settings: &BackendSettings,
        base: &Url,
        server: Server,
        authorization: Option<Authorization>,
    ) -> Self {
        Self {
            pace: Pace::new(server.timeouts.first_byte),
            server,
            responses: http::below_v1(base, "/responses"),
            embeddings: http::below_v1(base, "/embeddings"),
            model: settings.openai_model.clone(),
            embed_model: settings.openai_embed_model.clone(),
            authorization,
            max_output_tokens: settings.openai_max_output_tokens,
            one_system_message: settings.llm_one_system_message,
        }
    }

    /// The header with the key as it is now.
    fn authorization(&self) -> Option<HeaderValue> {
        let key = self.authorization.as_ref()?;
        Some(HeaderValue::clone(&key.get()))
    }

    fn request(&self, model: &str, prompt: &Prompt, stream: bool) -> Request {
        let configured = Some(self.max_output_tokens).filter(|bound| *bound > 0);
        Request::json(
            &self.responses,
            self.authorization(),
            &ResponsesRequest {
                model,
                input: prompt.said(self.one_system_message),
                stream,
                store: false,
                max_output_tokens: prompt
                    .max_output_tokens
                    .or(configured)
                    .map(|bound| bound.max(MIN_OUTPUT_TOKENS)),
                text: prompt.schema.as_ref().map(|schema| Text {
                    format: Format {
                        r#type: "json_schema",
                        name: "reply",
                        schema,
                        strict: false,
                    },
                }),
            },
        )
    }
}

#[derive(Serialize)]
struct ResponsesRequest<'a> {
    model: &'a str,
    input: Cow<'a, [Message]>,
    stream: bool,
    /// What students write is not kept there.
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
}

#[derive(Serialize)]
struct Text<'a> {
    format: Format<'a>,
}

#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    name: &'static str,
    schema: &'a Schema,
    /// The strict mode refuses optional keys and alternatives, and what comes back is checked anyway.
    strict: bool,
}

impl Backend for Openai {
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
        let wire = Responses {
            events: Events::default(),
            model: model.to_owned(),
            refused: false,
        };
        let request = self.request(model, prompt, true);
        http::pieces(self.server.clone(), request, model.to_owned(), wire)
    }

    fn complete(&self, model: &str, prompt: &Prompt) -> Whole {
        let pace = self.pace.clone();
        if pace.is_quick() {
            let request = self.request(model, prompt, false);
            let (server, most) = (self.server.clone(), http::COMPLETION_MAX_BYTES);
            let whole = http::whole(server, request, model.to_owned(), most, read_response);
            pace.measured(whole).boxed()
        } else {
            let pieces = collected(self.name(), self.stream(model, prompt));
            pace.measured(pieces).boxed()
        }
    }

    fn embed(&self, model: &str, texts: &[String]) -> Vectors {
        let request = openai_embeddings::request(
            &self.embeddings,
            self.authorization(),
            model,
            texts,
            // A third of the bytes, and no decimal numbers to read.
            "base64",
        );
        openai_embeddings::embed(self.server.clone(), request, model, texts.len())
    }
}

/// Reads the events of an answer.
struct Responses {
    events: Events,
    /// The model that was asked for, in case that the server names none.
    model: String,
    refused: bool,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    /// Text in the events that are read here; in others it may be anything.
    #[serde(borrow)]
    delta: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<Response<'a, IgnoredAny>>,
}

/// An answer. Its output is read only where it comes whole.
#[derive(Deserialize)]
struct Response<'a, O> {
    output: Option<O>,
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow)]
    status: Option<Cow<'a, str>>,
    error: Option<IgnoredAny>,
    #[serde(borrow)]
    incomplete_details: Option<IncompleteDetails<'a>>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    content: Option<Vec<Content<'a>>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    text: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct IncompleteDetails<'a> {
    #[serde(borrow)]
    reason: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
struct Usage {
    #[serde(default)]
    input_tokens: u32,
    #[serde(default)]
    output_tokens: u32,
    #[serde(default, deserialize_with = "if_readable")]
    input_tokens_details: Option<InputTokens>,
}

#[derive(Deserialize)]
struct InputTokens {
    #[serde(default)]
    cached_tokens: Option<u32>,
}

impl<O> Response<'_, O> {
    /// The end of an answer, if its status is one that ends well.
    fn end(self, asked: String, refused: bool) -> Result<End, Problem> {
        if self.error.is_some() {
            return Err(Problem::Reported);
        }
        let reason = self.incomplete_details.and_then(|details| details.reason);
        let finish = match self.status.as_deref() {
            Some("completed") if refused => Finish::Other,
            Some("completed") => Finish::Stop,
            Some("incomplete") if reason.as_deref() == Some("max_output_tokens") => Finish::Length,
            Some("incomplete") => Finish::Other,
            Some("failed" | "cancelled") => return Err(Problem::Reported),
            _ => return Err(Problem::Unreadable),
        };
        let usage = self.usage.unwrap_or_default();
        Ok(End {
            model: self
                .model
                .filter(|model| !model.is_empty())
                .map_or(asked, Cow::into_owned),
            finish,
            input_tokens: usage.input_tokens,
            cached_input_tokens: usage
                .input_tokens_details
                .and_then(|details| details.cached_tokens)
                .unwrap_or(0),
            output_tokens: usage.output_tokens,
        })
    }
}

impl Wire for Responses {
    /// The events near the end repeat the whole text.
    const LINE_MAX_BYTES: usize = 4 * http::TEXT_MAX_BYTES;

    fn line(&mut self, line: &[u8], pieces: &mut VecDeque<Piece>) -> Result<(), Problem> {
        let Some(data) = self.events.line(line)? else {
            return Ok(());
        };
        event(data, &self.model, &mut self.refused, pieces)
    }

    fn close(&mut self, pieces: &mut VecDeque<Piece>) -> Result<(), Problem> {
        match self.events.rest() {
            Some(data) => event(data, &self.model, &mut self.refused, pieces),
            None => Err(Problem::BrokeOff),
        }
    }
}

/// Reads the data of one event.
fn event(
    data: &[u8],
    model: &str,
    refused: &mut bool,
    pieces: &mut VecDeque<Piece>,
) -> Result<(), Problem> {
    if data.trim_ascii() == b"[DONE]" {
        // Some servers end all their streams with it; the end itself has come before.
        return Ok(());
    }
    let event: Event<'_> = serde_json::from_slice(data).map_err(|_| Problem::Unreadable)?;
    match &*event.r#type {
        "response.output_text.delta" | "response.refusal.delta" => {
            let delta = event.delta.ok_or(Problem::Unreadable)?;
            let text: String =
                serde_json::from_str(delta.get()).map_err(|_| Problem::Unreadable)?;
            *refused |= event.r#type == "response.refusal.delta" && !text.is_empty();
            pieces.push_back(Piece::Delta(text));
        }
        "response.completed" | "response.incomplete" => {
            let response = event.response.ok_or(Problem::Unreadable)?;
            pieces.push_back(Piece::End(response.end(model.to_owned(), *refused)?));
        }
        "response.failed" | "response.cancelled" | "error" => return Err(Problem::Reported),
        // The answer's skeleton, and everything once more when it is whole.
        _ => {}
    }
    Ok(())
}

fn read_response(model: String, body: &[u8]) -> Result<Completion, Problem> {
    let mut whole: Response<'_, Vec<Output<'_>>> =
        serde_json::from_slice(body).map_err(|_| Problem::Unreadable)?;
    let mut text = String::new();
    let mut refused = false;
    for output in whole.output.take().into_iter().flatten() {
        if output.r#type != "message" {
            continue;
        }
        for content in output.content.into_iter().flatten() {
            let part = match &*content.r#type {
                "output_text" => content.text.ok_or(Problem::Unreadable)?,
                "refusal" => {
                    refused = true;
                    content.refusal.ok_or(Problem::Unreadable)?
                }
                _ => continue,
            };
            if text.is_empty() {
                text = part;
            } else {
                text.push_str(&part);
            }
        }
    }
    Ok(Completion {
        text: http::bounded(text)?,
        end: whole.end(model, refused)?,
    })
}
