//! Who starts first.

use std::{collections::BTreeMap, time::Duration};

use turnwise_llm_queue::QueueOptions;

use super::{AskExt, Queues, ask, enter, starts, taken};

pub async fn students_take_turns(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let mut waiting = Vec::new();
    for (name, student, thread) in [
        ("a1", "a", "1"),
        ("a2", "a", "2"),
        ("a3", "a", "3"),
        ("b1", "b", "1"),
        ("c1", "c", "1"),
        ("b2", "b", "2"),
    ] {
        waiting.push((
            name,
            enter(&queue, ask("class", student).thread(thread)).await,
        ));
    }
    assert_eq!(
        starts(slot, waiting).await,
        ["a1", "b1", "c1", "a2", "b2", "a3"]
    );
}

pub async fn a_students_own_requests_keep_their_order(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let mut waiting = Vec::new();
    for thread in ["3", "1", "2"] {
        waiting.push((
            thread,
            enter(&queue, ask("class", "a").thread(thread)).await,
        ));
    }
    assert_eq!(starts(slot, waiting).await, ["3", "1", "2"]);
}

pub async fn nobodys_requests_are_students_of_their_own(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let mut waiting = Vec::new();
    for (name, student) in [("1", ""), ("2", ""), ("a", "a"), ("3", "")] {
        waiting.push((name, enter(&queue, ask("class", student)).await));
    }
    assert_eq!(starts(slot, waiting).await, ["1", "2", "a", "3"]);
}

pub async fn classes_take_turns(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let mut waiting = Vec::new();
    for (name, class) in [
        ("x", "x"),
        ("x", "x"),
        ("x", "x"),
        ("x", "x"),
        ("y", "y"),
        ("y", "y"),
    ] {
        waiting.push((
            name,
            enter(&queue, ask(class, &format!("{}", waiting.len()))).await,
        ));
    }
    assert_eq!(starts(slot, waiting).await, ["x", "y", "x", "y", "x", "x"]);
}

pub async fn classes_get_shares_by_weight(queues: &impl Queues) {
    let options = QueueOptions {
        weights: BTreeMap::from([("heavy".to_owned(), 3)]),
        ..QueueOptions::with_slots(1)
    };
    let (queue, slot) = taken(queues, options).await;
    let mut waiting = Vec::new();
    for student in 0..12 {
        for class in ["light", "heavy"] {
            waiting.push((class, enter(&queue, ask(class, &student.to_string())).await));
        }
    }
    let started = starts(slot, waiting).await;
    let heavy = |from: usize, to: usize| {
        started[from..to]
            .iter()
            .filter(|class| **class == "heavy")
            .count()
    };
    assert_eq!(
        (heavy(0, 4), heavy(0, 8), heavy(0, 12), heavy(0, 16)),
        (3, 6, 9, 12),
        "{started:?}"
    );
}

pub async fn a_class_that_comes_later_is_owed_nothing(queues: &impl Queues) {
    let (queue, mut slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let mut waiting = Vec::new();
    for student in 0..8 {
        waiting.push(enter(&queue, ask("early", &student.to_string())).await);
    }
    // Four of the first class have started before the other comes.
    let rest = waiting.split_off(4);
    for next in waiting {
        slot.done(None);
        slot = super::soon(next).await;
    }
    let mut waiting: Vec<_> = rest.into_iter().map(|next| ("early", next)).collect();
    for student in 0..4 {
        waiting.push((
            "late",
            enter(&queue, ask("late", &student.to_string())).await,
        ));
    }
    let started = starts(slot, waiting).await;
    for pair in started.chunks(2) {
        assert!(
            pair.contains(&"early") && pair.contains(&"late"),
            "{started:?}"
        );
    }
}

pub async fn batch_waits_for_interactive(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let mut waiting = vec![("batch", enter(&queue, ask("class", "a").batch()).await)];
    for student in ["b", "c"] {
        waiting.push((student, enter(&queue, ask("class", student)).await));
    }
    assert_eq!(starts(slot, waiting).await, ["b", "c", "batch"]);
}

pub async fn batch_is_let_in_now_and_then(queues: &impl Queues) {
    let aging = Duration::from_secs(1);
    let options = QueueOptions {
        aging,
        ..QueueOptions::with_slots(1)
    };
    let (queue, slot) = taken(queues, options).await;
    let mut waiting = Vec::new();
    for (name, student) in [("batch 1", "a"), ("batch 2", "b")] {
        waiting.push((name, enter(&queue, ask("class", student).batch()).await));
    }
    for student in ["c", "d"] {
        waiting.push((student, enter(&queue, ask("class", student)).await));
    }
    tokio::time::sleep(aging + Duration::from_millis(20)).await;
    assert_eq!(
        starts(slot, waiting).await,
        ["batch 1", "c", "d", "batch 2"]
    );
}
