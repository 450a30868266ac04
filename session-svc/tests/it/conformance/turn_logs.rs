//! The logs of turns: read back whole for as long as they are kept.

use turnwise_session_svc::error::SessionError;

use crate::{
    bench::{
        Bench, HELPER, TURN_LOGS, TUTOR, begin, full_commit, make_thread, refused, started,
        take_full_turn,
    },
    cases,
};

cases!(
    #[tokio::test]
    the_log_of_a_turn_reads_back,
    a_log_says_of_which_kind_its_thread_is,
    a_turn_of_somebody_else_is_unknown,
    a_log_ends_after_its_time,
);

fn unknown(id: &str) -> SessionError {
    SessionError::UnknownTurn {
        turn_id: id.to_owned(),
    }
}

async fn the_log_of_a_turn_reads_back(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let mut turn = full_commit(&start, "k", "the chain");
    let log = turn.turn_log.as_mut().unwrap();
    // What the caller says of these is not read.
    log.erased = true;
    log.thread_id = "elsewhere".to_owned();
    sessions.commit_turn(&ada, turn).await.unwrap();
    let log = sessions.turn_log(&ada, "turn-k").await.unwrap();
    assert_eq!(
        (&log.facts[..], &log.text[..]),
        (&b"facts"[..], &b"the chain"[..])
    );
    assert_eq!(
        (log.turn_id.as_str(), log.thread_id.as_str()),
        ("turn-k", "t1")
    );
    assert!(!log.erased);
    assert!(log.create_time.unwrap().seconds >= 1_767_225_600);
    let unlogged = sessions.turn_log(&ada, "turn-none").await;
    assert_eq!(refused(unlogged), unknown("turn-none"));
}

async fn a_log_says_of_which_kind_its_thread_is(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for (thread, kind, other) in [("t1", TUTOR, HELPER), ("h1", HELPER, TUTOR)] {
        make_thread(sessions, &ada, thread).await;
        let start = started(sessions, &ada, begin(thread, thread)).await;
        let mut turn = full_commit(&start, thread, "the chain");
        // What the caller says of it is not read.
        turn.turn_log.as_mut().unwrap().set_kind(other);
        sessions.commit_turn(&ada, turn).await.unwrap();
        let log = sessions.turn_log(&ada, &format!("turn-{thread}")).await;
        assert_eq!(log.unwrap().kind(), kind);
    }
}

async fn a_turn_of_somebody_else_is_unknown(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "k").await;
    let log = sessions.turn_log(&bench.student("bob"), "turn-k").await;
    assert_eq!(refused(log), unknown("turn-k"));
}

async fn a_log_ends_after_its_time(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "k").await;
    sessions.turn_log(&ada, "turn-k").await.unwrap();
    bench.runs_out("turn:turn-k", TURN_LOGS);
    let log = sessions.turn_log(&ada, "turn-k").await;
    assert_eq!(refused(log), unknown("turn-k"));
    take_full_turn(sessions, &ada, "t1", "later").await;
    sessions.turn_log(&ada, "turn-later").await.unwrap();
}
