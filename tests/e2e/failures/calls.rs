//! Calls with a deadline, whose answers must leave in time.

use std::time::Duration;

use tonic::{Request, Response, Status, transport::Channel};
use turnwise_course_pack::{Pack, load};
use turnwise_proto::tutor::v1::{
    ClientEventKind, DrillCard, ExamCard, GetSnapshotLiteRequest, GetThreadRequest,
    GradeDrillRequest, GradeDrillResponse, ListThreadsRequest, StudentInput,
    SubmitExamAnswerRequest, SubmitExamAnswerResponse, TakeTurnRequest, TakeTurnResponse, Thread,
    submit_exam_answer_request::Answer, tutor_card::Content,
    tutor_service_client::TutorServiceClient,
};
use turnwise_tests::{
    answer::tutor,
    deployment::Deployment,
    process::repository,
    student::{DEMO_COURSE, Student, fresh_key, new_thread, pressing},
};

use super::OPEN;

/// How long before its caller's deadline every answer leaves.
const PROMISED: Duration = Duration::from_millis(250);
/// How long setting a drill may take.
const SETTING: Duration = Duration::from_secs(5);
/// The answer to the exercise that the mock model sets.
const RIGHT: &str = "x = 5";

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

/// Has a drill set, and gives the request that answers it, rightly or not.
pub async fn drill(student: &Student, thread: &Thread, right: bool) -> GradeDrillRequest {
    // Whatever else fails: a drill is set, by a model or out of the course.
    let asked = pressing(thread, ClientEventKind::RequestDrill, OPEN);
    let answer = student.turn_within(asked, SETTING).await.unwrap();
    let text = if right { RIGHT } else { "777" };
    GradeDrillRequest {
        thread_id: thread.thread_id.clone(),
        course_id: thread.course_id.clone(),
        unit_id: OPEN.to_owned(),
        drill: Some(drill_card(&answer)),
        answer: Some(StudentInput {
            text: text.to_owned(),
            ..StudentInput::default()
        }),
        idempotency_key: fresh_key(),
    }
}

fn drill_card(answer: &TakeTurnResponse) -> DrillCard {
    match tutor(answer).card.clone().and_then(|card| card.content) {
        Some(Content::Drill(drill)) => drill,
        other => panic!("no drill, but {other:?}"),
    }
}

/// The exam question of an answer, if it offers one.
pub fn offered(answer: &TakeTurnResponse) -> Option<ExamCard> {
    match tutor(answer).card.clone().and_then(|card| card.content) {
        Some(Content::Exam(exam)) => Some(exam),
        _ => None,
    }
}

/// Has an exam question offered, and gives the request that answers it, rightly or not.
pub async fn exam(student: &Student, thread: &Thread, right: bool) -> SubmitExamAnswerRequest {
    let answer = student
        .press(thread, ClientEventKind::RequestExam, OPEN)
        .await;
    let exam = offered(&answer).unwrap_or_else(|| panic!("no exam question: {answer:?}"));
    let pack = demo();
    let mut questions = pack.questions.iter();
    let question = questions.find(|q| q.id == exam.question_id).unwrap();
    let given = match right {
        true => question.answer.clone(),
        false => {
            let mut options = question.options.iter();
            let wrong = options.find(|option| option.id != question.answer);
            wrong.map_or_else(|| "777".to_owned(), |option| option.id.clone())
        }
    };
    let given = if question.is_multiple_choice() {
        Answer::OptionId(given)
    } else {
        Answer::AnswerText(given)
    };
    SubmitExamAnswerRequest {
        thread_id: thread.thread_id.clone(),
        course_id: thread.course_id.clone(),
        unit_id: OPEN.to_owned(),
        question_id: exam.question_id,
        tier: exam.tier,
        answer: Some(given),
        is_correct: None,
        offer_token: exam.offer_token,
        idempotency_key: fresh_key(),
    }
}

/// The demo course.
pub fn demo() -> Pack {
    load(&repository().join("courses").join(DEMO_COURSE)).unwrap()
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
