//! Rankings: members, ordered by score.

use turnwise_session_store::{Found, Read, Write};

use crate::bench::{Bench, named, rank};

/// The largest score.
const MOST: i64 = 1 << 53;

async fn members(bench: &Bench, highest: bool, from: i64, to: i64, limit: usize) -> Vec<String> {
    let key = named("k");
    let read = if highest {
        Read::Highest {
            key,
            from,
            to,
            limit,
        }
    } else {
        Read::Lowest {
            key,
            from,
            to,
            limit,
        }
    };
    match bench.read(read).await {
        Found::Members(members) => members.into_iter().map(|(member, _)| member).collect(),
        other => panic!("{other:?}"),
    }
}

pub async fn members_are_ordered_by_score(bench: &mut Bench) {
    let scores = [
        ("a", 3),
        ("b", -3),
        ("c", 0),
        ("d", MOST),
        ("e", -MOST),
        ("f", 300),
        ("g", MOST - 1),
    ];
    let writes: Vec<_> = scores
        .iter()
        .map(|(m, score)| rank("k", m, *score))
        .collect();
    bench.write(writes).await;
    let mut expected = scores.map(|(m, score)| (m.to_owned(), score)).to_vec();
    expected.sort_by_key(|(_, score)| *score);
    assert_eq!(bench.ranking("k").await, expected);
    let lowest = members(bench, false, i64::MIN, i64::MAX, 3).await;
    assert_eq!(lowest, ["e", "b", "c"]);
    let highest = members(bench, true, i64::MIN, i64::MAX, 3).await;
    assert_eq!(highest, ["d", "g", "f"]);
}

pub async fn ties_are_ordered_by_bytes(bench: &mut Bench) {
    let names = ["b", "a", "ab", "B", "é", "", "a\u{0}", "zz", "10", "9"];
    let writes: Vec<_> = names.iter().map(|m| rank("k", m, 7)).collect();
    bench.write(writes).await;
    bench
        .write([rank("k", "first", 6), rank("k", "last", 8)])
        .await;
    let mut expected = names.to_vec();
    expected.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
    assert_eq!(members(bench, false, 7, 7, 99).await, expected);
    expected.reverse();
    assert_eq!(members(bench, true, 7, 7, 99).await, expected);
    assert_eq!(members(bench, true, 6, 7, 99).await[names.len()], "first");
}

pub async fn bounds_are_included(bench: &mut Bench) {
    let writes: Vec<_> = (1..=5).map(|n| rank("k", &n.to_string(), n)).collect();
    bench.write(writes).await;
    assert_eq!(members(bench, false, 2, 4, 9).await, ["2", "3", "4"]);
    assert_eq!(members(bench, true, 2, 4, 9).await, ["4", "3", "2"]);
    assert_eq!(members(bench, true, 2, 4, 2).await, ["4", "3"]);
    assert!(members(bench, false, 4, 2, 9).await.is_empty());
    assert!(members(bench, false, 6, 9, 9).await.is_empty());
    assert!(members(bench, false, 1, 5, 0).await.is_empty());
}

pub async fn members_move_and_go(bench: &mut Bench) {
    bench
        .write([rank("k", "a", 1), rank("k", "b", 2), rank("k", "c", 3)])
        .await;
    bench.write([rank("k", "a", 9)]).await;
    assert_eq!(members(bench, false, 0, 9, 9).await, ["b", "c", "a"]);
    bench
        .write([Write::Unrank {
            key: named("k"),
            members: vec!["c".to_owned(), "x".to_owned()],
        }])
        .await;
    assert_eq!(members(bench, false, 0, 9, 9).await, ["b", "a"]);
}

pub async fn members_go_only_at_their_score(bench: &mut Bench) {
    bench
        .write([rank("k", "a", 1), rank("k", "b", 2), rank("k", "c", -3)])
        .await;
    let members_at = [("a", 1), ("b", 1), ("c", -3), ("x", 0)]
        .map(|(member, score)| (member.to_owned(), score))
        .to_vec();
    bench
        .write([Write::UnrankAt {
            key: named("k"),
            members: members_at,
        }])
        .await;
    assert_eq!(bench.ranking("k").await, [("b".to_owned(), 2)]);
}

pub async fn low_scores_go(bench: &mut Bench) {
    let writes: Vec<_> = (-2..=2).map(|n| rank("k", &n.to_string(), n)).collect();
    bench.write(writes).await;
    let up_to = |score| Write::UnrankUpTo {
        key: named("k"),
        score,
    };
    bench.write([up_to(-3)]).await;
    assert_eq!(bench.ranking("k").await.len(), 5);
    bench.write([up_to(0)]).await;
    assert_eq!(members(bench, false, -9, 9, 9).await, ["1", "2"]);
    // One that was taken out comes back with its new score only.
    bench.write([rank("k", "-2", 5)]).await;
    assert_eq!(members(bench, false, -9, 9, 9).await, ["1", "2", "-2"]);
    bench.write([up_to(MOST)]).await;
    assert!(bench.ranking("k").await.is_empty());
}
