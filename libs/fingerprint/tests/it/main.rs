//! Tests of fingerprints through the crate's face.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use turnwise_fingerprint::{Letters, RUN, RunSet, Words, expression, phrase, runs};

const SHEET: &str = "You are a private tutor: patient, precise, warm, brief. You lead one student, one small step at a \
                     time. Never say that something is mastered.";

fn longest(text: &Letters) -> usize {
    RunSet::new(runs(SHEET)).find(text).longest
}

#[test]
fn a_copied_passage_is_found_in_any_spelling() {
    for copy in [
        "patient, precise, warm, brief. You lead one student",
        "P.a.t.i.e.n.t, p-r-e-c-i-s-e, w a r m, brief",
        "PATIENTPRECISEWARMBRIEF",
        "Once upon a time a voice said: YOU LEAD ONE STUDENT ONE small step and was gone",
        "p\u{430}tient pr\u{435}cise w\u{200b}arm bri\u{e9}f",
        "ｐａｔｉｅｎｔ　ｐｒｅｃｉｓｅ　ｗａｒｍ",
        "p4t13nt pr3c1s3 w4rm br13f",
    ] {
        assert!(longest(&Letters::of(copy)) >= RUN, "{copy}");
    }
}

#[test]
fn another_text_holds_nothing() {
    for other in [
        "Take one step at a time.",
        "",
        "You are a student.",
        "12345678901234567890",
    ] {
        let found = RunSet::new(runs(SHEET)).find(&Letters::of(other));
        assert_eq!((found.runs.len(), found.longest), (0, 0), "{other}");
    }
}

#[test]
fn no_run_goes_over_the_end_of_a_clause() {
    assert!(runs("one two three. four five six.").is_empty());
    assert_eq!(runs("one two three four five six.").len(), 3);
}

#[test]
fn an_expression_is_one_in_every_spelling() {
    for [one, other] in [
        ["-8 + 5", "5 - 8"],
        ["-8+5", "{-8} + {5}"],
        [r"-6 \times (-5)", "-6 * -5"],
        [r"-6 \cdot (-5)", "(-6)×(−5)"],
        [r"\frac{3}{4}", "3/4"],
        ["x + 7 = 12", "12 = 7+X"],
        [r"\left(9-4\right) \times 3", "3(9-4)*"],
        ["x^2 - 9", "x² − 9"],
        [r"-11 \text{ and } 5", "-11 and 5"],
    ] {
        assert_eq!(expression(one), expression(other), "{one} {other}");
        assert!(expression(one).is_some(), "{one}");
    }
    assert_ne!(expression("-8 + 5"), expression("-8 + 6"));
    for nothing in ["", "5", "-5", "x", "12 13"] {
        assert_eq!(expression(nothing), None, "{nothing}");
    }
}

#[test]
fn phrases_are_whole_words() {
    let holds = |text: &str, wanted: &str| {
        let wanted = phrase(wanted).unwrap();
        Words::of(&Letters::of(text))
            .phrases()
            .any(|hash| hash == wanted)
    };
    assert!(holds("You ASS-HOLE there", "ass hole"));
    assert!(holds("so B\u{430}d", "bad"));
    assert!(!holds("badly said", "bad"));
    assert_eq!(phrase("..."), None);
}

proptest! {
    #[test]
    fn what_stands_between_letters_hides_nothing(between in "[ .,_\u{200b}\u{300}-]{1,3}", upper in any::<bool>()) {
        let spread: String = SHEET.chars().flat_map(|c| [c.to_string(), between.clone()]).collect();
        let spread = if upper { spread.to_uppercase() } else { spread };
        let found = longest(&Letters::of(&spread));
        prop_assert_eq!(found, longest(&Letters::of(SHEET)));
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        let letters = Letters::of(&text);
        let own = runs(&text);
        let found = RunSet::new(own.clone()).find(&letters);
        prop_assert_eq!(found.runs, own);
        let _ = expression(&text);
    }
}
