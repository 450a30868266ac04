//! A helper that answers by a rule, and notes what it is asked.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio_stream::Stream;
use tonic::{Request, Response, Status};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    helper::v1::{helper_service_server::HelperService, *},
};

/// What becomes of a message.
type Rule = fn(&str) -> Result<ChatResponse, Fault>;

/// The helper.
#[derive(Clone)]
pub(crate) struct Helper {
    rule: Rule,
    pub(super) asked: Arc<Mutex<Vec<ChatRequest>>>,
    pub(super) minted: Arc<Mutex<Vec<MintScopeTokenRequest>>>,
    /// How often each idempotency key came.
    pub(super) keys: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl Helper {
    pub(super) fn new(rule: Rule) -> Self {
        Self {
            rule,
            asked: Arc::default(),
            minted: Arc::default(),
            keys: Arc::default(),
        }
    }
}

/// A refusal for now, with a place in the queue.
pub(super) fn busy() -> Fault {
    Fault::new(ErrorReason::Busy, "no model slot becomes free in time")
        .meta("place_ticket", "place-1")
        .meta("conversation_id", "c-held")
        .retry_after(Duration::from_millis(5))
}

#[tonic::async_trait]
impl HelperService for Helper {
    /// Each conversation is one of its first message's; the first call of a message that says `busy` is refused.
    async fn chat(&self, request: Request<ChatRequest>) -> Result<Response<ChatResponse>, Status> {
        let request = request.into_inner();
        self.asked.lock().unwrap().push(request.clone());
        let mut keys = self.keys.lock().unwrap();
        let times = keys.entry(request.idempotency_key.clone()).or_default();
        *times += 1;
        if request.message.contains("busy") && *times == 1 {
            return Err(busy().into());
        }
        drop(keys);
        let mut answer = (self.rule)(&request.message)?;
        answer.conversation_id = match request.conversation_id {
            id if id.is_empty() => "c-new".to_owned(),
            id => id,
        };
        answer.scope_verified = request.scope_token.starts_with("scope of ");
        Ok(Response::new(answer))
    }

    type StreamChatStream = Pin<Box<dyn Stream<Item = Result<StreamChatResponse, Status>> + Send>>;

    async fn stream_chat(
        &self,
        _request: Request<StreamChatRequest>,
    ) -> Result<Response<Self::StreamChatStream>, Status> {
        Err(Status::unimplemented("the command line does not ask this"))
    }

    async fn get_helper_health(
        &self,
        _request: Request<GetHelperHealthRequest>,
    ) -> Result<Response<GetHelperHealthResponse>, Status> {
        Err(Status::unimplemented("the command line does not ask this"))
    }

    async fn mint_scope_token(
        &self,
        request: Request<MintScopeTokenRequest>,
    ) -> Result<Response<MintScopeTokenResponse>, Status> {
        let request = request.into_inner();
        let scope = request.scope.clone();
        self.minted.lock().unwrap().push(request);
        Ok(Response::new(MintScopeTokenResponse {
            scope_token: format!("scope of {}", scope.clone().unwrap_or_default().context),
            scope,
            ..MintScopeTokenResponse::default()
        }))
    }
}
