//! Leases and fencing: who lost the thread writes nothing.

use std::time::Duration;

use turnwise_session_svc::{error::SessionError, store::StudentKey};

use crate::{
    bench::{Bench, LEASE, NEARLY, begin, commit, make_thread, refused, started, student},
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
    let (ada, store) = (student("ada"), bench.store());
    make_thread(store, &ada, "t1").await;
    let start = started(store, &ada, begin("t1", "k")).await;
    bench.leases_run_out().await;
    let late = store.commit_turn(&ada, commit(&start, "k", "k")).await;
    assert_eq!(refused(late), SessionError::LeaseLost);
    // The same key begins anew.
    let again = started(store, &ada, begin("t1", "k")).await;
    assert_eq!(again.thread, start.thread);
    assert_eq!(again.snapshot, start.snapshot);
}

async fn a_commit_after_another_turn_began_writes_nothing(bench: &mut Bench) {
    let (ada, store) = (student("ada"), bench.store());
    make_thread(store, &ada, "t1").await;
    let slow = started(store, &ada, begin("t1", "slow")).await;
    bench.leases_run_out().await;
    let quick = started(store, &ada, begin("t1", "quick")).await;
    assert!(quick.fencing_token > slow.fencing_token);
    let late = store.commit_turn(&ada, commit(&slow, "slow", "slow")).await;
    assert_eq!(refused(late), SessionError::LeaseLost);
    let turn = commit(&quick, "quick", "quick");
    store.commit_turn(&ada, turn.clone()).await.unwrap();
    let page = store.get_thread(&ada, "t1", 0, 50).await.unwrap();
    assert_eq!(page.messages, turn.messages);
    let late = store.commit_turn(&ada, commit(&slow, "slow", "slow")).await;
    assert_eq!(refused(late), SessionError::LeaseLost);
}

async fn a_renewed_lease_lasts(bench: &mut Bench) {
    let (ada, store) = (student("ada"), bench.store());
    make_thread(store, &ada, "t1").await;
    let start = started(store, &ada, begin("t1", "k")).await;
    let token = start.fencing_token;
    for _ in 0..3 {
        bench.leases_nearly_run_out().await;
        assert!(remainder(bench, &ada).await <= NEARLY);
        assert_eq!(store.renew_lease(&ada, "t1", token).await, Ok(LEASE));
        assert!(remainder(bench, &ada).await > LEASE / 2);
    }
    store
        .commit_turn(&ada, commit(&start, "k", "k"))
        .await
        .unwrap();
}

async fn a_lost_lease_cannot_be_renewed(bench: &mut Bench) {
    let (ada, store) = (student("ada"), bench.store());
    make_thread(store, &ada, "t1").await;
    let lost = Err(SessionError::LeaseLost);
    let start = started(store, &ada, begin("t1", "k")).await;
    let token = start.fencing_token;
    assert_eq!(store.renew_lease(&ada, "t1", token + 1).await, lost);
    assert_eq!(store.renew_lease(&student("bob"), "t1", token).await, lost);
    assert_eq!(store.renew_lease(&ada, "none", token).await, lost);
    bench.leases_run_out().await;
    assert_eq!(store.renew_lease(&ada, "t1", token).await, lost);
    let next = started(store, &ada, begin("t1", "next")).await;
    assert_eq!(store.renew_lease(&ada, "t1", token).await, lost);
    store
        .commit_turn(&ada, commit(&next, "next", "x"))
        .await
        .unwrap();
    let done = store.renew_lease(&ada, "t1", next.fencing_token).await;
    assert_eq!(done, lost);
}

async fn an_abandoned_turn_frees_the_thread(bench: &mut Bench) {
    let (ada, store) = (student("ada"), bench.store());
    make_thread(store, &ada, "t1").await;
    let start = started(store, &ada, begin("t1", "k")).await;
    let token = start.fencing_token;
    for _ in 0..2 {
        store.abandon_turn(&ada, "t1", token).await.unwrap();
    }
    let late = store.commit_turn(&ada, commit(&start, "k", "k")).await;
    assert_eq!(refused(late), SessionError::LeaseLost);
    started(store, &ada, begin("t1", "k")).await;
}

async fn a_stranger_cannot_abandon_a_turn(bench: &mut Bench) {
    let (ada, store) = (student("ada"), bench.store());
    make_thread(store, &ada, "t1").await;
    let start = started(store, &ada, begin("t1", "k")).await;
    let token = start.fencing_token;
    store.abandon_turn(&ada, "t1", token - 1).await.unwrap();
    let bob = student("bob");
    store.abandon_turn(&bob, "t1", token).await.unwrap();
    store.abandon_turn(&ada, "none", token).await.unwrap();
    store
        .commit_turn(&ada, commit(&start, "k", "k"))
        .await
        .unwrap();
}

async fn a_token_of_before_the_restart_commits_nothing_twice(bench: &mut Bench) {
    let ada = student("ada");
    make_thread(bench.store(), &ada, "t1").await;
    let start = started(bench.store(), &ada, begin("t1", "old")).await;
    bench.reopen().await;
    bench.leases_run_out().await;
    let store = bench.store();
    let next = started(store, &ada, begin("t1", "new")).await;
    assert_ne!(next.fencing_token, start.fencing_token);
    let late = store.commit_turn(&ada, commit(&start, "old", "old")).await;
    assert_eq!(refused(late), SessionError::LeaseLost);
    store
        .commit_turn(&ada, commit(&next, "new", "new"))
        .await
        .unwrap();
    let page = store.get_thread(&ada, "t1", 0, 50).await.unwrap();
    assert_eq!(page.messages[0].text, "new");
}

async fn fencing_tokens_rise_over_restarts(bench: &mut Bench) {
    let ada = student("ada");
    make_thread(bench.store(), &ada, "t1").await;
    let mut last = 0;
    for round in 0..3 {
        for turn in 0..3 {
            let key = format!("k{round}{turn}");
            let start = started(bench.store(), &ada, begin("t1", &key)).await;
            assert!(start.fencing_token > last);
            last = start.fencing_token;
            bench.store().abandon_turn(&ada, "t1", last).await.unwrap();
        }
        bench.reopen().await;
    }
}

/// How long the lease of the turn that runs in `t1` lasts.
async fn remainder(bench: &Bench, ada: &StudentKey) -> Duration {
    match refused(bench.store().begin_turn(ada, begin("t1", "second")).await) {
        SessionError::TurnInProgress { lease_remainder } => lease_remainder,
        other => panic!("{other}"),
    }
}
