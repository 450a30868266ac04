//! What an answer needs and the tutor cannot see: asked for, supplied, and answered with later.

mod batches;
mod crashes;
mod deferred;
mod flow;
mod kills;
mod refusals;
mod walkthrough;
mod watchers;

use std::time::Duration;

use tonic::{Request, Status, Streaming, transport::Channel};
use turnwise_proto::{
    context::v1::{
        ContextPayload, ContextRequest, ListContextRequestsRequest, SkipContextRequest,
        SupplyContextRequest, WatchThreadRequest, WatchThreadResponse,
        context_service_client::ContextServiceClient,
    },
    tutor::v1::{
        ContextRequired, DialogState, Project, Role, TakeTurnRequest, TakeTurnResponse, Thread,
        TutorMessage,
    },
};
use turnwise_tests::{
    eventually::eventually,
    student::{Student, saying},
    teacher::Teacher,
};

/// A message of the demo course's project that has no good answer without the list of costs.
const CHECK: &str = "Can you check my list of costs? Is it right?";
/// The whole artifact; what is asked for is its `costs`.
const BUDGET: &str = r#"{"students": 24, "costs": [{"name": "bus", "amount": 480}, {"name": "museum", "amount": 7.5}]}"#;
const SOON: Duration = Duration::from_secs(60);

fn client(channel: &Channel) -> ContextServiceClient<Channel> {
    ContextServiceClient::new(channel.clone())
}

fn in_phase(thread: &Thread, phase: &str, text: &str) -> TakeTurnRequest {
    TakeTurnRequest {
        project: Some(Project {
            phase: phase.to_owned(),
            ..Project::default()
        }),
        ..saying(thread, text)
    }
}

/// Sends the message that waits for the list of costs.
async fn check(ada: &Student, thread: &Thread) -> ContextRequired {
    let answer = ada.turn(in_phase(thread, "budget", CHECK)).await.unwrap();
    waits(&answer)
}

fn waits(answer: &TakeTurnResponse) -> ContextRequired {
    assert_eq!(answer.dialog_state(), DialogState::ContextRequired);
    assert_eq!(
        answer.messages.len(),
        1,
        "only the student's own: {answer:?}"
    );
    assert_eq!(answer.messages[0].role(), Role::User);
    let required = answer.context_required.clone().unwrap();
    assert_eq!(required.user_message_id, answer.messages[0].id);
    required
}

fn supply(thread: &Thread, request_id: &str, content: &str) -> SupplyContextRequest {
    SupplyContextRequest {
        thread_id: thread.thread_id.clone(),
        request_id: request_id.to_owned(),
        payloads: vec![ContextPayload {
            slot: 0,
            content: content.to_owned(),
        }],
        ..SupplyContextRequest::default()
    }
}

async fn supplied(
    channel: &Channel,
    request: Request<SupplyContextRequest>,
) -> Result<ContextRequest, Status> {
    let response = client(channel).supply_context(request).await?;
    Ok(response.into_inner().context_request.unwrap())
}

async fn skip(ada: &Student, thread: &Thread, request_id: &str) -> Result<ContextRequest, Status> {
    let request = ada.request(SkipContextRequest {
        thread_id: thread.thread_id.clone(),
        request_id: request_id.to_owned(),
    });
    let response = client(&ada.channel).skip_context(request).await?;
    Ok(response.into_inner().context_request.unwrap())
}

async fn requests(ada: &Student, thread: &Thread) -> Result<Vec<ContextRequest>, Status> {
    let request = ada.request(ListContextRequestsRequest {
        thread_id: thread.thread_id.clone(),
        ..ListContextRequestsRequest::default()
    });
    let page = client(&ada.channel).list_context_requests(request).await?;
    Ok(page.into_inner().context_requests)
}

async fn watch(
    ada: &Student,
    thread: &Thread,
    after_event_id: i64,
) -> Result<Streaming<WatchThreadResponse>, Status> {
    let request = ada.request(WatchThreadRequest {
        thread_id: thread.thread_id.clone(),
        after_event_id,
    });
    Ok(client(&ada.channel)
        .watch_thread(request)
        .await?
        .into_inner())
}

/// The tutor's messages of a thread, once there are so many.
async fn replies(ada: &Student, thread: &Thread, count: usize) -> Vec<TutorMessage> {
    eventually("the message is answered", SOON, || async {
        let thread = ada.thread(&thread.thread_id).await.ok()?;
        let messages = ada.messages(&thread.thread_id, 200).await;
        let said = messages.into_iter().filter(|m| m.role() == Role::Assistant);
        let said: Vec<TutorMessage> = said.collect();
        (said.len() >= count).then_some(said)
    })
    .await
}

fn of_student<T>(teacher: &Teacher, message: T) -> Request<T> {
    teacher.request(message)
}
