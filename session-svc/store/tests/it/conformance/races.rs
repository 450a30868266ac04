//! Many callers at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use tokio::task::JoinSet;
use turnwise_session_store::{Check, Found, Outcome, Read, Transaction, Write};

use crate::bench::{Bench, LONG, append, free, held, named, put, release, take, text, when};

pub async fn each_increment_counts_once(bench: &mut Bench) {
    const TASKS: usize = 32;
    const EACH: usize = 10;
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let store = bench.store();
        let partition = bench.partition().clone();
        tasks.spawn(async move {
            let mut seen: Option<Bytes> = None;
            for _ in 0..EACH {
                loop {
                    let number: usize = seen.as_ref().map_or(0, |value| {
                        std::str::from_utf8(value).unwrap().parse().unwrap()
                    });
                    let next = Bytes::from((number + 1).to_string());
                    let transaction = Transaction {
                        checks: vec![Check::FieldIs {
                            key: named("r"),
                            field: "count",
                            value: seen.clone(),
                            tell: vec!["count"],
                        }],
                        writes: vec![
                            Write::Put {
                                key: named("r"),
                                fields: vec![("count".into(), next.clone())],
                            },
                            Write::Append {
                                key: named("l"),
                                entries: vec![next.clone()],
                            },
                        ],
                        reads: vec![],
                    };
                    match store.transact(&partition, transaction).await.unwrap() {
                        Outcome::Applied(_) => {
                            seen = Some(next);
                            break;
                        }
                        Outcome::Refused(refused) => {
                            assert_ne!(refused.told[0], seen, "refused although nothing changed");
                            seen = refused.told[0].clone();
                        }
                    }
                }
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    assert_eq!(bench.field("r", "count").await, text("320"));
    let expected: Vec<_> = (1..=320)
        .map(|number| (number, Bytes::from(number.to_string())))
        .collect();
    assert_eq!(bench.log("l").await, expected);
}

pub async fn one_of_many_gets_the_lease(bench: &mut Bench) {
    for round in 0..10 {
        let key = format!("e{round}");
        let mut tasks = JoinSet::new();
        for task in 0..32 {
            let store = bench.store();
            let partition = bench.partition().clone();
            let key = key.clone();
            tasks.spawn(async move {
                let mut transaction = when([free(&key)], [take(&key, LONG, &task.to_string())]);
                if task % 2 == 0 {
                    // Half of them with a write.
                    transaction.writes.push(put("r", &[("a", "1")]));
                }
                match store.transact(&partition, transaction).await.unwrap() {
                    Outcome::Applied(applied) => Ok((task, applied.token.unwrap())),
                    Outcome::Refused(refused) => Err(refused.told[0].clone().unwrap()),
                }
            });
        }
        let results = tasks.join_all().await;
        let winners: Vec<_> = results.iter().filter_map(|r| r.as_ref().ok()).collect();
        assert_eq!(winners.len(), 1, "{winners:?}");
        let (winner, token) = *winners[0];
        assert!(bench.holds(held(&key, token)).await);
        for told in results.into_iter().filter_map(Result::err) {
            assert_eq!(told, winner.to_string());
        }
    }
}

/// Whoever gets the lease sees all that its holders before wrote: the log has as many entries as there were turns.
pub async fn a_turn_sees_the_turn_before(bench: &mut Bench) {
    const TURNS: i64 = 100;
    let turns = Arc::new(AtomicI64::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..8 {
        let store = bench.store();
        let partition = bench.partition().clone();
        let turns = Arc::clone(&turns);
        tasks.spawn(async move {
            while turns.load(Ordering::SeqCst) < TURNS {
                let begin = Transaction {
                    checks: vec![free("e")],
                    writes: vec![take("e", LONG, "")],
                    reads: vec![Read::LogBefore {
                        key: named("l"),
                        before: i64::MAX,
                        limit: 1,
                    }],
                };
                let applied = match store.transact(&partition, begin).await.unwrap() {
                    Outcome::Applied(applied) => applied,
                    Outcome::Refused(_) => {
                        tokio::task::yield_now().await;
                        continue;
                    }
                };
                let Found::Entries(entries) = &applied.found[0] else {
                    panic!("entries")
                };
                let last = entries.first().map_or(0, |(id, _)| *id);
                assert_eq!(last, turns.load(Ordering::SeqCst));
                let token = applied.token.unwrap();
                // Counted before the lease is free, so that the next holder finds the count.
                turns.fetch_add(1, Ordering::SeqCst);
                let commit = when([held("e", token)], [append("l", &["turn"]), release("e")]);
                let outcome = store.transact(&partition, commit).await.unwrap();
                assert!(matches!(outcome, Outcome::Applied(_)));
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let count = i64::try_from(bench.log("l").await.len()).unwrap();
    assert_eq!(count, turns.load(Ordering::SeqCst));
}
