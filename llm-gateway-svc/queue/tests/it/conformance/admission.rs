//! Who is let into line.

use std::time::Duration;

use tokio::time::Instant;
use turnwise_llm_queue::{Ask, LineOptions, Refusal};

use super::{AskExt, Lines, ask, enter, slot_of, starts, taken, told_to_come_back};

fn slow() -> LineOptions {
    LineOptions {
        service_time: Duration::from_secs(10),
        ..LineOptions::with_slots(1)
    }
}

pub async fn too_long_a_wait_is_refused_at_once(lines: &impl Lines) {
    let (line, slot) = taken(lines, slow()).await;
    let begun = Instant::now();
    told_to_come_back(&line, ask("class", "a").max_wait(Duration::from_secs(5))).await;
    assert!(begun.elapsed() < Duration::from_secs(1));
    let b = enter(&line, ask("class 2", "b").max_wait(Duration::from_secs(28))).await;
    // Two are before it, the absent one among them.
    told_to_come_back(&line, ask("class 3", "c").max_wait(Duration::from_secs(28))).await;
    assert_eq!(starts(slot, vec![("b", b)]).await, ["b"]);
}

pub async fn the_deadline_bounds_the_wait(lines: &impl Lines) {
    let (line, _slot) = taken(lines, slow()).await;
    let deadline = Some(Instant::now() + Duration::from_secs(5));
    told_to_come_back(
        &line,
        Ask {
            deadline,
            ..ask("class", "a")
        },
    )
    .await;
    let deadline = Some(Instant::now() + Duration::from_secs(50));
    drop(
        enter(
            &line,
            Ask {
                deadline,
                ..ask("class", "b")
            },
        )
        .await,
    );
    let past = Some(Instant::now());
    told_to_come_back(
        &line,
        Ask {
            deadline: past,
            ..ask("class", "c")
        },
    )
    .await;
}

pub async fn the_wait_is_foreseen_from_measured_calls(lines: &impl Lines) {
    let line = lines.line(slow()).await;
    for pupil in 0..20 {
        slot_of(&line, ask("class", &pupil.to_string()))
            .await
            .done(Some(Duration::from_millis(10)));
    }
    assert_eq!(
        line.view(1).await.service_time,
        Some(Duration::from_millis(10))
    );
    let _slot = slot_of(&line, ask("class", "a")).await;
    drop(enter(&line, ask("class", "b").max_wait(Duration::from_secs(5))).await);
}

pub async fn a_line_has_so_many_entries(lines: &impl Lines) {
    let options = LineOptions {
        max_entries: 2,
        ..slow()
    };
    let (line, slot) = taken(lines, options).await;
    told_to_come_back(&line, ask("class", "a").max_wait(Duration::ZERO)).await;
    let b = enter(&line, ask("class", "b")).await;
    let refused = line.enter(ask("class", "c")).await;
    assert!(
        matches!(refused, Err(Refusal::Full { retry_after }) if !retry_after.is_zero()),
        "{refused:?}"
    );
    drop(b);
    let c = enter(&line, ask("class", "c")).await;
    // Who has a place already needs no other.
    let a = enter(&line, ask("class", "a")).await;
    assert_eq!(starts(slot, vec![("c", c), ("a", a)]).await, ["a", "c"]);
}

pub async fn a_line_holds_so_many_bytes(lines: &impl Lines) {
    let options = LineOptions {
        max_bytes: 1000,
        ..LineOptions::with_slots(1)
    };
    let (line, slot) = taken(lines, options).await;
    let of = |pupil: &str, bytes: usize| Ask {
        bytes,
        ..ask("class", pupil)
    };
    let a = enter(&line, of("a", 600)).await;
    let refused = line.enter(of("b", 600)).await;
    assert!(matches!(refused, Err(Refusal::Full { .. })), "{refused:?}");
    let refused = line.enter(of("b", usize::MAX)).await;
    assert!(matches!(refused, Err(Refusal::Full { .. })), "{refused:?}");
    let b = enter(&line, of("b", 400)).await;
    drop(a);
    let a = enter(&line, of("a", 500)).await;
    // Its own bytes count only once.
    let newer = enter(&line, of("a", 600)).await;
    drop(a);
    assert_eq!(starts(slot, vec![("a", newer), ("b", b)]).await, ["b", "a"]);
}

pub async fn who_needs_no_room_is_let_in(lines: &impl Lines) {
    let options = LineOptions {
        max_entries: 1,
        max_bytes: 10,
        ..slow()
    };
    let (line, slot) = taken(lines, options).await;
    let small = Ask {
        bytes: 1,
        ..ask("class", "a")
    };
    told_to_come_back(&line, small.max_wait(Duration::ZERO)).await;
    slot.done(None);
    // The line is full of one who is absent, and there is a free slot.
    drop(slot_of(&line, ask("class", "b")).await);
}
