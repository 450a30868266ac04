//! HelperService.

use std::{sync::Arc, time::Duration};

use prost::Message;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};
use tonic_types::pb;
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::helper::v1::{
    ChatRequest, ChatResponse, GetHelperHealthRequest, GetHelperHealthResponse,
    MintScopeTokenRequest, MintScopeTokenResponse, PlaceTicket, StreamChatRequest,
    StreamChatResponse, helper_service_server::HelperService, stream_chat_response::News,
};

use super::told;
use crate::{
    access::{Access, HELPER, MINT, STUDENT, TEACHER},
    address::address_of,
    conversation::Progress,
    helper::Helper,
    limits::{CallLimit, Kind},
    upstream::check_time,
};

/// The name of a place ticket among the details of a status.
const PLACE_TICKET: &str = "type.googleapis.com/turnwise.helper.v1.PlaceTicket";

/// Serves `turnwise.helper.v1.HelperService`.
pub(crate) struct HelperFace {
    pub(crate) helper: Arc<Helper>,
    pub(crate) limits: Arc<CallLimit>,
    pub(crate) trusted_proxies: usize,
}

impl HelperFace {
    async fn admit<T: Sync>(
        &self,
        request: &Request<T>,
        access: &Access,
        kind: Kind,
        reserve: Duration,
    ) -> Result<CallContext, Fault> {
        let context = access.admit(request)?;
        check_time(&context, reserve)?;
        let caller = context.caller()?;
        // As with classes: programs and those who look after a tenant are not counted.
        if caller.is(STUDENT) || caller.is(TEACHER) {
            self.limits.check(caller, kind).await?;
        }
        Ok(context)
    }
}

#[tonic::async_trait]
impl HelperService for HelperFace {
    async fn chat(&self, request: Request<ChatRequest>) -> Result<Response<ChatResponse>, Status> {
        let reserve = self.helper.core.reply_reserve;
        let context = self.admit(&request, &HELPER, Kind::Act, reserve).await?;
        let caller = context.caller()?;
        let address = address_of(&request, self.trusted_proxies);
        let nobody = Progress::default();
        let answered = self
            .helper
            .chat(&context, caller, request.into_inner(), address, &nobody)
            .await;
        answered.map(Response::new).map_err(with_ticket)
    }

    type StreamChatStream = ReceiverStream<Result<StreamChatResponse, Status>>;

    async fn stream_chat(
        &self,
        request: Request<StreamChatRequest>,
    ) -> Result<Response<Self::StreamChatStream>, Status> {
        let reserve = self.helper.core.reply_reserve;
        let context = self.admit(&request, &HELPER, Kind::Act, reserve).await?;
        let caller = context.caller()?.clone();
        let address = address_of(&request, self.trusted_proxies);
        let chat = request
            .into_inner()
            .chat
            .ok_or_else(|| Fault::invalid("chat", "is missing; send the message in it"))?;
        let helper = Arc::clone(&self.helper);
        let progressed = |progress| StreamChatResponse {
            news: Some(News::Progress(progress)),
        };
        let answered = |answer| StreamChatResponse {
            news: Some(News::Answer(answer)),
        };
        let kit = &self.helper.core.kit;
        let stream = told(kit, progressed, answered, |progress| async move {
            let chat = helper.chat(&context, &caller, chat, address, &progress);
            Box::pin(chat).await.map_err(with_ticket)
        });
        Ok(Response::new(stream))
    }

    async fn get_helper_health(
        &self,
        request: Request<GetHelperHealthRequest>,
    ) -> Result<Response<GetHelperHealthResponse>, Status> {
        let context = self
            .admit(&request, &HELPER, Kind::Read, Duration::ZERO)
            .await?;
        let tenant = &context.caller()?.tenant;
        Ok(Response::new(self.helper.health(&context, tenant).await))
    }

    async fn mint_scope_token(
        &self,
        request: Request<MintScopeTokenRequest>,
    ) -> Result<Response<MintScopeTokenResponse>, Status> {
        let context = self
            .admit(&request, &MINT, Kind::Act, Duration::ZERO)
            .await?;
        let caller = context.caller()?;
        let minted = self
            .helper
            .mint(&context, caller, request.into_inner())
            .await?;
        Ok(Response::new(minted))
    }
}

/// The refusal, with its place ticket as a detail of its own where it has one.
fn with_ticket(fault: Fault) -> Status {
    let entry = |key| fault.metadata(key).unwrap_or_default().to_owned();
    let ticket = PlaceTicket {
        place_ticket: entry("place_ticket"),
        conversation_id: entry("conversation_id"),
    };
    let status = Status::from(fault);
    if ticket.place_ticket.is_empty() {
        return status;
    }
    let Ok(mut details) = pb::Status::decode(status.details()) else {
        return status;
    };
    details.details.push(prost_types::Any {
        type_url: PLACE_TICKET.to_owned(),
        value: ticket.encode_to_vec(),
    });
    Status::with_details_and_metadata(
        status.code(),
        status.message(),
        details.encode_to_vec().into(),
        status.metadata().clone(),
    )
}
