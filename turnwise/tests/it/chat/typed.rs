//! What lines mean, by whom the prompt says that they go to.

use turnwise::chat::typed::{Command, Facing, Typed, input, understand};
use turnwise_proto::tutor::v1::StudentInput;

fn text(text: &str) -> StudentInput {
    StudentInput {
        text: text.to_owned(),
        ..StudentInput::default()
    }
}

fn latex(latex: &str) -> StudentInput {
    StudentInput {
        latex: latex.to_owned(),
        ..StudentInput::default()
    }
}

#[test]
fn a_plain_line_goes_to_whom_the_prompt_names() {
    let said = Typed::Say(text("4"));
    let cases = [
        (Facing::Tutor { buttons: 0 }, "4", said.clone()),
        (Facing::Card, "4", Typed::Answer(text("4"))),
        // Nothing is asked after a result, so a number can only be a button.
        (Facing::Result, "4", Typed::Press(4)),
        (Facing::Tutor { buttons: 4 }, "4", Typed::Press(4)),
        (Facing::Tutor { buttons: 3 }, "4", said.clone()),
        (Facing::Tutor { buttons: 4 }, "0", Typed::Say(text("0"))),
        (Facing::Result, "four", Typed::Say(text("four"))),
        (Facing::Confirm, "4", Typed::No),
        (Facing::Card, " x = 4 ", Typed::Answer(text("x = 4"))),
        (Facing::Card, "is it 4?", Typed::Say(text("is it 4?"))),
        (Facing::Card, "/say 4", said.clone()),
        (Facing::Tutor { buttons: 0 }, "/say 4", said),
        (Facing::Confirm, "y", Typed::Yes),
        (Facing::Confirm, " YES ", Typed::Yes),
        (Facing::Confirm, "", Typed::No),
        (Facing::Confirm, "yesterday", Typed::No),
    ];
    for (facing, line, meant) in cases {
        assert_eq!(understand(line, facing), meant, "{line} to {facing:?}");
    }
}

#[test]
fn answers_are_handed_in_from_anywhere() {
    let hand_in = |input, word: &str| Typed::HandIn(input, word.to_owned());
    for facing in [Facing::Tutor { buttons: 0 }, Facing::Card, Facing::Result] {
        for (line, meant) in [
            ("check 4", hand_in(text("4"), "check")),
            ("Check  x = 4", hand_in(text("x = 4"), "check")),
            ("check $ x^2", hand_in(latex("x^2"), "check")),
            ("check", hand_in(text(""), "check")),
            ("submit b", hand_in(text("b"), "submit")),
        ] {
            assert_eq!(understand(line, facing), meant, "{line}");
        }
        // No answer to an exercise ends in a question mark.
        let question = "check if I did it right?";
        assert_eq!(understand(question, facing), Typed::Say(text(question)));
        // Only the whole word.
        assert_ne!(
            understand("checking 4", facing),
            hand_in(text("4"), "check")
        );
    }
}

#[test]
fn commands_are_the_same_everywhere() {
    for facing in [
        Facing::Tutor { buttons: 0 },
        Facing::Card,
        Facing::Result,
        Facing::Confirm,
    ] {
        for (line, command) in [
            ("/help", Command::Help),
            ("/?", Command::Help),
            ("/standing", Command::Standing),
            ("/history", Command::History(20)),
            ("/history 5", Command::History(5)),
            ("/card", Command::Card),
            ("/again", Command::Again),
            ("/why", Command::Why),
            ("/why json", Command::WhyJson),
            ("  /quit ", Command::Quit),
            ("/q", Command::Quit),
            ("/exit", Command::Quit),
        ] {
            assert_eq!(understand(line, facing), Typed::Command(command), "{line}");
        }
        assert_eq!(understand("/12", facing), Typed::Press(12));
        for unknown in ["/hlep", "/history many", "/quit now", "/", "/why not"] {
            assert_eq!(
                understand(unknown, facing),
                Typed::Unknown(unknown.to_owned())
            );
        }
    }
}

#[test]
fn latex_is_marked_by_dollar_signs() {
    for (line, meant) in [
        ("$ x^2 = 4", latex("x^2 = 4")),
        ("$x^2 = 4$", latex("x^2 = 4")),
        ("$ x^2 = 4 $", latex("x^2 = 4")),
        ("$5 is too much", text("$5 is too much")),
        ("$5 and $6$", text("$5 and $6$")),
        ("$$", text("$$")),
        ("x = 4", text("x = 4")),
    ] {
        assert_eq!(input(line), meant, "{line}");
    }
}
