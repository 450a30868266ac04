//! Three hundred students who write within ten seconds, and a model with two slots.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{Instant, sleep};
use tonic::{Code, Status};
use turnwise_kit::Fault;
use turnwise_proto::helper::v1::{
    ChatRequest, ChatResponse, StreamChatRequest, helper_service_client::HelperServiceClient,
    stream_chat_response::News,
};
use turnwise_testing::{
    figure::{Bound, figure},
    model_server::{ServiceTime, Settings},
};
use turnwise_tests::{
    chat::{LESSON, asking, lesson, page},
    options::{Kind, Options},
    student::{Student, fresh_key},
};

use super::Helped;

/// Everybody.
const STUDENTS: u32 = 300;
/// How long they take to come.
const ARRIVE: Duration = Duration::from_secs(10);
/// How long the model takes for one.
const SERVICE: Duration = Duration::from_millis(100);
/// How many it takes at once.
const SLOTS: u32 = 2;

/// A student who asks, is told to come back, and does.
async fn patient(student: &Student, mut message: ChatRequest) -> Result<ChatResponse, Status> {
    message.idempotency_key = fresh_key();
    loop {
        let refused = match student.chat(message.clone()).await {
            Ok(answer) => return Ok(answer),
            Err(refused) => refused,
        };
        let fault = Fault::from_status(&refused);
        let (Code::ResourceExhausted, Some(wait)) = (refused.code(), fault.retry_delay()) else {
            return Err(refused);
        };
        sleep(wait).await;
        let entry = |key| fault.metadata(key).unwrap_or_default().to_owned();
        message.place_ticket = entry("place_ticket");
        message.conversation_id = entry("conversation_id");
        message.idempotency_key = fresh_key();
    }
}

/// A student who watches the wait.
async fn watching(student: &Student, message: ChatRequest) -> Result<ChatResponse, Status> {
    let request = student.request(StreamChatRequest {
        chat: Some(message),
    });
    let mut client = HelperServiceClient::new(student.channel.clone());
    let mut news = client.stream_chat(request).await?.into_inner();
    while let Some(piece) = news.message().await? {
        if let Some(News::Answer(answer)) = piece.news {
            return Ok(answer);
        }
    }
    panic!("the stream ended without an answer");
}

#[tokio::test(flavor = "multi_thread")]
async fn three_hundred_in_ten_seconds_are_all_answered() {
    let options = Options::new().env("HELPER_MAX_CONCURRENCY", SLOTS.to_string());
    let helped = Helped::start(Kind::FiveProcesses, options).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    let model = Settings {
        service_time: ServiceTime::constant(SERVICE),
        text: "What do you undo first?".to_owned(),
        ..Settings::default()
    };
    helped.model.set(&model).await;
    let students: Vec<_> = (0..STUDENTS)
        .map(|n| helped.suite.student(&format!("student-{n}")))
        .collect();
    let began = Instant::now();
    let asked = (0..).zip(&students).map(|(n, student)| {
        let message = asking(&page, "Why do both sides of an equation change?");
        async move {
            sleep(ARRIVE * n / STUDENTS).await;
            match n % 2 {
                0 => patient(student, message).await,
                _ => watching(student, message).await,
            }
        }
    });
    let answers = join_all(asked).await;
    let took = began.elapsed();
    let answered = answers
        .iter()
        .filter(|answer| {
            answer
                .as_ref()
                .inspect_err(|refused| println!("{refused:?}"))
                .is_ok_and(|answer| answer.attempts == 1)
        })
        .count();
    let seen = helped.model.statistics().await.completions;
    let ideal = (SERVICE * STUDENTS / SLOTS).max(ARRIVE);
    figure(
        "chat_300_over_ideal",
        took.as_secs_f64() / ideal.as_secs_f64(),
        Bound::AtMost(1.1),
    );
    // Everybody was answered as often as everybody else.
    let jain = (answered as f64).powi(2) / (f64::from(STUDENTS) * answered as f64);
    figure("chat_300_jain", jain, Bound::AtLeast(0.98));
    assert_eq!(answered, STUDENTS as usize);
    assert!(seen.max_in_flight <= SLOTS as usize, "{seen:?}");
    assert_eq!(seen.begun, u64::from(STUDENTS));
    helped.suite.nothing_panicked();
}
