//! What is sent again, or by many at once, counts once and is answered in the same way.

use bytes::Bytes;
use futures_util::future::join_all;
use prost::Message;
use tonic::{Code, Status};
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::SupportKind,
    tutor::v1::{
        DrillResult, ExamResult, GradeDrillRequest, GradeDrillResponse, GradedBy,
        RecordSupportViewRequest, SubmitExamAnswerRequest, SubmitExamAnswerResponse,
    },
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    raw,
    refusal::check_refusal,
    staff::Staff,
    student::{Student, fresh_key},
};

use super::{
    always_right::Knows,
    answers::{Answers, typed},
    locks::{UNIT, at_an_exam, ready},
    simulated_student::{SimulatedStudent, check_notices},
};

in_both_deployments!(
    a_drill_is_graded_once,
    twenty_grades_at_once_are_one,
    twenty_submissions_at_once_are_one,
    a_retry_is_answered_with_the_same_bytes,
    what_could_not_be_checked_may_be_tried_again,
);

/// How many send the same at once.
const AT_ONCE: usize = 20;

async fn at_a_drill(suite: &Deployment, answers: &Answers, id: &str) -> SimulatedStudent {
    let mut simulated = SimulatedStudent::start(suite, id).await;
    simulated.ask_for_a_drill(&mut Knows(answers)).await;
    simulated
}

async fn call<M: Message + Clone>(
    student: &Student,
    method: &str,
    message: &M,
) -> Result<Bytes, Status> {
    let path = format!("/turnwise.tutor.v1.TutorService/{method}");
    let request = raw::encoded(student.request(message.clone()));
    raw::call(&student.channel, &path, request).await
}

async fn a_drill_is_graded_once(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let simulated = at_a_drill(&suite, &answers, "tries").await;
    let wrong = simulated.grading(Answers::wrong_drill());
    let first = simulated.student.grade_drill(wrong).await.unwrap();
    assert_eq!(first.result(), DrillResult::Incorrect);
    let recorded = staff.recorded(&simulated.student).await;
    assert_eq!(recorded.version, 1);
    for answer in [answers.drill(simulated.drill()), Answers::wrong_drill()] {
        let again = simulated
            .student
            .grade_drill(simulated.grading(answer))
            .await
            .unwrap();
        check_notices(&again.notices, &[ErrorReason::DrillAlreadyGraded]);
        assert_eq!(again.result(), first.result(), "the first verdict holds");
        assert_eq!(again.common_mistake_tag, first.common_mistake_tag);
        assert_eq!(again.graded_by(), first.graded_by());
        assert!(!again.evidence_recorded);
        assert_eq!(again.mastery_tier, first.mastery_tier);
        assert_eq!(again.buttons, first.buttons);
    }
    assert_eq!(staff.recorded(&simulated.student).await, recorded);
    suite.stop();
}

async fn twenty_grades_at_once_are_one(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    // With one key: a client that retries. Every answer is the same.
    let simulated = at_a_drill(&suite, &answers, "retries").await;
    let request = simulated.grading(answers.drill(simulated.drill()));
    let sent = (0..AT_ONCE).map(|_| call(&simulated.student, "GradeDrill", &request));
    let told = join_all(sent).await;
    let told: Vec<_> = told.into_iter().map(Result::unwrap).collect();
    let counted: Vec<_> = told
        .iter()
        .map(|bytes| GradeDrillResponse::decode(bytes.clone()).unwrap())
        .collect();
    check_one(&staff, &simulated, &counted).await;
    let stored = call(&simulated.student, "GradeDrill", &request)
        .await
        .unwrap();
    assert!(told.contains(&stored), "the stored answer was given before");

    // With a key each: a student who presses as fast as they can.
    let simulated = at_a_drill(&suite, &answers, "hammers").await;
    let requests: Vec<_> = (0..AT_ONCE)
        .map(|i| {
            let answer = if i % 2 == 0 {
                answers.drill(simulated.drill())
            } else {
                Answers::wrong_drill()
            };
            simulated.grading(answer)
        })
        .collect();
    let sent = requests
        .into_iter()
        .map(|r| simulated.student.grade_drill(r));
    let told = join_all(sent).await;
    let told: Vec<_> = told.into_iter().map(Result::unwrap).collect();
    let counted = told.iter().filter(|grade| grade.evidence_recorded).count();
    assert_eq!(counted, 1);
    for again in told.iter().filter(|grade| !grade.evidence_recorded) {
        check_notices(&again.notices, &[ErrorReason::DrillAlreadyGraded]);
    }
    check_one(&staff, &simulated, &told).await;
    suite.stop();
}

/// One grade is recorded, and everybody was told the same verdict.
async fn check_one(staff: &Staff, simulated: &SimulatedStudent, told: &[GradeDrillResponse]) {
    for grade in told {
        assert_eq!(grade.result, told[0].result);
    }
    let recorded = staff.recorded(&simulated.student).await;
    assert_eq!(recorded.version, 1);
    let drill = recorded.unit(simulated.unit_id()).drill.unwrap();
    assert_eq!(drill.attempts, 1);
    let right = i32::from(told[0].result() == DrillResult::Correct);
    assert_eq!((drill.correct, drill.streak_wrong), (right, 1 - right));
}

async fn twenty_submissions_at_once_are_one(kind: Kind) {
    let mut suite = ready(kind, Options::new(), &["retries", "hammers"]).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    for id in ["retries", "hammers"] {
        let simulated = at_an_exam(&suite, id).await;
        let before = staff.recorded(&simulated.student).await;
        let request = simulated.submission(answers.exam(simulated.exam()));
        let sent = (0..AT_ONCE).map(|_| {
            let mut request = request.clone();
            if id == "hammers" {
                request.idempotency_key = fresh_key();
            }
            simulated.student.submit_exam(request)
        });
        let told = join_all(sent).await;
        let told: Vec<SubmitExamAnswerResponse> = told.into_iter().map(Result::unwrap).collect();
        for result in &told {
            assert_eq!(result.result(), ExamResult::Passed);
        }
        let counted = told.iter().filter(|result| result.recorded).count();
        if id == "hammers" {
            assert_eq!(counted, 1);
        } else {
            assert_eq!(counted, AT_ONCE, "a retry is told what the first was told");
        }
        let after = staff.recorded(&simulated.student).await;
        assert_eq!(after.version, before.version + 1);
        assert_eq!(after.unit(UNIT).passed_by_tier.unwrap().bronze, 1);
    }
    suite.stop();
}

async fn a_retry_is_answered_with_the_same_bytes(kind: Kind) {
    let mut suite = ready(kind, Options::new(), &["retries"]).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let drilled = at_a_drill(&suite, &answers, "drilled").await;
    let grade = drilled.grading(Answers::wrong_drill());
    let first = call(&drilled.student, "GradeDrill", &grade).await.unwrap();
    assert_eq!(
        call(&drilled.student, "GradeDrill", &grade).await.unwrap(),
        first
    );
    let other = GradeDrillRequest {
        answer: Some(typed("another answer")),
        ..grade.clone()
    };
    check_conflict(&call(&drilled.student, "GradeDrill", &other).await);
    assert_eq!(
        call(&drilled.student, "GradeDrill", &grade).await.unwrap(),
        first
    );
    assert_eq!(staff.recorded(&drilled.student).await.version, 1);

    let simulated = at_an_exam(&suite, "retries").await;
    let before = staff.recorded(&simulated.student).await.version;
    let submit = simulated.submission(answers.wrong_exam(simulated.exam()));
    let first = call(&simulated.student, "SubmitExamAnswer", &submit)
        .await
        .unwrap();
    let again = call(&simulated.student, "SubmitExamAnswer", &submit)
        .await
        .unwrap();
    assert_eq!(again, first);
    for other in [
        SubmitExamAnswerRequest {
            answer: Some(answers.exam(simulated.exam())),
            ..submit.clone()
        },
        SubmitExamAnswerRequest {
            is_correct: Some(true),
            ..submit.clone()
        },
    ] {
        check_conflict(&call(&simulated.student, "SubmitExamAnswer", &other).await);
    }
    let look = RecordSupportViewRequest {
        idempotency_key: submit.idempotency_key.clone(),
        ..simulated.view(SupportKind::Memo)
    };
    check_conflict(&call(&simulated.student, "RecordSupportView", &look).await);
    assert_eq!(staff.recorded(&simulated.student).await.version, before + 1);
    suite.stop();
}

fn check_conflict(answer: &Result<Bytes, Status>) {
    let refused = answer.as_ref().expect_err("the key was used before");
    check_refusal(refused, Code::Aborted, ErrorReason::IdempotencyConflict, "");
}

async fn what_could_not_be_checked_may_be_tried_again(kind: Kind) {
    let options = Options::new()
        .model("mock:status:503")
        .env("HELPER_BACKEND_MAX_ATTEMPTS", "1");
    let mut suite = Deployment::start(kind, options).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let simulated = at_a_drill(&suite, &answers, "tries").await;
    for _ in 0..3 {
        let unread = simulated.grading(typed("no idea at all"));
        let graded = simulated.student.grade_drill(unread).await.unwrap();
        assert_eq!(graded.result(), DrillResult::Unspecified);
        assert_eq!(graded.graded_by(), GradedBy::Unspecified);
        assert!(!graded.evidence_recorded);
        assert!(!graded.feedback_text.is_empty());
        assert!(
            graded.degraded_reasons.is_empty(),
            "no model is asked about a drill that has a key"
        );
        check_notices(&graded.notices, &[]);
    }
    assert_eq!(staff.recorded(&simulated.student).await.version, 0);
    let right = simulated.grading(answers.drill(simulated.drill()));
    let graded = simulated.student.grade_drill(right).await.unwrap();
    assert_eq!(graded.result(), DrillResult::Correct);
    assert!(graded.evidence_recorded);
    assert_eq!(staff.recorded(&simulated.student).await.version, 1);
    suite.stop();
}
