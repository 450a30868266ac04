//! A steady load of turns or chats, none of which may fail, and what the processes say of their files.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{sync::watch, task::JoinSet, time::interval};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use turnwise_proto::tutor::v1::{ClientEventKind, DegradedReason as Degraded, Thread};
use turnwise_tests::{
    admin,
    chat::asking,
    deployment::Deployment,
    eventually::eventually,
    evidence::{Seed, drilled},
    options::{Options, Service},
    student::{DEMO_COURSE, Student, pressing, saying},
};

/// How many students work.
const STUDENTS: usize = 5;
/// The unit on which they may be ready for an exam.
const UNIT: &str = "ALG-01";
/// How often each of them says something.
const EVERY: Duration = Duration::from_millis(100);
/// How many turns show that it goes on: each student has begun two of them since.
const MORE: usize = 3 * STUDENTS;
/// How long anything may take that takes a second or two.
pub const SOON: Duration = Duration::from_secs(30);
/// What an answer is without if one part of the suite could not call another, or the model's server.
const CUT_OFF: [Degraded; 9] = [
    Degraded::LlmTimeout,
    Degraded::LlmTransport,
    Degraded::LlmError,
    Degraded::CircuitOpen,
    Degraded::PolicyUnavailable,
    Degraded::RetrievalUnavailable,
    Degraded::Deadline,
    Degraded::QueueBusy,
    Degraded::ExamApiUnavailable,
];

/// What students do.
#[derive(Clone)]
pub enum Work {
    /// They say something to the tutor.
    Turns,
    /// They ask the tutor for an exam, for which they are [`ready`].
    Exams,
    /// They ask the helper, on the page of the time.
    Chats(watch::Receiver<String>),
}

impl Work {
    /// Does it once. Why the answer is less than it could be.
    async fn once(&self, student: &Student, thread: &Thread) -> Result<Vec<Degraded>, Status> {
        let turn = match self {
            Self::Turns => saying(thread, "how do I add negative numbers?"),
            Self::Exams => pressing(thread, ClientEventKind::RequestExam, UNIT),
            Self::Chats(page) => {
                let page = page.borrow().clone();
                let asked = student.chat(asking(&page, "How do I solve a two-step equation?"));
                return Ok(asked.await?.degraded_reasons().collect());
            }
        };
        Ok(student.turn(turn).await?.degraded_reasons().collect())
    }
}

/// The students of a suite with these options may take an exam.
pub fn ready(options: Options) -> Options {
    (0..STUDENTS).fold(options, |options, n| {
        options.evidence(Seed::units(&name(n), DEMO_COURSE, vec![drilled(UNIT)]))
    })
}

fn name(n: usize) -> String {
    format!("pupil-{n}")
}

/// Students who work until they are told to stop.
pub struct Load {
    stop: CancellationToken,
    turns: Arc<AtomicUsize>,
    students: JoinSet<()>,
}

impl Load {
    /// Students take turns; returns once it goes on.
    pub async fn begin(suite: &Deployment) -> Self {
        Self::of(suite, Work::Turns).await
    }

    /// Students do this; returns once it goes on.
    pub async fn of(suite: &Deployment, what: Work) -> Self {
        let mut load = Self {
            stop: CancellationToken::new(),
            turns: Arc::default(),
            students: JoinSet::new(),
        };
        for n in 0..STUDENTS {
            let student = suite.student(&name(n));
            let (stop, turns) = (load.stop.clone(), Arc::clone(&load.turns));
            load.students
                .spawn(work(student, what.clone(), stop, turns));
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

async fn work(student: Student, what: Work, stop: CancellationToken, turns: Arc<AtomicUsize>) {
    let thread = student.open(DEMO_COURSE).await;
    let mut ticks = interval(EVERY);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        let degraded = what.once(&student, &thread).await;
        let degraded = degraded.unwrap_or_else(|status| panic!("{}: {status:?}", student.id));
        let is_cut_off = degraded.iter().any(|reason| CUT_OFF.contains(reason));
        assert!(!is_cut_off, "{}: {degraded:?}", student.id);
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
