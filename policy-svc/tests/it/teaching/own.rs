//! A message that holds an exercise of the student's own, or is about work of theirs.

use turnwise_kit::Kit;
use turnwise_proto::{
    policy::v1::{KnownTexts, OpenDrill, Passage, ResolveReplyRequest},
    tutor::v1::{ClientEventKind, StudentInput},
};
use turnwise_reply_guard::expressions;

use super::{replace, taught_pack, turn};
use crate::fixture::*;

const EXERCISE: &str = "2x + 3 = 11";
const RULE: &str = "Both sides stay equal.";
const STEP: &str = "Subtract $3$ from both sides. What do you get?";

pub(super) fn typed(text: &str) -> ResolveReplyRequest {
    ResolveReplyRequest {
        own_exercises: true,
        typed: Some(StudentInput {
            text: text.to_owned(),
            ..StudentInput::default()
        }),
        ..ResolveReplyRequest::default()
    }
}

fn asked(question_latex: &str, said: &str) -> Option<OpenDrill> {
    Some(OpenDrill {
        unit_id: "ONE".to_owned(),
        prompt: "Solve the equation.".to_owned(),
        question_latex: question_latex.to_owned(),
        said: said.to_owned(),
    })
}

#[tokio::test]
async fn an_own_exercise_gets_its_first_step() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    for message in [
        EXERCISE,
        "Solve: 2x + 3 = 11",
        "how do i even solve 2x+3=11?",
        "why is 2x + 3 = 11 not solved by adding 3?",
        "2x + 3 = 11, so x = 7",
    ] {
        let said = turn(&client, typed(message), None).await;
        assert!(said.ends_with(STEP), "{message}: {said}");
    }
    let formula = ResolveReplyRequest {
        typed: Some(StudentInput {
            latex: EXERCISE.to_owned(),
            ..StudentInput::default()
        }),
        ..typed("")
    };
    let first = turn(&client, formula, None).await;
    assert!(first.ends_with(STEP), "{first}");
    // Asked for help again, the tutor repeats the step and works another exercise out.
    let again = ResolveReplyRequest {
        quotable: vec!["help me".to_owned(), EXERCISE.to_owned()],
        said: vec![first],
        ..typed("help me")
    };
    let example = turn(&client, again, None).await;
    let repeated =
        "The first step stays the same: Subtract $3$ from both sides.\n\nHere is a worked example.";
    assert!(example.starts_with(repeated), "{example}");
    // Nobody asks again for what was not helped with.
    let other = ResolveReplyRequest {
        quotable: vec![EXERCISE.to_owned()],
        ..typed("help me")
    };
    let other = turn(&client, other, None).await;
    assert!(!other.ends_with(STEP), "{other}");
    for message in [
        "x = 5",
        "17",
        "3/4",
        "2x + 3 = 11 and 5x + 1 = 6",
        "no numbers",
    ] {
        let said = turn(&client, typed(message), None).await;
        assert!(!said.contains("both sides. What"), "{message}: {said}");
    }
}

/// Whatever looks like what came of a step: the step of the pupil's new line, else help with the same exercise.
#[tokio::test]
async fn what_came_of_a_step_goes_on_with_the_exercise() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let first = turn(&client, typed(EXERCISE), None).await;
    let next = "I have not checked your line; compare it with the one before, term by term.\n\n\
                Dividing undoes multiplying, and multiplying undoes dividing. Divide both sides by $2$. \
                What is the next line, then?";
    let example = "Here is a worked example.";
    for (message, begins, goes_on) in [
        ("2x = 8", next, true),
        ("so it is 2x = 8", next, true),
        // Be it right or wrong, alone or below its lines.
        ("x = 4", "Put your value in", true),
        ("2x = 8\nx = 5", "Put your value in", true),
        ("8", example, true),
        ("-9/12", example, true),
        ("5 and 6", example, true),
        ("is it 8?", example, true),
        ("is it times", example, true),
        ("i like pizza", example, false),
    ] {
        let after = ResolveReplyRequest {
            quotable: vec![message.to_owned(), EXERCISE.to_owned()],
            said: vec![first.clone()],
            ..typed(message)
        };
        let said = turn(&client, after, None).await;
        assert_eq!(said.starts_with(begins), goes_on, "{message}: {said}");
        // The reply before gave no step.
        let later = ResolveReplyRequest {
            quotable: vec![message.to_owned(), EXERCISE.to_owned()],
            said: vec![first.clone(), "What do you know about it?".to_owned()],
            ..typed(message)
        };
        let said = turn(&client, later, None).await;
        assert!(!said.starts_with(example), "{message}: {said}");
    }
}

/// `yes` and `no` are what came of putting a number in, and a product of factoring: neither is an exercise.
#[tokio::test]
async fn what_answers_an_exercise_goes_on_with_it() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    for (exercise, step, answer) in [
        (
            "is 4 a solution of 2x + 3 = 11?",
            "Put the number in",
            "yes",
        ),
        ("factor x^2 + 5x", "Write what the terms share", "x(x + 5)"),
        ("x² = -4", "Compare the sign of a square", "no"),
    ] {
        let first = turn(&client, typed(exercise), None).await;
        assert!(first.contains(step), "{exercise}: {first}");
        let after = ResolveReplyRequest {
            quotable: vec![answer.to_owned(), exercise.to_owned()],
            said: vec![first],
            ..typed(answer)
        };
        let said = turn(&client, after, None).await;
        assert!(
            said.starts_with("Here is a worked example."),
            "{answer}: {said}"
        );
    }
}

/// Where no step is known, the rule of the unit that has such exercises is said; elsewhere the message is an ordinary one.
#[tokio::test]
async fn an_own_exercise_without_a_known_step_gets_its_rule() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    for (message, has_rule) in [
        ("x + 0.5 = 2", true),
        ("how do i solve x + 0,5 = 2?", true),
        ("5 - 9", false),
        ("x^3 + x = 2", false),
        ("x = 0.5", false),
    ] {
        let said = turn(&client, typed(message), None).await;
        assert_eq!(said.starts_with(RULE), has_rule, "{message}: {said}");
    }
}

/// The unit that the exercise is of, and what is said of it, to somebody new.
/// With a drill whose hints are all given, help is another each time.
#[tokio::test]
async fn help_leads_on_after_the_last_hint() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let mut said: Vec<String> = Vec::new();
    for _ in 0..10 {
        let request = ResolveReplyRequest {
            open_drill: asked("x + 3 = 8", ""),
            hints_given: 3,
            said: said.iter().rev().take(6).rev().cloned().collect(),
            ..ResolveReplyRequest::default()
        };
        let text = turn(&client, request, Some(ClientEventKind::StuckHint)).await;
        assert_ne!(said.last(), Some(&text));
        said.push(text);
    }
    said.sort_unstable();
    said.dedup();
    assert!(said.len() > 3, "{said:?}");
}

/// It may tell another way, and the step would come beside it.
#[tokio::test]
async fn a_lesson_that_says_why_is_quoted_without_a_step() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    for (message, has_step) in [
        ("Why do both pans stay level in 2x + 3 = 11?", false),
        ("How do I solve 2x + 3 = 11, do both pans stay level?", true),
    ] {
        let request = ResolveReplyRequest {
            passage_elsewhere: Some(Passage {
                section: "Pans".to_owned(),
                text: "Solve it so that both pans stay level: $2x + 3 = 9$.".to_owned(),
                explains: false,
            }),
            ..typed(message)
        };
        let said = turn(&client, request, None).await;
        assert!(said.starts_with("Your lesson says: "), "{message}: {said}");
        assert_eq!(said.ends_with(STEP), has_step, "{message}: {said}");
    }
}

/// Nobody has seen it, so it is asked for; in other words the next time.
#[tokio::test]
async fn who_doubts_own_work_is_asked_to_show_it() {
    for (locale, shows, doubts, others) in [
        (
            "en",
            ["Type the exercise as it stands", "I cannot see it yet."],
            [
                "I think my answer is correct, but I am not sure",
                "yes I'm right, what are you saying",
                "its wrong and you know it",
                "is it right?",
                "my answer is wrong",
                "I give up!",
            ],
            [
                "it's wrong what my uncle does to me",
                "is it right to die?",
                "I think it is 5, is it right?",
                "turn right",
                "is it right that both pans weigh the same?",
                "why?",
            ],
        ),
        (
            "de",
            [
                "Schreib die Aufgabe, wie sie dasteht",
                "Ich sehe es noch nicht.",
            ],
            [
                "ich glaube, meine Lösung geht auch",
                "doch, ich habe recht!",
                "das war falsch",
                "stimmt das?",
                "ich bin mir nicht sicher, ob meine Antwort richtig ist",
                "keine Ahnung",
            ],
            [
                "es ist falsch, was mein Onkel mit mir macht",
                "ist es richtig zu sterben?",
                "ich glaube es ist 5, stimmt das?",
                "nach rechts",
                "stimmt das, both pans weigh the same?",
                "warum?",
            ],
        ),
    ] {
        let folder = taught_pack(locale);
        let client = start(folder.path(), &Kit::for_tests()).await;
        let lesson = |message: &str| ResolveReplyRequest {
            passage: Some(Passage {
                section: "Pans".to_owned(),
                text: "My answer is right, and I give up what is wrong: both pans weigh the same."
                    .to_owned(),
                explains: false,
            }),
            ..typed(message)
        };
        for message in doubts {
            let first = turn(&client, lesson(message), None).await;
            assert!(first.starts_with(shows[0]), "{message}: {first}");
            let again = ResolveReplyRequest {
                said: vec![first],
                ..lesson(message)
            };
            let again = turn(&client, again, None).await;
            let gives_up = ["I give up!", "keine Ahnung"].contains(&message);
            assert_eq!(again.starts_with(shows[1]), !gives_up, "{message}: {again}");
            assert!(!again.contains("My answer is right"), "{message}: {again}");
            // What waits for an answer has it checked there.
            for waiting in [
                ResolveReplyRequest {
                    own_exercises: false,
                    ..typed(message)
                },
                ResolveReplyRequest {
                    open_drill: asked("x + 3 = 8", ""),
                    ..typed(message)
                },
                ResolveReplyRequest {
                    placement_question: asked("x + 3 = 8", ""),
                    ..typed(message)
                },
            ] {
                let said = turn(&client, waiting, None).await;
                assert!(!said.starts_with(shows[0]), "{message}: {said}");
            }
        }
        for message in others {
            let said = turn(&client, lesson(message), None).await;
            assert!(!said.starts_with(shows[0]), "{message}: {said}");
        }
    }
}

#[tokio::test]
async fn what_is_asked_elsewhere_gets_no_step() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let exam = KnownTexts {
        exam_expressions: expressions("", EXERCISE),
        ..KnownTexts::default()
    };
    let unknown = KnownTexts {
        exams_unknown: true,
        ..KnownTexts::default()
    };
    let inequality = turn(&client, typed("2x + 3 < 11"), None).await;
    assert!(inequality.ends_with(STEP), "{inequality}");
    // A side that is a question is the question.
    let of_side = KnownTexts {
        exam_expressions: expressions("", "5 - 9"),
        ..KnownTexts::default()
    };
    for (known, has_step) in [(KnownTexts::default(), true), (of_side, false)] {
        let request = ResolveReplyRequest {
            known: Some(known),
            ..typed("x = 5-9")
        };
        let said = turn(&client, request, None).await;
        assert_eq!(said.contains("Work out the numbers"), has_step, "{said}");
    }
    for request in [
        ResolveReplyRequest {
            known: Some(exam.clone()),
            ..typed(EXERCISE)
        },
        // Its steps are those of the question.
        ResolveReplyRequest {
            known: Some(exam),
            ..typed("2x + 3 < 11")
        },
        ResolveReplyRequest {
            own_exercises: false,
            ..typed(EXERCISE)
        },
        ResolveReplyRequest {
            known: Some(unknown),
            ..typed(EXERCISE)
        },
        ResolveReplyRequest {
            placement_question: asked(EXERCISE, EXERCISE),
            ..typed(EXERCISE)
        },
        // In another form, as nobody sees.
        ResolveReplyRequest {
            placement_question: asked("x + 1.5 = 5.5", EXERCISE),
            ..typed(EXERCISE)
        },
        ResolveReplyRequest {
            open_drill: asked("x + 3 = 8", ""),
            ..typed(EXERCISE)
        },
    ] {
        let said = turn(&client, request, None).await;
        assert!(!said.ends_with(STEP), "{said}");
    }
}

/// Those of the scope come with the turn. This course has another unit, which no turn on ONE looks at.
#[tokio::test]
async fn where_not_all_questions_of_a_platform_are_read_there_is_no_step() {
    for (unit, has_step) in [("ONE", true), ("FAR", false)] {
        let folder = taught_pack("en");
        replace(
            &folder,
            "units/units.yaml",
            "  - id: START\n",
            "  - id: FAR\n    title: Far\n    summary: About far.\n    prerequisites: [TWO]\n    anchors: [far]\n    \
             drills: [{id: FAR-D1, prompt: Work out the value., question_latex: '7 + 8', answer: '15'}]\n  - id: START\n",
        );
        replace(
            &folder,
            "exams/exams.yaml",
            "questions:\n",
            &format!(
                "questions:\n  - {{id: P1, units: [{unit}], tier: bronze, tags: [sums]}}\n  \
                 - {{id: FAR-B, units: [FAR], tier: bronze, prompt: Add., question_latex: '6 + 7', answer: '13'}}\n"
            ),
        );
        let client = start(folder.path(), &Kit::for_tests()).await;
        let said = turn(&client, typed(EXERCISE), None).await;
        assert_eq!(said.ends_with(STEP), has_step, "{unit}: {said}");
    }
}

/// An exam question gets its unit's key idea alone; what comes after it goes on with it all the same.
#[tokio::test]
async fn what_comes_after_a_key_idea_goes_on_with_the_exercise() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let known = KnownTexts {
        exam_expressions: expressions("", EXERCISE),
        ..KnownTexts::default()
    };
    let first = ResolveReplyRequest {
        known: Some(known.clone()),
        ..typed(EXERCISE)
    };
    let first = turn(&client, first, None).await;
    assert!(first.starts_with(RULE), "{first}");
    for (message, begins) in [
        ("2x = 16", "I have not checked your line"),
        ("help", "Here is a worked example."),
        ("wrong", "Here is a worked example."),
        ("no thats wrong", "Here is a worked example."),
        ("youre wrong", "Here is a worked example."),
    ] {
        let after = ResolveReplyRequest {
            known: Some(known.clone()),
            quotable: vec![message.to_owned(), EXERCISE.to_owned()],
            said: vec![first.clone()],
            ..typed(message)
        };
        let said = turn(&client, after, None).await;
        assert!(said.starts_with(begins), "{message}: {said}");
        assert!(!said.contains("The first step stays"), "{message}: {said}");
    }
}

/// A difference of numbers is no line of an equation, nor of what is done in one go.
#[tokio::test]
async fn only_what_may_be_a_line_is_called_one() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    for (exercise, message, is_line) in [
        (EXERCISE, "2x = 16", true),
        ("2 - 3 * 4", "2 - 12", true),
        ("5(x + 2) + 3x", "5x + 10 + 3x", true),
        (EXERCISE, "7 - 12", false),
        ("5 - 9", "8 - 12", false),
        ("5(x + 2)", "8 - 12", false),
    ] {
        let first = turn(&client, typed(exercise), None).await;
        let after = ResolveReplyRequest {
            quotable: vec![message.to_owned(), exercise.to_owned()],
            said: vec![first],
            ..typed(message)
        };
        let said = turn(&client, after, None).await;
        let is_called = said.starts_with("I have not checked your line");
        assert_eq!(is_called, is_line, "{exercise}, {message}: {said}");
    }
}
