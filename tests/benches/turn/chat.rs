//! Those who chat with the homework helper beside a lesson, in conversations that have begun.

use tonic::{
    Request,
    metadata::{Ascii, MetadataValue},
    transport::Channel,
};
use turnwise_proto::helper::v1::{
    ChatRequest, ChatResponse, RedirectReason, helper_service_client::HelperServiceClient,
};
use turnwise_tests::{chat::asking, student::fresh_key};

use crate::{
    load::{MODEL, Worker},
    script::{CHAT_MESSAGES, CHAT_OPENING},
};

/// A student on a lesson's page.
pub struct Chatter {
    client: HelperServiceClient<Channel>,
    authorization: MetadataValue<Ascii>,
    page: String,
    conversations: Vec<String>,
    taken: usize,
}

impl Chatter {
    /// A student with this token, on the page of this scope token.
    pub fn new(channel: Channel, token: &str, page: &str) -> Self {
        Self {
            client: HelperServiceClient::new(channel),
            authorization: format!("Bearer {token}").parse().unwrap(),
            page: page.to_owned(),
            conversations: Vec::new(),
            taken: 0,
        }
    }

    async fn chat(&mut self, conversation_id: &str, message: &str) -> ChatResponse {
        let mut request = Request::new(chat_request(&self.page, conversation_id, message));
        request
            .metadata_mut()
            .insert("authorization", self.authorization.clone());
        let answer = self.client.chat(request).await.unwrap().into_inner();
        assert_eq!(answer.model, MODEL, "{message}: {answer:?}");
        assert_eq!(answer.redirect(), RedirectReason::Unspecified);
        assert!(answer.degraded_reasons.is_empty(), "{answer:?}");
        answer
    }
}

impl Worker for Chatter {
    async fn prepare(&mut self, turns: usize) {
        for _ in 0..turns.div_ceil(CHAT_MESSAGES.len()) {
            let opened = self.chat("", CHAT_OPENING).await;
            self.conversations.push(opened.conversation_id);
        }
    }

    async fn turn(&mut self) -> String {
        let conversation = self.conversations[self.taken / CHAT_MESSAGES.len()].clone();
        let message = CHAT_MESSAGES[self.taken % CHAT_MESSAGES.len()];
        self.taken += 1;
        self.chat(&conversation, message).await.turn_id
    }
}

/// A message's request; an empty conversation: a new one.
pub fn chat_request(page: &str, conversation_id: &str, message: &str) -> ChatRequest {
    ChatRequest {
        conversation_id: conversation_id.to_owned(),
        idempotency_key: fresh_key(),
        ..asking(page, message)
    }
}
