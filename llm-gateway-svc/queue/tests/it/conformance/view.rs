//! What the queue announces to those who wait, and shows to those who look on.

use std::time::Duration;

use tokio::time::timeout;
use turnwise_llm_queue::{Place, PlaceWatch, QueueOptions};

use super::{AskExt, Queues, SOON, ask, enter, refused_with_hint, soon, taken};

/// Waits until a place is announced that is as it should be.
async fn until(places: &mut PlaceWatch, right: impl Fn(&Place) -> bool) -> Place {
    let place = places.wait_for(|place| place.as_ref().is_some_and(&right));
    let place = timeout(SOON, place)
        .await
        .expect("soon")
        .expect("announced");
    place.expect("checked")
}

pub async fn places_are_announced_and_kept_up_to_date(queues: &impl Queues) {
    let options = QueueOptions {
        service_time: Duration::from_secs(10),
        ..QueueOptions::with_slots(1)
    };
    let (queue, slot) = taken(queues, options).await;
    let a = enter(&queue, ask("class", "a")).await;
    let b = enter(&queue, ask("class", "b")).await;
    let c = enter(&queue, ask("class", "c")).await;
    let (mut first, mut last) = (a.place(), c.place());
    let near = until(&mut first, |place| place.position == 1).await;
    let far = until(&mut last, |place| place.position == 3).await;
    assert!(near.wait >= Duration::from_secs(9) && far.wait >= near.wait + Duration::from_secs(18));
    drop(b);
    let nearer = until(&mut last, |place| place.position == 2).await;
    assert!(nearer.wait < far.wait);
    slot.done(None);
    let _slot = soon(a).await;
    until(&mut last, |place| place.position == 1).await;
}

pub async fn the_view_shows_slots_and_who_waits(queues: &impl Queues) {
    let options = QueueOptions {
        service_time: Duration::from_secs(10),
        weights: [("x".to_owned(), 7)].into(),
        aging: Duration::from_secs(600),
        ..QueueOptions::with_slots(1)
    };
    let (queue, slot) = taken(queues, options).await;
    refused_with_hint(&queue, ask("x", "a").max_wait(Duration::ZERO)).await;
    let _waiting = [
        enter(&queue, ask("x", "a").thread("2")).await,
        enter(&queue, ask("y", "b").purpose("chat")).await,
        enter(&queue, ask("y", "c").purpose("index").batch()).await,
    ];
    let view = queue.view(100).await;
    assert_eq!(view.slots.len(), 1);
    let call = view.slots[0].call.as_ref().expect("a call");
    assert_eq!(
        (&*call.class, &*call.purpose, call.replica),
        ("somebody", "turn", 0)
    );
    assert_eq!((view.waiting_total, view.service_time), (4, None));
    let shown: Vec<_> = view
        .waiting
        .iter()
        .map(|entry| (entry.position, &*entry.class, &*entry.purpose, entry.held))
        .collect();
    let expected = [
        (1, "x", "turn", true),
        (2, "y", "chat", false),
        (3, "x", "turn", false),
        (4, "y", "index", false),
    ];
    assert_eq!(shown, expected);
    // As QueueEntry.student_hash defines it.
    let hashes: Vec<_> = view.waiting.iter().map(|entry| &*entry.student).collect();
    assert_eq!(
        (hashes[0], hashes[2]),
        ("6DaMrknCXYX7KvAsFxX0Lw", hashes[0])
    );
    assert!(hashes[1] != hashes[3] && hashes.iter().all(|hash| hash.len() == 22));
    assert!(view.waiting.is_sorted_by_key(|entry| entry.wait));
    let classes: Vec<_> = view
        .classes
        .iter()
        .map(|class| (&*class.class, class.waiting, class.students, class.weight))
        .collect();
    assert_eq!(classes, [("x", 2, 1, 7), ("y", 2, 2, 1)]);
    drop(slot);
}

pub async fn the_view_is_bounded(queues: &impl Queues) {
    let (queue, _slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let mut waiting = Vec::new();
    for student in 0..5 {
        waiting.push(enter(&queue, ask("class", &student.to_string())).await);
    }
    let view = queue.view(2).await;
    assert_eq!((view.waiting.len(), view.waiting_total), (2, 5));
}

pub async fn changes_are_announced(queues: &impl Queues) {
    let (queue, slot) = taken(queues, QueueOptions::with_slots(1)).await;
    let mut changes = queue.changes();
    let seen = |total: usize, calls: usize| {
        let queue = queue.clone();
        async move {
            let view = queue.view(1).await;
            (
                view.waiting_total,
                view.slots.iter().filter(|slot| slot.call.is_some()).count(),
            ) == (total, calls)
        }
    };
    let waiting = enter(&queue, ask("class", "a")).await;
    timeout(SOON, changes.changed())
        .await
        .expect("soon")
        .expect("a queue");
    assert!(seen(1, 1).await);
    drop(waiting);
    while !seen(0, 1).await {
        timeout(SOON, changes.changed())
            .await
            .expect("soon")
            .expect("a queue");
    }
    drop(slot);
    while !seen(0, 0).await {
        timeout(SOON, changes.changed())
            .await
            .expect("soon")
            .expect("a queue");
    }
}
