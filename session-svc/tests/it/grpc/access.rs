//! Who may do what.

use super::*;
use turnwise_proto::school::v1::{
    EraseStudentRequest, ExportStudentRequest, ListAuditEntriesRequest, ListDeadLettersRequest,
    RunRetentionRequest,
};
use turnwise_proto::session::v1::{
    AbandonTurnRequest, ChangeContextRequestRequest, ClaimDueWorkRequest, ClaimStreamsRequest,
    CompleteDueWorkRequest, EventDestination, ExportClassRequest, GetBacklogRequest,
    GetClassRosterRequest, GetSnapshotRequest, GetThreadRequest, GetTurnLogRequest,
    ListContextRequestsRequest, ListEventsRequest, ListThreadsRequest, PutArtifactRequest,
    ReadArtifactRequest, ReadBatchRequest, ReadContextPayloadRequest, RenewDueWorkRequest,
    RenewLeaseRequest, ResetClassRequest, SetClassRosterRequest, SettleEventsRequest,
    SupplyContextRequest, WatchEventsRequest,
};

/// Whom a call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum For {
    /// The student, services and staff.
    Student,
    /// The student, services, staff and teachers, who reach no thread that is not of a class of theirs.
    Thread,
    /// Services and staff.
    Staff,
    /// Services, staff and the class's teachers.
    Class,
    /// Services, staff and teachers, who learn nothing of what is not in a class of theirs.
    Teachers,
    /// Services.
    Service,
}

/// What every call answers to this caller, about this student and the class `7b`.
async fn outcomes(
    service: &Service,
    who: Option<&Caller>,
    student: &str,
) -> Vec<(For, Result<(), Status>)> {
    let context = CallContext::background(who.cloned(), Duration::from_secs(30));
    let mut session = service.session();
    let (mut admin, mut records) = (service.admin(), service.records());
    let student_id = student.to_owned();
    let thread_id = "none".to_owned();
    let class_id = "7b".to_owned();
    let mut all = Vec::new();
    macro_rules! call {
        ($whom:ident, $client:ident.$method:ident($request:expr)) => {
            let called = $client.$method(context.request($request)).await;
            all.push((For::$whom, called.map(drop)));
        };
    }
    call!(Student, session.create_thread(create(student)));
    call!(
        Student,
        session.list_threads(ListThreadsRequest {
            student_id: student_id.clone(),
            ..Default::default()
        })
    );
    call!(
        Student,
        session.get_thread(GetThreadRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            ..Default::default()
        })
    );
    call!(Student, session.begin_turn(begin(student, "none")));
    call!(Student, session.commit_turn(commit(student, "none", 1)));
    call!(
        Student,
        session.renew_lease(RenewLeaseRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            fencing_token: 1,
        })
    );
    call!(
        Student,
        session.abandon_turn(AbandonTurnRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            fencing_token: 1,
        })
    );
    call!(
        Student,
        session.get_snapshot(GetSnapshotRequest {
            student_id: student_id.clone(),
            course_id: COURSE.to_owned(),
        })
    );
    call!(
        Student,
        session.begin_evidence(begin_evidence(student, "none"))
    );
    call!(Student, session.commit_evidence(evidence(student, vec![])));
    call!(Student, session.append_events(append(student, "none")));
    call!(
        Student,
        session.list_events(ListEventsRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            ..Default::default()
        })
    );
    call!(
        Student,
        session.watch_events(WatchEventsRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            after_id: 0,
        })
    );
    call!(
        Thread,
        session.change_context_request(ChangeContextRequestRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            request_id: "r".to_owned(),
            change: 1,
        })
    );
    call!(
        Thread,
        session.list_context_requests(ListContextRequestsRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            ..Default::default()
        })
    );
    call!(
        Thread,
        session.put_artifact(PutArtifactRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            artifact_type: "plan".to_owned(),
            course_id: COURSE.to_owned(),
            ..Default::default()
        })
    );
    call!(
        Thread,
        session.read_batch(ReadBatchRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            ..Default::default()
        })
    );
    call!(
        Thread,
        session.read_artifact(ReadArtifactRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            artifact_type: "plan".to_owned(),
            ..Default::default()
        })
    );
    call!(
        Student,
        session.read_context_payload(ReadContextPayloadRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            request_id: "r".to_owned(),
            slot: 0,
        })
    );
    call!(Student, session.defer_work(defer(student, "none")));
    call!(
        Teachers,
        session.get_turn_log(GetTurnLogRequest {
            student_id: student_id.clone(),
            turn_id: "none".to_owned(),
        })
    );
    call!(
        Service,
        session.claim_due_work(ClaimDueWorkRequest { limit: 1 })
    );
    call!(
        Service,
        session.renew_due_work(RenewDueWorkRequest {
            work_id: "w".to_owned(),
            fencing_token: 1,
        })
    );
    call!(
        Service,
        session.complete_due_work(CompleteDueWorkRequest {
            work_id: "w".to_owned(),
            fencing_token: 1,
        })
    );
    call!(
        Class,
        admin.set_class_roster(SetClassRosterRequest {
            class_id: class_id.clone(),
            names: vec![],
            idempotency_key: uuid::Uuid::new_v4().to_string(),
        })
    );
    call!(
        Class,
        admin.get_class_roster(GetClassRosterRequest {
            class_id: class_id.clone(),
        })
    );
    call!(
        Class,
        admin.reset_class(ResetClassRequest {
            class_id: class_id.clone(),
            reason: String::new(),
            idempotency_key: uuid::Uuid::new_v4().to_string(),
            ..ResetClassRequest::default()
        })
    );
    call!(
        Class,
        admin.export_class(ExportClassRequest {
            class_id,
            idempotency_key: uuid::Uuid::new_v4().to_string(),
        })
    );
    call!(
        Staff,
        records.export_student(ExportStudentRequest {
            student_id: student_id.clone(),
        })
    );
    call!(
        Staff,
        records.erase_student(EraseStudentRequest {
            student_id,
            ..EraseStudentRequest::default()
        })
    );
    call!(
        Staff,
        records.list_audit_entries(ListAuditEntriesRequest::default())
    );
    call!(
        Staff,
        records.list_dead_letters(ListDeadLettersRequest::default())
    );
    call!(Staff, records.run_retention(RunRetentionRequest {}));
    let mut delivery = service.delivery();
    let destination = EventDestination::Audit.into();
    call!(
        Service,
        delivery.claim_streams(ClaimStreamsRequest {
            destination,
            limit: 1,
            events: 1,
        })
    );
    call!(
        Service,
        delivery.settle_events(SettleEventsRequest {
            stream_id: "audit/default//tenant".to_owned(),
            fencing_token: 1,
            ..SettleEventsRequest::default()
        })
    );
    call!(
        Service,
        delivery.get_backlog(GetBacklogRequest { destination })
    );
    all
}

/// Whether a caller may make these calls and no others.
async fn may_call_only(service: &Service, who: &Caller, student: &str, whom: &[For]) {
    for (number, (of, outcome)) in outcomes(service, Some(who), student)
        .await
        .into_iter()
        .enumerate()
    {
        let denied = matches!(&outcome, Err(status) if status.code() == Code::PermissionDenied);
        assert_eq!(
            denied,
            !whom.contains(&of),
            "call {number} of {who:?}: {outcome:?}"
        );
        if denied {
            let status = outcome.unwrap_err();
            assert_eq!(reason(&status), ErrorReason::PermissionDenied);
        } else if let Err(status) = outcome {
            let expected = [
                ErrorReason::UnknownThread,
                ErrorReason::UnknownTurn,
                ErrorReason::VersionConflict,
            ];
            assert!(
                expected.contains(&reason(&status)),
                "call {number}: {status}"
            );
        }
    }
}

#[tokio::test]
async fn no_caller_is_no_call() {
    let service = service().await;
    for (_, outcome) in outcomes(&service, None, "ada").await {
        assert_eq!(reason(&outcome.unwrap_err()), ErrorReason::Unauthenticated);
    }
}

#[tokio::test]
async fn a_student_may_name_only_themselves() {
    let service = service().await;
    may_call_only(
        &service,
        &caller("student", "ada"),
        "ada",
        &[For::Student, For::Thread],
    )
    .await;
    may_call_only(&service, &caller("student", "bob"), "ada", &[]).await;
    may_call_only(&service, &caller("student", "ad"), "ada", &[]).await;
}

#[tokio::test]
async fn a_student_adds_nothing_to_a_thread_of_another_class() {
    let service = service().await;
    let thread = service.thread("ada").await.thread_id;
    let mut ada = caller("student", "ada");
    ada.groups = vec!["8a".to_owned()];
    // Twice: a refused turn does not hold the thread.
    for _ in 0..2 {
        let turn = request_as(&ada, begin("ada", &thread));
        let refused = service.session().begin_turn(turn).await.unwrap_err();
        assert_eq!(reason(&refused), ErrorReason::PermissionDenied, "{refused}");
    }
    let graded = request_as(&ada, begin_evidence("ada", &thread));
    let refused = service.session().begin_evidence(graded).await.unwrap_err();
    assert_eq!(reason(&refused), ErrorReason::PermissionDenied, "{refused}");
    // It reads on, and services act for whom they serve.
    let read = GetThreadRequest {
        student_id: "ada".to_owned(),
        thread_id: thread.clone(),
        ..Default::default()
    };
    let read = service.session().get_thread(request_as(&ada, read)).await;
    read.unwrap();
    service.start("ada", &thread).await;
}

#[tokio::test]
async fn a_teacher_may_act_for_their_own_classes() {
    let service = service().await;
    let mut tess = caller("teacher", "tess");
    tess.groups = vec!["8a".to_owned(), "7b".to_owned()];
    may_call_only(
        &service,
        &tess,
        "ada",
        &[For::Class, For::Teachers, For::Thread],
    )
    .await;
    for groups in [
        vec![],
        vec!["8a".to_owned(), "7".to_owned(), "7bb".to_owned()],
    ] {
        tess.groups = groups;
        may_call_only(&service, &tess, "ada", &[For::Teachers, For::Thread]).await;
    }
}

#[tokio::test]
async fn services_and_staff_may_name_any_student_of_their_tenant() {
    let everybody_s = [
        For::Student,
        For::Thread,
        For::Staff,
        For::Class,
        For::Teachers,
    ];
    let service = service().await;
    may_call_only(&service, &caller("staff", "principal"), "ada", &everybody_s).await;
    let service = self::service().await;
    let all = [
        For::Student,
        For::Thread,
        For::Staff,
        For::Class,
        For::Teachers,
        For::Service,
    ];
    may_call_only(&service, &caller("service", "gateway"), "ada", &all).await;
}

#[tokio::test]
async fn staff_reach_only_their_own_tenant() {
    let service = service().await;
    service.thread("ada").await;
    let mut session = service.session();
    for role in ["service", "staff"] {
        let here = caller(role, "gateway");
        let mut elsewhere = here.clone();
        elsewhere.tenant = "other".to_owned();
        let list = ListThreadsRequest {
            student_id: "ada".to_owned(),
            ..Default::default()
        };
        for (who, count) in [(&here, 1), (&elsewhere, 0)] {
            let listed = session.list_threads(request_as(who, list.clone())).await;
            assert_eq!(listed.unwrap().into_inner().threads.len(), count);
        }
    }
}

#[tokio::test]
async fn a_role_that_is_none_may_do_nothing() {
    let service = service().await;
    for role in ["", "admin", "Student"] {
        may_call_only(&service, &caller(role, "ada"), "ada", &[]).await;
    }
}

#[tokio::test]
async fn a_tenant_that_would_confuse_keys_is_refused() {
    let service = service().await;
    for role in ["student", "staff"] {
        let mut strange = caller(role, "ada");
        strange.tenant = "a}/b".to_owned();
        for (of, outcome) in outcomes(&service, Some(&strange), "ada").await {
            let reason = reason(&outcome.unwrap_err());
            let denied = of == For::Service
                || !matches!(of, For::Student | For::Thread) && role == "student";
            let expected = if denied {
                ErrorReason::PermissionDenied
            } else {
                ErrorReason::Unauthenticated
            };
            assert_eq!(reason, expected, "{of:?} as {role}");
        }
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

#[tokio::test]
async fn artifacts_come_from_the_student_staff_and_teachers_of_the_class() {
    let service = service().await;
    let thread_id = service.thread("ada").await.thread_id;
    let supply = SupplyContextRequest {
        student_id: "ada".to_owned(),
        thread_id,
        request_id: "r".to_owned(),
        ..Default::default()
    };
    let mut other = caller("teacher", "theo");
    other.groups = vec!["8a".to_owned()];
    let closed = ErrorReason::ContextRequestClosed;
    let denied = ErrorReason::PermissionDenied;
    for (who, expected) in [
        (caller("student", "ada"), closed),
        (caller("teacher", "tess"), closed),
        (caller("staff", "principal"), closed),
        (caller("service", "gateway"), closed),
        (caller("student", "bob"), denied),
        (other, denied),
        (caller("admin", "root"), denied),
    ] {
        let mut session = service.session();
        let supplied = session.supply_context(request_as(&who, supply.clone()));
        assert_eq!(reason(&supplied.await.unwrap_err()), expected, "{who:?}");
        let list = ListContextRequestsRequest {
            student_id: "ada".to_owned(),
            thread_id: supply.thread_id.clone(),
            ..ListContextRequestsRequest::default()
        };
        let listed = session.list_context_requests(request_as(&who, list)).await;
        assert_eq!(listed.is_ok(), expected == closed, "{who:?}");
    }
}
