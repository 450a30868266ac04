//! What is asked for in so many words: an exercise, an example, another unit.

use turnwise_decisions::teaching::answer_elsewhere;

use super::*;

/// B is asked about, and A comes first.
fn on_the_way(course: &Course) -> Policy {
    Policy {
        focus_unit_id: "A".to_owned(),
        primary_target_unit_id: "B".to_owned(),
        ..plain_policy(course)
    }
}

#[test]
fn the_key_idea_of_the_unit_that_is_asked_about_is_told_before_the_focus() {
    let course = taught();
    let policy = on_the_way(&course);
    let told = |policy: &Policy, situation: &Situation<'_>| {
        let told = answer_elsewhere(&course, policy, situation);
        told.is_some_and(|told| told == format!("Your lesson says: {IDEA} (From: The balance)"))
    };
    let (question, key) = equation(0);
    let of_b = open(&question, &key, 0);
    let of_a = Open {
        unit_id: "A",
        ..of_b
    };
    for (asks, open, is_told) in [
        (Asks::Explanation, None, true),
        (Asks::Explanation, Some(of_a), true),
        (Asks::Help, None, true),
        // It is no help with the open drill that is asked for.
        (Asks::Help, Some(of_a), true),
        (Asks::Help, Some(of_b), false),
        // A topic that is only named.
        (Asks::Nothing, None, true),
        (Asks::Nothing, Some(of_a), false),
        (Asks::Exercise, None, false),
        (Asks::Example, None, false),
    ] {
        let situation = Situation {
            asks,
            open,
            ..Situation::default()
        };
        assert_eq!(told(&policy, &situation), is_told, "{asks:?}");
        // Not of the focus, nor of a unit that the message may be about.
        let focus = Policy {
            focus_unit_id: "B".to_owned(),
            ..policy.clone()
        };
        assert!(!told(&focus, &situation), "{asks:?}");
        let choices = Policy {
            choice_unit_ids: vec!["B".to_owned()],
            ..policy.clone()
        };
        assert!(!told(&choices, &situation), "{asks:?}");
    }
    // It was said already, and an exercise has its own rule.
    let said = [format!("Your lesson says: {IDEA} (From: The balance)")];
    let again = Situation {
        asks: Asks::Explanation,
        said: &said,
        ..Situation::default()
    };
    assert!(!told(&policy, &again));
    let exercise = Situation {
        own: Some(of_b.drill),
        said: &[],
        ..again
    };
    assert!(!told(&policy, &exercise));
    // A text on the focus that answers is better.
    let found = [Found {
        section: "Signs",
        text: "A sign tells the side.",
    }];
    let choice = || Choice {
        at: 0,
        answers: true,
    };
    let answered = Situation {
        passage: Some(Passage {
            found: &found,
            choice: &choice,
        }),
        said: &[],
        ..again
    };
    assert!(!told(&policy, &answered));
}

#[test]
fn who_asks_for_an_exercise_gets_one_each_time() {
    let course = taught();
    let (question, key) = equation(0);
    for open in [None, Some(open(&question, &key, 0))] {
        let situation = Situation {
            asks: Asks::Exercise,
            open,
            ..Situation::default()
        };
        for reply in turns(&course, &plain_policy(&course), &situation, 5) {
            let set = reply.drill_card.expect("a drill");
            assert!(open.is_none() || set.question_latex != question);
        }
    }
    // Without any, words ask for an example.
    let bare = course_with(|spec| spec.units[2].drills.clear());
    let asked = Situation {
        asks: Asks::Exercise,
        ..Situation::default()
    };
    let reply = fallback(&bare, &plain_policy(&bare), &asked);
    assert!(reply.tutor_text.starts_with("Write down a small example"));
}

#[test]
fn who_asks_for_an_example_gets_a_worked_one() {
    let course = taught();
    let (question, key) = equation(0);
    for (open, before, again) in [
        (
            None,
            "Here is a worked example.",
            "Here is another one that is worked out",
        ),
        (
            Some(open(&question, &key, 0)),
            "Here is an exercise like yours",
            "Here is one more like yours",
        ),
    ] {
        let situation = Situation {
            asks: Asks::Example,
            open,
            ..Situation::default()
        };
        let policy = plain_policy(&course);
        let first = told(&course, &policy, &situation).tutor_text;
        assert!(first.starts_with(before), "{first}");
        // The next is another, in another sentence.
        let shown = first.split("\n\n").nth(1).unwrap().to_owned();
        let said = [first];
        let situation = Situation {
            said: &said,
            ..situation
        };
        let second = told(&course, &policy, &situation).tutor_text;
        assert!(second.starts_with(again), "{second}");
        assert!(!second.contains(&shown), "{second}");
    }
}

#[test]
fn the_misconception_that_is_nearest_to_the_message_is_asked_about_first() {
    let course = taught();
    let asked = |doubts: &[usize]| {
        let situation = Situation {
            doubts,
            ..Situation::default()
        };
        told(&course, &plain_policy(&course), &situation).tutor_text
    };
    assert!(asked(&[]).contains("shoes and socks"));
    assert!(asked(&[1]).contains("Signs go"));
    // One that the unit has no more.
    assert!(asked(&[7]).contains("shoes and socks"));
}

#[test]
fn where_no_drill_is_allowed_the_topic_is_asked_for() {
    let course = taught();
    let entry = decide_available(&course, plan_for(&course, snapshot("ENTRY", &[]), &[]), &[]);
    for (asks, is_asked) in [
        (Asks::Exercise, true),
        (Asks::Example, true),
        (Asks::Nothing, false),
    ] {
        let situation = Situation {
            asks,
            ..Situation::default()
        };
        let said = told(&course, &entry.policy, &situation).tutor_text;
        assert_eq!(
            said.starts_with("I can set you an exercise"),
            is_asked,
            "{said}"
        );
    }
}

#[test]
fn a_value_that_solves_the_students_own_equation_is_to_be_put_in() {
    let course = taught();
    let (question, key) = equation(0);
    for (own_is_solved, own_is_question, is_put_in) in [
        (true, false, true),
        (false, false, false),
        (true, true, false),
    ] {
        let situation = Situation {
            own: Some(open(&question, &key, 0).drill),
            own_is_solved,
            own_is_question,
            ..Situation::default()
        };
        let said = told(&course, &plain_policy(&course), &situation).tutor_text;
        assert_eq!(said.starts_with("Put your value in"), is_put_in, "{said}");
    }
}

#[test]
fn an_answer_is_only_pointed_to_the_button() {
    let course = taught();
    let (question, key) = equation(0);
    let situation = Situation {
        open: Some(open(&question, &key, 0)),
        is_answer: true,
        ..Situation::default()
    };
    for reply in turns(&course, &plain_policy(&course), &situation, 5) {
        let said = reply.tutor_text;
        assert!(said.contains("button below"), "{said}");
    }
}
