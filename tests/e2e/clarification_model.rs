//! Any order of answers, corrections, buttons, repeats and crashes, beside a model of a few lines: each question is asked and
//! answered once, in order, and nothing is searched while one is open.

use std::{cell::RefCell, time::Duration};

use proptest::prelude::*;
use tonic::Code;
use turnwise_proto::tutor::v1::{
    ClientEvent, ClientEventKind as Kind, TakeTurnRequest, TakeTurnResponse, Thread,
};
use turnwise_tests::{
    admin,
    deployment::Deployment,
    eventually::eventually,
    options::{self, Options, Service},
    student::{DEMO_COURSE, Student, empty_turn, saying},
    teacher::Teacher,
};

use crate::sequences::{at_a_gateway, run_sequences};

in_both_deployments!(questions_are_asked_once_in_any_order_of_things);

/// Its best match is the demo course's document about scaling, which has three questions.
const WANTED: &str = "How do I scale a recipe of my own?";
const QUESTIONS: usize = 3;
const SOON: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy)]
enum Op {
    /// What the document is about: it begins the questions, or answers one.
    Want,
    /// Something else: it answers a question, or is answered.
    Say,
    Skip,
    Cancel,
    Correct(i32),
    /// A button of something else.
    Drill,
    /// The last message once more, under its key.
    Again,
    /// What the document is about, while this process is killed and started again.
    Crash(Service),
    /// The teacher removes the class's conversations; a new thread knows of nothing.
    Reset,
}

fn ops(crashes: bool) -> impl Strategy<Value = Vec<Op>> {
    let processes = vec![Service::Session, Service::Gateway];
    let crash = prop::sample::select(processes).prop_map(Op::Crash);
    let op = prop_oneof![
        4 => Just(Op::Want),
        5 => Just(Op::Say),
        1 => Just(Op::Skip),
        1 => Just(Op::Cancel),
        2 => (-1..4_i32).prop_map(Op::Correct),
        1 => Just(Op::Drill),
        1 => Just(Op::Again),
        1 => Just(Op::Reset),
        u32::from(crashes) => crash,
    ];
    prop::collection::vec(op, 1..20)
}

/// What is expected of a message.
#[derive(Debug, PartialEq)]
enum Expected {
    /// This question, from 1.
    Question(usize),
    Answer,
    Refusal,
}

#[derive(Debug, Default)]
struct Model {
    /// How many questions are answered, where one is open.
    open: Option<usize>,
    clarified: bool,
}

impl Model {
    fn take(&mut self, op: Op) -> Expected {
        match (op, self.open) {
            (Op::Want | Op::Crash(_), None) if !self.clarified => {
                self.open = Some(0);
                Expected::Question(1)
            }
            (Op::Want | Op::Crash(_) | Op::Say, None) => Expected::Answer,
            (Op::Want | Op::Crash(_) | Op::Say, Some(answered)) if answered + 1 < QUESTIONS => {
                self.open = Some(answered + 1);
                Expected::Question(answered + 2)
            }
            (Op::Want | Op::Crash(_) | Op::Say | Op::Skip, Some(_)) => {
                self.open = None;
                self.clarified = true;
                Expected::Answer
            }
            (Op::Cancel, Some(_)) | (Op::Drill, _) => {
                self.open = None;
                Expected::Answer
            }
            (Op::Correct(index), Some(answered)) => match usize::try_from(index) {
                Ok(index) if index < answered => {
                    self.open = Some(index);
                    Expected::Question(index + 1)
                }
                _ => Expected::Refusal,
            },
            (Op::Skip | Op::Cancel | Op::Correct(_), None) => Expected::Refusal,
            (Op::Again | Op::Reset, _) => unreachable!("they are no messages"),
        }
    }
}

fn message(thread: &Thread, op: Op) -> TakeTurnRequest {
    let press = |kind: Kind, unit_id: &str, question_index: i32| TakeTurnRequest {
        event: Some(ClientEvent {
            kind: kind.into(),
            unit_id: unit_id.to_owned(),
            question_index,
            ..ClientEvent::default()
        }),
        ..empty_turn(thread)
    };
    match op {
        Op::Want | Op::Crash(_) | Op::Again | Op::Reset => saying(thread, WANTED),
        Op::Say => saying(thread, "Why does minus a minus make a plus?"),
        Op::Skip => press(Kind::ClarificationSkip, "", 0),
        Op::Cancel => press(Kind::ClarificationCancel, "", 0),
        Op::Correct(index) => press(Kind::ClarificationCorrect, "", index),
        Op::Drill => press(Kind::RequestDrill, "ALG-01", 0),
    }
}

fn told(answer: &TakeTurnResponse) -> Expected {
    match &answer.clarification {
        Some(progress) => Expected::Question(usize::try_from(progress.question_number).unwrap()),
        None => Expected::Answer,
    }
}

/// How often retrieval was asked for anything so far.
async fn searches(suite: &RefCell<Deployment>) -> u64 {
    let at = suite.borrow().at(Service::Retrieval).admin.unwrap();
    let mut sum = 0;
    for method in ["MapMessage", "Retrieve"] {
        let method = format!("/turnwise.retrieval.v1.RetrievalService/{method}");
        sum += admin::handled(at, &method, "OK").await;
    }
    sum
}

/// Sends a message until it is answered, whatever happens to the services meanwhile.
async fn until_answered(student: &Student, message: &TakeTurnRequest) -> TakeTurnResponse {
    eventually("the message is answered", SOON, || async {
        student.turn(message.clone()).await.ok()
    })
    .await
}

async fn run(suite: &RefCell<Deployment>, name: &str, ops: &[Op]) -> Result<(), TestCaseError> {
    let ada = suite.borrow().student(name);
    let mut thread = ada.open(DEMO_COURSE).await;
    let mut model = Model::default();
    let mut last: Option<(TakeTurnRequest, TakeTurnResponse)> = None;
    for (step, op) in ops.iter().enumerate() {
        let ada = at_a_gateway(suite, name, step);
        if let Op::Reset = op {
            let teacher = Teacher::of(&suite.borrow());
            teacher.reset(&format!("{name}-{step}")).await;
            thread = ada.open(DEMO_COURSE).await;
            (model, last) = (Model::default(), None);
            continue;
        }
        if let Op::Again = op {
            if let Some((message, answer)) = &last {
                prop_assert_eq!(&ada.turn(message.clone()).await.unwrap(), answer);
            }
            continue;
        }
        let was_open = model.open.is_some();
        let expected = model.take(*op);
        let message = message(&thread, *op);
        if let Op::Crash(service) = op {
            let (student, sent) = (ada, message.clone());
            let first = tokio::spawn(async move { student.turn(sent).await });
            tokio::task::yield_now().await;
            suite.borrow_mut().restart(*service);
            let _whatever_came = first.await;
            let ada = suite.borrow().student(name);
            let answer = until_answered(&ada, &message).await;
            prop_assert_eq!(told(&answer), expected, "{:?} in {:?}", op, model);
            last = Some((message, answer));
            continue;
        }
        let before = searches(suite).await;
        match ada.turn(message.clone()).await {
            Ok(answer) => {
                prop_assert_eq!(told(&answer), expected, "{:?} in {:?}", op, model);
                if was_open && !matches!(op, Op::Cancel | Op::Drill) {
                    prop_assert_eq!(searches(suite).await, before);
                }
                last = Some((message, answer));
            }
            Err(refused) => {
                prop_assert_eq!(refused.code(), Code::InvalidArgument, "{}", refused);
                prop_assert_eq!(Expected::Refusal, expected, "{:?} in {:?}", op, model);
            }
        }
    }
    let ada = suite.borrow().student(name);
    let known = ada.thread(&thread.thread_id).await.unwrap().message_count;
    let stored = ada.messages(&thread.thread_id, 200).await.len();
    prop_assert_eq!(usize::try_from(known).unwrap(), stored);
    Ok(())
}

async fn questions_are_asked_once_in_any_order_of_things(kind: options::Kind) {
    let crashes = kind == options::Kind::FiveProcesses;
    let options = Options::new().env("ADMIN_LISTEN", "127.0.0.1:0");
    run_sequences(kind, options, ops(crashes), async |suite, name, ops| {
        run(suite, name, ops).await
    })
    .await;
}
