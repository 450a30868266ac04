//! Erasing a student: nothing is left of them, and nothing that was under way comes back.

use bytes::Bytes;
use turnwise_session_store::{Transaction, Write};
use turnwise_session_svc::{
    error::SessionError,
    sessions::{erase::EraseReport, evidence::EvidenceOutcome},
};

use crate::{
    bench::{
        Bench, COURSE, TUTOR, begin, begin_in, full_commit, gate::Gate, graded, make_thread,
        new_thread, one_more, passed, questions, refused, started, take_full_turn, texts,
        unknown_thread,
    },
    cases,
};

cases!(
    #[tokio::test]
    nothing_is_left_of_a_student,
    others_stay_as_they_are,
    archives_lose_the_student_and_still_verify,
    a_turn_in_flight_cannot_be_committed,
    evidence_in_flight_cannot_be_committed,
    a_student_can_start_anew,
    an_erasure_can_be_sent_again,
    a_thread_leaves_its_class_before_it_goes,
    a_turn_that_begins_meanwhile_leaves_no_entry_in_the_class,
    an_erasure_ends_a_thread_that_a_reset_took,
);

/// An id that stands nowhere by chance.
const ADA: &str = "ada-1815-12-10";

async fn nothing_is_left_of_a_student(bench: &mut Bench) {
    let (ada, sessions) = (bench.student(ADA), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "h2").await;
    for thread in ["t1", "h2"] {
        take_full_turn(sessions, &ada, thread, &format!("secret-{thread}")).await;
    }
    let start = started(sessions, &ada, begin_in("t1", "clarify", 1)).await;
    let turn = full_commit(&start, "clarify", "secret");
    sessions.commit_turn(&ada, turn).await.unwrap();
    for course in [COURSE, "chemistry"] {
        let read = sessions.get_snapshot(&ada, course).await.unwrap();
        let mut drill = graded(&read, course, course, "verdict");
        drill.course_id = course.to_owned();
        drill.question_records = vec![passed("Q1")];
        sessions.commit_evidence(&ada, drill).await.unwrap();
    }
    started(sessions, &ada, begin("t1", "running")).await;
    let report = sessions
        .erase_student(bench.actor(), ada.clone(), String::new())
        .await
        .unwrap();
    let expected = EraseReport {
        threads: 2,
        archive_records: 0,
        unreadable_archives: 0,
        // The first is of the intent.
        audit_id: 2,
    };
    assert_eq!(report, expected);

    let dump = bench.dump();
    let partition = bench.partition(&ada).await;
    let of_ada = dump.only(|name| name.starts_with(partition.as_str()));
    let start = format!("{}:", partition.as_str());
    for (name, held) in &of_ada.0 {
        let name = name.strip_prefix(&start).unwrap_or(name);
        // Redis keeps the last token of a partition for a day: a number.
        let kept = ["idempotency:", "nonce:", "erased"];
        assert!(
            name.ends_with(".token") || kept.iter().any(|kept| name.starts_with(kept)),
            "{name} is left"
        );
        assert!(held.expires, "{name} stays for ever");
    }
    assert_eq!(
        of_ada
            .names()
            .iter()
            .filter(|name| name.ends_with(":erased"))
            .count(),
        1
    );
    // No text, and outside of the student's own partition not even the id.
    for (name, held) in &dump.0 {
        let held = String::from_utf8_lossy(&held.bytes);
        for text in ["secret", "about t", ADA] {
            assert!(!held.contains(text), "{name} holds {text}: {held}");
        }
    }
    assert_eq!(dump.holding(ADA), [""; 0]);
    let audited = bench.audited().await;
    assert_eq!(audited[0].kind, "student-erased");
    assert_eq!(audited[0].actor_id, "principal");
    assert_eq!(audited[0].facts["threads"], "2");
    assert!(!format!("{audited:?}").contains(ADA));

    assert_eq!(
        sessions
            .list_threads(&ada, TUTOR, None, 10)
            .await
            .unwrap()
            .threads,
        []
    );
    let read = sessions.get_thread(&ada, TUTOR, "t1", 0, 10).await;
    assert_eq!(refused(read), unknown_thread("t1"));
    let read = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!((read.turn, read.evidence), (None, None));
    let log = sessions.turn_log(&ada, "turn-secret-t1").await;
    assert!(matches!(refused(log), SessionError::UnknownTurn { .. }));
    assert_eq!(questions(sessions, &ada).await, []);
}

async fn others_stay_as_they_are(bench: &mut Bench) {
    let sessions = bench.sessions();
    // Names of which one begins like the other.
    for name in ["ad", "ada", "ada.a", "bob"] {
        let student = bench.student(name);
        make_thread(sessions, &student, "t1").await;
        take_full_turn(sessions, &student, "t1", "k").await;
        let read = sessions.get_snapshot(&student, COURSE).await.unwrap();
        sessions
            .commit_evidence(&student, one_more(&read, "g"))
            .await
            .unwrap();
    }
    let mut kept = Vec::new();
    for name in ["ad", "ada.a", "bob"] {
        let partition = bench.partition(&bench.student(name)).await;
        kept.push(format!("{}:", partition.as_str()));
    }
    let others = |name: &str| kept.iter().any(|kept| name.starts_with(kept));
    let before = bench.dump().only(others);
    assert!(before.names().len() >= 3 * 10, "{:?}", before.names());
    sessions
        .erase_student(bench.actor(), bench.student("ada"), String::new())
        .await
        .unwrap();
    assert_eq!(bench.dump().only(others), before);
    // The class finds the others' threads still.
    assert_eq!(bench.reset().await.threads, 3);
}

async fn archives_lose_the_student_and_still_verify(bench: &mut Bench) {
    let (zoe, bob, sessions) = (bench.student("zoe"), bench.student("bob"), bench.sessions());
    for student in [&zoe, &bob] {
        make_thread(sessions, student, "h1").await;
        take_full_turn(
            sessions,
            student,
            "h1",
            &format!("text-of-{}", student.student),
        )
        .await;
    }
    bench.reset().await;
    let report = sessions
        .erase_student(bench.actor(), zoe, String::new())
        .await
        .unwrap();
    // What is left of its thread are traces.
    assert_eq!((report.threads, report.archive_records), (0, 1));
    let bodies = bench.archived();
    assert_eq!(bodies.iter().filter(|body| body.is_null()).count(), 1);
    assert_eq!(bench.archived_texts(), ["text-of-bob", "text-of-bob"]);
    for name in bench.archives().names().unwrap() {
        let archive = std::fs::read_to_string(bench.archives().root().join(name)).unwrap();
        // No hash can spell these names.
        assert!(!archive.contains("zoe") && archive.contains("bob"));
    }
}

async fn a_turn_in_flight_cannot_be_committed(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "h2").await;
    let starts = [
        (started(sessions, &ada, begin_in("t1", "k1", 1)).await, "k1"),
        (started(sessions, &ada, begin_in("h2", "k2", 1)).await, "k2"),
    ];
    sessions
        .erase_student(bench.actor(), ada.clone(), String::new())
        .await
        .unwrap();
    let before = bench.dump();
    for (start, key) in starts {
        let late = sessions
            .commit_turn(&ada, full_commit(&start, key, "secret"))
            .await;
        assert_eq!(refused(late), SessionError::TurnErased);
    }
    assert_eq!(bench.dump(), before);
}

async fn evidence_in_flight_cannot_be_committed(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    // Read before anything was written, and after; graded and not.
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let other = sessions.get_snapshot(&ada, "chemistry").await.unwrap();
    sessions
        .commit_evidence(&ada, one_more(&other, "first"))
        .await
        .unwrap();
    let warm = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!((cold.evidence_version, warm.evidence_version), (0, 1));
    sessions
        .erase_student(bench.actor(), ada.clone(), String::new())
        .await
        .unwrap();
    let before = bench.dump();
    for (number, snapshot) in [&cold, &warm].into_iter().enumerate() {
        let plain = one_more(snapshot, &format!("plain{number}"));
        let late = sessions.commit_evidence(&ada, plain).await;
        assert_eq!(refused(late), SessionError::TurnErased);
        let drill = graded(snapshot, &format!("drill{number}"), "nonce", "verdict");
        let late = sessions.commit_evidence(&ada, drill).await;
        assert_eq!(refused(late), SessionError::TurnErased);
    }
    assert_eq!(bench.dump(), before);
    // Read after one erasure, it cannot be committed after the next.
    let read = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    sessions
        .erase_student(bench.actor(), ada.clone(), String::new())
        .await
        .unwrap();
    let late = sessions
        .commit_evidence(&ada, one_more(&read, "late"))
        .await;
    match late {
        Err(SessionError::TurnErased) => {}
        // Or it is told the record as it is, and applies the event to that.
        Ok(EvidenceOutcome::Conflict(current)) => assert_eq!(current.snapshot.evidence, None),
        other => panic!("{other:?}"),
    }
}

async fn a_student_can_start_anew(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_full_turn(sessions, &ada, "t1", "k").await;
    let read = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    sessions
        .commit_evidence(&ada, one_more(&read, "g"))
        .await
        .unwrap();
    sessions
        .erase_student(bench.actor(), ada.clone(), String::new())
        .await
        .unwrap();

    let mut again = new_thread("t2");
    again.idempotency.key = "anew".to_owned();
    sessions.create_thread(&ada, again).await.unwrap();
    take_full_turn(sessions, &ada, "t2", "anew").await;
    assert_eq!(texts(sessions, &ada, "t2").await, ["anew", "anew"]);
    let mut version = sessions
        .get_snapshot(&ada, COURSE)
        .await
        .unwrap()
        .evidence_version;
    for key in ["g1", "g2"] {
        let read = sessions.get_snapshot(&ada, COURSE).await.unwrap();
        assert_eq!(read.evidence_version, version);
        let answer = Bytes::from(format!("answer to {key}"));
        for expected in [
            EvidenceOutcome::Committed(version + 1),
            EvidenceOutcome::Answered(answer),
        ] {
            let outcome = sessions.commit_evidence(&ada, one_more(&read, key)).await;
            assert_eq!(outcome, Ok(expected));
        }
        version += 1;
    }
    // The new thread is the class's.
    assert_eq!(bench.reset().await.threads, 1);
}

async fn an_erasure_can_be_sent_again(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for (threads, audit_id) in [(1, 2), (0, 4)] {
        let report = sessions
            .erase_student(bench.actor(), ada.clone(), String::new())
            .await;
        let expected = EraseReport {
            threads,
            audit_id,
            archive_records: 0,
            unreadable_archives: 0,
        };
        assert_eq!(report, Ok(expected));
    }
    // So can that of somebody who was never there.
    let nobody = sessions
        .erase_student(bench.actor(), bench.student("nobody"), String::new())
        .await;
    assert_eq!(nobody.unwrap().threads, 0);
}

fn removes_thread(transaction: &Transaction) -> bool {
    let removes =
        |write: &Write| matches!(write, Write::Remove { key } if key.as_str() == "thread:t1");
    transaction.writes.iter().any(removes)
}

async fn a_thread_leaves_its_class_before_it_goes(bench: &mut Bench) {
    let (ada, sessions) = (bench.student(ADA), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let gate = Gate::new(bench.store(), removes_thread);
    let cut_off = bench.sessions_over(gate.clone());
    let (actor, student) = (bench.actor(), ada.clone());
    let erase =
        tokio::spawn(async move { cut_off.erase_student(actor, student, String::new()).await });
    gate.arrival().await;
    // Cut off here, the thread is still found, and so is the class that knows of the student.
    let dump = bench.dump();
    assert_eq!(dump.holding(ADA), [""; 0]);
    let names = dump.names();
    assert!(dump.names().iter().any(|name| name.ends_with(":places")));
    assert!(names.iter().any(|name| name.ends_with(":thread:t1")));
    let again = sessions
        .erase_student(bench.actor(), ada, String::new())
        .await;
    assert_eq!(again.unwrap().threads, 1);
    assert_eq!(bench.dump().holding(ADA), [""; 0]);
    gate.open();
    erase.await.unwrap().unwrap();
}

async fn a_turn_that_begins_meanwhile_leaves_no_entry_in_the_class(bench: &mut Bench) {
    let (ada, sessions) = (bench.student(ADA), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    // A thread that was reset is in no index, and its next turn enters it.
    bench.reset().await;
    let gate = Gate::new(bench.store(), removes_thread);
    let gated = bench.sessions_over(gate.clone());
    let (actor, student) = (bench.actor(), ada.clone());
    let erase =
        tokio::spawn(async move { gated.erase_student(actor, student, String::new()).await });
    gate.arrival().await;
    let begun = sessions.begin_turn(&ada, begin("t1", "k")).await;
    assert_eq!(refused(begun), SessionError::ErasureUnderWay);
    gate.open();
    assert_eq!(erase.await.unwrap().unwrap().threads, 1);
    assert_eq!(bench.dump().holding(ADA), [""; 0]);
}

async fn an_erasure_ends_a_thread_that_a_reset_took(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "h2").await;
    for thread in ["t1", "h2"] {
        take_full_turn(sessions, &ada, thread, thread).await;
    }
    bench.reset().await;
    sessions
        .erase_student(bench.actor(), ada.clone(), String::new())
        .await
        .unwrap();
    let start = format!("{}:", bench.partition(&ada).await.as_str());
    let left = bench.dump().only(|name| name.starts_with(&start));
    let left: Vec<_> = left
        .names()
        .into_iter()
        .filter(|name| !name.contains(":idempotency:"))
        .collect();
    assert_eq!(left, [format!("{start}erased")]);
}
