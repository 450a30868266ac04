//! Callers that run through the loss of a primary, and through its planned replacement: nothing is done twice.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    task::{JoinHandle, block_in_place},
    time::{sleep, timeout},
};
use turnwise_redis::{Event, Redis, Value};
use turnwise_testing::redis::{Cluster, SentinelSet, ServerOptions};

use crate::calls::{NONE, PARTITIONS, PATIENCE, add, command, key, open};

/// The pause of a caller whose call failed.
const PAUSE: Duration = Duration::from_millis(10);

/// What a caller saw: how often the script was done for certain, and how often perhaps.
#[derive(Debug, Default, Clone, Copy)]
struct Seen {
    done: i64,
    perhaps: i64,
}

struct Callers {
    redis: Redis,
    stop: Arc<AtomicBool>,
    tasks: Vec<JoinHandle<Seen>>,
}

async fn call(redis: Redis, partition: &'static str, stop: Arc<AtomicBool>) -> Seen {
    let (add, mut seen) = (add(), Seen::default());
    while !stop.load(Ordering::Relaxed) {
        match redis.run(&add, partition, &[key(partition)], 1).await {
            Ok(_) => seen.done += 1,
            Err(failure) => {
                seen.perhaps += i64::from(!failure.is_certainly_not_done());
                sleep(PAUSE).await;
            }
        }
    }
    seen
}

impl Callers {
    async fn start(url: String) -> Self {
        let redis = open(url).await;
        let stop = Arc::new(AtomicBool::new(false));
        let tasks = PARTITIONS
            .into_iter()
            .map(|partition| tokio::spawn(call(redis.clone(), partition, Arc::clone(&stop))))
            .collect();
        let callers = Self { redis, stop, tasks };
        callers.go_on().await;
        callers
    }

    /// Waits until all of them have called with success, from now on.
    async fn go_on(&self) {
        let before = self.counts().await;
        let all = async {
            while self
                .counts()
                .await
                .iter()
                .zip(&before)
                .any(|(now, before)| now <= before)
            {
                sleep(PAUSE).await;
            }
        };
        timeout(PATIENCE, all).await.expect("not all go on");
    }

    /// The numbers that Redis has, read by commands alone.
    async fn counts(&self) -> Vec<i64> {
        let mut counts = Vec::new();
        for partition in PARTITIONS {
            let read = async {
                loop {
                    match self
                        .redis
                        .send(partition, vec![command("GET", partition, NONE)])
                        .await
                    {
                        Ok(said) => return said,
                        Err(_) => sleep(PAUSE).await,
                    }
                }
            };
            let said = timeout(PATIENCE, read).await.expect("nothing can be read");
            counts.push(match said.as_slice() {
                [Value::BulkString(digits)] => {
                    std::str::from_utf8(digits).unwrap().parse().unwrap()
                }
                [Value::Nil] => 0,
                other => panic!("{other:?}"),
            });
        }
        counts
    }

    /// What Redis has, and what the callers saw.
    async fn finish(mut self) -> Vec<(i64, Seen)> {
        self.stop.store(true, Ordering::Relaxed);
        let mut seen = Vec::new();
        for task in self.tasks.drain(..) {
            seen.push(task.await.unwrap());
        }
        let all: Vec<_> = self.counts().await.into_iter().zip(seen).collect();
        println!("{all:?}");
        all
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_done_twice_when_the_primary_of_a_sentinel_set_is_lost() {
    let mut set = SentinelSet::start_with(&ServerOptions::default().failing_over()).unwrap();
    let callers = Callers::start(set.url()).await;
    let mut news = callers.redis.subscribe(["channel"]);
    assert_eq!(
        timeout(PATIENCE, news.next()).await.unwrap(),
        Event::Listening
    );
    block_in_place(|| {
        let old = set.kill_primary().unwrap();
        set.wait_for_primary_other_than(old).unwrap();
    });
    for expected in [Event::Lost, Event::Listening] {
        assert_eq!(timeout(PATIENCE, news.next()).await.unwrap(), expected);
    }
    callers.go_on().await;
    // What the old primary alone had is lost: it waits for no replica.
    for (count, seen) in callers.finish().await {
        assert!(count <= seen.done + seen.perhaps, "{count} {seen:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_done_twice_or_lost_in_a_planned_failover_of_a_cluster() {
    let mut cluster = Cluster::start_with(&ServerOptions::default().failing_over()).unwrap();
    let callers = Callers::start(cluster.url()).await;
    block_in_place(|| {
        cluster.planned_failover_of(&key(PARTITIONS[0])).unwrap();
        cluster.settle().unwrap();
    });
    callers.go_on().await;
    for (count, seen) in callers.finish().await {
        assert!(count >= seen.done, "{count} {seen:?}");
        assert!(count <= seen.done + seen.perhaps, "{count} {seen:?}");
    }
}

#[tokio::test]
async fn one_command_finds_the_new_owner_of_its_slot() {
    let mut cluster = Cluster::start_with(&ServerOptions::default().failing_over()).unwrap();
    let redis = open(cluster.url()).await;
    let read = || redis.send("a", vec![command("GET", "a", NONE)]);
    assert_eq!(read().await.unwrap(), [Value::Nil]);
    cluster.planned_failover_of(&key("a")).unwrap();
    assert_eq!(read().await.unwrap(), [Value::Nil]);
}
