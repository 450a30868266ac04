//! Turns: one answer for each key, and one turn at a time.

use std::time::Duration;

use bytes::Bytes;
use prost::Message;
use turnwise_proto::tutor::v1::{Role, TakeTurnResponse};
use turnwise_session_store::{Key, Write};
use turnwise_session_svc::{
    error::SessionError,
    record,
    sessions::turns::{BeginTurn, Begun},
};

use crate::{
    bench::{
        Bench, COURSE, HELPER, LEASE, THREADS, TUTOR, at, begin, commit, idempotency, make_thread,
        message, refused, sealed, started, take_turn, unknown_thread,
    },
    cases,
};

cases!(
    #[tokio::test]
    a_turn_reads_back,
    a_turn_without_state_leaves_the_state,
    a_second_turn_waits_for_the_first,
    another_thread_does_not_wait,
    a_key_that_was_answered_gives_that_answer,
    an_answer_with_its_messages_comes_back_as_it_was,
    an_answer_that_another_version_stored_comes_back_as_it_was,
    an_answer_that_may_outlive_its_messages_has_them,
    an_answered_key_is_answered_while_another_turn_runs,
    a_key_with_another_body_is_refused,
    a_key_of_another_thread_is_refused,
    an_answer_is_of_one_kind_of_conversation,
    a_commit_sent_again_changes_nothing,
    a_commit_with_wrong_message_ids_writes_nothing,
    a_commit_for_another_course_is_refused,
    what_a_turn_carries_does_not_grow_with_its_thread,
);

/// More bytes than a turn of the tutor's carries from its start to its commit.
const MOST_CARRIED: usize = 64;

async fn what_a_turn_carries_does_not_grow_with_its_thread(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let text = "a long question ".repeat(100);
    for at in 0..40 {
        let key = format!("k{at}");
        let start = started(sessions, &ada, begin("t1", &key)).await;
        let carried = start.carry.len();
        assert!(
            (1..=MOST_CARRIED).contains(&carried),
            "turn {at}: {carried}"
        );
        let turn = commit(&start, &key, &text);
        sessions.commit_turn(&ada, turn).await.unwrap();
    }
}

async fn a_turn_reads_back(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let made = make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    assert_eq!(start.thread, Some(made));
    assert_eq!(start.recent_messages, []);
    assert_eq!(start.lease_ttl, prost_types::Duration::try_from(LEASE).ok());
    assert!(!start.target_locked);
    assert_eq!(start.snapshot.as_ref().unwrap().turn, None);

    let turn = commit(&start, "k", "hello");
    sessions.commit_turn(&ada, turn.clone()).await.unwrap();
    let page = sessions.get_thread(&ada, TUTOR, "t1", 0, 50).await.unwrap();
    assert_eq!(page.messages, turn.messages);
    assert_eq!(page.thread.message_count, 2);
    assert!(page.thread.update_time.unwrap().seconds >= 1_767_225_600);
    assert_eq!(page.thread.create_time, Some(at(100)));
    let next = started(sessions, &ada, begin("t1", "next")).await;
    assert_eq!(next.recent_messages, turn.messages);
    assert_eq!(next.snapshot.unwrap().turn, turn.turn_state);
    assert_eq!(next.thread, Some(page.thread));
    assert!(next.fencing_token > start.fencing_token);
}

async fn a_turn_without_state_leaves_the_state(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_turn(sessions, &ada, "t1", "first").await;
    let start = started(sessions, &ada, begin("t1", "second")).await;
    let mut turn = commit(&start, "second", "second");
    turn.turn_state = None;
    sessions.commit_turn(&ada, turn).await.unwrap();
    let snapshot = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!(snapshot.turn.unwrap().focus_unit_id, "first");
}

async fn a_second_turn_waits_for_the_first(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "first")).await;
    for key in ["second", "first"] {
        match refused(sessions.begin_turn(&ada, begin("t1", key)).await) {
            SessionError::TurnInProgress {
                same_request,
                lease_remainder,
            } => {
                assert_eq!(same_request, key == "first");
                assert!(lease_remainder <= LEASE && lease_remainder > Duration::ZERO);
            }
            other => panic!("{other}"),
        }
    }
    let turn = commit(&start, "first", "first");
    sessions.commit_turn(&ada, turn).await.unwrap();
    started(sessions, &ada, begin("t1", "second")).await;
}

async fn another_thread_does_not_wait(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "t2").await;
    started(sessions, &ada, begin("t1", "first")).await;
    started(sessions, &ada, begin("t2", "second")).await;
}

async fn a_key_that_was_answered_gives_that_answer(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_turn(sessions, &ada, "t1", "k").await;
    for _ in 0..2 {
        let begun = sessions.begin_turn(&ada, begin("t1", "k")).await.unwrap();
        assert_eq!(begun, Begun::Answered("answer to k".into()));
    }
    // Answering took no lease.
    started(sessions, &ada, begin("t1", "next")).await;
}

async fn an_answer_with_its_messages_comes_back_as_it_was(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    // The second text is not stored as it was said.
    let texts = ["a word of its own", "write to ada@example.org", "another"];
    let mut answers = Vec::new();
    for (key, text) in ["k1", "k2", "k3"].into_iter().zip(texts) {
        let start = started(sessions, &ada, begin("t1", key)).await;
        let mut turn = commit(&start, key, text);
        turn.turn_state = None;
        let answer = TakeTurnResponse {
            turn_id: key.to_owned(),
            messages: turn.messages.clone(),
            model: "some model".to_owned(),
            ..TakeTurnResponse::default()
        };
        turn.answer = answer.encode_to_vec().into();
        answers.push((key, turn.answer.clone()));
        sessions.commit_turn(&ada, turn).await.unwrap();
    }
    for (key, answer) in answers {
        let again = sessions.begin_turn(&ada, begin("t1", key)).await;
        assert_eq!(again, Ok(Begun::Answered(answer)));
    }
    // What both have stands once.
    let partition = bench.partition(&ada).await;
    let timeline = format!("{}:timeline:t1", partition.as_str());
    assert_eq!(bench.dump().holding(texts[0]), [timeline]);
}

/// An answer without its messages, as it is stored.
#[derive(Clone, PartialEq, Message)]
struct Parts {
    #[prost(int64, tag = "1")]
    first: i64,
    #[prost(bytes = "bytes", repeated, tag = "2")]
    parts: Vec<Bytes>,
    #[prost(fixed32, tag = "3")]
    crc32: u32,
}

async fn an_answer_that_another_version_stored_comes_back_as_it_was(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_turn(sessions, &ada, "t1", "k").await;
    // Field 99, which this version does not know.
    let known = message("t1", 3, Role::Assistant, "hello").encode_to_vec();
    let newer = [&known[..], &[0x98, 0x06, 1]].concat();
    let partition = bench.partition(&ada).await;
    let append = Write::Append {
        key: Key::new("timeline:t1"),
        entries: vec![record::stamp(&newer)],
    };
    bench.write(&partition, append).await;
    let answer = Bytes::from([&b"before"[..], &newer, b"after"].concat());
    let right = crc32fast::hash(&answer);
    let damaged = SessionError::RecordCorrupted {
        record: "idempotency_entry",
    };
    for (crc32, expected) in [
        (right, Ok(Begun::Answered(answer))),
        (right ^ 1, Err(damaged)),
    ] {
        let parts = Parts {
            first: 3,
            parts: vec!["before".into(), "after".into()],
            crc32,
        };
        let stored = sealed(3, &record::stamp(&parts.encode_to_vec()));
        bench
            .put(&partition, "idempotency:tutor:k", "outcome", &stored)
            .await;
        assert_eq!(sessions.begin_turn(&ada, begin("t1", "k")).await, expected);
    }
}

async fn an_answer_that_may_outlive_its_messages_has_them(bench: &mut Bench) {
    bench
        .limit(|limits| limits.idempotency_ttl = THREADS / 2)
        .await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let mut turn = commit(&start, "k", "a word of its own");
    turn.turn_state = None;
    let answer = TakeTurnResponse {
        messages: turn.messages.clone(),
        ..TakeTurnResponse::default()
    };
    turn.answer = answer.encode_to_vec().into();
    let answer = turn.answer.clone();
    sessions.commit_turn(&ada, turn).await.unwrap();
    let timeline = Write::Remove {
        key: Key::new("timeline:t1"),
    };
    bench.write(&bench.partition(&ada).await, timeline).await;
    let again = sessions.begin_turn(&ada, begin("t1", "k")).await;
    assert_eq!(again, Ok(Begun::Answered(answer)));
}

async fn an_answered_key_is_answered_while_another_turn_runs(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_turn(sessions, &ada, "t1", "k").await;
    started(sessions, &ada, begin("t1", "running")).await;
    let begun = sessions.begin_turn(&ada, begin("t1", "k")).await.unwrap();
    assert_eq!(begun, Begun::Answered("answer to k".into()));
}

async fn a_key_with_another_body_is_refused(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let mut other = begin("t1", "k");
    other.idempotency = idempotency("k", 8);
    // Refused while the turn runs, and when it is done.
    let running = sessions.begin_turn(&ada, other.clone()).await;
    assert_eq!(refused(running), SessionError::IdempotencyConflict);
    let turn = commit(&start, "k", "k");
    sessions.commit_turn(&ada, turn.clone()).await.unwrap();
    let done = sessions.begin_turn(&ada, other).await;
    assert_eq!(refused(done), SessionError::IdempotencyConflict);
    let mut other = turn;
    other.idempotency = idempotency("k", 8);
    let committed = sessions.commit_turn(&ada, other).await;
    assert_eq!(refused(committed), SessionError::IdempotencyConflict);
}

async fn a_key_of_another_thread_is_refused(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "t2").await;
    let both = started(sessions, &ada, begin("t2", "k")).await;
    take_turn(sessions, &ada, "t1", "k").await;
    let late = sessions.commit_turn(&ada, commit(&both, "k", "k")).await;
    assert_eq!(refused(late), SessionError::IdempotencyConflict);
    let begun = sessions.begin_turn(&ada, begin("t2", "k")).await;
    assert_eq!(refused(begun), SessionError::IdempotencyConflict);
}

async fn a_commit_sent_again_changes_nothing(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let turn = commit(&start, "k", "k");
    for _ in 0..3 {
        sessions.commit_turn(&ada, turn.clone()).await.unwrap();
    }
    take_turn(sessions, &ada, "t1", "next").await;
    sessions.commit_turn(&ada, turn).await.unwrap();
    let page = sessions.get_thread(&ada, TUTOR, "t1", 0, 50).await.unwrap();
    assert_eq!(page.messages.len(), 4);
    let snapshot = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!(snapshot.turn.unwrap().focus_unit_id, "next");
}

async fn a_commit_with_wrong_message_ids_writes_nothing(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let good = commit(&start, "k", "k");
    for (ids, expected) in [
        ([2, 3], Some(1)),
        ([0, 1], None),
        ([1, 3], None),
        ([1, 1], None),
    ] {
        let mut bad = good.clone();
        for (message, id) in bad.messages.iter_mut().zip(ids) {
            message.id = id;
        }
        let error = refused(sessions.commit_turn(&ada, bad).await);
        assert_eq!(error, SessionError::MessageIds { expected });
    }
    // The lease is still held.
    sessions.commit_turn(&ada, good).await.unwrap();
}

async fn an_answer_is_of_one_kind_of_conversation(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "h1").await;
    take_turn(sessions, &ada, "t1", "k").await;
    // The same key and the same words: the tutor's answer is none of the helper's.
    let of_helper = BeginTurn {
        kind: HELPER,
        ..begin("t1", "k")
    };
    let begun = sessions.begin_turn(&ada, of_helper).await;
    assert_eq!(refused(begun), unknown_thread("t1"));
    let start = started(sessions, &ada, begin("h1", "k")).await;
    let turn = commit(&start, "k", "helped");
    sessions.commit_turn(&ada, turn).await.unwrap();
    for (thread, answer) in [("t1", "answer to k"), ("h1", "answer to helped")] {
        let again = sessions.begin_turn(&ada, begin(thread, "k")).await;
        assert_eq!(again, Ok(Begun::Answered(answer.into())));
    }
}

async fn a_commit_for_another_course_is_refused(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let other_course = SessionError::OtherCourse {
        course_id: "chemistry".to_owned(),
    };
    let mut turn = begin("t1", "k");
    turn.course_id = "chemistry".to_owned();
    assert_eq!(refused(sessions.begin_turn(&ada, turn).await), other_course);
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let mut turn = commit(&start, "k", "k");
    turn.course_id = "chemistry".to_owned();
    assert_eq!(
        refused(sessions.commit_turn(&ada, turn).await),
        other_course
    );
}
