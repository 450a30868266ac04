//! Requests for a text language in a course with blocks.

use turnwise_lesson_policy::{Redirect, decide};

use crate::fixture::{course, defaults, input};

fn asks(lesson: &str, message: &str) -> bool {
    let course = course("en");
    let decision = decide(&input(&course, lesson, message), &defaults());
    decision
        .redirect
        .is_some_and(|(reason, _)| reason == Redirect::TextLanguage)
}

#[test]
fn requests_are_redirected() {
    for message in [
        "can I do this loop in python?",
        "write it in C++",
        "how does the loop look in c#",
        "show me java code for the sprite",
        "Python please",
        "use kotlin",
        "can you write this in Go",
        "translate the blocks to swift",
        "kannst du das in Python schreiben",
        "mit Java geht das doch auch",
        "I want the python version",
    ] {
        assert!(asks("scratch", message), "{message}");
    }
}

#[test]
fn ordinary_words_are_none() {
    for message in [
        "go to x 10",
        "should the cat go left?",
        "I want to go to the edge",
        "use go to in the loop",
        "my sprite is too swift",
        "the robot gets rust when it moves",
        "the python sprite eats the apple",
        "she drinks java and the sprite moves",
        "let's go",
        "go",
    ] {
        assert!(!asks("scratch", message), "{message}");
    }
}

#[test]
fn only_where_blocks_are_used() {
    for lesson in ["python", "fractions", "history"] {
        assert!(!asks(lesson, "write it in C++"), "{lesson}");
    }
    let course = course("en");
    for (context, blocks) in [
        ("snap! lesson 3", true),
        ("MakeCode", true),
        ("Programmieren mit Bausteinen", true),
        ("learn algebra from scratch", false),
        ("building with lego", false),
    ] {
        let decision = decide(&input(&course, context, "write it in C++"), &defaults());
        let asks = decision
            .redirect
            .is_some_and(|(r, _)| r == Redirect::TextLanguage);
        assert_eq!(asks, blocks, "{context}");
    }
}

#[test]
fn a_language_of_the_lesson_may_be_asked_for() {
    let course = course("en");
    let mut input = input(
        &course,
        "From Scratch blocks to Python",
        "write it in Python",
    );
    input.scope.as_mut().unwrap().topics = vec!["scratch".to_owned(), "python".to_owned()];
    let decision = decide(&input, &defaults());
    assert!(
        decision
            .redirect
            .is_none_or(|(r, _)| r != Redirect::TextLanguage)
    );
}
