//! Placements of a class: begun once for each student, and taken back.

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
    bench::{Bench, CLASS, COURSE, fresh, make_thread, one_more},
    cases,
};

cases!(
    #[tokio::test]
    placements_of_a_class_are_begun_once_for_each_student,
    a_placement_is_taken_back_unit_by_unit_or_whole,
);

fn begin() -> Begin {
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

async fn placements_of_a_class_are_begun_once_for_each_student(bench: &mut Bench) {
    let (ada, bob, eve) = (
        bench.student("ada"),
        bench.student("bob"),
        bench.student("eve"),
    );
    let (sessions, actor) = (bench.sessions(), bench.actor());
    for student in [&ada, &bob] {
        make_thread(sessions, student, &format!("thread-of-{}", student.student)).await;
    }
    let ended = Placement {
        state: PlacementState::Ended.into(),
        answers: Vec::new(),
    };
    let before = Evidence {
        placement: Some(ended),
        ..Evidence::default()
    };
    write(sessions, &bob, "b1", before.clone()).await;
    let first = begin();
    for _ in 0..2 {
        // Sent again it answers the same.
        let begun = sessions.begin_placements(&actor, first.clone()).await;
        assert_eq!(begun, Ok(1));
    }
    assert_eq!(sessions.begin_placements(&actor, begin()).await, Ok(0));
    let placement = evidence(sessions, &ada).await.placement.unwrap();
    assert_eq!(placement.state(), PlacementState::Running);
    assert_eq!(evidence(sessions, &bob).await, before);
    assert_eq!(evidence(sessions, &eve).await, Evidence::default());
    let kinds: Vec<_> = bench
        .audited()
        .await
        .into_iter()
        .map(|entry| entry.kind)
        .collect();
    assert_eq!(kinds, ["placements-begun", "placements-begun"]);
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
