//! Any order of supplies, skips, ends, messages and crashes: every request ends once, and its message is answered once.

use std::{cell::RefCell, time::Duration};

use proptest::prelude::*;
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

use crate::sequences::run_sequences;

use super::{BUDGET, CHECK, client, in_phase, requests, skip, supplied, supply};

in_both_deployments!(every_request_ends_once_and_is_answered_once);

/// Longer than the lease of a killed gateway's work.
const SOON: Duration = Duration::from_secs(90);

#[derive(Debug, Clone, Copy)]
enum Op {
    Check,
    Say,
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
    let op = prop_oneof![
        5 => Just(Op::Check),
        2 => Just(Op::Say),
        4 => Just(Op::Supply),
        1 => Just(Op::SupplyNonsense),
        1 => Just(Op::Skip),
        1 => Just(Op::Cancel),
        1 => Just(Op::Force),
        u32::from(crashes) => crash,
        u32::from(crashes) => while_supplying,
    ];
    prop::collection::vec(op, 1..12)
}

async fn until_answered(student: &Student, message: &TakeTurnRequest) -> TakeTurnResponse {
    eventually("the message is taken", SOON, || async {
        student.turn(message.clone()).await.ok()
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
        Op::Check | Op::Say | Op::Crash(_) => unreachable!("they are messages"),
    }
}

async fn run(suite: &RefCell<Deployment>, name: &str, ops: &[Op]) -> Result<(), TestCaseError> {
    let ada = suite.borrow().student(name);
    let thread = ada.open(DEMO_COURSE).await;
    let (mut open, mut sent, mut waiting) = (None::<String>, 0_usize, 0_usize);
    for op in ops {
        let (ada, teacher) = (suite.borrow().student(name), Teacher::of(&suite.borrow()));
        let message = match op {
            Op::Check | Op::Crash(_) => Some(in_phase(&thread, "budget", CHECK)),
            Op::Say => Some(saying(&thread, "Why does minus a minus make a plus?")),
            _ => None,
        };
        if let Op::Crash(service) | Op::CrashWhileSupplying(service) = op {
            let (student, open) = (ada.clone(), open.clone());
            let (thread, op, message) = (thread.clone(), *op, message.clone());
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
            act(&ada, &teacher, &thread, open.as_deref(), *op).await;
        }
        if let Some(message) = message {
            let ada = suite.borrow().student(name);
            let answer = until_answered(&ada, &message).await;
            sent += 1;
            if let Some(required) = answer.context_required {
                open = Some(required.request_id);
                waiting += 1;
            }
        }
    }
    // Whatever is open still ends now.
    let ada = suite.borrow().student(name);
    let found = eventually("the requests end", SOON, || async {
        let found = requests(&ada, &thread).await.ok()?;
        for request in &found {
            if request.state() == ContextRequestState::Open {
                let _ = skip(&ada, &thread, &request.request_id).await;
            }
        }
        let is_done = |request: &turnwise_proto::context::v1::ContextRequest| {
            request.answered || request.state() == ContextRequestState::Cancelled
        };
        found.iter().all(is_done).then_some(found)
    })
    .await;
    prop_assert_eq!(found.len(), waiting);
    let cancelled = found
        .iter()
        .filter(|request| request.state() == ContextRequestState::Cancelled)
        .count();
    let messages = ada.messages(&thread.thread_id, 200).await;
    let said = |role: Role| messages.iter().filter(|m| m.role() == role).count();
    prop_assert_eq!(said(Role::User), sent);
    prop_assert_eq!(said(Role::Assistant), sent - cancelled, "{:?}", messages);
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
