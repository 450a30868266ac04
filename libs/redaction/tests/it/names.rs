//! Names of a roster.

use turnwise_redaction::{MAX_NAME_CHARS, MAX_NAMES, Roster, RosterError};

use crate::{check, check_unchanged};

fn roster() -> Roster {
    Roster::new([
        "Ada Lovelace",
        "José Núñez",
        "Jean-Luc O'Brien",
        "Will Turner",
        "May",
        "Mark",
        "Ludwig van Beethoven",
        "GRACE HOPPER",
        "Curie, Marie",
        "Bo Li",
        "李小明",
        "김민수",
        "Mr. Alan Turing",
        "Zoe",
        "María José Carreño Quiñones",
        "Tan",
        "Xi",
        "Ray",
    ])
    .unwrap()
}

#[test]
fn rostered_names_are_removed() {
    check(
        &roster(),
        &[
            ("Ada Lovelace has 3 apples", "[name] has 3 apples"),
            ("Ada has 3, Lovelace 4", "[name] has 3, [name] 4"),
            ("Ada's and Ada’s book", "[name]'s and [name]’s book"),
            ("Lovelace, Ada", "[name]"),
            (
                "ada lovelace ADA LOVELACE AdaLovelace ada_lovelace",
                "[name] [name] [name] [name]",
            ),
            (
                "_Ada_ **Ada** (Ada) \"Ada\"",
                "_[name]_ **[name]** ([name]) \"[name]\"",
            ),
            (r"\text{Ada} = 4", r"\text{[name]} = 4"),
            (
                "Jose\u{301} and José and Nu\u{301}n\u{303}ez",
                "[name] and [name] and [name]",
            ),
            ("Jose Nunez", "[name]"),
            (
                "Ａｄａ and A\u{200d}d\u{200b}a and A\u{ad}da",
                "[name] and [name] and [name]",
            ),
            ("𝐀𝐝𝐚", "[name]"),
            ("Jean-Luc O’Brien, Jean", "[name], [name]"),
            ("O'Brien and Jean-Luc; Luc", "[name] and [name]; [name]"),
            ("Ludwig Beethoven, Ludwig van Beethoven", "[name], [name]"),
            ("Hopper and Grace Hopper", "[name] and [name]"),
            ("Marie Curie", "[name]"),
            ("Alan Turing", "[name]"),
            ("Bo Li and Will Turner", "[name] and [name]"),
            ("我是李小明。", "我是[name]。"),
            ("김민수는 학생", "[name]는 학생"),
            ("Ada\nLovelace", "[name]"),
            (
                "maria jose, MARÍA QUIÑONES, José Carreño",
                "[name], [name], [name]",
            ),
            (
                "see https://school.org/ada.lovelace/x",
                "see https://school.org/[name]/x",
            ),
        ],
    );
}

#[test]
fn names_that_are_words_need_a_cue() {
    check(
        &roster(),
        &[
            ("My name is Will", "My name is [name]"),
            ("my name is will.", "my name is [name]."),
            ("my name's May", "my name's [name]"),
            ("Name: Mark", "Name: [name]"),
            ("Mr Mark and Mr. May", "Mr [name] and Mr. [name]"),
            ("Professor May, Dr. Will", "Professor [name], Dr. [name]"),
            ("I am Will", "I am [name]"),
            ("I'm May", "I'm [name]"),
            ("I’m Mark and I'm 12", "I’m [name] and I'm 12"),
            ("call me Ray", "call me [name]"),
            ("Hi Mark, what is x?", "Hi [name], what is x?"),
            ("Thanks, May!", "Thanks, [name]!"),
            ("my name is Bo", "my name is [name]"),
            ("her friend's name is Xi", "her friend's name is [name]"),
        ],
    );
    check_unchanged(
        &roster(),
        &[
            "Will you mark my answer? May I go on?",
            "Mark the point. A ray is Ray AB.",
            "Hi, Will this be on the test?",
            "I am may be wrong",
            "I will mark it",
            "Tan(x), \\tan x, \\Xi and Xi",
            "Bo",
            "Li",
            "Grace period",
            "van",
            "adaptation Adaptation adA ada lovelaces",
            "Adamant, Ada5, x2Ada, \\Ada",
            "The professor will choose, the dr may come, I miss May",
            "the name is Ray of the half-line",
            "zoe ZOE",
        ],
    );
}

#[test]
fn a_roster_is_bounded_and_says_no_name() {
    assert!(Roster::default().is_empty());
    assert!(
        Roster::new(["", " ", "12", "+", "x + 1 = 2"])
            .unwrap()
            .len()
            == 1
    );
    check_unchanged(&Roster::new(["12", "3 4", "+"]).unwrap(), &["12 + 3 4"]);
    let many = vec!["Ada"; MAX_NAMES];
    assert_eq!(Roster::new(&many).unwrap().len(), MAX_NAMES);
    let more = vec!["Ada"; MAX_NAMES + 1];
    assert_eq!(Roster::new(&more).unwrap_err(), RosterError::TooManyNames);
    let long = "é".repeat(MAX_NAME_CHARS);
    assert!(Roster::new([long.clone()]).is_ok());
    let longer = format!("{long}é");
    let error = Roster::new(["Ada", &longer]).unwrap_err();
    assert_eq!(error, RosterError::NameTooLong { index: 1 });
    assert!(!error.to_string().contains('é'));
    assert!(!format!("{:?}", roster()).contains("Ada"));
}

#[test]
fn words_that_need_a_cue_are_told() {
    let told = |name: &str| turnwise_redaction::cue_words(name);
    assert_eq!(told("Grace Hopper"), ["Grace"]);
    assert_eq!(told("will"), ["will"]);
    assert_eq!(told("Young, Will"), ["Will", "Young"]);
    assert_eq!(told("Bo Li"), ["Bo", "Li"]);
    assert_eq!(told("Ludwig van Beethoven"), [""; 0]);
    assert_eq!(told("Dr. Ada Lovelace"), [""; 0]);
    assert_eq!(told("123"), [""; 0]);
}
