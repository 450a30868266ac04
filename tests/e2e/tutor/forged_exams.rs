//! A student who forges what the exam calls read: what was not offered cannot be answered, and nobody believes a client.

use jiff::{Timestamp, ToSpan};
use tonic::{Code, Status};
use turnwise_gateway_svc::tokens::{CardTokens, OfferClaims};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{QuestionState, SupportKind},
    tutor::v1::{
        ExamResult, GetExamQuestionRequest, MasteryTier, RecordSupportViewRequest,
        SubmitExamAnswerRequest, submit_exam_answer_request::Answer,
    },
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
    answers::Answers,
    forged_drills::own_key_file,
    locks::{at_an_exam, drawing, ready, state},
    simulated_student::{SimulatedStudent, check_notices},
};

in_both_deployments!(
    only_an_offered_question_can_be_answered,
    a_clients_verdict_is_nothing,
    what_cannot_be_read_is_refused,
);

/// The causes that a token can have for being none.
const CAUSES: [&str; 4] = ["missing", "malformed", "unknown_key", "mismatch"];

/// Insists that a question counts as not offered, for one of these causes. Where the thread or its course is another one
/// altogether, that may be said instead.
fn check_not_offered(what: &str, refused: &Status, causes: &[&str]) {
    let reason = Fault::from_status(refused).reason();
    match what {
        "another course" if reason == ErrorReason::UnknownCourse => return,
        "no thread" if reason == ErrorReason::UnknownThread => return,
        _ => {}
    }
    let fault = check_refusal(
        refused,
        Code::FailedPrecondition,
        ErrorReason::DrillTokenInvalid,
        "offer_token",
    );
    let cause = Fault::metadata(&fault, "cause").unwrap();
    assert!(causes.contains(&cause), "{what}: {cause}");
}

async fn only_an_offered_question_can_be_answered(kind: Kind) {
    let mut suite = ready(kind, Options::new(), &["forger", "other"]).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let simulated = at_an_exam(&suite, "forger").await;
    let other = at_an_exam(&suite, "other").await;
    let here = at_an_exam(&suite, "forger").await;
    let before = staff.recorded(&simulated.student).await;
    let good = simulated.submission(answers.exam(simulated.exam()));
    let own_keys = own_key_file(suite.home());
    let true_keys = suite.data_dir.drill_token_keys_file();
    let minted = |keys: &std::path::Path, ago: i64, tier: MasteryTier| {
        let claims = OfferClaims {
            tenant: "default",
            student_id: &simulated.student.id,
            thread_id: &simulated.thread.thread_id,
            course_id: DEMO_COURSE,
            unit_id: simulated.unit_id(),
            question_id: &simulated.exam().question_id,
            tier,
        };
        let then = Timestamp::now() - ago.hours();
        let hour = std::time::Duration::from_secs(3600);
        CardTokens::load(keys, hour).unwrap().offer(then, &claims)
    };
    let edited = |edit: &dyn Fn(&mut SubmitExamAnswerRequest)| {
        let mut forged = good.clone();
        forged.idempotency_key = fresh_key();
        edit(&mut forged);
        forged
    };
    let with_token = |token: &str| edited(&|r| r.offer_token = token.to_owned());
    let another = answers.pack.questions.iter();
    let another = another
        .clone()
        .find(|q| q.id != good.question_id && q.units == [simulated.unit_id()])
        .unwrap();
    let forged = [
        ("no token", with_token("")),
        ("no token's form", with_token("offer")),
        (
            "one of another student",
            with_token(&other.exam().offer_token),
        ),
        (
            "one of another thread",
            with_token(&here.exam().offer_token),
        ),
        (
            "a key of one's own",
            with_token(&minted(&own_keys, 0, MasteryTier::Bronze)),
        ),
        (
            "another question",
            edited(&|r| r.question_id = another.id.clone()),
        ),
        (
            "no question",
            edited(&|r| r.question_id = "ALG-99-B1".to_owned()),
        ),
        ("another unit", edited(&|r| r.unit_id = "ALG-03".to_owned())),
        ("no unit", edited(&|r| r.unit_id = "ALG-99".to_owned())),
        (
            "another course",
            edited(&|r| r.course_id = "another".to_owned()),
        ),
        (
            "another thread",
            edited(&|r| r.thread_id = here.thread.thread_id.clone()),
        ),
        ("no thread", edited(&|r| r.thread_id = fresh_key())),
        (
            "a higher tier",
            edited(&|r| r.tier = MasteryTier::Gold.into()),
        ),
        (
            "a drill's token",
            with_token(&drill_token(&suite, &answers).await),
        ),
    ];
    for (what, request) in &forged {
        let refused = simulated.student.submit_exam(request.clone()).await;
        check_not_offered(what, &refused.unwrap_err(), &CAUSES);
        let looked = RecordSupportViewRequest {
            thread_id: request.thread_id.clone(),
            course_id: request.course_id.clone(),
            unit_id: request.unit_id.clone(),
            question_id: request.question_id.clone(),
            offer_token: request.offer_token.clone(),
            ..simulated.view(SupportKind::Memo)
        };
        // A look names no tier.
        if request.tier == good.tier {
            let refused = simulated.student.view_support(looked).await;
            check_not_offered(what, &refused.unwrap_err(), &CAUSES);
        }
        let drawn = GetExamQuestionRequest {
            thread_id: request.thread_id.clone(),
            course_id: request.course_id.clone(),
            unit_id: request.unit_id.clone(),
            question_id: request.question_id.clone(),
            tier: request.tier,
            offer_token: request.offer_token.clone(),
        };
        let refused = simulated.student.exam_question(drawn).await;
        check_not_offered(what, &refused.unwrap_err(), &CAUSES);
    }
    let old = with_token(&minted(&true_keys, 2, MasteryTier::Bronze));
    let refused = simulated.student.submit_exam(old).await.unwrap_err();
    check_not_offered("too old", &refused, &["expired"]);
    // Signed with the true keys for a tier that is not the question's: the catalogue has the last word.
    let raised = edited(&|r| {
        r.tier = MasteryTier::Gold.into();
        r.offer_token = minted(&true_keys, 0, MasteryTier::Gold);
    });
    let refused = simulated.student.submit_exam(raised).await.unwrap_err();
    check_refusal(
        &refused,
        Code::InvalidArgument,
        ErrorReason::InvalidArgument,
        "tier",
    );
    // Nobody else can use the good one.
    let stolen = edited(&|_| {});
    let refused = other.student.submit_exam(stolen).await.unwrap_err();
    check_refusal(
        &refused,
        Code::NotFound,
        ErrorReason::UnknownThread,
        "thread_id",
    );

    assert_eq!(staff.recorded(&simulated.student).await, before);
    assert_eq!(state(&simulated).await.0, QuestionState::Available);
    let result = simulated.student.submit_exam(good).await.unwrap();
    assert_eq!(result.result(), ExamResult::Passed, "the true one counts");
    suite.stop();
}

/// The token of a drill that was set for the student `forger`.
async fn drill_token(suite: &Deployment, answers: &Answers) -> String {
    let mut simulated = SimulatedStudent::start(suite, "forger").await;
    simulated.ask_for_a_drill(&mut Knows(answers)).await;
    simulated.drill().drill_token.clone()
}

async fn a_clients_verdict_is_nothing(kind: Kind) {
    let mut suite = ready(kind, Options::new(), &["forger", "modest", "honest"]).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    for (id, right, claimed, result, mismatch) in [
        ("forger", false, true, ExamResult::Locked, true),
        ("modest", true, false, ExamResult::Passed, true),
        ("honest", true, true, ExamResult::Passed, false),
    ] {
        let simulated = at_an_exam(&suite, id).await;
        let answer = if right {
            answers.exam(simulated.exam())
        } else {
            answers.wrong_exam(simulated.exam())
        };
        let request = SubmitExamAnswerRequest {
            is_correct: Some(claimed),
            ..simulated.submission(answer)
        };
        let told = simulated.student.submit_exam(request).await.unwrap();
        assert_eq!(told.result(), result, "{id}");
        let notices: &[ErrorReason] = if mismatch {
            &[ErrorReason::ResultMismatch]
        } else {
            &[]
        };
        check_notices(&told.notices, notices);
        let unit = staff
            .recorded(&simulated.student)
            .await
            .unit(simulated.unit_id());
        let passed = unit.passed_by_tier.unwrap_or_default();
        assert_eq!(
            (passed.bronze, passed.silver, passed.gold),
            (i32::from(right), 0, 0)
        );
        let tier = if right {
            MasteryTier::Bronze
        } else {
            MasteryTier::None
        };
        assert_eq!(unit.mastery_tier(), tier);
        assert_eq!(unit.confusion_tags, [], "an exam names no mistake");
    }
    suite.stop();
}

async fn what_cannot_be_read_is_refused(kind: Kind) {
    let mut suite = ready(kind, Options::new(), &["forger"]).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let simulated = at_an_exam(&suite, "forger").await;
    let before = staff.recorded(&simulated.student).await;
    let good = simulated.submission(answers.exam(simulated.exam()));
    let with = |answer: Option<Answer>| SubmitExamAnswerRequest {
        answer,
        idempotency_key: fresh_key(),
        ..good.clone()
    };
    let text = |text: &str| with(Some(Answer::AnswerText(text.to_owned())));
    let tiered = |tier: i32| SubmitExamAnswerRequest {
        tier,
        ..good.clone()
    };
    use ErrorReason as Why;
    let cases = [
        (with(None), Why::MissingMessage, "answer"),
        (text(""), Why::MissingMessage, "answer"),
        (text("5\0"), Why::InvalidText, "answer_text"),
        (text("\u{7f}"), Why::InvalidText, "answer_text"),
        (text(&"5".repeat(4001)), Why::MessageTooLong, "answer_text"),
        (
            with(Some(Answer::OptionId("../a".to_owned()))),
            Why::InvalidArgument,
            "option_id",
        ),
        (
            with(Some(Answer::OptionId("none-of-these".to_owned()))),
            Why::InvalidArgument,
            "option_id",
        ),
        (
            tiered(MasteryTier::Unspecified.into()),
            Why::InvalidArgument,
            "tier",
        ),
        (
            tiered(MasteryTier::None.into()),
            Why::InvalidArgument,
            "tier",
        ),
        (tiered(77), Why::InvalidArgument, "tier"),
        (
            SubmitExamAnswerRequest {
                idempotency_key: "two words".to_owned(),
                ..good.clone()
            },
            Why::InvalidArgument,
            "idempotency_key",
        ),
    ];
    for (request, reason, field) in cases {
        match simulated.student.submit_exam(request.clone()).await {
            Err(refused) => {
                check_refusal(&refused, Code::InvalidArgument, reason, field);
            }
            Ok(result) => panic!("{field} of {request:?} went through: {result:?}"),
        }
    }
    for kind in [0, 9] {
        let look = RecordSupportViewRequest {
            kind,
            ..simulated.view(SupportKind::Memo)
        };
        let refused = simulated.student.view_support(look).await.unwrap_err();
        check_refusal(
            &refused,
            Code::InvalidArgument,
            Why::InvalidArgument,
            "kind",
        );
    }
    let untiered = GetExamQuestionRequest {
        tier: 0,
        ..drawing(&simulated)
    };
    let refused = simulated.student.exam_question(untiered).await.unwrap_err();
    check_refusal(
        &refused,
        Code::InvalidArgument,
        Why::InvalidArgument,
        "tier",
    );

    assert_eq!(staff.recorded(&simulated.student).await, before);
    assert_eq!(state(&simulated).await, (QuestionState::Available, None));
    suite.stop();
}
