//! A class of thirty, by public calls alone: its names, what its students do, the report, calls for help, a reset with its
//! archive, an export and an erasure. The test keeps count beside it.

mod counted;

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, stream};
use serde_json::Value;
use tonic::Code;
use turnwise_proto::{
    classes::v1::{AlertFilter, AlertKind, ClassPolicy, ModelUse, SafeguardingAlert},
    common::v1::ErrorReason as Why,
    school::v1::{
        AcknowledgeAlertRequest, EraseStudentRequest, ExplainTurnRequest, ExportStudentRequest,
        GetClassRosterRequest, ListAuditEntriesRequest, ListSafeguardingAlertsRequest,
        SetClassPolicyRequest, SetClassRosterRequest, VerifyArchiveRequest, WatchClassRequest,
        watch_class_response::Event,
    },
};
use turnwise_testing::redis::Cluster;
use turnwise_tests::{
    answer::{shown_action, tutor},
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student, fresh_key},
    teacher::Teacher,
};

use self::counted::{check, count, id, study, surname};
use crate::tutor::answers::Answers;

/// Students of the class.
const STUDENTS: usize = 30;
/// Every so many students calls for help.
const CALLS_FOR_HELP: usize = 10;
/// Who is erased in the end.
const ERASED: &str = "student-07";

in_both_deployments!(a_term_of_a_class);

#[tokio::test(flavor = "multi_thread")]
async fn a_term_of_a_class_on_a_cluster() {
    let cluster = tokio::task::spawn_blocking(Cluster::start)
        .await
        .unwrap()
        .unwrap();
    let options = ["SESSION_STORE", "GATEWAY_REDIS_URL", "LLM_REDIS_URL"]
        .into_iter()
        .fold(Options::new(), |options, name| {
            options.env(name, cluster.url())
        });
    let suite = Deployment::five_processes(options).await;
    term(suite).await;
}

async fn a_term_of_a_class(kind: Kind) {
    term(Deployment::start(kind, Options::new()).await).await;
}

async fn alerts(teacher: &Teacher, filter: AlertFilter) -> Vec<SafeguardingAlert> {
    let mut alerts = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = teacher.request(ListSafeguardingAlertsRequest {
            class_id: Student::CLASS.to_owned(),
            filter: filter.into(),
            page_size: 2,
            page_token,
        });
        let page = teacher.classes().list_safeguarding_alerts(request).await;
        let page = page.unwrap().into_inner();
        alerts.extend(page.alerts);
        if page.next_page_token.is_empty() {
            return alerts;
        }
        page_token = page.next_page_token;
    }
}

/// The next alert of a watch.
async fn next_alert(
    watch: &mut tonic::Streaming<turnwise_proto::school::v1::WatchClassResponse>,
) -> (String, SafeguardingAlert) {
    loop {
        let told = watch.message().await.unwrap().expect("the watch goes on");
        if let Some(Event::Alert(alert)) = told.event {
            return (told.cursor, alert);
        }
    }
}

async fn term(mut suite: Deployment) {
    let teacher = Teacher::of(&suite);
    let staff = Teacher::with_role(&suite, "principal", "staff", Student::CLASS);
    let answers = Answers::of_demo_course();

    // The names of the class are not in what its students write.
    let names: Vec<_> = (1..=STUDENTS)
        .map(|n| format!("Zebedee {}", surname(n)))
        .collect();
    let set = teacher.request(SetClassRosterRequest {
        class_id: Student::CLASS.to_owned(),
        names: names.clone(),
        idempotency_key: fresh_key(),
    });
    teacher.classes().set_class_roster(set).await.unwrap();
    let get = teacher.request(GetClassRosterRequest {
        class_id: Student::CLASS.to_owned(),
    });
    let roster = teacher.classes().get_class_roster(get).await.unwrap();
    assert_eq!(roster.into_inner().names, names);

    // A term.
    let studied: Vec<_> = stream::iter(1..=STUDENTS)
        .map(|number| study(&suite, number, &answers))
        .buffer_unordered(6)
        .collect()
        .await;
    let mut expected = BTreeMap::new();
    let mut threads = BTreeMap::new();
    for (student, counted, thread) in studied {
        threads.insert(student.clone(), thread);
        expected.insert(student, counted);
    }
    check(&teacher.report(DEMO_COURSE).await, &expected);

    // Some call for help; the teacher hears of each, and takes it on.
    let watch = teacher.request(WatchClassRequest {
        class_id: Student::CLASS.to_owned(),
        cursor: String::new(),
    });
    let watched = teacher.classes().watch_class(watch).await.unwrap();
    let mut watched = watched.into_inner();
    let mut cursor = String::new();
    let mut helped = BTreeMap::new();
    for number in (CALLS_FOR_HELP..=STUDENTS).step_by(CALLS_FOR_HELP) {
        let student = suite.student(&id(number));
        let thread = student.thread(&threads[&student.id]).await.unwrap();
        let answer = student.say(&thread, "I am going to commit suicide").await;
        let counted = expected.get_mut(&student.id).unwrap();
        counted.turns += 1;
        let (at, alert) = next_alert(&mut watched).await;
        cursor = at;
        assert_eq!(
            (&alert.student_id, &alert.turn_id),
            (&student.id, &answer.turn_id)
        );
        assert_eq!(
            (alert.kind(), alert.uncertain),
            (AlertKind::SelfHarm, false)
        );
        helped.insert(alert.alert_id.clone(), alert);
    }
    drop(watched);
    let listed = alerts(&teacher, AlertFilter::Unspecified).await;
    assert_eq!(listed.len(), helped.len());
    for alert in &listed {
        assert_eq!(Some(alert), helped.get(&alert.alert_id));
    }
    for alert_id in helped.keys() {
        let acknowledge = teacher.request(AcknowledgeAlertRequest {
            class_id: Student::CLASS.to_owned(),
            alert_id: alert_id.clone(),
            idempotency_key: fresh_key(),
        });
        let acknowledged = teacher.classes().acknowledge_alert(acknowledge).await;
        let alert = acknowledged.unwrap().into_inner().alert.unwrap();
        assert_eq!(alert.acknowledged_by, "ms-hopper");
    }
    assert_eq!(alerts(&teacher, AlertFilter::Open).await, []);
    assert_eq!(alerts(&teacher, AlertFilter::All).await.len(), helped.len());
    // A watch that broke off goes on where it was.
    let watch = teacher.request(WatchClassRequest {
        class_id: Student::CLASS.to_owned(),
        cursor,
    });
    let mut watched = teacher
        .classes()
        .watch_class(watch)
        .await
        .unwrap()
        .into_inner();
    let mut told = BTreeSet::new();
    while told.len() < helped.len() {
        let (_, alert) = next_alert(&mut watched).await;
        assert_eq!(alert.acknowledged_by, "ms-hopper");
        told.insert(alert.alert_id);
    }
    drop(watched);

    // Without a model from the next turn on, and not degraded.
    let policy = ClassPolicy {
        model_use: ModelUse::Off.into(),
        ..ClassPolicy::default()
    };
    let set = teacher.request(SetClassPolicyRequest {
        class_id: Student::CLASS.to_owned(),
        policy: Some(policy),
        idempotency_key: fresh_key(),
    });
    teacher.classes().set_class_policy(set).await.unwrap();
    let student = suite.student(ERASED);
    let thread = student.thread(&threads[ERASED]).await.unwrap();
    let answer = student
        .say(&thread, &format!("What is a fraction, {}?", surname(7)))
        .await;
    assert_eq!(
        (answer.model.as_str(), answer.degraded_reasons.as_slice()),
        ("", [].as_slice())
    );
    assert_eq!(answer.messages[0].text, "What is a fraction, [name]?");
    let counted = expected.get_mut(ERASED).unwrap();
    count(counted, shown_action(tutor(&answer)));
    let explain = ExplainTurnRequest {
        class_id: Student::CLASS.to_owned(),
        student_id: ERASED.to_owned(),
        turn_id: answer.turn_id,
    };
    let explained = teacher
        .classes()
        .explain_turn(teacher.request(explain.clone()))
        .await;
    let record = explained.unwrap().into_inner().record.unwrap();
    assert!(record.texts.is_some());

    // A reset takes the words and leaves the counts.
    let reset = teacher.reset("reset-1").await;
    assert_eq!(reset.threads, STUDENTS as i64);
    assert_eq!(reset.students, STUDENTS as i64);
    assert_eq!(
        teacher.reset("reset-1").await,
        reset,
        "sent again, it is told again"
    );
    for (student, thread) in &threads {
        assert_eq!(suite.student(student).messages(thread, 50).await, []);
    }
    check(&teacher.report(DEMO_COURSE).await, &expected);
    let mut archived = 0;
    for archive in &reset.archive_names {
        let verify = staff.request(VerifyArchiveRequest {
            archive_name: archive.clone(),
        });
        let verified = staff.records().verify_archive(verify).await.unwrap();
        let verified = verified.into_inner();
        assert!(verified.intact, "{verified:?}");
        archived += verified.records;
    }
    assert_eq!(archived, STUDENTS as i64);

    // One student's export is theirs alone.
    let export = staff.request(ExportStudentRequest {
        student_id: ERASED.to_owned(),
    });
    let mut pieces = staff
        .records()
        .export_student(export)
        .await
        .unwrap()
        .into_inner();
    let mut json = Vec::new();
    while let Some(piece) = pieces.message().await.unwrap() {
        json.extend_from_slice(&piece.json);
    }
    let text = String::from_utf8(json).unwrap();
    let _: Value = serde_json::from_str(&text).unwrap();
    assert!(text.contains(ERASED));
    assert!(!text.contains("student-08"));

    // An erasure takes what is theirs, in the archive, too.
    let erase = staff.request(EraseStudentRequest {
        student_id: ERASED.to_owned(),
        reason: "left the school".to_owned(),
    });
    let erased = staff
        .records()
        .erase_student(erase)
        .await
        .unwrap()
        .into_inner();
    assert_eq!((erased.threads, erased.archive_records), (1, 1));
    expected.remove(ERASED);
    check(&teacher.report(DEMO_COURSE).await, &expected);
    let explained = teacher
        .classes()
        .explain_turn(teacher.request(explain))
        .await;
    let refused = explained.unwrap_err();
    assert_eq!(refused.code(), Code::NotFound, "{refused:?}");
    let mut bodies = 0;
    for archive in &reset.archive_names {
        let verify = staff.request(VerifyArchiveRequest {
            archive_name: archive.clone(),
        });
        let verified = staff.records().verify_archive(verify).await.unwrap();
        let verified = verified.into_inner();
        assert!(verified.intact, "{verified:?}");
        bodies += verified.records - verified.erased_records;
    }
    assert_eq!(bodies, STUDENTS as i64 - 1);

    // All of it is in the audit log, intents before outcomes.
    let list = staff.request(ListAuditEntriesRequest {
        page_size: 200,
        ..ListAuditEntriesRequest::default()
    });
    let entries = staff.records().list_audit_entries(list).await.unwrap();
    let entries = entries.into_inner().entries;
    let kinds: Vec<_> = entries.iter().rev().map(|e| e.kind.as_str()).collect();
    let acknowledged = vec!["alert-acknowledged"; helped.len()];
    let expected_kinds = [
        vec!["class-roster-set"],
        acknowledged,
        vec![
            "class-policy-changed",
            "turn-explained",
            "class-reset-begun",
            "class-reset",
            "student-exported",
            "student-erasure-begun",
            "student-erased",
        ],
    ]
    .concat();
    assert_eq!(kinds, expected_kinds);
    assert!(
        entries
            .iter()
            .all(|entry| !format!("{entry:?}").contains(ERASED))
    );

    // A teacher of another class learns nothing.
    let other = Teacher::with_role(&suite, "mr-euler", "teacher", "8a");
    let request = other.request(GetClassRosterRequest {
        class_id: Student::CLASS.to_owned(),
    });
    let refused = other.classes().get_class_roster(request).await.unwrap_err();
    check_refusal(
        &refused,
        Code::PermissionDenied,
        Why::PermissionDenied,
        "class_id",
    );
    suite.stop();
}
