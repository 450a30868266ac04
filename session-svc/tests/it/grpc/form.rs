//! What a request about one student must look like.

use super::*;
use turnwise_proto::session::v1::{
    ChangeContextRequestRequest, ClaimDueWorkRequest, CompleteDueWorkRequest, GetThreadRequest,
    GetTurnLogRequest, ListContextRequestsRequest, ListEventsRequest, ListThreadsRequest,
    MemoryTurn, ReadContextPayloadRequest, RenewDueWorkRequest, SupplyContextRequest, TurnLog,
    WatchEventsRequest,
};

/// Changes a request in one place at a time; each time the call must fail and name the field.
#[macro_export]
macro_rules! out_of_form {
    ($client:expr, $method:ident, $who:expr, $request:expr, $($field:literal: $change:expr),+ $(,)?) => {
        $({
            let mut request = $request;
            $crate::grpc::form::change(&mut request, $change);
            let called = $client.$method(request_as($who, request)).await;
            $crate::grpc::form::expect_field($field, called.map(drop).unwrap_err());
        })+
    };
}

pub fn change<T>(request: &mut T, change: fn(&mut T)) {
    change(request);
}

pub fn expect_field(field: &str, status: Status) {
    assert_eq!(status.code(), Code::InvalidArgument, "{field}: {status}");
    let fault = Fault::from_status(&status);
    let reason = match field {
        "page_token" => ErrorReason::InvalidPageToken,
        _ => ErrorReason::InvalidArgument,
    };
    assert_eq!(fault.reason(), reason, "{field}");
    assert_eq!(fault.fields().collect::<Vec<_>>(), [field]);
}

#[tokio::test]
async fn threads_and_turns_out_of_form_name_their_field() {
    let service = service().await;
    let ada = &caller("student", "ada");
    let mut session = service.session();
    out_of_form!(session, create_thread, ada, create("ada"),
        "student_id": |r| r.student_id.clear(),
        "course_id": |r| r.course_id = "a/b".to_owned(),
        "class_id": |r| r.class_id.clear(),
        "title": |r| r.title = "é".repeat(201),
        "idempotency_key": |r| r.idempotency_key = "a key".to_owned(),
        "body_hash": |r| r.body_hash = Bytes::from_static(b"short"),
        "kind": |r| r.kind = 99,
        "kind": |r| r.kind = -1,
    );
    let list = ListThreadsRequest {
        student_id: "ada".to_owned(),
        ..Default::default()
    };
    out_of_form!(session, list_threads, ada, list.clone(),
        "page_size": |r| r.page_size = 101,
        "page_size": |r| r.page_size = -1,
        "page_token": |r| r.page_token = "x".to_owned(),
        "page_token": |r| r.page_token = "x:t1".to_owned(),
        "kind": |r| r.kind = 9,
    );
    let get = GetThreadRequest {
        student_id: "ada".to_owned(),
        thread_id: "t".to_owned(),
        ..Default::default()
    };
    out_of_form!(session, get_thread, ada, get.clone(),
        "thread_id": |r| r.thread_id = "a b".to_owned(),
        "page_size": |r| r.page_size = 201,
        "page_token": |r| r.page_token = "x".to_owned(),
        "kind": |r| r.kind = 9,
    );
    out_of_form!(session, begin_turn, ada, begin("ada", "t"),
        "history_limit": |r| r.history_limit = -1,
        "history_limit": |r| r.history_limit = 51,
        "memory_scope": |r| r.memory_scope = Bytes::from_static(&[1; 31]),
        "memory_scope": |r| r.memory_scope = Bytes::from_static(&[1; 33]),
        "body_hash": |r| r.body_hash.clear(),
    );
    out_of_form!(session, commit_turn, ada, commit("ada", "t", 1),
        "thread_id": |r| r.thread_id.clear(),
        "messages": |r| r.messages.clear(),
        "messages": |r| r.messages = vec![r.messages[0].clone(); 101],
        "messages": |r| r.messages[0].thread_id = "other".to_owned(),
        "answer": |r| r.answer = vec![0; 1024 * 1024 + 1].into(),
        "carry": |r| r.carry = Bytes::from_static(b"\xff\xff"),
        "memory_turns": |r| r.memory_turns = vec![MemoryTurn::default(); 17],
        "events": |r| r.events = vec![event("note", ""); 33],
        "events.kind": |r| r.events = vec![event("Note", "")],
        "turn_log.turn_id": |r| r.turn_log = Some(TurnLog::default()),
        "turn_log.facts": |r| r.turn_log = Some(TurnLog {
            facts: vec![0; 262_145].into(), ..crate::bench::turn_log("t", "")
        }),
        "turn_log.text": |r| r.turn_log = Some(TurnLog {
            text: vec![0; 262_145].into(), ..crate::bench::turn_log("t", "")
        }),
    );
}

#[tokio::test]
async fn evidence_out_of_form_names_its_field() {
    let service = service().await;
    let ada = &caller("student", "ada");
    let mut session = service.session();
    out_of_form!(session, commit_evidence, ada, evidence("ada", vec![]),
        "evidence": |r| r.evidence = None,
        "expected_version": |r| r.expected_version = -1,
        "answer": |r| r.answer = vec![0; 65_537].into(),
        "drill_nonce": |r| r.drill_nonce = "a nonce".to_owned(),
        "drill_nonce": |r| r.drill_nonce = "n".repeat(129),
        "drill_verdict": |r| {
            r.drill_nonce = "n".to_owned();
            r.drill_verdict = vec![0; 16_385].into();
        },
        "question_records": |r| r.question_records = vec![question("Q", QuestionState::Passed, None); 101],
        "question_records": |r| r.question_records = vec![question("Q", QuestionState::Available, None)],
        "question_records": |r| r.question_records = vec![question("Q", QuestionState::Locked, None)],
        "question_records": |r| r.question_records = vec![question("Q", QuestionState::Passed, Some(1))],
        "question_records.question_id": |r| r.question_records = vec![question("", QuestionState::Passed, None)],
    );
    out_of_form!(session, begin_evidence, ada, begin_evidence("ada", "t"),
        "student_id": |r| r.student_id.clear(),
        "course_id": |r| r.course_id = "a/b".to_owned(),
        "thread_id": |r| r.thread_id = "a b".to_owned(),
        "idempotency_key": |r| r.idempotency_key.clear(),
        "body_hash": |r| r.body_hash.clear(),
        "drill_nonce": |r| r.drill_nonce = "a nonce".to_owned(),
        "drill_nonce": |r| r.drill_nonce = "n".repeat(129),
    );
}

#[tokio::test]
async fn events_out_of_form_name_their_field() {
    let service = service().await;
    let ada = &caller("student", "ada");
    let mut session = service.session();
    out_of_form!(session, append_events, ada, append("ada", "t"),
        "thread_id": |r| r.thread_id.clear(),
        "events": |r| r.events.clear(),
        "events": |r| r.events = vec![event("note", ""); 33],
        "events.kind": |r| r.events[0].kind.clear(),
        "events.kind": |r| r.events[0].kind = "1note".to_owned(),
        "events.kind": |r| r.events[0].kind = "a".repeat(65),
        "events.kind": |r| r.events[0].kind = "a note".to_owned(),
        "events.related_id": |r| r.events[0].related_id = "é".repeat(129),
        "events.in_reply_to": |r| r.events[0].in_reply_to = "é".repeat(129),
        "events.facts": |r| r.events[0].facts = (0..33).map(|n| (n.to_string(), String::new())).collect(),
        "events.facts": |r| r.events[0].facts = [("n".repeat(65), String::new())].into(),
        "events.facts": |r| r.events[0].facts = [("n".to_owned(), "v".repeat(1025))].into(),
        "events.text": |r| r.events[0].text = "é".repeat(8193),
        "idempotency_key": |r| r.idempotency_key.clear(),
        "body_hash": |r| r.body_hash.clear(),
    );
    let list = ListEventsRequest {
        student_id: "ada".to_owned(),
        thread_id: "t".to_owned(),
        ..Default::default()
    };
    out_of_form!(session, list_events, ada, list.clone(),
        "thread_id": |r| r.thread_id.clear(),
        "page_size": |r| r.page_size = 201,
        "after_id": |r| r.after_id = -1,
        "after_id": |r| (r.after_id, r.newest_first) = (1, true),
        "before_id": |r| r.before_id = -1,
        "before_id": |r| (r.after_id, r.before_id) = (1, 5),
    );
    let watch = WatchEventsRequest {
        student_id: "ada".to_owned(),
        thread_id: "t".to_owned(),
        after_id: 0,
    };
    out_of_form!(session, watch_events, ada, watch.clone(),
        "thread_id": |r| r.thread_id.clear(),
        "after_id": |r| r.after_id = -1,
    );
    let log = GetTurnLogRequest {
        student_id: "ada".to_owned(),
        turn_id: "t".to_owned(),
    };
    out_of_form!(session, get_turn_log, &caller("staff", "tess"), log.clone(),
        "turn_id": |r| r.turn_id.clear(),
        "student_id": |r| r.student_id = "a/b".to_owned(),
    );
}

#[tokio::test]
async fn deferred_work_out_of_form_names_its_field() {
    let service = service().await;
    let gateway = &caller("service", "gateway");
    let mut session = service.session();
    out_of_form!(session, defer_work, gateway, defer("ada", "t"),
        "work": |r| r.work = None,
        "work.work_id": |r| work(r).work_id.clear(),
        "work.work_id": |r| work(r).work_id = "a/b".to_owned(),
        "work.work_id": |r| work(r).work_id = "a".repeat(129),
        "work.kind": |r| work(r).kind = 0,
        "work.kind": |r| work(r).kind = 99,
        "work.thread_id": |r| work(r).thread_id.clear(),
        "work.subject_id": |r| work(r).subject_id.clear(),
        "work.due_time": |r| work(r).due_time = None,
        "work.due_time": |r| work(r).due_time = Some(prost_types::Timestamp { seconds: i64::MAX, nanos: 0 }),
        "work.claims": |r| work(r).claims = vec![0; 16_385].into(),
        "work.payload": |r| work(r).payload = vec![0; 65_537].into(),
        "student_id": |r| work(r).student_id.clear(),
    );
    out_of_form!(session, claim_due_work, gateway, ClaimDueWorkRequest { limit: 1 },
        "limit": |r| r.limit = 0,
        "limit": |r| r.limit = 101,
        "limit": |r| r.limit = -1,
    );
    let renew = RenewDueWorkRequest::default();
    out_of_form!(session, renew_due_work, gateway, renew.clone(), "work_id": |r| r.work_id = "a b".to_owned());
    let complete = CompleteDueWorkRequest::default();
    out_of_form!(session, complete_due_work, gateway, complete.clone(), "work_id": |r| r.work_id.clear());
}

fn work(request: &mut DeferWorkRequest) -> &mut DueWork {
    request.work.as_mut().unwrap()
}

#[tokio::test]
async fn context_requests_out_of_form_name_their_field() {
    let service = service().await;
    let ada = &caller("student", "ada");
    let mut session = service.session();
    let supply = SupplyContextRequest {
        student_id: "ada".to_owned(),
        thread_id: "t".to_owned(),
        request_id: "r".to_owned(),
        ..Default::default()
    };
    out_of_form!(session, supply_context, ada, supply.clone(),
        "student_id": |r| r.student_id.clear(),
        "thread_id": |r| r.thread_id.clear(),
        "request_id": |r| r.request_id = "a/b".to_owned(),
    );
    let change = ChangeContextRequestRequest {
        student_id: "ada".to_owned(),
        thread_id: "t".to_owned(),
        request_id: "r".to_owned(),
        change: 1,
    };
    out_of_form!(session, change_context_request, ada, change.clone(),
        "request_id": |r| r.request_id.clear(),
        "change": |r| r.change = 0,
        "change": |r| r.change = 99,
    );
    let list = ListContextRequestsRequest {
        student_id: "ada".to_owned(),
        thread_id: "t".to_owned(),
        ..Default::default()
    };
    out_of_form!(session, list_context_requests, ada, list.clone(),
        "thread_id": |r| r.thread_id.clear(),
        "page_size": |r| r.page_size = 51,
    );
    let read = ReadContextPayloadRequest {
        student_id: "ada".to_owned(),
        thread_id: "t".to_owned(),
        request_id: "r".to_owned(),
        slot: 0,
    };
    out_of_form!(session, read_context_payload, ada, read.clone(),
        "student_id": |r| r.student_id.clear(),
        "thread_id": |r| r.thread_id.clear(),
        "request_id": |r| r.request_id = "a/b".to_owned(),
    );
}
