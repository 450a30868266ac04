//! Deadlines that are too short for a call: a suite that is well answers in time, or says that the time is short, and
//! nothing is stored that was not answered.

use std::time::Duration;

use tonic::{Code, Request, Status};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    tutor::v1::{
        DegradedReason, DrillCard, GetSnapshotLiteRequest, GradeDrillRequest, ListThreadsRequest,
        StreamTurnRequest, StudentInput, TakeTurnResponse, Thread, stream_turn_response::News,
    },
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    student::{DEMO_COURSE, Student, fresh_key, saying},
};

in_both_deployments!(a_short_deadline_is_told_as_what_it_is);

/// What a turn and a read need at least, with the usual settings.
const TURN_NEEDS: Duration = Duration::from_millis(900);
const READ_NEEDS: Duration = Duration::from_millis(400);

async fn a_short_deadline_is_told_as_what_it_is(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    // Connections are made, and the class's roster is read.
    ada.say(&thread, "hello").await;
    let mut taken = 1;
    for millis in [100, 200, 300, 340, 410, 600, 840, 910, 1000, 1300, 5000] {
        let within = Duration::from_millis(millis);
        for turn in [
            told(turn(&ada, &thread, within).await, within, TURN_NEEDS),
            told(watched(&ada, &thread, within).await, within, TURN_NEEDS),
        ] {
            let Some(answer) = turn else { continue };
            taken += 1;
            let blamed = [
                DegradedReason::PolicyUnavailable,
                DegradedReason::RetrievalUnavailable,
                DegradedReason::LlmTransport,
            ];
            let reasons: Vec<_> = answer.degraded_reasons().collect();
            assert!(
                !reasons.iter().any(|reason| blamed.contains(reason)),
                "{within:?}: {reasons:?}"
            );
        }
        let request = timed(&ada, grade(&thread), within);
        told(ada.client().grade_drill(request).await, within, READ_NEEDS);
        let request = timed(&ada, ListThreadsRequest::default(), within);
        told(ada.client().list_threads(request).await, within, READ_NEEDS);
        let standing = GetSnapshotLiteRequest {
            course_id: DEMO_COURSE.to_owned(),
        };
        let request = timed(&ada, standing, within);
        let read = ada.client().get_snapshot_lite(request).await;
        told(read, within, READ_NEEDS);

        let messages = ada.thread(&thread.thread_id).await.unwrap().message_count;
        assert_eq!(messages, 2 * taken, "{within:?}");
    }
    assert!(taken > 1, "with time enough, turns are taken");
}

/// What was answered. A call that was not was refused for its time alone, at once if that is below what it needs.
fn told<T>(came: Result<T, Status>, within: Duration, needs: Duration) -> Option<T> {
    let status = match came {
        Ok(answer) => {
            assert!(within >= needs, "{within:?} is below {needs:?}");
            return Some(answer);
        }
        Err(status) => status,
    };
    if status.details().is_empty() {
        // The client's own timer, on a machine with other things to do. The gateway always gives a reason.
        assert_ne!(status.code(), Code::Unavailable, "{within:?}: {status}");
        return None;
    }
    let fault = Fault::from_status(&status);
    assert_eq!(
        status.code(),
        Code::DeadlineExceeded,
        "{within:?}: {status}"
    );
    assert_eq!(fault.reason(), Why::DeadlineExceeded);
    if within < needs {
        let least = needs.as_millis().to_string();
        assert_eq!(fault.metadata("least_ms"), Some(&*least), "{within:?}");
        assert!(status.message().contains(&least), "{}", status.message());
    }
    None
}

fn timed<T>(student: &Student, message: T, within: Duration) -> Request<T> {
    let mut request = student.request(message);
    request.set_timeout(within);
    request
}

async fn turn(
    student: &Student,
    thread: &Thread,
    within: Duration,
) -> Result<TakeTurnResponse, Status> {
    let turn = saying(thread, "how do I add negative numbers?");
    student.turn_within(turn, within).await
}

async fn watched(
    student: &Student,
    thread: &Thread,
    within: Duration,
) -> Result<TakeTurnResponse, Status> {
    let turn = saying(thread, "and how do I subtract them?");
    let request = timed(student, StreamTurnRequest { turn: Some(turn) }, within);
    let mut news = student.client().stream_turn(request).await?.into_inner();
    while let Some(piece) = news.message().await? {
        if let Some(News::Answer(answer)) = piece.news {
            return Ok(answer);
        }
    }
    panic!("the stream ended without an answer")
}

fn grade(thread: &Thread) -> GradeDrillRequest {
    GradeDrillRequest {
        thread_id: thread.thread_id.clone(),
        course_id: DEMO_COURSE.to_owned(),
        unit_id: "ALG-01".to_owned(),
        drill: Some(DrillCard {
            prompt: "Solve".to_owned(),
            question_latex: "x + 7 = 12".to_owned(),
            ..DrillCard::default()
        }),
        answer: Some(StudentInput {
            text: "x = 5".to_owned(),
            ..StudentInput::default()
        }),
        idempotency_key: fresh_key(),
    }
}
