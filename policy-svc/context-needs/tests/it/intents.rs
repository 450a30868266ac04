//! What messages want: rules one by one, and a table of messages, with some of which the rules were not tuned.

use std::time::Duration;

use turnwise_context_needs::intent::of_words;
use turnwise_course_pack::MessageIntent::{Action, Debug, Plan, Question, Review};
use turnwise_testing::cpu_time::time_of_thread;

const MESSAGES: &str = include_str!("../../data/messages.tsv");

/// How many messages of one part are understood, of how many, and those that are not.
fn measure(part: &str) -> (usize, usize, String) {
    let (mut right, mut of, mut wrong) = (0, 0, String::new());
    let prefix = format!("{part}\t");
    for line in MESSAGES
        .lines()
        .filter_map(|line| line.strip_prefix(&prefix))
    {
        let (intent, message) = line.split_once('\t').unwrap();
        let found = of_words(message).unwrap_or(Question).as_str();
        of += 1;
        if found == intent {
            right += 1;
        } else {
            wrong += &format!("{line} (found: {found})\n");
        }
    }
    (right, of, wrong)
}

#[test]
fn the_messages_that_the_rules_were_tuned_with() {
    let (right, of, wrong) = measure("tuned");
    assert_eq!((right, of), (80, 80), "{wrong}");
}

#[test]
fn the_messages_that_were_held_back() {
    let (right, of, _) = measure("held");
    assert!(right >= 15, "{right}/{of}");
}

#[test]
fn a_sentence_begins_behind_polite_words() {
    for message in [
        "add the costs",
        "Please add the costs.",
        "ok, now could you please add the costs",
        "That is it. Then add the costs!",
        "Kannst du die Kosten eintragen",
        "Und jetzt rechne bitte weiter",
    ] {
        assert_eq!(of_words(message), Some(Action), "{message}");
    }
    assert_eq!(of_words("How do I add the costs?"), Some(Question));
    assert_eq!(of_words("I could not add anything"), None);
}

#[test]
fn the_first_rule_that_fits_decides() {
    for (message, intent) in [
        ("Check why it doesn't work", Debug),
        ("Check my list for mistakes", Review),
        ("Is there a mistake? Is this right?", Debug),
        ("Plan the day and write it down", Plan),
        ("Our plan is wrong", Debug),
        ("Show me how to add these", Question),
        ("Show our plan", Action),
        ("Zeig mir, wie das geht", Question),
    ] {
        assert_eq!(of_words(message), Some(intent), "{message}");
    }
}

#[test]
fn what_tells_asks_for_nothing() {
    for message in [
        "Oh, I see, I made a mistake. It is 12.",
        "yes that is correct",
        "I forgot the museum.",
        "Sorry, my mistake was the sign",
        "Ach so, ich habe falsch gerechnet",
    ] {
        assert_eq!(of_words(message), None, "{message}");
    }
    // But a question does, and a request, and what does not work.
    assert_eq!(of_words("Yes, please check my list"), Some(Review));
    assert_eq!(of_words("No, it still doesn't work"), Some(Debug));
    assert_eq!(of_words("Yes, but is that right?"), Some(Review));
    assert_eq!(of_words("Oh, I see. Add the museum, please."), Some(Action));
}

#[test]
fn spellings_are_one() {
    for message in ["PRÜF MEIN ERGEBNIS", "pruef mein ergebnis", "  Prüf\nmal"] {
        assert_eq!(of_words(message), Some(Review), "{message}");
    }
    for message in ["It doesn’t work", "it doesn't WORK!!"] {
        assert_eq!(of_words(message), Some(Debug), "{message}");
    }
}

#[test]
fn what_says_nothing_says_nothing() {
    for message in ["", "ok", "27", "2x + 3 = 11", "danke", "🙂", "...", "'"] {
        assert_eq!(of_words(message), None, "{message}");
    }
    assert_eq!(of_words("27?"), Some(Question));
}

/// One call takes a few milliseconds at most, and the rest is for a slow machine.
#[test]
fn no_text_takes_long() {
    let most = Duration::from_millis(200);
    for piece in [
        "please ",
        "is ",
        "a.",
        "what do i ",
        "ﷺ",
        "why do you ",
        "(((",
    ] {
        let text = piece.repeat(100_000);
        let took = (0..3).filter_map(|_| {
            let start = time_of_thread()?;
            let _ = of_words(&text);
            Some(time_of_thread()? - start)
        });
        let best = took.min().unwrap_or_default();
        assert!(best < most, "{piece}: {best:?}");
    }
}
