//! What a prompt costs: `cargo bench -p turnwise-prompts --bench prompts` prints lines of the form
//! `figure NAME VALUE BOUND`. Everything runs on one thread; each figure is the median of many rounds.

// A benchmark that cannot run ends by panicking, and says why; and it is about the real clock.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

// What tests make, not all of which is measured.
#[allow(dead_code)]
#[path = "../tests/it/fixture.rs"]
mod fixture;

use std::{hint::black_box, time::Instant};

use turnwise_prompts::{Sheets, estimate};
use turnwise_proto::tutor::v1::Role;
use turnwise_testing::figure::{Bound, figure};

use crate::fixture::{AMPLE, Turn, anchor, chunk, grade, said, turn};

fn main() {
    // Cargo asks whether it holds tests; there are none.
    if std::env::args().any(|arg| arg == "--list") {
        return;
    }
    let sheets = Sheets::built_in().unwrap();
    let typical = typical();
    for (name, max, bound) in [
        ("prompt_turn_us", AMPLE, Bound::AtMost(60.0)),
        ("prompt_turn_trimmed_us", 2500, Bound::Report),
        ("prompt_turn_over_budget_us", 0, Bound::Report),
    ] {
        let prompt = typical.prompt(&sheets, "en", max);
        let bytes: usize = prompt.messages.iter().map(|m| m.content.len()).sum();
        println!("{name}: {bytes} bytes, {} tokens", prompt.tokens);
        let spent = median_us(|| {
            black_box(typical.prompt(&sheets, "en", black_box(max)));
        });
        figure(name, spent, bound);
    }
    let prompt = typical.prompt(&sheets, "en", AMPLE);
    let user = &prompt.messages[1].content;
    let spent = median_us(|| {
        black_box(estimate(black_box(user)));
    });
    figure("prompt_estimate_us", spent, Bound::Report);
    let spent = median_us(|| {
        black_box(sheets.grade("de-CH", &grade(), AMPLE).unwrap());
    });
    figure("prompt_grade_us", spent, Bound::AtMost(60.0));
    let spent = median_us(|| {
        black_box(Sheets::built_in().unwrap());
    });
    figure("prompt_sheets_load_us", spent, Bound::Report);
}

/// A turn as the demo course makes it: six anchors, the unit's four texts, two that were found, eight earlier messages.
fn typical() -> Turn {
    let mut turn = turn();
    let text = "Undo the last step first: adding 3 is undone by subtracting 3. ".repeat(8);
    turn.anchors = (7..13)
        .map(|i| {
            anchor(
                &format!("ALG-{i:02}"),
                "Equations in one step",
                &text[..160],
            )
        })
        .collect();
    turn.unit_chunks = (0..4).map(|_| chunk("ALG-09", &text)).collect();
    turn.chunks = (0..2).map(|_| chunk("ALG-10", &text)).collect();
    turn.recent = (0..8)
        .map(|i| said([Role::User, Role::Assistant][i % 2], &text[..120]))
        .collect();
    turn
}

fn median_us(mut work: impl FnMut()) -> f64 {
    let mut rounds: Vec<f64> = (0..1001)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[rounds.len() / 2]
}
