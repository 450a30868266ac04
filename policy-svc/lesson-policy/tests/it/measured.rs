//! How often the topic filter is right, on messages that it was not tuned with.

use std::collections::BTreeMap;

use turnwise_lesson_policy::decide;

use crate::fixture::{course, defaults, input};

const MESSAGES: &str = include_str!("../../data/messages.tsv");
const TUNED: &str = include_str!("../../data/tuned.tsv");

#[derive(Default, Clone, Copy)]
struct Count {
    right: usize,
    of: usize,
}

/// Right decisions of every second message of a lesson, by language and kind, and what went wrong.
fn measure(half: usize) -> (BTreeMap<(&'static str, &'static str), Count>, String) {
    let courses = [("en", course("en")), ("de", course("de"))];
    let mut counts: BTreeMap<_, Count> = BTreeMap::new();
    let mut wrong = String::new();
    let mut place = 0;
    let mut before = ("", "");
    let more = if half == 0 { TUNED } else { "" };
    let lines = MESSAGES
        .lines()
        .map(|line| (false, line))
        .chain(more.lines().map(|line| (true, line)));
    for (tuned, line) in lines.filter(|(_, line)| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap();
        let (lesson, language, kind, message) = (cell(), cell(), cell(), cell());
        place = if before == (lesson, language) {
            place + 1
        } else {
            0
        };
        before = (lesson, language);
        if !tuned && place % 2 != half {
            continue;
        }
        let (_, course) = courses
            .iter()
            .find(|(locale, _)| *locale == language)
            .unwrap();
        let decision = decide(&input(course, lesson, message), &defaults());
        assert_eq!(decision.off_topic, decision.redirect.is_some(), "{line}");
        let count = counts.entry((language, kind)).or_default();
        count.of += 1;
        if decision.off_topic == (kind != "in") {
            count.right += 1;
        } else {
            wrong += &format!("{line}\n");
        }
    }
    (counts, wrong)
}

fn share(half: usize, kind: &str) -> (f64, String) {
    let (counts, wrong) = measure(half);
    let of_kind = counts.iter().filter(|((_, k), _)| *k == kind);
    let (right, of) = of_kind.fold((0, 0), |(r, o), (_, c)| (r + c.right, o + c.of));
    (
        right as f64 / of as f64,
        format!("{kind} {right}/{of}\n{wrong}"),
    )
}

#[test]
fn floors_of_the_half_that_was_tuned_with() {
    for (kind, floor) in [("in", 0.89), ("out", 0.97), ("adversarial", 0.97)] {
        let (share, wrong) = share(0, kind);
        assert!(share >= floor, "{wrong}");
    }
}

#[test]
fn floors_of_the_half_that_was_held_back() {
    let (counts, _) = measure(1);
    let table: Vec<String> = counts
        .iter()
        .map(|((language, kind), count)| format!("{language} {kind} {}/{}", count.right, count.of))
        .collect();
    for (kind, floor) in [("in", 0.90), ("out", 0.95), ("adversarial", 1.0)] {
        let (share, _) = share(1, kind);
        assert!(share >= floor, "{kind} {share}: {table:?}");
    }
}
