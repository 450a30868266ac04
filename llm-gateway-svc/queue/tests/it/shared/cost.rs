//! What a shared queue costs: measurements, with bounds that a busy machine keeps.

use std::time::Duration;

use tokio::time::Instant;
use turnwise_llm_queue::QueueOptions;
use turnwise_testing::redis::RedisServer;

use super::{Replica, replicas};
use crate::conformance::{ask, enter, slot_of, soon};

/// The CPU time of this process, user and system.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entering_and_releasing() {
    const CALLS: u32 = 20_000;
    let server = RedisServer::start().unwrap();
    let replica = Replica::join(&server.url(), QueueOptions::with_slots(64)).await;
    let (begun, used) = (Instant::now(), cpu());
    let tasks: Vec<_> = (0..16_u32)
        .map(|task| {
            let queue = replica.queue.clone();
            tokio::spawn(async move {
                for call in 0..CALLS / 16 {
                    let ask = ask(&(call % 10).to_string(), &task.to_string());
                    slot_of(&queue, ask)
                        .await
                        .done(Some(Duration::from_millis(1)));
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let (took, used) = (begun.elapsed() / CALLS, (cpu() - used) / CALLS);
    eprintln!("enter and release, 16 at a time: {took:?} each, {used:?} of CPU");
    let stats = server.command(&["INFO", "commandstats"]).unwrap().text();
    let script = stats
        .lines()
        .find(|line| line.starts_with("cmdstat_evalsha:"));
    eprintln!("Redis' part: {}", script.unwrap());
    // Unoptimized, and on a busy machine.
    assert!(used < Duration::from_millis(2), "{used:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handing_on() {
    let server = RedisServer::start().unwrap();
    let all = replicas(&server.url(), 3, &QueueOptions::with_slots(1)).await;
    let mut times = Vec::new();
    let mut slot = slot_of(&all[0].queue, ask("class", "first")).await;
    for round in 0..300_usize {
        let next = &all[(round + 1) % 3].queue;
        let waiting = tokio::spawn(soon(enter(next, ask("class", &round.to_string())).await));
        let freed = Instant::now();
        slot.done(None);
        slot = waiting.await.unwrap();
        times.push(freed.elapsed());
    }
    times.sort();
    let (half, most) = (times[150], times[297]);
    eprintln!("hand-off of a slot to another replica: p50 {half:?}, p99 {most:?}");
    assert!(half < Duration::from_millis(20), "{half:?}");
}

/// Three hundred wait and follow their places while calls end one after the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn announcing() {
    let server = RedisServer::start().unwrap();
    let all = replicas(&server.url(), 3, &QueueOptions::with_slots(1)).await;
    let first = slot_of(&all[0].queue, ask("class", "first")).await;
    let mut tasks = Vec::new();
    for number in 0..300_usize {
        let waiting = enter(
            &all[number % 3].queue,
            ask(&(number % 10).to_string(), &number.to_string()),
        )
        .await;
        tasks.push(tokio::spawn(async move {
            let mut places = waiting.place();
            let follow = tokio::spawn(async move {
                let mut announced = 0;
                while places.changed().await.is_ok() {
                    announced += 1;
                }
                announced
            });
            let slot = soon(waiting).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            slot.done(Some(Duration::from_millis(20)));
            follow.await.unwrap()
        }));
    }
    let used = cpu();
    first.done(Some(Duration::from_millis(20)));
    let mut announced = 0;
    for task in tasks {
        announced += task.await.unwrap();
    }
    let used = (cpu() - used) / 300;
    eprintln!(
        "300 who follow their places at three replicas: {used:?} of CPU a call, {announced} places announced"
    );
    assert!(
        announced > 300 && used < Duration::from_millis(30),
        "{announced}, {used:?}"
    );
}
