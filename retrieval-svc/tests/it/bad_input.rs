//! Every request that is refused: its reason, its code, its field.

use tonic::{Code, Status};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    retrieval::v1::{MapMessageRequest, RetrieveRequest},
    tutor::v1::MasteryTier,
};

use crate::fixture::{client, message, search, tiny_course};

fn assert_refused(status: Status, reason: ErrorReason, field: &str, case: &str) {
    let fault = Fault::from_status(&status);
    assert_eq!(fault.reason(), reason, "{case}");
    assert_eq!(status.code(), reason.code(), "{case}");
    assert_eq!(fault.fields().collect::<Vec<_>>(), [field], "{case}");
}

#[tokio::test]
async fn searches_that_are_refused() {
    use ErrorReason::{
        InvalidArgument, UnknownCourse, UnknownNamespace, UnknownPackVersion, UnknownUnit,
    };
    type Change = fn(&mut RetrieveRequest);
    let cases: [(&str, Change, ErrorReason, &str); 25] = [
        (
            "no course",
            |r| r.course_id.clear(),
            InvalidArgument,
            "course_id",
        ),
        (
            "odd course",
            |r| r.course_id = "a/../b".into(),
            InvalidArgument,
            "course_id",
        ),
        (
            "unknown course",
            |r| r.course_id = "other".into(),
            UnknownCourse,
            "course_id",
        ),
        (
            "other version",
            |r| r.pack_hash = "ffff".into(),
            UnknownPackVersion,
            "pack_hash",
        ),
        (
            "odd version",
            |r| r.pack_hash = "\n".into(),
            InvalidArgument,
            "pack_hash",
        ),
        (
            "long text",
            |r| r.text = "ä".repeat(16_001),
            InvalidArgument,
            "text",
        ),
        (
            "no namespace",
            |r| r.namespaces.clear(),
            InvalidArgument,
            "namespaces",
        ),
        (
            "unspecified namespace",
            |r| r.namespaces = vec![0],
            UnknownNamespace,
            "namespaces",
        ),
        (
            "unknown namespace",
            |r| r.namespaces = vec![1, 99],
            UnknownNamespace,
            "namespaces",
        ),
        (
            "negative namespace",
            |r| r.namespaces = vec![-1],
            UnknownNamespace,
            "namespaces",
        ),
        (
            "anchors twice",
            |r| r.namespaces = vec![1, 2, 1],
            InvalidArgument,
            "namespaces",
        ),
        (
            "chunks twice",
            |r| r.namespaces = vec![2, 2],
            InvalidArgument,
            "namespaces",
        ),
        (
            "candidates twice",
            |r| r.namespaces = vec![3, 3],
            InvalidArgument,
            "namespaces",
        ),
        (
            "support twice",
            |r| r.namespaces = vec![4, 4],
            InvalidArgument,
            "namespaces",
        ),
        (
            "no scope",
            |r| r.scoped_unit_ids.clear(),
            InvalidArgument,
            "scoped_unit_ids",
        ),
        (
            "wide scope",
            |r| r.scoped_unit_ids = vec!["slope".into(); 7],
            InvalidArgument,
            "scoped_unit_ids",
        ),
        (
            "unknown unit in the scope",
            |r| r.scoped_unit_ids.push("other".into()),
            UnknownUnit,
            "scoped_unit_ids",
        ),
        (
            "odd unit in the scope",
            |r| r.scoped_unit_ids.push("*".into()),
            InvalidArgument,
            "scoped_unit_ids",
        ),
        (
            "no focus",
            |r| r.focus_unit_id.clear(),
            InvalidArgument,
            "focus_unit_id",
        ),
        (
            "odd focus",
            |r| r.focus_unit_id = "a b".into(),
            InvalidArgument,
            "focus_unit_id",
        ),
        (
            "unknown focus",
            |r| r.focus_unit_id = "other".into(),
            UnknownUnit,
            "focus_unit_id",
        ),
        (
            "odd question",
            |r| r.question_id = "a b".into(),
            InvalidArgument,
            "question_id",
        ),
        (
            "no tier",
            |r| r.desired_exam_tier = 0,
            InvalidArgument,
            "desired_exam_tier",
        ),
        (
            "tier none",
            |r| r.desired_exam_tier = MasteryTier::None.into(),
            InvalidArgument,
            "desired_exam_tier",
        ),
        (
            "unknown tier",
            |r| r.desired_exam_tier = 77,
            InvalidArgument,
            "desired_exam_tier",
        ),
    ];
    let mut client = client([tiny_course()]).await;
    for (case, change, reason, field) in cases {
        let mut request = search("slope");
        change(&mut request);
        let status = client.retrieve(request).await.unwrap_err();
        assert_refused(status, reason, field, case);
    }
}

#[tokio::test]
async fn messages_that_are_refused() {
    use ErrorReason::{InvalidArgument, UnknownCourse};
    type Change = fn(&mut MapMessageRequest);
    let cases: [(&str, Change, ErrorReason, &str); 4] = [
        (
            "no course",
            |r| r.course_id.clear(),
            InvalidArgument,
            "course_id",
        ),
        (
            "odd course",
            |r| r.course_id = "a b".into(),
            InvalidArgument,
            "course_id",
        ),
        (
            "unknown course",
            |r| r.course_id = "other".into(),
            UnknownCourse,
            "course_id",
        ),
        (
            "long text",
            |r| r.text = "x".repeat(16_001),
            InvalidArgument,
            "text",
        ),
    ];
    let mut client = client([tiny_course()]).await;
    for (case, change, reason, field) in cases {
        let mut request = message("slope", &[]);
        change(&mut request);
        let status = client.map_message(request).await.unwrap_err();
        assert_refused(status, reason, field, case);
    }
}

#[tokio::test]
async fn what_a_search_does_not_need_is_not_asked_for() {
    let mut client = client([tiny_course()]).await;
    let mut lessons = search("slope");
    lessons.namespaces = vec![1, 2];
    lessons.focus_unit_id.clear();
    lessons.desired_exam_tier = 0;
    lessons.pack_hash.clear();
    client.retrieve(lessons).await.unwrap();
    let mut support = search("slope");
    support.namespaces = vec![4];
    support.scoped_unit_ids.clear();
    support.desired_exam_tier = 0;
    client.retrieve(support).await.unwrap();
}

#[tokio::test]
async fn the_longest_text_is_read() {
    let mut client = client([tiny_course()]).await;
    let text = "½²ﷺ ".repeat(4_000);
    assert_eq!(text.chars().count(), 16_000);
    client.retrieve(search(&text)).await.unwrap();
    client
        .map_message(message(&text, &[text.as_str(); 9]))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_refusal_names_the_thing_that_is_unknown() {
    let mut request = search("slope");
    request.scoped_unit_ids.push("UNIT-99".to_owned());
    let status = client([tiny_course()])
        .await
        .retrieve(request)
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    let fault = Fault::from_status(&status);
    assert_eq!(fault.metadata("unit_id"), Some("UNIT-99"));
}
