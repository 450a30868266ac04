//! Those who leave.

use turnwise_llm_queue::QueueOptions;

use super::{Queues, ask, enter, soon, starts, taken};

pub async fn who_leaves_is_out_of_the_queue(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let a = enter(&queue, ask("class", "a")).await;
    let b = enter(&queue, ask("class", "b")).await;
    drop(a);
    assert_eq!(starts(slot, vec![("b", b)]).await, ["b"]);
    assert_eq!(queue.view(10).await.waiting_total, 0);
}

pub async fn who_stops_waiting_for_the_slot_is_out_of_the_queue(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let a = enter(&queue, ask("class", "a")).await;
    let b = enter(&queue, ask("class", "b")).await;
    let task = tokio::spawn(a.slot());
    tokio::task::yield_now().await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert_eq!(starts(slot, vec![("b", b)]).await, ["b"]);
}

pub async fn a_slot_given_to_one_who_has_left_goes_on(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let a = enter(&queue, ask("class", "a")).await;
    let b = enter(&queue, ask("class", "b")).await;
    // Given to the first, who never takes it.
    slot.done(None);
    drop(a);
    drop(soon(b).await);
}

pub async fn a_student_who_leaves_and_returns_is_last(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    drop(enter(&queue, ask("class", "a")).await);
    let b = enter(&queue, ask("class", "b")).await;
    let a = enter(&queue, ask("class", "a")).await;
    assert_eq!(starts(slot, vec![("a", a), ("b", b)]).await, ["b", "a"]);
}
