//! Everything that a client can get wrong with threads, reads and bytes: a status, a reason, a field; nothing is written,
//! nothing panics.

use bytes::Bytes;
use prost::Message;
use tonic::{Code, Status};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    tutor::v1::{
        CreateThreadRequest, GetSnapshotLiteRequest, GetThreadRequest, ListThreadsRequest,
    },
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    raw,
    refusal::check_refusal,
    student::{DEMO_COURSE, new_thread, saying},
    visible_state::visible_state,
};
use uuid::Uuid;

const SERVICE: &str = "/turnwise.tutor.v1.TutorService";

const INVALID: (Code, Why) = (Code::InvalidArgument, Why::InvalidArgument);
const NO_PAGE: (Code, Why) = (Code::InvalidArgument, Why::InvalidPageToken);
const NO_THREAD: (Code, Why) = (Code::NotFound, Why::UnknownThread);
const NO_COURSE: (Code, Why) = (Code::NotFound, Why::UnknownCourse);
const NOT_YOURS: (Code, Why) = (Code::PermissionDenied, Why::PermissionDenied);

in_both_deployments!(
    bad_reads_and_threads_are_refused,
    bytes_that_are_no_message_are_refused,
);

async fn bad_reads_and_threads_are_refused(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let before = visible_state(&ada).await;

    let title = |title: &str| CreateThreadRequest {
        title: title.to_owned(),
        ..new_thread(DEMO_COURSE)
    };
    let class = |class: &str| CreateThreadRequest {
        class_id: class.to_owned(),
        ..new_thread(DEMO_COURSE)
    };
    let keyed = |key: &str| CreateThreadRequest {
        idempotency_key: key.to_owned(),
        ..new_thread(DEMO_COURSE)
    };
    let long = "x".repeat(201);
    let rows = [
        ("no course", new_thread(""), INVALID, "course_id"),
        ("bad course", new_thread("a course"), INVALID, "course_id"),
        (
            "unknown course",
            new_thread("algebra-9"),
            NO_COURSE,
            "course_id",
        ),
        ("no class", class(""), INVALID, "class_id"),
        ("bad class", class("7 b"), INVALID, "class_id"),
        ("another class", class("7c"), NOT_YOURS, "class_id"),
        ("no key", keyed(""), INVALID, "idempotency_key"),
        ("bad key", keyed("a\tb"), INVALID, "idempotency_key"),
        ("long title", title(&long), INVALID, "title"),
        (
            "title with a control character",
            title("a\nb"),
            INVALID,
            "title",
        ),
    ];
    for (name, request, refusal, field) in rows {
        println!("{name}");
        let status = ada.create_thread(request).await.unwrap_err();
        check_refusal(&status, refusal.0, refusal.1, field);
        assert_eq!(visible_state(&ada).await, before, "{name}");
    }

    let read = async |thread_id: &str, page_size: i32, page_token: &str| -> Status {
        let request = ada.request(GetThreadRequest {
            thread_id: thread_id.to_owned(),
            page_size,
            page_token: page_token.to_owned(),
        });
        ada.client().get_thread(request).await.unwrap_err()
    };
    let id = thread.thread_id.as_str();
    let unknown = Uuid::new_v4().to_string();
    for (thread_id, page_size, page_token, refusal, field) in [
        ("", 0, "", INVALID, "thread_id"),
        ("../x", 0, "", INVALID, "thread_id"),
        (&unknown, 0, "", NO_THREAD, "thread_id"),
        (id, -1, "", INVALID, "page_size"),
        (id, 201, "", INVALID, "page_size"),
        (id, i32::MIN, "", INVALID, "page_size"),
        (id, 0, "no token of ours", NO_PAGE, "page_token"),
    ] {
        let status = read(thread_id, page_size, page_token).await;
        check_refusal(&status, refusal.0, refusal.1, field);
    }
    let list = async |page_size: i32, page_token: &str| -> Status {
        let request = ada.request(ListThreadsRequest {
            page_size,
            page_token: page_token.to_owned(),
        });
        ada.client().list_threads(request).await.unwrap_err()
    };
    for (page_size, page_token, refusal, field) in [
        (-1, "", INVALID, "page_size"),
        (101, "", INVALID, "page_size"),
        (0, "no token of ours", NO_PAGE, "page_token"),
    ] {
        let status = list(page_size, page_token).await;
        check_refusal(&status, refusal.0, refusal.1, field);
    }
    for (course, refusal) in [
        ("", INVALID),
        ("a course", INVALID),
        ("algebra-9", NO_COURSE),
    ] {
        let request = ada.request(GetSnapshotLiteRequest {
            course_id: course.to_owned(),
        });
        let status = ada.client().get_snapshot_lite(request).await.unwrap_err();
        check_refusal(&status, refusal.0, refusal.1, "course_id");
    }
    assert_eq!(visible_state(&ada).await, before);
    suite.stop();
}

async fn bytes_that_are_no_message_are_refused(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let before = visible_state(&ada).await;
    let send = async |method: &str, bytes: Vec<u8>| {
        let request = ada.request(Bytes::from(bytes));
        let path = format!("{SERVICE}/{method}");
        raw::call(&ada.channel, &path, request).await.unwrap_err()
    };

    let mut not_utf8 = saying(&thread, "QQQQ").encode_to_vec();
    let at = not_utf8.windows(4).position(|w| w == b"QQQQ").unwrap();
    not_utf8[at..at + 4].copy_from_slice(&[0xff, 0xfe, 0xc0, 0x80]);
    let whole = saying(&thread, "hello").encode_to_vec();
    for (name, method, bytes) in [
        ("a string that is not UTF-8", "TakeTurn", not_utf8),
        (
            "a message cut short",
            "TakeTurn",
            whole[..whole.len() - 3].to_vec(),
        ),
        ("a wrong wire type", "TakeTurn", vec![0x0d, 1, 2, 3, 4]),
        ("noise", "CreateThread", vec![0xff; 64]),
        (
            "an endless varint",
            "GetThread",
            vec![
                0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            ],
        ),
        ("a length beyond the end", "ListThreads", vec![0x12, 0x7f]),
    ] {
        println!("{name}");
        let status = send(method, bytes).await;
        check_refusal(&status, Code::InvalidArgument, Why::MalformedMessage, "");
    }

    // More than 4 MiB is not read at all.
    let huge = saying(&thread, &"x".repeat(5 * 1024 * 1024));
    let status = ada.turn(huge).await.unwrap_err();
    check_refusal(&status, Code::ResourceExhausted, Why::PayloadTooLarge, "");
    // Less is read, and is too long.
    let large = saying(&thread, &"x".repeat(3 * 1024 * 1024));
    let status = ada.turn(large).await.unwrap_err();
    check_refusal(
        &status,
        Code::InvalidArgument,
        Why::MessageTooLong,
        "input.text",
    );

    assert_eq!(visible_state(&ada).await, before);
    suite.stop();
}
