//! A student who writes again before the answer is there.

use std::time::Duration;

use tonic::{Code, Status, Streaming};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    helper::v1::{
        ChatRequest, ChatResponse, StreamChatRequest, StreamChatResponse,
        helper_service_client::HelperServiceClient, stream_chat_response::News,
    },
};
use turnwise_testing::model_server::{ServiceTime, Settings};
use turnwise_tests::{
    chat::{LESSON, asking, going_on, lesson, page},
    eventually::eventually,
    options::{Kind, Options},
    refusal::check_refusal,
    student::{Student, fresh_key},
};

use super::Helped;

in_both_deployments!(
    a_newer_message_takes_over_the_place_of_one_that_waits,
    a_message_that_a_model_works_on_is_not_replaced,
);

/// Far longer than a test, so that only what is let go ends.
const LONG: Duration = Duration::from_secs(4);
const SOON: Duration = Duration::from_secs(20);

/// A student who watches the wait for an answer.
struct Watching(Streaming<StreamChatResponse>);

impl Watching {
    async fn start(student: &Student, message: ChatRequest) -> Self {
        let request = student.request(StreamChatRequest {
            chat: Some(message),
        });
        let mut client = HelperServiceClient::new(student.channel.clone());
        Self(client.stream_chat(request).await.unwrap().into_inner())
    }

    /// Until it is told its place in the queue.
    async fn placed(&mut self) {
        loop {
            let piece = self.0.message().await.unwrap().unwrap();
            match piece.news {
                Some(News::Progress(progress)) if progress.queue_position > 0 => return,
                Some(News::Progress(_)) => {}
                other => panic!("no place was told before {other:?}"),
            }
        }
    }

    async fn answer(mut self) -> Result<ChatResponse, Status> {
        loop {
            let piece = self.0.message().await?.unwrap();
            if let Some(News::Answer(answer)) = piece.news {
                return Ok(answer);
            }
        }
    }
}

impl Helped {
    async fn takes(&self, service_time: Duration) {
        let settings = Settings {
            service_time: ServiceTime::constant(service_time),
            text: "What do you undo first?".to_owned(),
            ..Settings::default()
        };
        self.model.set(&settings).await;
    }

    /// Until the model has begun so many.
    async fn until_asked(&self, times: u64) {
        eventually("the model is asked", SOON, || async {
            (self.asked().await == times).then_some(())
        })
        .await;
    }
}

async fn a_newer_message_takes_over_the_place_of_one_that_waits(kind: Kind) {
    let options = Options::new().env("HELPER_MAX_CONCURRENCY", "1");
    let helped = Helped::start(kind, options).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    let [ada, bob] = ["ada", "bob"].map(|name| helped.suite.student(name));
    helped.takes(Duration::ZERO).await;
    let first = ada.chat(asking(&page, "What is an equation?"));
    let first = first.await.unwrap();
    helped.takes(LONG).await;
    let running = Watching::start(&bob, asking(&page, "What is an equation?")).await;
    helped.until_asked(2).await;
    let older = ChatRequest {
        idempotency_key: fresh_key(),
        ..going_on(&page, &first, "Why do both sides change?")
    };
    let mut waiting = Watching::start(&ada, older.clone()).await;
    waiting.placed().await;

    // The same message once more is no newer one.
    let again = ada.chat(older.clone()).await.unwrap_err();
    let fault = check_refusal(&again, Code::Aborted, Why::TurnInProgress, "");
    assert_eq!(fault.metadata("cause"), Some("same_request"));

    let newer = going_on(&page, &first, "What do I undo first?");
    let newer = Watching::start(&ada, newer).await;
    let superseded = waiting.answer().await.unwrap_err();
    check_refusal(&superseded, Code::Aborted, Why::Superseded, "");
    assert_eq!(running.answer().await.unwrap().attempts, 1);
    assert_eq!(newer.answer().await.unwrap().attempts, 1);
    assert_eq!(helped.asked().await, 3, "the older one reached no model");
    helped.suite.nothing_panicked();
}

async fn a_message_that_a_model_works_on_is_not_replaced(kind: Kind) {
    let helped = Helped::start(kind, Options::new()).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    let ada = helped.suite.student("ada");
    helped.takes(Duration::ZERO).await;
    let first = ada.chat(asking(&page, "What is an equation?"));
    let first = first.await.unwrap();
    helped.takes(LONG).await;
    let running = going_on(&page, &first, "Why do both sides change?");
    let running = Watching::start(&ada, running).await;
    helped.until_asked(2).await;
    let newer = going_on(&page, &first, "What do I undo first?");
    let refused = ada.chat(newer).await.unwrap_err();
    let fault = check_refusal(&refused, Code::Aborted, Why::TurnInProgress, "");
    assert_eq!(fault.metadata("cause"), Some("other_request"));
    assert_eq!(running.answer().await.unwrap().attempts, 1);
    helped.suite.nothing_panicked();
}
