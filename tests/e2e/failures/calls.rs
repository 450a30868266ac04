//! Calls with a deadline, whose answers must leave in time.

use std::time::Duration;

use tonic::{Request, Response, Status, transport::Channel};
use turnwise_proto::tutor::v1::{
    GetSnapshotLiteRequest, GetThreadRequest, GradeDrillRequest, GradeDrillResponse,
    ListThreadsRequest, SubmitExamAnswerRequest, SubmitExamAnswerResponse, TakeTurnRequest,
    TakeTurnResponse, Thread, tutor_service_client::TutorServiceClient,
};
pub use turnwise_tests::kept_lesson::{demo, drill, exam, offered};
use turnwise_tests::{
    deployment::Deployment,
    student::{Student, fresh_key, new_thread},
};

/// How long before its caller's deadline every answer leaves.
const PROMISED: Duration = Duration::from_millis(250);

/// Takes a turn.
pub async fn turn(
    suite: &Deployment,
    student: &Student,
    turn: &TakeTurnRequest,
    within: Duration,
) -> Result<TakeTurnResponse, Status> {
    timed(
        suite,
        student,
        turn.clone(),
        within,
        async |mut client, request| client.take_turn(request).await,
    )
    .await
}

/// Has a drill graded.
pub async fn grade(
    suite: &Deployment,
    student: &Student,
    grading: &GradeDrillRequest,
    within: Duration,
) -> Result<GradeDrillResponse, Status> {
    timed(
        suite,
        student,
        grading.clone(),
        within,
        async |mut client, request| client.grade_drill(request).await,
    )
    .await
}

/// Answers an exam question.
pub async fn submit(
    suite: &Deployment,
    student: &Student,
    submission: &SubmitExamAnswerRequest,
    within: Duration,
) -> Result<SubmitExamAnswerResponse, Status> {
    timed(
        suite,
        student,
        submission.clone(),
        within,
        async |mut client, request| client.submit_exam_answer(request).await,
    )
    .await
}

/// Makes a call, and insists that its answer left in time.
async fn timed<M, R>(
    suite: &Deployment,
    student: &Student,
    message: M,
    within: Duration,
    call: impl AsyncFnOnce(TutorServiceClient<Channel>, Request<M>) -> Result<Response<R>, Status>,
) -> Result<R, Status> {
    let id = fresh_key();
    let mut request = student.request(message);
    request.set_timeout(within);
    request
        .metadata_mut()
        .insert("x-request-id", id.parse().unwrap());
    let came = call(student.client(), request).await;
    // By the clock of the gateway: how long the answer then is on its way is this machine's affair.
    let after = suite.answered_after(&id);
    println!("  {after:?} of {within:?}");
    assert!(
        after + PROMISED <= within,
        "the answer left {after:?} after the call, which had {within:?}"
    );
    came.map(Response::into_inner)
}

/// Reads all that a student can read, and opens a thread.
pub async fn reads(
    suite: &Deployment,
    student: &Student,
    thread: &Thread,
    within: Duration,
) -> [Result<(), Status>; 4] {
    let one = GetThreadRequest {
        thread_id: thread.thread_id.clone(),
        ..GetThreadRequest::default()
    };
    let standing = GetSnapshotLiteRequest {
        course_id: thread.course_id.clone(),
    };
    let list = ListThreadsRequest::default();
    let new = new_thread(&thread.course_id);
    [
        timed(suite, student, one, within, async |mut client, request| {
            client.get_thread(request).await
        })
        .await
        .map(drop),
        timed(
            suite,
            student,
            standing,
            within,
            async |mut client, request| client.get_snapshot_lite(request).await,
        )
        .await
        .map(drop),
        timed(suite, student, list, within, async |mut client, request| {
            client.list_threads(request).await
        })
        .await
        .map(drop),
        timed(suite, student, new, within, async |mut client, request| {
            client.create_thread(request).await
        })
        .await
        .map(drop),
    ]
}
