//! A reset of the class in the middle of its conversations.

use std::{collections::BTreeSet, time::Duration};

use futures_util::future::join_all;
use tonic::Code;
use turnwise_kit::Fault;
use turnwise_proto::{
    classes::v1::ResetState, common::v1::ErrorReason as Why,
    school::v1::ResetClassConversationsRequest,
};
use turnwise_testing::model_server::{ServiceTime, Settings};
use turnwise_tests::{
    chat::{LESSON, asking, going_on, lesson, page},
    options::{Kind, Options},
    refusal::check_refusal,
    student::{Student, fresh_key},
    teacher::Teacher,
};

use super::Helped;

in_both_deployments!(nothing_is_left_of_fifty_running_chats);

/// Stands in every message, and in every answer of the model.
const PLANTED: &str = "equation zebrafinch";

async fn nothing_is_left_of_fifty_running_chats(kind: Kind) {
    let options = Options::new().env("HELPER_MAX_CONCURRENCY", "64");
    let helped = Helped::start(kind, options).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    helped
        .says(&format!("Look at your {PLANTED}. What is first?"))
        .await;
    let students: Vec<_> = (0..50)
        .map(|n| helped.suite.student(&format!("student-{n}")))
        .collect();
    let mut begun = Vec::new();
    for student in &students {
        let first = asking(&page, &format!("How do I solve an {PLANTED}?"));
        begun.push(student.chat(first).await.unwrap());
    }
    let slow = Settings {
        service_time: ServiceTime::constant(Duration::from_secs(4)),
        text: format!("Your {PLANTED} again. What is next?"),
        ..Settings::default()
    };
    helped.model.set(&slow).await;
    let before = helped.asked().await;
    let running = students.iter().zip(&begun).map(|(student, answer)| {
        let next = going_on(&page, answer, &format!("And then what of the {PLANTED}?"));
        student.chat(next)
    });
    let reset = async {
        while helped.asked().await < before + 50 {
            tokio::task::yield_now().await;
        }
        let teacher = Teacher::of(&helped.suite);
        let key = fresh_key();
        loop {
            let request = teacher.request(ResetClassConversationsRequest {
                class_id: Student::CLASS.to_owned(),
                idempotency_key: key.clone(),
                ..ResetClassConversationsRequest::default()
            });
            let told = teacher
                .classes()
                .reset_class_conversations(request)
                .await
                .unwrap()
                .into_inner();
            if told.state() == ResetState::Done {
                return told;
            }
        }
    };
    let (ended, told) = tokio::join!(join_all(running), reset);
    assert_eq!(told.conversations, 50);
    let reasons: BTreeSet<_> = ended
        .into_iter()
        .map(|ended| match ended {
            // It was stored before the reset came to it, which then removed it.
            Ok(_) => "answered",
            Err(refused) => Fault::from_status(&refused).reason().wire_name(),
        })
        .collect();
    println!("{reasons:?}");
    assert!(reasons.contains("TURN_ERASED"), "{reasons:?}");
    for reason in reasons {
        assert!(
            ["answered", "TURN_ERASED", "UNKNOWN_THREAD"].contains(&reason),
            "{reason}"
        );
    }
    // Nothing is readable: not by the next message, and not in the store.
    for (student, answer) in students.iter().zip(&begun).take(3) {
        let next = going_on(&page, answer, "And now, what of the equation?");
        let refused = student.chat(next).await.unwrap_err();
        check_refusal(
            &refused,
            Code::NotFound,
            Why::UnknownThread,
            "conversation_id",
        );
    }
    helped.suite.nothing_panicked();
}
