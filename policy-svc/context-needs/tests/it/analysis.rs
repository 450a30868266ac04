//! Which needs apply, and what a request says of them.

use std::path::Path;

use turnwise_context_needs::{Input, Present, Slot, analyze, missing_must_have, relevant};
use turnwise_course_pack::{ContextCourse, MessageIntent, Supplier, Urgency};

use crate::fixture::{course, input, need, present};

fn slots(input: &Input<'_>) -> Vec<String> {
    let request = analyze(&course(), input);
    let slots = request.map(|request| request.slots).unwrap_or_default();
    slots.into_iter().map(|slot| slot.need).collect()
}

#[test]
fn a_request_says_what_how_much_from_whom_and_why() {
    let course = course();
    let german = Input {
        locale: "de-AT",
        ..input("Check my costs")
    };
    let request = analyze(&course, &german).unwrap();
    assert!(request.must_have);
    assert_eq!(request.intent, MessageIntent::Review);
    assert_eq!(
        request.slots,
        [
            Slot {
                need: "costs".to_owned(),
                phase: Some("budget".to_owned()),
                artifact: "budget".to_owned(),
                key_path: Some("costs".to_owned()),
                size_limit: 8_192,
                urgency: Urgency::MustHave,
                optional: false,
                suppliers: vec![Supplier::Student],
                why: "Warum costs?".to_owned(),
            },
            Slot {
                need: "notes-of-the-budget".to_owned(),
                phase: Some("budget".to_owned()),
                artifact: "notes".to_owned(),
                key_path: None,
                size_limit: 100,
                urgency: Urgency::NiceToHave,
                optional: true,
                suppliers: Supplier::ALL.to_vec(),
                why: "Warum notes-of-the-budget?".to_owned(),
            },
        ]
    );
    let optional = analyze(&course, &input("Plan the day")).unwrap();
    assert!(!optional.must_have);
}

#[test]
fn phase_units_and_intents_all_agree() {
    assert_eq!(slots(&input("My sum is wrong")), ["costs"]);
    assert!(slots(&input("Add the bus")).is_empty());
    let elsewhere = Input {
        phase: Some("plan"),
        ..input("My sum is wrong")
    };
    assert!(slots(&elsewhere).is_empty());
    let lines = Input {
        unit: Some("LINES"),
        ..elsewhere
    };
    assert_eq!(slots(&lines), ["offers"]);
    let sums = Input {
        unit: Some("SUMS"),
        message: "What is a sum?",
        ..elsewhere
    };
    assert_eq!(slots(&sums), ["whole-budget"]);
}

#[test]
fn without_a_phase_the_first_that_uses_the_unit_is_active() {
    let of_unit = |unit, message| Input {
        phase: None,
        unit,
        ..input(message)
    };
    assert_eq!(slots(&of_unit(Some("SUMS"), "My sum is wrong")), ["costs"]);
    assert_eq!(
        slots(&of_unit(Some("LINES"), "My sum is wrong")),
        ["offers"]
    );
    assert!(slots(&of_unit(None, "My sum is wrong")).is_empty());
    // A need without a phase is asked for in the active one.
    let request = analyze(&course(), &of_unit(Some("LINES"), "Add this")).unwrap();
    assert_eq!(request.slots[0].phase.as_deref(), Some("plan"));
}

#[test]
fn without_a_project_needs_of_a_phase_do_not_apply() {
    let outside = |message| Input {
        in_project: false,
        unit: Some("LINES"),
        ..input(message)
    };
    let request = analyze(&course(), &outside("Check my costs")).unwrap();
    assert_eq!(request.slots.len(), 1);
    assert_eq!(request.slots[0].need, "offers");
    assert_eq!(request.slots[0].phase, None);
    assert_eq!(
        missing_must_have(&course(), &outside("Check my costs")),
        ["offers"]
    );
}

#[test]
fn what_is_there_and_needed_is_relevant() {
    let there = [
        present("offers", &[]),
        present("budget", &[]),
        present("notes", &["lines:1-2"]),
        present("budget", &["costs"]),
        present("notes", &[]),
    ];
    let with = |there, message| {
        relevant(
            &course(),
            &Input {
                present: there,
                ..input(message)
            },
        )
    };
    // In the course's order: the part that is needed, and nothing of another unit.
    let both = with(&there, "Check my costs");
    assert_eq!(both, [present("notes", &[]), present("budget", &["costs"])]);
    let cut = with(&there[..2], "Check my costs");
    assert_eq!(cut, [present("budget", &["costs"])]);
    assert!(with(&there, "Add the bus").is_empty());
    let off = Input {
        on: false,
        present: &there,
        ..input("Check my costs")
    };
    assert!(relevant(&course(), &off).is_empty());
}

#[test]
fn what_is_there_is_not_asked_for() {
    let with = |present: &[Present]| {
        slots(&Input {
            present,
            ..input("Check my costs")
        })
    };
    assert_eq!(with(&[present("budget", &[])]), ["notes-of-the-budget"]);
    assert_eq!(with(&[present("budget", &[""])]), ["notes-of-the-budget"]);
    assert_eq!(
        with(&[present("budget", &["costs"])]),
        ["notes-of-the-budget"]
    );
    assert_eq!(
        with(&[present("budget", &["students"])]),
        ["costs", "notes-of-the-budget"]
    );
    assert_eq!(with(&[present("notes", &[])]), ["costs"]);
    // A part is not the whole.
    assert_eq!(
        with(&[present("notes", &["lines:1-2"])]),
        ["costs", "notes-of-the-budget"]
    );
    assert!(with(&[present("notes", &[]), present("budget", &[])]).is_empty());
}

#[test]
fn what_is_marked_as_missing_is_needed_whatever_the_message_wants() {
    let flagged = ["budget".to_owned()];
    let marked = |message| Input {
        flagged: &flagged,
        ..input(message)
    };
    assert_eq!(slots(&marked("Add the bus")), ["costs"]);
    let there = [present("budget", &[])];
    assert!(
        slots(&Input {
            present: &there,
            ..marked("Add the bus")
        })
        .is_empty()
    );
}

#[test]
fn a_message_that_says_nothing_goes_on_with_the_plan_or_the_goal() {
    let ok = input("ok, next");
    assert!(slots(&ok).is_empty());
    let goal = Input {
        goal: "plan the afternoon",
        ..ok
    };
    assert_eq!(slots(&goal), ["notes-to-plan"]);
    let plan = Input {
        plan: "check the costs",
        ..goal
    };
    assert_eq!(slots(&plan), ["costs", "notes-of-the-budget"]);
    let message = Input {
        message: "Add the bus",
        ..plan
    };
    assert!(slots(&message).is_empty());
}

#[test]
fn off_asks_for_nothing_and_misses_nothing() {
    let off = Input {
        on: false,
        ..input("Check my costs")
    };
    assert_eq!(analyze(&course(), &off), None);
    assert!(missing_must_have(&course(), &off).is_empty());
}

#[test]
fn the_budget_of_questions() {
    let asked = |messages, requests, refusals| Input {
        messages_since_request: messages,
        requests,
        refusals,
        ..input("Check my costs")
    };
    for (given, asks) in [
        (asked(None, 0, 0), true),
        (asked(Some(3), 1, 0), false),
        (asked(Some(4), 1, 0), true),
        (asked(Some(4), 2, 1), true),
        (asked(Some(4), 2, 2), false),
        (asked(Some(100), 3, 0), false),
    ] {
        assert_eq!(analyze(&course(), &given).is_some(), asks, "{given:?}");
        // What an answer goes without is known all the same.
        assert_eq!(missing_must_have(&course(), &given), ["costs"]);
    }
}

#[test]
fn five_slots_at_most_and_each_part_once() {
    let needs = (0..9).map(|n| {
        let urgency = match n % 3 {
            0 => Urgency::MustHave,
            _ => Urgency::NiceToHave,
        };
        let mut need = need(&format!("n{n}"), "notes", urgency);
        need.key_path = Some(format!("lines:{}-9", n / 2 + 1));
        need.intents = vec![MessageIntent::Action];
        need
    });
    let course = ContextCourse {
        needs: needs.collect(),
        ..course()
    };
    let request = analyze(&course, &input("Add it")).unwrap();
    let slots = request.slots.iter().map(|slot| slot.need.as_str());
    // n1 is of the same part as n0, and so on.
    assert_eq!(slots.collect::<Vec<_>>(), ["n0", "n3", "n6", "n4", "n8"]);
    assert_eq!(
        missing_must_have(&course, &input("Add it")),
        ["n0", "n3", "n6"]
    );
}

#[test]
fn the_demo_course_asks_for_the_work_on_its_trip() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses/algebra-foundations");
    let course = turnwise_course_pack::load(&root).unwrap().context.unwrap();
    for (phase, unit, message, needs) in [
        (
            "budget",
            None,
            "my total doesn't add up",
            &["costs-to-look-at"][..],
        ),
        (
            "budget",
            Some("ALG-05"),
            "Calculate the price for each of us",
            &["students-to-share-among"],
        ),
        ("budget", Some("ALG-05"), "What is a ratio?", &[]),
        (
            "plan",
            Some("ALG-12"),
            "Which bus is cheaper?",
            &["offers-to-compare"],
        ),
        (
            "plan",
            None,
            "Was machen wir als Nächstes?",
            &["day-so-far"],
        ),
        (
            "check",
            None,
            "Schau dir bitte alles an",
            &["budget-to-check", "day-to-check"],
        ),
        ("check", None, "danke!", &[]),
    ] {
        let input = Input {
            phase: Some(phase),
            unit,
            ..input(message)
        };
        let slots = analyze(&course, &input).map_or_else(Vec::new, |request| request.slots);
        let asked: Vec<&str> = slots.iter().map(|slot| slot.need.as_str()).collect();
        assert_eq!(asked, needs, "{message}");
    }
}
