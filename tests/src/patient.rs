//! A student whose client does as it is told: a call that fails is sent again, with the same key, when and where it may.

use std::{
    collections::BTreeMap,
    future::Future,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep};
use tonic::Status;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{
        GradeDrillRequest, GradeDrillResponse, SubmitExamAnswerRequest, SubmitExamAnswerResponse,
        TakeTurnRequest, TakeTurnResponse,
    },
};

use crate::student::Student;

/// Whoever has no answer after this time never gets one.
const BOUND: Duration = Duration::from_secs(120);
/// The pause where nobody said how long it should be.
const PAUSE: Duration = Duration::from_millis(20);

/// A student with ways to one gateway or several.
pub struct Patient {
    doors: Vec<Student>,
    /// The way that is tried next.
    door: AtomicUsize,
    met: Mutex<Met>,
}

/// What a student has asked and met.
#[derive(Default)]
pub struct Met {
    /// Turns and their answers.
    pub turns: Vec<(TakeTurnRequest, TakeTurnResponse)>,
    /// Answers to drills, and what came of them.
    pub grades: Vec<(GradeDrillRequest, GradeDrillResponse)>,
    /// Answers to exam questions, and what came of them.
    pub exams: Vec<(SubmitExamAnswerRequest, SubmitExamAnswerResponse)>,
    /// How many calls were answered.
    pub calls: usize,
    /// How often calls were sent again, by why.
    pub again: BTreeMap<String, usize>,
    /// The longest time from the first sending of a call to its answer.
    pub longest: Duration,
}

impl Patient {
    /// The student with these connections; one way at least. `first` is tried first.
    pub fn new(doors: Vec<Student>, first: usize) -> Self {
        Self {
            doors,
            door: AtomicUsize::new(first),
            met: Mutex::default(),
        }
    }

    /// The student with the first of the connections.
    pub fn student(&self) -> &Student {
        &self.doors[0]
    }

    /// What was asked and met so far.
    pub fn met(&self) -> MutexGuard<'_, Met> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything that was asked and met.
    pub fn into_met(self) -> Met {
        self.met
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a turn.
    pub async fn turn(&self, turn: TakeTurnRequest) -> TakeTurnResponse {
        let ask = |student: Student| {
            let turn = turn.clone();
            async move { student.turn(turn).await }
        };
        let answer = self.insist(ask).await;
        self.met().turns.push((turn, answer.clone()));
        answer
    }

    /// Answers a drill.
    pub async fn grade_drill(&self, grade: GradeDrillRequest) -> GradeDrillResponse {
        let ask = |student: Student| {
            let grade = grade.clone();
            async move { student.grade_drill(grade).await }
        };
        let answer = self.insist(ask).await;
        self.met().grades.push((grade, answer.clone()));
        answer
    }

    /// Answers an exam question.
    pub async fn submit_exam(&self, exam: SubmitExamAnswerRequest) -> SubmitExamAnswerResponse {
        let ask = |student: Student| {
            let exam = exam.clone();
            async move { student.submit_exam(exam).await }
        };
        let answer = self.insist(ask).await;
        self.met().exams.push((exam, answer.clone()));
        answer
    }

    /// Sends a call until it is answered.
    pub async fn insist<T, F>(&self, ask: impl Fn(Student) -> F) -> T
    where
        F: Future<Output = Result<T, Status>>,
    {
        let begun = Instant::now();
        loop {
            let door = self.door.load(Ordering::Relaxed) % self.doors.len();
            let status = match ask(self.doors[door].clone()).await {
                Ok(answer) => {
                    let mut met = self.met();
                    met.calls += 1;
                    met.longest = met.longest.max(begun.elapsed());
                    return answer;
                }
                Err(status) => status,
            };
            let id = &self.doors[door].id;
            assert!(begun.elapsed() < BOUND, "{id}: {status:?}");
            let (why, elsewhere, pause) = what_now(&status);
            let pause = pause.unwrap_or_else(|| panic!("{id} may not send this again: {status:?}"));
            *self.met().again.entry(why).or_default() += 1;
            if elsewhere {
                self.door.store(door + 1, Ordering::Relaxed);
            }
            sleep(pause).await;
        }
    }
}

/// Why a call failed, whether another gateway is to be asked, and after which pause; no pause: it must not be sent again.
fn what_now(status: &Status) -> (String, bool, Option<Duration>) {
    if status.details().is_empty() {
        // No service of ours said that: nobody was there, or the connection broke.
        return (format!("{:?}", status.code()), true, Some(PAUSE));
    }
    let fault = Fault::from_status(status);
    let told = fault.retry_delay();
    let why = fault.reason().wire_name().to_owned();
    match fault.reason() {
        ErrorReason::Draining
        | ErrorReason::DependencyUnavailable
        | ErrorReason::StorageUnavailable => (why, true, told),
        ErrorReason::TurnInProgress | ErrorReason::VersionConflict | ErrorReason::Busy => {
            (why, false, told)
        }
        _ => (why, false, None),
    }
}
