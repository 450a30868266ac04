//! A reset as work that outlives its caller: one at a time, and the same key tells how far it is.

use std::time::Duration;

use turnwise_proto::classes::v1::ResetState;
use turnwise_session_svc::{error::SessionError, sessions::Idempotency};

use crate::{
    bench::{
        Bench, CLASS, PATIENCE, fresh,
        gate::{Gate, strips},
        idempotency, make_thread, refused, take_full_turn, texts,
    },
    cases,
};

cases!(
    #[tokio::test]
    one_reset_of_a_class_runs_at_a_time,
    two_that_begin_together_are_one,
);

async fn one_reset_of_a_class_runs_at_a_time(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "k").await;
    let gate = Gate::new(bench.store(), strips);
    let gated = bench.sessions_over(gate.clone());
    let (actor, key) = (bench.actor(), fresh());
    let begin = |key: &Idempotency, wait| {
        let (sessions, actor, key) = (gated.clone(), actor.clone(), key.clone());
        async move { sessions.reset_class(&actor, CLASS, "", &key, wait).await }
    };
    let first = tokio::spawn(begin(&key, PATIENCE));
    gate.arrival().await;

    // Its key tells how far it is, at this replica and at another; no other key may begin one.
    let told = begin(&key, Duration::ZERO).await.unwrap();
    assert_eq!((told.state(), told.threads), (ResetState::Running, 0));
    let elsewhere = sessions.reset_class(&actor, CLASS, "", &key, Duration::ZERO);
    assert_eq!(elsewhere.await.unwrap().state(), ResetState::Running);
    let in_progress = SessionError::ResetInProgress {
        class_id: CLASS.to_owned(),
    };
    let second = fresh();
    let other = sessions.reset_class(&actor, CLASS, "", &second, Duration::ZERO);
    assert_eq!(refused(other.await), in_progress);
    // The key of another request is no key of this one.
    let changed = idempotency(&key.key, 9);
    let changed = sessions.reset_class(&actor, CLASS, "", &changed, Duration::ZERO);
    assert_eq!(refused(changed.await), SessionError::IdempotencyConflict);

    gate.open();
    let done = first.await.unwrap().unwrap();
    assert_eq!((done.state(), done.threads), (ResetState::Done, 1));
    let again = sessions.reset_class(&actor, CLASS, "", &key, PATIENCE);
    assert_eq!(again.await.unwrap(), done);
    assert_eq!(texts(sessions, &ada, "t1").await, [""; 0]);
    // Then the next one may begin.
    let next = sessions.reset_class(&actor, CLASS, "", &second, PATIENCE);
    assert_eq!(next.await.unwrap().state(), ResetState::Done);
    // And the first key still tells what came of it, and removes nothing that was said since.
    take_full_turn(sessions, &ada, "t1", "later").await;
    let late = sessions.reset_class(&actor, CLASS, "", &key, PATIENCE);
    assert_eq!(late.await.unwrap(), done);
    assert!(!texts(sessions, &ada, "t1").await.is_empty());
}

async fn two_that_begin_together_are_one(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "k").await;
    let (actor, key) = (bench.actor(), fresh());
    let replica = bench.replica().await;
    let (one, two) = tokio::join!(
        sessions.reset_class(&actor, CLASS, "", &key, PATIENCE),
        replica.reset_class(&actor, CLASS, "", &key, PATIENCE),
    );
    let one = one.unwrap();
    assert_eq!((one.state(), one.threads), (ResetState::Done, 1));
    assert_eq!(two.unwrap(), one);
    let kinds = |entries: Vec<turnwise_proto::school::v1::AuditEntry>| {
        entries.iter().filter(|e| e.kind == "class-reset").count()
    };
    assert_eq!(kinds(bench.audited().await), 1);
}
