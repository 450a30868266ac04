//! Slots: never exceeded, never idle.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;
use turnwise_llm_queue::QueueOptions;

use super::{AskExt, Queues, ask, enter, slot_of, soon, starts, taken};

pub async fn at_most_so_many_calls_run(queues: &impl Queues) {
    let queue = queues.queue(QueueOptions::with_slots(3)).await;
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..40)
        .map(|student| {
            let (queue, running, most) = (queue.clone(), Arc::clone(&running), Arc::clone(&most));
            tokio::spawn(async move {
                let slot = slot_of(
                    &queue,
                    ask(&format!("class {}", student % 4), &format!("{student}")),
                )
                .await;
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(2)).await;
                running.fetch_sub(1, Ordering::SeqCst);
                slot.done(Some(Duration::from_millis(2)));
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

pub async fn a_free_slot_is_given_at_once(queues: &impl Queues) {
    let queue = queues.queue(QueueOptions::with_slots(2)).await;
    for student in ["a", "b"] {
        let slot = slot_of(&queue, ask("class", student).max_wait(Duration::ZERO)).await;
        assert!(slot.waited() < Duration::from_secs(1));
        std::mem::forget(slot);
    }
}

/// With the safety net far away, the notice itself must come.
pub async fn a_freed_slot_is_handed_on_without_polling(queues: &impl Queues) {
    let options = QueueOptions {
        poll: Duration::from_secs(3600),
        ..QueueOptions::with_slots(1)
    };
    let (queue, mut slot) = taken(queues, options).await;
    let begun = Instant::now();
    for student in 0..30 {
        let next = enter(&queue, ask("class", &student.to_string())).await;
        slot.done(None);
        slot = soon(next).await;
    }
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
}

pub async fn a_dropped_slot_is_free_again(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let next = enter(&queue, ask("class", "a")).await;
    drop(slot);
    drop(soon(next).await);
    drop(slot_of(&queue, ask("class", "b")).await);
}

pub async fn running_calls_have_different_slots(queues: &impl Queues) {
    let queue = queues.queue(QueueOptions::with_slots(4)).await;
    let mut slots = Vec::new();
    for student in 0..4 {
        slots.push(slot_of(&queue, ask("class", &student.to_string())).await);
    }
    let indices: BTreeSet<_> = slots.iter().map(|slot| slot.index()).collect();
    assert_eq!(indices, (0..4).collect());
    assert!(slots.iter().all(|slot| !slot.lost().is_cancelled()));
}

pub async fn nothing_lets_a_slot_idle_while_somebody_waits(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let batch = enter(&queue, ask("class", "a").batch()).await;
    let gone = enter(&queue, ask("class", "b")).await;
    let nobody = enter(&queue, ask("other", "")).await;
    drop(gone);
    assert_eq!(
        starts(slot, vec![("batch", batch), ("nobody", nobody)]).await,
        ["nobody", "batch"]
    );
    drop(slot_of(&queue, ask("class", "c")).await);
}
