//! After a restart, and with records that cannot be read.

use turnwise_session_store::{DAMAGED, Key, Write};
use turnwise_session_svc::{
    error::SessionError,
    record,
    sessions::{
        evidence::{BeginEvidence, EvidenceOutcome},
        turns::Begun,
    },
};

use crate::{
    bench::{
        Bench, COURSE, TUTOR, begin, begin_evidence, make_thread, newer, one_more, passed,
        questions, refused, take_full_turn, take_turn,
    },
    cases,
};

cases!(
    #[tokio::test]
    what_was_acknowledged_survives_a_restart,
    a_damaged_record_fails_alone,
    every_kind_of_record_is_named_when_it_is_damaged,
    a_record_of_a_newer_version_is_named,
    a_damaged_thread_is_left_out_of_the_list,
);

async fn what_was_acknowledged_survives_a_restart(bench: &mut Bench) {
    let ada = bench.student("ada");
    make_thread(bench.sessions(), &ada, "t1").await;
    take_turn(bench.sessions(), &ada, "t1", "k").await;
    let read = bench.sessions().get_snapshot(&ada, COURSE).await.unwrap();
    let mut graded = one_more(&read, "g1");
    graded.question_records = vec![passed("Q1")];
    let committed = bench.sessions().commit_evidence(&ada, graded.clone()).await;
    assert_eq!(committed, Ok(EvidenceOutcome::Committed(1)));
    let thread = bench.sessions().get_thread(&ada, TUTOR, "t1", 0, 50).await;
    let snapshot = bench.sessions().get_snapshot(&ada, COURSE).await;

    bench.reopen().await;
    let sessions = bench.sessions();
    assert_eq!(sessions.get_thread(&ada, TUTOR, "t1", 0, 50).await, thread);
    assert_eq!(sessions.get_snapshot(&ada, COURSE).await, snapshot);
    let listed = sessions.list_threads(&ada, TUTOR, None, 5).await.unwrap();
    assert_eq!(listed.threads.len(), 1);
    assert_eq!(questions(sessions, &ada).await, [passed("Q1")]);
    let begun = sessions.begin_turn(&ada, begin("t1", "k")).await;
    assert_eq!(begun, Ok(Begun::Answered("answer to k".into())));
    let outcome = sessions.commit_evidence(&ada, graded).await;
    assert_eq!(
        outcome,
        Ok(EvidenceOutcome::Answered("answer to g1".into()))
    );
    make_thread(sessions, &ada, "t1").await;
    take_turn(sessions, &ada, "t1", "next").await;
}

/// What cannot be read: no version, an older version that does not exist, no checksum, a wrong one, and what a store
/// answers in place of a damaged value.
const UNREADABLE: [&[u8]; 5] = [
    &[],
    &[0, 1],
    &[1, 0xff, 0xff, 0xff],
    &[1, 1, 2, 3, 4, 8, 1],
    DAMAGED,
];

async fn a_damaged_record_fails_alone(bench: &mut Bench) {
    let (ada, bob) = (bench.student("ada"), bench.student("bob"));
    let sessions = bench.sessions();
    for who in [&ada, &bob] {
        make_thread(sessions, who, "t1").await;
        take_turn(sessions, who, "t1", "k").await;
    }
    let (partition, snapshot) = (bench.partition(&ada).await, format!("snapshot:{COURSE}"));
    for (field, record) in [("turn", "turn_state"), ("evidence", "evidence")] {
        for bytes in UNREADABLE {
            bench.put(&partition, &snapshot, field, bytes).await;
            let corrupted = SessionError::RecordCorrupted { record };
            let read = sessions.get_snapshot(&ada, COURSE).await;
            assert_eq!(refused(read), corrupted);
            // A turn that cannot be read takes no lease.
            for _ in 0..2 {
                let begun = sessions.begin_turn(&ada, begin("t1", "next")).await;
                assert_eq!(refused(begun), corrupted);
            }
            sessions.get_thread(&ada, TUTOR, "t1", 0, 10).await.unwrap();
            sessions.get_snapshot(&bob, COURSE).await.unwrap();
        }
        let empty = record::stamp(&[]);
        bench.put(&partition, &snapshot, field, &empty).await;
    }
    take_turn(sessions, &ada, "t1", "next").await;
}

async fn every_kind_of_record_is_named_when_it_is_damaged(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "k").await;
    let partition = bench.partition(&ada).await;
    for bytes in UNREADABLE {
        let corrupted = |record| SessionError::RecordCorrupted { record };
        bench.put(&partition, "turn:turn-k", "facts", bytes).await;
        let log = sessions.turn_log(&ada, "turn-k").await;
        assert_eq!(refused(log), corrupted("turn_log"));
        bench
            .put(&partition, "idempotency:tutor:k", "outcome", bytes)
            .await;
        let begun = sessions.begin_turn(&ada, begin("t1", "k")).await;
        assert_eq!(refused(begun), corrupted("idempotency_entry"));
        let questions = format!("questions:{COURSE}");
        bench.put(&partition, &questions, "Q1", bytes).await;
        let begun = sessions
            .begin_evidence(&ada, begin_evidence("t1", "g"))
            .await;
        assert_eq!(refused(begun), corrupted("question"));
        // A turn that cannot be read takes no lease.
        for _ in 0..2 {
            let begun = sessions.begin_turn(&ada, begin("t1", "next")).await;
            assert_eq!(refused(begun), corrupted("question"));
        }
        let question = Write::Remove {
            key: Key::new(questions),
        };
        bench.write(&partition, question).await;
        let drill = BeginEvidence {
            drill_nonce: Some("nonce".to_owned()),
            ..begin_evidence("t1", "g")
        };
        bench.put(&partition, "nonce:nonce", "verdict", bytes).await;
        let begun = sessions.begin_evidence(&ada, drill).await;
        assert_eq!(refused(begun), corrupted("nonce"));
        bench
            .put(&partition, "interactions:t1", "pending", bytes)
            .await;
        let begun = sessions.begin_turn(&ada, begin("t1", "next")).await;
        assert_eq!(refused(begun), corrupted("pending"));
    }
    bench.put(&partition, "thread:t1", "count", b"many").await;
    let read = sessions.get_thread(&ada, TUTOR, "t1", 0, 10).await;
    let corrupted = SessionError::RecordCorrupted { record: "thread" };
    assert_eq!(refused(read), corrupted);
}

async fn a_record_of_a_newer_version_is_named(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let partition = bench.partition(&ada).await;
    let snapshot = format!("snapshot:{COURSE}");
    bench
        .put(&partition, &snapshot, "evidence", &newer(&[8, 1]))
        .await;
    let version = record::SCHEMA_VERSION + 1;
    let too_new = |record| SessionError::SchemaTooNew { record, version };
    let read = sessions.get_snapshot(&ada, COURSE).await;
    assert_eq!(refused(read), too_new("evidence"));
    bench
        .put(&partition, "thread:t1", "record", &newer(&[]))
        .await;
    let read = sessions.get_thread(&ada, TUTOR, "t1", 0, 10).await;
    assert_eq!(refused(read), too_new("thread"));
    // A flipped bit of the version makes no newer record.
    let mut damaged = newer(&[]);
    damaged[0] ^= 1 << 7;
    bench.put(&partition, "thread:t1", "record", &damaged).await;
    let read = sessions.get_thread(&ada, TUTOR, "t1", 0, 10).await;
    let corrupted = SessionError::RecordCorrupted { record: "thread" };
    assert_eq!(refused(read), corrupted);
}

async fn a_damaged_thread_is_left_out_of_the_list(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for id in ["t1", "t2", "t3"] {
        make_thread(sessions, &ada, id).await;
    }
    bench
        .put(&bench.partition(&ada).await, "thread:t2", "record", &[])
        .await;
    let page = sessions.list_threads(&ada, TUTOR, None, 2).await.unwrap();
    let ids: Vec<_> = page.threads.iter().map(|t| t.thread_id.as_str()).collect();
    assert_eq!(ids, ["t3"]);
    let rest = sessions.list_threads(&ada, TUTOR, page.before, 2).await;
    assert_eq!(rest.unwrap().threads[0].thread_id, "t1");
}
