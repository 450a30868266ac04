//! `turnwise.llm.v1.LlmGatewayService`.

use std::{pin::Pin, sync::Arc};

use futures_util::{Stream, StreamExt, stream};
use tokio::time::Instant;
use tonic::{Request, Response, Status};
use turnwise_kit::{CallContext, Fault};
use turnwise_llm_backends::{Embeddings, Finish};
use turnwise_llm_queue::Place;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{
        CompleteRequest, CompleteResponse, CompletionEnd, EmbedRequest, EmbedResponse, Embedding,
        FinishReason, GetBackendRequest, GetBackendResponse, QueuePlace, StreamCompleteRequest,
        StreamCompleteResponse, TakeOverPlaceRequest, TakeOverPlaceResponse,
        llm_gateway_service_server::LlmGatewayService, stream_complete_response::Piece,
    },
};

use super::{
    count, duration,
    request::{Waits, complete, embed, take_over},
};
use crate::{
    call::{Part, Summary},
    coalesce::Coalescing,
    error::Error,
};

/// The most parts of a stream that are sent as one.
const PARTS_AT_ONCE: usize = 64;

/// The service.
#[derive(Clone)]
pub struct LlmGateway {
    calls: Arc<Coalescing>,
    waits: Waits,
}

impl LlmGateway {
    pub(crate) fn new(calls: Coalescing, waits: Waits) -> Self {
        Self {
            calls: Arc::new(calls),
            waits,
        }
    }
}

#[tonic::async_trait]
impl LlmGatewayService for LlmGateway {
    async fn complete(
        &self,
        request: Request<CompleteRequest>,
    ) -> Result<Response<CompleteResponse>, Status> {
        let begun = Instant::now();
        let context = CallContext::of(&request);
        let job = complete(&context, self.waits, request.into_inner(), false)?;
        let mut parts = self.calls.run(job);
        let mut text = String::new();
        while let Some(part) = parts.next().await {
            match part? {
                Part::Delta(delta) if text.is_empty() => text = delta,
                Part::Delta(delta) => text.push_str(&delta),
                Part::End(summary) => {
                    return Ok(Response::new(CompleteResponse {
                        text,
                        end: Some(end(summary, begun)),
                    }));
                }
                Part::Place(_) | Part::Vectors(_) => {}
            }
        }
        Err(no_end())
    }

    type StreamCompleteStream =
        Pin<Box<dyn Stream<Item = Result<StreamCompleteResponse, Status>> + Send>>;

    async fn stream_complete(
        &self,
        request: Request<StreamCompleteRequest>,
    ) -> Result<Response<Self::StreamCompleteStream>, Status> {
        let begun = Instant::now();
        let context = CallContext::of(&request);
        let request = request
            .into_inner()
            .request
            .ok_or_else(|| Fault::invalid("request", "is required"))?;
        let job = complete(&context, self.waits, request, true)?;
        // What has come together goes together: each message costs a frame and wakes the reader.
        let parts = self
            .calls
            .run(job)
            .ready_chunks(PARTS_AT_ONCE)
            .flat_map(move |parts| stream::iter(messages(parts, begun)));
        Ok(Response::new(Box::pin(parts)))
    }

    async fn embed(
        &self,
        request: Request<EmbedRequest>,
    ) -> Result<Response<EmbedResponse>, Status> {
        let begun = Instant::now();
        let context = CallContext::of(&request);
        let job = embed(&context, self.waits, request.into_inner())?;
        let mut parts = self.calls.run(job);
        let mut vectors = None;
        while let Some(part) = parts.next().await {
            match part? {
                Part::Vectors(all) => vectors = Some(all),
                Part::End(summary) => {
                    let vectors = vectors.ok_or_else(no_end)?;
                    return Ok(Response::new(embeddings(vectors, summary, begun)));
                }
                Part::Place(_) | Part::Delta(_) => {}
            }
        }
        Err(no_end())
    }

    async fn take_over_place(
        &self,
        request: Request<TakeOverPlaceRequest>,
    ) -> Result<Response<TakeOverPlaceResponse>, Status> {
        let context = CallContext::of(&request);
        let requester = take_over(&context, self.waits, request.into_inner())?;
        let held = self.calls.take_over_place(&requester).await;
        Ok(Response::new(TakeOverPlaceResponse {
            place_ticket: held.map(|place| place.ticket).unwrap_or_default(),
        }))
    }

    async fn get_backend(
        &self,
        _: Request<GetBackendRequest>,
    ) -> Result<Response<GetBackendResponse>, Status> {
        let (backend, available) = self.calls.first_backend();
        Ok(Response::new(GetBackendResponse {
            backend: backend.to_owned(),
            available,
        }))
    }
}

/// The messages for some parts, with deltas that follow each other as one.
fn messages(
    parts: Vec<Result<Part, Error>>,
    begun: Instant,
) -> Vec<Result<StreamCompleteResponse, Status>> {
    let mut messages = Vec::with_capacity(parts.len());
    let mut text = String::new();
    let message = |piece| Ok(StreamCompleteResponse { piece: Some(piece) });
    for part in parts {
        let next = match part {
            Ok(Part::Delta(delta)) => {
                if text.is_empty() {
                    text = delta;
                } else {
                    text.push_str(&delta);
                }
                continue;
            }
            Ok(Part::Place(told)) => message(Piece::Place(place(told))),
            Ok(Part::End(summary)) => message(Piece::End(end(summary, begun))),
            Ok(Part::Vectors(_)) => continue,
            Err(error) => Err(Status::from(error)),
        };
        if !text.is_empty() {
            messages.push(message(Piece::Delta(std::mem::take(&mut text))));
        }
        messages.push(next);
    }
    if !text.is_empty() {
        messages.push(message(Piece::Delta(text)));
    }
    messages
}

/// The work ends with an end or an error; that it ends with neither is a fault of ours.
fn no_end() -> Status {
    tracing::error!("a request ended without an end");
    Fault::new(ErrorReason::Internal, "the request ended without an end").into()
}

fn place(place: Place) -> QueuePlace {
    // Foreseen a moment ago: what has passed since is no longer to be waited.
    let wait = place.wait.saturating_sub(place.at.elapsed());
    QueuePlace {
        position: count(place.position),
        wait: duration(wait),
    }
}

fn end(summary: Summary, begun: Instant) -> CompletionEnd {
    let finish = match summary.end.finish {
        Finish::Unknown => FinishReason::Unspecified,
        Finish::Stop => FinishReason::Stop,
        Finish::Length => FinishReason::Length,
        Finish::Other => FinishReason::Other,
    };
    CompletionEnd {
        model: summary.end.model,
        backend: summary.backend.to_owned(),
        finish_reason: finish.into(),
        input_tokens: count(summary.end.input_tokens),
        output_tokens: count(summary.end.output_tokens),
        queue_wait: duration(summary.spent.waited),
        total: duration(begun.elapsed()),
        attempts: count(summary.spent.attempts),
        truncated: summary.truncated,
        cached_input_tokens: count(summary.end.cached_input_tokens),
    }
}

fn embeddings(vectors: Arc<Embeddings>, summary: Summary, begun: Instant) -> EmbedResponse {
    let vectors = Arc::unwrap_or_clone(vectors);
    EmbedResponse {
        embeddings: vectors
            .vectors
            .into_iter()
            .map(|values| Embedding { values })
            .collect(),
        model: summary.end.model,
        backend: summary.backend.to_owned(),
        input_tokens: count(summary.end.input_tokens),
        queue_wait: duration(summary.spent.waited),
        total: duration(begun.elapsed()),
        attempts: count(summary.spent.attempts),
    }
}
