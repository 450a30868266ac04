//! Places that are held for those who got a retry hint.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use turnwise_llm_queue::{QueueOptions, Refusal, SlotRequest};

use super::{AskExt, Queues, SOON, ask, enter, refused_with_hint, soon, starts, taken};

/// Calls take ten seconds, as far as the queue knows.
fn slow() -> QueueOptions {
    QueueOptions {
        service_time: Duration::from_secs(10),
        ..QueueOptions::with_slots(1)
    }
}

fn hasty(class: &str, student: &str) -> SlotRequest {
    ask(class, student).max_wait(Duration::from_secs(2))
}

pub async fn a_refused_request_keeps_its_place(queues: &impl Queues) {
    let (queue, slot) = taken(queues, slow()).await;
    let begun = Instant::now();
    let hint = refused_with_hint(&queue, hasty("class", "a")).await;
    assert!(begun.elapsed() < Duration::from_secs(1));
    // It waits about half of its two seconds then.
    assert!((8..=9).contains(&hint.after.as_secs()), "{hint:?}");
    let held = hint.held.expect("a held place");
    assert_eq!(held.position, 1);
    assert!(held.wait >= Duration::from_secs(9));
    let b = enter(&queue, ask("class", "b")).await;
    let a = enter(&queue, ask("class", "a").ticket(&held.ticket)).await;
    assert_eq!(starts(slot, vec![("b", b), ("a", a)]).await, ["a", "b"]);
}

pub async fn a_ticket_is_let_in_where_a_newcomer_gets_a_retry_hint(queues: &impl Queues) {
    // Calls take about 10 s, so it is likely but not sure that the next one starts within 11 s.
    let (queue, _slot) = taken(queues, slow()).await;
    let likely = || ask("class", "a").max_wait(Duration::from_secs(11));
    let held = refused_with_hint(&queue, likely()).await.held;
    let ticket = held.expect("a held place").ticket;
    refused_with_hint(&queue, likely()).await;
    drop(enter(&queue, likely().ticket(&ticket)).await);
}

pub async fn the_place_is_the_owners_without_the_ticket_too(queues: &impl Queues) {
    let (queue, slot) = taken(queues, slow()).await;
    refused_with_hint(&queue, hasty("class", "a")).await;
    let b = enter(&queue, ask("class", "b")).await;
    let a = enter(&queue, ask("class", "a")).await;
    assert_eq!(starts(slot, vec![("b", b), ("a", a)]).await, ["a", "b"]);
}

pub async fn an_absent_one_is_passed_over_and_keeps_its_turn(queues: &impl Queues) {
    let (queue, slot) = taken(queues, slow()).await;
    let held = refused_with_hint(&queue, hasty("class", "a"))
        .await
        .held
        .expect("a held place");
    let b = enter(&queue, ask("class", "b")).await;
    let c = enter(&queue, ask("class", "c")).await;
    slot.done(None);
    let slot = soon(b).await;
    let a = enter(&queue, ask("class", "a").ticket(&held.ticket)).await;
    assert_eq!(starts(slot, vec![("c", c), ("a", a)]).await, ["a", "c"]);
}

pub async fn an_expired_place_is_gone(queues: &impl Queues) {
    let options = QueueOptions {
        service_time: Duration::from_millis(40),
        place_grace: Duration::ZERO,
        ..QueueOptions::with_slots(1)
    };
    let (queue, slot) = taken(queues, options).await;
    let hint = refused_with_hint(&queue, ask("class", "a").max_wait(Duration::ZERO)).await;
    let b = enter(&queue, ask("class", "b")).await;
    sleep(hint.after + Duration::from_millis(50)).await;
    let ticket = hint.held.expect("a held place").ticket;
    let a = enter(&queue, ask("class", "a").ticket(&ticket)).await;
    assert_eq!(starts(slot, vec![("a", a), ("b", b)]).await, ["b", "a"]);
}

pub async fn a_foreign_or_forged_ticket_is_as_good_as_none(queues: &impl Queues) {
    let (queue, slot) = taken(queues, slow()).await;
    let ticket = refused_with_hint(&queue, hasty("class", "a"))
        .await
        .held
        .expect("a held place")
        .ticket;
    let mut waiting = vec![("b", enter(&queue, ask("class", "b")).await)];
    let mut forged = ticket.clone().into_bytes();
    forged[3] = if forged[3] == b'A' { b'B' } else { b'A' };
    let forged = String::from_utf8(forged).unwrap();
    let long = "A".repeat(10_000);
    let tickets = [
        ("c", ticket.as_str()),
        ("d", &forged),
        ("e", &ticket[1..]),
        ("f", ""),
        ("g", "no ticket ☃"),
        ("h", &long),
    ];
    for (student, ticket) in tickets {
        waiting.push((
            student,
            enter(&queue, ask("class", student).ticket(ticket)).await,
        ));
    }
    // It is still there for its owner.
    waiting.push(("a", enter(&queue, ask("class", "a").ticket(&ticket)).await));
    // Another class's student of that name is somebody else.
    waiting.push((
        "other",
        enter(&queue, ask("class 2", "a").ticket(&ticket)).await,
    ));
    let started = starts(slot, waiting).await;
    assert_eq!(started, ["a", "other", "b", "c", "d", "e", "f", "g", "h"]);
}

pub async fn nobody_gets_a_ticket(queues: &impl Queues) {
    let (queue, _slot) = taken(queues, slow()).await;
    assert_eq!(
        refused_with_hint(&queue, hasty("class", "")).await.held,
        None
    );
    assert_eq!(queue.view(10).await.waiting_total, 0);
}

pub async fn who_waits_in_vain_gets_a_ticket(queues: &impl Queues) {
    let options = QueueOptions {
        service_time: Duration::from_secs(1),
        ..QueueOptions::with_slots(1)
    };
    let (queue, slot) = taken(queues, options).await;
    let max_wait = Duration::from_secs(3);
    let begun = Instant::now();
    let a = enter(&queue, ask("class", "a").max_wait(max_wait)).await;
    let b = enter(&queue, ask("class", "b")).await;
    let refused = timeout(SOON, a.slot())
        .await
        .expect("soon")
        .expect_err("refused");
    assert!(begun.elapsed() >= max_wait);
    let Refusal::TooLong(hint) = refused else {
        panic!("{refused:?}")
    };
    assert!(!hint.after.is_zero());
    let ticket = hint.held.expect("a held place").ticket;
    let a = enter(&queue, ask("class", "a").ticket(&ticket)).await;
    assert_eq!(starts(slot, vec![("b", b), ("a", a)]).await, ["a", "b"]);
}

pub async fn who_returns_too_early_gets_another_retry_hint(queues: &impl Queues) {
    let (queue, slot) = taken(queues, slow()).await;
    let first = refused_with_hint(&queue, hasty("class", "a"))
        .await
        .held
        .expect("a held place");
    let b = enter(&queue, ask("class", "b")).await;
    let again = refused_with_hint(&queue, hasty("class", "a").ticket(&first.ticket)).await;
    let again = again.held.expect("a held place");
    assert_eq!(again.position, 1);
    let a = enter(&queue, ask("class", "a").ticket(&again.ticket)).await;
    assert_eq!(starts(slot, vec![("b", b), ("a", a)]).await, ["a", "b"]);
}
