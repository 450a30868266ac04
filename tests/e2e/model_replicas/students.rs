//! Students who press *help* again and again, each at a replica of its own as long as that takes calls.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};
use tonic::Status;
use tonic_types::StatusExt;
use turnwise_kit::{Fault, client::GrpcClient};
use turnwise_proto::common::v1::ErrorReason;

use super::three_replicas::{REPLICAS, SOON, ThreeReplicas, help_request};

/// Nobody stays away for longer after a refusal, so that a test need not wait for it.
const PAUSE_MAX: Duration = Duration::from_millis(500);

/// A student.
#[derive(Debug, Clone)]
pub struct Student {
    pub class: String,
    pub name: String,
    /// Where it goes first.
    pub replica: usize,
}

/// So many students of so many classes, all classes at all replicas.
pub fn everywhere(students: usize, classes: usize) -> Vec<Student> {
    let student = |n: usize| Student {
        class: format!("class-{}", n / REPLICAS % classes),
        name: format!("student-{n}"),
        replica: n % REPLICAS,
    };
    (0..students).map(student).collect()
}

/// A request that has ended.
#[derive(Debug, Clone)]
pub struct Ended {
    pub class: String,
    pub student: String,
    /// Who was asked.
    pub replica: usize,
    pub sent: Instant,
    /// When it ended.
    pub at: Instant,
    /// Whether it was told a place in the queue.
    pub was_queued: bool,
    /// When the model began with it, or why it did not answer.
    pub result: Result<Instant, Status>,
}

impl Ended {
    /// The failure, if there is one: it must have a reason, and tell when to come back.
    pub fn refusal(&self) -> Option<Fault> {
        let status = self.result.as_ref().err()?;
        let details = status.get_error_details();
        assert!(details.error_info().is_some(), "no reason: {self:?}");
        let fault = Fault::from_status(status);
        assert!(fault.retry_delay().is_some(), "come back when? {self:?}");
        Some(fault)
    }

    /// Whether it was refused because its replica, detached from the others, has no slot.
    pub fn had_no_slot(&self) -> bool {
        self.refusal().is_some_and(|fault| {
            fault.reason() == ErrorReason::Busy && fault.metadata("slots") == Some("0")
        })
    }
}

/// How many calls of a replica were answered.
pub fn answered(ended: &[Ended], replica: usize) -> usize {
    let of_it = ended.iter().filter(|one| one.replica == replica);
    of_it.filter(|one| one.result.is_ok()).count()
}

/// The ways to the replicas; none to one that takes no calls.
type Doors = Arc<[watch::Sender<Option<GrpcClient>>; REPLICAS]>;

/// Students at work.
pub struct Students {
    doors: Doors,
    stop: Arc<AtomicBool>,
    ended: Arc<watch::Sender<Vec<Ended>>>,
    tasks: JoinSet<()>,
}

impl Students {
    /// They begin.
    pub fn start(trio: &ThreeReplicas, students: Vec<Student>) -> Self {
        let door = |index: usize| watch::Sender::new(Some(trio.replicas[index].client()));
        let mut all = Self {
            doors: Arc::new(std::array::from_fn(door)),
            stop: Arc::default(),
            ended: Arc::default(),
            tasks: JoinSet::new(),
        };
        for student in students {
            let (doors, stop) = (Arc::clone(&all.doors), Arc::clone(&all.stop));
            let ended = Arc::clone(&all.ended);
            all.tasks.spawn(work(student, doors, stop, ended));
        }
        all
    }

    /// From now on they go elsewhere.
    pub fn close(&self, replica: usize) {
        self.doors[replica].send_replace(None);
    }

    /// They come back, to the process that is there now.
    pub fn open(&self, trio: &ThreeReplicas, replica: usize) {
        self.doors[replica].send_replace(Some(trio.replicas[replica].client()));
    }

    /// How many requests have ended.
    pub fn so_far(&self) -> usize {
        self.ended.borrow().len()
    }

    /// Waits until this holds of the requests that ended after the first `from`.
    pub async fn until(&self, from: usize, what: &str, holds: impl Fn(&[Ended]) -> bool) {
        let mut ended = self.ended.subscribe();
        let waited = timeout(SOON, ended.wait_for(|ended| holds(&ended[from..]))).await;
        if waited.is_err() {
            panic!("not within {SOON:?}: {what}; {:?}", self.counts(from));
        }
    }

    /// For each replica, how many requests were answered and how many were not.
    fn counts(&self, from: usize) -> [(usize, usize); REPLICAS] {
        let ended = self.ended.borrow();
        std::array::from_fn(|replica| {
            let answered = answered(&ended[from..], replica);
            let of_it = ended[from..].iter().filter(|one| one.replica == replica);
            (answered, of_it.count() - answered)
        })
    }

    /// Waits until each of these replicas has answered so many more calls.
    pub async fn until_answered(&self, replicas: &[usize], calls: usize) {
        let what = format!("{replicas:?} each answer {calls} more");
        self.until(self.so_far(), &what, |ended| {
            replicas
                .iter()
                .all(|replica| answered(ended, *replica) >= calls)
        })
        .await;
    }

    /// They press no more. Returns all requests, once the last has ended.
    pub async fn finish(self) -> Vec<Ended> {
        self.stop.store(true, Ordering::Relaxed);
        timeout(SOON, self.tasks.join_all())
            .await
            .expect("nobody is left without an end");
        self.ended.send_replace(Vec::new())
    }
}

async fn work(
    student: Student,
    doors: Doors,
    stop: Arc<AtomicBool>,
    ended: Arc<watch::Sender<Vec<Ended>>>,
) {
    let request = help_request(&student.class, &student.name);
    while !stop.load(Ordering::Relaxed) {
        let open = (student.replica..student.replica + REPLICAS).find_map(|n| {
            let replica = n % REPLICAS;
            let client = doors[replica].borrow().clone()?;
            Some((replica, client))
        });
        let (replica, client) = open.expect("some replica takes calls");
        let outcome = request.send(&client).await;
        let was_queued = !outcome.announced.is_empty();
        let result = match (outcome.started(), outcome.result) {
            (Some(started), _) => Ok(started),
            (None, Err(status)) => Err(status),
            (None, Ok(answer)) => panic!("{answer:?}"),
        };
        let pause = result
            .as_ref()
            .err()
            .and_then(|status| Fault::from_status(status).retry_delay());
        ended.send_modify(|all| {
            all.push(Ended {
                class: student.class.clone(),
                student: student.name.clone(),
                replica,
                sent: outcome.sent,
                at: outcome.sent + outcome.took,
                was_queued,
                result,
            });
        });
        if let Some(pause) = pause {
            sleep(pause.min(PAUSE_MAX)).await;
        }
    }
}
