//! What a decision says beside its verdict.

use turnwise_lesson_policy::{
    Course, Defaults, Input, Intent, Lesson, Redirect, Scope, ScopeMode, Strictness, TopicFilter,
    decide, intent::intent,
};

use crate::fixture::{course, defaults, input, memory};

#[test]
fn without_a_scope_it_is_a_general_chat() {
    let input = Input {
        message: "Who won the world cup?".to_owned(),
        scope_mode: Some(ScopeMode::Strict),
        topic_filter: Some(TopicFilter::Strict),
        ..Input::default()
    };
    let decision = decide(&input, &defaults());
    assert_eq!(decision.redirect, None);
    assert!(!decision.off_topic && decision.topics.is_empty());
    assert_eq!(decision.scope_mode, ScopeMode::Soft);
    assert_eq!(decision.topic_filter, TopicFilter::Soft);
    assert_eq!(decision.locale, "en");
}

#[test]
fn the_class_comes_before_the_settings() {
    let course = course("en");
    let off = input(&course, "fractions", "who won the world cup");
    let strict = decide(&off, &defaults());
    assert_eq!(strict.redirect.unwrap().0, Redirect::OutOfScope);
    let soft = Input {
        scope_mode: Some(ScopeMode::Soft),
        ..off.clone()
    };
    assert_eq!(
        decide(&soft, &defaults()).redirect.unwrap().0,
        Redirect::Topic
    );
    let softer = Input {
        topic_filter: Some(TopicFilter::Soft),
        strictness: Some(Strictness::Strict),
        ..soft
    };
    let decision = decide(&softer, &defaults());
    assert_eq!(decision.redirect, None);
    assert!(decision.off_topic);
    assert_eq!(decision.strictness, Strictness::Strict);
    assert_eq!(decision.check_question, "");
}

#[test]
fn a_lesson_is_found_by_slug_title_or_reference() {
    let course = course("en");
    let found = |context: &str, reference: &str| {
        let mut input = input(&course, context, "hi");
        input.scope.as_mut().unwrap().reference = reference.to_owned();
        decide(&input, &defaults())
            .lesson
            .map(|lesson| lesson.slug.clone())
    };
    assert_eq!(found("fractions", "").unwrap(), "fractions");
    assert_eq!(found("the french REVOLUTION", "").unwrap(), "history");
    assert_eq!(found("page 7", "biology-facts").unwrap(), "biology");
    assert_eq!(found("page 7", ""), None);
}

#[test]
fn topics_are_the_tokens_else_the_lessons() {
    let course = course("en");
    let mut input = input(&course, "fractions", "what is a percentage");
    let decision = decide(&input, &defaults());
    assert_eq!(
        decision.topics,
        ["fractions", "common denominator", "adding fractions"]
    );
    assert!(decision.off_topic);
    input.scope.as_mut().unwrap().allowed_topics = vec!["percentages".to_owned()];
    let decision = decide(&input, &defaults());
    assert_eq!(decision.topics, ["percentages"]);
    assert!(!decision.off_topic);
}

#[test]
fn without_topics_the_words_of_the_lesson_decide() {
    let course = Course {
        locale: "en".to_owned(),
        ..Course::default()
    };
    let about = |message: &str| {
        let mut input = input(&course, "volcanoes and earthquakes", message);
        input.message = message.to_owned();
        decide(&input, &defaults()).redirect
    };
    assert_eq!(about("why does a volcano erupt?"), None);
    let (reason, text) = about("who won the world cup?").unwrap();
    assert_eq!(reason, Redirect::OutOfScope);
    assert!(text.contains("volcanoes and earthquakes"), "{text}");
}

#[test]
fn the_authors_words_come_first() {
    let mut course = course("en");
    course.add(Lesson {
        slug: "fractions".to_owned(),
        redirect: "Let us get back to fractions.".to_owned(),
        check_question: "Which piece is bigger?".to_owned(),
        ..Lesson::default()
    });
    assert_eq!(course.lessons.len(), 6, "one slug is one lesson");
    let off = decide(&input(&course, "fractions", "tell me a joke"), &defaults());
    assert_eq!(off.redirect.unwrap().1, "Let us get back to fractions.");
    assert_eq!(off.check_question, "Which piece is bigger?");
    let off = decide(&input(&course, "equations", "tell me a joke"), &defaults());
    let text = off.redirect.unwrap().1;
    assert!(
        text.contains("equations, two-step equations, solving"),
        "{text}"
    );
}

#[test]
fn the_language_is_the_scopes_if_it_is_one() {
    let course = course("en");
    let locale = |language: &str| {
        let mut input = input(&course, "fractions", "tell me a joke");
        input.scope.as_mut().unwrap().language = language.to_owned();
        let decision = decide(&input, &defaults());
        (decision.locale, decision.redirect.unwrap().1)
    };
    assert!(locale("de-CH").1.starts_with("Das gehört nicht"));
    assert_eq!(locale("de-CH").0, "de-CH");
    for wrong in ["", "d", "german!", "de_CH", "de--CH", "1234"] {
        assert_eq!(locale(wrong).0, "en", "{wrong}");
    }
}

#[test]
fn suggestions_are_bounded_and_of_the_topics() {
    let course = course("en");
    for most in [0, 1, 3, 10] {
        let defaults = Defaults {
            suggestions_max: most,
            ..defaults()
        };
        let decision = decide(
            &input(&course, "scratch", "my loop doesn't work"),
            &defaults,
        );
        assert!(decision.suggestions.len() <= most);
        assert_eq!(decision.suggestions.len(), most.min(6));
        if most == 3 {
            assert_eq!(
                decision.suggestions[2],
                "Can you explain this topic: loops?"
            );
        }
    }
}

#[test]
fn which_lessons_write_programs() {
    let writes = |locale: &str, lesson: &str| {
        decide(&input(&course(locale), lesson, "hi"), &defaults()).writes_programs
    };
    for locale in ["en", "de"] {
        for (lesson, expected) in [
            ("scratch", true),
            ("python", true),
            ("fractions", false),
            ("equations", false),
            ("history", false),
            ("biology", false),
        ] {
            assert_eq!(writes(locale, lesson), expected, "{locale} {lesson}");
        }
    }
}

#[test]
fn intents() {
    for (expected, messages) in [
        (
            Intent::Debug,
            &[
                "my loop doesn't work",
                "I get an error in line 3",
                "Mein Programm funktioniert nicht",
                "what's wrong here",
            ][..],
        ),
        (
            Intent::Concept,
            &[
                "What is a fraction?",
                "why do I flip the sign",
                "I don't get it",
                "Was bedeutet Nenner?",
                "wieso?",
                "In your own words, state the rules for dividing integers.",
                "Describe a negative number",
                "Is the point (0,8) on the x-axis? How do you know?",
                "Welche Regel gilt für Vorzeichen",
                "Beschreibe den Weg in eigenen Worten",
                "Woher weißt du das?",
                "woher weiss man das",
            ],
        ),
        (
            Intent::Strategy,
            &[
                "how do I start",
                "hint please",
                "I'm stuck",
                "What should I do first?",
                "Wie fange ich an",
                "gib mir einen Tipp",
                "How do you find the LCD",
            ],
        ),
        (
            Intent::Reflection,
            &[
                "is this right: x = 4",
                "can you check my answer",
                "Stimmt das?",
                "ist mein Ergebnis richtig",
            ],
        ),
        (
            Intent::Status,
            &[
                "I'm done with part 2",
                "done!",
                "ich bin fertig",
                "geschafft",
                "ez",
                "that's easy",
                "das ist zu leicht",
                "löst sich gut, das ist leicht",
            ],
        ),
        (
            Intent::General,
            &[
                "hi",
                "2x + 3 = 11",
                "danke",
                "🙂",
                "",
                "an easy one please",
                // A phrase ends with a word, and its words stand side by side.
                "helpful",
                "that is not so easy",
            ],
        ),
    ] {
        for message in messages {
            assert_eq!(intent(message), expected, "{message}");
        }
    }
}

#[test]
fn catalogue_questions_have_one_mark() {
    for locale in ["en", "de"] {
        let course = course(locale);
        for message in [
            "bug",
            "why",
            "hint",
            "is it right",
            "done",
            "hi",
            "Fehler",
            "warum",
            "Tipp",
        ] {
            let question =
                decide(&input(&course, "fractions", message), &defaults()).check_question;
            assert!(question.ends_with('?'), "{question}");
            assert_eq!(question.matches('?').count(), 1, "{question}");
        }
    }
}

#[test]
fn a_scope_that_names_nothing_still_decides() {
    let input = Input {
        scope: Some(Scope {
            context: "🙂".to_owned(),
            ..Scope::default()
        }),
        message: "who won the world cup".to_owned(),
        memory: memory(&["hi", "hello"]),
        ..Input::default()
    };
    assert_eq!(
        decide(&input, &defaults()).redirect.unwrap().0,
        Redirect::OutOfScope
    );
}
