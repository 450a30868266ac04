//! What the helper suggests, and the languages of what it says.

use turnwise_lesson_policy::{Course, Lesson, decide};

use crate::fixture::{course, defaults, input, memory};

const SUGGESTED: [&str; 13] = [
    "What do I know already?",
    "Can you explain it in simpler words?",
    "How do I find where it goes wrong?",
    "How can I test one part at a time?",
    "Womit soll ich anfangen?",
    "Kannst du mir ein Beispiel zeigen?",
    "Gibt es noch einen anderen Weg?",
    "was weiß ich schon",
    "Was weiss ich schon?",
    "Can you give me a harder question?",
    "Can you explain this topic: common denominator?",
    "Kannst du mir dieses Thema erklären: adding fractions?",
    "can you explain  this topic: fractions",
];

#[test]
fn suggestions_pass_at_any_time() {
    let course = course("en");
    for message in SUGGESTED {
        for before in [
            &[][..],
            &["how do I add 1/2 and 1/3?", "What is on the bottom?"],
            &["who won the world cup?", "That is not one of the topics."],
        ] {
            let mut input = input(&course, "fractions", message);
            input.memory = memory(before);
            assert_eq!(decide(&input, &defaults()).redirect, None, "{message}");
        }
    }
    let other = input(
        &course,
        "fractions",
        "Can you explain this topic: photosynthesis?",
    );
    assert!(decide(&other, &defaults()).redirect.is_some());
}

#[test]
fn the_authors_words_are_for_readers_of_their_language() {
    let mut course = course("en");
    course.add(Lesson {
        slug: "fractions".to_owned(),
        redirect: "Let us get back to fractions.".to_owned(),
        check_question: "Which piece is bigger?".to_owned(),
        ..Lesson::default()
    });
    let decided = |language: &str| {
        let mut input = input(&course, "fractions", "tell me a joke");
        input.scope.as_mut().unwrap().language = language.to_owned();
        let decision = decide(&input, &defaults());
        (
            decision.redirect.unwrap().1,
            decision.check_question,
            decision.suggestions,
        )
    };
    let (redirect, check, suggestions) = decided("de-CH");
    assert!(redirect.starts_with("Das gehört nicht"), "{redirect}");
    assert!(check.starts_with("Welchen Teil"), "{check}");
    assert_eq!(
        suggestions,
        [
            "Womit soll ich anfangen?",
            "Kannst du mir ein Beispiel zeigen?"
        ]
    );
    let (redirect, check, suggestions) = decided("en-GB");
    assert_eq!(redirect, "Let us get back to fractions.");
    assert_eq!(check, "Which piece is bigger?");
    assert_eq!(suggestions[0], "Can you explain this topic: fractions?");
}

#[test]
fn a_slug_is_no_name_for_pupils() {
    let course = Course {
        locale: "en".to_owned(),
        ..Course::default()
    };
    for (context, named) in [
        ("lesson-alg-99", false),
        ("alg99", false),
        ("🙂", false),
        ("volcanoes", true),
        ("lesson 5: volcanoes", true),
    ] {
        let decision = decide(
            &input(&course, context, "who won the world cup"),
            &defaults(),
        );
        let text = decision.redirect.unwrap().1;
        assert_eq!(text.contains(context), named, "{text}");
        assert!(named || !text.contains(':'), "{text}");
    }
}
