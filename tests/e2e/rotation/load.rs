//! A steady load of turns, none of which may fail, and what the processes say of their files.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{task::JoinSet, time::interval};
use tokio_util::sync::CancellationToken;
use turnwise_proto::tutor::v1::DegradedReason as Degraded;
use turnwise_tests::{
    admin,
    deployment::Deployment,
    eventually::eventually,
    options::Service,
    student::{DEMO_COURSE, Student, saying},
};

/// How many students work.
const STUDENTS: usize = 5;
/// How often each of them says something.
const EVERY: Duration = Duration::from_millis(100);
/// How many turns show that it goes on: each student has begun two of them since.
const MORE: usize = 3 * STUDENTS;
/// How long anything may take that takes a second or two.
pub const SOON: Duration = Duration::from_secs(30);
/// What an answer is without if one part of the suite could not call another, or the model's server.
const CUT_OFF: [Degraded; 8] = [
    Degraded::LlmTimeout,
    Degraded::LlmTransport,
    Degraded::LlmError,
    Degraded::CircuitOpen,
    Degraded::PolicyUnavailable,
    Degraded::RetrievalUnavailable,
    Degraded::Deadline,
    Degraded::QueueBusy,
];

/// Students who take turns until they are told to stop.
pub struct Load {
    stop: CancellationToken,
    turns: Arc<AtomicUsize>,
    students: JoinSet<()>,
}

impl Load {
    /// Begins, and returns once every student has had an answer.
    pub async fn begin(suite: &Deployment) -> Self {
        let mut load = Self {
            stop: CancellationToken::new(),
            turns: Arc::default(),
            students: JoinSet::new(),
        };
        for n in 0..STUDENTS {
            let student = suite.student(&format!("pupil-{n}"));
            let (stop, turns) = (load.stop.clone(), Arc::clone(&load.turns));
            load.students.spawn(work(student, stop, turns));
        }
        load.goes_on().await;
        load
    }

    /// Waits for further turns.
    pub async fn goes_on(&mut self) {
        let wanted = self.turns.load(Ordering::SeqCst) + MORE;
        let turns = Arc::clone(&self.turns);
        let more = eventually("further turns", SOON, async || {
            (turns.load(Ordering::SeqCst) >= wanted).then_some(())
        });
        tokio::select! {
            () = more => {}
            Some(ended) = self.students.join_next() => ended.expect("no turn fails"),
        }
    }

    /// Ends it; no turn has failed.
    pub async fn end(mut self) {
        self.stop.cancel();
        while let Some(ended) = self.students.join_next().await {
            ended.expect("no turn fails");
        }
        println!("{} turns", self.turns.load(Ordering::SeqCst));
    }
}

async fn work(student: Student, stop: CancellationToken, turns: Arc<AtomicUsize>) {
    let thread = student.open(DEMO_COURSE).await;
    let mut ticks = interval(EVERY);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        let answer = student
            .turn(saying(&thread, "how do I add negative numbers?"))
            .await;
        let answer = answer.unwrap_or_else(|status| panic!("{}: {status:?}", student.id));
        let cut_off = answer.degraded_reasons().find(|it| CUT_OFF.contains(it));
        assert_eq!(cut_off, None, "{}: {answer:?}", student.id);
        turns.fetch_add(1, Ordering::SeqCst);
    }
}

/// Waits until each of these services has taken a changed file of this setting so often.
pub async fn read_again(suite: &Deployment, services: &[Service], setting: &str, times: u32) {
    counted(suite, services, "files_read_again", setting, times).await;
}

/// Waits until each of these services has found that the file cannot be used.
pub async fn refused(suite: &Deployment, services: &[Service], setting: &str) {
    counted(suite, services, "files_refused", setting, 1).await;
}

async fn counted(
    suite: &Deployment,
    services: &[Service],
    metric: &str,
    setting: &str,
    times: u32,
) {
    // The gateway has two clients of its Redis, and each counts the file.
    let name = format!("{metric}_total{{setting=\"{setting}\"}} ");
    for &service in services {
        let admin = suite.at(service).admin.unwrap();
        let what = format!("{service:?} says {name}{times}");
        eventually(&what, SOON, async || {
            let (_, metrics) = admin::get(admin, "/metrics").await;
            let mut counts = metrics.lines().filter_map(|line| line.strip_prefix(&name));
            counts
                .any(|count| count.parse::<u32>().is_ok_and(|count| count >= times))
                .then_some(())
        })
        .await;
    }
}
