//! What holds for any bytes of a model, any decision and any conversation.

use proptest::prelude::*;
use turnwise_chat_reply::{Conversation, Limits, Outcome, OwnProblems, Withheld};

use crate::outcome;

/// Pieces of messages and of answers, good and bad.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![
            "2x+3=11", "x = 4", "x=4", "4", "four", "vier", "x is ", "The answer is ", "3x = 9", "3", "x² = 16", "-4",
            "3/4 + 1/2", "5/4", "1.25", "15% of 80", "12", "expand 3(x+2)", "3x + 6", "$", "\\(", "\\)", "[1]", "[9]",
            "[1, 9]", "`", "```\n", "a = 1\n", "? ", ". ", "\n", " ", ", ", "**", "ä", "👩‍👩‍👧", "½", "\\frac{1}{2}", "=", "- ", "1. ",
            "x + y = 5", "x - y = 1", "x > 3", "2x > 6", "Why", "because", "\u{200b}", "\u{7}", "word",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => "[0-9]{1,5}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    #[test]
    fn a_strict_answer_states_no_solution(
        before in pieces(),
        message in pieces(),
        said in pieces(),
        bytes in prop::collection::vec(any::<u8>(), 0..8),
        long in 1..40usize,
        (strict, off, writes_programs) in any::<(bool, bool, bool)>(),
        german in any::<bool>(),
        check_question in prop::sample::select(vec!["", "Why?", "Warum ist das so, und woher weißt du das?"]),
        reference in pieces(),
        source_count in 0..12i32,
        max_chars in 200..400usize,
    ) {
        let limits = Limits {
            strict,
            locale: if german { "de" } else { "en" },
            check_question,
            writes_programs,
            source_count,
            reference: &reference,
            max_chars,
        };
        let mut completion = said.repeat(long).into_bytes();
        completion.extend(bytes);
        let came = if off { Outcome::Off } else { Outcome::Completion(&completion) };
        let answer = outcome(&[&before, &message], came, &limits);
        prop_assert_eq!(&outcome(&[&before, &message], came, &limits), &answer);
        prop_assert!(answer.text.chars().count() <= max_chars, "{}", answer.text);
        prop_assert!(off || !answer.text.is_empty());
        prop_assert!(answer.cited.iter().all(|number| (1..=source_count).contains(number)));
        prop_assert!(strict || answer.withheld != Some(Withheld::AnswerGiven));
        let own = OwnProblems::read(&Conversation { message: &message, before: &[&before], summary: "" });
        if strict && !own.all().is_empty() {
            prop_assert!(!own.solved_by(&answer.text), "{:?}: {}", own.all(), answer.text);
        }
    }
}
