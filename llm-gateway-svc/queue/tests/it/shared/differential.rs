//! Whatever is done, the same start in the same order in the queue of one process and in one that replicas share.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use proptest::prelude::*;
use tokio::{sync::mpsc, task::JoinHandle, time::timeout};
use turnwise_llm_queue::{Owner, Queue, QueueOptions, Refusal, Slot, view::Scope};
use turnwise_testing::redis::RedisServer;

use super::Replica;
use crate::conformance::{AskExt, SOON, ask};

const SLOTS: usize = 2;
const REPLICAS: usize = 3;

/// What is done.
#[derive(Debug, Clone)]
enum Step {
    /// A request, at a replica; one in a hurry is refused unless it starts at once.
    Enter {
        replica: usize,
        class: usize,
        student: usize,
        thread: usize,
        batch: bool,
        hurry: bool,
    },
    /// The so manieth of those who wait leaves.
    Leave(usize),
    /// The so manieth of those that run ends.
    End(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let enter = (0..REPLICAS, 0..3_usize, 0..4_usize, 0..3_usize, 0..6_u8).prop_map(
        |(replica, class, student, thread, kind)| Step::Enter {
            replica,
            class,
            student,
            thread,
            batch: kind == 0,
            hurry: kind == 1,
        },
    );
    prop_oneof![
        6 => enter,
        1 => (0..100_usize).prop_map(Step::Leave),
        3 => (0..100_usize).prop_map(Step::End),
    ]
}

/// A queue and what became of the requests.
struct World {
    queues: Vec<Queue>,
    waiting: BTreeMap<usize, (Owner, JoinHandle<()>)>,
    running: BTreeMap<usize, Slot>,
    outcomes: mpsc::UnboundedReceiver<(usize, Result<Slot, Refusal>)>,
    outcome_sender: mpsc::UnboundedSender<(usize, Result<Slot, Refusal>)>,
    /// Who started, with those that started in one step in one set, and who was refused, and why.
    log: Vec<(BTreeSet<usize>, BTreeSet<String>)>,
}

impl World {
    fn new(queues: Vec<Queue>) -> Self {
        let (outcome_sender, outcomes) = mpsc::unbounded_channel();
        Self {
            queues,
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            outcomes,
            outcome_sender,
            log: Vec::new(),
        }
    }

    async fn step(&mut self, number: usize, step: &Step) {
        let (mut started, mut refused) = (BTreeSet::new(), BTreeSet::new());
        match *step {
            Step::Enter {
                replica,
                class,
                student,
                thread,
                batch,
                hurry,
            } => {
                // The last student is nobody in particular.
                let student = ["a", "b", "c", ""][student];
                let mut ask =
                    ask(["x", "y", "heavy"][class], student).thread(["1", "2", "3"][thread]);
                if batch {
                    ask = ask.batch();
                }
                if hurry {
                    ask = ask.max_wait(Duration::ZERO);
                }
                let queue = self.queues[replica % self.queues.len()].clone();
                let owner = ask.owner.clone();
                let older = self
                    .waiting
                    .iter()
                    .find(|(_, (other, _))| *other == owner && !student.is_empty());
                let older = older.map(|(number, _)| *number);
                match queue.enter(ask).await {
                    Ok(waiting) => {
                        let outcome_sender = self.outcome_sender.clone();
                        let task = tokio::spawn(async move {
                            let _ = outcome_sender.send((number, waiting.slot().await));
                        });
                        self.waiting.insert(number, (owner, task));
                    }
                    Err(Refusal::TooLong(hint)) => {
                        let held = hint.held.map(|held| held.position);
                        refused.insert(format!("{number} {owner:?} {held:?}"));
                    }
                    Err(other) => {
                        refused.insert(format!("{number} {other}"));
                    }
                }
                while older.is_some_and(|older| self.waiting.contains_key(&older)) {
                    self.next_outcome(&mut started).await;
                }
            }
            Step::Leave(which) => {
                let numbers: Vec<_> = self.waiting.keys().copied().collect();
                if !numbers.is_empty()
                    && let Some((_, task)) = self.waiting.remove(&numbers[which % numbers.len()])
                {
                    task.abort();
                    let _ = task.await;
                }
            }
            Step::End(which) => {
                let numbers: Vec<_> = self.running.keys().copied().collect();
                if !numbers.is_empty()
                    && let Some(slot) = self.running.remove(&numbers[which % numbers.len()])
                {
                    slot.done(Some(Duration::from_secs(1)));
                }
            }
        }
        // No slot idles while somebody waits, so that many will run.
        while self.running.len() < SLOTS && !self.waiting.is_empty() {
            self.next_outcome(&mut started).await;
        }
        self.log.push((started, refused));
    }

    /// How many are in the queue, and how many run.
    async fn sizes(&self) -> (usize, usize) {
        let view = self.queues[0].view(0).await;
        let calls = view.slots.iter().filter(|slot| slot.call.is_some());
        (view.waiting_total, calls.count())
    }

    /// Waits until one of the waits ends.
    async fn next_outcome(&mut self, started: &mut BTreeSet<usize>) {
        let (number, outcome) = timeout(SOON, self.outcomes.recv())
            .await
            .expect("soon")
            .unwrap();
        if self.waiting.remove(&number).is_none() {
            return;
        }
        match outcome {
            Ok(slot) => {
                started.insert(number);
                self.running.insert(number, slot);
            }
            Err(Refusal::Superseded) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

fn options() -> QueueOptions {
    QueueOptions {
        weights: [("heavy".to_owned(), 3)].into(),
        aging: Duration::from_secs(600),
        place_grace: Duration::from_secs(600),
        ..QueueOptions::with_slots(SLOTS)
    }
}

async fn run(url: &str, name: &str, steps: &[Step]) {
    let mut queues = Vec::new();
    let mut replicas = Vec::new();
    for replica_index in 0..REPLICAS {
        let options = QueueOptions {
            replicas: REPLICAS,
            replica_index,
            ..options()
        };
        replicas.push(Replica::start_named(url, name, options).await);
    }
    for replica in &replicas {
        replica.until(Scope::Shared).await;
        queues.push(replica.queue.clone());
    }
    let mut shared = World::new(queues);
    let mut local = World::new(vec![Queue::local(options()).unwrap()]);
    for (number, step) in steps.iter().enumerate() {
        local.step(number, step).await;
        shared.step(number, step).await;
        // Who leaves or ends does not wait until Redis knows.
        let known = async {
            while local.sizes().await != shared.sizes().await {
                tokio::task::yield_now().await;
            }
        };
        timeout(SOON, known).await.expect("soon");
        assert_eq!(
            local.log.last(),
            shared.log.last(),
            "step {number}: {step:?}"
        );
        assert!(shared.running.len() <= SLOTS);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_same_start_in_both(steps in prop::collection::vec(step(), 1..120)) {
        let server = RedisServer::start().unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(run(&server.url(), "queue", &steps));
    }
}
