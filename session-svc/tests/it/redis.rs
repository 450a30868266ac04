//! What the service has of its own over Redis: how often a turn asks, where a student's keys are, and what runs out.

use std::time::Duration;

use turnwise_testing::redis::{RedisServer, Value};

use crate::bench::{
    ANSWERS, Bench, CONVERSATION, Home, Kind, THREADS, TURN_LOGS, begin, begin_evidence, begin_in,
    commit, event, evidence_start, full_commit, graded, idempotency, make_thread, passed, started,
    take_full_turn, take_turn, turn_log,
};
use turnwise_session_svc::sessions::{events::AppendEvents, turns::CommitTurn};

fn server(bench: &Bench) -> &RedisServer {
    match &*bench.home {
        Home::Redis(server) => server,
        _ => panic!("not on one server"),
    }
}

/// How often the server was asked to run a script since the last time.
fn scripts(bench: &Bench) -> i64 {
    let stats = server(bench).command(&["INFO", "commandstats"]).unwrap();
    server(bench).command(&["CONFIG", "RESETSTAT"]).unwrap();
    let stats = stats.text();
    let calls = stats.lines().filter_map(|line| {
        let calls = line.strip_prefix("cmdstat_evalsha:calls=")?;
        calls.split(',').next()?.parse::<i64>().ok()
    });
    assert!(!stats.contains("cmdstat_eval:") && !stats.contains("cmdstat_script"));
    calls.sum()
}

#[tokio::test]
async fn a_turn_takes_two_round_trips() {
    let bench = Bench::new(Kind::Redis, "trips").await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "k1").await;
    server(&bench).command(&["CONFIG", "RESETSTAT"]).unwrap();
    for key in ["k2", "k3"] {
        take_full_turn(sessions, &ada, "t1", key).await;
        assert_eq!(scripts(&bench), 2);
    }
    // An answer that is there already takes one.
    sessions
        .begin_turn(&ada, begin_in("t1", "k3", 1))
        .await
        .unwrap();
    assert_eq!(scripts(&bench), 1);
}

/// The bytes that went in and out of the server since the last time.
fn wire(bench: &Bench) -> usize {
    let stats = server(bench).command(&["INFO", "stats"]).unwrap();
    server(bench).command(&["CONFIG", "RESETSTAT"]).unwrap();
    let stats = stats.text();
    let both = ["total_net_input_bytes:", "total_net_output_bytes:"].map(|name| {
        let number = stats.lines().find_map(|line| line.strip_prefix(name));
        number.unwrap().parse::<usize>().unwrap()
    });
    both.iter().sum()
}

#[tokio::test]
async fn a_turn_in_a_young_thread_takes_few_bytes_on_the_wire() {
    // Of each record of a kilobyte some 600 bytes are left. Without names that are sent again for each of their uses, and
    // without replies for each of the reads, all the rest takes less than 3 kB; with them it took 6.
    const MOST: usize = 5 * 1024;
    let bench = Bench::new(Kind::Redis, "wire").await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let thread = "1b4e28ba-2fa1-41d2-883f-0016d3cca427";
    make_thread(sessions, &ada, thread).await;
    let mut state = 1_u32;
    let mut letters = |count: usize| {
        let letter = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'a' + u8::try_from((state >> 24) % 26).unwrap())
        };
        (0..count).map(letter).collect::<String>()
    };
    for number in 0..4 {
        let key = format!("6fa459ea-ee8a-3ca4-894e-db77e160355{number}");
        wire(&bench);
        let start = started(sessions, &ada, begin(thread, &key)).await;
        let mut turn_log = turn_log(&key, &letters(1024));
        turn_log.facts = letters(1024).into();
        let turn = CommitTurn {
            events: vec![event("turn", "")],
            turn_log: Some(turn_log),
            ..commit(&start, &key, &letters(40))
        };
        sessions.commit_turn(&ada, turn).await.unwrap();
        let took = wire(&bench);
        // The first turn also finds out what is the same for all that follow.
        assert!(number == 0 || took <= MOST, "{took} bytes");
    }
}

#[tokio::test]
async fn evidence_takes_two_round_trips() {
    let bench = Bench::new(Kind::Redis, "grades").await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    server(&bench).command(&["CONFIG", "RESETSTAT"]).unwrap();
    for key in ["g1", "g2", "g3"] {
        let start = evidence_start(sessions, &ada, begin_evidence("t1", key)).await;
        let mut drill = graded(start.snapshot.as_ref().unwrap(), key, key, "verdict");
        drill.question_records = vec![passed("Q1")];
        sessions.commit_evidence(&ada, drill).await.unwrap();
        assert_eq!(scripts(&bench), 2);
    }
    // An answer that is there already takes one.
    let begun = sessions.begin_evidence(&ada, begin_evidence("t1", "g3"));
    begun.await.unwrap();
    assert_eq!(scripts(&bench), 1);
}

#[tokio::test]
async fn all_keys_of_a_student_are_in_one_slot_and_what_is_temporary_ends() {
    let mut bench = Bench::new(Kind::Redis, "slots").await;
    let hour = Duration::from_secs(3600);
    bench.limit(|limits| limits.lease_ttl = hour).await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "k{1}").await;
    let start = started(sessions, &ada, begin("t1", "k2")).await;
    let mut drill = graded(start.snapshot.as_ref().unwrap(), "g", "nonce", "verdict");
    drill.question_records = vec![passed("Q1")];
    sessions.commit_evidence(&ada, drill).await.unwrap();

    let start = format!("turnwise:{{{}}}", bench.partition(&ada).await.as_str());
    let (of_class, of_tenant) = ("turnwise:{slots/class:7b}:", "turnwise:{slots/tenant:}:");
    let mut kept = Vec::new();
    let mut ends = Vec::new();
    for key in bench.home.keys("*") {
        if key.starts_with(of_class) || key.starts_with(of_tenant) {
            continue;
        }
        let name = key.strip_prefix(&start).unwrap_or_else(|| panic!("{key}"));
        match bench.home.rest(&key) {
            Some(rest) => ends.push((name.to_owned(), rest)),
            None => kept.push(name.to_owned()),
        }
    }
    kept.retain(|name| name != ".ids");
    ends.retain(|(name, _)| name != ".token");
    kept.sort();
    assert_eq!(
        kept,
        [
            ":courses",
            ":places",
            ":questions:algebra",
            ":snapshot:algebra",
            ":threads:tutor"
        ]
    );
    ends.sort();
    let expected = [
        (":events:t1", THREADS),
        (":graded", ANSWERS),
        (":idempotency-index:t1", ANSWERS),
        (":idempotency:evidence:g", ANSWERS),
        (":idempotency:thread-tutor:make-t1", ANSWERS),
        (":idempotency:tutor:k{1}", ANSWERS),
        (":lease:t1", hour),
        (":memory:t1", CONVERSATION),
        (":nonce:nonce", 24 * hour),
        (":thread:t1", THREADS),
        (":timeline:t1", THREADS),
        (":turn:turn-k{1}", TURN_LOGS),
        (":turns:t1", TURN_LOGS),
    ];
    assert_eq!(ends.len(), expected.len(), "{ends:?}");
    for ((name, rest), (expected, kept)) in ends.iter().zip(expected) {
        assert_eq!(name, expected);
        assert!(
            *rest <= kept && *rest + hour.min(kept / 10) > kept,
            "{name}: {rest:?}"
        );
    }
}

#[tokio::test]
async fn events_are_kept_as_long_as_their_thread() {
    let bench = Bench::new(Kind::Redis, "events").await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_turn(sessions, &ada, "t1", "k").await;
    let partition = bench.partition(&ada).await;
    let key = |name: &str| format!("turnwise:{{{}}}:{name}:t1", partition.as_str());
    bench.clock.advance(THREADS - Duration::from_secs(1000));
    let append = AppendEvents {
        thread_id: "t1".to_owned(),
        events: vec![event("note", "late")],
        idempotency: idempotency("e", 4),
        alert: None,
    };
    sessions.append_events(&ada, append).await.unwrap();
    // So late they keep all of it for longer, as a turn does.
    for name in ["events", "timeline", "thread"] {
        assert!(bench.home.rest(&key(name)).unwrap() > THREADS - Duration::from_secs(100));
    }
    bench.clock.advance(Duration::from_secs(1000));
    let append = AppendEvents {
        thread_id: "t1".to_owned(),
        events: vec![event("note", "soon after")],
        idempotency: idempotency("f", 4),
        alert: None,
    };
    sessions.append_events(&ada, append).await.unwrap();
    let rest = bench.home.rest(&key("events")).unwrap();
    assert!(rest <= THREADS - Duration::from_secs(1000), "{rest:?}");
}

#[tokio::test]
async fn a_server_that_forgot_everything_is_a_new_store() {
    let bench = Bench::new(Kind::Redis, "flushed").await;
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let flushed = server(&bench).command(&["FLUSHALL"]).unwrap();
    assert_eq!(flushed, Value::Bytes(b"OK".to_vec()));
    let late = sessions
        .commit_turn(&ada, full_commit(&start, "k", "k"))
        .await;
    assert!(late.is_err(), "{late:?}");
    make_thread(sessions, &ada, "t1").await;
    take_turn(sessions, &ada, "t1", "k").await;
}
