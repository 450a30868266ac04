//! Service times, and the waits that are estimated from them.

use std::{sync::Arc, time::Duration};

use turnwise_llm_queue::{
    Band,
    forecast::{ServiceTimes, WaitEstimate, estimate_waits},
    snapshot::{ClassSnapshot, EntrySnapshot, OrderSnapshot, StudentRef},
};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

/// So many students of one class.
fn class_of(students: u64) -> OrderSnapshot {
    OrderSnapshot {
        classes: vec![ClassSnapshot {
            name: Arc::from("class"),
            band: Band::Interactive,
            weight: 1,
            tag: 0,
            stamp: 1,
        }],
        entries: (1..=students)
            .map(|id| EntrySnapshot {
                id,
                class: 0,
                student: StudentRef::Hash(id.to_string().into()),
                place: id,
                arrival: id,
                since: 0,
                purpose: "turn".into(),
                replica: 0,
                held: false,
            })
            .collect(),
        passed_over_since: None,
    }
}

fn measured(times: impl IntoIterator<Item = Duration>) -> ServiceTimes {
    let mut measured = ServiceTimes::prior(HOUR);
    times.into_iter().for_each(|time| measured.record(time));
    measured
}

fn constant() -> ServiceTimes {
    measured([SECOND; 200])
}

#[test]
fn the_first_measurement_replaces_what_was_reckoned_with() {
    assert_eq!(ServiceTimes::prior(SECOND).mean(), SECOND);
    assert_eq!(measured([SECOND]).mean(), SECOND);
    assert_eq!(measured([SECOND, 3 * SECOND]).mean(), 2 * SECOND);
}

#[test]
fn the_mean_follows_a_change() {
    let changed = measured([SECOND; 500].into_iter().chain([10 * SECOND; 100]));
    assert!(changed.mean() > 9 * SECOND, "{changed:?}");
}

#[test]
fn the_variance_is_that_of_the_times() {
    let times = measured((0..2000).map(|call| SECOND * (1 + call % 2 * 2)));
    let deviation = times.variance.sqrt() / 1e6;
    assert!((0.9..1.1).contains(&deviation), "{deviation}");
    assert!(constant().variance.sqrt() < 0.01 * 1e6);
}

#[test]
fn constant_times_give_a_tight_forecast() {
    // Two slots, busy for 0.2 and 0.7 of a second.
    let slots = [Some(9_800_000), Some(9_300_000)];
    let estimates = estimate_waits(&class_of(4), &slots, &constant(), HOUR, 10_000_000);
    let expected: Vec<_> = estimates
        .iter()
        .map(|estimate| estimate.expected.as_millis())
        .collect();
    for (expected, exact) in expected.iter().zip([300, 800, 1300, 1800]) {
        assert!(expected.abs_diff(exact) <= 2, "{estimates:?}");
    }
    let tight = |estimate: &WaitEstimate| estimate.bound < estimate.expected.mul_f64(1.1);
    assert!(estimates.iter().all(tight), "{estimates:?}");
}

#[test]
fn a_call_that_runs_over_its_time_is_not_about_to_end_for_ever() {
    let wait = |passed: u64| {
        estimate_waits(
            &class_of(1),
            &[Some(0)],
            &constant(),
            HOUR,
            passed * 1_000_000,
        )[0]
        .expected
    };
    assert!(wait(1) >= Duration::from_millis(40));
    assert!(wait(5) >= Duration::from_millis(900));
    assert!(wait(100) > wait(5));
}

#[test]
fn a_queue_without_slots_has_no_estimates() {
    assert_eq!(estimate_waits(&class_of(3), &[], &constant(), HOUR, 0), []);
}

#[test]
fn uncertain_times_give_a_wider_bound() {
    let bound =
        |times: &ServiceTimes| estimate_waits(&class_of(20), &[None], times, HOUR, 0)[19].bound;
    let varied = measured((0..200).map(|call| SECOND * (call % 3)));
    assert!(bound(&varied) > bound(&constant()) + 5 * SECOND);
    assert!(bound(&measured([SECOND])) > bound(&constant()) + SECOND);
}
