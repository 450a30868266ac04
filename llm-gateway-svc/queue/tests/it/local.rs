//! The line of one process.

use std::time::Duration;

use turnwise_llm_queue::{Line, LineOptions, Refusal};

use crate::conformance::{Lines, ask, conformance, slot_of};

/// Lines of one process.
struct Local;

impl Lines for Local {
    async fn line(&self, options: LineOptions) -> Line {
        Line::local(options).expect("options within their bounds")
    }
}

conformance!(tokio::test(start_paused = true), Local);

fn split(slots: usize, replicas: usize, replica_index: usize) -> LineOptions {
    LineOptions {
        replicas,
        replica_index,
        ..LineOptions::with_slots(slots)
    }
}

/// Every third slot is its own.
#[tokio::test(start_paused = true)]
async fn a_replica_by_itself_uses_its_own_slots() {
    let line = Line::local(split(5, 3, 1)).unwrap();
    let slots = [
        slot_of(&line, ask("class", "a")).await,
        slot_of(&line, ask("class", "b")).await,
    ];
    assert_eq!(slots.each_ref().map(|slot| slot.index()), [1, 4]);
    let waiting = line.enter(ask("class", "c")).await.unwrap();
    assert_eq!(line.view(10).await.waiting_total, 1);
    drop(waiting);
}

#[tokio::test(start_paused = true)]
async fn a_replica_without_a_slot_of_its_own_has_none() {
    let line = Line::local(split(2, 3, 2)).unwrap();
    let refused = line.enter(ask("class", "a")).await.unwrap_err();
    assert!(matches!(refused, Refusal::NoSlot { retry_after } if retry_after > Duration::ZERO));
    assert_eq!(line.view(10).await.slots, []);
}

#[test]
fn options_have_bounds() {
    let base = || LineOptions::with_slots(2);
    let cases = [
        ("slots", LineOptions { slots: 0, ..base() }),
        (
            "slots",
            LineOptions {
                slots: 4097,
                ..base()
            },
        ),
        ("replicas", split(2, 0, 0)),
        ("replica_index", split(2, 3, 1024)),
        (
            "max_entries",
            LineOptions {
                max_entries: 0,
                ..base()
            },
        ),
        (
            "weights",
            LineOptions {
                weights: [("x".to_owned(), 0)].into(),
                ..base()
            },
        ),
        (
            "weights",
            LineOptions {
                weights: [("x".to_owned(), 1001)].into(),
                ..base()
            },
        ),
        (
            "aging",
            LineOptions {
                aging: Duration::ZERO,
                ..base()
            },
        ),
        (
            "service_time",
            LineOptions {
                service_time: Duration::ZERO,
                ..base()
            },
        ),
    ];
    for (option, options) in cases {
        let invalid = Line::local(options).expect_err(option);
        assert_eq!(invalid.option, option);
        assert!(invalid.to_string().starts_with(option), "{invalid}");
    }
}

/// Nobody moves, and yet the wait is another.
#[tokio::test(start_paused = true)]
async fn who_should_have_started_is_told_anew() {
    let line = Line::local(LineOptions::with_slots(1)).unwrap();
    let _slot = slot_of(&line, ask("class", "a")).await;
    let waiting = line.enter(ask("class", "b")).await.unwrap();
    let mut place = waiting.place();
    for _ in 0..5 {
        let told = place.borrow_and_update().unwrap();
        place.changed().await.unwrap();
        let anew = place.borrow().unwrap();
        assert_eq!(anew.position, 1);
        assert!(anew.at >= told.at + told.wait && anew.wait > Duration::ZERO);
    }
}
