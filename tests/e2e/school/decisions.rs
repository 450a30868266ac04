//! What a class's teacher decided: exams closed, the course's drills alone, no model.

use tonic::Code;
use turnwise_proto::{
    classes::v1::{ClassPolicy, DrillSource, ExamUse, ModelUse},
    common::v1::ErrorReason as Why,
    school::v1::{GetClassPolicyRequest, SetClassPolicyRequest},
    tutor::v1::{ClientEventKind, TutorAction, submit_exam_answer_request::Answer},
};
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
    locks::{UNIT, ask, at_an_exam, ready},
    simulated_student::SimulatedStudent,
};

in_both_deployments!(
    closed_exams_are_not_offered_and_offered_ones_not_answered,
    without_a_model_nothing_is_degraded,
    the_course_sets_the_drills,
);

pub async fn decide(teacher: &Teacher, policy: ClassPolicy) {
    let set = teacher.request(SetClassPolicyRequest {
        class_id: Student::CLASS.to_owned(),
        policy: Some(policy),
        idempotency_key: fresh_key(),
    });
    let set = teacher.classes().set_class_policy(set).await.unwrap();
    assert_eq!(set.into_inner().policy, Some(policy));
    let get = teacher.request(GetClassPolicyRequest {
        class_id: Student::CLASS.to_owned(),
    });
    let got = teacher.classes().get_class_policy(get).await.unwrap();
    assert_eq!(got.into_inner().policy, Some(policy));
}

async fn closed_exams_are_not_offered_and_offered_ones_not_answered(kind: Kind) {
    let mut suite = ready(kind, Options::new(), &["ada", "bob"]).await;
    let (teacher, answers) = (Teacher::of(&suite), Answers::of_demo_course());
    let ada = at_an_exam(&suite, "ada").await;
    let right: Answer = answers.exam(ada.exam());
    let submission = ada.submission(right);
    decide(
        &teacher,
        ClassPolicy {
            exam_use: ExamUse::Closed.into(),
            ..ClassPolicy::default()
        },
    )
    .await;
    let refused = ada.student.submit_exam(submission.clone()).await;
    check_refusal(
        &refused.unwrap_err(),
        Code::FailedPrecondition,
        Why::ExamsClosed,
        "",
    );
    let mut bob = SimulatedStudent::start(&suite, "bob").await;
    assert_ne!(ask(&mut bob).await, TutorAction::ExamBlock);
    // Nothing was locked: what was offered is answered when exams are open again.
    decide(&teacher, ClassPolicy::default()).await;
    ada.student.submit_exam(submission).await.unwrap();
    assert_eq!(ask(&mut bob).await, TutorAction::ExamBlock);
    let report = teacher.report(DEMO_COURSE).await;
    let unit = report.units.iter().find(|unit| unit.unit_id == UNIT);
    assert_eq!(unit.unwrap().bronze, 1);
    suite.stop();
}

async fn without_a_model_nothing_is_degraded(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let teacher = Teacher::of(&suite);
    decide(
        &teacher,
        ClassPolicy {
            model_use: ModelUse::Off.into(),
            ..ClassPolicy::default()
        },
    )
    .await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada.say(&thread, "What is a negative number?").await;
    assert_eq!(
        (answer.model.as_str(), answer.degraded_reasons.as_slice()),
        ("", [].as_slice())
    );
    let report = teacher.report(DEMO_COURSE).await;
    assert_eq!(report.totals.unwrap().fallbacks, []);
    assert_eq!(report.students[0].fallbacks, 0);
    decide(&teacher, ClassPolicy::default()).await;
    let thread = ada.thread(&thread.thread_id).await.unwrap();
    let answer = ada.say(&thread, "What is a negative number?").await;
    assert_eq!(answer.model, "mock");
    suite.stop();
}

async fn the_course_sets_the_drills(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let teacher = Teacher::of(&suite);
    let answers = Answers::of_demo_course();
    let drill_of = async |id: &str| {
        let mut student = SimulatedStudent::start(&suite, id).await;
        let thread = student.thread.clone();
        let answer = student
            .student
            .press(&thread, ClientEventKind::RequestDrill, UNIT)
            .await;
        student.show(&answer);
        assert_eq!(shown_action(tutor(&answer)), TutorAction::DrillCard);
        student.drill().clone()
    };
    let free = drill_of("ada").await;
    decide(
        &teacher,
        ClassPolicy {
            drill_source: DrillSource::Course.into(),
            ..ClassPolicy::default()
        },
    )
    .await;
    let course = drill_of("bob").await;
    assert!(!answers.knows_drill(&free), "{free:?}");
    assert!(answers.knows_drill(&course), "{course:?}");
    suite.stop();
}
