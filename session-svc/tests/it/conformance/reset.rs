//! Class resets: all text of the class goes, everything else stays, and what goes is in an archive.

use turnwise_proto::{classes::v1::ResetState, session::v1::ResetClassResponse};
use turnwise_session_svc::{error::SessionError, sessions::events::Page};

use crate::{
    bench::{
        Bench, CLASS, COURSE, HELPER, TUTOR, begin, begin_in, full_commit, make_thread, new_thread,
        one_more, passed, refused, started, take_full_turn, texts, unknown_thread,
    },
    cases,
};

cases!(
    #[tokio::test]
    helper_conversations_go_and_tutor_threads_lose_their_text,
    evidence_stays,
    other_classes_stay_as_they_are,
    a_turn_in_flight_cannot_be_committed,
    a_turn_that_was_committed_is_erased_to_its_retry,
    a_thread_works_again_and_the_next_reset_finds_it,
    an_empty_class_is_reset,
    batches_are_as_large_as_allowed,
    many_turns_of_one_thread_lose_their_text,
);

async fn helper_conversations_go_and_tutor_threads_lose_their_text(bench: &mut Bench) {
    let (ada, bob, sessions) = (bench.student("ada"), bench.student("bob"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "h2").await;
    make_thread(sessions, &bob, "h3").await;
    for (who, thread) in [(&ada, "t1"), (&ada, "h2"), (&bob, "h3")] {
        take_full_turn(sessions, who, thread, &format!("secret-{thread}")).await;
    }
    let before = bench.dump();
    assert!(before.holding("secret-").len() > 12, "{:?}", before.names());
    let report = bench.reset().await;
    let expected = ResetClassResponse {
        conversations: 2,
        threads: 1,
        students: 2,
        batches: 1,
        state: ResetState::Done.into(),
        // The first is of the intent.
        audit_id: 2,
        archive_names: report.archive_names.clone(),
    };
    assert_eq!(report, expected);
    assert_eq!(report.archive_names.len(), 1);

    // Keys of turns and ids of logs are what the test made of it; its text is nowhere, nor are titles.
    let after = bench.dump();
    let left = after.holding("secret-");
    let named = |name: &&str| name.contains("idempotency") || name.contains("turn");
    // A focus unit is no text.
    let state = |name: &&str| name.ends_with(&format!("snapshot:{COURSE}"));
    assert!(
        left.iter().all(|name| named(name) || state(name)),
        "{left:?}"
    );
    for text in ["about ", "answer to secret-"] {
        assert_eq!(after.holding(text), [""; 0], "{text}");
    }
    for (who, thread) in [(&ada, "h2"), (&bob, "h3")] {
        let read = sessions.get_thread(who, HELPER, thread, 0, 10).await;
        assert_eq!(refused(read), unknown_thread(thread));
    }
    let page = sessions.get_thread(&ada, TUTOR, "t1", 0, 10).await.unwrap();
    assert_eq!((page.thread.title.as_str(), page.messages), ("", vec![]));
    assert_eq!(page.thread.message_count, 2);
    let listed = sessions.list_threads(&ada, TUTOR, None, 10).await.unwrap();
    assert_eq!(listed.threads, [page.thread]);
    let events = sessions
        .list_events(&ada, "t1", Page::After(0), 10)
        .await
        .unwrap()
        .events;
    let kinds: Vec<_> = events.iter().map(|e| (e.id, e.kind.as_str())).collect();
    assert_eq!(kinds, [(4, "class-reset")]);
    for (who, thread) in [(&ada, "t1"), (&ada, "h2"), (&bob, "h3")] {
        let log = sessions
            .turn_log(who, &format!("turn-secret-{thread}"))
            .await
            .unwrap();
        assert_eq!(
            (log.erased, &log.text[..], &log.facts[..]),
            (true, &b""[..], &b"facts"[..])
        );
    }
    let start = started(sessions, &ada, begin_in("t1", "k", 1)).await;
    assert_eq!((start.memory, start.recent_messages), (None, vec![]));
}

async fn evidence_stays(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "k").await;
    let read = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let mut graded = one_more(&read, "g");
    graded.question_records = vec![passed("Q1")];
    sessions.commit_evidence(&ada, graded).await.unwrap();
    let mastery = |dump: crate::bench::Dump| {
        dump.only(|name| name.contains(":snapshot") || name.contains(":questions"))
    };
    let before = mastery(bench.dump());
    assert_eq!(before.names().len(), 2);
    bench.reset().await;
    assert_eq!(mastery(bench.dump()), before);
}

async fn other_classes_stay_as_they_are(bench: &mut Bench) {
    let (ada, bob, sessions) = (bench.student("ada"), bench.student("bob"), bench.sessions());
    make_thread(sessions, &ada, "mine").await;
    for (who, id) in [(&ada, "h-other"), (&bob, "bobs")] {
        let mut new = new_thread(id);
        new.thread.class_id = format!("{CLASS}b");
        sessions.create_thread(who, new).await.unwrap();
    }
    for (who, thread) in [(&ada, "mine"), (&ada, "h-other"), (&bob, "bobs")] {
        take_full_turn(sessions, who, thread, &format!("in-{thread}")).await;
    }
    let running = started(sessions, &bob, begin("bobs", "running")).await;
    let (of_bob, class) = (
        format!("{}:", bench.partition(&bob).await.as_str()),
        format!("{}/class:{CLASS}b", bench.tenant),
    );
    let others = |name: &str| {
        let own = |text: &str| !text.ends_with(".token") && !text.ends_with(".ids");
        let other = name.contains("other.") || name.ends_with("other") || name.contains("in-other");
        name.starts_with(&of_bob) || name.starts_with(&class) || other && own(name)
    };
    let before = bench.dump().only(others);
    assert!(before.names().len() > 16, "{:?}", before.names());
    assert_eq!(bench.reset().await.threads, 1);
    assert_eq!(bench.dump().only(others), before);
    let turn = full_commit(&running, "running", "running");
    sessions.commit_turn(&bob, turn).await.unwrap();
}

async fn a_turn_in_flight_cannot_be_committed(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "h2").await;
    let tutor = started(sessions, &ada, begin_in("t1", "k1", 1)).await;
    let helper = started(sessions, &ada, begin_in("h2", "k2", 1)).await;
    bench.reset().await;
    let before = bench.dump();
    for (start, key) in [(tutor, "k1"), (helper, "k2")] {
        let late = sessions
            .commit_turn(&ada, full_commit(&start, key, "secret"))
            .await;
        assert_eq!(refused(late), SessionError::TurnErased);
    }
    assert_eq!(bench.dump(), before);
    // The thread is not locked by the turn that was lost.
    take_full_turn(sessions, &ada, "t1", "next").await;
}

async fn a_turn_that_was_committed_is_erased_to_its_retry(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for thread in ["t1", "h2"] {
        make_thread(sessions, &ada, thread).await;
        let start = started(sessions, &ada, begin_in(thread, thread, 1)).await;
        let turn = full_commit(&start, thread, "secret");
        sessions.commit_turn(&ada, turn.clone()).await.unwrap();
        bench.reset().await;
        let late = sessions.commit_turn(&ada, turn).await;
        assert_eq!(refused(late), SessionError::TurnErased);
        let again = sessions.begin_turn(&ada, begin_in(thread, thread, 1)).await;
        assert_eq!(refused(again), SessionError::TurnErased);
        let again = sessions.create_thread(&ada, new_thread(thread)).await;
        assert_eq!(refused(again), SessionError::ThreadErased);
        assert_eq!(bench.dump().holding("answer to secret"), [""; 0]);
    }
}

async fn a_thread_works_again_and_the_next_reset_finds_it(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for round in 0..3 {
        let key = format!("k{round}");
        take_full_turn(sessions, &ada, "t1", &key).await;
        assert_eq!(texts(sessions, &ada, "t1").await, [key.as_str(), &key]);
        let page = sessions.get_thread(&ada, TUTOR, "t1", 0, 10).await.unwrap();
        assert_eq!(page.messages[0].id, round * 2 + 1);
        let report = bench.reset().await;
        assert_eq!((report.threads, report.batches), (1, 1));
        assert_eq!(texts(sessions, &ada, "t1").await, [""; 0]);
        // Where nothing has happened since, there is nothing to reset.
        let report = bench.reset().await;
        assert_eq!((report.threads, report.batches), (0, 0));
    }
}

async fn an_empty_class_is_reset(bench: &mut Bench) {
    let report = bench.reset().await;
    let expected = ResetClassResponse {
        state: ResetState::Done.into(),
        audit_id: 2,
        ..ResetClassResponse::default()
    };
    assert_eq!(report, expected);
}

async fn batches_are_as_large_as_allowed(bench: &mut Bench) {
    bench.limit(|limits| limits.reset_batch = 2).await;
    let sessions = bench.sessions();
    for number in 0..5 {
        let student = bench.student(&format!("s{number}"));
        make_thread(sessions, &student, "h1").await;
        take_full_turn(sessions, &student, "h1", "k").await;
    }
    let report = bench.reset().await;
    assert_eq!((report.conversations, report.students), (5, 5));
    assert_eq!((report.batches, report.archive_names.len()), (3, 1));
}

async fn many_turns_of_one_thread_lose_their_text(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    // More than one transaction names.
    for number in 0..1050 {
        take_full_turn(sessions, &ada, "t1", &format!("k{number}")).await;
    }
    assert_eq!(bench.dump().holding("answer to k").len(), 1050);
    bench.reset().await;
    assert_eq!(bench.dump().holding("answer to k"), [""; 0]);
    for number in [0, 1, 500, 1048, 1049] {
        let log = sessions
            .turn_log(&ada, &format!("turn-k{number}"))
            .await
            .unwrap();
        assert_eq!((log.erased, &log.text[..]), (true, &b""[..]));
    }
}
