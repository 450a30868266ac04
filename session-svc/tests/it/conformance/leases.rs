//! Leases and fencing: who lost the thread writes nothing.

use std::time::Duration;

use turnwise_session_store::StudentKey;
use turnwise_session_svc::error::SessionError;

use crate::{
    bench::{Bench, NEARLY, TUTOR, begin, commit, make_thread, refused, started},
    cases,
};

cases!(
    #[tokio::test]
    a_commit_after_the_lease_ran_out_writes_nothing,
    a_commit_after_another_turn_began_writes_nothing,
    a_renewed_lease_lasts,
    a_lost_lease_cannot_be_renewed,
    an_abandoned_turn_frees_the_thread,
    a_stranger_cannot_abandon_a_turn,
    a_token_of_before_the_restart_commits_nothing_twice,
    fencing_tokens_rise_over_restarts,
);

async fn a_commit_after_the_lease_ran_out_writes_nothing(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    bench.leases_run_out().await;
    let late = sessions.commit_turn(&ada, commit(&start, "k", "k")).await;
    assert_eq!(refused(late), SessionError::LeaseLost);
    // The same key begins anew.
    let again = started(sessions, &ada, begin("t1", "k")).await;
    assert_eq!(again.thread, start.thread);
    assert_eq!(again.snapshot, start.snapshot);
}

async fn a_commit_after_another_turn_began_writes_nothing(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let slow = started(sessions, &ada, begin("t1", "slow")).await;
    bench.leases_run_out().await;
    let quick = started(sessions, &ada, begin("t1", "quick")).await;
    assert!(quick.fencing_token > slow.fencing_token);
    let late = sessions
        .commit_turn(&ada, commit(&slow, "slow", "slow"))
        .await;
    assert_eq!(refused(late), SessionError::LeaseLost);
    let turn = commit(&quick, "quick", "quick");
    sessions.commit_turn(&ada, turn.clone()).await.unwrap();
    let page = sessions.get_thread(&ada, TUTOR, "t1", 0, 50).await.unwrap();
    assert_eq!(page.messages, turn.messages);
    let late = sessions
        .commit_turn(&ada, commit(&slow, "slow", "slow"))
        .await;
    assert_eq!(refused(late), SessionError::LeaseLost);
}

async fn a_renewed_lease_lasts(bench: &mut Bench) {
    let lease = 10 * NEARLY;
    bench.limit(|limits| limits.lease_ttl = lease).await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let token = start.fencing_token;
    for _ in 0..3 {
        bench.leases_nearly_run_out().await;
        assert!(remainder(bench, &ada).await <= NEARLY);
        assert_eq!(sessions.renew_lease(&ada, "t1", token).await, Ok(lease));
        assert!(remainder(bench, &ada).await > lease / 2);
    }
    sessions
        .commit_turn(&ada, commit(&start, "k", "k"))
        .await
        .unwrap();
}

async fn a_lost_lease_cannot_be_renewed(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let lost = Err(SessionError::LeaseLost);
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let token = start.fencing_token;
    assert_eq!(sessions.renew_lease(&ada, "t1", token + 1).await, lost);
    assert_eq!(
        sessions
            .renew_lease(&bench.student("bob"), "t1", token)
            .await,
        lost
    );
    assert_eq!(sessions.renew_lease(&ada, "none", token).await, lost);
    bench.leases_run_out().await;
    assert_eq!(sessions.renew_lease(&ada, "t1", token).await, lost);
    let next = started(sessions, &ada, begin("t1", "next")).await;
    assert_eq!(sessions.renew_lease(&ada, "t1", token).await, lost);
    sessions
        .commit_turn(&ada, commit(&next, "next", "x"))
        .await
        .unwrap();
    let done = sessions.renew_lease(&ada, "t1", next.fencing_token).await;
    assert_eq!(done, lost);
}

async fn an_abandoned_turn_frees_the_thread(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let token = start.fencing_token;
    for _ in 0..2 {
        sessions.abandon_turn(&ada, "t1", token).await.unwrap();
    }
    let late = sessions.commit_turn(&ada, commit(&start, "k", "k")).await;
    assert_eq!(refused(late), SessionError::LeaseLost);
    started(sessions, &ada, begin("t1", "k")).await;
}

async fn a_stranger_cannot_abandon_a_turn(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let token = start.fencing_token;
    sessions.abandon_turn(&ada, "t1", token - 1).await.unwrap();
    let bob = bench.student("bob");
    sessions.abandon_turn(&bob, "t1", token).await.unwrap();
    sessions.abandon_turn(&ada, "none", token).await.unwrap();
    sessions
        .commit_turn(&ada, commit(&start, "k", "k"))
        .await
        .unwrap();
}

async fn a_token_of_before_the_restart_commits_nothing_twice(bench: &mut Bench) {
    let ada = bench.student("ada");
    make_thread(bench.sessions(), &ada, "t1").await;
    let start = started(bench.sessions(), &ada, begin("t1", "old")).await;
    bench.reopen().await;
    bench.leases_run_out().await;
    let sessions = bench.sessions();
    let next = started(sessions, &ada, begin("t1", "new")).await;
    assert_ne!(next.fencing_token, start.fencing_token);
    let late = sessions
        .commit_turn(&ada, commit(&start, "old", "old"))
        .await;
    assert_eq!(refused(late), SessionError::LeaseLost);
    sessions
        .commit_turn(&ada, commit(&next, "new", "new"))
        .await
        .unwrap();
    let page = sessions.get_thread(&ada, TUTOR, "t1", 0, 50).await.unwrap();
    assert_eq!(page.messages[0].text, "new");
}

async fn fencing_tokens_rise_over_restarts(bench: &mut Bench) {
    let ada = bench.student("ada");
    make_thread(bench.sessions(), &ada, "t1").await;
    let mut last = 0;
    for round in 0..3 {
        for turn in 0..3 {
            let key = format!("k{round}{turn}");
            let start = started(bench.sessions(), &ada, begin("t1", &key)).await;
            assert!(start.fencing_token > last);
            last = start.fencing_token;
            bench
                .sessions()
                .abandon_turn(&ada, "t1", last)
                .await
                .unwrap();
        }
        bench.reopen().await;
    }
}

/// How long the lease of the turn that runs in `t1` lasts.
async fn remainder(bench: &Bench, ada: &StudentKey) -> Duration {
    match refused(
        bench
            .sessions()
            .begin_turn(ada, begin("t1", "second"))
            .await,
    ) {
        SessionError::TurnInProgress {
            lease_remainder, ..
        } => lease_remainder,
        other => panic!("{other}"),
    }
}
