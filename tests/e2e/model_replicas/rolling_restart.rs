//! All replicas are restarted one after another while students press: what runs ends well, and the slots of the one that
//! stops are free at once.

use std::time::Duration;

use tokio::{
    task::block_in_place,
    time::{Instant, timeout},
};
use turnwise_proto::common::v1::ErrorReason;
use turnwise_testing::redis::ServerOptions;

use super::{
    students::{Students, answered, everywhere},
    three_replicas::{REPLICAS, ThreeReplicas},
};

/// So long that a slot that came back with it would be noticed.
const LEASE: Duration = Duration::from_secs(60);
/// At once, on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_ends_well_and_slots_are_free_at_once() {
    let mut trio = ThreeReplicas::start(&ServerOptions::default(), LEASE).await;
    let students = Students::start(&trio, everywhere(24, 4));
    let all: Vec<usize> = (0..REPLICAS).collect();
    students.until_answered(&all, 5).await;
    let mut told = Vec::new();
    for index in 0..REPLICAS {
        told.push(Instant::now());
        trio.replicas[index].process.terminate();
        students.close(index);
        let status = block_in_place(|| trio.replicas[index].process.exit_status());
        assert!(status.success(), "{status}");
        let free = timeout(AT_ONCE, trio.until_all_slots_serve_without(index)).await;
        free.expect("the slots of who stops are free at once");
        trio.start_again(index).await;
        students.open(&trio, index);
        students.until_answered(&[index], 5).await;
    }
    let ended = students.finish().await;
    println!(
        "answered {:?} of {}",
        [0, 1, 2].map(|index| answered(&ended, index)),
        ended.len()
    );
    for one in &ended {
        let Some(fault) = one.refusal() else { continue };
        println!("replica {}: {}", one.replica, fault.reason().wire_name());
        // Whoever comes too late finds nobody, and goes elsewhere; who was there is answered, or told why not.
        let expected = match one.was_queued {
            true => [ErrorReason::Busy].as_slice(),
            false => &[ErrorReason::Busy, ErrorReason::DependencyUnavailable],
        };
        assert!(expected.contains(&fault.reason()), "{one:?}");
    }
    for (index, told) in told.into_iter().enumerate() {
        let of_it = ended.iter().filter(|one| one.replica == index);
        let under_way = of_it.filter(|one| one.sent < told && told < one.at);
        let answered = under_way.filter(|one| one.result.is_ok()).count();
        println!(
            "replica {index}: {answered} answered that were under proxy when it was told to end"
        );
        assert!(answered >= 1);
    }
    let seen = trio.seen().await;
    assert_eq!(seen.cancelled, 0, "{seen:?}");
    trio.check().await;
}
