//! Help sessions: what was observed is replaced by who read it last, an overlay has one life, and both go with the thread.

use std::time::Duration;

use turnwise_proto::{
    procedure::v1::{Overlay, OverlayIntent, OverlayState},
    session::v1::{
        ClaimedWork, HelpProcedure, HelpRun, HelpState, NewOverlay, OverlayChange, ThreadKind,
        WorkKind,
    },
};
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    sessions::{
        Sessions,
        events::Page,
        help_sessions::ChangeOverlay,
        threads::NewThread,
        turns::{BeginTurn, CommitTurn},
    },
};

use crate::{
    bench::{Bench, begin, commit, make_thread, new_thread, started, unknown_thread},
    cases,
};

cases!(
    #[tokio::test]
    what_was_observed_is_replaced_by_who_read_it_last,
    an_overlay_has_one_life,
    silence_is_asked_once_more,
    a_reset_takes_a_session,
);

fn procedure() -> HelpProcedure {
    HelpProcedure {
        procedure_id: "titration".to_owned(),
        raw_names: vec!["TAP".to_owned()],
        ..HelpProcedure::default()
    }
}

async fn open(sessions: &Sessions, student: &StudentKey, id: &str) {
    let new = NewThread {
        kind: ThreadKind::Procedure,
        procedure: Some(procedure()),
        ..new_thread(id)
    };
    sessions.create_thread(student, new).await.unwrap();
}

fn begun(id: &str, key: &str) -> BeginTurn {
    BeginTurn {
        kind: ThreadKind::Procedure,
        ..begin(id, key)
    }
}

/// Asks for a highlight by a turn.
async fn show(sessions: &Sessions, student: &StudentKey, id: &str, key: &str) -> Overlay {
    let start = started(sessions, student, begun(id, key)).await;
    let overlay = NewOverlay {
        overlay: Some(Overlay {
            intent: OverlayIntent::Highlight.into(),
            target: "tap".to_owned(),
            element_id: "burette-tap".to_owned(),
            help_id: format!("help-{key}"),
            ..Overlay::default()
        }),
        ack_wait: Duration::from_secs(3).try_into().ok(),
    };
    let turn = CommitTurn {
        overlay: Some(overlay),
        ..commit(&start, key, key)
    };
    sessions.commit_turn(student, turn).await.unwrap();
    let (_, state) = sessions.help_session(student, id).await.unwrap();
    state.overlay.unwrap()
}

fn change(overlay: &Overlay, change: OverlayChange) -> ChangeOverlay {
    ChangeOverlay {
        overlay_id: overlay.overlay_id.clone(),
        change,
        attempt: overlay.attempt,
        client_time: None,
        problem: String::new(),
        ack_wait: Duration::from_secs(3),
    }
}

/// Claims all that is due, and answers what is this tenant's.
async fn due(bench: &Bench) -> Vec<ClaimedWork> {
    let claims = bench.sessions().claim_due(100).await.unwrap();
    let mut claimed = claims.claimed;
    claimed.retain(|claimed| claimed.work.as_ref().unwrap().tenant == bench.tenant);
    claimed
}

async fn told(sessions: &Sessions, student: &StudentKey, id: &str) -> Vec<String> {
    let page = sessions.list_events(student, id, Page::After(0), 100).await;
    let events = page.unwrap().events.into_iter();
    let of_overlays = events.filter(|event| event.kind.starts_with("overlay"));
    of_overlays
        .map(|event| format!("{} {}", event.kind, event.facts["detail"]))
        .collect()
}

async fn what_was_observed_is_replaced_by_who_read_it_last(bench: &mut Bench) {
    let (ada, bob, sessions) = (bench.student("ada"), bench.student("bob"), bench.sessions());
    open(sessions, &ada, "pa").await;
    let (thread, state) = sessions.help_session(&ada, "pa").await.unwrap();
    assert_eq!(thread.thread_id, "pa");
    let nothing = HelpState {
        procedure: Some(procedure()),
        run: Some(HelpRun::default()),
        overlay: None,
    };
    assert_eq!(state, nothing);
    let run = HelpRun {
        stored_sequence: 7,
        step_id: "fill".to_owned(),
        ..HelpRun::default()
    };
    let stored = sessions.store_help_run(&ada, "pa", run.clone()).await;
    assert_eq!(stored, Ok((1, None)));
    let late = sessions.store_help_run(&ada, "pa", run.clone()).await;
    assert_eq!(late, Err(SessionError::Contended));
    let next = HelpRun { version: 1, ..run };
    let stored = sessions.store_help_run(&ada, "pa", next.clone()).await;
    assert_eq!(stored, Ok((2, None)));
    // A turn reads it with all else.
    let start = started(sessions, &ada, begun("pa", "k")).await;
    let read = start.help.unwrap().run.unwrap();
    assert_eq!(
        read,
        HelpRun {
            version: 2,
            ..next.clone()
        }
    );
    // Nobody else has it, and a thread of another kind has none.
    let foreign = sessions.store_help_run(&bob, "pa", next.clone()).await;
    assert_eq!(foreign, Err(unknown_thread("pa")));
    make_thread(sessions, &ada, "t1").await;
    let none = sessions
        .store_help_run(&ada, "t1", HelpRun::default())
        .await;
    assert_eq!(none, Err(unknown_thread("t1")));
    assert_eq!(
        sessions.help_session(&ada, "t1").await,
        Err(unknown_thread("t1"))
    );
}

async fn an_overlay_has_one_life(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    open(sessions, &ada, "pb").await;
    let first = show(sessions, &ada, "pb", "k1").await;
    assert_eq!((first.attempt, first.state()), (1, OverlayState::Requested));
    let applied = change(&first, OverlayChange::Applied);
    let after = sessions.change_overlay(&ada, "pb", &applied).await.unwrap();
    assert_eq!(after.state(), OverlayState::Applied);
    // Whatever comes later changes nothing.
    for later in [
        OverlayChange::Applied,
        OverlayChange::Failed,
        OverlayChange::Overdue,
    ] {
        let same = sessions
            .change_overlay(&ada, "pb", &change(&first, later))
            .await;
        assert_eq!(same, Ok(after.clone()));
    }
    let second = show(sessions, &ada, "pb", "k2").await;
    let late = sessions
        .change_overlay(&ada, "pb", &change(&first, OverlayChange::Clear))
        .await;
    assert_eq!(late, Ok(second.clone()));
    let cleared = change(&second, OverlayChange::Clear);
    let clear = sessions.change_overlay(&ada, "pb", &cleared).await.unwrap();
    assert_eq!(
        (clear.intent(), clear.state()),
        (OverlayIntent::Clear, OverlayState::Requested)
    );
    assert_eq!(
        sessions.change_overlay(&ada, "pb", &cleared).await,
        Ok(clear.clone())
    );
    let shown = [
        "overlay_requested ",
        "overlay_applied ",
        "overlay_requested ",
    ];
    let mut expected: Vec<_> = shown.map(str::to_owned).into();
    expected.push("overlay_requested step_over".to_owned());
    assert_eq!(told(sessions, &ada, "pb").await, expected);
    for never in ["", "pb", "pb.", "p2.1", "pb.9223372036854775807"] {
        let mut asked = change(&clear, OverlayChange::Applied);
        asked.overlay_id = never.to_owned();
        let unknown = sessions.change_overlay(&ada, "pb", &asked).await;
        assert_eq!(unknown, Err(SessionError::UnknownOverlay), "{never}");
    }
}

async fn silence_is_asked_once_more(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    open(sessions, &ada, "pc").await;
    let overlay = show(sessions, &ada, "pc", "k1").await;
    assert!(due(bench).await.is_empty());
    for attempt in ["1", "2"] {
        bench.clock.advance(Duration::from_secs(3));
        let claimed = due(bench).await;
        let [claimed] = &claimed[..] else {
            panic!("{claimed:?}")
        };
        let work = claimed.work.clone().unwrap();
        assert_eq!(work.kind(), WorkKind::OverlayOverdue);
        assert_eq!(
            (work.subject_id.as_str(), &work.payload[..]),
            (overlay.overlay_id.as_str(), attempt.as_bytes())
        );
        let overdue = ChangeOverlay {
            attempt: attempt.parse().unwrap(),
            ..change(&overlay, OverlayChange::Overdue)
        };
        // Twice is once.
        for _ in 0..2 {
            sessions.change_overlay(&ada, "pc", &overdue).await.unwrap();
        }
        sessions
            .complete_claim(&work.work_id, claimed.fencing_token)
            .await
            .unwrap();
    }
    let (_, state) = sessions.help_session(&ada, "pc").await.unwrap();
    assert_eq!(state.overlay.unwrap().state(), OverlayState::Failed);
    assert_eq!(
        told(sessions, &ada, "pc").await,
        [
            "overlay_requested ",
            "overlay_requested again",
            "overlay_failed no_ack"
        ]
    );
}

async fn a_reset_takes_a_session(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    open(sessions, &ada, "pd").await;
    show(sessions, &ada, "pd", "k1").await;
    let kept = |bench: &Bench| {
        let dump = bench.dump();
        let of_session = dump.only(|name| name.ends_with(":help:pd"));
        of_session.names().len()
    };
    assert_eq!(kept(bench), 1);
    let report = bench.reset().await;
    assert_eq!(report.conversations, 1);
    let gone = bench.sessions().help_session(&ada, "pd").await;
    assert_eq!(gone, Err(unknown_thread("pd")));
    assert_eq!(kept(bench), 0);
    bench.clock.advance(Duration::from_secs(60));
    assert!(due(bench).await.is_empty());
}
