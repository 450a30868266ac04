//! `turnwise.llm.v1.LlmGatewayService`: proto to domain and back.

use std::{pin::Pin, sync::Arc, time::Duration};

use futures_util::{Stream, StreamExt, stream};
use tonic::{Request, Response, Status};
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::llm::v1::{
    ChatMessage, ChatRole, CompleteRequest, CompleteResponse, CompletionEnd, FinishReason, Purpose,
    StreamCompleteRequest, StreamCompleteResponse, llm_gateway_service_server::LlmGatewayService,
    stream_complete_response,
};

use crate::{
    call::{Calls, Part, Patience, Summary},
    completion::{Finish, Message, Prompt, Role, Schema, check_model_name},
    config::Waits,
};

/// The most messages of a prompt.
pub const MAX_MESSAGES: usize = 64;
/// The most characters of a prompt's messages together.
pub const MAX_PROMPT_CHARS: usize = 400_000;
/// The most tokens that a caller may ask for.
pub const MAX_OUTPUT_TOKENS: u32 = 32_768;

/// The service.
#[derive(Clone)]
pub struct LlmGateway {
    calls: Arc<Calls>,
    waits: Waits,
}

impl LlmGateway {
    pub(crate) fn new(calls: Calls, waits: Waits) -> Self {
        Self {
            calls: Arc::new(calls),
            waits,
        }
    }

    fn patience(
        &self,
        context: &CallContext,
        request: &CompleteRequest,
    ) -> Result<Patience, Fault> {
        let max_wait = match request.max_wait {
            None => self.waits.default,
            Some(wait) => Duration::try_from(wait)
                .map_err(|_| Fault::invalid("max_wait", "must not be negative"))?
                .min(self.waits.ceiling),
        };
        Ok(Patience {
            max_wait,
            deadline: context.deadline(),
        })
    }
}

#[tonic::async_trait]
impl LlmGatewayService for LlmGateway {
    async fn complete(
        &self,
        request: Request<CompleteRequest>,
    ) -> Result<Response<CompleteResponse>, Status> {
        let context = CallContext::of(&request);
        let request = request.into_inner();
        let patience = self.patience(&context, &request)?;
        let call = self.calls.begin(prompt(request)?, patience).await?;
        let (text, summary) = call.collect().await?;
        Ok(Response::new(CompleteResponse {
            text,
            end: Some(end(summary)),
        }))
    }

    type StreamCompleteStream =
        Pin<Box<dyn Stream<Item = Result<StreamCompleteResponse, Status>> + Send>>;

    async fn stream_complete(
        &self,
        request: Request<StreamCompleteRequest>,
    ) -> Result<Response<Self::StreamCompleteStream>, Status> {
        let context = CallContext::of(&request);
        let request = request
            .into_inner()
            .request
            .ok_or_else(|| Fault::invalid("request", "is required"))?;
        let patience = self.patience(&context, &request)?;
        let call = self.calls.begin(prompt(request)?, patience).await?;
        let parts = stream::unfold(call, |mut call| async move {
            let part = call.next().await?;
            Some((part.map(response).map_err(Status::from), call))
        });
        Ok(Response::new(parts.boxed()))
    }
}

/// Checks a request and turns it into a prompt.
fn prompt(request: CompleteRequest) -> Result<Prompt, Fault> {
    if !request.model.is_empty() {
        check_model_name(&request.model).map_err(|problem| Fault::invalid("model", problem))?;
    }
    match Purpose::try_from(request.purpose) {
        Ok(Purpose::Turn) => {}
        Ok(Purpose::Unspecified) => return Err(Fault::invalid("purpose", "is required")),
        Err(_) => return Err(Fault::invalid("purpose", "is unknown")),
    }
    let max_output_tokens = match u32::try_from(request.max_output_tokens) {
        Ok(0) => None,
        Ok(tokens) if tokens <= MAX_OUTPUT_TOKENS => Some(tokens),
        _ => {
            return Err(Fault::invalid(
                "max_output_tokens",
                format!("must be 0 to {MAX_OUTPUT_TOKENS}"),
            ));
        }
    };
    let messages = messages(request.messages)?;
    let schema = match request.json_schema.as_str() {
        "" => None,
        text => Some(Schema::parse(text)?),
    };
    Ok(Prompt {
        model: request.model,
        messages,
        schema,
        max_output_tokens,
    })
}

fn messages(messages: Vec<ChatMessage>) -> Result<Vec<Message>, Fault> {
    if !(1..=MAX_MESSAGES).contains(&messages.len()) {
        return Err(Fault::invalid(
            "messages",
            format!("must be 1 to {MAX_MESSAGES}"),
        ));
    }
    // Bytes bound characters from above, so the characters of an ordinary prompt are never counted.
    let bytes: usize = messages.iter().map(|m| m.content.len()).sum();
    if bytes > MAX_PROMPT_CHARS
        && messages
            .iter()
            .map(|m| m.content.chars().count())
            .sum::<usize>()
            > MAX_PROMPT_CHARS
    {
        return Err(Fault::invalid(
            "messages",
            format!("must hold at most {MAX_PROMPT_CHARS} characters together"),
        ));
    }
    messages
        .into_iter()
        .enumerate()
        .map(|(index, message)| {
            let role = match ChatRole::try_from(message.role) {
                Ok(ChatRole::System) => Role::System,
                Ok(ChatRole::User) => Role::User,
                Ok(ChatRole::Assistant) => Role::Assistant,
                Ok(ChatRole::Unspecified) | Err(_) => {
                    return Err(Fault::invalid(
                        &format!("messages[{index}].role"),
                        "must be system, user or assistant",
                    ));
                }
            };
            if message.content.is_empty() {
                return Err(Fault::invalid(
                    &format!("messages[{index}].content"),
                    "must not be empty",
                ));
            }
            Ok(Message {
                role,
                content: message.content,
            })
        })
        .collect()
}

fn response(part: Part) -> StreamCompleteResponse {
    use stream_complete_response::Piece;
    StreamCompleteResponse {
        piece: Some(match part {
            Part::Delta(text) => Piece::Delta(text),
            Part::End(summary) => Piece::End(end(summary)),
        }),
    }
}

fn end(summary: Summary) -> CompletionEnd {
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
        queue_wait: duration(summary.queue_wait),
        total: duration(summary.total),
    }
}

fn count(tokens: u32) -> i32 {
    i32::try_from(tokens).unwrap_or(i32::MAX)
}

fn duration(duration: Duration) -> Option<prost_types::Duration> {
    prost_types::Duration::try_from(duration).ok()
}
