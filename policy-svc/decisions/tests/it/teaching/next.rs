//! What comes next: a drill where something is understood, another drill than the open one, and the first step of an
//! exercise of the student's own.

use turnwise_decisions::{
    Action, Asks, EventKind, Open, Passage, Situation,
    fallback::fallback,
    teaching::{Choice, Found, derived_hints},
};
use turnwise_reply_guard::{OpenDrill, states_solution};

use super::{equation, open, taught, texts, told, turns};
use crate::fixtures::*;

fn own(question: &str) -> OpenDrill<'_> {
    OpenDrill {
        prompt: "",
        question_latex: question,
        key: None,
        said: "",
    }
}

#[test]
fn what_is_understood_is_practised() {
    let course = taught();
    let policy = plain_policy(&course);
    let (question, key) = equation(0);
    let next = |open| Situation {
        asks: Asks::Next,
        open,
        ..Situation::default()
    };
    let replies = turns(&course, &policy, &next(None), 2);
    assert_eq!(replies[0].action, Action::DrillCard);
    assert!(replies[1].tutor_text != replies[0].tutor_text);
    let onward = Situation {
        leads_on: true,
        ..next(None)
    };
    assert_eq!(
        fallback(&course, &policy, &onward).action,
        Action::SocraticQuestion
    );
    // After another unit's lesson, behind which something stands, a drill on this one would lead away.
    let quote = "Your lesson says: A line climbs. (From: Lines)";
    for (last, action) in [
        (format!("{quote}\n\nWas that it?"), Action::SocraticQuestion),
        (format!("{quote} Which part helps?"), Action::DrillCard),
        (
            format!("You need this first.\n\n{quote}"),
            Action::DrillCard,
        ),
    ] {
        let situation = Situation {
            said: std::slice::from_ref(&last),
            ..next(None)
        };
        let reply = fallback(&course, &policy, &situation);
        assert_eq!(reply.action, action, "{last}");
        let asks = "Which part of this could you explain to somebody else, and which not yet?";
        let is_question = action == Action::SocraticQuestion;
        assert_eq!(reply.tutor_text == asks, is_question, "{last}");
    }
    // An open drill comes before another one.
    let open = open(&question, &key, 0);
    let replies = turns(&course, &policy, &next(Some(open)), 2);
    assert!(replies[0].tutor_text.contains("“Check answer”"));
    assert_eq!(replies[1].tutor_text, "Which step was done last?");
}

#[test]
fn another_drill_is_another_one() {
    let course = taught();
    let plan = plan_event(&course, snapshot("B", &[]), EventKind::RequestDrill, "B");
    let policy = decide_available(&course, plan, &[]).policy;
    let unit = course.unit(course.find("B").unwrap());
    for turn in 0..20 {
        let mut policy = policy.clone();
        policy.turn_id = format!("turn-{turn}");
        let first = told(&course, &policy, &Situation::default());
        let set = first.drill_card.unwrap();
        let drill = OpenDrill {
            prompt: &set.prompt,
            question_latex: &set.question_latex,
            key: None,
            said: "",
        };
        let again = Situation {
            open: Some(Open {
                unit_id: "B",
                drill,
                hints_given: 0,
            }),
            ..Situation::default()
        };
        let second = told(&course, &policy, &again).drill_card.unwrap();
        assert_ne!(second.question_latex, set.question_latex);
    }
    // The only one is set again.
    let only = course_with(|spec| {
        spec.units[2].drills = vec![unit.drills[0].clone()];
    });
    let situation = Situation {
        open: Some(Open {
            unit_id: "B",
            drill: OpenDrill {
                prompt: &unit.drills[0].prompt,
                ..own(&unit.drills[0].question_latex)
            },
            hints_given: 0,
        }),
        ..Situation::default()
    };
    let set = told(&only, &policy, &situation).drill_card.unwrap();
    assert_eq!(set.question_latex, unit.drills[0].question_latex);
}

#[test]
fn an_own_exercise_gets_its_rule_and_its_first_step() {
    for (locale, step, example) in [
        (
            "en",
            "Subtract $3$ from both sides. What do you get?",
            "Here is a worked example.",
        ),
        (
            "de",
            "Subtrahiere $3$ auf beiden Seiten. Was bekommst du?",
            "Hier ist ein gelöstes Beispiel.",
        ),
    ] {
        let course = taught().with_texts(texts(locale));
        let policy = plain_policy(&course);
        for asks in [Asks::Nothing, Asks::Explanation, Asks::Help] {
            let brought = Situation {
                asks,
                own: Some(own("2x + 3 = 11")),
                ..Situation::default()
            };
            let replies = turns(&course, &policy, &brought, 6);
            assert!(
                replies[0].tutor_text.ends_with(step),
                "{}",
                replies[0].tutor_text
            );
            // Help is asked for again: another exercise is worked out, and never this one.
            assert!(
                replies[1].tutor_text.starts_with(example),
                "{}",
                replies[1].tutor_text
            );
            for reply in replies {
                let said = reply.tutor_text.as_str();
                assert!(!states_solution([said], &own("2x + 3 = 11")), "{said}");
            }
            // An exam question gets no step.
            let question = Situation {
                own_is_question: true,
                ..brought
            };
            for reply in turns(&course, &policy, &question, 3) {
                let said = reply.tutor_text.as_str();
                assert!(!said.ends_with(step), "{said}");
            }
        }
    }
}

/// A lesson may go another way than the step does.
#[test]
fn a_lesson_that_says_why_comes_before_the_step_of_an_own_exercise() {
    let course = taught();
    let policy = plain_policy(&course);
    let found = [Found {
        section: "The balance",
        text: "Both pans weigh the same.",
    }];
    let step = "Subtract $3$ from both sides.";
    for (asks, answers, is_quoted, has_step) in [
        (Asks::Explanation, true, true, false),
        (Asks::Explanation, false, false, true),
        (Asks::Help, true, false, true),
        (Asks::Nothing, true, false, true),
        // It was quoted, of another unit.
        (Asks::Explained, true, false, false),
    ] {
        let choice = || Choice { at: 0, answers };
        let situation = Situation {
            asks,
            own: Some(own("2x + 3 = 11")),
            passage: Some(Passage {
                found: &found,
                choice: &choice,
            }),
            ..Situation::default()
        };
        let said = fallback(&course, &policy, &situation).tutor_text;
        assert_eq!(said.contains(found[0].text), is_quoted, "{asks:?}: {said}");
        assert_eq!(said.contains(step), has_step, "{asks:?}: {said}");
    }
}

/// The rule is said as far as the last reply did not say it, and no sentence twice.
#[test]
fn the_next_line_gets_its_own_step() {
    for (locale, next) in [
        (
            "en",
            "Dividing undoes multiplying, and multiplying undoes dividing. Divide both sides by $2$. \
             What is the next line, then?",
        ),
        (
            "de",
            "Dividieren macht Multiplizieren rückgängig, und Multiplizieren macht Dividieren rückgängig. \
             Teile beide Seiten durch $2$. Wie heißt dann die nächste Zeile?",
        ),
    ] {
        let course = taught().with_texts(texts(locale));
        let policy = plain_policy(&course);
        let on = |line: &str, said: &[String]| {
            let situation = Situation {
                own: Some(own(line)),
                said,
                ..Situation::default()
            };
            told(&course, &policy, &situation).tutor_text
        };
        let first = on("2x + 3 = 11", &[]);
        assert_eq!(on("2x = 8", &[first]), next);
    }
}

#[test]
fn hints_on_what_is_done_in_one_go_give_nothing_away() {
    let value = "Work out the value.";
    for (prompt, question, key, rule) in [
        (value, "-14 + (-36)", "-50", "With the same signs"),
        (value, "-5 + 6", "1", "With the same signs"),
        (value, "6 - (-3)", "9", "Subtracting a number"),
        (value, r"-8 \times 4", "-32", "When you multiply or divide"),
        (value, r"\frac{1}{4} + \frac{2}{4}", "3/4", "Fractions with"),
        (value, r"\frac{1}{4} + \frac{3}{4}", "1", "Fractions with"),
        (value, r"\frac{3}{4} \times 20", "15", "Fractions are"),
        (value, r"(\frac{1}{2})^{2}", "1/4", "A power is"),
        ("Expand.", "(x + 3)^2", "x^2 + 6x + 9", "A square is"),
        ("Solve the equation.", "x = 5 - 2", "x = 3", "Numbers that"),
        ("Is 3 a solution?", "4x - 2 = 2x + 1", "no", "A number is"),
        (
            "Solve the equation.",
            "x^2 = -4",
            "no solution",
            "A square is",
        ),
    ] {
        for locale in ["en", "de"] {
            let hints = derived_hints(&texts(locale), prompt, question);
            assert_eq!(hints.len(), 3, "{question}");
            assert!(locale != "en" || hints[1].starts_with(rule), "{hints:?}");
            let drill = OpenDrill {
                prompt,
                question_latex: question,
                key: Some(key),
                said: "",
            };
            let hints = hints.iter().map(String::as_str);
            assert!(!states_solution(hints, &drill), "{locale}: {question}");
        }
    }
}

#[test]
fn the_welcomes_text_is_quoted_where_it_answers() {
    let course = course_with(|spec| {
        spec.units[0].misconceptions = vec!["All must be known.".to_owned()];
        spec.units[0].teaching.questions = vec!["What are you working on?".to_owned()];
    });
    let mut policy = plain_policy(&course);
    policy.focus_unit_id = "ENTRY".to_owned();
    let found = [Found {
        section: "Where to begin",
        text: "Begin with fractions.",
    }];
    for answers in [false, true] {
        let choice = || Choice { at: 0, answers };
        let situation = Situation {
            asks: Asks::Explanation,
            passage: Some(Passage {
                found: &found,
                choice: &choice,
            }),
            ..Situation::default()
        };
        let said = fallback(&course, &policy, &situation).tutor_text;
        assert_eq!(said.contains("Begin with fractions."), answers, "{said}");
    }
}

/// Before anything was worked on there is nothing that was tried, or could be explained.
#[test]
fn thanks_at_the_welcome_are_answered_by_its_questions() {
    let questions = ["What are you working on?", "Which exercise is it?"].map(str::to_owned);
    let course = course_with(|spec| {
        spec.units[0].misconceptions = vec!["All is known.".to_owned(), "None is.".to_owned()];
        spec.units[0].teaching.questions = questions.to_vec();
    });
    let mut policy = plain_policy(&course);
    policy.focus_unit_id = "ENTRY".to_owned();
    for (asks, text) in [
        (Asks::Next, questions[0].as_str()),
        (
            Asks::Nothing,
            "What have you tried so far, and at which step did you stop?",
        ),
    ] {
        let situation = Situation {
            asks,
            said: &questions,
            ..Situation::default()
        };
        let said = fallback(&course, &policy, &situation).tutor_text;
        assert_eq!(said, text, "{asks:?}");
    }
}
