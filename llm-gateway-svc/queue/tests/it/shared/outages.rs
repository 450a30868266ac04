//! Redis is killed, stopped, and started again, with its data and without.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    task::{JoinSet, block_in_place},
    time::{Instant, sleep, timeout},
};
use turnwise_llm_queue::{QueueOptions, Refusal, view::Scope};
use turnwise_testing::redis::{RedisServer, ServerOptions};

use super::{Meter, Replica, replicas};
use crate::conformance::{AskExt, SOON, ask, enter, slot_of, soon};

const CALL: Duration = Duration::from_millis(5);
const LEASE: Duration = Duration::from_secs(1);

fn options(slots: usize) -> QueueOptions {
    QueueOptions {
        slot_ttl: LEASE,
        ..QueueOptions::with_slots(slots)
    }
}

/// Callers who always want something, at all replicas.
pub struct Callers {
    stop: Arc<AtomicBool>,
    meter: Meter,
    tasks: JoinSet<()>,
}

impl Callers {
    /// They begin; the students' numbers are from `first` on, and nobody else's.
    pub fn start(all: &[&Replica], meter: &Meter, first: usize) -> Self {
        let (stop, meter) = (Arc::new(AtomicBool::new(false)), meter.clone());
        let mut tasks = JoinSet::new();
        for number in first..first + 18 {
            let queue = all[number % all.len()].queue.clone();
            let (stop, meter) = (Arc::clone(&stop), meter.clone());
            tasks.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let ask = ask(&(number % 4).to_string(), &number.to_string());
                    let slot = match queue.enter(ask).await {
                        Ok(waiting) => timeout(SOON, waiting.slot()).await.expect("soon"),
                        Err(refusal) => Err(refusal),
                    };
                    match slot {
                        Ok(slot) => meter.run(slot, CALL).await,
                        Err(Refusal::NoSlot { .. } | Refusal::TooLong(_)) => sleep(CALL).await,
                        Err(other) => panic!("{other}"),
                    }
                }
            });
        }
        Self { stop, meter, tasks }
    }

    /// Waits until so many more calls have begun, those of others that are counted with them included.
    pub async fn go_on(&self, calls: usize) {
        let enough = self.meter.all() + calls;
        let begun = async {
            while self.meter.all() < enough {
                sleep(CALL).await;
            }
        };
        timeout(SOON, begun).await.expect("calls go on");
    }

    /// They end, once the last has what it asked for.
    pub async fn finish(self) {
        self.stop.store(true, Ordering::Relaxed);
        timeout(SOON, self.tasks.join_all()).await.expect("soon");
    }
}

async fn survives(
    server: ServerOptions,
    harm: impl Fn(&mut RedisServer),
    heal: impl Fn(&mut RedisServer),
) {
    let mut server = RedisServer::start_with(&server).unwrap();
    let all = replicas(&server.url(), 3, &options(3)).await;
    let meter = Meter::default();
    let callers = Callers::start(&all.iter().collect::<Vec<_>>(), &meter, 0);
    for _ in 0..2 {
        callers.go_on(100).await;
        block_in_place(|| harm(&mut server));
        for replica in &all {
            replica.until(Scope::Detached).await;
        }
        // Each goes on with its own.
        callers.go_on(100).await;
        block_in_place(|| heal(&mut server));
        for replica in &all {
            replica.until(Scope::Shared).await;
        }
        callers.go_on(100).await;
    }
    callers.finish().await;
    assert_eq!(meter.most(), 3, "of {} calls", meter.all());
}

fn start_again(server: &mut RedisServer) {
    server.start_again().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_is_killed_and_comes_back_empty() {
    survives(ServerOptions::default(), RedisServer::kill, start_again).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_is_killed_and_comes_back_with_its_data() {
    survives(
        ServerOptions::default().persistent(),
        RedisServer::kill,
        start_again,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_is_stopped_and_goes_on() {
    let harm = |server: &mut RedisServer| server.stop().unwrap();
    let heal = |server: &mut RedisServer| server.cont().unwrap();
    survives(ServerOptions::default(), harm, heal).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quick_restart_loses_no_call_and_nobody_in_the_queue() {
    for round in 0..6 {
        let server = if round % 2 == 0 {
            ServerOptions::default()
        } else {
            ServerOptions::default().persistent()
        };
        let mut server = RedisServer::start_with(&server).unwrap();
        let options = QueueOptions::with_slots(2);
        let all = replicas(&server.url(), 3, &options).await;
        // The first replica's call is in a slot of its own, and the other in one that is lent to it.
        let own = slot_of(&all[0].queue, ask("class", "a")).await;
        let lent = slot_of(&all[0].queue, ask("class", "b")).await;
        assert_eq!((own.index(), lent.index()), (0, 1));
        let waiting = [
            enter(&all[1].queue, ask("class", "c")).await,
            enter(&all[2].queue, ask("class", "d")).await,
        ];
        block_in_place(|| start_again(&mut server));
        for replica in &all {
            replica.until(Scope::Shared).await;
        }
        assert!(!own.lost().is_cancelled() && !lent.lost().is_cancelled());
        let view = all[0].queue.view(10).await;
        assert_eq!(view.waiting_total, 2);
        assert_eq!(
            view.slots.iter().filter(|slot| slot.call.is_some()).count(),
            2
        );
        let [first, second] = waiting;
        lent.done(None);
        let first = soon(first).await;
        own.done(None);
        let second = soon(second).await;
        drop((first, second));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_lease_ends_the_call() {
    let mut server = RedisServer::start().unwrap();
    let all = replicas(&server.url(), 2, &options(1)).await;
    // The only slot is the first replica's.
    let slot = slot_of(&all[1].queue, ask("class", "a")).await;
    let waiting = enter(&all[0].queue, ask("class", "b")).await;
    let begun = Instant::now();
    block_in_place(|| server.kill());
    let lost = slot.lost();
    let (ended, next) = tokio::join!(timeout(SOON, lost.cancelled()), async {
        let next = soon(waiting).await;
        assert!(slot.lost().is_cancelled(), "before it was lost");
        next
    });
    ended.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5));
    drop((slot, next));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_without_a_slot_of_its_own_says_so() {
    let mut server = RedisServer::start().unwrap();
    let all = replicas(&server.url(), 2, &options(1)).await;
    block_in_place(|| server.kill());
    all[1].until(Scope::Detached).await;
    let refused = match all[1].queue.enter(ask("class", "a")).await {
        Ok(waiting) => timeout(SOON, waiting.slot()).await.unwrap().map(drop),
        Err(refusal) => Err(refusal),
    };
    assert!(
        matches!(refused, Err(Refusal::NoSlot { .. })),
        "{refused:?}"
    );
    // The other one has one.
    drop(slot_of(&all[0].queue, ask("class", "b").max_wait(SOON)).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_redis_at_the_start_slots_wait_for_the_leases_of_a_predecessor() {
    let mut server = RedisServer::start().unwrap();
    let url = server.url();
    server.kill();
    let begun = Instant::now();
    let replica = Replica::start(&url, options(1)).await;
    drop(slot_of(&replica.queue, ask("class", "a")).await);
    assert!(begun.elapsed() >= LEASE, "{:?}", begun.elapsed());
}
