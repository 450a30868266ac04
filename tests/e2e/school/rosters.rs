//! Rosters and policies that are none: each is refused with its field, and no message repeats a name.

use tonic::Code;
use turnwise_proto::{
    classes::v1::ClassPolicy,
    common::v1::ErrorReason as Why,
    school::v1::{
        ClassReportRequest, MarkPrerequisiteMetRequest, SetClassPolicyRequest,
        SetClassRosterRequest, UnmarkPrerequisiteMetRequest,
    },
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student, fresh_key},
    teacher::Teacher,
};

in_both_deployments!(
    what_makes_no_sense_is_refused_with_its_field,
    prerequisites_are_marked
);

fn roster(names: Vec<String>) -> SetClassRosterRequest {
    SetClassRosterRequest {
        class_id: Student::CLASS.to_owned(),
        names,
        idempotency_key: fresh_key(),
    }
}

async fn what_makes_no_sense_is_refused_with_its_field(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let teacher = Teacher::of(&suite);
    let many = (0..10_000).map(|n| format!("Zebedee Quux{n}")).collect();
    let named = |name: &str| vec!["Ada Lovelace".to_owned(), name.to_owned()];
    for (names, field) in [
        (many, "names"),
        (named(""), "names[1]"),
        (named("  "), "names[1]"),
        (named("123"), "names[1]"),
        (named(&"Quux".repeat(51)), "names[1]"),
        (named("Zebedee\u{7}Quux"), "names[1]"),
    ] {
        let set = teacher.request(roster(names));
        let refused = teacher.classes().set_class_roster(set).await.unwrap_err();
        check_refusal(&refused, Code::InvalidArgument, Why::InvalidArgument, field);
        assert!(!refused.message().contains("Quux"), "{refused:?}");
    }
    let without_key = SetClassRosterRequest {
        idempotency_key: String::new(),
        ..roster(named("Will"))
    };
    let set = teacher.request(without_key);
    let refused = teacher.classes().set_class_roster(set).await.unwrap_err();
    let (code, why) = (Code::InvalidArgument, Why::InvalidArgument);
    check_refusal(&refused, code, why, "idempotency_key");
    let set = teacher.request(roster(
        ["Grace Hopper", "Will", "Bo", "Ludwig van Beethoven"]
            .map(str::to_owned)
            .into(),
    ));
    let set = teacher.classes().set_class_roster(set).await.unwrap();
    assert_eq!(set.into_inner().cue_names, ["Grace", "Will", "Bo"]);

    type Spoil = fn(&mut ClassPolicy);
    let spoiled: [(Spoil, &str); 6] = [
        (|p| p.strictness = 7, "policy.strictness"),
        (|p| p.scope_mode = 7, "policy.scope_mode"),
        (|p| p.topic_filter = -1, "policy.topic_filter"),
        (|p| p.model_use = 7, "policy.model_use"),
        (|p| p.exam_use = 7, "policy.exam_use"),
        (|p| p.drill_source = 7, "policy.drill_source"),
    ];
    for (spoil, field) in spoiled {
        let mut policy = ClassPolicy::default();
        spoil(&mut policy);
        let set = teacher.request(SetClassPolicyRequest {
            class_id: Student::CLASS.to_owned(),
            policy: Some(policy),
            idempotency_key: fresh_key(),
        });
        let refused = teacher.classes().set_class_policy(set).await.unwrap_err();
        check_refusal(&refused, code, why, field);
    }
    let set = teacher.request(SetClassPolicyRequest {
        class_id: Student::CLASS.to_owned(),
        policy: None,
        idempotency_key: fresh_key(),
    });
    let refused = teacher.classes().set_class_policy(set).await.unwrap_err();
    check_refusal(&refused, code, why, "policy");

    type Change = fn(&mut ClassReportRequest);
    let changed: [(Change, Code, Why, &str); 6] = [
        (|r| r.weeks = 27, code, why, "weeks"),
        (|r| r.weeks = -1, code, why, "weeks"),
        (|r| r.page_size = 201, code, why, "page_size"),
        (|r| r.course_id.clear(), code, why, "course_id"),
        (
            |r| r.page_token = "x".to_owned(),
            code,
            Why::InvalidPageToken,
            "page_token",
        ),
        (
            |r| r.course_id = "nope".to_owned(),
            Code::NotFound,
            Why::UnknownCourse,
            "course_id",
        ),
    ];
    for (change, code, why, field) in changed {
        let mut request = ClassReportRequest {
            class_id: Student::CLASS.to_owned(),
            course_id: DEMO_COURSE.to_owned(),
            ..ClassReportRequest::default()
        };
        change(&mut request);
        let refused = teacher
            .classes()
            .class_report(teacher.request(request))
            .await;
        check_refusal(&refused.unwrap_err(), code, why, field);
    }
    suite.stop();
}

async fn prerequisites_are_marked(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let teacher = Teacher::of(&suite);
    suite.student("ada").open(DEMO_COURSE).await;
    let mark = |student: &str, course: &str, unit: &str| MarkPrerequisiteMetRequest {
        class_id: Student::CLASS.to_owned(),
        student_id: student.to_owned(),
        course_id: course.to_owned(),
        unit_id: unit.to_owned(),
        idempotency_key: fresh_key(),
    };
    for (request, why, field) in [
        (
            mark("ada", "nope", "ALG-01"),
            Why::UnknownCourse,
            "course_id",
        ),
        (
            mark("ada", DEMO_COURSE, "ALG-99"),
            Why::UnknownUnit,
            "unit_id",
        ),
        (
            mark("bob", DEMO_COURSE, "ALG-01"),
            Why::UnknownStudent,
            "student_id",
        ),
    ] {
        let refused = teacher
            .classes()
            .mark_prerequisite_met(teacher.request(request))
            .await;
        check_refusal(&refused.unwrap_err(), Code::NotFound, why, field);
    }
    let request = mark("ada", DEMO_COURSE, "ALG-01");
    for _ in 0..2 {
        let marked = teacher
            .classes()
            .mark_prerequisite_met(teacher.request(request.clone()))
            .await;
        assert_eq!(marked.unwrap().into_inner().unit_ids, ["ALG-01"]);
    }
    let met = async || {
        let report = teacher.report(DEMO_COURSE).await;
        let unit = report.units.iter().find(|unit| unit.unit_id == "ALG-01");
        unit.unwrap().met_by_teacher
    };
    assert_eq!(met().await, 1);
    let unmark = teacher.request(UnmarkPrerequisiteMetRequest {
        class_id: request.class_id,
        student_id: request.student_id,
        course_id: request.course_id,
        unit_id: request.unit_id,
        idempotency_key: fresh_key(),
    });
    let unmarked = teacher.classes().unmark_prerequisite_met(unmark).await;
    assert_eq!(unmarked.unwrap().into_inner().unit_ids, [""; 0]);
    assert_eq!(met().await, 0);
    suite.stop();
}
