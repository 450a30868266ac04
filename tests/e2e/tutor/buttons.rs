//! A student who never types but presses whatever there is: the server takes every button that it sends, and there is
//! always another.

use turnwise_proto::tutor::v1::{
    DrillCard, ExamCard, StudentInput, submit_exam_answer_request::Answer,
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    seed::{Choices, seed_of},
};

use super::{
    answers::{Answers, typed},
    simulated_student::{Answering, Came, SimulatedStudent},
};

/// The setting that repeats a run.
const SEED: &str = "TUTOR_SEED";
/// Presses of a run.
const PRESSES: usize = 150;

in_both_deployments!(
    with_a_model,
    without_one,
    with_one_that_explains,
    with_one_that_breaks_the_rules,
);

async fn with_a_model(kind: Kind) {
    press_on(kind, "mock").await;
}

async fn without_one(kind: Kind) {
    press_on(kind, "mock:status:503").await;
}

async fn with_one_that_explains(kind: Kind) {
    press_on(kind, "mock:break:concept_not_stuck").await;
}

async fn with_one_that_breaks_the_rules(kind: Kind) {
    press_on(kind, "mock:break:two_cards").await;
}

/// Right, wrong, or neither.
struct Anything<'a> {
    answers: &'a Answers,
    choices: Choices,
}

impl Answering for Anything<'_> {
    fn drill(&mut self, card: &DrillCard) -> StudentInput {
        match self.choices.below(5) {
            0 => typed("no idea"),
            1 | 2 => Answers::wrong_drill(),
            _ => self.answers.drill(card),
        }
    }

    fn exam(&mut self, card: &ExamCard) -> Answer {
        if self.choices.coin() {
            self.answers.exam(card)
        } else {
            self.answers.wrong_exam(card)
        }
    }
}

async fn press_on(kind: Kind, model: &str) {
    let options = Options::new()
        .model(model)
        .env("HELPER_BACKEND_MAX_ATTEMPTS", "1");
    let mut suite = Deployment::start(kind, options).await;
    let answers = Answers::of_demo_course();
    let mut choices = Choices::new(seed_of(SEED));
    let mut anything = Anything {
        answers: &answers,
        choices: choices.clone(),
    };
    let mut simulated = SimulatedStudent::start(&suite, "presses").await;
    let mut labels = Vec::new();
    for _ in 0..PRESSES {
        let buttons = simulated.buttons();
        assert!(
            simulated.primary().is_some() || simulated.button("ask_hint").is_some(),
            "no proxy on: {buttons:?}"
        );
        // Mostly what is meant, so that the student gets anywhere.
        let primary = simulated.primary().filter(|_| choices.share() < 0.6);
        let button = primary.unwrap_or_else(|| buttons[choices.below(buttons.len())].clone());
        if let Came::Message(answer) = simulated.press(&button, &mut anything).await {
            // A button does what it says.
            let focus = answer.snapshot_lite.unwrap().focus.unwrap().unit_id;
            let unit_id = button.event.as_ref().unwrap().unit_id.clone();
            let nudge = simulated.standing.prereq_nudge.as_ref();
            assert!(
                focus == unit_id || nudge.is_some_and(|nudge| nudge.unit_id == focus),
                "{button:?} led to {focus}"
            );
        }
        if !labels.contains(&button.label_key) {
            labels.push(button.label_key);
        }
    }
    println!("{labels:?}");
    for label in ["check_answer", "continue", "ask_hint"] {
        assert!(labels.iter().any(|l| l == label), "{label} never came");
    }
    suite.stop();
}
