//! What a request must look like.

use super::*;

#[tokio::test]
async fn a_request_out_of_form_names_its_field() {
    let service = service().await;
    let ada = caller("student", "ada");
    let mut session = service.session();
    let mut faults = Vec::new();
    let mut add = |field: &'static str, status: Status| faults.push((field, status));

    for (field, change) in [
        (
            "course_id",
            (|r| r.course_id = "a/b".to_owned()) as fn(&mut CreateThreadRequest),
        ),
        ("class_id", |r| r.class_id.clear()),
        ("title", |r| r.title = "é".repeat(201)),
        ("idempotency_key", |r| {
            r.idempotency_key = "a key".to_owned()
        }),
        ("body_hash", |r| r.body_hash = Bytes::from_static(b"short")),
    ] {
        let mut request = create("ada");
        change(&mut request);
        add(
            field,
            session
                .create_thread(request_as(&ada, request))
                .await
                .unwrap_err(),
        );
    }
    for (field, size, token) in [
        ("page_size", 101, ""),
        ("page_size", -1, ""),
        ("page_token", 1, "x"),
    ] {
        let request = ListThreadsRequest {
            student_id: "ada".to_owned(),
            page_size: size,
            page_token: token.to_owned(),
        };
        add(
            field,
            session
                .list_threads(request_as(&ada, request))
                .await
                .unwrap_err(),
        );
    }
    for (field, size, token) in [("page_size", 201, ""), ("page_token", 1, "x")] {
        let request = GetThreadRequest {
            student_id: "ada".to_owned(),
            thread_id: "t".to_owned(),
            page_size: size,
            page_token: token.to_owned(),
        };
        add(
            field,
            session
                .get_thread(request_as(&ada, request))
                .await
                .unwrap_err(),
        );
    }
    for limit in [-1, 51] {
        let mut request = begin("ada", "t");
        request.history_limit = limit;
        add(
            "history_limit",
            session
                .begin_turn(request_as(&ada, request))
                .await
                .unwrap_err(),
        );
    }
    for (field, change) in [
        (
            "thread_id",
            (|r| r.thread_id.clear()) as fn(&mut CommitTurnRequest),
        ),
        ("messages", |r| r.messages.clear()),
        ("messages", |r| r.messages[0].thread_id = "other".to_owned()),
        ("answer", |r| r.answer = vec![0; 1024 * 1024 + 1].into()),
    ] {
        let mut request = commit("ada", "t", 1);
        change(&mut request);
        add(
            field,
            session
                .commit_turn(request_as(&ada, request))
                .await
                .unwrap_err(),
        );
    }
    for (field, change) in [
        (
            "evidence",
            (|r| r.evidence = None) as fn(&mut CommitEvidenceRequest),
        ),
        ("expected_version", |r| r.expected_version = -1),
        ("question_records", |r| {
            r.question_records = vec![question("Q", QuestionState::Available, None)]
        }),
        ("question_records", |r| {
            r.question_records = vec![question("Q", QuestionState::Locked, None)]
        }),
        ("question_records", |r| {
            r.question_records = vec![question("Q", QuestionState::Passed, Some(1))]
        }),
        ("question_records.question_id", |r| {
            r.question_records = vec![question("", QuestionState::Passed, None)]
        }),
    ] {
        let mut request = evidence("ada", vec![]);
        change(&mut request);
        add(
            field,
            session
                .commit_evidence(request_as(&ada, request))
                .await
                .unwrap_err(),
        );
    }
    let mut exam = ExamServiceClient::new(service.routes.clone());
    for ids in [vec!["Q".to_owned(); 101], vec!["Q 1".to_owned()]] {
        let request = request_as(&ada, statuses("ada", ids));
        add(
            "question_ids",
            exam.batch_get_question_status(request).await.unwrap_err(),
        );
    }

    for (field, status) in faults {
        let fault = Fault::from_status(&status);
        assert_eq!(status.code(), Code::InvalidArgument, "{field}: {status}");
        assert_eq!(fault.fields().collect::<Vec<_>>(), [field]);
    }
}
