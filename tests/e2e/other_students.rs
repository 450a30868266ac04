//! What a student can learn of somebody else's thread: nothing, not even that it is there.

use tonic::{Code, Status};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    tutor::v1::{ClientEventKind, GetThreadRequest, TakeTurnRequest},
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    student::{DEMO_COURSE, fresh_key, pressing, saying},
    visible_state::visible_state,
};
use uuid::Uuid;

in_both_deployments!(somebody_elses_thread_is_answered_like_none);

async fn somebody_elses_thread_is_answered_like_none(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let eve = suite.student("eve");
    let thread = ada.open(DEMO_COURSE).await;
    ada.say(&thread, "how do I add negative numbers?").await;
    let before = visible_state(&ada).await;

    let theirs = thread.thread_id.clone();
    let nobodys = Uuid::new_v4().to_string();
    // The same answer, byte for byte, but for the id that was asked for.
    let same = |theirs_answer: &Status, nobodys_answer: &Status| {
        let swapped = |bytes: &[u8]| replace(bytes, nobodys.as_bytes(), theirs.as_bytes());
        assert_eq!(theirs_answer.code(), nobodys_answer.code());
        assert_eq!(
            theirs_answer.message().as_bytes(),
            swapped(nobodys_answer.message().as_bytes())
        );
        assert_eq!(theirs_answer.details(), swapped(nobodys_answer.details()));
        let keys = |status: &Status| {
            let mut keys: Vec<_> = status
                .metadata()
                .as_ref()
                .keys()
                .map(ToString::to_string)
                .collect();
            keys.sort();
            keys
        };
        assert_eq!(keys(theirs_answer), keys(nobodys_answer));
        check_refusal(
            theirs_answer,
            Code::NotFound,
            Why::UnknownThread,
            "thread_id",
        );
    };

    let read = async |thread_id: &str| {
        let request = eve.request(GetThreadRequest {
            thread_id: thread_id.to_owned(),
            page_size: 0,
            page_token: String::new(),
        });
        eve.client().get_thread(request).await.unwrap_err()
    };
    same(&read(&theirs).await, &read(&nobodys).await);
    // Whatever course is named, and with a key that its owner has used: nothing tells the two apart.
    for course in [DEMO_COURSE, "algebra-9"] {
        for turn in [
            saying(&thread, "let me in"),
            pressing(&thread, ClientEventKind::RequestDrill, "ALG-01"),
            pressing(&thread, ClientEventKind::RequestDrill, "ALG-99"),
        ] {
            let take = async |thread_id: &str| {
                let turn = TakeTurnRequest {
                    thread_id: thread_id.to_owned(),
                    course_id: course.to_owned(),
                    idempotency_key: fresh_key(),
                    ..turn.clone()
                };
                eve.turn(turn).await.unwrap_err()
            };
            same(&take(&theirs).await, &take(&nobodys).await);
        }
    }
    assert_eq!(visible_state(&ada).await, before);
    assert!(eve.threads(100).await.is_empty());
    suite.stop();
}

/// `bytes` with every `from` as `to`, which has the same length.
fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at + from.len() <= out.len() {
        if &out[at..at + from.len()] == from {
            out[at..at + from.len()].copy_from_slice(to);
        }
        at += 1;
    }
    out
}
