//! Who may change context requests, and who may keep and read artifacts.

use super::*;
use turnwise_proto::session::v1::{
    ChangeContextRequestRequest, ContextRequestChange, PutArtifactRequest, ReadArtifactRequest,
    ReadBatchRequest,
};

fn put(thread_id: &str) -> PutArtifactRequest {
    PutArtifactRequest {
        student_id: "ada".to_owned(),
        thread_id: thread_id.to_owned(),
        batch_id: "trip".to_owned(),
        artifact_type: "budget".to_owned(),
        content: "12 francs".to_owned(),
        course_id: COURSE.to_owned(),
    }
}

#[tokio::test]
async fn each_change_of_a_context_request_has_its_own_callers() {
    use ContextRequestChange::{Cancel, Expire, Force, Remind, Skip};
    let service = service().await;
    let thread_id = service.thread("ada").await.thread_id;
    let mut other = caller("teacher", "theo");
    other.groups = vec!["8a".to_owned()];
    for (who, may) in [
        (caller("student", "ada"), vec![Cancel, Skip]),
        (caller("teacher", "tess"), vec![Force]),
        (caller("staff", "principal"), vec![Force]),
        (
            caller("service", "gateway"),
            vec![Cancel, Skip, Force, Remind, Expire],
        ),
        (caller("student", "bob"), vec![]),
        (other, vec![]),
        (caller("admin", "root"), vec![]),
    ] {
        for change in [Cancel, Skip, Force, Remind, Expire] {
            let request = ChangeContextRequestRequest {
                student_id: "ada".to_owned(),
                thread_id: thread_id.clone(),
                request_id: "r".to_owned(),
                change: change.into(),
            };
            let mut session = service.session();
            let changed = session.change_context_request(request_as(&who, request));
            let expected = if may.contains(&change) {
                ErrorReason::ContextRequestClosed
            } else {
                ErrorReason::PermissionDenied
            };
            let found = reason(&changed.await.unwrap_err());
            assert_eq!(found, expected, "{change:?} by {who:?}");
        }
    }
}

#[tokio::test]
async fn artifacts_are_kept_and_read_by_those_who_may_supply_them() {
    let service = service().await;
    let thread_id = service.thread("ada").await.thread_id;
    let mut other = caller("teacher", "theo");
    other.groups = vec!["8a".to_owned()];
    for (who, may) in [
        (caller("student", "ada"), true),
        (caller("teacher", "tess"), true),
        (caller("staff", "principal"), true),
        (caller("service", "gateway"), true),
        (caller("student", "bob"), false),
        (other, false),
        (caller("admin", "root"), false),
    ] {
        let mut session = service.session();
        let kept = session
            .put_artifact(request_as(&who, put(&thread_id)))
            .await;
        let list = ReadBatchRequest {
            student_id: "ada".to_owned(),
            thread_id: thread_id.clone(),
            batch_id: "trip".to_owned(),
        };
        let listed = session.read_batch(request_as(&who, list)).await;
        let read = ReadArtifactRequest {
            student_id: "ada".to_owned(),
            thread_id: thread_id.clone(),
            batch_id: "trip".to_owned(),
            artifact_type: "budget".to_owned(),
        };
        let read = session.read_artifact(request_as(&who, read)).await;
        if may {
            let artifact = kept.unwrap().into_inner().artifact.unwrap();
            assert_eq!(artifact.supplier_id, who.subject);
            assert_eq!(artifact.supplier_role, who.role);
            let listed = listed.unwrap().into_inner().artifacts;
            assert_eq!(listed, std::slice::from_ref(&artifact));
            let read = read.unwrap().into_inner();
            assert_eq!(read.artifact, Some(artifact));
            assert_eq!(read.content, "12 francs");
        } else {
            let denied = ErrorReason::PermissionDenied;
            assert_eq!(reason(&kept.unwrap_err()), denied, "{who:?}");
            assert_eq!(reason(&listed.unwrap_err()), denied, "{who:?}");
            assert_eq!(reason(&read.unwrap_err()), denied, "{who:?}");
        }
    }
}

#[tokio::test]
async fn an_artifact_has_a_form() {
    let service = service().await;
    let thread_id = service.thread("ada").await.thread_id;
    let ada = caller("student", "ada");
    let refused = async |change: &dyn Fn(&mut PutArtifactRequest)| {
        let mut request = put(&thread_id);
        change(&mut request);
        let mut session = service.session();
        let kept = session.put_artifact(request_as(&ada, request));
        reason(&kept.await.unwrap_err())
    };
    let invalid = ErrorReason::InvalidArgument;
    assert_eq!(refused(&|r| r.artifact_type.clear()).await, invalid);
    assert_eq!(refused(&|r| r.artifact_type = "a/b".into()).await, invalid);
    assert_eq!(refused(&|r| r.batch_id = "a/b".into()).await, invalid);
    assert_eq!(refused(&|r| r.thread_id.clear()).await, invalid);
    assert_eq!(
        refused(&|r| r.thread_id = "none".into()).await,
        ErrorReason::UnknownThread
    );
    assert_eq!(
        refused(&|r| r.course_id = "another".into()).await,
        ErrorReason::UnknownCourse
    );
    assert_eq!(
        refused(&|r| r.content = "x".repeat(262_145)).await,
        ErrorReason::PayloadTooLarge
    );
}
