//! Lessons' pages and those who chat beside them.

use tonic::{Request, Status, transport::Channel};
use turnwise_proto::helper::v1::{
    ChatRequest, ChatResponse, LessonScope, MintScopeTokenRequest,
    helper_service_client::HelperServiceClient,
};

use crate::{
    deployment::Deployment,
    student::{DEMO_COURSE, Student},
    teacher::Teacher,
};

/// A lesson of the demo course.
pub const LESSON: &str = "lesson-alg-11";

/// The scope of a lesson of the demo course, the rest of it as its front matter says.
pub fn lesson(context: &str) -> LessonScope {
    LessonScope {
        context: context.to_owned(),
        ..LessonScope::default()
    }
}

/// What staff ask for to get a page for the students' class.
pub fn page_of(scope: LessonScope) -> MintScopeTokenRequest {
    MintScopeTokenRequest {
        class_id: Student::CLASS.to_owned(),
        course_id: DEMO_COURSE.to_owned(),
        scope: Some(scope),
        ..MintScopeTokenRequest::default()
    }
}

/// The token of a page for the students' class, signed for staff.
pub async fn page(suite: &Deployment, scope: LessonScope) -> String {
    let staff = Teacher::with_role(suite, "principal", "staff", Student::CLASS);
    let request = staff.request(page_of(scope));
    let mut client = HelperServiceClient::new(suite.channel());
    let minted = client.mint_scope_token(request).await.unwrap();
    minted.into_inner().scope_token
}

/// A message to the helper.
pub fn asking(page: &str, message: &str) -> ChatRequest {
    ChatRequest {
        message: message.to_owned(),
        scope_token: page.to_owned(),
        ..ChatRequest::default()
    }
}

/// The next message of a conversation.
pub fn going_on(page: &str, answer: &ChatResponse, message: &str) -> ChatRequest {
    ChatRequest {
        conversation_id: answer.conversation_id.clone(),
        ..asking(page, message)
    }
}

/// Sends a request with somebody's token.
pub async fn chat(
    channel: &Channel,
    request: Request<ChatRequest>,
) -> Result<ChatResponse, Status> {
    let mut client = HelperServiceClient::new(channel.clone());
    Ok(client.chat(request).await?.into_inner())
}

impl Student {
    /// Sends a message to the helper.
    pub async fn chat(&self, message: ChatRequest) -> Result<ChatResponse, Status> {
        chat(&self.channel, self.request(message)).await
    }
}
