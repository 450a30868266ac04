//! How the tutor teaches without a model.

use std::collections::BTreeMap;

use turnwise_decisions::{
    Action, Asks, Course, Drill, DrillHelp, EventKind, KeyIdea, Open, Passage, Policy, Situation,
    Teaching,
    fallback::fallback,
    reply::LlmReply,
    teaching::{Choice, Found, derived_hints},
    validate::validate,
};
use turnwise_messages::Texts;
use turnwise_reply_guard::{OpenDrill, states_solution};

use crate::fixtures::*;

mod asked;
mod done;
mod elsewhere;
mod next;
mod worked;

const IDEA: &str = "An equation stays true if you do the same to both sides.";

/// So many texts of the tutor's are known in a turn.
const KNOWN: usize = 3;

/// The texts of a course in a language, without words of its own.
fn texts(locale: &str) -> Texts {
    Texts::new(locale, BTreeMap::new())
}

/// Instances of a drill with parameters: `2x + 3 = 11`, `2x + 4 = 14`, and so on, with the solutions 4, 5, 6, …
fn equation(n: usize) -> (String, String) {
    (
        format!("2x + {} = {}", n + 3, 3 * n + 11),
        format!("x = {}", n + 4),
    )
}

fn solution(n: usize) -> Vec<String> {
    vec![
        format!("Subtract {} from both sides: $2x = {}$.", n + 3, 2 * n + 8),
        format!("Divide both sides by 2: $x = {}$.", n + 4),
    ]
}

/// B has all that an author can write.
fn taught() -> Course {
    course_with(|spec| {
        let unit = &mut spec.units[2];
        unit.misconceptions = vec!["Undo in the same order.".to_owned(), "Signs go.".to_owned()];
        unit.drills = (0..8)
            .map(|n| Drill {
                id: format!("B-t#{n}"),
                prompt: "Solve the equation.".to_owned(),
                question_latex: equation(n).0,
            })
            .collect();
        let help = |n: usize| DrillHelp {
            hints: vec![
                "Which step was done last?".to_owned(),
                "Undo the last step first.".to_owned(),
            ],
            solution: solution(n),
        };
        unit.teaching = Teaching {
            questions: vec!["In which order do you take off shoes and socks?".to_owned()],
            key_idea: Some(KeyIdea {
                text: IDEA.to_owned(),
                source: "The balance".to_owned(),
            }),
            feedback: BTreeMap::from([(
                "sign".to_owned(),
                "The size is right. Look at the sign again.".to_owned(),
            )]),
            drills: (0..8).map(|n| (format!("B-t#{n}"), help(n))).collect(),
        };
    })
}

fn open<'a>(question: &'a str, key: &'a str, hints_given: usize) -> Open<'a> {
    Open {
        unit_id: "B",
        drill: OpenDrill {
            prompt: "Solve the equation.",
            question_latex: question,
            key: Some(key),
            said: "",
        },
        hints_given,
    }
}

/// A valid reply.
fn told(course: &Course, policy: &Policy, situation: &Situation<'_>) -> LlmReply {
    let reply = fallback(course, policy, situation);
    assert_eq!(reply, fallback(course, policy, situation));
    if reply.action != Action::DrillCard || reply.drill_card.is_some() {
        let bytes = serde_json::to_vec(&reply).unwrap();
        assert_eq!(validate(course, policy, &bytes).as_ref(), Ok(&reply));
    }
    if let Some(open) = situation.open {
        let ideas = reply.concept_card.iter().flat_map(|card| &card.key_ideas);
        let texts = ideas.chain([&reply.tutor_text]).map(String::as_str);
        assert!(!states_solution(texts, &open.drill), "{}", reply.tutor_text);
    }
    reply
}

/// The replies of consecutive turns in which nothing else happens.
fn turns(
    course: &Course,
    policy: &Policy,
    situation: &Situation<'_>,
    count: usize,
) -> Vec<LlmReply> {
    let mut policy = policy.clone();
    let mut said: Vec<String> = Vec::new();
    let mut replies = Vec::new();
    for turn in 0..count {
        policy.turn_id = format!("turn-{turn}");
        let situation = Situation {
            said: &said[said.len().saturating_sub(KNOWN)..],
            ..*situation
        };
        let reply = told(course, &policy, &situation);
        said.push(reply.tutor_text.clone());
        replies.push(reply);
    }
    replies
}

#[test]
fn a_stuck_student_gets_an_explanation_an_example_and_a_drill() {
    let course = taught();
    let policy = stuck_policy(&course);
    for (locale, words) in [
        (
            "en",
            [
                "the idea behind Title of B. You will find more in your lesson: The balance.",
                "Here is a worked example.",
                "exercise on Title of B.",
            ],
        ),
        (
            "de",
            [
                "die Idee hinter „Title of B“. Mehr findest du in deiner Lektion: The balance.",
                "Hier ist ein gelöstes Beispiel.",
                "Aufgabe zu „Title of B“.",
            ],
        ),
    ] {
        let course = course.clone().with_texts(texts(locale));
        let replies = turns(&course, &policy, &Situation::default(), 3);
        for (reply, words) in replies.iter().zip(words) {
            assert!(reply.tutor_text.contains(words), "{}", reply.tutor_text);
            assert_eq!(reply.target_unit_id, "B");
        }
        let actions: Vec<_> = replies.iter().map(|reply| reply.action).collect();
        assert_eq!(
            actions,
            [
                Action::ConceptCard,
                Action::SocraticQuestion,
                Action::DrillCard
            ]
        );
        let ideas = replies[0].concept_card.as_ref().map(|card| &card.key_ideas);
        assert_eq!(ideas, Some(&vec![IDEA.to_owned()]));
        let lines = (0..8).map(|n| solution(n).join("\n"));
        assert_eq!(
            lines
                .filter(|lines| replies[1].tutor_text.contains(lines))
                .count(),
            1
        );
        assert!(replies[2].drill_card.is_some());
    }
}

/// Drills that went wrong before the explanation are no reason to set none after it.
#[test]
fn who_got_stuck_by_drills_gets_another_after_the_example() {
    let course = taught();
    let mut policy = stuck_policy(&course);
    for turn in 0..8 {
        let mut said = vec![
            "Now one for you. Write down each step.".to_owned(),
            "Try this one. Begin with the step that you are sure of.".to_owned(),
        ];
        let mut actions = Vec::new();
        for step in 0..3 {
            policy.turn_id = format!("turn-{turn}-{step}");
            let situation = Situation {
                said: &said[said.len().saturating_sub(KNOWN)..],
                ..Situation::default()
            };
            let reply = told(&course, &policy, &situation);
            said.push(reply.tutor_text);
            actions.push(reply.action);
        }
        assert_eq!(
            actions,
            [
                Action::ConceptCard,
                Action::SocraticQuestion,
                Action::DrillCard
            ],
            "{said:?}"
        );
    }
}

#[test]
fn a_hint_button_without_an_open_drill_explains_in_words() {
    let course = taught();
    let plan = plan_event(&course, stuck_on_b(), EventKind::StuckHint, "B");
    let policy = decide_available(&course, plan, &[]).policy;
    assert_eq!(policy.allowed_actions, [Action::SocraticQuestion]);
    let situation = Situation {
        asks: Asks::Help,
        ..Situation::default()
    };
    let replies = turns(&course, &policy, &situation, 3);
    let idea = format!("{IDEA} (From: The balance) How would you");
    assert!(
        replies[0].tutor_text.starts_with(&idea),
        "{}",
        replies[0].tutor_text
    );
    assert!(replies[1].tutor_text.contains("worked example"));
    assert_eq!(
        replies[2].tutor_text,
        "In which order do you take off shoes and socks?"
    );
}

#[test]
fn an_open_drill_has_a_ladder_of_hints_and_then_a_sibling() {
    let course = taught();
    let policy = plain_policy(&course);
    let (question, key) = equation(0);
    let mut said = Vec::new();
    let mut hint = |hints_given| {
        let situation = Situation {
            asks: Asks::Help,
            open: Some(open(&question, &key, hints_given)),
            said: &said,
            ..Situation::default()
        };
        let text = told(&course, &policy, &situation).tutor_text;
        said.push(text.clone());
        text
    };
    assert_eq!(hint(0), "Which step was done last?");
    assert_eq!(
        hint(1),
        "Undo the last step first. How does that help you here?"
    );
    let sibling = hint(2);
    assert!(
        sibling.starts_with("Here is an exercise like yours"),
        "{sibling}"
    );
    assert!(!sibling.contains(&question), "{sibling}");
    assert!(
        (1..8).any(|n| sibling.contains(&solution(n).join("\n"))),
        "{sibling}"
    );
    assert!(hint(3).contains(IDEA));
}

#[test]
fn what_is_asked_for_comes_first() {
    let course = taught();
    let policy = plain_policy(&course);
    let (question, key) = equation(0);
    let text = |situation: Situation<'_>| told(&course, &policy, &situation).tutor_text;
    let opened = Situation {
        open: Some(open(&question, &key, 0)),
        ..Situation::default()
    };
    let explained = text(Situation {
        asks: Asks::Explanation,
        ..opened
    });
    assert!(explained.contains(IDEA), "{explained}");
    let answer = text(Situation {
        is_answer: true,
        ..opened
    });
    assert!(answer.contains("button below"), "{answer}");
    // Another unit's drill is no reason for hints.
    let other = text(Situation {
        asks: Asks::Help,
        open: opened.open.map(|open| Open {
            unit_id: "A",
            ..open
        }),
        ..Situation::default()
    });
    assert!(!other.contains("last step"), "{other}");
    let nothing = text(Situation::default());
    assert_eq!(nothing, "In which order do you take off shoes and socks?");
}

#[test]
fn a_lesson_explains_where_the_author_wrote_no_key_idea() {
    let course = course();
    let policy = stuck_policy(&course);
    let long = format!("The first. {} The last.", "More. ".repeat(80));
    let endless = "x".repeat(500);
    // An abbreviation ends no sentence.
    let asks = format!("Is it so? Yes! Some, z. B. {endless}");
    for (text, expected) in [
        (
            "Both pans\n weigh the same.",
            Some("Your lesson says: Both pans weigh the same. (From: The balance) Which"),
        ),
        (
            long.as_str(),
            Some("Your lesson says: The first. More. More."),
        ),
        (
            asks.as_str(),
            Some("Your lesson says: Is it so? Yes! (From: The balance) Which"),
        ),
        // A text of one sentence that is too long is no explanation.
        (endless.as_str(), None),
        ("See https://example.org for more.", None),
    ] {
        let found = [Found {
            section: "The balance",
            text,
        }];
        let situation = Situation {
            passage: Some(Passage {
                found: &found,
                choice: &Choice::default,
            }),
            ..Situation::default()
        };
        let said = told(&course, &policy, &situation).tutor_text;
        match expected {
            Some(expected) => assert!(said.starts_with(expected), "{said}"),
            None => assert!(!said.contains("lesson"), "{said}"),
        }
        assert!(said.chars().count() < 600, "{said}");
    }
}

fn sentences(text: &str) -> Vec<&str> {
    let pieces = text.split(['.', '?', '!', '\n']).map(str::trim);
    pieces.filter(|piece| piece.chars().count() >= 12).collect()
}

#[test]
fn nobody_reads_the_same_sentence_twice_in_a_row() {
    let (question, key) = equation(1);
    for course in [course(), taught()] {
        let event = |snapshot, kind| {
            let plan = plan_event(&course, snapshot, kind, "B");
            decide_available(&course, plan, &["B-bronze-1"]).policy
        };
        let entry = decide_available(&course, plan_for(&course, snapshot("ENTRY", &[]), &[]), &[]);
        let policies = [
            plain_policy(&course),
            stuck_policy(&course),
            entry.policy,
            event(stuck_on_b(), EventKind::StuckHint),
            event(stuck_on_b(), EventKind::RequestDrill),
            event(ready_on_b(), EventKind::RequestExam),
        ];
        for policy in &policies {
            for locale in ["en", "de"] {
                let course = course.clone().with_texts(texts(locale));
                for asks in [
                    Asks::Nothing,
                    Asks::Explanation,
                    Asks::Explained,
                    Asks::Help,
                    Asks::Check,
                    Asks::Work,
                    Asks::Next,
                    Asks::Exercise,
                    Asks::Example,
                ] {
                    for open in [None, Some(open(&question, &key, 0))] {
                        let situation = Situation {
                            asks,
                            open,
                            ..Situation::default()
                        };
                        let replies = turns(&course, policy, &situation, 20);
                        for pair in replies.windows(2) {
                            let before = &pair[0].tutor_text;
                            // Two examples that are asked for may have the same task.
                            let is_task = |sentence: &&str| {
                                asks == Asks::Example && *sentence == "Solve the equation"
                            };
                            let sentences = sentences(&pair[1].tutor_text).into_iter();
                            for sentence in sentences.filter(|it| !is_task(it)) {
                                assert!(!before.contains(sentence), "{sentence}\n{before}");
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn hints_are_derived_where_nobody_wrote_any() {
    for (question, key, steps) in [
        (
            "2x + 3 = 7",
            "x = 2",
            [
                "Subtract $3$ from both sides.",
                "Subtrahiere $3$ auf beiden Seiten.",
            ],
        ),
        (
            "x - 3 = 0",
            "x = 3",
            ["Add $3$ to both sides.", "Addiere $3$ auf beiden Seiten."],
        ),
        (
            "3x = 9",
            "x = 3",
            ["Divide both sides by $3$.", "Teile beide Seiten durch $3$."],
        ),
        (
            r"\frac{x}{2} = 1",
            "x = 2",
            [
                "Multiply both sides by $2$.",
                "Multipliziere beide Seiten mit $2$.",
            ],
        ),
        (
            "5x + 2 = 3x + 8",
            "x = 3",
            [
                "Subtract $3x$ from both sides.",
                "Subtrahiere $3x$ auf beiden Seiten.",
            ],
        ),
    ] {
        for (locale, step) in ["en", "de"].iter().zip(steps) {
            let hints = derived_hints(&texts(locale), "Solve the equation.", question);
            assert_eq!(hints.len(), 3, "{question}");
            assert_eq!(hints[2], step);
            let open = open(question, key, 0);
            let texts = hints.iter().map(String::as_str);
            assert!(!states_solution(texts, &open.drill), "{hints:?}");
        }
    }
    // Where no step is known, there is a question.
    for locale in ["en", "de"] {
        let hints = derived_hints(&texts(locale), "Say why it is so.", "");
        assert_eq!(hints.len(), 1);
        assert!(hints[0].ends_with('?'), "{hints:?}");
    }
}
