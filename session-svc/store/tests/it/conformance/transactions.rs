//! Transactions: checks, one step, partitions, fences.

use std::time::Duration;

use bytes::Bytes;
use turnwise_session_store::{Applied, Check, Found, Outcome, Partition, Read, Transaction, Write};

use crate::bench::{
    Bench, LONG, absent, append, expire, field_is, free, held, named, present, put, rank, remove,
    student, take, text, trim, unset, when,
};

pub async fn checks_hold_or_not(bench: &mut Bench) {
    bench.write([put("r", &[("a", "1")])]).await;
    let token = bench.write([take("e", LONG, "me")]).await.token.unwrap();
    let cases = [
        (absent("x", &["a"]), true),
        (absent("r", &["a"]), false),
        (present("r"), true),
        (present("x"), false),
        (field_is("r", "a", Some("1"), &[]), true),
        (field_is("r", "a", Some("2"), &[]), false),
        (field_is("r", "a", Some(""), &[]), false),
        (field_is("r", "a", None, &[]), false),
        (field_is("r", "b", None, &[]), true),
        (field_is("x", "a", None, &[]), true),
        (field_is("x", "a", Some(""), &[]), false),
        (free("x"), true),
        (free("e"), false),
        (held("e", token), true),
        (held("e", token + 1), false),
        (held("e", token - 1), false),
        (held("x", token), false),
    ];
    for (check, expected) in cases {
        assert_eq!(bench.holds(check.clone()).await, expected, "{check:?}");
        // The same beside a write.
        let transaction = when([check.clone()], [put("w", &[("a", "1")])]);
        let applied = matches!(bench.transact(transaction).await, Outcome::Applied(_));
        assert_eq!(applied, expected, "{check:?} with a write");
    }
}

pub async fn the_first_check_that_fails_is_named(bench: &mut Bench) {
    bench.write([put("r", &[("a", "1")])]).await;
    let checks = [
        present("r"),
        free("e"),
        field_is("r", "a", Some("2"), &["a"]),
        absent("r", &["b"]),
        present("x"),
    ];
    for (dropped, expected) in [(0, 2), (1, 1), (2, 0), (3, 0), (4, 0)] {
        for write in [put("w", &[("a", "1")]), take("w2", LONG, "")] {
            let refused = bench.refuse(when(&checks[dropped..], [write])).await;
            assert_eq!(refused.check, expected);
        }
    }
}

pub async fn a_failed_check_tells_the_named_fields(bench: &mut Bench) {
    bench.write([put("r", &[("a", "1"), ("b", "2")])]).await;
    let refused = bench
        .refuse(when([absent("r", &["b", "x", "a"])], []))
        .await;
    assert_eq!(refused.told, [text("2"), None, text("1")]);
    assert_eq!(refused.lease_remainder, None);
    let check = field_is("r", "a", Some("9"), &["a", "b"]);
    let refused = bench.refuse(when([check], [put("r", &[("a", "3")])])).await;
    assert_eq!(refused.told, [text("1"), text("2")]);
    let refused = bench
        .refuse(when([field_is("x", "a", Some("9"), &["a"])], []))
        .await;
    assert_eq!(refused.told, [None]);
    let refused = bench.refuse(when([present("x")], [])).await;
    assert_eq!(refused.told, []);
}

pub async fn a_refused_transaction_writes_nothing(bench: &mut Bench) {
    bench
        .write([
            put("r", &[("a", "1")]),
            append("l", &["one"]),
            rank("k", "m", 1),
        ])
        .await;
    let mine = bench.write([take("e", LONG, "me")]).await.token.unwrap();
    bench
        .refuse(when(
            [present("r"), present("x")],
            [
                put("r", &[("a", "2"), ("b", "2")]),
                put("new", &[("a", "2")]),
                unset("r", &["a"]),
                remove("r"),
                append("l", &["two"]),
                trim("l", 0),
                rank("k", "m", 2),
                rank("k", "n", 2),
                take("f", LONG, "me"),
                crate::bench::release("e"),
                expire("r", Duration::from_millis(1)),
            ],
        ))
        .await;
    bench.pass(Duration::from_millis(2)).await;
    assert_eq!(
        bench.record("r").await,
        [("a".to_owned(), Bytes::from("1"))]
    );
    assert!(bench.record("new").await.is_empty());
    assert_eq!(bench.log("l").await, [(1, Bytes::from("one"))]);
    assert_eq!(bench.ranking("k").await, [("m".to_owned(), 1)]);
    assert!(bench.holds(free("f")).await);
    assert!(bench.holds(held("e", mine)).await);
    bench.write([append("l", &["two"])]).await;
    assert_eq!(bench.log("l").await[1].0, 2);
}

pub async fn writes_are_done_in_their_order(bench: &mut Bench) {
    bench
        .write([
            put("r", &[("a", "1")]),
            remove("r"),
            put("r", &[("b", "2")]),
            put("r", &[("b", "3")]),
            append("l", &["one", "two"]),
            trim("l", 1),
            append("l", &["three"]),
            rank("k", "m", 5),
            rank("k", "m", 4),
        ])
        .await;
    assert_eq!(
        bench.record("r").await,
        [("b".to_owned(), Bytes::from("3"))]
    );
    assert_eq!(
        bench.log("l").await,
        [(2, Bytes::from("two")), (3, Bytes::from("three"))]
    );
    assert_eq!(bench.ranking("k").await, [("m".to_owned(), 4)]);
}

pub async fn reads_see_the_writes(bench: &mut Bench) {
    let applied = bench
        .apply(Transaction {
            checks: vec![absent("r", &[])],
            writes: vec![put("r", &[("a", "1")]), append("l", &["one"])],
            reads: vec![
                Read::Record { key: named("r") },
                Read::LogBefore {
                    key: named("l"),
                    before: i64::MAX,
                    limit: 5,
                },
                Read::Fields {
                    key: named("x"),
                    fields: vec!["a".into()],
                },
            ],
        })
        .await;
    assert_eq!(
        applied,
        Applied {
            token: None,
            found: vec![
                Found::Record(vec![("a".to_owned(), Bytes::from("1"))]),
                Found::Entries(vec![(1, Bytes::from("one"))]),
                Found::Fields(vec![None]),
            ]
        }
    );
}

pub async fn empty_lists_are_fine(bench: &mut Bench) {
    assert_eq!(
        bench.transact(Transaction::default()).await,
        Outcome::Applied(Applied::default())
    );
    let refused = bench.refuse(when([present("x")], [])).await;
    assert_eq!(refused.check, 0);
}

pub async fn thousands_of_writes_are_one_step(bench: &mut Bench) {
    let keys: Vec<_> = (0..4096)
        .map(|number| format!("r{}", number % 600))
        .collect();
    let writes: Vec<_> = keys
        .iter()
        .enumerate()
        .map(|(number, key)| match number % 3 {
            0 => put(key, &[("a", key)]),
            1 => append("l", &[key]),
            _ => rank("k", key, i64::try_from(number).unwrap()),
        })
        .collect();
    bench.refuse(when([present("x")], writes.clone())).await;
    assert!(bench.log("l").await.is_empty());
    bench.write(writes).await;
    assert_eq!(bench.log("l").await.len(), 1365);
    assert_eq!(bench.ranking("k").await.len(), 200);
    assert_eq!(bench.field("r597", "a").await, text("r597"));
    // And everything goes in one step too, 256 reads with it.
    let writes: Vec<_> = (0..600)
        .map(|number| remove(&format!("r{number}")))
        .chain([remove("l"), remove("k")])
        .collect();
    let reads: Vec<_> = (0..256)
        .map(|number| Read::Record {
            key: named(&format!("r{number}")),
        })
        .collect();
    let applied = bench
        .apply(Transaction {
            checks: vec![],
            writes,
            reads,
        })
        .await;
    assert_eq!(applied.found, vec![Found::Record(vec![]); 256]);
}

pub async fn several_run_up_to_the_first_that_is_refused(bench: &mut Bench) {
    let own = bench.partition().clone();
    let name = own.as_str().rsplit('/').next().unwrap();
    let other = Partition::class("school", name);
    let of = |place: &str| {
        let checks = [absent(place, &["a"])];
        let first = (
            own.clone(),
            when(checks.clone(), [put(place, &[("a", "1")])]),
        );
        let reads = Transaction {
            reads: vec![Read::Record { key: named(place) }],
            ..when(checks, [put(place, &[("a", "2")])])
        };
        vec![first, (other.clone(), reads)]
    };
    let run = async |all| bench.store().transact_in_turn(all).await.unwrap();
    let there = async |partition: &Partition, place: &str| {
        let look = when([present(place)], []);
        let outcome = bench.transact_in(partition, look).await;
        matches!(outcome, Outcome::Applied(_))
    };

    let outcomes = run(of("r")).await;
    let [Outcome::Applied(_), Outcome::Applied(second)] = outcomes.as_slice() else {
        panic!("{outcomes:?}")
    };
    let record = vec![("a".to_owned(), Bytes::from("2"))];
    assert_eq!(second.found, [Found::Record(record)]);
    assert!(there(&own, "r").await && there(&other, "r").await);

    // The first is refused, and the second is not run.
    bench.write([put("r2", &[("a", "before")])]).await;
    let outcomes = run(of("r2")).await;
    let [Outcome::Refused(refused)] = outcomes.as_slice() else {
        panic!("{outcomes:?}")
    };
    assert_eq!(refused.told, [text("before")]);
    assert!(!there(&other, "r2").await);

    // The second is refused, and the first is done.
    let before = when([], [put("r3", &[("a", "before")])]);
    bench.transact_in(&other, before).await;
    let outcomes = run(of("r3")).await;
    assert!(
        matches!(
            outcomes.as_slice(),
            [Outcome::Applied(_), Outcome::Refused(_)]
        ),
        "{outcomes:?}"
    );
    assert!(there(&own, "r3").await);
    assert!(run(Vec::new()).await.is_empty());
}

pub async fn partitions_are_apart(bench: &mut Bench) {
    let own = bench.partition().as_str().to_owned();
    let name = own.rsplit('/').next().unwrap();
    // Names that begin alike, or that would be alike if their parts were joined.
    let partitions = [
        student(name),
        student(&format!("{name}1")),
        student(&format!("{name}:r")),
        Partition::class("school", name),
        Partition::class(&format!("school{name}"), name),
        Partition::tenant(name),
        Partition::system(name),
    ];
    let mut tokens = Vec::new();
    for (number, partition) in partitions.iter().enumerate() {
        let value = number.to_string();
        let checks = [absent("r", &[]), absent("1r", &[]), free("e")];
        let writes = [
            put("r", &[("a", &value)]),
            put("1r", &[("a", &value)]),
            append("l", &[&value]),
            rank("k", &value, 1),
            take("e", LONG, &value),
        ];
        match bench.transact_in(partition, when(checks, writes)).await {
            Outcome::Applied(applied) => tokens.push(applied.token.unwrap()),
            refused => panic!("{refused:?} in {partition:?}"),
        }
    }
    for (number, partition) in partitions.iter().enumerate() {
        let value = number.to_string();
        let transaction = Transaction {
            checks: vec![held("e", tokens[number])],
            writes: vec![remove("1r")],
            reads: vec![
                Read::Record { key: named("r") },
                Read::Record { key: named("1r") },
                Read::LogAfter {
                    key: named("l"),
                    after: 0,
                    limit: 9,
                },
                Read::Highest {
                    key: named("k"),
                    from: 0,
                    to: 9,
                    limit: 9,
                },
            ],
        };
        let expected = Outcome::Applied(Applied {
            token: None,
            found: vec![
                Found::Record(vec![("a".to_owned(), Bytes::from(value.clone()))]),
                Found::Record(vec![]),
                Found::Entries(vec![(1, Bytes::from(value.clone()))]),
                Found::Members(vec![(value, 1)]),
            ],
        });
        assert_eq!(bench.transact_in(partition, transaction).await, expected);
    }
}

pub async fn fences_rise(bench: &mut Bench) {
    let fence = |key: &str| Write::Fence {
        key: named(key),
        field: "fence",
    };
    let below = |key: &str, token: i64| Check::FenceBelow {
        key: named(key),
        field: "fence",
        token,
    };
    let first = bench.write([fence("r")]).await.token.unwrap();
    assert!(first > 0);
    assert_eq!(bench.field("r", "fence").await, text(&first.to_string()));
    for (token, expected) in [(first - 1, false), (first, false), (first + 1, true)] {
        assert_eq!(bench.holds(below("r", token)).await, expected);
    }
    assert!(bench.holds(below("x", 1)).await);
    let lease = bench.write([take("e", LONG, "me")]).await.token.unwrap();
    assert!(lease > first);
    assert!(bench.holds(below("r", lease)).await);
    let second = bench.write([fence("r")]).await.token.unwrap();
    assert!(second > lease);
    assert!(!bench.holds(below("r", lease)).await);
    bench.reopen().await;
    assert!(!bench.holds(below("r", lease)).await);
    let third = bench.write([fence("other")]).await.token.unwrap();
    assert!(third > second);
}
