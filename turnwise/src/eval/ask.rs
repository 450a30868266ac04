//! The helper as a member of staff asks it: policies of the classes, scope tokens, messages.

use std::time::Duration;

use anyhow::Result;
use tokio::time::{Instant, sleep, timeout_at};
use turnwise_kit::{Fault, client::GrpcClient};
use turnwise_proto::{
    classes::v1::{self as classes, ClassPolicy},
    helper::v1::{
        ChatRequest, ChatResponse, LessonScope, MintScopeTokenRequest,
        helper_service_client::HelperServiceClient,
    },
    school::v1::{SetClassPolicyRequest, class_service_client::ClassServiceClient},
};
use uuid::Uuid;

use super::{EvalArgs, Prompt, Strictness};
use crate::school::{Caller, answered};

/// A connection to the helper.
pub(super) struct Helper {
    caller: Caller,
    client: HelperServiceClient<GrpcClient>,
    course: String,
    classes: String,
    timeout: Duration,
}

impl Helper {
    pub(super) fn connect(args: &EvalArgs) -> Result<Self> {
        let caller = Caller::connect(&args.endpoint, "staff", "turnwise-eval", &[])?;
        Ok(Self {
            client: HelperServiceClient::new(caller.channel.clone()),
            caller,
            course: args.course.clone(),
            classes: args.classes.clone(),
            timeout: Duration::from_secs(args.timeout),
        })
    }

    fn class(&self, strictness: Strictness) -> String {
        let name = match strictness {
            Strictness::Light => "light",
            Strictness::Strict => "strict",
        };
        format!("{}-{name}", self.classes)
    }

    /// Sets the policies of the classes that the prompts are asked in.
    pub(super) async fn set_policies(&mut self, prompts: &[Prompt]) -> Result<()> {
        let mut client = ClassServiceClient::new(self.caller.channel.clone());
        for strictness in [Strictness::Light, Strictness::Strict] {
            if !prompts.iter().any(|prompt| prompt.strictness == strictness) {
                continue;
            }
            let policy = ClassPolicy {
                strictness: match strictness {
                    Strictness::Light => classes::Strictness::Light.into(),
                    Strictness::Strict => classes::Strictness::Strict.into(),
                },
                scope_mode: classes::ScopeMode::Strict.into(),
                topic_filter: classes::TopicFilter::Strict.into(),
                ..ClassPolicy::default()
            };
            let request = self.caller.ask(SetClassPolicyRequest {
                class_id: self.class(strictness),
                policy: Some(policy),
                idempotency_key: Uuid::new_v4().to_string(),
            });
            answered(client.set_class_policy(request).await)?;
        }
        Ok(())
    }

    /// The scope token of the prompt's lesson; asked for again where it is refused for now.
    pub(super) async fn scope_token(&mut self, prompt: &Prompt) -> Result<String> {
        let request = MintScopeTokenRequest {
            class_id: self.class(prompt.strictness),
            course_id: self.course.clone(),
            scope: Some(LessonScope {
                context: prompt.lesson.clone(),
                topics: prompt.topics.clone(),
                language: prompt.language.tag().to_owned(),
                ..LessonScope::default()
            }),
            ..MintScopeTokenRequest::default()
        };
        let end = Instant::now() + self.timeout;
        loop {
            let asked = self.caller.ask(request.clone());
            match answered(self.client.mint_scope_token(asked).await) {
                Ok(minted) => return Ok(minted.scope_token),
                Err(fault) => wait(fault, end).await?,
            }
        }
    }

    /// The answer to the prompt's message, after those of its history.
    pub(super) async fn answer(
        &mut self,
        prompt: &Prompt,
        scope_token: String,
    ) -> Result<ChatResponse, Fault> {
        let mut request = ChatRequest {
            scope_token,
            ..ChatRequest::default()
        };
        for message in &prompt.history {
            request.message.clone_from(message);
            request.conversation_id = self.say(&request).await?.conversation_id;
        }
        request.message.clone_from(&prompt.message);
        self.say(&request).await
    }

    /// Says it, and where it is refused for now, says it again in time, from its place in the queue.
    async fn say(&mut self, request: &ChatRequest) -> Result<ChatResponse, Fault> {
        let mut request = ChatRequest {
            idempotency_key: Uuid::new_v4().to_string(),
            ..request.clone()
        };
        let end = Instant::now() + self.timeout;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let asked = self.caller.request(request.clone(), left);
            let fault = match answered(self.client.chat(asked).await) {
                Ok(answer) => return Ok(answer),
                Err(fault) => fault,
            };
            let told = |key| fault.metadata(key).unwrap_or_default().to_owned();
            request.place_ticket = told("place_ticket");
            if request.conversation_id.is_empty() {
                request.conversation_id = told("conversation_id");
            }
            wait(fault, end).await?;
        }
    }
}

/// Waits as long as the refusal says; the refusal itself where that is pointless or too long.
async fn wait(fault: Fault, end: Instant) -> Result<(), Fault> {
    match fault.retry_delay() {
        Some(delay) => timeout_at(end, sleep(delay)).await.map_err(|_| fault),
        None => Err(fault),
    }
}
