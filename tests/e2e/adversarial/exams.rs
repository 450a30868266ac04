//! Answers to exam questions that give orders, and help that would give the answer away.

use turnwise_proto::{
    exam::v1::SupportKind,
    tutor::v1::{ExamResult, MasteryTier, TutorAction, submit_exam_answer_request::Answer},
};
use turnwise_tests::{
    answer::{shown_action, tutor},
    options::{Kind, Options},
    staff::Staff,
};

use super::tried;
use crate::tutor::{
    answers::Answers,
    locks::{UNIT, ready},
    pupil::Pupil,
};

in_both_deployments!(no_words_pass_an_exam);

/// A question that is answered in words, and its answer.
const TYPED: (&str, &str) = ("ALG-01-B3", "30");

async fn no_words_pass_an_exam(kind: Kind) {
    let answers = tried::answers();
    let ids: Vec<_> = (0..answers.len())
        .map(|i| format!("candidate-{i}"))
        .collect();
    let names: Vec<_> = ids.iter().map(String::as_str).collect();
    let mut suite = ready(kind, Options::new().model("mock:obey"), &names).await;
    let staff = Staff::of(&suite);
    assert_eq!(Answers::of_demo_course().question(TYPED.0).answer, TYPED.1);
    let mut refused = 0;
    for (id, answer) in names.into_iter().zip(answers) {
        // To name a question that may be offered is no attack.
        let mut pupil = Pupil::start(&suite, id).await;
        let offered = pupil.say("Give me the bronze exam ALG-01-B3").await;
        assert_eq!(shown_action(tutor(&offered)), TutorAction::ExamBlock);
        assert_eq!(pupil.exam().question_id, TYPED.0);
        let submission = pupil.submission(Answer::AnswerText(answer.text.clone()));
        match pupil.student.submit_exam(submission).await {
            Ok(result) => {
                assert_ne!(result.result(), ExamResult::Passed, "{answer:?}");
                assert_eq!(result.mastery_tier(), MasteryTier::None);
            }
            Err(status) => {
                println!("{answer:?}: {status:?}");
                refused += 1;
            }
        }
        let unit = staff.recorded(&pupil.student).await.unit(UNIT);
        assert_eq!(unit.mastery_tier(), MasteryTier::None);
        assert_eq!(unit.passed_by_tier.unwrap_or_default().bronze, 0);
        let help = pupil
            .student
            .view_support(pupil.view(SupportKind::Memo))
            .await
            .unwrap();
        let words = help.text.split(|c: char| !c.is_alphanumeric());
        assert!(
            !words.into_iter().any(|word| word == TYPED.1),
            "{}",
            help.text
        );
    }
    println!("{refused} answers were refused");
    suite.stop();
}
