//! The event log: in order, in both directions, with the messages that events stand for.

use std::collections::HashSet;

use turnwise_proto::session::v1::Event;
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    sessions::{
        Sessions,
        events::{AppendEvents, MESSAGE, Page},
    },
};

use crate::{
    bench::{
        Bench, TUTOR, begin, commit, event, full_commit, idempotency, make_thread, refused,
        started, take_turn, unknown_thread,
    },
    cases,
};

cases!(
    #[tokio::test]
    a_turn_leaves_an_event_for_each_message_and_then_its_own,
    a_log_without_events_is_a_page,
    events_come_in_both_directions_in_pages,
    messages_are_joined_however_a_page_is_cut,
    events_outside_of_turns_are_appended_once,
    events_do_not_wait_for_a_turn,
    a_log_of_somebody_else_is_unknown,
);

fn append(thread: &str, key: &str, texts: &[&str]) -> AppendEvents {
    AppendEvents {
        thread_id: thread.to_owned(),
        events: texts.iter().map(|text| event("note", text)).collect(),
        idempotency: idempotency(key, 4),
        alert: None,
    }
}

async fn all(sessions: &Sessions, student: &StudentKey) -> Vec<Event> {
    let page = sessions.list_events(student, "t1", Page::After(0), 1000);
    let page = page.await.unwrap();
    assert!(!page.more);
    page.events
}

fn ids(events: &[Event]) -> Vec<i64> {
    events.iter().map(|event| event.id).collect()
}

async fn a_turn_leaves_an_event_for_each_message_and_then_its_own(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let turn = full_commit(&start, "k", "hello");
    sessions.commit_turn(&ada, turn.clone()).await.unwrap();
    let events = all(sessions, &ada).await;
    assert_eq!(ids(&events), [1, 2, 3]);
    let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, [MESSAGE, MESSAGE, "turn"]);
    let names: HashSet<_> = events.iter().map(|event| &event.event_id).collect();
    assert_eq!(names.len(), 3);
    for event in &events {
        assert_eq!(
            (event.session_id.as_str(), event.event_id.len()),
            ("t1", 36)
        );
        assert_eq!(event.contract_version, "v1");
        assert!(event.create_time.is_some());
    }
    for ((event, message), role) in events.iter().zip(&turn.messages).zip(["user", "assistant"]) {
        assert_eq!(event.message.as_ref(), Some(message));
        assert_eq!(event.facts["role"], role);
        assert_eq!(event.facts["message_id"], message.id.to_string());
        assert_eq!(event.text, "");
    }
    let own = &events[2];
    assert_eq!((own.text.as_str(), &own.message), ("hello", &None));
    assert_eq!(
        (own.related_id.as_str(), own.in_reply_to.as_str()),
        ("r", "p")
    );
    assert_eq!(own.facts["fact"], "value");
    // Sent again, the turn leaves nothing more.
    sessions.commit_turn(&ada, turn).await.unwrap();
    assert_eq!(all(sessions, &ada).await, events);
}

async fn a_log_without_events_is_a_page(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for page in [Page::After(0), Page::After(7), Page::Before(i64::MAX)] {
        let page = sessions.list_events(&ada, "t1", page, 10).await.unwrap();
        assert_eq!((page.events, page.more), (vec![], false));
    }
}

async fn events_come_in_both_directions_in_pages(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for number in 0..5 {
        let five = append("t1", &format!("e{number}"), &["a", "b", "c", "d", "e"]);
        sessions.append_events(&ada, five).await.unwrap();
    }
    for (page, limit, expected, more) in [
        (Page::After(0), 10, (1..=10).collect::<Vec<_>>(), true),
        (Page::After(10), 10, (11..=20).collect(), true),
        (Page::After(20), 5, (21..=25).collect(), false),
        (Page::After(20), 10, (21..=25).collect(), false),
        (Page::After(25), 10, vec![], false),
        (Page::Before(i64::MAX), 10, (16..=25).rev().collect(), true),
        (Page::Before(16), 15, (1..=15).rev().collect(), false),
        (Page::Before(16), 14, (2..=15).rev().collect(), true),
        (Page::Before(1), 10, vec![], false),
    ] {
        let found = sessions.list_events(&ada, "t1", page, limit).await.unwrap();
        assert_eq!(
            (ids(&found.events), found.more),
            (expected, more),
            "{page:?}"
        );
    }
}

async fn messages_are_joined_however_a_page_is_cut(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for key in ["a", "b", "c", "d"] {
        let start = started(sessions, &ada, begin("t1", key)).await;
        let turn = full_commit(&start, key, key);
        sessions.commit_turn(&ada, turn).await.unwrap();
    }
    let messages = sessions
        .get_thread(&ada, TUTOR, "t1", 0, 100)
        .await
        .unwrap()
        .messages;
    let whole = all(sessions, &ada).await;
    let joined: Vec<_> = whole.iter().filter_map(|e| e.message.clone()).collect();
    assert_eq!(joined, messages);
    for after in 0..12 {
        for limit in 1..5 {
            let page = Page::After(after);
            let page = sessions.list_events(&ada, "t1", page, limit).await.unwrap();
            let from = after as usize;
            let to = (from + limit).min(whole.len());
            assert_eq!(page.events, whole[from..to]);
            let page = Page::Before(after);
            let page = sessions.list_events(&ada, "t1", page, limit).await.unwrap();
            let expected = whole.iter().rev().filter(|event| event.id < after);
            assert!(page.events.iter().eq(expected.take(limit)));
        }
    }
}

async fn events_outside_of_turns_are_appended_once(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for id in ["t1", "t2"] {
        make_thread(sessions, &ada, id).await;
    }
    for _ in 0..3 {
        let two = append("t1", "e", &["a", "b"]);
        sessions.append_events(&ada, two).await.unwrap();
    }
    assert_eq!(ids(&all(sessions, &ada).await), [1, 2]);
    let mut other = append("t1", "e", &["c"]);
    other.idempotency = idempotency("e", 5);
    let conflict = SessionError::IdempotencyConflict;
    assert_eq!(refused(sessions.append_events(&ada, other).await), conflict);
    let elsewhere = sessions.append_events(&ada, append("t2", "e", &["a", "b"]));
    assert_eq!(refused(elsewhere.await), conflict);
    let nowhere = sessions.append_events(&ada, append("none", "f", &["a"]));
    assert_eq!(refused(nowhere.await), unknown_thread("none"));
    assert_eq!(ids(&all(sessions, &ada).await), [1, 2]);
    // Keys of events and keys of turns are not the same keys.
    take_turn(sessions, &ada, "t1", "e").await;
}

async fn events_do_not_wait_for_a_turn(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let meanwhile = append("t1", "e", &["meanwhile"]);
    sessions.append_events(&ada, meanwhile).await.unwrap();
    let turn = commit(&start, "k", "k");
    sessions.commit_turn(&ada, turn).await.unwrap();
    let kinds: Vec<_> = all(sessions, &ada)
        .await
        .into_iter()
        .map(|e| e.kind)
        .collect();
    assert_eq!(kinds, ["note", MESSAGE, MESSAGE]);
}

async fn a_log_of_somebody_else_is_unknown(bench: &mut Bench) {
    let (ada, bob, sessions) = (bench.student("ada"), bench.student("bob"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let unknown = unknown_thread("t1");
    let listed = sessions.list_events(&bob, "t1", Page::After(0), 10).await;
    assert_eq!(refused(listed), unknown);
    let appended = sessions
        .append_events(&bob, append("t1", "e", &["a"]))
        .await;
    assert_eq!(refused(appended), unknown);
    let watched = sessions.watch_events(bob, "t1".to_owned(), 0).await;
    assert_eq!(refused(watched), unknown);
    assert_eq!(all(sessions, &ada).await, []);
}
