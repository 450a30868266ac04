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
use turnwise_llm_queue::LineOptions;

use super::{AskExt, Lines, ask, enter, slot_of, soon, starts, taken};

pub async fn at_most_so_many_calls_run(lines: &impl Lines) {
    let line = lines.line(LineOptions::with_slots(3)).await;
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..40)
        .map(|pupil| {
            let (line, running, most) = (line.clone(), Arc::clone(&running), Arc::clone(&most));
            tokio::spawn(async move {
                let slot = slot_of(
                    &line,
                    ask(&format!("class {}", pupil % 4), &format!("{pupil}")),
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

pub async fn a_free_slot_is_given_at_once(lines: &impl Lines) {
    let line = lines.line(LineOptions::with_slots(2)).await;
    for pupil in ["a", "b"] {
        let slot = slot_of(&line, ask("class", pupil).max_wait(Duration::ZERO)).await;
        assert!(slot.waited() < Duration::from_secs(1));
        std::mem::forget(slot);
    }
}

/// With the safety net far away, the news itself must come.
pub async fn a_freed_slot_is_handed_on_without_polling(lines: &impl Lines) {
    let options = LineOptions {
        poll: Duration::from_secs(3600),
        ..LineOptions::with_slots(1)
    };
    let (line, mut slot) = taken(lines, options).await;
    let begun = Instant::now();
    for pupil in 0..30 {
        let next = enter(&line, ask("class", &pupil.to_string())).await;
        slot.done(None);
        slot = soon(next).await;
    }
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
}

pub async fn a_dropped_slot_is_free_again(lines: &impl Lines) {
    let (line, slot) = taken(lines, LineOptions::with_slots(1)).await;
    let next = enter(&line, ask("class", "a")).await;
    drop(slot);
    drop(soon(next).await);
    drop(slot_of(&line, ask("class", "b")).await);
}

pub async fn running_calls_have_different_slots(lines: &impl Lines) {
    let line = lines.line(LineOptions::with_slots(4)).await;
    let mut slots = Vec::new();
    for pupil in 0..4 {
        slots.push(slot_of(&line, ask("class", &pupil.to_string())).await);
    }
    let indices: BTreeSet<_> = slots.iter().map(|slot| slot.index()).collect();
    assert_eq!(indices, (0..4).collect());
    assert!(slots.iter().all(|slot| !slot.lost().is_cancelled()));
}

pub async fn nothing_lets_a_slot_idle_while_somebody_waits(lines: &impl Lines) {
    let (line, slot) = taken(lines, LineOptions::with_slots(1)).await;
    let batch = enter(&line, ask("class", "a").batch()).await;
    let gone = enter(&line, ask("class", "b")).await;
    let nobody = enter(&line, ask("other", "")).await;
    drop(gone);
    assert_eq!(
        starts(slot, vec![("batch", batch), ("nobody", nobody)]).await,
        ["nobody", "batch"]
    );
    drop(slot_of(&line, ask("class", "c")).await);
}
