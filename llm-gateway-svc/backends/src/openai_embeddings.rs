//! OpenAI's embeddings, `POST /v1/embeddings`, as OpenAI and compatible servers speak them.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::{Url, header::HeaderValue};
use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::value::RawValue;

use crate::{
    backend::Vectors,
    embedding::{self, Embeddings},
    failure::Problem,
    http::{self, Request, Server},
};

#[derive(Serialize)]
struct EmbedRequest<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
}

/// Asks for the vectors of `texts`, in this encoding: `float` or `base64`.
pub(crate) fn request(
    url: &Url,
    authorization: Option<HeaderValue>,
    model: &str,
    texts: &[String],
    encoding_format: &'static str,
) -> Request {
    let body = EmbedRequest {
        model,
        input: texts,
        encoding_format,
    };
    Request::json(url, authorization, &body)
}

/// Sends such a request and reads the vectors of so many texts.
pub(crate) fn embed(server: Server, request: Request, model: &str, texts: usize) -> Vectors {
    let most = http::EMBEDDINGS_MAX_BYTES;
    http::whole(
        server,
        request,
        model.to_owned(),
        most,
        move |model, body| read(model, body, texts),
    )
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    data: Option<Vec<Item<'a>>>,
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
    usage: Option<Usage>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Item<'a> {
    /// Where it stands among the texts; some servers leave it out and keep the order.
    index: Option<usize>,
    /// Numbers, or the same in Base64: both are read, whichever was asked for.
    #[serde(borrow)]
    embedding: &'a RawValue,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u32,
}

fn read(model: String, body: &[u8], texts: usize) -> Result<Embeddings, Problem> {
    let answer: Answer<'_> = serde_json::from_slice(body).map_err(|_| Problem::Unreadable)?;
    if answer.error.is_some() {
        return Err(Problem::Reported);
    }
    let items = answer.data.ok_or(Problem::Unreadable)?;
    if items.len() != texts {
        return Err(Problem::WrongCount);
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts];
    for (at, item) in items.into_iter().enumerate() {
        let place = vectors
            .get_mut(item.index.unwrap_or(at))
            .filter(|place| place.is_none())
            .ok_or(Problem::WrongCount)?;
        *place = Some(vector(item.embedding.get())?);
    }
    embedding::checked(
        Embeddings {
            vectors: vectors.into_iter().flatten().collect(),
            model: answer
                .model
                .filter(|model| !model.is_empty())
                .map_or(model, Cow::into_owned),
            input_tokens: answer.usage.map_or(0, |usage| usage.prompt_tokens),
        },
        texts,
    )
}

fn vector(json: &str) -> Result<Vec<f32>, Problem> {
    if !json.starts_with('"') {
        return serde_json::from_str(json).map_err(|_| Problem::Unreadable);
    }
    let text: Cow<'_, str> = serde_json::from_str(json).map_err(|_| Problem::Unreadable)?;
    let bytes = STANDARD
        .decode(text.as_bytes())
        .map_err(|_| Problem::Unreadable)?;
    // Little-endian single precision.
    let (numbers, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(Problem::Unreadable);
    }
    Ok(numbers.iter().map(|b| f32::from_le_bytes(*b)).collect())
}
