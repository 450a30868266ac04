//! After a restart, and with records that cannot be read.

use turnwise_session_svc::{
    error::SessionError,
    store::{Begun, EvidenceOutcome},
};

use crate::{
    bench::{
        Bench, COURSE, Damaged, begin, make_thread, one_more, passed, refused, student, take_turn,
    },
    cases,
};

cases!(
    #[tokio::test]
    what_was_acknowledged_survives_a_restart,
    a_damaged_record_fails_alone,
    a_record_of_a_newer_version_is_named,
    a_damaged_thread_is_left_out_of_the_list,
);

async fn what_was_acknowledged_survives_a_restart(bench: &mut Bench) {
    let ada = student("ada");
    make_thread(bench.store(), &ada, "t1").await;
    take_turn(bench.store(), &ada, "t1", "k").await;
    let read = bench.store().get_snapshot(&ada, COURSE).await.unwrap();
    let mut graded = one_more(&read, "g1");
    graded.question_records = vec![passed("Q1")];
    bench
        .store()
        .commit_evidence(&ada, graded.clone())
        .await
        .unwrap();
    let thread = bench.store().get_thread(&ada, "t1", 0, 50).await;
    let snapshot = bench.store().get_snapshot(&ada, COURSE).await;

    bench.reopen().await;
    let store = bench.store();
    assert_eq!(store.get_thread(&ada, "t1", 0, 50).await, thread);
    assert_eq!(store.get_snapshot(&ada, COURSE).await, snapshot);
    assert_eq!(
        store
            .list_threads(&ada, None, 5)
            .await
            .unwrap()
            .threads
            .len(),
        1
    );
    let ids = ["Q1".to_owned()];
    let questions = store.question_records(&ada, COURSE, &ids).await;
    assert_eq!(questions.unwrap(), [Some(passed("Q1"))]);
    let begun = store.begin_turn(&ada, begin("t1", "k")).await;
    assert_eq!(begun, Ok(Begun::Answered("answer to k".into())));
    let outcome = store.commit_evidence(&ada, graded).await;
    assert_eq!(outcome, Ok(EvidenceOutcome::Committed(1)));
    make_thread(store, &ada, "t1").await;
    take_turn(store, &ada, "t1", "next").await;
}

async fn a_damaged_record_fails_alone(bench: &mut Bench) {
    let (ada, bob) = (student("ada"), student("bob"));
    for who in [&ada, &bob] {
        make_thread(bench.store(), who, "t1").await;
        take_turn(bench.store(), who, "t1", "k").await;
    }
    for (what, record) in [
        (Damaged::TurnState, "turn_state"),
        (Damaged::Evidence, "evidence"),
    ] {
        for bytes in [&[1, 0xff, 0xff, 0xff][..], &[0, 1], &[]] {
            bench.damage(&ada, what, COURSE, bytes).await;
            let store = bench.store();
            let corrupted = SessionError::RecordCorrupted { record };
            let snapshot = store.get_snapshot(&ada, COURSE).await;
            assert_eq!(refused(snapshot), corrupted);
            // A turn that cannot be read takes no lease.
            for _ in 0..2 {
                let begun = store.begin_turn(&ada, begin("t1", "next")).await;
                assert_eq!(refused(begun), corrupted);
            }
            store.get_thread(&ada, "t1", 0, 10).await.unwrap();
            store.get_snapshot(&bob, COURSE).await.unwrap();
        }
        bench.damage(&ada, what, COURSE, &[1]).await;
    }
}

async fn a_record_of_a_newer_version_is_named(bench: &mut Bench) {
    let ada = student("ada");
    make_thread(bench.store(), &ada, "t1").await;
    bench
        .damage(&ada, Damaged::Evidence, COURSE, &[2, 8, 1])
        .await;
    let snapshot = bench.store().get_snapshot(&ada, COURSE).await;
    let too_new = |record| SessionError::SchemaTooNew { record, version: 2 };
    assert_eq!(refused(snapshot), too_new("evidence"));
    bench.damage(&ada, Damaged::Thread, "t1", &[2]).await;
    let thread = bench.store().get_thread(&ada, "t1", 0, 10).await;
    assert_eq!(refused(thread), too_new("thread"));
}

async fn a_damaged_thread_is_left_out_of_the_list(bench: &mut Bench) {
    let ada = student("ada");
    for id in ["t1", "t2", "t3"] {
        make_thread(bench.store(), &ada, id).await;
    }
    bench.damage(&ada, Damaged::Thread, "t2", &[]).await;
    let page = bench.store().list_threads(&ada, None, 2).await.unwrap();
    let ids: Vec<_> = page.threads.iter().map(|t| t.thread_id.as_str()).collect();
    assert_eq!(ids, ["t3"]);
    let rest = bench.store().list_threads(&ada, page.before, 2).await;
    assert_eq!(rest.unwrap().threads[0].thread_id, "t1");
}
