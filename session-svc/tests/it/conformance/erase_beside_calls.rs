//! Calls that run while a student is erased: nothing of them names the student afterwards.

use turnwise_proto::session::v1::{DueWork, NewAlert, WorkKind};
use turnwise_session_store::{StudentKey, Transaction, Write};
use turnwise_session_svc::sessions::{Sessions, events::AppendEvents, turns::Begun};

use crate::{
    bench::{
        Bench, CLASS, COURSE, begin_in, event, fresh, full_commit, gate::Gate, idempotency,
        make_thread, new_thread, one_more, take_full_turn,
    },
    cases,
};

cases!(
    #[tokio::test]
    calls_beside_an_erasure_leave_no_name,
    nothing_that_was_under_way_leaves_a_name,
    a_reason_names_nobody,
);

/// An id that stands nowhere by chance.
const ADA: &str = "ada-1815-12-10";

/// What every call that writes does, again and again, while the student is erased.
async fn calls_beside_an_erasure_leave_no_name(bench: &mut Bench) {
    let (ada, bob) = (bench.student(ADA), bench.student("bob"));
    let sessions = bench.sessions().clone();
    make_thread(&sessions, &bob, "bobs").await;
    take_full_turn(&sessions, &bob, "bobs", "bob").await;
    let bob_s = bench.partition(&bob).await;
    let of_bob = |name: &str| name.starts_with(bob_s.as_str());
    let before = bench.dump().only(of_bob);
    for round in 0..4 {
        make_thread(&sessions, &ada, &format!("t{round}")).await;
        let mut running = tokio::task::JoinSet::new();
        for caller in 0..8 {
            let (sessions, ada) = (sessions.clone(), ada.clone());
            let (work, key) = (
                format!("{}.{round}.{caller}", bench.tenant),
                format!("{round}-{caller}"),
            );
            running.spawn(call_all(sessions, ada, format!("t{round}"), key, work));
        }
        let erased = sessions.erase_student(bench.actor(), ada.clone(), String::new());
        let (erased, _) = tokio::join!(erased, running.join_all());
        erased.unwrap();
        // What began after the erasure is the student's new work; it goes with the next one.
        let erased = sessions.erase_student(bench.actor(), ada.clone(), String::new());
        erased.await.unwrap();
        assert_eq!(bench.dump().holding(ADA), [""; 0]);
    }
    assert_eq!(bench.dump().only(of_bob), before);
}

async fn call_all(sessions: Sessions, ada: StudentKey, thread: String, key: String, work: String) {
    let mut new = new_thread(&format!("n{key}"));
    new.idempotency.key = format!("new-{key}");
    let _ = sessions.create_thread(&ada, new).await;
    let _ = sessions.append_events(&ada, alarm(&thread, &key)).await;
    let _ = sessions.defer(&ada, deferred(&thread, work)).await;
    if let Ok(Begun::Started(start)) = sessions.begin_turn(&ada, begin_in(&thread, &key, 1)).await {
        let mut turn = full_commit(&start, &key, "text");
        turn.alert = Some(NewAlert::default());
        let _ = sessions.commit_turn(&ada, turn).await;
    }
    if let Ok(read) = sessions.get_snapshot(&ada, COURSE).await {
        let _ = sessions.commit_evidence(&ada, one_more(&read, &key)).await;
    }
}

/// A call is held in the middle, the student is erased meanwhile, and the call goes on.
async fn nothing_that_was_under_way_leaves_a_name(bench: &mut Bench) {
    let ada = bench.student(ADA);
    for (number, ranking) in ["conversations", "open-alerts", "due", "threads:tutor"]
        .into_iter()
        .enumerate()
    {
        let thread = format!("t{number}");
        make_thread(bench.sessions(), &ada, &thread).await;
        let hold = move |transaction: &Transaction| ranks(transaction, ranking);
        let gate = Gate::new(bench.store(), hold);
        let gated = bench.sessions_over(gate.clone());
        let (student, work) = (ada.clone(), format!("{}.g{number}", bench.tenant));
        let call = tokio::spawn(async move {
            match ranking {
                "open-alerts" => gated.append_events(&student, alarm(&thread, "g")).await,
                "due" => gated.defer(&student, deferred(&thread, work)).await,
                _ => {
                    let mut new = new_thread("late");
                    new.idempotency.key = format!("late-{ranking}");
                    gated.create_thread(&student, new).await.map(drop)
                }
            }
        });
        gate.arrival().await;
        let erased = bench
            .sessions()
            .erase_student(bench.actor(), ada.clone(), String::new());
        erased.await.unwrap();
        gate.open();
        call.await.unwrap().unwrap_err();
        assert_eq!(bench.dump().holding(ADA), [""; 0], "held at {ranking}");
    }
}

fn alarm(thread: &str, key: &str) -> AppendEvents {
    AppendEvents {
        thread_id: thread.to_owned(),
        events: vec![event("note", "text")],
        alert: Some(NewAlert::default()),
        idempotency: idempotency(&format!("e{key}"), 4),
    }
}

fn deferred(thread: &str, work_id: String) -> DueWork {
    DueWork {
        work_id,
        kind: WorkKind::DeferredTurn.into(),
        thread_id: thread.to_owned(),
        due_time: Some(prost_types::Timestamp::default()),
        ..DueWork::default()
    }
}

fn ranks(transaction: &Transaction, ranking: &str) -> bool {
    let ranks = |write: &Write| matches!(write, Write::Rank { key, .. } if key.as_str() == ranking);
    transaction.writes.iter().any(ranks)
}

async fn a_reason_names_nobody(bench: &mut Bench) {
    let (ada, sessions) = (bench.student(ADA), bench.sessions());
    let names = vec!["Ada Lovelace".to_owned()];
    sessions
        .set_roster(&bench.actor(), CLASS, names, &fresh())
        .await
        .unwrap();
    make_thread(sessions, &ada, "t1").await;
    let reason = format!("{ADA}, that is Ada Lovelace, ada@school.org, has left");
    sessions
        .erase_student(bench.actor(), ada, reason)
        .await
        .unwrap();
    let audited = bench.audited().await;
    assert_eq!(
        (audited[0].kind.as_str(), audited[1].kind.as_str()),
        ("student-erased", "student-erasure-begun")
    );
    assert_eq!(audited[0].related_id, audited[1].audit_id);
    let reason = &audited[1].facts["reason"];
    for name in [ADA, "Lovelace", "ada@school.org"] {
        assert!(!reason.contains(name), "{reason}");
    }
    assert!(reason.contains("has left"));
}
