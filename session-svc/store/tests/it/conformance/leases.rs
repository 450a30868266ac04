//! Leases: held by one, for some time, under tokens that rise.

use std::time::Duration;

use bytes::Bytes;
use turnwise_session_store::Outcome;

use crate::bench::{
    Bench, LONG, SHORT, absent, free, held, put, release, remove, renew, take, text, when,
};

pub async fn a_lease_is_held_until_given_back(bench: &mut Bench) {
    let begin = |holder| when([free("e")], [take("e", LONG, holder)]);
    let first = bench.apply(begin("first")).await.token.unwrap();
    let refused = bench.refuse(begin("second")).await;
    assert_eq!(refused.check, 0);
    assert_eq!(refused.told, [text("first")]);
    let remainder = refused.lease_remainder.unwrap();
    assert!(remainder <= LONG && remainder > LONG / 2, "{remainder:?}");
    assert!(bench.holds(held("e", first)).await);
    let given_back = bench.apply(when([held("e", first)], [release("e")])).await;
    assert_eq!(given_back.token, None);
    assert!(!bench.holds(held("e", first)).await);
    let second = bench.apply(begin("second")).await.token.unwrap();
    assert!(second > first);
    assert!(!bench.holds(held("e", first)).await);
}

pub async fn a_lease_ends_by_itself(bench: &mut Bench) {
    let token = bench.write([take("e", SHORT, "me")]).await.token.unwrap();
    bench.pass(SHORT).await;
    assert!(bench.holds(free("e")).await);
    assert!(!bench.holds(held("e", token)).await);
    // What has ended is not brought back.
    bench.write([renew("e", LONG)]).await;
    assert!(bench.holds(free("e")).await);
}

pub async fn a_renewed_lease_lasts_longer(bench: &mut Bench) {
    let ttl = Duration::from_secs(5);
    let token = bench.write([take("e", ttl, "me")]).await.token.unwrap();
    let renewed = bench
        .apply(when([held("e", token)], [renew("e", LONG)]))
        .await;
    assert_eq!(renewed.token, None);
    bench.pass(ttl).await;
    assert!(bench.holds(held("e", token)).await);
    let refused = bench.refuse(when([free("e")], [])).await;
    assert!(refused.lease_remainder.unwrap() > LONG / 2);
    assert_eq!(refused.told, [text("me")]);
    // It may be made shorter too.
    bench
        .apply(when([held("e", token)], [renew("e", SHORT)]))
        .await;
    bench.pass(SHORT).await;
    assert!(bench.holds(free("e")).await);
}

pub async fn a_lease_is_released_with_the_write(bench: &mut Bench) {
    let token = bench.write([take("e", LONG, "me")]).await.token.unwrap();
    let commit = |value| {
        when(
            [held("e", token)],
            [put("r", &[("a", value)]), release("e")],
        )
    };
    bench.apply(commit("1")).await;
    assert!(bench.holds(free("e")).await);
    assert_eq!(bench.refuse(commit("2")).await.check, 0);
    assert_eq!(bench.field("r", "a").await, text("1"));
    // A write may take one too.
    let writes = [put("r", &[("a", "3")]), take("e", LONG, "other")];
    let taken = bench.apply(when([free("e")], writes)).await.token.unwrap();
    assert!(taken > token);
    assert!(bench.holds(held("e", taken)).await);
}

pub async fn whoever_takes_it_has_it(bench: &mut Bench) {
    let first = bench.write([take("e", LONG, "a")]).await.token.unwrap();
    let second = bench.write([take("e", LONG, "b")]).await.token.unwrap();
    assert!(second > first);
    assert!(!bench.holds(held("e", first)).await);
    assert!(bench.holds(held("e", second)).await);
    // Anybody may give it back.
    bench.write([release("e")]).await;
    assert!(bench.holds(free("e")).await);
}

pub async fn tokens_rise_across_restarts(bench: &mut Bench) {
    let mut last = 0;
    for _ in 0..3 {
        for _ in 0..5 {
            let token = bench.write([take("e", LONG, "me")]).await.token.unwrap();
            assert!(token > last);
            last = token;
            bench.write([release("e")]).await;
        }
        bench.reopen().await;
    }
}

pub async fn a_lease_is_no_record(bench: &mut Bench) {
    bench
        .write([take("e", LONG, "me"), put("r", &[("a", "1")])])
        .await;
    assert!(bench.holds(free("r2")).await);
    let outcome = bench
        .transact(when([absent("x", &[])], [remove("x")]))
        .await;
    assert!(matches!(outcome, Outcome::Applied(_)));
    assert!(!bench.holds(free("e")).await);
    assert_eq!(
        bench.record("r").await,
        [("a".to_owned(), Bytes::from("1"))]
    );
}
