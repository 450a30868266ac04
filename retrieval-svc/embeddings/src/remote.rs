//! A model behind the model gateway. Every request names its backend and model, and an answer of another is refused.

use std::sync::OnceLock;

use turnwise_kit::{CallContext, Fault, client::GrpcClient, sizes::INTERNAL_MESSAGE};
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{
        EmbedRequest, EmbedResponse, Purpose as WirePurpose,
        llm_gateway_service_client::LlmGatewayServiceClient,
    },
};
use turnwise_retrieval_index::{BoxFuture, ModelId};

use crate::{EmbedError, Embedder, Purpose, embedder::check_texts, vector::unit};

/// The most texts of one request.
const REQUEST_TEXTS: usize = 256;
/// The most characters of one request.
const REQUEST_CHARS: usize = 400_000;
/// What is embedded to learn the model's name and length.
const PROBE: &str = "one half";

/// Vectors from the model gateway.
pub struct Remote {
    client: LlmGatewayServiceClient<GrpcClient>,
    asked: Option<Name>,
    found: OnceLock<Found>,
}

/// A backend and a model of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The backend, such as `ollama`.
    pub backend: String,
    /// The model, as that backend calls it.
    pub model: String,
}

/// What the first answer told.
struct Found {
    name: Name,
    model: ModelId,
}

impl Remote {
    /// Over this channel, with this model. `None`: the gateway's own choice at the first answer, and no other after that.
    pub fn new(client: GrpcClient, asked: Option<Name>) -> Self {
        Self {
            client: LlmGatewayServiceClient::new(client)
                .max_decoding_message_size(INTERNAL_MESSAGE),
            asked,
            found: OnceLock::new(),
        }
    }

    /// Whom to ask.
    fn name(&self) -> Option<&Name> {
        // What was set stays what is asked for: a backend may answer with a longer name than it can be asked by.
        self.asked.as_ref().or(self.found.get().map(|f| &f.name))
    }

    async fn request(
        &self,
        inputs: Vec<String>,
        purpose: Purpose,
        call: &CallContext,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let wanted = inputs.len();
        let name = self.name();
        let request = EmbedRequest {
            model: name.map_or_else(String::new, |n| n.model.clone()),
            backend: name.map_or_else(String::new, |n| n.backend.clone()),
            inputs,
            purpose: match purpose {
                Purpose::Query => WirePurpose::Search,
                Purpose::Document => WirePurpose::Index,
            }
            .into(),
            max_wait: call.remaining().and_then(|left| left.try_into().ok()),
            class_id: String::new(),
            client_address: String::new(),
        };
        let answer = self
            .client
            .clone()
            .embed(call.request(request))
            .await
            .map_err(|status| failure(&Fault::from_status(&status)))?
            .into_inner();
        self.read(answer, wanted)
    }

    fn read(&self, answer: EmbedResponse, wanted: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let given = Name {
            backend: answer.backend,
            model: answer.model,
        };
        if let Some(asked) = &self.asked
            && !given.is(asked)
        {
            return Err(wrong_model(asked, &given));
        }
        if answer.embeddings.len() != wanted {
            return Err(EmbedError::Unusable(format!(
                "{} vectors for {wanted} texts",
                answer.embeddings.len()
            )));
        }
        let dimension = answer.embeddings.first().map_or(0, |e| e.values.len());
        let found = match self.found.get() {
            Some(found) => found,
            None if given.backend.is_empty() || given.model.is_empty() => {
                return Err(EmbedError::Unusable(
                    "it does not name its model".to_owned(),
                ));
            }
            None if dimension == 0 => {
                return Err(EmbedError::Unusable("an empty vector".to_owned()));
            }
            None => self.found.get_or_init(|| Found {
                model: ModelId {
                    name: given.model.as_str().into(),
                    digest: given.to_string().into(),
                    dimension,
                },
                name: given.clone(),
            }),
        };
        if found.name != given {
            return Err(wrong_model(&found.name, &given));
        }
        answer
            .embeddings
            .into_iter()
            .map(|embedding| unit(embedding.values, found.model.dimension))
            .collect()
    }
}

impl Embedder for Remote {
    fn describe<'a>(
        &'a self,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<ModelId>, EmbedError>> {
        Box::pin(async move {
            if self.found.get().is_none() {
                self.request(vec![PROBE.to_owned()], Purpose::Document, call)
                    .await?;
            }
            Ok(self.found.get().map(|found| found.model.clone()))
        })
    }

    fn embed<'a>(
        &'a self,
        texts: Vec<Box<str>>,
        purpose: Purpose,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            check_texts(&texts)?;
            let mut vectors = Vec::with_capacity(texts.len());
            for batch in batches(texts)? {
                vectors.append(&mut self.request(batch, purpose, call).await?);
            }
            Ok(vectors)
        })
    }
}

impl Name {
    /// Whether this is the model that `asked` names. Backends complete names: `model` is answered as `model:latest` or
    /// `model-v2`.
    fn is(&self, asked: &Self) -> bool {
        self.backend == asked.backend
            && self
                .model
                .strip_prefix(&asked.model)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '-', '@']))
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.backend, self.model)
    }
}

/// Texts in groups, each of which one request may hold.
fn batches(texts: Vec<Box<str>>) -> Result<Vec<Vec<String>>, EmbedError> {
    let mut batches: Vec<Vec<String>> = Vec::new();
    let mut chars = 0;
    for text in texts {
        let length = text.chars().count();
        if length > REQUEST_CHARS {
            return Err(EmbedError::Refused(format!(
                "a text has {length} characters; {REQUEST_CHARS} are the most"
            )));
        }
        match batches.last_mut() {
            Some(last) if last.len() < REQUEST_TEXTS && chars + length <= REQUEST_CHARS => {
                chars += length;
                last.push(text.into());
            }
            _ => {
                chars = length;
                batches.push(vec![text.into()]);
            }
        }
    }
    Ok(batches)
}

fn wrong_model(wanted: &Name, given: &Name) -> EmbedError {
    EmbedError::WrongModel {
        wanted: wanted.to_string(),
        given: given.to_string(),
    }
}

fn failure(fault: &Fault) -> EmbedError {
    match fault.reason() {
        ErrorReason::DeadlineExceeded => EmbedError::Timeout,
        ErrorReason::InvalidArgument
        | ErrorReason::UnknownBackend
        | ErrorReason::UnknownModel
        | ErrorReason::RemoteBackendNotAcknowledged
        | ErrorReason::LlmOff
        | ErrorReason::PayloadTooLarge
        | ErrorReason::Unauthenticated
        | ErrorReason::PermissionDenied
        | ErrorReason::UnknownMethod => EmbedError::Refused(fault.to_string()),
        _ => EmbedError::Unavailable {
            problem: fault.to_string(),
            retry_after: fault.retry_delay(),
        },
    }
}
