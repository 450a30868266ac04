//! One of two replicas of a service is killed while students work: a call that it had is tried again once, and no
//! acknowledged write is lost.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{TakeTurnRequest, TakeTurnResponse, Thread},
};
use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    options::Service,
    student::{DEMO_COURSE, Student, saying},
};

use super::{BACK, PATIENT, QUESTION, options, reasons};

const STUDENTS: usize = 4;
/// Turns before and after the kill.
const TURNS: usize = 24;

/// What one student met.
#[derive(Default)]
struct Met {
    taken: Vec<(TakeTurnRequest, TakeTurnResponse)>,
    refused: usize,
    degraded: usize,
}

/// Takes one turn after another until told to stop; one that is refused is sent again with the same key.
async fn work(
    student: Student,
    thread: Thread,
    count: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
) -> Met {
    let mut met = Met::default();
    while !stop.load(Ordering::SeqCst) {
        let asked = saying(&thread, QUESTION);
        let answer = loop {
            match student.turn_within(asked.clone(), PATIENT).await {
                Ok(answer) => break answer,
                // The beginning that was cut off holds the thread for a moment.
                Err(status)
                    if Fault::from_status(&status).reason() == ErrorReason::TurnInProgress =>
                {
                    tokio::task::yield_now().await;
                }
                Err(status) => {
                    println!("  {}: {status:?}", student.id);
                    met.refused += 1;
                    assert!(met.refused < 100, "nothing works any more: {status:?}");
                }
            }
        };
        if !reasons(&answer).is_empty() {
            println!("  {}: {:?}", student.id, reasons(&answer));
            met.degraded += 1;
        }
        met.taken.push((asked, answer));
        count.fetch_add(1, Ordering::SeqCst);
    }
    met
}

async fn one_of_two_is_killed(service: Service) {
    let mut suite = Deployment::five_processes(options().twice(service)).await;
    let (count, stop) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let mut simulated_students = Vec::new();
    for n in 0..STUDENTS {
        let student = suite.student(&format!("student-{n}"));
        let thread = student.open(DEMO_COURSE).await;
        let working = work(
            student.clone(),
            thread.clone(),
            Arc::clone(&count),
            Arc::clone(&stop),
        );
        simulated_students.push((student, thread, tokio::spawn(working)));
    }
    let go_on = async || {
        let enough = count.load(Ordering::SeqCst) + TURNS;
        eventually(
            "turns are taken",
            BACK + Duration::from_secs(20),
            async || (count.load(Ordering::SeqCst) >= enough).then_some(()),
        )
        .await;
    };
    go_on().await;
    suite.second(service).kill();
    go_on().await;
    stop.store(true, Ordering::SeqCst);
    for (student, thread, working) in simulated_students {
        let met = working.await.unwrap();
        println!(
            "{service:?}: {} taken, {} refused, {} degraded",
            met.taken.len(),
            met.refused,
            met.degraded
        );
        assert!(
            met.refused + met.degraded <= 1,
            "more than the call that was under proxy"
        );
        let said: Vec<_> = met
            .taken
            .iter()
            .flat_map(|(_, answer)| answer.messages.clone())
            .collect();
        assert_eq!(student.messages(&thread.thread_id, 200).await, said);
        for (asked, answer) in met.taken {
            assert_eq!(student.turn(asked).await.unwrap(), answer);
        }
    }
    suite.nothing_panicked();
}

#[tokio::test(flavor = "multi_thread")]
async fn policy() {
    one_of_two_is_killed(Service::Policy).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn retrieval() {
    one_of_two_is_killed(Service::Retrieval).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn llm_gateway() {
    one_of_two_is_killed(Service::Llm).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn session() {
    one_of_two_is_killed(Service::Session).await;
}
