//! Logs: ids, pages, trimming, and readers that wait.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::timeout;
use turnwise_session_store::{Found, Read, Write};

use crate::bench::{Bench, append, named, put, remove, trim};

/// Longer than anything here takes; a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(20);

async fn fill(bench: &Bench, count: i64) {
    let entries = (1..=count).map(|id| Bytes::from(id.to_string())).collect();
    bench
        .write([Write::Append {
            key: named("l"),
            entries,
        }])
        .await;
}

fn ids(found: Found) -> Vec<i64> {
    match found {
        Found::Entries(entries) => entries
            .into_iter()
            .map(|(id, entry)| {
                assert_eq!(entry, id.to_string());
                id
            })
            .collect(),
        other => panic!("{other:?}"),
    }
}

pub async fn ids_begin_at_one_and_rise(bench: &mut Bench) {
    bench.write([append("l", &["a", "b"])]).await;
    bench
        .write([
            append("l", &["c"]),
            append("m", &["x"]),
            append("l", &["d"]),
        ])
        .await;
    let expected = [(1, "a"), (2, "b"), (3, "c"), (4, "d")];
    assert_eq!(
        bench.log("l").await,
        expected.map(|(id, entry)| (id, Bytes::from(entry)))
    );
    assert_eq!(bench.log("m").await, [(1, Bytes::from("x"))]);
}

pub async fn pages_go_forward(bench: &mut Bench) {
    fill(bench, 300).await;
    for (after, limit, expected) in [
        (0, 3, vec![1, 2, 3]),
        (3, 2, vec![4, 5]),
        (299, 5, vec![300]),
        (300, 5, vec![]),
        (i64::MAX, 5, vec![]),
        (-7, 1, vec![1]),
        (254, 4, vec![255, 256, 257, 258]),
        (5, 0, vec![]),
    ] {
        let read = Read::LogAfter {
            key: named("l"),
            after,
            limit,
        };
        assert_eq!(ids(bench.read(read).await), expected, "after {after}");
    }
}

pub async fn pages_go_back(bench: &mut Bench) {
    fill(bench, 300).await;
    for (before, limit, expected) in [
        (i64::MAX, 3, vec![300, 299, 298]),
        (301, 1, vec![300]),
        (300, 1, vec![299]),
        (258, 4, vec![257, 256, 255, 254]),
        (3, 9, vec![2, 1]),
        (1, 9, vec![]),
        (0, 9, vec![]),
        (i64::MIN, 9, vec![]),
        (9, 0, vec![]),
    ] {
        let read = Read::LogBefore {
            key: named("l"),
            before,
            limit,
        };
        assert_eq!(ids(bench.read(read).await), expected, "before {before}");
    }
}

pub async fn trimmed_entries_are_gone_and_ids_go_on(bench: &mut Bench) {
    fill(bench, 10).await;
    let all = || Read::LogAfter {
        key: named("l"),
        after: 0,
        limit: 100,
    };
    bench.write([trim("l", 20)]).await;
    assert_eq!(ids(bench.read(all()).await).len(), 10);
    bench.write([trim("l", 3)]).await;
    assert_eq!(ids(bench.read(all()).await), [8, 9, 10]);
    bench.write([trim("l", 0)]).await;
    assert!(ids(bench.read(all()).await).is_empty());
    bench.reopen().await;
    bench.write([append("l", &["11", "12"])]).await;
    assert_eq!(ids(bench.read(all()).await), [11, 12]);
}

pub async fn a_removed_log_begins_again(bench: &mut Bench) {
    fill(bench, 10).await;
    bench.write([remove("l")]).await;
    assert!(bench.log("l").await.is_empty());
    fill(bench, 2).await;
    assert_eq!(bench.log("l").await.len(), 2);
    assert_eq!(bench.log("l").await[0].0, 1);
}

pub async fn a_waiting_reader_is_told(bench: &mut Bench) {
    let mut news = bench.store().watch(bench.partition(), &named("l"));
    for number in 1..=5 {
        news.borrow_and_update();
        let seen = bench.log("l").await.len();
        bench.write([append("l", &["entry"])]).await;
        assert_eq!(seen + 1, number);
        // A store may tell more often than it must, so what counts is what is read then.
        loop {
            timeout(PATIENCE, news.changed()).await.unwrap().unwrap();
            if bench.log("l").await.len() == number {
                break;
            }
        }
    }
}

pub async fn a_waiting_reader_is_told_that_the_log_is_gone(bench: &mut Bench) {
    fill(bench, 3).await;
    let mut news = bench.store().watch(bench.partition(), &named("l"));
    // What the store tells at the beginning, if it does, is over once it has told of an entry.
    loop {
        news.borrow_and_update();
        bench
            .write([append("m", &["entry"]), append("l", &["x"])])
            .await;
        timeout(PATIENCE, news.changed()).await.unwrap().unwrap();
        if !news.has_changed().unwrap() {
            break;
        }
    }
    news.borrow_and_update();
    bench.write([remove("l")]).await;
    timeout(PATIENCE, news.changed()).await.unwrap().unwrap();
    assert!(bench.log("l").await.is_empty());
}

pub async fn news_between_reading_and_waiting_are_not_lost(bench: &mut Bench) {
    const COUNT: usize = 200;
    let mut news = bench.store().watch(bench.partition(), &named("l"));
    let store = bench.store();
    let partition = bench.partition().clone();
    let writer = tokio::spawn(async move {
        for _ in 0..COUNT {
            let transaction =
                crate::bench::when([], [put("r", &[("a", "1")]), append("l", &["x"])]);
            store.transact(&partition, transaction).await.unwrap();
        }
    });
    let mut after = 0;
    let mut seen = 0;
    while seen < COUNT {
        news.borrow_and_update();
        let read = Read::LogAfter {
            key: named("l"),
            after,
            limit: 7,
        };
        let Found::Entries(entries) = bench.read(read).await else {
            panic!("entries")
        };
        seen += entries.len();
        match entries.last() {
            Some((id, _)) => after = *id,
            None => timeout(PATIENCE, news.changed()).await.unwrap().unwrap(),
        }
    }
    writer.await.unwrap();
    assert_eq!(after, 200);
}
