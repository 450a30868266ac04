//! Who may do what.

use super::*;

/// What every call answers for this caller and this student.
async fn outcomes(
    service: &Service,
    who: Option<&Caller>,
    student: &str,
) -> Vec<Result<(), Status>> {
    let context = CallContext::background(who.cloned(), Duration::from_secs(30));
    let mut session = service.session();
    let mut exam = ExamServiceClient::new(service.routes.clone());
    let student_id = student.to_owned();
    let thread_id = "none".to_owned();
    vec![
        session
            .create_thread(context.request(create(student)))
            .await
            .map(drop),
        session
            .list_threads(context.request(ListThreadsRequest {
                student_id: student_id.clone(),
                ..Default::default()
            }))
            .await
            .map(drop),
        session
            .get_thread(context.request(GetThreadRequest {
                student_id: student_id.clone(),
                thread_id: thread_id.clone(),
                ..Default::default()
            }))
            .await
            .map(drop),
        session
            .begin_turn(context.request(begin(student, "none")))
            .await
            .map(drop),
        session
            .commit_turn(context.request(commit(student, "none", 1)))
            .await
            .map(drop),
        session
            .renew_lease(context.request(RenewLeaseRequest {
                student_id: student_id.clone(),
                thread_id: thread_id.clone(),
                fencing_token: 1,
            }))
            .await
            .map(drop),
        session
            .abandon_turn(context.request(AbandonTurnRequest {
                student_id: student_id.clone(),
                thread_id,
                fencing_token: 1,
            }))
            .await
            .map(drop),
        session
            .get_snapshot(context.request(GetSnapshotRequest {
                student_id,
                course_id: COURSE.to_owned(),
            }))
            .await
            .map(drop),
        session
            .commit_evidence(context.request(evidence(student, vec![])))
            .await
            .map(drop),
        exam.batch_get_question_status(context.request(statuses(student, vec![])))
            .await
            .map(drop),
    ]
}

#[tokio::test]
async fn no_caller_is_no_call() {
    let service = service().await;
    for outcome in outcomes(&service, None, "ada").await {
        assert_eq!(reason(&outcome.unwrap_err()), ErrorReason::Unauthenticated);
    }
}

#[tokio::test]
async fn a_student_may_name_only_themselves() {
    let service = service().await;
    for outcome in outcomes(&service, Some(&caller("student", "bob")), "ada").await {
        let status = outcome.unwrap_err();
        assert_eq!(status.code(), Code::PermissionDenied);
        assert_eq!(reason(&status), ErrorReason::PermissionDenied);
    }
}

#[tokio::test]
async fn a_teacher_may_not_call() {
    let service = service().await;
    for role in ["teacher", "", "admin"] {
        for outcome in outcomes(&service, Some(&caller(role, "ada")), "ada").await {
            assert_eq!(outcome.unwrap_err().code(), Code::PermissionDenied);
        }
    }
}

#[tokio::test]
async fn services_and_staff_may_name_any_student_of_their_tenant() {
    for role in ["service", "staff"] {
        let service = service().await;
        for outcome in outcomes(&service, Some(&caller(role, "gateway")), "ada").await {
            if let Err(status) = outcome {
                let expected = [ErrorReason::UnknownThread, ErrorReason::VersionConflict];
                assert!(expected.contains(&reason(&status)), "{status}");
            }
        }
        // And they reach only their own tenant.
        let mut elsewhere = caller(role, "gateway");
        elsewhere.tenant = "other".to_owned();
        let list = ListThreadsRequest {
            student_id: "ada".to_owned(),
            ..Default::default()
        };
        let mut session = service.session();
        let here = session
            .list_threads(request_as(&caller(role, "gateway"), list.clone()))
            .await;
        assert_eq!(here.unwrap().into_inner().threads.len(), 1);
        let there = session.list_threads(request_as(&elsewhere, list)).await;
        assert_eq!(there.unwrap().into_inner().threads.len(), 0);
    }
}

#[tokio::test]
async fn a_tenant_that_would_confuse_keys_is_refused() {
    let service = service().await;
    let mut strange = caller("student", "ada");
    strange.tenant = "a}/b".to_owned();
    for outcome in outcomes(&service, Some(&strange), "ada").await {
        assert_eq!(reason(&outcome.unwrap_err()), ErrorReason::Unauthenticated);
    }
}

#[tokio::test]
async fn a_student_opens_threads_in_their_own_classes_only() {
    let service = service().await;
    let mut request = create("ada");
    request.class_id = "8a".to_owned();
    let mut session = service.session();
    let refused = session
        .create_thread(request_as(&caller("student", "ada"), request.clone()))
        .await;
    assert_eq!(reason(&refused.unwrap_err()), ErrorReason::PermissionDenied);
    session
        .create_thread(request_as(&caller("service", "x"), request))
        .await
        .unwrap();
}
