//! Who is served how often, where students come through different replicas.

use std::{collections::BTreeMap, time::Duration};

use turnwise_testing::redis::ServerOptions;

use super::{
    students::{Ended, Student, Students},
    three_replicas::{REPLICAS, ThreeReplicas},
};

/// Calls that count.
const CALLS: usize = 150;
/// The students of the class that comes through one replica.
const ONE: usize = 18;
/// The students of the class that comes through all.
const ALL: usize = 6;

fn students() -> Vec<Student> {
    let student = |class: &str, n: usize, replica: usize| Student {
        class: class.to_owned(),
        name: format!("{class}-{n}"),
        replica,
    };
    let one = (0..ONE).map(|n| student("one", n, 0));
    let all = (0..ALL).map(|n| student("all", n, n % REPLICAS));
    one.chain(all).collect()
}

/// First come, first served would give three quarters to the larger class; a queue for each replica, five sixths to the
/// one that comes through all. Its students would be served unevenly, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_class_gets_the_same_through_one_replica_as_through_three() {
    let mut trio = ThreeReplicas::start(&ServerOptions::default(), Duration::from_secs(60)).await;
    trio.set_service(Duration::from_millis(200)).await;
    let students = Students::start(&trio, students());
    // Not before everybody has been served do all always have one request in the queue.
    let everybody = |ended: &[Ended]| count(ended, |one| &one.student).len() == ONE + ALL;
    students.until(0, "everybody is served", everybody).await;
    let from = students.so_far();
    let enough = |ended: &[Ended]| ended.len() >= CALLS;
    students
        .until(from, "enough calls are answered", enough)
        .await;
    let ended = students.finish().await;
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
        let served = count(&of_class, |one| &one.student);
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
