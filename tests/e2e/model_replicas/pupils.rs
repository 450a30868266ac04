//! Pupils who press *help* again and again, each at a replica of its own as long as that takes calls.

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

use super::trio::{REPLICAS, SOON, Trio, press};

/// Nobody stays away for longer after a refusal, so that a test need not wait for it.
const PAUSE_MAX: Duration = Duration::from_millis(500);

/// A pupil.
#[derive(Debug, Clone)]
pub struct Pupil {
    pub class: String,
    pub name: String,
    /// Where it goes first.
    pub replica: usize,
}

/// So many pupils of so many classes, all classes at all replicas.
pub fn everywhere(pupils: usize, classes: usize) -> Vec<Pupil> {
    let pupil = |n: usize| Pupil {
        class: format!("class-{}", n / REPLICAS % classes),
        name: format!("pupil-{n}"),
        replica: n % REPLICAS,
    };
    (0..pupils).map(pupil).collect()
}

/// A press that has ended.
#[derive(Debug, Clone)]
pub struct Ended {
    pub class: String,
    pub pupil: String,
    /// Who was asked.
    pub replica: usize,
    pub sent: Instant,
    /// When it ended.
    pub at: Instant,
    /// Whether it was told a place in line.
    pub was_in_line: bool,
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

    /// Whether it was refused because its replica, cut off from the others, has no slot.
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

/// Pupils at work.
pub struct Pupils {
    doors: Doors,
    stop: Arc<AtomicBool>,
    ended: Arc<watch::Sender<Vec<Ended>>>,
    tasks: JoinSet<()>,
}

impl Pupils {
    /// They begin.
    pub fn start(trio: &Trio, pupils: Vec<Pupil>) -> Self {
        let door = |index: usize| watch::Sender::new(Some(trio.replicas[index].client()));
        let mut all = Self {
            doors: Arc::new(std::array::from_fn(door)),
            stop: Arc::default(),
            ended: Arc::default(),
            tasks: JoinSet::new(),
        };
        for pupil in pupils {
            let (doors, stop) = (Arc::clone(&all.doors), Arc::clone(&all.stop));
            let ended = Arc::clone(&all.ended);
            all.tasks.spawn(work(pupil, doors, stop, ended));
        }
        all
    }

    /// From now on they go elsewhere.
    pub fn close(&self, replica: usize) {
        self.doors[replica].send_replace(None);
    }

    /// They come back, to the process that is there now.
    pub fn open(&self, trio: &Trio, replica: usize) {
        self.doors[replica].send_replace(Some(trio.replicas[replica].client()));
    }

    /// How many presses have ended.
    pub fn so_far(&self) -> usize {
        self.ended.borrow().len()
    }

    /// Waits until this holds of the presses that ended after the first `from`.
    pub async fn until(&self, from: usize, what: &str, holds: impl Fn(&[Ended]) -> bool) {
        let mut ended = self.ended.subscribe();
        let waited = timeout(SOON, ended.wait_for(|ended| holds(&ended[from..]))).await;
        if waited.is_err() {
            panic!("not within {SOON:?}: {what}; {:?}", self.counts(from));
        }
    }

    /// For each replica, how many presses were answered and how many were not.
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

    /// They press no more. Returns all presses, once the last has ended.
    pub async fn finish(self) -> Vec<Ended> {
        self.stop.store(true, Ordering::Relaxed);
        timeout(SOON, self.tasks.join_all())
            .await
            .expect("nobody is left without an end");
        self.ended.send_replace(Vec::new())
    }
}

async fn work(
    pupil: Pupil,
    doors: Doors,
    stop: Arc<AtomicBool>,
    ended: Arc<watch::Sender<Vec<Ended>>>,
) {
    let press = press(&pupil.class, &pupil.name);
    while !stop.load(Ordering::Relaxed) {
        let open = (pupil.replica..pupil.replica + REPLICAS).find_map(|n| {
            let replica = n % REPLICAS;
            let client = doors[replica].borrow().clone()?;
            Some((replica, client))
        });
        let (replica, client) = open.expect("some replica takes calls");
        let pressed = press.send(&client).await;
        let was_in_line = !pressed.announced.is_empty();
        let result = match (pressed.started(), pressed.result) {
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
                class: pupil.class.clone(),
                pupil: pupil.name.clone(),
                replica,
                sent: pressed.sent,
                at: pressed.sent + pressed.took,
                was_in_line,
                result,
            });
        });
        if let Some(pause) = pause {
            sleep(pause.min(PAUSE_MAX)).await;
        }
    }
}
