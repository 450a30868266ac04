//! Deferred work: handed out once when its time has come, again if its claim runs out, and never after it was
//! withdrawn.

use std::{collections::HashSet, time::Duration};

use bytes::Bytes;
use tokio::task::JoinSet;
use turnwise_kit::{Clock, time};
use turnwise_proto::session::v1::{ClaimedWork, DueWork, WorkKind};
use turnwise_session_store::{DAMAGED, Key, Partition, Write};
use turnwise_session_svc::{error::SessionError, sessions::Sessions};

use crate::{
    bench::{Bench, CLAIM, make_thread, new_thread, refused, unknown_thread},
    cases,
};

cases!(
    #[tokio::test]
    work_is_handed_out_when_its_time_has_come,
    work_that_came_due_first_comes_first,
    work_deferred_twice_is_there_once,
    an_id_that_other_work_has_is_refused,
    orphans_do_not_starve_what_is_promised,
    ten_claimers_get_each_piece_once,
    a_claim_that_ran_out_is_handed_out_again,
    a_claim_can_be_renewed_by_its_holder_only,
    work_of_no_thread_is_refused,
    work_that_nothing_promises_is_dropped_in_time,
    work_that_cannot_be_read_does_not_hold_up_the_rest,
    a_reset_withdraws_work,
    a_reset_takes_work_whose_promise_is_damaged,
    an_erasure_withdraws_work,
);

/// The name of work: it is the installation's, so it holds the tenant.
fn id(bench: &Bench, name: &str) -> String {
    format!("{}.{name}", bench.tenant)
}

fn work(bench: &Bench, name: &str, after: Duration) -> DueWork {
    let due = bench.clock.now().checked_add(after).unwrap();
    DueWork {
        work_id: id(bench, name),
        kind: WorkKind::DeferredTurn.into(),
        student_id: "ada".to_owned(),
        thread_id: "t1".to_owned(),
        subject_id: "k".to_owned(),
        due_time: Some(time::to_proto(due)),
        claims: Bytes::from_static(b"sealed"),
        payload: Bytes::from_static(b"payload"),
        tenant: String::new(),
    }
}

const SOON: Duration = Duration::from_secs(60);

async fn defer(bench: &Bench, name: &str, after: Duration) -> DueWork {
    let work = work(bench, name, after);
    let ada = bench.student("ada");
    let deferred = bench.sessions().defer(&ada, work.clone()).await;
    assert_eq!(deferred, Ok(()));
    work
}

/// Claims all that is due, and answers what is this tenant's.
async fn claim(sessions: &Sessions, bench: &Bench) -> Vec<ClaimedWork> {
    let claims = sessions.claim_due(100).await.unwrap();
    assert_eq!(claims.lease_ttl, CLAIM);
    let mut claimed = claims.claimed;
    claimed.retain(|claimed| claimed.work.as_ref().unwrap().tenant == bench.tenant);
    claimed
}

/// The names that are stored of deferred work.
fn stored(bench: &Bench) -> Vec<String> {
    let work = format!("/system:due:work:{}.", bench.tenant);
    let dump = bench.dump();
    let found = dump.only(|name| name.starts_with(&work) || name.ends_with(":works"));
    found.names().into_iter().map(str::to_owned).collect()
}

async fn work_is_handed_out_when_its_time_has_come(bench: &mut Bench) {
    let sessions = bench.sessions();
    make_thread(sessions, &bench.student("ada"), "t1").await;
    let work = defer(bench, "w", SOON).await;
    let early = sessions.claim_due(100).await.unwrap();
    assert!(
        early
            .claimed
            .iter()
            .all(|c| c.work.as_ref().unwrap().tenant != bench.tenant)
    );
    let next = time::to_proto(early.next.unwrap());
    assert!(next.seconds <= work.due_time.unwrap().seconds);
    bench.clock.advance(SOON);
    let claimed = claim(sessions, bench).await;
    let expected = DueWork {
        tenant: bench.tenant.clone(),
        ..work
    };
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].work, Some(expected));
    assert_eq!(claim(sessions, bench).await, []);
    let token = claimed[0].fencing_token;
    let done = sessions.complete_claim(&id(bench, "w"), token).await;
    assert_eq!(done, Ok(()));
    bench.claims_run_out().await;
    assert_eq!(claim(sessions, bench).await, []);
    assert_eq!(stored(bench), [""; 0]);
    // What is done cannot be done again.
    let again = sessions.complete_claim(&id(bench, "w"), token).await;
    assert_eq!(refused(again), SessionError::LeaseLost);
}

async fn work_that_came_due_first_comes_first(bench: &mut Bench) {
    make_thread(bench.sessions(), &bench.student("ada"), "t1").await;
    for (name, after) in [("late", 30), ("early", 10), ("middle", 20), ("never", 600)] {
        defer(bench, name, Duration::from_secs(after)).await;
    }
    bench.clock.advance(SOON);
    let claimed = claim(bench.sessions(), bench).await;
    let ids: Vec<_> = claimed
        .into_iter()
        .map(|c| c.work.unwrap().work_id)
        .collect();
    assert_eq!(ids, ["early", "middle", "late"].map(|name| id(bench, name)));
}

async fn work_deferred_twice_is_there_once(bench: &mut Bench) {
    make_thread(bench.sessions(), &bench.student("ada"), "t1").await;
    let ada = bench.student("ada");
    let first = defer(bench, "w", SOON).await;
    bench.clock.advance(SOON);
    let sessions = bench.sessions();
    assert_eq!(sessions.defer(&ada, first.clone()).await, Ok(()));
    let claimed = claim(bench.sessions(), bench).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].work.as_ref().unwrap().due_time, first.due_time);
    // Neither is it handed out again if it is deferred while somebody works on it.
    assert_eq!(sessions.defer(&ada, first).await, Ok(()));
    assert_eq!(claim(bench.sessions(), bench).await, []);
}

async fn an_id_that_other_work_has_is_refused(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    make_thread(sessions, &ada, "t2").await;
    let first = defer(bench, "w", SOON).await;
    let changes: [fn(&mut DueWork); 5] = [
        |work| work.thread_id = "t2".to_owned(),
        |work| work.kind = WorkKind::ContextEnd.into(),
        |work| work.subject_id = "other".to_owned(),
        |work| work.due_time.as_mut().unwrap().seconds += 1,
        |work| work.payload = Bytes::from_static(b"other"),
    ];
    for change in changes {
        let mut other = first.clone();
        change(&mut other);
        let refusal = refused(sessions.defer(&ada, other).await);
        assert_eq!(refusal, SessionError::OtherWork);
    }
    bench.clock.advance(SOON);
    let claimed = claim(sessions, bench).await;
    assert_eq!(claimed[0].work.as_ref().unwrap().payload, first.payload);
}

/// However much stands in front, work that is promised is handed out after few passes.
async fn orphans_do_not_starve_what_is_promised(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let names: Vec<_> = (0..1100).map(|number| format!("orphan{number}")).collect();
    for name in &names {
        defer(bench, name, Duration::ZERO).await;
    }
    let promises = Write::Unset {
        key: Key::new("works"),
        fields: names.iter().map(|name| id(bench, name).into()).collect(),
    };
    bench.write(&bench.partition(&ada).await, promises).await;
    bench.clock.advance(SOON);
    defer(bench, "resume", Duration::ZERO).await;
    bench.clock.advance(Duration::from_secs(1));
    let mut passes = 0;
    let claimed = loop {
        let claimed = claim(sessions, bench).await;
        passes += 1;
        if !claimed.is_empty() {
            break claimed;
        }
        assert!(passes < 10, "it is not handed out");
    };
    assert_eq!(
        claimed[0].work.as_ref().unwrap().work_id,
        id(bench, "resume")
    );
}

async fn ten_claimers_get_each_piece_once(bench: &mut Bench) {
    make_thread(bench.sessions(), &bench.student("ada"), "t1").await;
    for number in 0..20 {
        defer(bench, &format!("w{number}"), Duration::ZERO).await;
    }
    bench.clock.advance(SOON);
    let replicas = [bench.sessions().clone(), bench.replica().await];
    let mut claimers = JoinSet::new();
    for number in 0..10 {
        let sessions = replicas[number % 2].clone();
        claimers.spawn(async move { sessions.claim_due(3 + number).await.unwrap().claimed });
    }
    let mut claimed = claimers.join_all().await.concat();
    claimed.extend(claim(bench.sessions(), bench).await);
    claimed.retain(|claimed| claimed.work.as_ref().unwrap().tenant == bench.tenant);
    let ids: HashSet<_> = claimed
        .iter()
        .map(|c| &c.work.as_ref().unwrap().work_id)
        .collect();
    assert_eq!((claimed.len(), ids.len()), (20, 20));
}

async fn a_claim_that_ran_out_is_handed_out_again(bench: &mut Bench) {
    let sessions = bench.sessions();
    make_thread(sessions, &bench.student("ada"), "t1").await;
    defer(bench, "w", Duration::ZERO).await;
    bench.clock.advance(SOON);
    let first = claim(sessions, bench).await.remove(0);
    bench.claims_run_out().await;
    let second = claim(sessions, bench).await.remove(0);
    assert_eq!(first.work, second.work);
    assert!(second.fencing_token > first.fencing_token);
    let (id, lost) = (id(bench, "w"), Err(SessionError::LeaseLost));
    let late = first.fencing_token;
    assert_eq!(sessions.complete_claim(&id, late).await, lost);
    assert_eq!(
        sessions.renew_claim(&id, late).await,
        Err(SessionError::LeaseLost)
    );
    assert_eq!(
        sessions.complete_claim(&id, second.fencing_token).await,
        Ok(())
    );
    assert_eq!(stored(bench), [""; 0]);
}

async fn a_claim_can_be_renewed_by_its_holder_only(bench: &mut Bench) {
    let sessions = bench.sessions();
    make_thread(sessions, &bench.student("ada"), "t1").await;
    defer(bench, "w", Duration::ZERO).await;
    bench.clock.advance(SOON);
    let token = claim(sessions, bench).await.remove(0).fencing_token;
    let id = id(bench, "w");
    assert_eq!(sessions.renew_claim(&id, token).await, Ok(CLAIM));
    let lost = Err(SessionError::LeaseLost);
    assert_eq!(sessions.renew_claim(&id, token + 1).await, lost);
    assert_eq!(sessions.renew_claim("none", token).await, lost);
    bench.claims_run_out().await;
    assert_eq!(sessions.renew_claim(&id, token).await, lost);
}

async fn work_of_no_thread_is_refused(bench: &mut Bench) {
    let sessions = bench.sessions();
    let ada = bench.student("ada");
    let deferred = sessions.defer(&ada, work(bench, "w", Duration::ZERO)).await;
    assert_eq!(refused(deferred), unknown_thread("t1"));
    assert_eq!(stored(bench), [""; 0]);
    // A helper's conversation that a reset removed is none either.
    make_thread(sessions, &ada, "h1").await;
    bench.reset().await;
    let of_helper = DueWork {
        thread_id: "h1".to_owned(),
        ..work(bench, "w", Duration::ZERO)
    };
    let deferred = sessions.defer(&ada, of_helper).await;
    assert_eq!(refused(deferred), unknown_thread("h1"));
    assert_eq!(stored(bench), [""; 0]);
}

async fn work_that_nothing_promises_is_dropped_in_time(bench: &mut Bench) {
    let sessions = bench.sessions();
    let ada = bench.student("ada");
    make_thread(sessions, &ada, "t1").await;
    let work = defer(bench, "w", Duration::ZERO).await;
    // As if the process had ended between the two writes.
    let promise = Write::Unset {
        key: Key::new("works"),
        fields: vec![id(bench, "w").into()],
    };
    bench.write(&bench.partition(&ada).await, promise).await;
    bench.clock.advance(SOON);
    for _ in 0..2 {
        assert_eq!(claim(sessions, bench).await, []);
        assert_eq!(stored(bench).len(), 1);
    }
    // Promised after all, it is handed out.
    assert_eq!(sessions.defer(&ada, work).await, Ok(()));
    assert_eq!(claim(sessions, bench).await.len(), 1);
    bench.claims_run_out().await;
    let promise = Write::Unset {
        key: Key::new("works"),
        fields: vec![id(bench, "w").into()],
    };
    bench.write(&bench.partition(&ada).await, promise).await;
    bench.clock.advance(Duration::from_secs(600));
    assert_eq!(claim(sessions, bench).await, []);
    assert_eq!(stored(bench), [""; 0]);
}

async fn work_that_cannot_be_read_does_not_hold_up_the_rest(bench: &mut Bench) {
    let sessions = bench.sessions();
    make_thread(sessions, &bench.student("ada"), "t1").await;
    defer(bench, "broken", Duration::ZERO).await;
    defer(bench, "whole", Duration::ZERO).await;
    let name = format!("work:{}", id(bench, "broken"));
    bench
        .put(&Partition::system("due"), &name, "item", &[1, 0])
        .await;
    bench.clock.advance(SOON);
    let claimed = claim(sessions, bench).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(
        claimed[0].work.as_ref().unwrap().work_id,
        id(bench, "whole")
    );
    assert!(!stored(bench).iter().any(|name| name.ends_with("broken")));
}

async fn a_reset_withdraws_work(bench: &mut Bench) {
    let sessions = bench.sessions();
    make_thread(sessions, &bench.student("ada"), "t1").await;
    defer(bench, "now", Duration::ZERO).await;
    defer(bench, "later", SOON).await;
    bench.reset().await;
    assert_eq!(stored(bench), [""; 0]);
    bench.clock.advance(SOON);
    assert_eq!(claim(sessions, bench).await, []);
}

async fn a_reset_takes_work_whose_promise_is_damaged(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for name in ["whole", "broken"] {
        defer(bench, name, SOON).await;
        damage_promise(bench, name).await;
    }
    let name = format!("work:{}", id(bench, "broken"));
    bench
        .put(&Partition::system("due"), &name, "item", &[1, 0])
        .await;
    let report = bench.reset().await;
    assert_eq!(report.threads, 1);
    let audited = bench.audited().await;
    assert_eq!(audited[0].facts["unreadable_records"], "1");
    assert_eq!(bench.archived()[0]["works"].as_array().unwrap().len(), 1);
    assert_eq!(stored(bench), [""; 0]);
    // Of a thread of another class it is left alone.
    let mut elsewhere = new_thread("t2");
    elsewhere.thread.class_id = "8a".to_owned();
    sessions.create_thread(&ada, elsewhere).await.unwrap();
    let other = DueWork {
        thread_id: "t2".to_owned(),
        ..work(bench, "other", SOON)
    };
    sessions.defer(&ada, other).await.unwrap();
    damage_promise(bench, "other").await;
    make_thread(sessions, &ada, "t3").await;
    assert_eq!(bench.reset().await.threads, 1);
    bench.clock.advance(SOON);
    assert_eq!(claim(sessions, bench).await.len(), 1);
}

async fn damage_promise(bench: &Bench, name: &str) {
    let promise = Write::Put {
        key: Key::new("works"),
        fields: vec![(id(bench, name).into(), Bytes::from_static(DAMAGED))],
    };
    let ada = bench.partition(&bench.student("ada")).await;
    bench.write(&ada, promise).await;
}

async fn an_erasure_withdraws_work(bench: &mut Bench) {
    let sessions = bench.sessions();
    let ada = bench.student("ada");
    make_thread(sessions, &ada, "t1").await;
    defer(bench, "now", Duration::ZERO).await;
    defer(bench, "later", SOON).await;
    sessions
        .erase_student(bench.actor(), ada, String::new())
        .await
        .unwrap();
    assert_eq!(stored(bench), [""; 0]);
    bench.clock.advance(SOON);
    assert_eq!(claim(sessions, bench).await, []);
}
