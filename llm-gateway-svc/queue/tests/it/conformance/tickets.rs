//! Places that are held for those who were told to come back.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use turnwise_llm_queue::{Ask, LineOptions, Refusal};

use super::{AskExt, Lines, SOON, ask, enter, soon, starts, taken, told_to_come_back};

/// Calls take ten seconds, as far as the line knows.
fn slow() -> LineOptions {
    LineOptions {
        service_time: Duration::from_secs(10),
        ..LineOptions::with_slots(1)
    }
}

fn hasty(class: &str, pupil: &str) -> Ask {
    ask(class, pupil).max_wait(Duration::from_secs(2))
}

pub async fn a_refused_request_keeps_its_place(lines: &impl Lines) {
    let (line, slot) = taken(lines, slow()).await;
    let begun = Instant::now();
    let come_back = told_to_come_back(&line, hasty("class", "a")).await;
    assert!(begun.elapsed() < Duration::from_secs(1));
    // It waits about half of its two seconds then.
    assert!(
        (8..=9).contains(&come_back.after.as_secs()),
        "{come_back:?}"
    );
    let held = come_back.held.expect("a held place");
    assert_eq!(held.position, 1);
    assert!(held.wait >= Duration::from_secs(9));
    let b = enter(&line, ask("class", "b")).await;
    let a = enter(&line, ask("class", "a").ticket(&held.ticket)).await;
    assert_eq!(starts(slot, vec![("b", b), ("a", a)]).await, ["a", "b"]);
}

pub async fn a_ticket_is_let_in_where_a_newcomer_had_better_come_back(lines: &impl Lines) {
    // Calls take about 10 s, so it is likely but not sure that the next one starts within 11 s.
    let (line, _slot) = taken(lines, slow()).await;
    let likely = || ask("class", "a").max_wait(Duration::from_secs(11));
    let held = told_to_come_back(&line, likely()).await.held;
    let ticket = held.expect("a held place").ticket;
    told_to_come_back(&line, likely()).await;
    drop(enter(&line, likely().ticket(&ticket)).await);
}

pub async fn the_place_is_the_owners_without_the_ticket_too(lines: &impl Lines) {
    let (line, slot) = taken(lines, slow()).await;
    told_to_come_back(&line, hasty("class", "a")).await;
    let b = enter(&line, ask("class", "b")).await;
    let a = enter(&line, ask("class", "a")).await;
    assert_eq!(starts(slot, vec![("b", b), ("a", a)]).await, ["a", "b"]);
}

pub async fn an_absent_one_is_passed_over_and_keeps_its_turn(lines: &impl Lines) {
    let (line, slot) = taken(lines, slow()).await;
    let held = told_to_come_back(&line, hasty("class", "a"))
        .await
        .held
        .expect("a held place");
    let b = enter(&line, ask("class", "b")).await;
    let c = enter(&line, ask("class", "c")).await;
    slot.done(None);
    let slot = soon(b).await;
    let a = enter(&line, ask("class", "a").ticket(&held.ticket)).await;
    assert_eq!(starts(slot, vec![("c", c), ("a", a)]).await, ["a", "c"]);
}

pub async fn an_expired_place_is_gone(lines: &impl Lines) {
    let options = LineOptions {
        service_time: Duration::from_millis(40),
        place_grace: Duration::ZERO,
        ..LineOptions::with_slots(1)
    };
    let (line, slot) = taken(lines, options).await;
    let come_back = told_to_come_back(&line, ask("class", "a").max_wait(Duration::ZERO)).await;
    let b = enter(&line, ask("class", "b")).await;
    sleep(come_back.after + Duration::from_millis(50)).await;
    let ticket = come_back.held.expect("a held place").ticket;
    let a = enter(&line, ask("class", "a").ticket(&ticket)).await;
    assert_eq!(starts(slot, vec![("a", a), ("b", b)]).await, ["b", "a"]);
}

pub async fn a_foreign_or_forged_ticket_is_as_good_as_none(lines: &impl Lines) {
    let (line, slot) = taken(lines, slow()).await;
    let ticket = told_to_come_back(&line, hasty("class", "a"))
        .await
        .held
        .expect("a held place")
        .ticket;
    let mut waiting = vec![("b", enter(&line, ask("class", "b")).await)];
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
    for (pupil, ticket) in tickets {
        waiting.push((
            pupil,
            enter(&line, ask("class", pupil).ticket(ticket)).await,
        ));
    }
    // It is still there for its owner.
    waiting.push(("a", enter(&line, ask("class", "a").ticket(&ticket)).await));
    // Another class's pupil of that name is somebody else.
    waiting.push((
        "other",
        enter(&line, ask("class 2", "a").ticket(&ticket)).await,
    ));
    let started = starts(slot, waiting).await;
    assert_eq!(started, ["a", "other", "b", "c", "d", "e", "f", "g", "h"]);
}

pub async fn nobody_gets_a_ticket(lines: &impl Lines) {
    let (line, _slot) = taken(lines, slow()).await;
    assert_eq!(
        told_to_come_back(&line, hasty("class", "")).await.held,
        None
    );
    assert_eq!(line.view(10).await.waiting_total, 0);
}

pub async fn who_waits_in_vain_gets_a_ticket(lines: &impl Lines) {
    let options = LineOptions {
        service_time: Duration::from_secs(1),
        ..LineOptions::with_slots(1)
    };
    let (line, slot) = taken(lines, options).await;
    let max_wait = Duration::from_secs(3);
    let begun = Instant::now();
    let a = enter(&line, ask("class", "a").max_wait(max_wait)).await;
    let b = enter(&line, ask("class", "b")).await;
    let refused = timeout(SOON, a.slot())
        .await
        .expect("soon")
        .expect_err("refused");
    assert!(begun.elapsed() >= max_wait);
    let Refusal::TooLong(come_back) = refused else {
        panic!("{refused:?}")
    };
    assert!(!come_back.after.is_zero());
    let ticket = come_back.held.expect("a held place").ticket;
    let a = enter(&line, ask("class", "a").ticket(&ticket)).await;
    assert_eq!(starts(slot, vec![("b", b), ("a", a)]).await, ["a", "b"]);
}

pub async fn who_comes_back_too_early_is_told_again(lines: &impl Lines) {
    let (line, slot) = taken(lines, slow()).await;
    let first = told_to_come_back(&line, hasty("class", "a"))
        .await
        .held
        .expect("a held place");
    let b = enter(&line, ask("class", "b")).await;
    let again = told_to_come_back(&line, hasty("class", "a").ticket(&first.ticket)).await;
    let again = again.held.expect("a held place");
    assert_eq!(again.position, 1);
    let a = enter(&line, ask("class", "a").ticket(&again.ticket)).await;
    assert_eq!(starts(slot, vec![("b", b), ("a", a)]).await, ["a", "b"]);
}
