//! Who starts first.

use std::{collections::BTreeMap, time::Duration};

use turnwise_llm_queue::LineOptions;

use super::{AskExt, Lines, ask, enter, starts, taken};

pub async fn pupils_take_turns(lines: &impl Lines) {
    let (line, slot) = taken(lines, LineOptions::with_slots(1)).await;
    let mut waiting = Vec::new();
    for (name, pupil, thread) in [
        ("a1", "a", "1"),
        ("a2", "a", "2"),
        ("a3", "a", "3"),
        ("b1", "b", "1"),
        ("c1", "c", "1"),
        ("b2", "b", "2"),
    ] {
        waiting.push((name, enter(&line, ask("class", pupil).thread(thread)).await));
    }
    assert_eq!(
        starts(slot, waiting).await,
        ["a1", "b1", "c1", "a2", "b2", "a3"]
    );
}

pub async fn a_pupils_own_requests_keep_their_order(lines: &impl Lines) {
    let (line, slot) = taken(lines, LineOptions::with_slots(1)).await;
    let mut waiting = Vec::new();
    for thread in ["3", "1", "2"] {
        waiting.push((thread, enter(&line, ask("class", "a").thread(thread)).await));
    }
    assert_eq!(starts(slot, waiting).await, ["3", "1", "2"]);
}

pub async fn nobodys_requests_are_pupils_of_their_own(lines: &impl Lines) {
    let (line, slot) = taken(lines, LineOptions::with_slots(1)).await;
    let mut waiting = Vec::new();
    for (name, pupil) in [("1", ""), ("2", ""), ("a", "a"), ("3", "")] {
        waiting.push((name, enter(&line, ask("class", pupil)).await));
    }
    assert_eq!(starts(slot, waiting).await, ["1", "2", "a", "3"]);
}

pub async fn classes_take_turns(lines: &impl Lines) {
    let (line, slot) = taken(lines, LineOptions::with_slots(1)).await;
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
            enter(&line, ask(class, &format!("{}", waiting.len()))).await,
        ));
    }
    assert_eq!(starts(slot, waiting).await, ["x", "y", "x", "y", "x", "x"]);
}

pub async fn classes_get_shares_by_weight(lines: &impl Lines) {
    let options = LineOptions {
        weights: BTreeMap::from([("heavy".to_owned(), 3)]),
        ..LineOptions::with_slots(1)
    };
    let (line, slot) = taken(lines, options).await;
    let mut waiting = Vec::new();
    for pupil in 0..12 {
        for class in ["light", "heavy"] {
            waiting.push((class, enter(&line, ask(class, &pupil.to_string())).await));
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

pub async fn a_class_that_comes_later_is_owed_nothing(lines: &impl Lines) {
    let (line, mut slot) = taken(lines, LineOptions::with_slots(1)).await;
    let mut waiting = Vec::new();
    for pupil in 0..8 {
        waiting.push(enter(&line, ask("early", &pupil.to_string())).await);
    }
    // Four of the first class have started before the other comes.
    let rest = waiting.split_off(4);
    for next in waiting {
        slot.done(None);
        slot = super::soon(next).await;
    }
    let mut waiting: Vec<_> = rest.into_iter().map(|next| ("early", next)).collect();
    for pupil in 0..4 {
        waiting.push(("late", enter(&line, ask("late", &pupil.to_string())).await));
    }
    let started = starts(slot, waiting).await;
    for pair in started.chunks(2) {
        assert!(
            pair.contains(&"early") && pair.contains(&"late"),
            "{started:?}"
        );
    }
}

pub async fn batch_waits_for_interactive(lines: &impl Lines) {
    let (line, slot) = taken(lines, LineOptions::with_slots(1)).await;
    let mut waiting = vec![("batch", enter(&line, ask("class", "a").batch()).await)];
    for pupil in ["b", "c"] {
        waiting.push((pupil, enter(&line, ask("class", pupil)).await));
    }
    assert_eq!(starts(slot, waiting).await, ["b", "c", "batch"]);
}

pub async fn batch_is_let_in_now_and_then(lines: &impl Lines) {
    let aging = Duration::from_secs(1);
    let options = LineOptions {
        aging,
        ..LineOptions::with_slots(1)
    };
    let (line, slot) = taken(lines, options).await;
    let mut waiting = Vec::new();
    for (name, pupil) in [("batch 1", "a"), ("batch 2", "b")] {
        waiting.push((name, enter(&line, ask("class", pupil).batch()).await));
    }
    for pupil in ["c", "d"] {
        waiting.push((pupil, enter(&line, ask("class", pupil)).await));
    }
    tokio::time::sleep(aging + Duration::from_millis(20)).await;
    assert_eq!(
        starts(slot, waiting).await,
        ["batch 1", "c", "d", "batch 2"]
    );
}
