//! The student's record as a thread sees it, and what the policy is told of a turn.

use turnwise_gateway_svc::record::{
    decide_request, plan_request, resolve_request, seen_from_thread, words,
};
use turnwise_proto::{
    explain::v1::{TurnFacts, TurnTexts},
    policy::v1::{KnownTexts, Passage, Plan, Policy},
    retrieval::v1::Chunk,
    session::v1::{StudentSnapshot, ThreadFocus, TurnAnalysis, TurnState},
    tutor::v1::{ClientEvent, ClientEventKind, Role, StudentInput, TutorMessage},
};

fn latest() -> TurnState {
    TurnState {
        focus_unit_id: "A".to_owned(),
        target_unit_id: "B".to_owned(),
        last_turn_analysis: Some(TurnAnalysis::default()),
        last_turn_at: Some(prost_types::Timestamp::default()),
    }
}

fn facts(thread: Option<(&str, &str)>) -> TurnFacts {
    TurnFacts {
        snapshot: Some(StudentSnapshot {
            evidence_version: 7,
            turn: Some(latest()),
            ..StudentSnapshot::default()
        }),
        thread_focus: thread.map(|(focus, target)| ThreadFocus {
            focus_unit_id: focus.to_owned(),
            target_unit_id: target.to_owned(),
        }),
        ..TurnFacts::default()
    }
}

#[test]
fn a_thread_sees_its_own_focus_and_target() {
    let other = TurnState {
        focus_unit_id: "C".to_owned(),
        target_unit_id: "D".to_owned(),
        ..TurnState::default()
    };
    for (thread, turn) in [
        // A new thread goes on from the latest turn of any, and so does the thread that had it.
        (None, latest()),
        (Some(("A", "B")), latest()),
        // Another thread's later turn says nothing in this one.
        (Some(("C", "D")), other),
    ] {
        let facts = facts(thread);
        let seen = seen_from_thread(&facts).unwrap();
        assert_eq!(seen.evidence_version, 7);
        assert_eq!(seen.turn, Some(turn), "{thread:?}");
        let texts = TurnTexts::default();
        assert_eq!(plan_request(&facts, &texts, "").snapshot, Some(seen));
    }
    assert_eq!(seen_from_thread(&TurnFacts::default()), None);
}

/// What is told of the way is told once for each focus of a thread and each target.
#[test]
fn the_way_was_told_where_the_thread_stands_already() {
    for (thread, is_told) in [
        (None, false),
        (Some(("A", "B")), true),
        (Some(("A", "C")), false),
        (Some(("C", "B")), false),
    ] {
        let facts = TurnFacts {
            plan: Some(Plan {
                focus_unit_id: "A".to_owned(),
                target_unit_id: "B".to_owned(),
                ..Plan::default()
            }),
            ..facts(thread)
        };
        let request = decide_request(&facts).unwrap();
        assert_eq!(request.way_told, is_told, "{thread:?}");
    }
}

fn message(role: Role, text: &str) -> TutorMessage {
    TutorMessage {
        role: role.into(),
        text: text.to_owned(),
        ..TutorMessage::default()
    }
}

#[test]
fn the_choice_of_a_unit_is_about_what_could_not_be_placed() {
    let mut texts = TurnTexts {
        recent_messages: vec![
            message(Role::User, "Hello!"),
            message(Role::User, "Why is it so?"),
            message(Role::Assistant, "Which of these?"),
            // Another one was chosen before.
            message(Role::User, ""),
            message(Role::Assistant, "That is why."),
        ],
        ..TurnTexts::default()
    };
    let pressed = |kind: ClientEventKind| TurnFacts {
        policy: Some(Policy::default()),
        no_model: true,
        event: Some(ClientEvent {
            kind: kind.into(),
            ..ClientEvent::default()
        }),
        ..TurnFacts::default()
    };
    let question = |facts: &TurnFacts, texts: &TurnTexts| {
        let request = resolve_request(facts, texts, KnownTexts::default()).unwrap();
        (request.question, words(facts, texts).to_owned())
    };
    let chosen = pressed(ClientEventKind::ChooseUnit);
    let asked = "Why is it so?".to_owned();
    assert_eq!(question(&chosen, &texts), (asked.clone(), asked.clone()));
    let other = pressed(ClientEventKind::StuckHint);
    assert_eq!(question(&other, &texts), (String::new(), String::new()));
    // What is written with the button counts.
    texts.input = Some(StudentInput {
        text: "And this?".to_owned(),
        ..StudentInput::default()
    });
    assert_eq!(question(&chosen, &texts), (asked, "And this?".to_owned()));
}

#[test]
fn the_lesson_of_what_is_asked_about_is_told_where_it_fits_better() {
    let chunk = |unit: &str, text: &str, score: f64| Chunk {
        unit_id: unit.to_owned(),
        section: format!("Section of {unit}"),
        text: text.to_owned(),
        score,
        ..Chunk::default()
    };
    let chunks = |order: &[(&str, f64)]| TurnTexts {
        chunks: order
            .iter()
            .map(|(unit, score)| chunk(unit, &format!("Text of {unit}."), *score))
            .collect(),
        ..TurnTexts::default()
    };
    for (choices, order, passage, elsewhere) in [
        // The target's text fits better, or worse, or only fills up.
        (
            &[] as &[&str],
            &[("TARGET", 0.2), ("FOCUS", 0.1)][..],
            "FOCUS",
            "TARGET",
        ),
        (&[], &[("FOCUS", 0.2), ("TARGET", 0.1)], "FOCUS", ""),
        (&[], &[("TARGET", 0.0)], "", ""),
        // Another unit's is not what is asked about.
        (&[], &[("OTHER", 0.3), ("FOCUS", 0.1)], "FOCUS", ""),
        // Of units to choose from it is the first one's.
        (
            &["FIRST", "OTHER"],
            &[("OTHER", 0.3), ("FIRST", 0.2)],
            "",
            "FIRST",
        ),
        (&["FIRST"], &[("TARGET", 0.3), ("FOCUS", 0.2)], "FOCUS", ""),
    ] {
        let facts = TurnFacts {
            policy: Some(Policy {
                focus_unit_id: "FOCUS".to_owned(),
                primary_target_unit_id: "TARGET".to_owned(),
                choice_unit_ids: choices.iter().map(|unit| (*unit).to_owned()).collect(),
                ..Policy::default()
            }),
            no_model: true,
            ..TurnFacts::default()
        };
        let texts = chunks(order);
        let request = resolve_request(&facts, &texts, KnownTexts::default()).unwrap();
        let text = |unit: &str| match unit {
            "" => None,
            unit => Some(format!("Text of {unit}.")),
        };
        let told = request.passage.map(|passage| passage.text);
        assert_eq!(told, text(passage), "{order:?}");
        let told = request.passage_elsewhere.map(|passage| passage.text);
        assert_eq!(told, text(elsewhere), "{choices:?} {order:?}");
        assert!(request.more_passages.is_empty() && request.more_passages_elsewhere.is_empty());
    }
}

#[test]
fn all_that_was_found_of_a_unit_is_told_the_best_first() {
    let chunk = |unit: &str, text: &str, kind: &str| Chunk {
        unit_id: unit.to_owned(),
        section_kind: kind.to_owned(),
        text: text.to_owned(),
        score: 0.1,
        ..Chunk::default()
    };
    let facts = TurnFacts {
        policy: Some(Policy {
            focus_unit_id: "FOCUS".to_owned(),
            primary_target_unit_id: "TARGET".to_owned(),
            ..Policy::default()
        }),
        no_model: true,
        ..TurnFacts::default()
    };
    let texts = TurnTexts {
        chunks: vec![
            chunk("TARGET", "1", "howto"),
            chunk("FOCUS", "2", ""),
            chunk("TARGET", "3", "explanation"),
            chunk("OTHER", "4", ""),
            chunk("FOCUS", "5", ""),
            Chunk {
                score: 0.0,
                ..chunk("FOCUS", "6", "")
            },
        ],
        ..TurnTexts::default()
    };
    let request = resolve_request(&facts, &texts, KnownTexts::default()).unwrap();
    let told = |first: Option<Passage>, more: Vec<Passage>| {
        let all = first.into_iter().chain(more);
        all.map(|told| (told.text, told.explains))
            .collect::<Vec<_>>()
    };
    let focus = told(request.passage, request.more_passages);
    assert_eq!(focus, [("2".to_owned(), false), ("5".to_owned(), false)]);
    let elsewhere = told(request.passage_elsewhere, request.more_passages_elsewhere);
    assert_eq!(elsewhere, [("1".to_owned(), false), ("3".to_owned(), true)]);
}

#[test]
fn the_decision_is_made_with_the_text_that_the_record_names() {
    let facts = TurnFacts {
        plan: Some(Plan::default()),
        matched_unit_id: "A".to_owned(),
        ..facts(None)
    };
    assert_eq!(decide_request(&facts).unwrap().matched_unit_id, "A");
}

/// The plan sees whether a message goes on with an exercise of the student's own.
#[test]
fn the_plan_is_told_what_was_said_before() {
    let message = |role: Role, text: &str| TutorMessage {
        role: role.into(),
        text: text.to_owned(),
        ..TutorMessage::default()
    };
    let texts = TurnTexts {
        recent_messages: vec![
            message(Role::User, &"x".repeat(401)),
            message(Role::User, "2(x+3)"),
            message(Role::Assistant, "Multiply it out."),
            message(Role::User, "?"),
            message(Role::Assistant, "What do you get?"),
        ],
        input: Some(StudentInput {
            text: "2x + 6".to_owned(),
            ..StudentInput::default()
        }),
        ..TurnTexts::default()
    };
    let told = plan_request(&facts(None), &texts, "");
    assert_eq!(told.before, ["2x + 6", "?", "2(x+3)"]);
    assert_eq!(told.said, "What do you get?");
}
