//! What the outbox holds of students who are erased, of streams that grew too long, and of what cannot be read; and when a
//! stream leaves the index.

use std::time::Duration;

use turnwise_session_store::{Key, Partition, Write};
use turnwise_session_svc::sessions::audit::Actor;

use super::outbox::{
    ADA, ALERT, AUDIT, call_for_help, claim, data, delivered, failed, kinds, set_roster, settle,
};
use crate::{
    bench::{Bench, CLASS, fresh, make_thread},
    cases,
};

cases!(
    #[tokio::test]
    an_erasure_takes_what_was_not_delivered,
    what_was_dropped_is_told,
    what_cannot_be_read_holds_up_nothing,
    an_empty_stream_leaves_the_index,
);

async fn an_erasure_takes_what_was_not_delivered(bench: &mut Bench) {
    let (ada, zoe, sessions) = (bench.student(ADA), bench.student("zoe"), bench.sessions());
    for (student, thread) in [(&ada, "t1"), (&zoe, "t2")] {
        make_thread(sessions, student, thread).await;
        call_for_help(bench, student, thread, thread).await;
    }
    let claimed = claim(sessions, bench, ALERT).await;
    assert_eq!(claimed.len(), 2);
    settle(bench, &claimed[0], failed(&claimed[0], false)).await;
    settle(bench, &claimed[1], failed(&claimed[1], false)).await;
    sessions
        .erase_student(bench.actor(), ada, String::new())
        .await
        .unwrap();
    let dump = bench.home.dump();
    let outbox = dump.only(|name| name.contains(":outbox"));
    assert!(!outbox.0.is_empty());
    assert_eq!(outbox.holding(ADA), [""; 0]);
    bench.clock.advance(Duration::from_secs(60));
    let claimed = claim(sessions, bench, ALERT).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(data(&claimed[0], 0)["studentId"], "zoe");
    settle(bench, &claimed[0], delivered(&claimed[0])).await;
    // Of a student who comes back nothing is missed.
    let zoe = bench.student("zoe");
    sessions
        .erase_student(bench.actor(), zoe.clone(), String::new())
        .await
        .unwrap();
    make_thread(sessions, &zoe, "t3").await;
    call_for_help(bench, &zoe, "t3", "t3").await;
    bench.clock.advance(Duration::from_secs(60));
    assert_eq!(claim(sessions, bench, ALERT).await[0].events.len(), 1);
    let letters = sessions.dead_letters(&bench.tenant, None, 10).await;
    assert_eq!(letters.unwrap().dead_letters, []);
    // That a student was erased is told, and by a pseudonym.
    let audit = claim(sessions, bench, AUDIT).await;
    assert_eq!(audit.len(), 2);
    assert_eq!(
        kinds(&audit[0]),
        ["student-erasure-begun", "student-erased"]
    );
    assert!(audit[0].events.iter().all(|e| !e.data.contains(ADA)));
    assert!(audit[0].events[0].partition_key.starts_with("student:"));
}

async fn what_was_dropped_is_told(bench: &mut Bench) {
    let sessions = bench.sessions();
    set_roster(bench, CLASS).await;
    let claimed = claim(sessions, bench, AUDIT).await.remove(0);
    settle(bench, &claimed, delivered(&claimed)).await;
    for _ in 0..4 {
        set_roster(bench, CLASS).await;
    }
    // As if many more had come.
    let log = Key::new(format!("outbox:class:{CLASS}"));
    let trim = Write::Trim { key: log, keep: 1 };
    bench.write(&Partition::tenant(&bench.tenant), trim).await;
    let claimed = claim(sessions, bench, AUDIT).await.remove(0);
    assert_eq!(claimed.events.len(), 1);
    settle(bench, &claimed, failed(&claimed, false)).await;
    bench.clock.advance(Duration::from_secs(60));
    assert_eq!(claim(sessions, bench, AUDIT).await.len(), 1);
    let page = sessions
        .dead_letters(&bench.tenant, None, 10)
        .await
        .unwrap();
    assert_eq!(page.dead_letters.len(), 1);
    let letter = &page.dead_letters[0];
    assert_eq!(
        (letter.kind.as_str(), letter.dropped),
        ("events-dropped", 3)
    );
}

async fn what_cannot_be_read_holds_up_nothing(bench: &mut Bench) {
    let sessions = bench.sessions();
    let tenant = Partition::tenant(&bench.tenant);
    let broken = |class: &str| Write::Append {
        key: Key::new(format!("outbox:class:{class}")),
        entries: vec![vec![1, 0].into()],
    };
    set_roster(bench, "7a").await;
    bench.write(&tenant, broken("7a")).await;
    set_roster(bench, "7a").await;
    set_roster(bench, "7b").await;
    let claimed = claim(sessions, bench, AUDIT).await;
    assert_eq!(claimed.len(), 2);
    assert_eq!(claimed[0].events.len(), 2);
    for stream in &claimed {
        settle(bench, stream, delivered(stream)).await;
    }
    // Alone in its stream it is passed over.
    set_roster(bench, "7a").await;
    let claimed = claim(sessions, bench, AUDIT).await.remove(0);
    bench.write(&tenant, broken("7a")).await;
    settle(bench, &claimed, delivered(&claimed)).await;
    assert_eq!(claim(sessions, bench, AUDIT).await, []);
    set_roster(bench, "7a").await;
    bench.clock.advance(Duration::from_secs(5));
    assert_eq!(claim(sessions, bench, AUDIT).await[0].events.len(), 1);
}

async fn an_empty_stream_leaves_the_index(bench: &mut Bench) {
    let sessions = bench.sessions();
    let actor = Actor {
        tenant: bench.tenant.clone(),
        id: "principal".to_owned(),
    };
    let stream = format!("audit/{}//class:{CLASS}", bench.tenant);
    let listed = |bench: &Bench| {
        let dump = bench.home.dump();
        let index = dump.only(|name| name.contains("/system:outbox"));
        !index.holding(&stream).is_empty()
    };
    sessions
        .set_roster(&actor, CLASS, Vec::new(), &fresh())
        .await
        .unwrap();
    let claimed = claim(sessions, bench, AUDIT).await.remove(0);
    settle(bench, &claimed, delivered(&claimed)).await;
    for _ in 0..7 {
        bench.clock.advance(Duration::from_secs(80));
        assert_eq!(claim(sessions, bench, AUDIT).await, []);
        assert!(listed(bench));
    }
    for _ in 0..3 {
        bench.clock.advance(Duration::from_secs(600));
        assert_eq!(claim(sessions, bench, AUDIT).await, []);
    }
    assert!(!listed(bench));
}
