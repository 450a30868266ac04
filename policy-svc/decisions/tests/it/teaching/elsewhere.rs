//! A lesson of another unit than the focus that answers.

use turnwise_decisions::{
    Asks, Passage, Situation,
    teaching::{Choice, Found, answer_elsewhere},
};

use super::{equation, open, taught};
use crate::fixtures::*;

#[test]
fn another_units_lesson_answers_and_keeps_the_solution_of_the_open_drill() {
    let course = taught();
    let policy = plain_policy(&course);
    let (question, key) = equation(0);
    let line = "A line climbs.";
    for (asks, text, answers, is_open, is_quoted) in [
        (Asks::Explanation, line, true, true, true),
        (Asks::Explanation, line, true, false, true),
        (Asks::Explanation, line, false, false, false),
        // Hints help with a drill that is open.
        (Asks::Help, line, true, true, false),
        (Asks::Help, line, true, false, true),
        (Asks::Nothing, line, true, false, false),
        (Asks::Explanation, "It is $x = 4$.", true, true, false),
        (Asks::Explanation, "It is $x = 4$.", true, false, true),
        (Asks::Explanation, "Is it so? Or so?", true, false, false),
    ] {
        // Whichever of those that were found is chosen.
        let choice = || Choice { at: 1, answers };
        let found = [("Points", "A point lies still."), ("Lines", text)];
        let found = found.map(|(section, text)| Found { section, text });
        let situation = Situation {
            asks,
            open: is_open.then(|| open(&question, &key, 0)),
            passage_elsewhere: Some(Passage {
                found: &found,
                choice: &choice,
            }),
            ..Situation::default()
        };
        let quoted = answer_elsewhere(&course, &policy, &situation);
        let expected = format!("Your lesson says: {text} (From: Lines)");
        assert_eq!(quoted, is_quoted.then_some(expected), "{asks:?} {text}");
    }
}
