//! What a turn costs in Redis: its two transactions against the same commands sent as plain pipelines, and against the
//! same transactions with replicas waited for.
//!
//! Both sides run in one process on one server, in turns, over one connection each.

// A benchmark that cannot run ends by panicking, and says why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod turn;

use std::{future::Future, sync::Arc, time::Duration};

use redis::aio::MultiplexedConnection;
use tokio::time::Instant;
use turnwise_session_store::{
    Outcome, Partition, Store, StudentKey,
    redis::{RedisOptions, RedisStore},
};
use turnwise_testing::{
    figure::{Bound, figure},
    redis::{RedisServer, SentinelSet, ServerOptions},
};

use crate::turn::{Content, begin, commit, plain_begin, plain_commit, start};

/// The turns of one block at each concurrency.
const BLOCKS: [(usize, usize); 3] = [(1, 1500), (16, 6000), (64, 8000)];
/// How many blocks each side runs.
const ROUNDS: usize = 6;
/// The most that the script may cost, as a multiple of the plain commands.
const LIMIT: f64 = 1.5;

async fn store_turn(store: &RedisStore, student: &Partition, content: &Content, turn: usize) {
    let Ok(Outcome::Applied(begun)) = store.transact(student, begin(turn)).await else {
        panic!("the turn was not begun");
    };
    let token = begun.token.expect("a token");
    let committed = store.transact(student, commit(content, turn, token)).await;
    assert!(
        matches!(committed, Ok(Outcome::Applied(_))),
        "{committed:?}"
    );
}

async fn plain_turn(
    connection: &mut MultiplexedConnection,
    student: &str,
    content: &Content,
    turn: usize,
) {
    plain_begin(student, turn)
        .exec_async(connection)
        .await
        .unwrap();
    plain_commit(content, student, turn)
        .exec_async(connection)
        .await
        .unwrap();
}

/// Runs `turns` turns, `students` at a time, and returns how long each took.
async fn block<F, T>(students: usize, turns: usize, run: F) -> Vec<Duration>
where
    F: Fn(usize) -> T,
    T: Future<Output = Vec<Duration>> + Send + 'static,
{
    let tasks: Vec<_> = (0..students)
        .map(|student| tokio::spawn(run(student)))
        .collect();
    let mut all = Vec::with_capacity(turns);
    for task in tasks {
        all.extend(task.await.unwrap());
    }
    all
}

/// One side of a comparison: its latencies and what it cost the server.
#[derive(Default)]
struct Side {
    took: Vec<Duration>,
    cpu: f64,
}

impl Side {
    fn at(&mut self, percent: usize) -> f64 {
        self.took.sort_unstable();
        let place = (self.took.len() * percent / 100).min(self.took.len() - 1);
        self.took[place].as_secs_f64() * 1e3
    }

    fn print(&mut self, what: &str) {
        println!(
            "{what}: p50 {:.3} ms, p99 {:.3} ms, {:.1} us of Redis' CPU for each turn, {} turns",
            self.at(50),
            self.at(99),
            self.cpu * 1e6 / self.took.len() as f64,
            self.took.len()
        );
    }
}

/// The seconds of CPU that the server's main thread has used.
fn cpu(server: &RedisServer) -> f64 {
    let info = server.command(&["INFO", "cpu"]).unwrap().text();
    info.lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| name.ends_with("_main_thread"))
        .map(|(_, seconds)| seconds.trim().parse::<f64>().unwrap())
        .sum()
}

fn student(side: &str, students: usize, number: usize) -> Partition {
    Partition::student(&StudentKey {
        tenant: "school".to_owned(),
        student: format!("{side}-{students}-{number}"),
    })
}

/// A block of turns of the store. Those of a round follow those of the rounds before.
async fn store_block(
    store: &Arc<RedisStore>,
    content: &Arc<Content>,
    side: &'static str,
    (students, turns): (usize, usize),
    round: usize,
) -> Vec<Duration> {
    let each = turns / students;
    block(students, turns, |number| {
        let (store, content) = (Arc::clone(store), Arc::clone(content));
        let student = student(side, students, number);
        async move {
            if round == 0 {
                store.transact(&student, start()).await.unwrap();
            }
            let mut took = Vec::with_capacity(each);
            for number in round * each..(round + 1) * each {
                let begun = Instant::now();
                store_turn(&store, &student, &content, number).await;
                took.push(begun.elapsed());
            }
            took
        }
    })
    .await
}

async fn plain_block(
    connection: &MultiplexedConnection,
    content: &Arc<Content>,
    (students, turns): (usize, usize),
    round: usize,
) -> Vec<Duration> {
    let each = turns / students;
    block(students, turns, |number| {
        let (mut connection, content) = (connection.clone(), Arc::clone(content));
        let student = student("plain", students, number).as_str().to_owned();
        async move {
            let mut took = Vec::with_capacity(each);
            for number in round * each..(round + 1) * each {
                let begun = Instant::now();
                plain_turn(&mut connection, &student, &content, number).await;
                took.push(begun.elapsed());
            }
            took
        }
    })
    .await
}

async fn against_plain_commands() {
    let server = RedisServer::start_with(&ServerOptions::default().persistent()).unwrap();
    let store = Arc::new(
        RedisStore::open(&RedisOptions::new(server.url()))
            .await
            .unwrap(),
    );
    let client = redis::Client::open(format!("{}/?protocol=resp3", server.url())).unwrap();
    let connection = client.get_multiplexed_async_connection().await.unwrap();
    let content = Arc::new(Content::new());
    for size in BLOCKS {
        let (mut script, mut plain) = (Side::default(), Side::default());
        for round in 0..ROUNDS {
            for turn in 0..2 {
                let before = cpu(&server);
                let (side, took) = if (round + turn) % 2 == 0 {
                    let took = store_block(&store, &content, "script", size, round).await;
                    (&mut script, took)
                } else {
                    (
                        &mut plain,
                        plain_block(&connection, &content, size, round).await,
                    )
                };
                side.cpu += cpu(&server) - before;
                side.took.extend(took);
            }
        }
        let students = size.0;
        script.print(&format!("c={students} script"));
        plain.print(&format!("c={students} plain "));
        let ratio = script.at(50) / plain.at(50);
        figure(
            &format!("redis_turn_ratio_c{students}"),
            ratio,
            Bound::AtMost(LIMIT),
        );
    }
}

async fn with_replicas_waited_for() {
    let set = SentinelSet::start().unwrap();
    let without = RedisOptions::new(set.url());
    let with = RedisOptions {
        wait_replicas: 2,
        ..without.clone()
    };
    let without = Arc::new(RedisStore::open(&without).await.unwrap());
    let with = Arc::new(RedisStore::open(&with).await.unwrap());
    let content = Arc::new(Content::new());
    for (students, turns) in BLOCKS {
        let size = (students, turns / 2);
        let mut sides = [Side::default(), Side::default()];
        for round in 0..ROUNDS {
            let took = store_block(&without, &content, "without", size, round).await;
            sides[0].took.extend(took);
            let took = store_block(&with, &content, "with", size, round).await;
            sides[1].took.extend(took);
        }
        for (side, what) in sides
            .iter_mut()
            .zip(["without replicas", "with 2 replicas "])
        {
            println!(
                "c={students} {what}: p50 {:.3} ms, p99 {:.3} ms",
                side.at(50),
                side.at(99)
            );
        }
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        against_plain_commands().await;
        with_replicas_waited_for().await;
    });
}
