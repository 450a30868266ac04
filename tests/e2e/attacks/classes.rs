//! A student who has left a class: its threads can be read, and nothing is added to them.

use tonic::{Code, Status};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    exam::v1::SupportKind,
    tutor::v1::{
        ClientEventKind, ExamCard, GradeDrillRequest, MasteryTier, RecordSupportViewRequest,
        StudentInput, SubmitExamAnswerRequest, TutorCard, submit_exam_answer_request::Answer,
        tutor_card::Content,
    },
};
use turnwise_tests::{
    answer::tutor,
    deployment::Deployment,
    evidence::{Seed, drilled},
    options::{Kind, Options},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student, fresh_key, new_thread, pressing, saying},
    token,
};

in_both_deployments!(who_left_a_class_reads_its_threads);

fn refused<T: std::fmt::Debug>(came: Result<T, Status>, field: &str) {
    let fault = check_refusal(
        &came.unwrap_err(),
        Code::PermissionDenied,
        Why::PermissionDenied,
        field,
    );
    assert!(fault.metadata("need").is_some());
}

async fn who_left_a_class_reads_its_threads(kind: Kind) {
    let options = Options::new().evidence(Seed::units("nia", DEMO_COURSE, vec![drilled("ALG-01")]));
    let mut suite = Deployment::start(kind, options).await;
    let nia = suite.student("nia");
    let thread = nia.open(DEMO_COURSE).await;
    let turn = saying(&thread, "what is -3 + 8?");
    let answer = nia.turn(turn.clone()).await.unwrap();
    let drill = nia.press(&thread, ClientEventKind::RequestDrill, "ALG-01");
    let drill = tutor(&drill.await).card.clone().unwrap();
    let exam = nia.press(&thread, ClientEventKind::RequestExam, "ALG-01");
    let exam = offered(tutor(&exam.await).card.clone().unwrap());
    let read = nia.messages(&thread.thread_id, 50).await;
    let standing = nia.standing(DEMO_COURSE).await.unwrap();

    let token = token::student(&suite.data_dir, "nia", "8a");
    let nia = Student::new("nia", &token, suite.channel());
    // All is there to read, and what was answered before is answered again.
    assert_eq!(nia.messages(&thread.thread_id, 50).await, read);
    assert_eq!(nia.threads(10).await.len(), 1);
    assert_eq!(nia.standing(DEMO_COURSE).await.unwrap(), standing);
    assert_eq!(nia.turn(turn).await.unwrap(), answer);

    refused(nia.create_thread(new_thread(DEMO_COURSE)).await, "class_id");
    // Twice, since a refused turn must not leave the thread held.
    for _ in 0..2 {
        refused(nia.turn(saying(&thread, "and 2 + 2?")).await, "thread_id");
    }
    let button = pressing(&thread, ClientEventKind::RequestDrill, "ALG-01");
    refused(nia.turn(button).await, "thread_id");
    let news = nia.stream_turn(saying(&thread, "and 2 + 2?")).await;
    refused(news.unwrap().message().await, "thread_id");
    let Some(Content::Drill(card)) = drill.content else {
        panic!("no drill")
    };
    let grade = GradeDrillRequest {
        thread_id: thread.thread_id.clone(),
        course_id: DEMO_COURSE.to_owned(),
        unit_id: drill.unit_id,
        drill: Some(card),
        answer: Some(StudentInput {
            text: "x = 5".to_owned(),
            ..StudentInput::default()
        }),
        idempotency_key: fresh_key(),
    };
    refused(nia.grade_drill(grade).await, "thread_id");
    let submission = SubmitExamAnswerRequest {
        thread_id: thread.thread_id.clone(),
        course_id: DEMO_COURSE.to_owned(),
        unit_id: "ALG-01".to_owned(),
        question_id: exam.question_id.clone(),
        tier: MasteryTier::Bronze.into(),
        answer: Some(Answer::OptionId("a".to_owned())),
        offer_token: exam.offer_token.clone(),
        idempotency_key: fresh_key(),
        ..SubmitExamAnswerRequest::default()
    };
    refused(nia.submit_exam(submission).await, "thread_id");
    let view = RecordSupportViewRequest {
        thread_id: thread.thread_id.clone(),
        course_id: DEMO_COURSE.to_owned(),
        unit_id: "ALG-01".to_owned(),
        question_id: exam.question_id,
        kind: SupportKind::Memo.into(),
        offer_token: exam.offer_token,
        idempotency_key: fresh_key(),
    };
    refused(nia.view_support(view).await, "thread_id");

    // Nothing of that left a trace, and whoever is back goes on.
    assert_eq!(nia.messages(&thread.thread_id, 50).await, read);
    assert_eq!(nia.standing(DEMO_COURSE).await.unwrap(), standing);
    let nia = suite.student("nia");
    nia.say(&thread, "and 2 + 2?").await;
    suite.stop();
}

fn offered(card: TutorCard) -> ExamCard {
    match card.content {
        Some(Content::Exam(exam)) => exam,
        other => panic!("no exam question, but {other:?}"),
    }
}
