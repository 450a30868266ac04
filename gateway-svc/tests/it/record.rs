//! The student's record as a thread sees it.

use turnwise_gateway_svc::record::{decide_request, plan_request, seen_from_thread};
use turnwise_proto::{
    explain::v1::TurnFacts,
    policy::v1::Plan,
    session::v1::{StudentSnapshot, ThreadFocus, TurnAnalysis, TurnState},
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
        assert_eq!(plan_request(&facts, "").snapshot, Some(seen));
    }
    assert_eq!(seen_from_thread(&TurnFacts::default()), None);
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
