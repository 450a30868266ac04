//! Requests for artifacts.

use sha2::{Digest, Sha256};
use turnwise_kit::time;
use turnwise_proto::{
    session::v1::{
        ContextRequest, ContextRequestChange as Change, ContextRequestState as State,
        RequestContext, WorkKind, pending_change::Step,
    },
    tutor::v1::{Project, StudentInput},
};
use turnwise_session_svc::pending::{
    Interactions, PendingError, Schedule, Stepped, change, supply,
};

use super::{answer_request, at, context_request, request, supplied, take};

const UUID: &str = "0192f0c1-2345-7678-9abc-def012345678";

fn open(slots: &[(&str, bool)]) -> Stepped {
    let asked = Step::RequestContext(request(slots));
    take(&Interactions::default(), asked, at(0), "r1")
        .unwrap()
        .unwrap()
}

fn waiting() -> Interactions {
    open(&[("log", false), ("json", true), ("text", false)]).after
}

fn changed(state: &Interactions, wanted: Change, now: i64) -> Stepped {
    change(state, None, "r1", wanted, at(now)).unwrap().unwrap()
}

fn closed(state: State) -> PendingError {
    PendingError::ContextRequestClosed {
        request_id: "r1".into(),
        state,
    }
}

fn resume(now: i64) -> [Schedule; 1] {
    [Schedule {
        kind: WorkKind::ContextResume,
        due: at(now),
    }]
}

/// A request in each state that is no longer open, as it is stored, and the thread's state.
fn resolved() -> Vec<(State, Interactions, ContextRequest)> {
    let log = open(&[("log", false)]).after;
    [
        supply(&log, "r1", &supplied(0, "log", "x"), at(1))
            .unwrap()
            .unwrap(),
        changed(&log, Change::Force, 1),
        changed(&log, Change::Skip, 1),
        changed(&log, Change::Expire, 300),
        changed(&log, Change::Cancel, 1),
    ]
    .map(|stepped| {
        let request = stepped.request.unwrap();
        (request.state(), stepped.after, request)
    })
    .to_vec()
}

#[test]
fn it_opens_with_its_times() {
    let stepped = open(&[("log", false)]);
    let opened = stepped.request.unwrap();
    assert_eq!(context_request(&stepped.after), Some(&opened));
    assert_eq!((stepped.after.version, opened.state()), (1, State::Open));
    assert_eq!((opened.request_id.as_str(), opened.message_id), ("r1", 3));
    assert_eq!(opened.batch_id, "thread-1");
    assert_eq!(opened.create_time, Some(time::to_proto(at(0))));
    assert_eq!(opened.reminder_time, Some(time::to_proto(at(150))));
    assert_eq!(opened.end_time, Some(time::to_proto(at(300))));
    let expected = [
        (WorkKind::ContextReminder, 150),
        (WorkKind::ContextEnd, 300),
    ];
    let expected = expected.map(|(kind, due)| Schedule { kind, due: at(due) });
    assert_eq!(stepped.schedules, expected);

    let mut asked = request(&[("log", false)]);
    asked.project = Some(Project {
        batch_id: "project-1".into(),
        ..Project::default()
    });
    asked.must_have = true;
    asked.request_id = UUID.to_owned();
    asked.query = Some(StudentInput {
        text: "why?".into(),
        ..StudentInput::default()
    });
    let query = asked.query.clone();
    let asked = Step::RequestContext(asked);
    let stepped = take(&Interactions::default(), asked, at(0), "r1")
        .unwrap()
        .unwrap();
    let opened = stepped.request.unwrap();
    assert_eq!(
        (opened.batch_id.as_str(), opened.must_have),
        ("project-1", true)
    );
    assert_eq!((opened.request_id.as_str(), opened.query), (UUID, query));
}

#[test]
fn it_is_satisfied_once_nothing_required_is_missing() {
    let first = supply(&waiting(), "r1", &supplied(2, "text", "b"), at(1))
        .unwrap()
        .unwrap();
    assert_eq!(first.request.unwrap().state(), State::Open);
    assert!(first.schedules.is_empty());
    let second = supply(&first.after, "r1", &supplied(0, "log", "a"), at(2))
        .unwrap()
        .unwrap();
    let request = second.request.unwrap();
    assert_eq!(request.state(), State::Satisfied);
    assert_eq!(second.schedules, resume(2));
    assert_eq!(second.after.version, 3);
    let slots: Vec<_> = request.sources.iter().map(|s| s.slot).collect();
    assert_eq!(slots, [0, 2]);
    for (source, content) in request.sources.iter().zip(["a", "b"]) {
        assert_eq!(source.size_bytes, 1);
        assert_eq!(source.sha256[..], Sha256::digest(content)[..]);
    }
    let source = &request.sources[0];
    assert_eq!(
        (source.supplier_id.as_str(), source.supplier_role.as_str()),
        ("teacher-1", "teacher")
    );
    assert_eq!(source.supply_time, Some(time::to_proto(at(2))));
}

#[test]
fn what_is_supplied_again_replaces_what_was_there() {
    let first = supply(&waiting(), "r1", &supplied(0, "log", "old"), at(1))
        .unwrap()
        .unwrap();
    let second = supply(&first.after, "r1", &supplied(0, "log", "new"), at(2))
        .unwrap()
        .unwrap();
    let request = second.request.unwrap();
    assert_eq!(request.sources.len(), 1);
    assert_eq!(request.sources[0].sha256[..], Sha256::digest("new")[..]);
    assert_eq!((request.state(), second.after.version), (State::Open, 3));
}

#[test]
fn a_request_that_requires_nothing_is_satisfied_by_all_of_it() {
    let opened = open(&[("log", true), ("log", true)]).after;
    let give = |state, slot| {
        let given = supply(state, "r1", &supplied(slot, "log", "x"), at(1));
        given.unwrap().unwrap()
    };
    let first = give(&opened, 0);
    assert_eq!(first.request.unwrap().state(), State::Open);
    let second = give(&first.after, 1);
    assert_eq!(second.request.unwrap().state(), State::Satisfied);
    assert_eq!(second.schedules, resume(1));
}

#[test]
fn a_payload_must_fit_its_slot() {
    let give =
        |slot, kind, content: &str| supply(&waiting(), "r1", &supplied(slot, kind, content), at(1));
    assert_eq!(
        give(0, "json", "x"),
        Err(PendingError::UnsupportedPayload {
            expected: "log".into()
        })
    );
    assert!(give(0, "log", "éééé").is_ok());
    assert_eq!(
        give(0, "log", "éééé!"),
        Err(PendingError::PayloadTooLarge { bytes: 9, limit: 8 })
    );
    for slot in [-1, 3, i32::MAX] {
        let found = give(slot, "log", "x");
        assert!(
            matches!(found, Err(PendingError::Invalid { field: "slot", .. })),
            "{found:?}"
        );
    }
}

#[test]
fn a_slot_names_who_may_supply_it() {
    let mut asked = request(&[("log", false), ("log", false)]);
    asked.slots[0].suppliers = vec!["student".into(), "service".into()];
    let state = take(
        &Interactions::default(),
        Step::RequestContext(asked),
        at(0),
        "r1",
    );
    let state = state.unwrap().unwrap().after;
    let refused = supply(&state, "r1", &supplied(0, "log", "x"), at(1));
    let expected = PendingError::OtherSupplier {
        role: "teacher".into(),
        suppliers: vec!["student".into(), "service".into()],
    };
    assert_eq!(refused, Err(expected));
    assert!(supply(&state, "r1", &supplied(1, "log", "x"), at(1)).is_ok());
}

#[test]
fn changes_of_an_open_request() {
    let state = waiting();
    let forced = changed(&state, Change::Force, 7);
    assert_eq!(forced.schedules, resume(7));
    assert_eq!(forced.request.unwrap().state(), State::Forced);
    assert!(forced.after.pending.is_some());

    let skipped = changed(&state, Change::Skip, 7);
    assert_eq!(skipped.schedules, resume(7));
    assert_eq!(skipped.request.unwrap().state(), State::Skipped);
    assert!(skipped.after.pending.is_some());

    let cancelled = changed(&state, Change::Cancel, 7);
    assert!(cancelled.schedules.is_empty());
    assert_eq!(cancelled.request.unwrap().state(), State::Cancelled);
    assert_eq!(
        (cancelled.after.pending, cancelled.after.version),
        (None, 2)
    );

    let reminded = changed(&state, Change::Remind, 150);
    assert!(reminded.schedules.is_empty());
    let request = reminded.request.unwrap();
    assert_eq!((request.state(), request.reminded), (State::Open, true));
    assert_eq!(
        change(&reminded.after, None, "r1", Change::Remind, at(151)),
        Ok(None)
    );

    // Whoever claimed its end may have another clock.
    let early = change(&state, None, "r1", Change::Expire, at(299));
    let wait = std::time::Duration::from_secs(1);
    assert_eq!(early, Err(PendingError::NotYet { wait }));
    let early = change(&state, None, "r1", Change::Expire, at(200));
    assert!(matches!(
        early,
        Err(PendingError::Invalid {
            field: "change",
            ..
        })
    ));
    let expired = changed(&state, Change::Expire, 300);
    assert_eq!(expired.schedules, resume(300));
    assert_eq!(expired.request.unwrap().state(), State::Expired);

    let none = change(&state, None, "r1", Change::Unspecified, at(0));
    assert!(matches!(
        none,
        Err(PendingError::Invalid {
            field: "change",
            ..
        })
    ));
}

#[test]
fn a_change_that_took_effect_changes_nothing_and_any_other_fails() {
    for (found, state, stored) in resolved() {
        for wanted in [
            Change::Cancel,
            Change::Force,
            Change::Skip,
            Change::Expire,
            Change::Remind,
        ] {
            let same = matches!(
                (found, wanted),
                (State::Cancelled, Change::Cancel)
                    | (State::Forced, Change::Force)
                    | (State::Skipped, Change::Skip)
                    | (State::Expired, Change::Expire)
            );
            let expected = if same { Ok(None) } else { Err(closed(found)) };
            assert_eq!(
                change(&state, Some(&stored), "r1", wanted, at(400)),
                expected
            );
            if found == State::Cancelled {
                continue;
            }
            let answered = take(&state, answer_request("r1"), at(400), "")
                .unwrap()
                .unwrap();
            let stored = answered.request.unwrap();
            let expected = if same {
                Ok(None)
            } else {
                Err(closed(State::Answered))
            };
            let again = change(&answered.after, Some(&stored), "r1", wanted, at(401));
            assert_eq!(again, expected);
        }
    }
}

#[test]
fn nothing_is_supplied_to_a_request_that_is_not_open() {
    for (found, state, _) in resolved() {
        let expected = match found {
            State::Cancelled => PendingError::NothingPending,
            found => closed(found),
        };
        assert_eq!(
            supply(&state, "r1", &supplied(0, "log", "y"), at(400)),
            Err(expected)
        );
    }
}

#[test]
fn it_is_answered_once() {
    let early = take(&waiting(), answer_request("r1"), at(1), "");
    assert_eq!(early, Err(closed(State::Open)));
    for (found, state, _) in resolved() {
        let answered = take(&state, answer_request("r1"), at(400), "");
        if found == State::Cancelled {
            assert_eq!(answered, Err(closed(State::Unspecified)));
            continue;
        }
        let answered = answered.unwrap().unwrap();
        let request = answered.request.unwrap();
        assert_eq!(
            (request.state(), request.answered_from()),
            (State::Answered, found)
        );
        assert_eq!(
            (answered.after.pending.as_ref(), answered.after.version),
            (None, 3)
        );
        assert!(answered.schedules.is_empty());
        let again = take(&answered.after, answer_request("r1"), at(401), "");
        assert_eq!(again, Err(closed(State::Unspecified)));
    }
}

#[test]
fn another_request_is_not_this_one() {
    let state = waiting();
    let unknown = |request_id: &str| PendingError::ContextRequestClosed {
        request_id: request_id.into(),
        state: State::Unspecified,
    };
    assert_eq!(
        change(&state, None, "r2", Change::Force, at(0)),
        Err(unknown("r2"))
    );
    assert_eq!(
        take(&state, answer_request("r2"), at(0), ""),
        Err(unknown("r2"))
    );
    let supplied = supply(&state, "r2", &supplied(0, "log", "x"), at(0));
    assert_eq!(supplied, Err(PendingError::NothingPending));
    // A request that is stored as open and no longer pending was not ended by a step; no step may revive it.
    let stored = context_request(&state).unwrap();
    let revived = change(
        &Interactions::default(),
        Some(stored),
        "r1",
        Change::Force,
        at(0),
    );
    assert_eq!(revived, Err(closed(State::Open)));
}

#[test]
fn fields_have_bounds() {
    let fails = |change: &dyn Fn(&mut RequestContext)| {
        let mut asked = request(&[("log", false)]);
        change(&mut asked);
        match take(
            &Interactions::default(),
            Step::RequestContext(asked),
            at(0),
            "r1",
        ) {
            Ok(_) => None,
            Err(PendingError::Invalid { field, .. }) => field.strip_prefix("request_context."),
            Err(other) => panic!("{other}"),
        }
    };
    let slots = |count| request(&vec![("log", false); count]).slots;
    assert_eq!(fails(&|r| r.message_id = 0), Some("message_id"));
    assert_eq!(fails(&|r| r.slots.clear()), None);
    assert_eq!(fails(&|r| r.slots = slots(20)), None);
    assert_eq!(fails(&|r| r.slots = slots(21)), Some("slots"));
    assert_eq!(fails(&|r| r.slots[0].size_limit = 262_144), None);
    assert_eq!(
        fails(&|r| r.slots[0].size_limit = 262_145),
        Some("slots.size_limit")
    );
    assert_eq!(
        fails(&|r| r.slots[0].size_limit = 0),
        Some("slots.size_limit")
    );
    assert_eq!(fails(&|r| r.claims = vec![0; 16_384].into()), None);
    assert_eq!(
        fails(&|r| r.claims = vec![0; 16_385].into()),
        Some("claims")
    );
    assert_eq!(fails(&|r| r.request_id = UUID.into()), None);
    for id in [
        "r1".to_owned(),
        UUID.replace('-', ""),
        format!("{{{UUID}}}"),
    ] {
        assert_eq!(fails(&|r| r.request_id = id.clone()), Some("request_id"));
    }
    let roles = |roles: &[&str]| roles.iter().map(|&r| r.to_owned()).collect::<Vec<_>>();
    let all = ["student", "teacher", "staff", "service"];
    assert_eq!(fails(&|r| r.slots[0].suppliers = roles(&all)), None);
    for wrong in [vec!["admin"], vec!["staff"; 5]] {
        let field = fails(&|r| r.slots[0].suppliers = roles(&wrong));
        assert_eq!(field, Some("slots.suppliers"));
    }
    assert_eq!(fails(&|r| r.slots[0].title = "é".repeat(200)), None);
    assert_eq!(
        fails(&|r| r.slots[0].title = "é".repeat(201)),
        Some("slots.title")
    );
    let long = || "é".repeat(501);
    assert_eq!(
        fails(&|r| r.slots[0].description = long()),
        Some("slots.description")
    );
    assert_eq!(fails(&|r| r.slots[0].why = long()), Some("slots.why"));
    assert_eq!(fails(&|r| r.slots[0].format = long()), Some("slots.format"));
}
