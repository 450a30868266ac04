//! Expiry of records, logs and rankings.

use std::time::Duration;

use bytes::Bytes;
use turnwise_session_store::{Outcome, Read, Transaction, Write};

use crate::bench::{
    Bench, LONG, SHORT, absent, append, expire, field_is, named, present, put, rank, remove, text,
    trim, unset, when,
};

pub async fn what_has_expired_is_absent(bench: &mut Bench) {
    bench
        .write([
            put("r", &[("a", "1")]),
            put("stays", &[("a", "1")]),
            expire("r", SHORT),
            expire("stays", LONG),
        ])
        .await;
    bench.pass(SHORT).await;
    assert!(bench.holds(absent("r", &["a"])).await);
    assert!(!bench.holds(present("r")).await);
    assert!(bench.holds(field_is("r", "a", None, &[])).await);
    assert_eq!(bench.field("r", "a").await, None);
    assert!(bench.record("r").await.is_empty());
    assert_eq!(bench.field("stays", "a").await, text("1"));
    // Told nothing either.
    let refused = bench
        .refuse(when([field_is("r", "a", Some("1"), &["a"])], []))
        .await;
    assert_eq!(refused.told, [None]);
}

pub async fn an_expired_record_begins_anew(bench: &mut Bench) {
    bench
        .write([put("r", &[("a", "1")]), expire("r", SHORT)])
        .await;
    bench.pass(SHORT).await;
    let applied = bench
        .apply(Transaction {
            checks: vec![absent("r", &[])],
            writes: vec![put("r", &[("b", "2")])],
            reads: vec![Read::Record { key: named("r") }],
        })
        .await;
    let expected = [("b".to_owned(), Bytes::from("2"))];
    assert_eq!(
        applied.found,
        [turnwise_session_store::Found::Record(expected.to_vec())]
    );
    // Without the old expiry.
    bench.pass(SHORT).await;
    assert_eq!(bench.record("r").await, expected);
}

pub async fn an_expired_log_goes_on_with_its_ids(bench: &mut Bench) {
    bench
        .write([append("l", &["a", "b", "c"]), expire("l", SHORT)])
        .await;
    bench.pass(SHORT).await;
    assert!(bench.log("l").await.is_empty());
    bench.write([append("l", &["d"])]).await;
    assert_eq!(bench.log("l").await, [(4, Bytes::from("d"))]);
    bench.pass(SHORT).await;
    assert_eq!(bench.log("l").await.len(), 1);
    bench.write([trim("l", 0), expire("l", SHORT)]).await;
    bench.pass(SHORT).await;
    bench.write([append("l", &["e"])]).await;
    assert_eq!(bench.log("l").await, [(5, Bytes::from("e"))]);
}

pub async fn an_expired_ranking_is_empty(bench: &mut Bench) {
    bench
        .write([rank("k", "a", 1), rank("k", "b", 2), expire("k", SHORT)])
        .await;
    bench.pass(SHORT).await;
    assert!(bench.ranking("k").await.is_empty());
    bench.write([rank("k", "b", 5)]).await;
    assert_eq!(bench.ranking("k").await, [("b".to_owned(), 5)]);
    bench.pass(SHORT).await;
    assert_eq!(bench.ranking("k").await.len(), 1);
}

pub async fn expiry_is_replaced_and_ends_with_the_record(bench: &mut Bench) {
    bench
        .write([
            put("longer", &[("a", "1")]),
            expire("longer", SHORT),
            expire("longer", LONG),
            put("shorter", &[("a", "1")]),
            expire("shorter", LONG),
            expire("shorter", SHORT),
            put("removed", &[("a", "1")]),
            expire("removed", SHORT),
            remove("removed"),
            put("removed", &[("a", "2")]),
            put("emptied", &[("a", "1")]),
            expire("emptied", SHORT),
            unset("emptied", &["a"]),
            put("emptied", &[("a", "3")]),
            rank("k", "m", 1),
            expire("k", SHORT),
            Write::Unrank {
                key: named("k"),
                members: vec!["m".to_owned()],
            },
            rank("k", "m", 2),
        ])
        .await;
    bench.pass(SHORT).await;
    assert_eq!(bench.field("longer", "a").await, text("1"));
    assert_eq!(bench.field("shorter", "a").await, None);
    assert_eq!(bench.field("removed", "a").await, text("2"));
    assert_eq!(bench.field("emptied", "a").await, text("3"));
    assert_eq!(bench.ranking("k").await.len(), 1);
}

pub async fn nothing_there_never_expires(bench: &mut Bench) {
    bench
        .write([expire("r", SHORT), expire("l", SHORT), expire("k", SHORT)])
        .await;
    bench
        .write([
            put("r", &[("a", "1")]),
            append("l", &["a"]),
            rank("k", "m", 1),
        ])
        .await;
    bench.pass(SHORT).await;
    assert_eq!(bench.record("r").await.len(), 1);
    assert_eq!(bench.log("l").await.len(), 1);
    assert_eq!(bench.ranking("k").await.len(), 1);
}

pub async fn writing_keeps_the_expiry(bench: &mut Bench) {
    // The second write must come before it.
    let soon = Duration::from_secs(2);
    bench
        .write([
            put("r", &[("a", "1")]),
            append("l", &["a"]),
            rank("k", "m", 1),
            expire("r", soon),
            expire("l", soon),
            expire("k", soon),
        ])
        .await;
    bench
        .write([
            put("r", &[("b", "2")]),
            append("l", &["b"]),
            rank("k", "n", 1),
        ])
        .await;
    bench.pass(soon).await;
    assert!(bench.record("r").await.is_empty());
    assert!(bench.log("l").await.is_empty());
    assert!(bench.ranking("k").await.is_empty());
    let again = when([absent("r", &[])], [put("r", &[("a", "1")])]);
    assert!(matches!(bench.transact(again).await, Outcome::Applied(_)));
}
