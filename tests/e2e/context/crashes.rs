//! Any order of supplies, skips, ends, messages, resets and crashes: every request ends once, and its message is answered once.

use std::{cell::RefCell, time::Duration};

use proptest::prelude::*;
use turnwise_kit::Fault;
use turnwise_proto::{
    context::v1::{CancelContextRequest, ContextRequestState, ForceRunRequest},
    tutor::v1::{Role, TakeTurnRequest, TakeTurnResponse, Thread},
};
use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    options::{self, Options, Service},
    student::{DEMO_COURSE, Student, saying},
    teacher::Teacher,
};

use crate::sequences::{at_a_gateway, run_sequences};

use super::{BUDGET, CHECK, client, in_phase, requests, skip, supplied, supply};

in_both_deployments!(every_request_ends_once_and_is_answered_once);

/// Longer than the lease of a killed gateway's work.
const SOON: Duration = Duration::from_secs(90);

#[derive(Debug, Clone, Copy)]
enum Op {
    Check,
    Say,
    /// A message that may be answered later.
    Later,
    /// The teacher removes the class's conversations.
    Reset,
    Supply,
    SupplyNonsense,
    Skip,
    Cancel,
    Force,
    /// The message that waits, or another, while this process is killed and started again.
    Crash(Service),
    /// A supply while this process is killed and started again.
    CrashWhileSupplying(Service),
}

fn ops(crashes: bool) -> impl Strategy<Value = Vec<Op>> {
    let processes = vec![Service::Session, Service::Gateway];
    let crash = prop::sample::select(processes.clone()).prop_map(Op::Crash);
    let while_supplying = prop::sample::select(processes).prop_map(Op::CrashWhileSupplying);
    let calm = prop_oneof![
        5 => Just(Op::Check),
        2 => Just(Op::Say),
        2 => Just(Op::Later),
        4 => Just(Op::Supply),
        1 => Just(Op::SupplyNonsense),
        1 => Just(Op::Skip),
        1 => Just(Op::Cancel),
        1 => Just(Op::Force),
        1 => Just(Op::Reset),
    ];
    let crashes = u32::from(crashes);
    let op = prop_oneof![18 => calm, crashes => crash, crashes => while_supplying];
    prop::collection::vec(op, 1..12)
}

/// Sends a message until it is taken; nothing for one that may be answered later in a thread that waits.
async fn until_taken(student: &Student, message: &TakeTurnRequest) -> Option<TakeTurnResponse> {
    eventually("the message is taken", SOON, || async {
        match student.turn(message.clone()).await {
            Ok(answer) => Some(Some(answer)),
            Err(status) => {
                let cause = Fault::from_status(&status);
                (cause.metadata("cause") == Some("waiting")).then_some(None)
            }
        }
    })
    .await
}

/// Does the step; what it comes to depends on what happened before, and does not matter.
async fn act(ada: &Student, teacher: &Teacher, thread: &Thread, open: Option<&str>, op: Op) {
    let id = open.unwrap_or("11111111-1111-4111-8111-111111111111");
    match op {
        Op::Supply | Op::CrashWhileSupplying(_) => {
            let _ = supplied(&ada.channel, ada.request(supply(thread, id, BUDGET))).await;
        }
        Op::SupplyNonsense => {
            let refused = supplied(&ada.channel, ada.request(supply(thread, id, "{")));
            refused.await.unwrap_err();
        }
        Op::Skip => {
            let _ = skip(ada, thread, id).await;
        }
        Op::Cancel => {
            let cancel = ada.request(CancelContextRequest {
                thread_id: thread.thread_id.clone(),
                request_id: id.to_owned(),
            });
            let _ = client(&ada.channel).cancel_context(cancel).await;
        }
        Op::Force => {
            let force = teacher.request(ForceRunRequest {
                student_id: ada.id.clone(),
                thread_id: thread.thread_id.clone(),
                request_id: id.to_owned(),
            });
            let _ = client(&ada.channel).force_run(force).await;
        }
        Op::Check | Op::Say | Op::Later | Op::Crash(_) | Op::Reset => {
            unreachable!("they are for no request")
        }
    }
}

/// What a sequence has come to, since the last reset.
struct Course {
    thread: Thread,
    open: Option<String>,
    sent: usize,
    waiting: usize,
}

impl Course {
    async fn begin(ada: &Student) -> Self {
        Self {
            thread: ada.open(DEMO_COURSE).await,
            open: None,
            sent: 0,
            waiting: 0,
        }
    }

    fn message(&self, op: Op) -> Option<TakeTurnRequest> {
        let saying = saying(&self.thread, "Why does minus a minus make a plus?");
        match op {
            Op::Check | Op::Crash(_) => Some(in_phase(&self.thread, "budget", CHECK)),
            Op::Say => Some(saying),
            Op::Later => Some(TakeTurnRequest {
                deferred: true,
                ..saying
            }),
            _ => None,
        }
    }
}

async fn run(suite: &RefCell<Deployment>, name: &str, ops: &[Op]) -> Result<(), TestCaseError> {
    let ada = suite.borrow().student(name);
    let mut course = Course::begin(&ada).await;
    for (step, op) in ops.iter().enumerate() {
        let ada = at_a_gateway(suite, name, step);
        let teacher = Teacher::of(&suite.borrow());
        if let Op::Reset = op {
            teacher.reset(&format!("{name}-{step}")).await;
            let left = requests(&ada, &course.thread).await;
            prop_assert_eq!(left.unwrap_or_default(), []);
            course = Course::begin(&ada).await;
            continue;
        }
        let message = course.message(*op);
        if let Op::Crash(service) | Op::CrashWhileSupplying(service) = op {
            let (student, open) = (ada.clone(), course.open.clone());
            let (thread, op, message) = (course.thread.clone(), *op, message.clone());
            let doing = tokio::spawn(async move {
                match message {
                    Some(message) => drop(student.turn(message).await),
                    None => act(&student, &teacher, &thread, open.as_deref(), op).await,
                }
            });
            tokio::task::yield_now().await;
            suite.borrow_mut().restart(*service);
            let _whatever_came = doing.await;
        } else if message.is_none() {
            act(&ada, &teacher, &course.thread, course.open.as_deref(), *op).await;
        }
        if let Some(message) = message {
            let ada = at_a_gateway(suite, name, step);
            let Some(answer) = until_taken(&ada, &message).await else {
                continue;
            };
            course.sent += 1;
            if let Some(required) = answer.context_required {
                course.open = Some(required.request_id);
                course.waiting += 1;
            }
        }
    }
    let ada = suite.borrow().student(name);
    ends(&ada, &course).await
}

/// Whatever is open still ends now, and every message that was not taken back has its answer.
async fn ends(ada: &Student, course: &Course) -> Result<(), TestCaseError> {
    let thread = &course.thread;
    let messages = eventually("the requests end", SOON, || async {
        let found = requests(ada, thread).await.ok()?;
        for request in &found {
            if request.state() == ContextRequestState::Open {
                let _ = skip(ada, thread, &request.request_id).await;
            }
        }
        let is_done = |request: &turnwise_proto::context::v1::ContextRequest| {
            request.answered || request.state() == ContextRequestState::Cancelled
        };
        let is_cancelled = |request: &&turnwise_proto::context::v1::ContextRequest| {
            request.state() == ContextRequestState::Cancelled
        };
        let messages = ada.messages(&thread.thread_id, 200).await;
        let answered = messages.iter().filter(|m| m.role() == Role::Assistant);
        let due = course.sent - found.iter().filter(is_cancelled).count();
        let is_over = found.len() == course.waiting && found.iter().all(is_done);
        (is_over && answered.count() >= due).then_some((messages, due))
    });
    let (messages, due) = messages.await;
    let said = |role: Role| messages.iter().filter(|m| m.role() == role).count();
    prop_assert_eq!(said(Role::User), course.sent);
    prop_assert_eq!(said(Role::Assistant), due, "{:?}", messages);
    let ids: Vec<i64> = messages.iter().map(|m| m.id).collect();
    let expected: Vec<i64> = (1..).take(ids.len()).collect();
    prop_assert_eq!(ids, expected);
    Ok(())
}

async fn every_request_ends_once_and_is_answered_once(kind: options::Kind) {
    let crashes = kind == options::Kind::FiveProcesses;
    let options = Options::new();
    run_sequences(kind, options, ops(crashes), async |suite, name, ops| {
        run(suite, name, ops).await
    })
    .await;
}
