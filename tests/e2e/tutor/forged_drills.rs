//! A student who forges what GradeDrill reads: whatever comes back without a good token gets feedback and counts nothing.

use jiff::{Timestamp, ToSpan};
use prost::Message;
use tonic::Code;
use turnwise_gateway_svc::tokens::{CardTokens, DrillClaims};
use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{DrillCard, DrillResult, GradeDrillRequest, StudentInput},
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    staff::Staff,
    student::{DEMO_COURSE, fresh_key},
};

use super::{
    always_right::Knows,
    answers::{Answers, typed},
    simulated_student::{SimulatedStudent, check_notices},
};

in_both_deployments!(
    nothing_counts_without_the_cards_own_token,
    what_cannot_be_read_is_refused,
    somebody_elses_thread_is_no_thread,
);

const HOUR: std::time::Duration = std::time::Duration::from_secs(3600);

/// A student in front of a drill of the first unit.
pub async fn at_a_drill(suite: &Deployment, answers: &Answers, id: &str) -> SimulatedStudent {
    let mut simulated = SimulatedStudent::start(suite, id).await;
    simulated.ask_for_a_drill(&mut Knows(answers)).await;
    simulated.drill();
    simulated
}

async fn nothing_counts_without_the_cards_own_token(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let simulated = at_a_drill(&suite, &answers, "forger").await;
    let other = at_a_drill(&suite, &answers, "other").await;
    let here = at_a_drill(&suite, &answers, "forger").await;
    let good = simulated.grading(answers.drill(simulated.drill()));
    let before = staff.recorded(&simulated.student).await;

    let with_token = |token: &str| {
        let mut forged = good.clone();
        forged.drill.as_mut().unwrap().drill_token = token.to_owned();
        forged
    };
    let edited = |edit: fn(&mut GradeDrillRequest)| {
        let mut forged = good.clone();
        edit(&mut forged);
        forged
    };
    let card = |request: &mut GradeDrillRequest, prompt: &str, question: &str| {
        let drill = request.drill.as_mut().unwrap();
        drill.prompt = prompt.to_owned();
        drill.question_latex = question.to_owned();
        request.answer = Some(typed("x = 1"));
    };
    let own_keys = own_key_file(suite.home());
    let minted = |keys: &std::path::Path, ago: i64| {
        let card = simulated.drill();
        let claims = DrillClaims {
            tenant: "default",
            student_id: &simulated.student.id,
            thread_id: &simulated.thread.thread_id,
            course_id: DEMO_COURSE,
            unit_id: simulated.unit_id(),
            prompt: &card.prompt,
            question_latex: &card.question_latex,
        };
        let then = Timestamp::now() - ago.hours();
        CardTokens::load(keys, HOUR)
            .unwrap()
            .drill(then, &claims, "")
    };
    let token = simulated.drill().drill_token.clone();
    let mut spoilt = token.clone().into_bytes();
    let last = spoilt.len() - 5;
    spoilt[last] = if spoilt[last] == b'A' { b'B' } else { b'A' };
    let true_keys = suite.data_dir.drill_token_keys_file();

    let forged = [
        ("no token", with_token("")),
        ("no token's form", with_token("drill")),
        ("a very long one", with_token(&"A".repeat(600))),
        (
            "a changed one",
            with_token(&String::from_utf8(spoilt).unwrap()),
        ),
        ("a cut one", with_token(&token[..token.len() - 8])),
        (
            "one of another student",
            with_token(&other.drill().drill_token),
        ),
        (
            "one of another thread",
            with_token(&here.drill().drill_token),
        ),
        (
            "one signed with a key of one's own",
            with_token(&minted(&own_keys, 0)),
        ),
        ("one that is too old", with_token(&minted(&true_keys, 2))),
        ("another unit", edited(|r| r.unit_id = "ALG-10".to_owned())),
        ("an easier exercise", {
            let mut forged = good.clone();
            let prompt = forged.drill.as_ref().unwrap().prompt.clone();
            card(&mut forged, &prompt, "x = 1");
            forged
        }),
        ("an edited prompt", {
            let mut forged = good.clone();
            let question = forged.drill.as_ref().unwrap().question_latex.clone();
            card(&mut forged, "Write x = 1.", &question);
            forged
        }),
        ("text moved from the prompt to the exercise", {
            let mut forged = good.clone();
            let drill = forged.drill.as_mut().unwrap();
            let last = drill.prompt.pop().unwrap();
            drill.question_latex.insert(0, last);
            forged
        }),
    ];
    for (number, (what, mut request)) in forged.into_iter().enumerate() {
        request.idempotency_key = format!("forged-{number}");
        let graded = simulated.student.grade_drill(request).await.unwrap();
        assert!(!graded.evidence_recorded, "{what}");
        check_notices(&graded.notices, &[ErrorReason::DrillTokenInvalid]);
        // Only what was set here is judged at all.
        let is_ours = what == "one that is too old";
        assert_eq!(
            graded.result() != DrillResult::Unspecified,
            is_ours,
            "{what}"
        );
        assert!(!graded.feedback_text.trim().is_empty(), "{what}");
    }
    // A token of the right keys, student and card counts: the tokens above failed for what was wrong with them.
    let after = staff.recorded(&simulated.student).await;
    assert_eq!(
        after.evidence.encode_to_vec(),
        before.evidence.encode_to_vec()
    );
    // What is too old was answered all the same, and the thread knows it.
    assert_eq!(after.version, before.version + 1);
    let fresh = GradeDrillRequest {
        idempotency_key: "in-its-time".to_owned(),
        ..with_token(&minted(&true_keys, 0))
    };
    let graded = simulated.student.grade_drill(fresh).await.unwrap();
    assert!(graded.evidence_recorded);
    assert_eq!(graded.result(), DrillResult::Correct);
    // An exam's token is none of a drill's, and neither counts for anybody else.
    let recorded = staff.recorded(&other.student).await;
    assert_eq!(
        (recorded.version, recorded.evidence.unit_progress.len()),
        (0, 0)
    );
    suite.stop();
}

/// A key file that a student made up, whose key has the name of the real one.
pub fn own_key_file(home: &std::path::Path) -> std::path::PathBuf {
    let file = home.join("keys-of-a-student");
    turnwise_testing::write_secret(&file, format!("student {}=\n", "A".repeat(43))).unwrap();
    file
}

async fn what_cannot_be_read_is_refused(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let simulated = at_a_drill(&suite, &answers, "forger").await;
    let good = simulated.grading(answers.drill(simulated.drill()));
    let before = staff.recorded(&simulated.student).await;
    let both = StudentInput {
        text: "5".to_owned(),
        latex: "5".to_owned(),
        ..StudentInput::default()
    };
    let with = |answer: Option<StudentInput>| GradeDrillRequest {
        answer,
        ..good.clone()
    };
    let drilled = |drill: Option<DrillCard>| GradeDrillRequest {
        drill,
        ..good.clone()
    };
    use Code::InvalidArgument;
    use ErrorReason as Why;
    let cases = [
        (with(None), InvalidArgument, Why::MissingMessage, "answer"),
        (
            with(Some(typed(""))),
            InvalidArgument,
            Why::MissingMessage,
            "answer",
        ),
        (
            with(Some(both)),
            InvalidArgument,
            Why::MissingMessage,
            "answer",
        ),
        (
            with(Some(typed("5\0"))),
            InvalidArgument,
            Why::InvalidText,
            "answer.text",
        ),
        (
            with(Some(typed(" \n "))),
            InvalidArgument,
            Why::InvalidText,
            "answer.text",
        ),
        (
            with(Some(typed(&"5".repeat(4001)))),
            InvalidArgument,
            Why::MessageTooLong,
            "answer.text",
        ),
        (
            drilled(None),
            InvalidArgument,
            Why::InvalidArgument,
            "drill",
        ),
        (
            drilled(Some(DrillCard::default())),
            InvalidArgument,
            Why::InvalidArgument,
            "drill",
        ),
        (
            drilled(Some(DrillCard {
                prompt: "a".repeat(2001),
                ..DrillCard::default()
            })),
            InvalidArgument,
            Why::MessageTooLong,
            "drill.prompt",
        ),
        (
            GradeDrillRequest {
                unit_id: "../ALG-01".to_owned(),
                ..good.clone()
            },
            InvalidArgument,
            Why::InvalidArgument,
            "unit_id",
        ),
        (
            GradeDrillRequest {
                idempotency_key: String::new(),
                ..good.clone()
            },
            InvalidArgument,
            Why::InvalidArgument,
            "idempotency_key",
        ),
    ];
    for (request, code, reason, field) in cases {
        let refused = simulated.student.grade_drill(request.clone()).await;
        let refused = match refused {
            Err(refused) => refused,
            Ok(graded) => panic!("{field} of {request:?} went through: {graded:?}"),
        };
        check_refusal(&refused, code, reason, field);
    }
    let course = GradeDrillRequest {
        course_id: "another-course".to_owned(),
        ..good.clone()
    };
    let refused = simulated.student.grade_drill(course).await.unwrap_err();
    assert_eq!(refused.code(), Code::NotFound, "{refused:?}");
    assert_eq!(staff.recorded(&simulated.student).await, before);
    suite.stop();
}

async fn somebody_elses_thread_is_no_thread(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let owner = at_a_drill(&suite, &answers, "owner").await;
    let thief = suite.student("thief");
    let stolen = owner.grading(answers.drill(owner.drill()));
    let refused = thief.grade_drill(stolen.clone()).await.unwrap_err();
    check_refusal(
        &refused,
        Code::NotFound,
        ErrorReason::UnknownThread,
        "thread_id",
    );
    let none = GradeDrillRequest {
        thread_id: fresh_key(),
        ..stolen
    };
    let unknown = thief.grade_drill(none).await.unwrap_err();
    check_refusal(
        &unknown,
        Code::NotFound,
        ErrorReason::UnknownThread,
        "thread_id",
    );
    for student in [&owner.student, &thief] {
        assert_eq!(staff.recorded(student).await.version, 0);
    }
    suite.stop();
}
