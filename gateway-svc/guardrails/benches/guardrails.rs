//! What a check costs: `cargo bench -p turnwise-guardrails --bench guardrails` prints lines of the form
//! `figure NAME VALUE BOUND`. Everything runs on one thread; each figure is the median of many rounds.

// A benchmark that cannot run ends by panicking, and says why; and it is about the real clock.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

use std::{fs, hint::black_box, time::Instant};

use turnwise_guardrails::Guardrails;
use turnwise_testing::figure::{Bound, figure};

/// The longest message, in characters.
const CHARS: usize = 4000;

fn main() {
    // Cargo asks whether it holds tests; there are none.
    if std::env::args().any(|arg| arg == "--list") {
        return;
    }
    let guardrails = Guardrails::built_in().unwrap();
    let long = |part: &str| -> String { part.chars().cycle().take(CHARS).collect() };
    let english = long("I subtracted 3 from both sides, so 2x = 8 and I don't see why x isn't 5. ");
    let german = long("Ich möchte wissen, warum die größere Lösung außerhalb der Menge liegt. ");
    let wide = long("ｋｉｌｌ 𝐭𝐡𝐞 分数をどうやって解きますか ½ ﬁ ");
    let near = long("i want to i dont want to live any kill my hits me at ");
    let full_width = long("ｋｉｌｌ　ｔｈｅ　ｆｒａｃｔｉｏｎ　");
    let japanese = long("分数をどうやって解きますか。");
    let thai = long("จงหาคำตอบของสมการนี้");
    let marks = long("a\u{301}\u{327}e\u{300}");
    for (name, text, bound) in [
        ("guardrails_check_en_us", &english, Bound::AtMost(1000.0)),
        ("guardrails_check_de_us", &german, Bound::AtMost(1000.0)),
        ("guardrails_check_near_us", &near, Bound::AtMost(1000.0)),
        (
            "guardrails_check_full_width_us",
            &full_width,
            Bound::AtMost(1000.0),
        ),
        (
            "guardrails_check_japanese_us",
            &japanese,
            Bound::AtMost(1000.0),
        ),
        ("guardrails_check_thai_us", &thai, Bound::AtMost(1000.0)),
        ("guardrails_check_mixed_us", &wide, Bound::AtMost(1000.0)),
        // Nobody writes like that; it is the slowest there is.
        ("guardrails_check_marks_us", &marks, Bound::Report),
    ] {
        let spent = median_us(|| {
            black_box(guardrails.check("de", black_box(text)));
        });
        figure(name, spent, bound);
    }
    let typed = "I subtracted 3 from both sides, so 2x = 8, and my brother says it is 4 but i dont see why. ";
    for (name, chars, bound) in [
        ("safeguarding_200_us", 200, 20.0),
        ("safeguarding_4000_us", CHARS, 1000.0),
    ] {
        let text: String = typed.chars().cycle().take(chars).collect();
        let spent = median_us(|| {
            black_box(guardrails.check("en", black_box(&text)));
        });
        figure(name, spent, Bound::AtMost(bound));
    }
    recall(&guardrails);
    let short = "i think it is 4 because 2x = 8";
    let spent = median_us(|| {
        black_box(guardrails.check("en", black_box(short)));
    });
    figure("guardrails_check_short_us", spent, Bound::Report);
    let spent = median_us(|| {
        black_box(Guardrails::built_in().unwrap());
    });
    figure("guardrails_load_us", spent, Bound::Report);
}

/// What is stopped of the sentences that were held back: of calls for help at least, of others at most the share that is
/// aimed at.
fn recall(guardrails: &Guardrails) {
    let held_back = concat!(env!("CARGO_MANIFEST_DIR"), "/data/held-back");
    let files =
        ["en", "de"].map(|file| fs::read_to_string(format!("{held_back}/{file}.tsv")).unwrap());
    for (kind, bound) in [
        ("self_harm", Bound::AtLeast(0.95)),
        ("abuse", Bound::AtLeast(0.95)),
        ("danger", Bound::AtLeast(0.95)),
        ("bullying", Bound::AtLeast(0.85)),
        ("near_miss", Bound::AtMost(0.01)),
        ("harmless", Bound::AtMost(0.0)),
    ] {
        let lines = files.iter().flat_map(|file| file.lines());
        let of_kind = lines.filter(|line| line.split('\t').next() == Some(kind));
        let texts: Vec<&str> = of_kind.filter_map(|line| line.split('\t').nth(2)).collect();
        let stops = |text: &&&str| guardrails.check("", text).is_some_and(|hit| hit.stops);
        let stopped = texts.iter().filter(stops).count();
        let name = match bound {
            Bound::AtLeast(_) => format!("safeguarding_recall_{kind}"),
            _ => format!("safeguarding_stopped_{kind}"),
        };
        figure(&name, stopped as f64 / texts.len() as f64, bound);
    }
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
