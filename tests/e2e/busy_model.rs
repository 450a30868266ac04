//! A model with one slot that somebody else has: who must wait is told for how long, keeps the place, and staff see the
//! queue.

use std::time::Duration;

use tonic::Code;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{
        GetQueuesRequest, Purpose, Queue, WatchQueuesRequest,
        llm_queue_service_client::LlmQueueServiceClient,
    },
    tutor::v1::{DegradedReason as Why, TakeTurnRequest, TakeTurnResponse},
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    process::{binary, clean_command},
    student::{DEMO_COURSE, Student, saying},
    token,
};

in_both_deployments!(
    who_waits_is_told_when_to_come_back_and_keeps_the_place,
    only_staff_see_the_queues,
);

/// A suite whose model needs 10 s and works on one call at a time, and where nobody waits for that unless asked to: only
/// until the queue is shared, which it is when its model is first called.
async fn busy(kind: Kind) -> Deployment {
    let options = Options::new()
        .model("mock:delay:10000")
        .env("HELPER_MAX_CONCURRENCY", "1")
        .env("HELPER_QUEUE_MAX_WAIT_SECONDS", "2")
        .env("QUEUE_EXPECTED_CALL_SECONDS", "10")
        .env("QUEUE_PLACE_GRACE_SECONDS", "30");
    Deployment::start(kind, options).await
}

fn staff(suite: &Deployment) -> Student {
    let token = token::with_role(&suite.data_dir, "staff-1", Student::CLASS, "staff");
    Student::new("staff-1", &token, suite.channel())
}

/// The queue of completions, once this holds of it.
async fn queue_where(suite: &Deployment, wanted: impl Fn(&Queue) -> bool) -> Queue {
    let staff = staff(suite);
    let request = staff.request(WatchQueuesRequest {
        max_waiting: 0,
        interval: Some(Duration::from_millis(100).try_into().unwrap()),
        class_id: String::new(),
    });
    let mut client = LlmQueueServiceClient::new(suite.channel());
    let mut views = client.watch_queues(request).await.unwrap().into_inner();
    loop {
        let view = views.message().await.unwrap().expect("goes on");
        if let Some(queue) = view.queues.into_iter().find(|queue| wanted(queue)) {
            return queue;
        }
    }
}

/// The model answered, and nothing is left to wait for.
fn answered(answer: &TakeTurnResponse) {
    assert_eq!(answer.degraded_reasons().collect::<Vec<_>>(), []);
    assert_eq!(answer.model, "mock");
    assert_eq!(answer.retry_after, None);
    assert_eq!(answer.place_ticket, "");
}

fn taken(queue: &Queue) -> bool {
    queue.slots.iter().any(|slot| slot.call.is_some())
}

async fn who_waits_is_told_when_to_come_back_and_keeps_the_place(kind: Kind) {
    let suite = busy(kind).await;
    let (first, second) = (suite.student("student-1"), suite.student("student-2"));
    let thread = second.open(DEMO_COURSE).await;
    let running = tokio::spawn(async move {
        let thread = first.open(DEMO_COURSE).await;
        first.say(&thread, "What is a variable?").await
    });
    let queue = queue_where(&suite, taken).await;
    let call = queue.slots[0].call.as_ref().unwrap();
    assert_eq!(
        (call.class_id.as_str(), call.purpose()),
        (Student::CLASS, Purpose::Turn)
    );

    let refused = second.say(&thread, "How do I solve x + 7 = 12?").await;
    assert_eq!(
        refused.degraded_reasons().collect::<Vec<_>>(),
        [Why::QueueBusy]
    );
    assert_eq!(refused.model, "");
    let after = Duration::try_from(refused.retry_after.expect("when to come back")).unwrap();
    assert!(after <= Duration::from_secs(15), "{after:?}");
    assert!(!refused.place_ticket.is_empty());
    let queue = queue_where(&suite, |queue| queue.waiting.iter().any(|entry| entry.held)).await;
    assert_eq!(queue.waiting[0].class_id, Student::CLASS);
    assert_eq!(queue.classes[0].waiting, 1);

    answered(&running.await.unwrap());
    let again = TakeTurnRequest {
        place_ticket: refused.place_ticket,
        ..saying(&thread, "How do I solve x + 7 = 12?")
    };
    let answer = second.turn(again).await.unwrap();
    answered(&answer);
    suite.nothing_panicked();
}

async fn only_staff_see_the_queues(kind: Kind) {
    let suite = busy(kind).await;
    let student = suite.student("student-1");
    let mut client = LlmQueueServiceClient::new(suite.channel());
    let refused = client
        .get_queues(student.request(GetQueuesRequest::default()))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    let reason = Fault::from_status(&refused).reason();
    assert_eq!(reason, ErrorReason::PermissionDenied);

    let thread = student.open(DEMO_COURSE).await;
    answered(&student.say(&thread, "What is a variable?").await);
    let staff = staff(&suite);
    let too_many = staff.request(GetQueuesRequest { max_waiting: 1001 });
    let refused = client.get_queues(too_many).await.unwrap_err();
    let fault = Fault::from_status(&refused);
    assert_eq!(fault.fields().collect::<Vec<_>>(), ["max_waiting"]);

    let endpoint = suite.endpoint();
    let data_dir = suite.data_dir.root().display().to_string();
    let shown = clean_command(&binary("turnwise"), suite.home())
        .args(["queue", "--endpoint", &endpoint, "--data-dir", &data_dir])
        .output()
        .unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.contains("mock mock:delay:10000 · completions"),
        "{shown}"
    );
    assert!(shown.contains("0 of 1 taken · 0 in the queue"), "{shown}");
}
