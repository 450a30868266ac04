//! The queue of one process.

use std::time::Duration;

use turnwise_llm_queue::{Queue, QueueOptions, Refusal};

use crate::conformance::{Queues, ask, conformance, slot_of};

/// Queues of one process.
struct Local;

impl Queues for Local {
    async fn queue(&self, options: QueueOptions) -> Queue {
        Queue::local(options).expect("options within their bounds")
    }
}

conformance!(tokio::test(start_paused = true), Local);

fn split(slots: usize, replicas: usize, replica_index: usize) -> QueueOptions {
    QueueOptions {
        replicas,
        replica_index,
        ..QueueOptions::with_slots(slots)
    }
}

/// Every third slot is its own.
#[tokio::test(start_paused = true)]
async fn a_replica_by_itself_uses_its_own_slots() {
    let queue = Queue::local(split(5, 3, 1)).unwrap();
    let slots = [
        slot_of(&queue, ask("class", "a")).await,
        slot_of(&queue, ask("class", "b")).await,
    ];
    assert_eq!(slots.each_ref().map(|slot| slot.index()), [1, 4]);
    let waiting = queue.enter(ask("class", "c")).await.unwrap();
    assert_eq!(queue.view(10).await.waiting_total, 1);
    drop(waiting);
}

#[tokio::test(start_paused = true)]
async fn a_replica_without_a_slot_of_its_own_has_none() {
    let queue = Queue::local(split(2, 3, 2)).unwrap();
    let refused = queue.enter(ask("class", "a")).await.unwrap_err();
    assert!(matches!(refused, Refusal::NoSlot { retry_after } if retry_after > Duration::ZERO));
    assert_eq!(queue.view(10).await.slots, []);
}

#[test]
fn options_have_bounds() {
    let base = || QueueOptions::with_slots(2);
    let cases = [
        ("slots", QueueOptions { slots: 0, ..base() }),
        (
            "slots",
            QueueOptions {
                slots: 4097,
                ..base()
            },
        ),
        ("replicas", split(2, 0, 0)),
        ("replica_index", split(2, 3, 1024)),
        (
            "max_entries",
            QueueOptions {
                max_entries: 0,
                ..base()
            },
        ),
        (
            "weights",
            QueueOptions {
                weights: [("x".to_owned(), 0)].into(),
                ..base()
            },
        ),
        (
            "weights",
            QueueOptions {
                weights: [("x".to_owned(), 1001)].into(),
                ..base()
            },
        ),
        (
            "aging",
            QueueOptions {
                aging: Duration::ZERO,
                ..base()
            },
        ),
        (
            "service_time",
            QueueOptions {
                service_time: Duration::ZERO,
                ..base()
            },
        ),
    ];
    for (option, options) in cases {
        let invalid = Queue::local(options).expect_err(option);
        assert_eq!(invalid.option, option);
        assert!(invalid.to_string().starts_with(option), "{invalid}");
    }
}

/// Nobody moves, and yet the wait is another.
#[tokio::test(start_paused = true)]
async fn who_should_have_started_gets_another_announcement() {
    let queue = Queue::local(QueueOptions::with_slots(1)).unwrap();
    let _slot = slot_of(&queue, ask("class", "a")).await;
    let waiting = queue.enter(ask("class", "b")).await.unwrap();
    let mut place = waiting.place();
    for _ in 0..5 {
        let announced = place.borrow_and_update().unwrap();
        place.changed().await.unwrap();
        let anew = place.borrow().unwrap();
        assert_eq!(anew.position, 1);
        assert!(anew.at >= announced.at + announced.wait && anew.wait > Duration::ZERO);
    }
}
