//! Messages that were once decided wrongly.

use turnwise_lesson_policy::{Scope, decide};

use crate::fixture::{course, defaults, input, memory};

fn off(locale: &str, lesson: &str, before: &[&str], message: &str) -> bool {
    let course = course(locale);
    let mut input = input(&course, lesson, message);
    input.memory = memory(before);
    decide(&input, &defaults()).redirect.is_some()
}

#[test]
fn students_go_on() {
    let english = [
        "how do I solve 2x + 5 = 15",
        "What is done to x first, and what last?",
        "15 - 5",
        "Good. What is left of x now?",
    ];
    let german = [
        "wie löse ich 2x + 5 = 15",
        "Was passiert zuerst mit x, was zuletzt?",
    ];
    let of_english = [
        "the other side too?",
        "why 15 and not 25",
        "how do you know",
        "thank you",
        "i did that already",
        "what comes after that",
    ];
    let of_german = [
        "was heißt das",
        "geht das immer so",
        "muss ich das aufschreiben",
        "ok aber welche zahl ist es am ende",
    ];
    let mut wrong = Vec::new();
    for (locale, lesson) in [
        ("en", "equations"),
        ("de", "equations"),
        ("en", "fractions"),
    ] {
        for (before, messages) in [(&english[..], &of_english[..]), (&german, &of_german)] {
            for message in messages {
                for before in [&before[..2], before] {
                    let topical = if lesson == "equations" {
                        before.to_vec()
                    } else {
                        vec!["how do I add 1/2 and 1/3?", "What is on the bottom?"]
                    };
                    if off(locale, lesson, &topical, message) {
                        wrong.push(format!("{locale} {lesson} {message}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn students_speak_of_the_lesson() {
    let mut wrong = Vec::new();
    for (locale, lesson, message) in [
        ("en", "equations", "what's a coefficient"),
        ("de", "equations", "was ist ein koeffizient"),
        ("de", "equations", "wie kriege ich das x alleine"),
        (
            "en",
            "equations",
            "why can you do the same thing on both sides",
        ),
        ("de", "equations", "warum auf beiden seiten"),
        ("en", "equations", "get rid of the x"),
        ("de", "fractions", "muss ich am ende kürzen"),
        ("de", "fractions", "gemischte zahlen"),
    ] {
        if off(locale, lesson, &[], message) {
            wrong.push(message);
        }
    }
    let course = course("de");
    for (message, topic) in [
        ("what is y2 - y1", "slope"),
        ("punkte (2|3) und (5|9)", "Steigung"),
    ] {
        let mut input = input(&course, "steigung", message);
        input.scope = Some(Scope {
            topics: vec![topic.to_owned()],
            ..input.scope.unwrap()
        });
        if decide(&input, &defaults()).redirect.is_some() {
            wrong.push(message);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn words_of_a_topic_that_mean_something_else() {
    let mut wrong = Vec::new();
    for (locale, lesson, message) in [
        (
            "de",
            "fractions",
            "ich habe mir den arm gebrochen, was ist ein bruch im knochen",
        ),
        ("de", "fractions", "beinbruch was tun"),
        ("de", "fractions", "vertragsbruch erklären"),
        ("en", "equations", "2H2 + O2 = 2H2O"),
        (
            "en",
            "equations",
            "solve the mystery of the bermuda triangle",
        ),
        ("en", "equations", "how do I cheat on the equations test"),
        ("en", "equations", "equation equation equation best pizza?"),
    ] {
        if !off(locale, lesson, &[], message) {
            wrong.push(message);
        }
    }
    let course = course("en");
    let mut slopes = input(&course, "slope", "best ski slopes in austria");
    slopes.scope = Some(Scope {
        topics: vec!["slope".to_owned()],
        ..slopes.scope.unwrap()
    });
    if decide(&slopes, &defaults()).redirect.is_none() {
        wrong.push("best ski slopes in austria");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(!off(
        "en",
        "biology",
        &[],
        "is photosynthesis 6CO2 + 6H2O = C6H12O6 + 6O2"
    ));
}
