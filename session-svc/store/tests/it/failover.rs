//! Writers that run through the loss of a primary, and through its planned replacement: whatever was acknowledged is
//! there afterwards, once.

use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use tokio::{
    task::{JoinHandle, block_in_place},
    time::{Instant, sleep},
};
use turnwise_session_store::{
    Check, Found, Key, Outcome, Partition, Read, Store, StudentKey, Transaction, Write,
    redis::{RedisOptions, RedisStore},
};
use turnwise_testing::redis::{Cluster, SentinelSet, ServerOptions};

/// How many students are written for at once.
const WRITERS: usize = 6;
/// How long writers run before something is done to the servers, and after.
const CALM: Duration = Duration::from_millis(700);
/// The longest time for which a writer may have to wait. Servers take some three seconds to replace a lost primary; a
/// busy machine takes longer.
const LONGEST_OUTAGE: Duration = Duration::from_secs(20);
/// The pause of a writer whose write failed.
const PAUSE: Duration = Duration::from_millis(10);

/// How often each test does what it does.
fn rounds() -> u32 {
    env::var("FAILOVER_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap())
}

fn options(url: String, wait_replicas: u32) -> RedisOptions {
    RedisOptions {
        wait_replicas,
        ..RedisOptions::new(url)
    }
}

fn servers() -> ServerOptions {
    ServerOptions::default()
        .min_replicas_to_write(1)
        .failing_over()
}

fn student(number: usize) -> Partition {
    Partition::student(&StudentKey {
        tenant: "school".to_owned(),
        student: format!("student-{number}"),
    })
}

/// One more for a counter that is at `count`, and the same to a log.
fn one_more(count: i64) -> Transaction {
    let field = |count: i64| Bytes::from(count.to_string());
    Transaction {
        checks: vec![Check::FieldIs {
            key: Key::new("counter"),
            field: "count",
            value: (count > 0).then(|| field(count)),
            tell: vec!["count"],
        }],
        writes: vec![
            Write::Put {
                key: Key::new("counter"),
                fields: vec![("count".into(), field(count + 1))],
            },
            Write::Append {
                key: Key::new("log"),
                entries: vec![field(count + 1)],
            },
        ],
        reads: Vec::new(),
    }
}

fn number(field: &Option<Bytes>) -> i64 {
    field.as_ref().map_or(0, |bytes| {
        std::str::from_utf8(bytes).unwrap().parse().unwrap()
    })
}

/// What a writer saw.
#[derive(Debug, Default)]
struct Seen {
    /// The highest count that the store told, as its answer to a write.
    acknowledged: i64,
    /// How many acknowledged writes the store did not have any more later.
    lost: i64,
    failures: u32,
    outage: Duration,
}

/// Writes until it is to stop and a write that began after that was acknowledged.
async fn write(store: Arc<RedisStore>, student: Partition, stop: Arc<AtomicBool>) -> Seen {
    let mut seen = Seen::default();
    let mut count = 0;
    let mut last = Instant::now();
    loop {
        let stops = stop.load(Ordering::Relaxed);
        let told = match store.transact(&student, one_more(count)).await {
            Ok(Outcome::Applied(_)) => count + 1,
            // An attempt that failed was done after all, or was not and another count is in place.
            Ok(Outcome::Refused(refused)) => number(&refused.told[0]),
            Err(error) => {
                let outage = last.elapsed();
                assert!(outage < LONGEST_OUTAGE, "{outage:?}, then {error}");
                seen.failures += 1;
                sleep(PAUSE).await;
                continue;
            }
        };
        seen.lost += (seen.acknowledged - told).max(0);
        seen.outage = seen.outage.max(last.elapsed());
        last = Instant::now();
        seen.acknowledged = told;
        count = told;
        if stops {
            return seen;
        }
    }
}

struct Writers {
    store: Arc<RedisStore>,
    stop: Arc<AtomicBool>,
    tasks: Vec<JoinHandle<Seen>>,
}

impl Writers {
    async fn start(options: RedisOptions) -> Self {
        let store = Arc::new(RedisStore::open(&options).await.unwrap());
        let stop = Arc::new(AtomicBool::new(false));
        let tasks = (0..WRITERS)
            .map(|number| {
                let write = write(Arc::clone(&store), student(number), Arc::clone(&stop));
                tokio::spawn(write)
            })
            .collect();
        Self { store, stop, tasks }
    }

    /// Stops the writers, and holds what the store has against what it told them.
    async fn finish(self, what: &str) -> Duration {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Seen::default();
        for (place, task) in self.tasks.into_iter().enumerate() {
            let seen = task.await.unwrap();
            let read = Transaction {
                reads: vec![
                    Read::Fields {
                        key: Key::new("counter"),
                        fields: vec!["count".into()],
                    },
                    Read::LogAfter {
                        key: Key::new("log"),
                        after: 0,
                        limit: usize::MAX,
                    },
                ],
                ..Transaction::default()
            };
            let Ok(Outcome::Applied(applied)) = self.store.transact(&student(place), read).await
            else {
                panic!("what was written cannot be read");
            };
            let [Found::Fields(fields), Found::Entries(entries)] = applied.found.as_slice() else {
                panic!("{applied:?}");
            };
            let count = number(&fields[0]);
            let expected: Vec<_> = (1..=count)
                .map(|id| (id, Bytes::from(id.to_string())))
                .collect();
            assert_eq!(
                *entries, expected,
                "each write is in the log once, in order"
            );
            assert!(seen.acknowledged > 0, "nothing was ever written: {seen:?}");
            all.acknowledged += seen.acknowledged;
            all.lost += seen.lost + (seen.acknowledged - count).max(0);
            all.failures += seen.failures;
            all.outage = all.outage.max(seen.outage);
        }
        eprintln!(
            "{what}: {} writes acknowledged, {} of them lost, {} failures, longest outage {:?}",
            all.acknowledged, all.lost, all.failures, all.outage
        );
        assert_eq!(all.lost, 0, "{what}: acknowledged writes were lost");
        assert!(all.outage < LONGEST_OUTAGE, "{what}: {:?}", all.outage);
        all.outage
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_with_the_primary_of_a_sentinel_set() {
    let mut set = SentinelSet::start_with(&servers()).unwrap();
    for round in 0..rounds() {
        let writers = Writers::start(options(set.url(), 2)).await;
        sleep(CALM).await;
        block_in_place(|| {
            let old = set.kill_primary().unwrap();
            set.wait_for_primary_other_than(old).unwrap();
        });
        sleep(2 * CALM).await;
        block_in_place(|| {
            for port in set
                .nodes()
                .iter()
                .map(|node| node.port())
                .collect::<Vec<_>>()
            {
                if !set.node(port).unwrap().is_running() {
                    set.restart(port).unwrap();
                }
            }
            set.settle().unwrap();
        });
        sleep(CALM).await;
        writers
            .finish(&format!("sentinel, primary killed, round {round}"))
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_in_a_planned_failover_of_a_sentinel_set() {
    let mut set = SentinelSet::start_with(&servers()).unwrap();
    for round in 0..rounds() {
        let writers = Writers::start(options(set.url(), 2)).await;
        sleep(CALM).await;
        block_in_place(|| set.planned_failover().unwrap());
        sleep(CALM).await;
        block_in_place(|| set.settle().unwrap());
        sleep(CALM).await;
        writers
            .finish(&format!("sentinel, planned failover, round {round}"))
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_with_a_primary_of_a_cluster() {
    let mut cluster = Cluster::start_with(&servers()).unwrap();
    let key = format!("{{{}}}", student(0).as_str());
    for round in 0..rounds() {
        let writers = Writers::start(options(cluster.url(), 1)).await;
        sleep(CALM).await;
        block_in_place(|| {
            let old = cluster.kill_primary_of(&key).unwrap();
            cluster.wait_for_primary_of(&key, old).unwrap();
            cluster.restart(old).unwrap();
            cluster.settle().unwrap();
        });
        sleep(CALM).await;
        writers
            .finish(&format!("cluster, primary killed, round {round}"))
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_in_a_planned_failover_of_a_cluster() {
    let mut cluster = Cluster::start_with(&servers()).unwrap();
    let key = format!("{{{}}}", student(0).as_str());
    for round in 0..rounds() {
        let writers = Writers::start(options(cluster.url(), 1)).await;
        sleep(CALM).await;
        block_in_place(|| {
            cluster.planned_failover_of(&key).unwrap();
            cluster.settle().unwrap();
        });
        sleep(CALM).await;
        writers
            .finish(&format!("cluster, planned failover, round {round}"))
            .await;
    }
}
