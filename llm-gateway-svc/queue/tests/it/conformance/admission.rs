//! Who is let into the queue.

use std::time::Duration;

use tokio::time::Instant;
use turnwise_llm_queue::{QueueOptions, Refusal, SlotRequest};

use super::{AskExt, Queues, ask, enter, refused_with_hint, slot_of, starts, taken};

fn slow() -> QueueOptions {
    QueueOptions {
        service_time: Duration::from_secs(10),
        ..QueueOptions::with_slots(1)
    }
}

pub async fn too_long_a_wait_is_refused_at_once(queues: &impl Queues) {
    let (queue, slot) = taken(queues, slow()).await;
    let begun = Instant::now();
    refused_with_hint(&queue, ask("class", "a").max_wait(Duration::from_secs(5))).await;
    assert!(begun.elapsed() < Duration::from_secs(1));
    let b = enter(
        &queue,
        ask("class 2", "b").max_wait(Duration::from_secs(28)),
    )
    .await;
    // Two are before it, the absent one among them.
    refused_with_hint(
        &queue,
        ask("class 3", "c").max_wait(Duration::from_secs(28)),
    )
    .await;
    assert_eq!(starts(slot, vec![("b", b)]).await, ["b"]);
}

pub async fn the_deadline_bounds_the_wait(queues: &impl Queues) {
    let (queue, _slot) = taken(queues, slow()).await;
    let deadline = Some(Instant::now() + Duration::from_secs(5));
    refused_with_hint(
        &queue,
        SlotRequest {
            deadline,
            ..ask("class", "a")
        },
    )
    .await;
    let deadline = Some(Instant::now() + Duration::from_secs(50));
    drop(
        enter(
            &queue,
            SlotRequest {
                deadline,
                ..ask("class", "b")
            },
        )
        .await,
    );
    let past = Some(Instant::now());
    refused_with_hint(
        &queue,
        SlotRequest {
            deadline: past,
            ..ask("class", "c")
        },
    )
    .await;
}

pub async fn the_wait_is_estimated_from_measured_calls(queues: &impl Queues) {
    let queue = queues.queue(slow()).await;
    for student in 0..20 {
        slot_of(&queue, ask("class", &student.to_string()))
            .await
            .done(Some(Duration::from_millis(10)));
    }
    assert_eq!(
        queue.view(1).await.service_time,
        Some(Duration::from_millis(10))
    );
    let _slot = slot_of(&queue, ask("class", "a")).await;
    drop(enter(&queue, ask("class", "b").max_wait(Duration::from_secs(5))).await);
}

pub async fn a_queue_has_so_many_entries(queues: &impl Queues) {
    let options = QueueOptions {
        max_entries: 2,
        ..slow()
    };
    let (queue, slot) = taken(queues, options).await;
    refused_with_hint(&queue, ask("class", "a").max_wait(Duration::ZERO)).await;
    let b = enter(&queue, ask("class", "b")).await;
    let refused = queue.enter(ask("class", "c")).await;
    assert!(
        matches!(refused, Err(Refusal::Full { retry_after }) if !retry_after.is_zero()),
        "{refused:?}"
    );
    drop(b);
    let c = enter(&queue, ask("class", "c")).await;
    // Who has a place already needs no other.
    let a = enter(&queue, ask("class", "a")).await;
    assert_eq!(starts(slot, vec![("c", c), ("a", a)]).await, ["a", "c"]);
}

pub async fn a_queue_holds_so_many_bytes(queues: &impl Queues) {
    let options = QueueOptions {
        max_bytes: 1000,
        ..QueueOptions::with_slots(1)
    };
    let (queue, slot) = taken(queues, options).await;
    let of = |student: &str, bytes: usize| SlotRequest {
        bytes,
        ..ask("class", student)
    };
    let a = enter(&queue, of("a", 600)).await;
    let refused = queue.enter(of("b", 600)).await;
    assert!(matches!(refused, Err(Refusal::Full { .. })), "{refused:?}");
    let refused = queue.enter(of("b", usize::MAX)).await;
    assert!(matches!(refused, Err(Refusal::Full { .. })), "{refused:?}");
    let b = enter(&queue, of("b", 400)).await;
    drop(a);
    let a = enter(&queue, of("a", 500)).await;
    // Its own bytes count only once.
    let newer = enter(&queue, of("a", 600)).await;
    drop(a);
    assert_eq!(starts(slot, vec![("a", newer), ("b", b)]).await, ["b", "a"]);
}

pub async fn who_needs_no_room_is_let_in(queues: &impl Queues) {
    let options = QueueOptions {
        max_entries: 1,
        max_bytes: 10,
        ..slow()
    };
    let (queue, slot) = taken(queues, options).await;
    let small = SlotRequest {
        bytes: 1,
        ..ask("class", "a")
    };
    refused_with_hint(&queue, small.max_wait(Duration::ZERO)).await;
    slot.done(None);
    // The queue is full of one who is absent, and there is a free slot.
    drop(slot_of(&queue, ask("class", "b")).await);
}
