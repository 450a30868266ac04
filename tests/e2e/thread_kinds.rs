//! What belongs to a conversation of another kind is none of the tutor's: no thread, no answer, no record of a turn.

use prost::Message;
use tonic::{Code, Status};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    exam::v1::SupportKind,
    explain::v1::TurnFacts,
    session::v1::{
        BeginTurnRequest, CommitTurnRequest, CreateThreadRequest, ThreadKind, TurnLog,
        begin_turn_response::Outcome, session_service_client::SessionServiceClient,
    },
    tutor::v1::{
        DrillCard, GradeDrillRequest, MasteryTier, RecordSupportViewRequest, StreamTurnResponse,
        StudentInput, SubmitExamAnswerRequest, TakeTurnRequest, TakeTurnResponse, Thread,
        TutorMessage, submit_exam_answer_request::Answer,
    },
};
use turnwise_tests::{
    deployment::Deployment,
    evidence::as_service,
    options::{Options, Service},
    refusal::check_refusal,
    staff::Staff,
    student::{DEMO_COURSE, Student, fresh_key, saying},
};

/// The turn of a helper.
const TURN: &str = "00000000-0000-4000-8000-00000000002a";
/// The key of a turn of the helper, which a client may use again with the tutor.
const KEY: &str = "the-same-key";

/// A conversation of the homework helper with one turn, whose answer and record read like the tutor's.
async fn helped(suite: &Deployment, student: &str) -> Thread {
    let mut session = SessionServiceClient::new(suite.internal(Service::Session));
    let create = CreateThreadRequest {
        student_id: student.to_owned(),
        course_id: DEMO_COURSE.to_owned(),
        class_id: Student::CLASS.to_owned(),
        idempotency_key: fresh_key(),
        body_hash: vec![1; 32].into(),
        kind: ThreadKind::Helper.into(),
        ..CreateThreadRequest::default()
    };
    let made = session.create_thread(as_service(create)).await.unwrap();
    let thread = made.into_inner().thread.unwrap();
    let begin = BeginTurnRequest {
        student_id: student.to_owned(),
        course_id: DEMO_COURSE.to_owned(),
        thread_id: thread.thread_id.clone(),
        idempotency_key: KEY.to_owned(),
        body_hash: vec![2; 32].into(),
        kind: ThreadKind::Helper.into(),
        ..BeginTurnRequest::default()
    };
    let begun = session.begin_turn(as_service(begin)).await.unwrap();
    let Some(Outcome::Start(start)) = begun.into_inner().outcome else {
        panic!("a fresh key was answered");
    };
    let facts = TurnFacts {
        format: 1,
        turn_id: TURN.to_owned(),
        class_id: Student::CLASS.to_owned(),
        ..TurnFacts::default()
    };
    let commit = CommitTurnRequest {
        student_id: student.to_owned(),
        course_id: DEMO_COURSE.to_owned(),
        thread_id: thread.thread_id.clone(),
        fencing_token: start.fencing_token,
        idempotency_key: KEY.to_owned(),
        body_hash: vec![2; 32].into(),
        messages: vec![TutorMessage {
            id: 1,
            thread_id: thread.thread_id.clone(),
            text: "of the helper".to_owned(),
            ..TutorMessage::default()
        }],
        answer: TakeTurnResponse::default().encode_to_vec().into(),
        carry: start.carry,
        turn_log: Some(TurnLog {
            turn_id: TURN.to_owned(),
            facts: facts.encode_to_vec().into(),
            ..TurnLog::default()
        }),
        ..CommitTurnRequest::default()
    };
    session.commit_turn(as_service(commit)).await.unwrap();
    thread
}

/// The first piece of a turn's stream.
async fn streamed(
    student: &Student,
    turn: TakeTurnRequest,
) -> Result<Option<StreamTurnResponse>, Status> {
    student.stream_turn(turn).await?.message().await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tutor_knows_its_own_threads_alone() {
    let mut suite = Deployment::five_processes(Options::new()).await;
    let ada = suite.student("ada");
    let first = ada.open(DEMO_COURSE).await;
    let of_helper = helped(&suite, &ada.id).await;
    let second = ada.open(DEMO_COURSE).await;
    // One a page: what is not listed takes no page, either.
    let listed = ada.threads(1).await;
    let ids: Vec<_> = listed.iter().map(|thread| &thread.thread_id).collect();
    assert_eq!(ids, [&second.thread_id, &first.thread_id]);

    let none = |refused: &Status| {
        check_refusal(refused, Code::NotFound, Why::UnknownThread, "thread_id");
    };
    none(&ada.thread(&of_helper.thread_id).await.unwrap_err());
    let mut turn = saying(&of_helper, "how do I add negative numbers?");
    none(&ada.turn(turn.clone()).await.unwrap_err());
    none(&streamed(&ada, turn.clone()).await.unwrap_err());
    let drill = GradeDrillRequest {
        thread_id: of_helper.thread_id.clone(),
        course_id: DEMO_COURSE.to_owned(),
        unit_id: "ALG-01".to_owned(),
        drill: Some(DrillCard {
            prompt: "Add.".to_owned(),
            question_latex: "1 + 1".to_owned(),
            ..DrillCard::default()
        }),
        answer: Some(StudentInput {
            text: "2".to_owned(),
            ..StudentInput::default()
        }),
        idempotency_key: fresh_key(),
    };
    none(&ada.grade_drill(drill).await.unwrap_err());
    // The thread is looked at before the token that proves an offer.
    let exam = SubmitExamAnswerRequest {
        thread_id: of_helper.thread_id.clone(),
        course_id: DEMO_COURSE.to_owned(),
        unit_id: "ALG-01".to_owned(),
        question_id: "ALG-01-B1".to_owned(),
        tier: MasteryTier::Bronze.into(),
        answer: Some(Answer::AnswerText("2".to_owned())),
        idempotency_key: fresh_key(),
        ..SubmitExamAnswerRequest::default()
    };
    none(&ada.submit_exam(exam).await.unwrap_err());
    let look = RecordSupportViewRequest {
        thread_id: of_helper.thread_id.clone(),
        course_id: DEMO_COURSE.to_owned(),
        unit_id: "ALG-01".to_owned(),
        question_id: "ALG-01-B1".to_owned(),
        kind: SupportKind::Memo.into(),
        idempotency_key: fresh_key(),
        ..RecordSupportViewRequest::default()
    };
    none(&ada.view_support(look).await.unwrap_err());
    // Nor is the helper's answer under this key the tutor's: in its thread there is none, and elsewhere the key is new.
    turn.idempotency_key = KEY.to_owned();
    none(&ada.turn(turn.clone()).await.unwrap_err());
    turn.thread_id = first.thread_id;
    let answer = ada.turn(turn).await.unwrap();
    assert_eq!(answer.messages.len(), 2);

    let staff = Staff::of(&suite);
    // Staff see it by its record; the policy's reasons are the tutor's.
    let explained = staff.explain_turn(&ada.id, TURN).await.unwrap();
    assert_eq!(explained.record.unwrap().kind(), ThreadKind::Helper);
    assert_eq!(explained.explanation, None);
    let record = staff.record(&ada.id, &answer.turn_id).await;
    assert_eq!(record.kind(), ThreadKind::Tutor);
    suite.stop();
}
