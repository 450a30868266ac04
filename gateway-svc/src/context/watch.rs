//! A thread's news: what its log tells, as clients see it. Each event comes once and in order; a reader who resumes names the
//! last one.

use async_stream::try_stream;
use turnwise_kit::{CallContext, Caller, Fault, ids};
use turnwise_proto::{
    context::v1::{
        ContextReminder, ContextResolved, ContextUpdate, MessageDelta, MessageStage,
        WatchThreadRequest, WatchThreadResponse, watch_thread_response::Event,
    },
    session::v1::{self as session, WatchEventsRequest},
    tutor::v1::{Role, TurnStage, TutorMessage},
};

use super::convert;
use crate::{
    conversation::Core,
    error::{public, public_of_watch},
    grpc::Answers,
};

/// About how many characters a piece of a message has.
const PIECE: usize = 120;

/// Follows a thread of the caller's.
pub(crate) async fn watch(
    core: &std::sync::Arc<Core>,
    context: &CallContext,
    caller: &Caller,
    request: WatchThreadRequest,
) -> Result<Answers<WatchThreadResponse>, Fault> {
    ids::check("thread_id", &request.thread_id)?;
    if request.after_event_id < 0 {
        return Err(Fault::invalid("after_event_id", "must be 0 or more"));
    }
    let mut events = core
        .upstreams
        .session
        .clone()
        .watch_events(context.request(WatchEventsRequest {
            student_id: caller.subject.clone(),
            thread_id: request.thread_id.clone(),
            after_id: request.after_event_id,
        }))
        .await
        .map_err(|status| public_of_watch(&status))?
        .into_inner();
    let (core, context) = (std::sync::Arc::clone(core), context.clone());
    let (student_id, thread_id) = (caller.subject.clone(), request.thread_id);
    let mut last = request.after_event_id;
    let news = try_stream! {
        while let Some(next) = events.message().await.map_err(|status| public(&status))? {
            let Some(event) = next.event else { continue };
            let id = event.id;
            if let Some(message) = event.message.as_ref().filter(|m| m.role() == Role::Assistant) {
                for piece in pieces(message) {
                    yield WatchThreadResponse {
                        event_id: last,
                        create_time: event.create_time,
                        event: Some(Event::Delta(piece)),
                    };
                }
            }
            let create_time = event.create_time;
            let told = if event.kind == "context:request" {
                let request_id = fact(&event, "request_id");
                let found = core.context_request(&context, &student_id, &thread_id, request_id);
                // One that a reset has taken is no news any more.
                let found = found.await.ok();
                found.map(|found| Event::ContextRequest(convert::request(&thread_id, &found)))
            } else {
                told(event)
            };
            last = id;
            if let Some(told) = told {
                yield WatchThreadResponse { event_id: id, create_time, event: Some(told) };
            }
        }
    };
    Ok(Box::pin(futures_util::StreamExt::map(
        news,
        |next: Result<_, Fault>| next.map_err(Into::into),
    )))
}

fn fact<'e>(event: &'e session::Event, name: &str) -> &'e str {
    event.facts.get(name).map_or("", String::as_str)
}

/// An event as a client sees it; none for what is not told here.
fn told(event: session::Event) -> Option<Event> {
    let request_id = fact(&event, "request_id").to_owned();
    let number = |name: &str| fact(&event, name).parse().unwrap_or_default();
    match event.kind.as_str() {
        "conversation:message" => event.message.map(Event::Message),
        "context:reminder" => Some(Event::Reminder(ContextReminder { request_id })),
        "context:update" => Some(Event::Update(ContextUpdate {
            request_id,
            slot: number("slot"),
            supplier_role: fact(&event, "supplier_role").to_owned(),
            size_bytes: number("size_bytes"),
        })),
        "context:resolved" => Some(Event::Resolved(ContextResolved {
            request_id,
            state: convert::state_of_word(fact(&event, "state")).into(),
        })),
        "turn:stage" => Some(Event::Stage(MessageStage {
            user_message_id: fact(&event, "message_id").parse().unwrap_or_default(),
            stage: TurnStage::from_str_name(fact(&event, "stage"))
                .unwrap_or_default()
                .into(),
        })),
        _ => None,
    }
}

/// The text of a message in pieces that end with a word.
fn pieces(message: &TutorMessage) -> Vec<MessageDelta> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    for word in message.text.split_inclusive(char::is_whitespace) {
        if !piece.is_empty() && piece.chars().count() + word.chars().count() > PIECE {
            pieces.push(std::mem::take(&mut piece));
        }
        piece.push_str(word);
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    let message_id = message.id;
    pieces
        .into_iter()
        .map(|text| MessageDelta { message_id, text })
        .collect()
}
