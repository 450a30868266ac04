//! What staff do, from end to end.

use super::*;
use turnwise_proto::school::v1::{
    EraseStudentRequest, ExportStudentRequest, ListAuditEntriesRequest, RunRetentionRequest,
};
use turnwise_proto::session::v1::{
    ExportClassRequest, GetClassRosterRequest, ResetClassRequest, SetClassRosterRequest,
};

#[tokio::test]
async fn staff_reset_export_and_erase() {
    let service = service().await;
    let staff = caller("staff", "tess");
    let (mut session, mut admin) = (service.session(), service.admin());
    let mut records = service.records();
    let roster = SetClassRosterRequest {
        class_id: "7b".to_owned(),
        names: vec!["Ada Lovelace".to_owned()],
        idempotency_key: uuid::Uuid::new_v4().to_string(),
    };
    admin
        .set_class_roster(request_as(&staff, roster.clone()))
        .await
        .unwrap();
    let class_id = "7b".to_owned();
    let get = GetClassRosterRequest {
        class_id: class_id.clone(),
    };
    let got = admin
        .get_class_roster(request_as(&staff, get))
        .await
        .unwrap();
    assert_eq!(got.into_inner().names, roster.names);

    let thread = service.thread("ada").await;
    let start = service.start("ada", &thread.thread_id).await;
    let turn = commit("ada", &thread.thread_id, start.fencing_token);
    session
        .commit_turn(request_as(&caller("student", "ada"), turn))
        .await
        .unwrap();

    let export = ExportClassRequest {
        class_id: class_id.clone(),
        idempotency_key: uuid::Uuid::new_v4().to_string(),
    };
    let exported = admin
        .export_class(request_as(&staff, export))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(exported.conversations, 1);
    let student_id = "ada".to_owned();
    let export = ExportStudentRequest {
        student_id: student_id.clone(),
    };
    let pieces = records.export_student(request_as(&staff, export)).await;
    let mut pieces = pieces.unwrap().into_inner();
    let mut json = Vec::new();
    while let Some(piece) = pieces.message().await.unwrap() {
        json.extend(piece.json);
    }
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["threads"][0]["messages"][0]["text"], "hello");

    let reset = ResetClassRequest {
        class_id,
        reason: "term".to_owned(),
        idempotency_key: uuid::Uuid::new_v4().to_string(),
        wait_ms: 60_000,
    };
    let reset = admin
        .reset_class(request_as(&staff, reset))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (
            reset.threads,
            reset.conversations,
            reset.students,
            reset.batches
        ),
        (1, 0, 1, 1)
    );
    assert_eq!(reset.archive_names.len(), 1);
    let erase = EraseStudentRequest {
        student_id,
        ..EraseStudentRequest::default()
    };
    let erased = records
        .erase_student(request_as(&staff, erase))
        .await
        .unwrap()
        .into_inner();
    assert_eq!((erased.threads, erased.archive_records), (1, 2));

    let mut kinds = Vec::new();
    let mut page_token = String::new();
    loop {
        let list = ListAuditEntriesRequest {
            page_size: 2,
            page_token,
            ..ListAuditEntriesRequest::default()
        };
        let page = records.list_audit_entries(request_as(&staff, list)).await;
        let page = page.unwrap().into_inner();
        kinds.extend(page.entries.into_iter().map(|entry| entry.kind));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let expected = [
        "student-erased",
        "student-erasure-begun",
        "class-reset",
        "class-reset-begun",
        "student-exported",
        "class-exported",
        "class-export-begun",
        "class-roster-set",
    ];
    assert_eq!(kinds, expected);

    let retention = RunRetentionRequest {};
    let kept = records.run_retention(request_as(&staff, retention)).await;
    assert_eq!(kept.unwrap().into_inner().archives, 0);
    service.clock.advance(31 * 86_400_000_000);
    let gone = records.run_retention(request_as(&staff, retention)).await;
    assert_eq!(gone.unwrap().into_inner().archives, 2);
}

#[tokio::test]
async fn an_archive_that_cannot_be_written_is_an_error_of_its_own() {
    let service = service().await;
    let staff = caller("staff", "tess");
    service.thread("ada").await;
    std::fs::remove_dir_all(service.directory.path().join("helper_reset_exports")).unwrap();
    let reset = ResetClassRequest {
        class_id: "7b".to_owned(),
        reason: String::new(),
        idempotency_key: uuid::Uuid::new_v4().to_string(),
        wait_ms: 60_000,
    };
    let failed = service.admin().reset_class(request_as(&staff, reset)).await;
    let fault = Fault::from_status(&failed.unwrap_err());
    assert_eq!(fault.reason(), ErrorReason::ArchiveFailed);
    assert_eq!(fault.metadata("class_id"), Some("7b"));
}
