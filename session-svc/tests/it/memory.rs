//! What a conversation remembers.

use proptest::prelude::*;
use turnwise_proto::{
    session::v1::{ConversationMemory, MemoryTurn},
    tutor::v1::Role,
};
use turnwise_session_svc::memory::{MemoryLimits, remember};

fn student(text: &str) -> MemoryTurn {
    MemoryTurn {
        role: Role::User.into(),
        text: text.into(),
    }
}

fn tutor(text: &str) -> MemoryTurn {
    MemoryTurn {
        role: Role::Assistant.into(),
        text: text.into(),
    }
}

fn texts(memory: &ConversationMemory) -> Vec<&str> {
    memory.turns.iter().map(|turn| turn.text.as_str()).collect()
}

fn begin(turns: &[MemoryTurn], limits: &MemoryLimits) -> ConversationMemory {
    remember(ConversationMemory::default(), turns, limits)
}

#[test]
fn a_few_turns_are_kept_as_they_were_said() {
    let turns = [
        student("What is a limit?"),
        tutor("What do you see\nnear 0?"),
    ];
    let memory = begin(&turns, &MemoryLimits::default());
    assert_eq!(memory.turns, turns);
    assert_eq!(memory.summary, "");
}

#[test]
fn the_ninth_turn_moves_the_first_into_the_summary() {
    let turns: Vec<_> = (1..=9).map(|n| student(&format!("question {n}"))).collect();
    let memory = begin(&turns, &MemoryLimits::default());
    assert_eq!(memory.turns, turns[1..]);
    assert_eq!(memory.summary, "Student: question 1");
    let memory = remember(memory, &[tutor("an answer")], &MemoryLimits::default());
    assert_eq!(memory.summary, "Student: question 1\nStudent: question 2");
    assert_eq!(texts(&memory)[7], "an answer");
}

#[test]
fn long_turns_leave_early() {
    let long = "word ".repeat(150);
    let turns: Vec<_> = (0..4).map(|_| student(&long)).collect();
    let memory = begin(&turns, &MemoryLimits::default());
    assert_eq!(memory.turns.len(), 3);
    assert_eq!(memory.summary.lines().count(), 1);
}

#[test]
fn a_turn_is_cut_at_a_word_within_its_limit() {
    let limits = |turn_max_chars| MemoryLimits {
        turn_max_chars,
        ..MemoryLimits::default()
    };
    let cut = |text, max| begin(&[student(text)], &limits(max)).turns.remove(0).text;
    assert_eq!(cut("one two three", 13), "one two three");
    assert_eq!(cut("one two three", 12), "one two…");
    assert_eq!(cut("one two three", 8), "one two…");
    assert_eq!(cut("one two three", 7), "one…");
    assert_eq!(cut("abcdefghij", 5), "abcd…");
    assert_eq!(cut("a bcdefghij", 5), "a bc…");
    assert_eq!(cut("→→→→", 3), "→→…");
    assert_eq!(cut("ab", 1), "…");
    assert_eq!(cut("ab", 0), "");
}

#[test]
fn the_summary_takes_the_first_sentence_that_says_something() {
    let limits = MemoryLimits {
        max_messages: 1,
        ..MemoryLimits::default()
    };
    let line = |turn| begin(&[turn, student("next")], &limits).summary;
    assert_eq!(
        line(student(
            "How do I find the slope of this line? I tried it twice."
        )),
        "Student: How do I find the slope of this line? …"
    );
    assert_eq!(
        line(tutor("Yes. It is the derivative at that point. Try it.")),
        "Tutor: Yes. It is the derivative at that point. …"
    );
    assert_eq!(
        line(tutor(
            "Use a smaller step, e.g. 0.5 or 0.25 in place of 1.0, and look again"
        )),
        "Tutor: Use a smaller step, e.g. 0.5 or 0.25 in place of 1.0, and look again"
    );
    assert_eq!(
        line(student("two\n\nlines\tof text")),
        "Student: two lines of text"
    );
    assert_eq!(line(student(" \n ")), "");
    let long = line(student(&"again and ".repeat(50)));
    assert_eq!(long.chars().count(), 149);
    assert!(long.ends_with("again and…"), "{long}");
}

#[test]
fn a_full_summary_loses_its_oldest_lines() {
    let turns: Vec<_> = (0..60)
        .map(|n| {
            student(&format!(
                "question {n} is about the chain rule and what it is good for"
            ))
        })
        .collect();
    let memory = begin(&turns, &MemoryLimits::default());
    assert!(
        memory
            .summary
            .ends_with("question 51 is about the chain rule and what it is good for")
    );
    assert!(!memory.summary.contains("question 1 "));
    let lines: Vec<_> = memory.summary.lines().collect();
    assert!(
        lines
            .iter()
            .all(|line| line.starts_with("Student: question "))
    );
    assert_eq!(lines.len(), 900 / (lines[0].chars().count() + 1));
}

#[test]
fn a_summary_may_be_as_long_as_its_limit() {
    let turns: Vec<_> = (1..=8).map(|n| student(&format!("question {n}"))).collect();
    let lines_within = |summary_max_chars| {
        let limits = MemoryLimits {
            max_messages: 1,
            summary_max_chars,
            ..MemoryLimits::default()
        };
        begin(&turns, &limits).summary.lines().count()
    };
    // Seven lines of 19 characters and six line breaks.
    assert_eq!(lines_within(139), 7);
    assert_eq!(lines_within(138), 6);
}

#[test]
fn tighter_limits_hold_for_an_older_memory() {
    let turns: Vec<_> = (0..12).map(|n| student(&format!("question {n}"))).collect();
    let memory = begin(&turns, &MemoryLimits::default());
    let tight = MemoryLimits {
        max_messages: 2,
        turn_max_chars: 9,
        history_max_chars: 12,
        summary_max_chars: 30,
    };
    let memory = remember(memory, &[], &tight);
    assert_eq!(texts(&memory), ["question…"]);
    assert!(memory.summary.chars().count() <= 30, "{}", memory.summary);
}

fn any_turn() -> impl Strategy<Value = MemoryTurn> {
    let text = prop_oneof!["[a-z .?!]{0,60}", "\\PC{0,40}", any::<String>()];
    (0..4_i32, text).prop_map(|(role, text)| MemoryTurn { role, text })
}

fn any_turns() -> impl Strategy<Value = Vec<MemoryTurn>> {
    prop::collection::vec(any_turn(), 0..12)
}

fn any_limits() -> impl Strategy<Value = MemoryLimits> {
    let small = (0..6_usize, 0..50_usize, 0..120_usize, 0..200_usize);
    prop_oneof![
        Just(MemoryLimits::default()),
        small.prop_map(|(max_messages, turn, history, summary)| MemoryLimits {
            max_messages,
            turn_max_chars: turn,
            history_max_chars: history,
            summary_max_chars: summary,
        })
    ]
}

/// A memory that nothing but this test has written.
fn any_memory() -> impl Strategy<Value = ConversationMemory> {
    (any::<String>(), any_turns())
        .prop_map(|(summary, turns)| ConversationMemory { summary, turns })
}

fn holds(memory: &ConversationMemory, limits: &MemoryLimits) -> bool {
    let chars = |text: &str| text.chars().count();
    memory.turns.len() <= limits.max_messages
        && memory
            .turns
            .iter()
            .all(|turn| chars(&turn.text) <= limits.turn_max_chars)
        && memory
            .turns
            .iter()
            .map(|turn| chars(&turn.text))
            .sum::<usize>()
            <= limits.history_max_chars
        && chars(&memory.summary) <= limits.summary_max_chars
}

/// True if `kept` is what a cut leaves of `said`.
fn is_cut_of(kept: &str, said: &str) -> bool {
    kept == said
        || kept.is_empty()
        || kept
            .strip_suffix('…')
            .is_some_and(|start| said.starts_with(start))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

proptest! {
    #[test]
    fn the_limits_hold_for_any_memory_and_turns(
        memory in any_memory(), turns in any_turns(), limits in any_limits(),
    ) {
        let after = remember(memory, &turns, &limits);
        prop_assert!(holds(&after, &limits), "{:?}", after);
    }

    #[test]
    fn the_latest_turns_stay_in_their_order(
        memory in any_memory(), turns in any_turns(), limits in any_limits(),
    ) {
        let after = remember(memory.clone(), &turns, &limits);
        let said: Vec<_> = memory.turns.iter().chain(&turns).collect();
        let latest = &said[said.len() - after.turns.len()..];
        for (kept, said) in after.turns.iter().zip(latest) {
            prop_assert_eq!(kept.role, said.role);
            prop_assert!(is_cut_of(&kept.text, &said.text), "{:?} of {:?}", kept, said);
        }
        let possible = limits.max_messages > 0;
        prop_assert_eq!(after.turns.is_empty(), said.is_empty() || !possible);
    }

    #[test]
    fn nothing_leaves_without_need(turns in any_turns()) {
        let limits = MemoryLimits::default();
        let after = begin(&turns, &limits);
        if let Some(left) = turns.len().checked_sub(after.turns.len() + 1) {
            let mut more = after.clone();
            more.turns.insert(0, turns[left].clone());
            prop_assert!(!holds(&more, &limits));
        }
    }

    #[test]
    fn no_turns_change_nothing(memory in any_memory(), turns in any_turns(), limits in any_limits()) {
        let after = remember(memory, &turns, &limits);
        prop_assert_eq!(remember(after.clone(), &[], &limits), after);
    }

    #[test]
    fn the_same_turns_leave_the_same_memory(
        memory in any_memory(), turns in any_turns(), limits in any_limits(),
    ) {
        let once = remember(memory.clone(), &turns, &limits);
        prop_assert_eq!(remember(memory, &turns, &limits), once);
    }

    #[test]
    fn one_after_the_other_is_as_good_as_all_at_once(turns in any_turns(), limits in any_limits()) {
        let all = begin(&turns, &limits);
        let mut one_by_one = ConversationMemory::default();
        for turn in &turns {
            one_by_one = remember(one_by_one, std::slice::from_ref(turn), &limits);
        }
        prop_assert_eq!(one_by_one, all);
    }

    #[test]
    fn the_summary_holds_only_what_was_said(turns in any_turns(), limits in any_limits()) {
        let after = begin(&turns, &limits);
        for line in after.summary.lines() {
            let said = turns.iter().any(|turn| {
                let label = match turn.role() {
                    Role::User => "Student: ",
                    Role::Assistant => "Tutor: ",
                    Role::Unspecified => return false,
                };
                // A turn may be cut before it leaves, and its line again.
                let start = line.trim_end_matches(['…', ' ']);
                format!("{label}{}", one_line(&turn.text)).starts_with(start)
            });
            prop_assert!(said, "{line:?} of {turns:?}");
        }
    }
}
