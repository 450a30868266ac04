//! A newer request of the same owner.

use tokio::time::timeout;
use turnwise_llm_queue::{QueueOptions, Refusal, SlotRequest, Waiting};

use super::{AskExt, Queues, SOON, ask, enter, slot_of, starts, taken};

async fn refusal(waiting: Waiting) -> Refusal {
    timeout(SOON, waiting.slot())
        .await
        .expect("soon")
        .expect_err("refused")
}

pub async fn a_newer_request_takes_the_place(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let older = enter(&queue, ask("class", "a")).await;
    let b = enter(&queue, ask("class", "b")).await;
    let newer = enter(&queue, ask("class", "a")).await;
    assert_eq!(refusal(older).await, Refusal::Superseded);
    assert_eq!(
        starts(slot, vec![("b", b), ("newer", newer)]).await,
        ["newer", "b"]
    );
}

/// Who cannot enter yet takes over the place first, and comes for it.
pub async fn a_place_is_taken_over_and_kept(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let older = enter(&queue, ask("class", "a")).await;
    let b = enter(&queue, ask("class", "b")).await;
    let wanted = ask("class", "a");
    let held = queue.take_over(wanted.owner.clone(), wanted.band).await;
    assert_eq!(refusal(older).await, Refusal::Superseded);
    let held = held.expect("the place is held");
    assert_eq!(held.position, 1);
    let newer = SlotRequest {
        ticket: Some(held.ticket),
        ..wanted
    };
    let newer = enter(&queue, newer).await;
    assert_eq!(
        starts(slot, vec![("b", b), ("newer", newer)]).await,
        ["newer", "b"]
    );
}

pub async fn where_a_slot_is_free_no_place_is_held(queues: &impl Queues) {
    let queue = queues.queue(QueueOptions::with_slots(1)).await;
    let wanted = ask("class", "a");
    assert_eq!(
        queue.take_over(wanted.owner.clone(), wanted.band).await,
        None
    );
    let _slot = slot_of(&queue, wanted).await;
}

pub async fn another_thread_or_purpose_is_another_request(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let mut waiting = vec![("1", enter(&queue, ask("class", "a")).await)];
    waiting.push((
        "2",
        enter(&queue, ask("class", "a").thread("another")).await,
    ));
    waiting.push(("3", enter(&queue, ask("class", "a").purpose("chat")).await));
    assert_eq!(starts(slot, waiting).await, ["1", "2", "3"]);
}

/// Names are told apart even where they give the same letters one after the other.
pub async fn names_that_read_alike_are_different_owners(queues: &impl Queues) {
    let (queue, held) = taken(queues, QueueOptions::with_slots(1)).await;
    let waiting = vec![
        ("1", enter(&queue, ask("class", "a").thread("bc")).await),
        ("2", enter(&queue, ask("class", "ab").thread("c")).await),
    ];
    assert_eq!(starts(held, waiting).await, ["1", "2"]);
}

pub async fn a_running_call_is_never_replaced(queues: &impl Queues) {
    let queue = queues.queue(QueueOptions::with_slots(1)).await;
    let running = slot_of(&queue, ask("class", "a")).await;
    let newer = enter(&queue, ask("class", "a")).await;
    assert!(!running.lost().is_cancelled());
    assert_eq!(queue.view(10).await.waiting_total, 1);
    assert_eq!(starts(running, vec![("newer", newer)]).await, ["newer"]);
}

pub async fn nobodys_requests_replace_nothing(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let first = enter(&queue, ask("class", "")).await;
    let second = enter(&queue, ask("class", "")).await;
    assert_eq!(
        starts(slot, vec![("2", second), ("1", first)]).await,
        ["1", "2"]
    );
}

pub async fn a_request_of_another_band_replaces_without_the_place(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let older = enter(&queue, ask("class", "a").batch()).await;
    let b = enter(&queue, ask("class", "b")).await;
    let newer = enter(&queue, ask("class", "a")).await;
    assert_eq!(refusal(older).await, Refusal::Superseded);
    assert_eq!(
        starts(slot, vec![("newer", newer), ("b", b)]).await,
        ["b", "newer"]
    );
}
