//! A class of thirty, by public calls alone: its names, what its students do, the report, calls for help, a reset with its
//! archive, an export and an erasure. The test keeps count beside it.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, stream};
use serde_json::Value;
use tonic::Code;
use turnwise_proto::{
    classes::v1::{AlertFilter, AlertKind, ClassPolicy, ModelUse, SafeguardingAlert},
    common::v1::ErrorReason as Why,
    school::v1::{
        AcknowledgeAlertRequest, EraseStudentRequest, ExplainTurnRequest, ExportStudentRequest,
        GetClassRosterRequest, ListAuditEntriesRequest, ListSafeguardingAlertsRequest, Report,
        SetClassPolicyRequest, SetClassRosterRequest, VerifyArchiveRequest, WatchClassRequest,
        watch_class_response::Event,
    },
    tutor::v1::{
        ClientEventKind, DrillCard, DrillResult, ExamCard, StudentInput, TutorAction,
        submit_exam_answer_request::Answer,
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

use crate::tutor::{
    answers::Answers,
    simulated_student::{Answering, Came, SimulatedStudent},
};

/// Students of the class.
const STUDENTS: usize = 30;
/// Drills that each of them tries.
const DRILLS: usize = 3;
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

/// What one student did, as the test counts it.
#[derive(Debug, Default, Clone, PartialEq)]
struct Counted {
    turns: i64,
    drills: i64,
    wrong: i64,
    stuck_presses: i64,
    hints: i64,
    mistakes: BTreeMap<String, i64>,
}

/// Errs in the first drills, and so often.
struct Errs<'a> {
    answers: &'a Answers,
    wrong: usize,
}

impl Answering for Errs<'_> {
    fn drill(&mut self, card: &DrillCard) -> StudentInput {
        if self.wrong == 0 {
            return self.answers.try_drill(card);
        }
        self.wrong -= 1;
        Answers::wrong_drill()
    }

    fn exam(&mut self, card: &ExamCard) -> Answer {
        self.answers.exam(card)
    }
}

fn id(number: usize) -> String {
    format!("student-{number:0>2}")
}

fn surname(number: usize) -> String {
    let letter = |at: usize| char::from(b'a' + u8::try_from(at % 26).unwrap());
    format!("Quux{}{}", letter(number / 26), letter(number))
}

/// Counts a turn's answer.
fn count(counted: &mut Counted, action: TutorAction) {
    counted.turns += 1;
    counted.hints += i64::from(action == TutorAction::SocraticQuestion);
}

/// What one student does in a term; how much of it is wrong depends on who it is.
async fn study(suite: &Deployment, number: usize, answers: &Answers) -> (String, Counted, String) {
    let mut counted = Counted::default();
    let mut student = SimulatedStudent::start(suite, &id(number)).await;
    // The hello.
    counted.turns += 1;
    counted.hints += 1;
    let mut errs = Errs {
        answers,
        wrong: number % (DRILLS + 1),
    };
    let Came::Message(answer) = student.press_labelled("next_unit", &mut errs).await else {
        panic!("no message");
    };
    count(&mut counted, shown_action(tutor(&answer)));
    for _ in 0..DRILLS {
        let unit = student.focus().to_owned();
        let thread = student.thread.clone();
        let answer = student
            .student
            .press(&thread, ClientEventKind::RequestDrill, &unit)
            .await;
        student.show(&answer);
        count(&mut counted, shown_action(tutor(&answer)));
        if shown_action(tutor(&answer)) != TutorAction::DrillCard {
            continue;
        }
        let input = errs.drill(student.drill());
        let graded = student.student.grade_drill(student.grading(input)).await;
        let graded = graded.unwrap();
        if !graded.evidence_recorded {
            continue;
        }
        counted.drills += 1;
        if graded.result() != DrillResult::Correct {
            counted.wrong += 1;
            if !graded.common_mistake_tag.is_empty() {
                *counted
                    .mistakes
                    .entry(graded.common_mistake_tag)
                    .or_default() += 1;
            }
        }
    }
    if number.is_multiple_of(3) {
        let unit = student.focus().to_owned();
        let thread = student.thread.clone();
        let answer = student
            .student
            .press(&thread, ClientEventKind::StuckHint, &unit)
            .await;
        student.show(&answer);
        count(&mut counted, shown_action(tutor(&answer)));
        counted.stuck_presses += 1;
    }
    (id(number), counted, student.thread.thread_id)
}

fn check(report: &Report, expected: &BTreeMap<String, Counted>) {
    let ids: Vec<_> = report.students.iter().map(|s| &s.student_id).collect();
    assert_eq!(ids, expected.keys().collect::<Vec<_>>());
    assert_eq!(
        usize::try_from(report.student_count).unwrap(),
        expected.len()
    );
    for student in &report.students {
        let found = Counted {
            turns: student.turns,
            drills: student.drills,
            wrong: student.wrong_drills,
            stuck_presses: student.stuck_presses,
            hints: student.hints,
            mistakes: student
                .mistakes
                .iter()
                .map(|mistake| (mistake.tag.clone(), mistake.count))
                .collect(),
        };
        assert_eq!(
            found, expected[&student.student_id],
            "{}",
            student.student_id
        );
    }
    let sum = |of: fn(&Counted) -> i64| expected.values().map(of).sum::<i64>();
    let totals = report.totals.as_ref().unwrap();
    let days = |of: fn(&turnwise_proto::school::v1::DayCount) -> i64| {
        totals.days.iter().map(of).sum::<i64>()
    };
    assert_eq!(days(|day| day.turns), sum(|c| c.turns));
    assert_eq!(days(|day| day.drills), sum(|c| c.drills));
    assert_eq!(totals.stuck_presses, sum(|c| c.stuck_presses));
    assert_eq!(totals.hints, sum(|c| c.hints));
    let units = |of: fn(&turnwise_proto::school::v1::UnitReport) -> i64| {
        report.units.iter().map(of).sum::<i64>()
    };
    assert_eq!(units(|unit| unit.stuck_presses), sum(|c| c.stuck_presses));
    let mistakes = |unit: &turnwise_proto::school::v1::UnitReport| {
        unit.mistakes.iter().map(|mistake| mistake.count).sum()
    };
    assert_eq!(
        units(mistakes),
        expected
            .values()
            .flat_map(|c| c.mistakes.values())
            .sum::<i64>()
    );
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
