//! A message that holds an exercise of the student's own, and one that is a word and no more.

use turnwise_kit::Kit;
use turnwise_proto::{
    policy::v1::{KnownTexts, OpenDrill, ResolveReplyRequest},
    tutor::v1::StudentInput,
};
use turnwise_reply_guard::expressions;

use super::{replace, taught_pack, turn};
use crate::fixture::*;

const EXERCISE: &str = "2x + 3 = 11";
const STEP: &str = "Subtract $3$ from both sides. What do you get?";

fn typed(text: &str) -> ResolveReplyRequest {
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
    // Asked for help again, the tutor works another exercise out.
    let again = ResolveReplyRequest {
        quotable: vec!["help me".to_owned(), EXERCISE.to_owned()],
        said: vec![first],
        ..typed("help me")
    };
    let example = turn(&client, again, None).await;
    assert!(
        example.starts_with("Here is a worked example."),
        "{example}"
    );
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

#[tokio::test]
async fn a_word_gets_a_word_back_before_what_comes_next() {
    for (locale, words, others) in [
        (
            "en",
            [
                ("Hello!\n\n", ["Hi!", "hello there"]),
                ("Good.\n\n", ["yes i understand", "Ok, thanks!"]),
                ("Good.\n\n", ["oh okay", "I see"]),
                ("Goodbye, see you", ["bye", "I have to go now"]),
                ("Goodbye, see you", ["can i go?", "ok bye"]),
            ],
            [
                "ok?",
                "yes",
                "i don't understand",
                "ok 5",
                "hi, how do i solve it",
            ],
        ),
        (
            "de",
            [
                ("Hallo!\n\n", ["Hallo", "Guten Morgen!"]),
                ("Gut.\n\n", ["ja, ich verstehe", "Danke!"]),
                ("Gut.\n\n", ["ok alles klar", "verstanden"]),
                ("Tschüss, bis", ["tschüss", "ich muss jetzt los"]),
                ("Tschüss, bis", ["darf ich gehen?", "ok tschüss"]),
            ],
            [
                "ok?",
                "ja",
                "ich verstehe nicht",
                "danke, aber warum",
                "hallo, wie geht das",
            ],
        ),
    ] {
        let folder = taught_pack(locale);
        let client = start(folder.path(), &Kit::for_tests()).await;
        let begins = words.map(|(begins, _)| begins);
        for (begins, messages) in words {
            for message in messages {
                let said = turn(&client, typed(message), None).await;
                let rest = said.split_once("\n\n").map_or("", |(_, rest)| rest);
                assert!(
                    said.starts_with(begins) && !rest.is_empty(),
                    "{message}: {said}"
                );
                // It is not said twice in a row.
                let again = ResolveReplyRequest {
                    said: vec![said],
                    ..typed(message)
                };
                let again = turn(&client, again, None).await;
                assert!(!again.starts_with(begins), "{message}: {again}");
            }
        }
        for message in others {
            let said = turn(&client, typed(message), None).await;
            let is_word = begins.iter().any(|begins| said.starts_with(begins));
            assert!(!is_word, "{message}: {said}");
        }
    }
}
