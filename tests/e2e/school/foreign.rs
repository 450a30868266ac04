//! What staff of another tenant reach of a class: nothing, whatever they call; and a turn's words are read by those who may,
//! each of them named in the audit log.

use tonic::{Code, Status};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    school::v1::{
        AcknowledgeAlertRequest, ExplainTurnRequest, ExplainTurnResponse, GetClassRosterRequest,
        ListAuditEntriesRequest, ListSafeguardingAlertsRequest, MarkPrerequisiteMetRequest,
        ResetClassConversationsRequest, SetClassRosterRequest, VerifyArchiveRequest,
    },
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    staff::Staff,
    student::{DEMO_COURSE, Student, fresh_key},
    teacher::Teacher,
    token,
};

in_both_deployments!(
    staff_of_another_tenant_reach_nothing,
    whoever_reads_a_turn_is_in_the_audit_log,
);

async fn explain(
    teacher: &Teacher,
    class: &str,
    student: &str,
    turn: &str,
) -> Result<ExplainTurnResponse, Status> {
    let request = teacher.request(ExplainTurnRequest {
        class_id: class.to_owned(),
        student_id: student.to_owned(),
        turn_id: turn.to_owned(),
    });
    let answer = teacher.classes().explain_turn(request).await?;
    Ok(answer.into_inner())
}

async fn kinds(staff: &Teacher) -> Vec<(String, String)> {
    let list = staff.request(ListAuditEntriesRequest::default());
    let entries = staff.records().list_audit_entries(list).await.unwrap();
    let mut kinds: Vec<_> = entries
        .into_inner()
        .entries
        .into_iter()
        .map(|entry| (entry.kind, entry.actor_id))
        .collect();
    kinds.reverse();
    kinds
}

async fn staff_of_another_tenant_reach_nothing(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let teacher = Teacher::of(&suite);
    let set = teacher.request(SetClassRosterRequest {
        class_id: Student::CLASS.to_owned(),
        names: vec!["Zebedee Quux".to_owned()],
        idempotency_key: fresh_key(),
    });
    teacher.classes().set_class_roster(set).await.unwrap();
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let said = ada.say(&thread, "I am going to commit suicide").await;
    let alerts = |who: &Teacher| {
        who.request(ListSafeguardingAlertsRequest {
            class_id: Student::CLASS.to_owned(),
            ..ListSafeguardingAlertsRequest::default()
        })
    };
    let listed = teacher
        .classes()
        .list_safeguarding_alerts(alerts(&teacher))
        .await;
    let alert = listed.unwrap().into_inner().alerts.remove(0);

    let north = Teacher {
        token: token::of_tenant(
            &suite.data_dir,
            "north",
            "principal",
            Student::CLASS,
            "staff",
        ),
        channel: suite.channel(),
    };
    let get = north.request(GetClassRosterRequest {
        class_id: Student::CLASS.to_owned(),
    });
    let roster = north.classes().get_class_roster(get).await.unwrap();
    assert_eq!(roster.into_inner().names, [""; 0]);
    let report = north.report(DEMO_COURSE).await;
    assert_eq!((report.student_count, report.students), (0, vec![]));
    let listed = north
        .classes()
        .list_safeguarding_alerts(alerts(&north))
        .await;
    assert_eq!(listed.unwrap().into_inner().alerts, []);
    let take = north.request(AcknowledgeAlertRequest {
        class_id: Student::CLASS.to_owned(),
        alert_id: alert.alert_id,
        idempotency_key: fresh_key(),
    });
    let refused = north.classes().acknowledge_alert(take).await.unwrap_err();
    check_refusal(&refused, Code::NotFound, Why::UnknownAlert, "alert_id");
    let mark = north.request(MarkPrerequisiteMetRequest {
        class_id: Student::CLASS.to_owned(),
        student_id: "ada".to_owned(),
        course_id: DEMO_COURSE.to_owned(),
        unit_id: "ALG-01".to_owned(),
        idempotency_key: fresh_key(),
    });
    let refused = north
        .classes()
        .mark_prerequisite_met(mark)
        .await
        .unwrap_err();
    check_refusal(&refused, Code::NotFound, Why::UnknownStudent, "student_id");
    let refused = explain(&north, Student::CLASS, "ada", &said.turn_id).await;
    check_refusal(
        &refused.unwrap_err(),
        Code::NotFound,
        Why::UnknownTurn,
        "turn_id",
    );
    let done = north.reset("reset").await;
    assert_eq!((done.threads, done.students), (0, 0));
    assert!(!ada.messages(&thread.thread_id, 50).await.is_empty());
    let mine = teacher.reset("reset").await;
    assert_eq!(mine.threads, 1);
    for archive in mine.archive_names {
        let verify = north.request(VerifyArchiveRequest {
            archive_name: archive,
        });
        let refused = north.records().verify_archive(verify).await.unwrap_err();
        check_refusal(
            &refused,
            Code::NotFound,
            Why::UnknownArchive,
            "archive_name",
        );
    }
    let read = kinds(&north).await;
    assert!(
        read.iter().all(|(kind, _)| kind.starts_with("class-reset")),
        "{read:?}"
    );
    // Two of one class at once cannot be told apart by their keys alone: another one is a reset of its own.
    let again = teacher.request(ResetClassConversationsRequest {
        class_id: Student::CLASS.to_owned(),
        reason: "x".repeat(501),
        idempotency_key: fresh_key(),
    });
    let refused = teacher.classes().reset_class_conversations(again).await;
    check_refusal(
        &refused.unwrap_err(),
        Code::InvalidArgument,
        Why::InvalidArgument,
        "reason",
    );
    suite.stop();
}

async fn whoever_reads_a_turn_is_in_the_audit_log(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let teacher = Teacher::of(&suite);
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let turn = ada.say(&thread, "What is a fraction?").await.turn_id;
    let both = Teacher {
        token: suite
            .data_dir
            .mint(&turnwise::data_dir::DevToken {
                tenant: "default".to_owned(),
                subject: "mr-euler".to_owned(),
                role: "teacher".to_owned(),
                classes: vec!["8a".to_owned(), "8b".to_owned()],
                on_behalf_of: None,
                ttl_seconds: 3600,
            })
            .unwrap(),
        channel: suite.channel(),
    };
    // Of another class, of another student, and none at all are one answer.
    for (who, class, student, turn) in [
        (&both, "8a", "ada", turn.as_str()),
        (&teacher, Student::CLASS, "bob", &turn),
        (
            &teacher,
            Student::CLASS,
            "ada",
            "0b8f7a36-7f2e-4c1a-9d57-2d3f5f4b1c10",
        ),
    ] {
        let refused = explain(who, class, student, turn).await.unwrap_err();
        check_refusal(&refused, Code::NotFound, Why::UnknownTurn, "turn_id");
    }
    let staff = Teacher::with_role(&suite, "principal", "staff", Student::CLASS);
    assert_eq!(kinds(&staff).await, []);
    let read = explain(&teacher, Student::CLASS, "ada", &turn)
        .await
        .unwrap();
    assert!(read.record.unwrap().texts.is_some() && read.explanation.is_some());
    Staff::of(&suite).explain_turn("ada", &turn).await.unwrap();
    let explained = |who: &str| ("turn-explained".to_owned(), who.to_owned());
    assert_eq!(
        kinds(&staff).await,
        [explained("ms-hopper"), explained("staff-1")]
    );
    suite.stop();
}
