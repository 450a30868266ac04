//! What the service has of its own over an embedded store: what runs out is no longer in the file.

use std::time::Duration;

use turnwise_session_svc::sessions::turns::Begun;

use crate::bench::{
    ANSWERS, Bench, COURSE, Kind, THREADS, TUTOR, begin, commit, make_thread, one_more, started,
    take_full_turn, take_turn,
};

#[tokio::test]
async fn answers_are_forgotten_after_their_time() {
    let bench = Bench::new(Kind::Embedded, "answers").await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    // More than one write removes.
    for number in 0..100 {
        make_thread(sessions, &ada, &format!("t{number}")).await;
    }
    take_turn(sessions, &ada, "t0", "k").await;
    bench.clock.advance(ANSWERS - Duration::from_secs(10));
    let begun = sessions.begin_turn(&ada, begin("t0", "k")).await.unwrap();
    assert!(matches!(begun, Begun::Answered(_)));
    bench.clock.advance(Duration::from_secs(10));
    // The key is fresh again, whether its old answer is still there or not.
    let start = started(sessions, &ada, begin("t0", "k")).await;
    let turn = commit(&start, "k", "again");
    sessions.commit_turn(&ada, turn).await.unwrap();
    let record = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    sessions
        .commit_evidence(&ada, one_more(&record, "g1"))
        .await
        .unwrap();
    let begun = sessions.begin_turn(&ada, begin("t0", "k")).await.unwrap();
    assert_eq!(begun, Begun::Answered("answer to again".into()));
    // Writes remove what has run out, some at a time.
    for number in 0..20 {
        take_turn(sessions, &ada, "t1", &format!("more{number}")).await;
    }
    let answers = bench.dump().only(|name| name.contains(":answer:"));
    assert_eq!(answers.names().len(), 22);
}

#[tokio::test]
async fn threads_are_forgotten_after_their_time() {
    let bench = Bench::new(Kind::Embedded, "threads").await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for id in ["old", "used"] {
        make_thread(sessions, &ada, id).await;
        take_full_turn(sessions, &ada, id, id).await;
    }
    bench.clock.advance(THREADS * 3 / 4);
    take_full_turn(sessions, &ada, "used", "again").await;
    bench.clock.advance(THREADS / 2);
    let listed = sessions
        .list_threads(&ada, TUTOR, None, 10)
        .await
        .unwrap()
        .threads;
    let ids: Vec<_> = listed
        .iter()
        .map(|thread| thread.thread_id.as_str())
        .collect();
    assert_eq!(ids, ["used"]);
    let page = sessions
        .get_thread(&ada, TUTOR, "used", 0, 10)
        .await
        .unwrap();
    assert_eq!(page.messages.len(), 4);
    // A reset finds what is left.
    assert_eq!(bench.reset().await.threads, 1);
    for number in 0..20 {
        take_turn(sessions, &ada, "used", &format!("more{number}")).await;
    }
    let left = bench.dump();
    assert_eq!(
        left.only(|name| name.ends_with(":old"))
            .holding("old-")
            .len(),
        0
    );
    assert_eq!(left.holding("about old"), [""; 0]);
}
