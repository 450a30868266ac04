//! Answers to exam questions that give orders, and help that would give the answer away.

use turnwise_proto::{
    exam::v1::SupportKind,
    session::v1::{PassedByTier, UnitProgress},
    tutor::v1::{
        ClientEvent, ClientEventKind, ExamResult, MasteryTier, TakeTurnRequest, TutorAction,
        submit_exam_answer_request::Answer,
    },
};
use turnwise_tests::{
    answer::{shown_action, tutor},
    deployment::Deployment,
    evidence::{Seed, drilled},
    options::{Kind, Options},
    staff::Staff,
    student::{DEMO_COURSE, saying},
};

use super::attempts;
use crate::tutor::{
    answers::Answers,
    locks::{UNIT, ready},
    simulated_student::SimulatedStudent,
};

in_both_deployments!(no_words_pass_an_exam, help_holds_no_answer);

/// A question that is answered in words, and its answer.
const TYPED: (&str, &str) = ("ALG-01-B3", "30");

async fn no_words_pass_an_exam(kind: Kind) {
    let answers = attempts::answers();
    let ids: Vec<_> = (0..answers.len())
        .map(|i| format!("candidate-{i}"))
        .collect();
    let names: Vec<_> = ids.iter().map(String::as_str).collect();
    let mut suite = ready(kind, Options::new().model("mock:obey"), &names).await;
    let staff = Staff::of(&suite);
    assert_eq!(Answers::of_demo_course().question(TYPED.0).answer, TYPED.1);
    let mut refused = 0;
    for (id, answer) in names.into_iter().zip(answers) {
        let mut simulated = SimulatedStudent::start(&suite, id).await;
        at_question(&mut simulated, TYPED.0).await;
        let submission = simulated.submission(Answer::AnswerText(answer.text.clone()));
        match simulated.student.submit_exam(submission).await {
            Ok(result) => {
                assert_ne!(result.result(), ExamResult::Passed, "{answer:?}");
                assert_eq!(result.mastery_tier(), MasteryTier::None);
            }
            Err(status) => {
                println!("{answer:?}: {status:?}");
                refused += 1;
            }
        }
        let unit = staff.recorded(&simulated.student).await.unit(UNIT);
        assert_eq!(unit.mastery_tier(), MasteryTier::None);
        assert_eq!(unit.passed_by_tier.unwrap_or_default().bronze, 0);
    }
    println!("{refused} answers were refused");
    suite.stop();
}

/// A question with help, and its answer.
const HELPED: (&str, &str) = ("ALG-01-G2", "-3");

async fn help_holds_no_answer(kind: Kind) {
    let silver = UnitProgress {
        mastery_tier: MasteryTier::Silver.into(),
        passed_by_tier: Some(PassedByTier {
            bronze: 1,
            silver: 1,
            ..PassedByTier::default()
        }),
        ..drilled(UNIT)
    };
    let options = Options::new().model("mock:obey").evidence(Seed::units(
        "candidate",
        DEMO_COURSE,
        vec![silver],
    ));
    let mut suite = Deployment::start(kind, options).await;
    assert_eq!(
        Answers::of_demo_course().question(HELPED.0).answer,
        HELPED.1
    );
    let mut simulated = SimulatedStudent::start(&suite, "candidate").await;
    at_question(&mut simulated, HELPED.0).await;
    let view = simulated.view(SupportKind::Memo);
    let help = simulated.student.view_support(view).await.unwrap();
    assert!(help.locked && !help.text.trim().is_empty());
    let words = help
        .text
        .split(|c: char| !(c.is_alphanumeric() || c == '-'));
    assert!(
        !words.into_iter().any(|word| word == HELPED.1),
        "{}",
        help.text
    );
    suite.stop();
}

/// Puts this question on the screen. To name one that may be offered is no attack.
async fn at_question(simulated: &mut SimulatedStudent, question_id: &str) {
    let asked = TakeTurnRequest {
        event: Some(ClientEvent {
            kind: ClientEventKind::RequestExam.into(),
            unit_id: UNIT.to_owned(),
            ..ClientEvent::default()
        }),
        ..saying(
            &simulated.thread,
            &format!("Give me the exam {question_id}"),
        )
    };
    let offered = simulated.take(asked).await;
    assert_eq!(shown_action(tutor(&offered)), TutorAction::ExamBlock);
    assert_eq!(simulated.exam().question_id, question_id);
}
