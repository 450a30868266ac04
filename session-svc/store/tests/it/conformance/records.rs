//! Records: fields that are set, read and removed.

use bytes::Bytes;
use turnwise_session_store::{Found, Read, Write};

use crate::bench::{Bench, append, named, put, rank, remove, text, unset};

pub async fn fields_are_set_and_others_stay(bench: &mut Bench) {
    bench.write([put("r", &[("a", "1"), ("b", "2")])]).await;
    bench.write([put("r", &[("b", "3"), ("c", "")])]).await;
    let all = bench.record("r").await;
    let expected = [("a", "1"), ("b", "3"), ("c", "")];
    assert_eq!(
        all,
        expected.map(|(field, value)| (field.to_owned(), Bytes::from(value)))
    );
    let read = Read::Fields {
        key: named("r"),
        fields: ["c", "x", "a", "a"].map(Into::into).to_vec(),
    };
    assert_eq!(
        bench.read(read).await,
        Found::Fields(vec![text(""), None, text("1"), text("1")])
    );
}

pub async fn numbers_are_added_to(bench: &mut Bench) {
    bench
        .write([put("r", &[("a", "40"), ("b", "no number")])])
        .await;
    let add = Write::Add {
        key: named("r"),
        fields: vec![
            ("a".into(), 2),
            ("b".into(), 7),
            ("c".into(), -1),
            ("c".into(), 1 << 52),
        ],
    };
    bench.write([add]).await;
    let all = bench.record("r").await;
    let expected = [("a", "42"), ("b", "7"), ("c", "4503599627370495")];
    assert_eq!(
        all,
        expected.map(|(field, value)| (field.to_owned(), Bytes::from(value)))
    );
}

pub async fn what_only_looks_like_a_number_counts_as_none(bench: &mut Bench) {
    for value in [" 1", "1 ", "1.5", "1e2", "0x10", "-", "+", "", "inf"] {
        bench.write([put("r", &[("a", value)])]).await;
        let add = Write::Add {
            key: named("r"),
            fields: vec![("a".into(), 7)],
        };
        bench.write([add]).await;
        assert_eq!(bench.field("r", "a").await, text("7"), "{value:?}");
    }
    for (value, sum) in [("+1", "8"), ("-3", "4"), ("007", "14")] {
        bench.write([put("r", &[("a", value)])]).await;
        let add = Write::Add {
            key: named("r"),
            fields: vec![("a".into(), 7)],
        };
        bench.write([add]).await;
        assert_eq!(bench.field("r", "a").await, text(sum), "{value:?}");
    }
}

pub async fn a_record_without_fields_is_gone(bench: &mut Bench) {
    bench.write([put("r", &[("a", "1"), ("b", "2")])]).await;
    bench.write([unset("r", &["a", "x"])]).await;
    assert!(bench.holds(crate::bench::present("r")).await);
    bench.write([unset("r", &["b"])]).await;
    assert!(bench.holds(crate::bench::absent("r", &[])).await);
    assert!(bench.record("r").await.is_empty());
}

pub async fn removed_is_gone(bench: &mut Bench) {
    bench
        .write([
            put("r", &[("a", "1")]),
            put("r2", &[("a", "2")]),
            append("l", &["one"]),
            rank("k", "m", 1),
        ])
        .await;
    bench
        .write([remove("r"), remove("l"), remove("k"), remove("none")])
        .await;
    assert!(bench.record("r").await.is_empty());
    assert!(bench.log("l").await.is_empty());
    assert!(bench.ranking("k").await.is_empty());
    assert_eq!(bench.field("r2", "a").await, text("2"));
}

pub async fn values_may_hold_any_bytes(bench: &mut Bench) {
    let all: Bytes = (0..=u8::MAX).chain((0..=u8::MAX).rev()).collect();
    bench
        .write([
            Write::Put {
                key: named("r"),
                fields: vec![
                    ("f".into(), all.clone()),
                    ("é \u{0} {}".into(), all.clone()),
                ],
            },
            Write::Append {
                key: named("l"),
                entries: vec![all.clone(), Bytes::new()],
            },
            Write::TakeLease {
                key: named("e"),
                ttl: crate::bench::LONG,
                holder: all.clone(),
            },
        ])
        .await;
    assert_eq!(
        bench.record("r").await,
        [
            ("f".to_owned(), all.clone()),
            ("é \u{0} {}".to_owned(), all.clone())
        ]
    );
    assert_eq!(bench.log("l").await, [(1, all.clone()), (2, Bytes::new())]);
    let refused = bench
        .refuse(crate::bench::when([crate::bench::free("e")], []))
        .await;
    assert_eq!(refused.told, [Some(all.clone())]);
    let same = turnwise_session_store::Check::FieldIs {
        key: named("r"),
        field: "f",
        value: Some(all),
        tell: vec![],
    };
    assert!(bench.holds(same).await);
}

/// Texts that the script of Redis knows by their places, as names and as values.
pub async fn words_come_back(bench: &mut Bench) {
    let (_, list) = include_str!("../../../src/redis/transact.lua")
        .split_once("local words = {")
        .unwrap();
    let words = list.split_once('}').unwrap().0.split('\'');
    let words = words.skip(1).step_by(2);
    let mut fields: Vec<_> = words.map(|word| (word, word)).collect();
    fields.sort_unstable();
    assert!(fields.contains(&("fingerprint", "fingerprint")));
    bench.write([put("r", &fields)]).await;
    let expected = fields.into_iter();
    let expected: Vec<_> = expected
        .map(|(field, value)| (field.to_owned(), Bytes::from(value)))
        .collect();
    assert_eq!(bench.record("r").await, expected);
}

pub async fn large_values_come_back(bench: &mut Bench) {
    let large = |seed: usize| -> Bytes {
        (0..1 << 20)
            .map(|place: usize| (place * seed).to_le_bytes()[1])
            .collect()
    };
    bench
        .write([
            Write::Put {
                key: named("r"),
                fields: vec![("a".into(), large(3)), ("b".into(), large(5))],
            },
            Write::Append {
                key: named("l"),
                entries: vec![large(7)],
            },
        ])
        .await;
    assert!(bench.field("r", "a").await == Some(large(3)));
    assert!(bench.field("r", "b").await == Some(large(5)));
    assert!(bench.log("l").await == [(1, large(7))]);
}

pub async fn nothing_is_found_where_nothing_is(bench: &mut Bench) {
    assert!(bench.record("r").await.is_empty());
    assert_eq!(bench.field("r", "a").await, None);
    assert!(bench.log("l").await.is_empty());
    assert!(bench.ranking("k").await.is_empty());
    // To take away what is not there is no error.
    bench
        .write([
            unset("r", &["a"]),
            remove("r"),
            crate::bench::trim("l", 3),
            Write::Unrank {
                key: named("k"),
                members: vec!["m".to_owned()],
            },
            Write::UnrankUpTo {
                key: named("k"),
                score: 5,
            },
            crate::bench::release("e"),
            crate::bench::renew("e", crate::bench::LONG),
        ])
        .await;
    assert!(bench.holds(crate::bench::free("e")).await);
    bench.write([append("l", &["first"])]).await;
    assert_eq!(bench.log("l").await, [(1, Bytes::from("first"))]);
}

pub async fn what_was_acknowledged_is_there_after_a_restart(bench: &mut Bench) {
    for number in 0..50 {
        let key = format!("r{number}");
        bench
            .write([
                put(&key, &[("a", &key)]),
                append("l", &[&key]),
                rank("k", &key, number),
            ])
            .await;
    }
    bench.reopen().await;
    for number in 0..50 {
        let key = format!("r{number}");
        assert_eq!(bench.field(&key, "a").await, text(&key));
    }
    let expected: Vec<_> = (0..50)
        .map(|number| (number + 1, Bytes::from(format!("r{number}"))))
        .collect();
    assert_eq!(bench.log("l").await, expected);
    let expected: Vec<_> = (0..50)
        .map(|number| (format!("r{number}"), number))
        .collect();
    assert_eq!(bench.ranking("k").await, expected);
    bench.write([append("l", &["next"])]).await;
    assert_eq!(bench.log("l").await[50], (51, Bytes::from("next")));
}
