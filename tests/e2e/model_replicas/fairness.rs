//! Who is served how often, where pupils come through different replicas.

use std::{collections::BTreeMap, time::Duration};

use turnwise_testing::redis::ServerOptions;

use super::{
    pupils::{Ended, Pupil, Pupils},
    trio::{REPLICAS, Trio},
};

/// Calls that count.
const CALLS: usize = 150;
/// The pupils of the class that comes through one replica.
const ONE: usize = 18;
/// The pupils of the class that comes through all.
const ALL: usize = 6;

fn pupils() -> Vec<Pupil> {
    let pupil = |class: &str, n: usize, replica: usize| Pupil {
        class: class.to_owned(),
        name: format!("{class}-{n}"),
        replica,
    };
    let one = (0..ONE).map(|n| pupil("one", n, 0));
    let all = (0..ALL).map(|n| pupil("all", n, n % REPLICAS));
    one.chain(all).collect()
}

/// First come, first served would give three quarters to the larger class; a line for each replica, five sixths to the
/// one that comes through all. Its pupils would be served unevenly, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_class_gets_the_same_through_one_replica_as_through_three() {
    let mut trio = Trio::start(&ServerOptions::default(), Duration::from_secs(60)).await;
    trio.set_service(Duration::from_millis(200)).await;
    let pupils = Pupils::start(&trio, pupils());
    // Not before everybody has been served do all always have one request in line.
    let everybody = |ended: &[Ended]| count(ended, |one| &one.pupil).len() == ONE + ALL;
    pupils.until(0, "everybody is served", everybody).await;
    let from = pupils.so_far();
    let enough = |ended: &[Ended]| ended.len() >= CALLS;
    pupils
        .until(from, "enough calls are answered", enough)
        .await;
    let ended = pupils.finish().await;
    assert!(ended.iter().all(|one| one.result.is_ok()), "{ended:?}");

    let counted = &ended[from..from + CALLS];
    let classes = count(counted, |one| &one.class);
    println!("{classes:?}");
    assert!(classes["one"].abs_diff(classes["all"]) <= 10, "{classes:?}");
    for class in ["one", "all"] {
        let of_class: Vec<Ended> = counted
            .iter()
            .filter(|one| one.class == class)
            .cloned()
            .collect();
        let served = count(&of_class, |one| &one.pupil);
        println!("{served:?}");
        let (least, most) = (served.values().min(), served.values().max());
        assert!(most.unwrap() - least.unwrap() <= 3, "{served:?}");
    }
    trio.check().await;
}

fn count<'a>(
    ended: &'a [Ended],
    name: impl Fn(&'a Ended) -> &'a String,
) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for one in ended {
        *counts.entry(name(one).as_str()).or_default() += 1;
    }
    counts
}
