//! Threads and their messages: what is stored is read back, in order and in pages.

use std::time::Duration;

use bytes::Bytes;
use turnwise_kit::{Clock, time};
use turnwise_proto::{
    session::v1::{NewEscalation, TurnState},
    tutor::v1::{ExamCard, SessionStatus, TutorCard, tutor_card::Content},
};
use turnwise_session_store::{Key, Write};
use turnwise_session_svc::{
    error::SessionError,
    record::SCHEMA_VERSION,
    sessions::{
        evidence::BeginEvidence,
        threads::{MessagePage, NewThread, ThreadPage},
        turns::BeginTurn,
    },
};

use crate::{
    bench::{
        ANSWERS, Bench, CLASS, COURSE, HELPER, PATIENCE, TUTOR, begin, begin_evidence, commit,
        evidence_start, fresh, idempotency, make_thread, new_thread, refused, started, take_turn,
        texts, unknown_thread,
    },
    cases,
};

cases!(
    #[tokio::test]
    a_thread_reads_back_as_it_was_made,
    a_thread_made_twice_with_one_key_is_one_thread,
    each_kind_has_its_own_keys_for_making_threads,
    threads_come_newest_first_in_pages,
    messages_come_oldest_first_in_pages,
    history_is_as_long_as_asked_for,
    history_goes_back_to_the_card_that_is_worked_on,
    history_goes_back_to_the_last_exam_question,
    a_target_once_locked_stays_locked,
    each_thread_stands_where_its_own_turns_left_it,
    a_thread_keeps_its_kind_and_its_status,
    a_page_of_threads_is_of_one_kind,
    a_thread_of_another_kind_is_answered_as_none,
    a_kind_that_is_not_known_is_none_of_those_that_are,
    an_answer_is_forgotten_after_its_time,
);

async fn a_thread_reads_back_as_it_was_made(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let made = make_thread(sessions, &ada, "t1").await;
    assert_eq!(made, new_thread("t1").thread);
    let page = sessions.get_thread(&ada, TUTOR, "t1", 0, 50).await.unwrap();
    let expected = MessagePage {
        thread: made,
        messages: Vec::new(),
        after: None,
    };
    assert_eq!(page, expected);
}

async fn a_thread_made_twice_with_one_key_is_one_thread(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let made = make_thread(sessions, &ada, "t1").await;
    let mut again = new_thread("t2");
    again.idempotency = new_thread("t1").idempotency;
    assert_eq!(sessions.create_thread(&ada, again.clone()).await, Ok(made));
    again.idempotency.body_hash = idempotency("", 2).body_hash;
    let other_body = sessions.create_thread(&ada, again).await;
    assert_eq!(refused(other_body), SessionError::IdempotencyConflict);
    let page = sessions.list_threads(&ada, TUTOR, None, 10).await.unwrap();
    assert_eq!(page.threads.len(), 1);
}

async fn each_kind_has_its_own_keys_for_making_threads(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for _ in 0..2 {
        for id in ["t1", "h1"] {
            let new = NewThread {
                idempotency: idempotency("the-same-key", 1),
                ..new_thread(id)
            };
            let made = sessions.create_thread(&ada, new).await.unwrap();
            assert_eq!(made, new_thread(id).thread);
        }
    }
}

async fn threads_come_newest_first_in_pages(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    assert_eq!(
        sessions.list_threads(&ada, TUTOR, None, 10).await,
        Ok(ThreadPage::default())
    );
    for id in ["t1", "t2", "t3", "t4", "t5"] {
        make_thread(sessions, &ada, id).await;
    }
    // A turn does not move its thread: pages stay where they are while they are read.
    take_turn(sessions, &ada, "t1", "k").await;
    let mut seen = Vec::new();
    let mut sizes = Vec::new();
    let mut before = None;
    loop {
        let page = sessions.list_threads(&ada, TUTOR, before, 2).await.unwrap();
        sizes.push(page.threads.len());
        seen.extend(page.threads.into_iter().map(|t| t.thread_id));
        before = page.before;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["t5", "t4", "t3", "t2", "t1"]);
    assert_eq!(sizes, [2, 2, 1]);
    let exact = sessions.list_threads(&ada, TUTOR, None, 5).await.unwrap();
    assert_eq!((exact.threads.len(), exact.before), (5, None));
}

async fn messages_come_oldest_first_in_pages(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for key in ["a", "b", "c"] {
        take_turn(sessions, &ada, "t1", key).await;
    }
    let first = sessions.get_thread(&ada, TUTOR, "t1", 0, 4).await.unwrap();
    let ids: Vec<_> = first.messages.iter().map(|m| m.id).collect();
    assert_eq!((ids, first.after), (vec![1, 2, 3, 4], Some(4)));
    assert_eq!(first.thread.message_count, 6);
    let rest = sessions.get_thread(&ada, TUTOR, "t1", 4, 4).await.unwrap();
    let texts: Vec<_> = rest.messages.iter().map(|m| m.text.as_str()).collect();
    assert_eq!((texts, rest.after), (vec!["c", "c"], None));
    let beyond = sessions.get_thread(&ada, TUTOR, "t1", 99, 4).await.unwrap();
    assert_eq!((beyond.messages.len(), beyond.after), (0, None));
}

async fn history_is_as_long_as_asked_for(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for key in ["a", "b", "c"] {
        take_turn(sessions, &ada, "t1", key).await;
    }
    for (limit, expected) in [(0, vec![]), (3, vec![4, 5, 6]), (50, (1..=6).collect())] {
        let mut turn = begin("t1", "k");
        turn.history_limit = limit;
        let start = started(sessions, &ada, turn).await;
        let ids: Vec<i64> = start.recent_messages.iter().map(|m| m.id).collect();
        assert_eq!(ids, expected);
        let token = start.fencing_token;
        sessions.abandon_turn(&ada, "t1", token).await.unwrap();
    }
}

async fn history_goes_back_to_the_card_that_is_worked_on(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for number in 0..30 {
        let key = format!("k{number}");
        let start = started(sessions, &ada, begin("t1", &key)).await;
        let mut turn = commit(&start, &key, &key);
        if number == 2 {
            // The sixth message.
            turn.messages[1].card = Some(TutorCard::default());
            turn.messages[1].create_time = Some(time::to_proto(bench.clock.now()));
        }
        sessions.commit_turn(&ada, turn).await.unwrap();
        for (limit, first) in [(4, 6), (20, 6), (0, 0)] {
            let mut turn = begin("t1", "look");
            turn.history_limit = limit;
            let start = started(sessions, &ada, turn).await;
            let messages = &start.recent_messages;
            let count = start.thread.unwrap().message_count;
            let latest = count - i64::try_from(limit).unwrap() + 1;
            // Where fifty messages came after it, it comes alone.
            let is_beyond = limit > 0 && count - first >= 50;
            let from = if count < 6 || is_beyond {
                latest
            } else {
                latest.min(first)
            };
            let alone = is_beyond.then_some(first);
            let expected: Vec<i64> = alone.into_iter().chain(from.max(1)..=count).collect();
            let ids: Vec<i64> = messages.iter().map(|message| message.id).collect();
            assert_eq!(
                ids,
                if limit == 0 { vec![] } else { expected },
                "{count}, {limit}"
            );
            let token = start.fencing_token;
            sessions.abandon_turn(&ada, "t1", token).await.unwrap();
        }
    }
    // No drill is worked on after a day.
    bench.clock.advance(Duration::from_secs(86_401));
    let mut turn = begin("t1", "look");
    turn.history_limit = 4;
    let start = started(sessions, &ada, turn).await;
    let ids: Vec<i64> = start.recent_messages.iter().map(|m| m.id).collect();
    assert_eq!(ids, [57, 58, 59, 60]);
}

async fn history_goes_back_to_the_last_exam_question(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for number in 0..10 {
        let key = format!("k{number}");
        let start = started(sessions, &ada, begin("t1", &key)).await;
        let mut turn = commit(&start, &key, &key);
        // The sixth message, and the tenth.
        turn.messages[1].card = match number {
            2 => Some(TutorCard {
                content: Some(Content::Exam(ExamCard::default())),
                ..TutorCard::default()
            }),
            4 => Some(TutorCard::default()),
            _ => None,
        };
        sessions.commit_turn(&ada, turn).await.unwrap();
    }
    let mut turn = begin("t1", "look");
    turn.history_limit = 4;
    let partition = bench.partition(&ada).await;
    let forget = |field: &'static str| Write::Unset {
        key: Key::new("thread:t1"),
        fields: vec![field.into()],
    };
    // What an earlier version left of the thread says of neither.
    for (forgotten, first) in [("nothing", 6), ("exam", 10), ("card", 6)] {
        bench.write(&partition, forget(forgotten)).await;
        let start = started(sessions, &ada, turn.clone()).await;
        let ids = start.recent_messages.iter().map(|message| message.id);
        assert_eq!(ids.collect::<Vec<_>>(), (first..=20).collect::<Vec<_>>());
        let token = start.fencing_token;
        sessions.abandon_turn(&ada, "t1", token).await.unwrap();
    }
    // One of the older messages cannot be read.
    let damaged = Write::Append {
        key: Key::new("timeline:t1"),
        entries: vec![Bytes::from_static(b"damaged")],
    };
    bench.write(&partition, damaged).await;
    bench.put(&partition, "thread:t1", "count", b"21").await;
    for key in ["later", "latest"] {
        let mut turn = begin("t1", key);
        turn.history_limit = 0;
        let start = started(sessions, &ada, turn).await;
        let turn = commit(&start, key, key);
        sessions.commit_turn(&ada, turn).await.unwrap();
    }
    let start = started(sessions, &ada, turn).await;
    let ids = start.recent_messages.iter().map(|message| message.id);
    assert_eq!(ids.collect::<Vec<_>>(), [22, 23, 24, 25]);
}

async fn a_target_once_locked_stays_locked(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for (key, lock, expected) in [("a", false, false), ("b", true, true), ("c", false, true)] {
        let start = started(sessions, &ada, begin("t1", key)).await;
        let mut turn = commit(&start, key, key);
        turn.target_locked = lock;
        sessions.commit_turn(&ada, turn).await.unwrap();
        let next = started(sessions, &ada, begin("t1", "look")).await;
        assert_eq!(next.target_locked, expected);
        let token = next.fencing_token;
        sessions.abandon_turn(&ada, "t1", token).await.unwrap();
    }
}

async fn each_thread_stands_where_its_own_turns_left_it(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let at = |focus: &str, target: &str| TurnState {
        focus_unit_id: focus.to_owned(),
        target_unit_id: target.to_owned(),
        ..TurnState::default()
    };
    for (thread, state) in [("t1", at("u1", "u9")), ("t2", at("u2", "u8"))] {
        make_thread(sessions, &ada, thread).await;
        let start = started(sessions, &ada, begin(thread, thread)).await;
        assert_eq!(start.thread_focus, None);
        let mut turn = commit(&start, thread, "said");
        turn.turn_state = Some(state);
        sessions.commit_turn(&ada, turn).await.unwrap();
    }
    // A turn that changes nothing of where the student stands changes nothing of where the thread stands.
    let start = started(sessions, &ada, begin("t1", "b")).await;
    let mut turn = commit(&start, "b", "said");
    turn.turn_state = None;
    sessions.commit_turn(&ada, turn).await.unwrap();

    for (thread, focus, target) in [("t1", "u1", "u9"), ("t2", "u2", "u8")] {
        let start = started(sessions, &ada, begin(thread, "look")).await;
        let evidence = evidence_start(sessions, &ada, begin_evidence(thread, "answer"));
        assert_eq!(evidence.await.thread_focus, start.thread_focus);
        let own = start.thread_focus.unwrap();
        assert_eq!((&*own.focus_unit_id, &*own.target_unit_id), (focus, target));
        // The record has the latest of both threads.
        let latest = start.snapshot.unwrap().turn.unwrap();
        assert_eq!(
            (&*latest.focus_unit_id, &*latest.target_unit_id),
            ("u2", "u8")
        );
        let token = start.fencing_token;
        sessions.abandon_turn(&ada, thread, token).await.unwrap();
    }
}

async fn a_thread_keeps_its_kind_and_its_status(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "h2").await;
    for (thread, kind) in [("t1", TUTOR), ("h2", HELPER)] {
        for (key, escalate, status) in [
            ("a", false, SessionStatus::Active),
            ("b", true, SessionStatus::Active),
            ("c", false, SessionStatus::Escalated),
            ("d", false, SessionStatus::Escalated),
        ] {
            let key = format!("{thread}-{key}");
            let start = started(sessions, &ada, begin(thread, &key)).await;
            assert_eq!((start.kind(), start.session_status()), (kind, status));
            let mut turn = commit(&start, &key, &key);
            turn.escalation = escalate.then(NewEscalation::default);
            sessions.commit_turn(&ada, turn).await.unwrap();
        }
    }
}

async fn a_page_of_threads_is_of_one_kind(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for id in ["t1", "h1", "h2", "t2", "h3", "h4", "t3"] {
        make_thread(sessions, &ada, id).await;
    }
    for (kind, expected) in [
        (TUTOR, vec![vec!["t3", "t2"], vec!["t1"]]),
        (HELPER, vec![vec!["h4", "h3"], vec!["h2", "h1"]]),
    ] {
        let (mut pages, mut before) = (Vec::new(), None);
        loop {
            let page = sessions.list_threads(&ada, kind, before, 2).await.unwrap();
            let ids = page.threads.into_iter().map(|thread| thread.thread_id);
            pages.push(ids.collect::<Vec<_>>());
            before = page.before;
            if before.is_none() {
                break;
            }
        }
        assert_eq!(pages, expected);
    }
}

async fn a_thread_of_another_kind_is_answered_as_none(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for (thread, other) in [("t1", HELPER), ("h1", TUTOR)] {
        make_thread(sessions, &ada, thread).await;
        take_turn(sessions, &ada, thread, "before").await;
        let read = sessions.get_thread(&ada, other, thread, 0, 10).await;
        assert_eq!(refused(read), unknown_thread(thread));
        for course in [COURSE, "chemistry"] {
            let turn = BeginTurn {
                kind: other,
                course_id: course.to_owned(),
                ..begin(thread, "k")
            };
            let begun = sessions.begin_turn(&ada, turn).await;
            assert_eq!(refused(begun), unknown_thread(thread));
            let evidence = BeginEvidence {
                kind: other,
                course_id: course.to_owned(),
                ..begin_evidence(thread, "g")
            };
            let begun = sessions.begin_evidence(&ada, evidence).await;
            assert_eq!(refused(begun), unknown_thread(thread));
        }
        // No lease was taken.
        take_turn(sessions, &ada, thread, "after").await;
        assert_eq!(texts(sessions, &ada, thread).await.len(), 4);
    }
    bench
        .put(&bench.partition(&ada).await, "thread:t1", "kind", b"?")
        .await;
    let begun = sessions.begin_turn(&ada, begin("t1", "k")).await;
    let corrupted = SessionError::RecordCorrupted { record: "thread" };
    assert_eq!(refused(begun), corrupted);
}

async fn a_kind_that_is_not_known_is_none_of_those_that_are(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let partition = bench.partition(&ada).await;
    for (kind, refusal) in [
        (
            &b"99"[..],
            SessionError::SchemaTooNew {
                record: "thread",
                version: SCHEMA_VERSION + 1,
            },
        ),
        (b"0", SessionError::RecordCorrupted { record: "thread" }),
    ] {
        bench.put(&partition, "thread:t1", "kind", kind).await;
        let read = sessions.get_thread(&ada, TUTOR, "t1", 0, 10).await;
        assert_eq!(refused(read), refusal);
        let begun = sessions.begin_turn(&ada, begin("t1", "k")).await;
        assert_eq!(refused(begun), unknown_thread("t1"));
    }
    // A newer version's thread is not damaged: no reset takes it.
    bench.put(&partition, "thread:t1", "kind", b"99").await;
    let reset = sessions
        .reset_class(&bench.actor(), CLASS, "", &fresh(), PATIENCE)
        .await;
    assert!(matches!(refused(reset), SessionError::SchemaTooNew { .. }));
}

async fn an_answer_is_forgotten_after_its_time(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_turn(sessions, &ada, "t1", "k").await;
    bench.runs_out("idempotency:*", ANSWERS);
    // Both keys are fresh again.
    take_turn(sessions, &ada, "t1", "k").await;
    let mut again = new_thread("t2");
    again.idempotency = new_thread("t1").idempotency;
    let made = sessions.create_thread(&ada, again).await.unwrap();
    assert_eq!(made.thread_id, "t2");
}
