//! Placements of a class: begun for whoever is in it, and taken back.

use turnwise_proto::{
    session::v1::{Evidence, PlacedUnit, Placement},
    tutor::v1::PlacementState,
};
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    sessions::{
        Sessions,
        classes::placements::{Begin, Undo},
        evidence::CommitEvidence,
    },
};

use crate::{
    bench::{
        Bench, CLASS, COURSE, begin, begin_evidence, evidence_start, fresh, make_thread, one_more,
        started,
    },
    cases,
};

cases!(
    #[tokio::test]
    a_placement_of_a_class_waits_for_later_joiners,
    a_placement_is_taken_back_unit_by_unit_or_whole,
);

fn begin_for_class() -> Begin {
    Begin {
        class_id: CLASS.to_owned(),
        course_id: COURSE.to_owned(),
        idempotency: fresh(),
    }
}

async fn evidence(sessions: &Sessions, student: &StudentKey) -> Evidence {
    let snapshot = sessions.get_snapshot(student, COURSE).await.unwrap();
    snapshot.evidence.unwrap_or_default()
}

/// Writes evidence in place of what there is.
async fn write(sessions: &Sessions, student: &StudentKey, key: &str, evidence: Evidence) {
    let now = sessions.get_snapshot(student, COURSE).await.unwrap();
    let commit = CommitEvidence {
        evidence,
        ..one_more(&now, key)
    };
    sessions.commit_evidence(student, commit).await.unwrap();
}

/// Whether a placement waits that was begun for the class, as turns, evidence and reads of the record are told.
async fn waits(sessions: &Sessions, student: &StudentKey, thread: &str, key: &str) -> [bool; 3] {
    let turn = started(sessions, student, begin(thread, key)).await;
    let left = sessions.abandon_turn(student, thread, turn.fencing_token);
    left.await.unwrap();
    let evidence = evidence_start(sessions, student, begin_evidence(thread, key)).await;
    let classes = ["8a".to_owned(), CLASS.to_owned()];
    let read = sessions.class_placement(&student.tenant, &classes, COURSE);
    [
        turn.snapshot.unwrap().class_placement,
        evidence.snapshot.unwrap().class_placement,
        read.await.unwrap(),
    ]
}

async fn a_placement_of_a_class_waits_for_later_joiners(bench: &mut Bench) {
    let (ada, bob) = (bench.student("ada"), bench.student("bob"));
    let (sessions, actor) = (bench.sessions(), bench.actor());
    make_thread(sessions, &ada, "t1").await;
    assert_eq!(waits(sessions, &ada, "t1", "before").await, [false; 3]);
    let first = begin_for_class();
    for _ in 0..2 {
        // Sent again it is the same.
        let begun = sessions.begin_placements(&actor, first.clone()).await;
        assert_eq!(begun, Ok(()));
    }
    assert_eq!(waits(sessions, &ada, "t1", "after").await, [true; 3]);
    // No record is touched, and who comes to the class later is told as well.
    assert_eq!(evidence(sessions, &ada).await, Evidence::default());
    make_thread(sessions, &bob, "t2").await;
    assert_eq!(waits(sessions, &bob, "t2", "joined").await, [true; 3]);
    // Neither another class, nor another course, nor another tenant.
    for (tenant, class, course) in [
        (bench.tenant.as_str(), "8a", COURSE),
        (bench.tenant.as_str(), CLASS, "chemistry"),
        ("elsewhere", CLASS, COURSE),
    ] {
        let classes = [class.to_owned()];
        let read = sessions.class_placement(tenant, &classes, course).await;
        assert_eq!(read, Ok(false), "{tenant} {class} {course}");
    }
    let kinds: Vec<_> = bench
        .audited()
        .await
        .into_iter()
        .map(|entry| entry.kind)
        .collect();
    assert_eq!(kinds, ["placements-begun"]);
    bench.reopen().await;
    let sessions = bench.sessions();
    assert_eq!(waits(sessions, &ada, "t1", "reopened").await, [true; 3]);
}

async fn a_placement_is_taken_back_unit_by_unit_or_whole(bench: &mut Bench) {
    let (ada, eve) = (bench.student("ada"), bench.student("eve"));
    let (sessions, actor) = (bench.sessions(), bench.actor());
    make_thread(sessions, &ada, "t1").await;
    let placed = ["A", "B", "C"].map(|unit| PlacedUnit {
        unit_id: unit.to_owned(),
        ..PlacedUnit::default()
    });
    let before = Evidence {
        placed: placed.into(),
        placement: Some(Placement {
            state: PlacementState::Ended.into(),
            answers: Vec::new(),
        }),
        ..Evidence::default()
    };
    write(sessions, &ada, "a1", before.clone()).await;
    let undo = |student: &StudentKey, unit: Option<&str>| Undo {
        class_id: CLASS.to_owned(),
        student: student.clone(),
        course_id: COURSE.to_owned(),
        unit_id: unit.map(str::to_owned),
        idempotency: fresh(),
    };
    let strange = sessions.undo_placement(&actor, undo(&eve, None)).await;
    assert_eq!(strange, Err(SessionError::UnknownStudent));
    for unit in ["B", "B", "gone"] {
        let left = sessions
            .undo_placement(&actor, undo(&ada, Some(unit)))
            .await;
        assert_eq!(left.unwrap(), ["A", "C"], "{unit}");
    }
    let after = evidence(sessions, &ada).await;
    assert_eq!(after.placement, before.placement);
    let undone: Vec<_> = after.placed.iter().map(|unit| unit.undone).collect();
    assert_eq!(undone, [false, true, false]);

    let left = sessions.undo_placement(&actor, undo(&ada, None)).await;
    assert_eq!(left.unwrap(), [""; 0]);
    let after = evidence(sessions, &ada).await;
    assert_eq!(after.placement, None);
    assert!(after.placed.iter().all(|unit| unit.undone));
}
