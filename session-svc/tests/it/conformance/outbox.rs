//! The outbox of webhooks: written with what it tells, handed out in order and once at a time, kept until it is taken or
//! given up.

use std::{collections::HashSet, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::task::JoinSet;
use turnwise_kit::Clock;
use turnwise_proto::{
    classes::v1::{AlertFilter, AlertKind},
    session::v1::{ClaimedStream, EventDestination, NewAlert},
};
use turnwise_session_store::{StudentKey, Transaction, Write};
use turnwise_session_svc::{
    error::SessionError,
    sessions::{
        Sessions,
        outbox::{Failure, Settlement},
        turns::CommitTurn,
    },
};

use crate::{
    bench::{
        Bench, CLASS, begin, commit, fresh,
        gate::{Counter, Gate},
        make_thread, refused, skip, started,
    },
    cases,
};

cases!(
    #[tokio::test]
    what_staff_do_is_told,
    an_alert_is_told_once_and_as_it_was,
    a_claim_that_ran_out_is_handed_out_again,
    one_that_fails_holds_up_its_own_stream_only,
    one_that_is_given_up_becomes_a_dead_letter,
    an_event_that_comes_late_is_found,
    an_event_that_is_written_while_its_stream_is_looked_at_is_found,
    a_turn_pays_only_if_it_calls_for_help,
    ten_claimers_get_each_stream_once,
);

pub(super) const AUDIT: EventDestination = EventDestination::Audit;
pub(super) const ALERT: EventDestination = EventDestination::Alert;
/// How long a claim lasts.
const LEASE: Duration = Duration::from_secs(60);
/// An id that stands nowhere by chance.
pub(super) const ADA: &str = "ada-1815-12-10";

/// Claims what is due of this tenant. A look at an installation that others use moves theirs back, too.
pub(super) async fn claim(
    sessions: &Sessions,
    bench: &Bench,
    destination: EventDestination,
) -> Vec<ClaimedStream> {
    let claims = sessions.claim_streams(destination, 100, 100).await.unwrap();
    assert_eq!(claims.lease_ttl, LEASE);
    let mut streams = claims.streams;
    streams.retain(|stream| stream.events[0].tenant == bench.tenant);
    streams
}

pub(super) fn kinds(stream: &ClaimedStream) -> Vec<&str> {
    stream.events.iter().map(|e| e.kind.as_str()).collect()
}

pub(super) async fn set_roster(bench: &Bench, class_id: &str) {
    let names = vec!["Grace Hopper".to_owned()];
    bench
        .sessions()
        .set_roster(&bench.actor(), class_id, names, &fresh())
        .await
        .unwrap();
}

pub(super) fn delivered(stream: &ClaimedStream) -> Settlement {
    Settlement {
        delivered: stream.events.last().unwrap().position,
        release: true,
        ..Settlement::default()
    }
}

pub(super) fn failed(stream: &ClaimedStream, give_up: bool) -> Settlement {
    Settlement {
        failure: Some(Failure {
            code: "status_500".to_owned(),
            retry_after: Duration::from_secs(30),
            give_up,
            position: stream.events[0].position,
        }),
        ..Settlement::default()
    }
}

pub(super) async fn settle(bench: &Bench, stream: &ClaimedStream, settlement: Settlement) {
    bench
        .sessions()
        .settle_events(&stream.stream_id, stream.fencing_token, settlement)
        .await
        .unwrap();
}

/// Commits a turn that calls for help, twice, as a client does that got no answer.
pub(super) async fn call_for_help(bench: &Bench, student: &StudentKey, thread: &str, key: &str) {
    let sessions = bench.sessions();
    let start = started(sessions, student, begin(thread, key)).await;
    let turn = CommitTurn {
        alert: Some(NewAlert {
            kind: AlertKind::SelfHarm.into(),
            uncertain: false,
            turn_id: format!("turn-{key}"),
        }),
        ..commit(&start, key, "words of a secret")
    };
    let again = sessions.commit_turn(student, turn.clone()).await.unwrap();
    assert_eq!(sessions.commit_turn(student, turn).await.unwrap(), again);
}

/// Lets claims run out.
async fn claims_run_out(bench: &Bench) {
    bench.clock.advance(LEASE);
    match bench.home.address() {
        None => skip(LEASE).await,
        Some(_) => {
            let leases = bench.home.keys(&bench.names_of("outbox-lease:*"));
            bench.home.expire(&leases, Duration::ZERO);
        }
    }
}

pub(super) fn data(stream: &ClaimedStream, event: usize) -> Value {
    serde_json::from_str(&stream.events[event].data).unwrap()
}

async fn what_staff_do_is_told(bench: &mut Bench) {
    let sessions = bench.sessions();
    let before = bench.clock.now().as_second();
    set_roster(bench, CLASS).await;
    set_roster(bench, CLASS).await;
    // No alert: that receiver gets nothing of it.
    assert_eq!(claim(sessions, bench, ALERT).await, []);
    let claimed = claim(sessions, bench, AUDIT).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(kinds(&claimed[0]), ["class-roster-set", "class-roster-set"]);
    let event = &claimed[0].events[0];
    assert_eq!(event.subject, format!("class/{CLASS}"));
    assert_eq!(event.partition_key, format!("class:{CLASS}"));
    assert!(event.create_time.unwrap().seconds >= before);
    assert_ne!(event.event_id, claimed[0].events[1].event_id);
    let told = data(&claimed[0], 0);
    let audited = bench.audited().await;
    assert_eq!(told["kind"], audited[1].kind.as_str());
    assert_eq!(told["actorId"], "principal");
    assert_eq!(told["facts"]["names"], "1");
    assert!(!event.data.contains("Grace"));

    assert_eq!(claim(sessions, bench, AUDIT).await, []);
    settle(bench, &claimed[0], delivered(&claimed[0])).await;
    claims_run_out(bench).await;
    assert_eq!(claim(sessions, bench, AUDIT).await, []);
    // What was sent again under its key is told once.
    let (actor, once) = (bench.actor(), fresh());
    for _ in 0..2 {
        let names = vec!["Ada".to_owned()];
        let set = sessions.set_roster(&actor, CLASS, names, &once);
        set.await.unwrap();
    }
    bench.clock.advance(Duration::from_secs(600));
    assert_eq!(claim(sessions, bench, AUDIT).await[0].events.len(), 1);
}

async fn an_alert_is_told_once_and_as_it_was(bench: &mut Bench) {
    let (ada, sessions) = (bench.student(ADA), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    call_for_help(bench, &ada, "t1", "k1").await;
    let open = sessions
        .list_alerts(&bench.tenant, CLASS, (false, AlertFilter::Open), None, 10)
        .await
        .unwrap();
    let alert_id = &open.alerts[0].alert_id;
    sessions
        .acknowledge_alert(&bench.actor(), CLASS, (false, alert_id), &fresh())
        .await
        .unwrap();
    let claimed = claim(sessions, bench, ALERT).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(
        kinds(&claimed[0]),
        ["safeguarding-alert", "alert-acknowledged"]
    );
    let (raised, taken) = (data(&claimed[0], 0), data(&claimed[0], 1));
    assert_eq!(raised["alertId"], alert_id.as_str());
    assert_eq!(raised["studentId"], ADA);
    assert_eq!(raised["turnId"], "turn-k1");
    assert_eq!(raised["acknowledgedBy"], Value::Null);
    assert_eq!(taken["acknowledgedBy"], "principal");
    for event in &claimed[0].events {
        assert_eq!(event.subject, format!("alert/{alert_id}"));
        assert!(!event.data.contains("secret"), "{event:?}");
    }
    settle(bench, &claimed[0], delivered(&claimed[0])).await;
    // The acknowledgement is in the audit log, too.
    let audit = claim(sessions, bench, AUDIT).await;
    assert_eq!(kinds(&audit[0]), ["alert-acknowledged"]);
    assert!(!audit[0].events[0].data.contains(ADA));
}

async fn a_claim_that_ran_out_is_handed_out_again(bench: &mut Bench) {
    let sessions = bench.sessions();
    set_roster(bench, CLASS).await;
    set_roster(bench, CLASS).await;
    let first = claim(sessions, bench, AUDIT).await.remove(0);
    let keep = Settlement {
        delivered: first.events[0].position,
        ..Settlement::default()
    };
    settle(bench, &first, keep).await;
    claims_run_out(bench).await;
    let second = claim(sessions, bench, AUDIT).await.remove(0);
    // What was settled is not handed out again; the rest is what it was.
    assert_eq!(second.events, first.events[1..]);
    assert!(second.fencing_token > first.fencing_token);
    let (id, late) = (&first.stream_id, first.fencing_token);
    let settled = sessions.settle_events(id, late, delivered(&first)).await;
    assert_eq!(refused(settled), SessionError::LeaseLost);
    let nothing = Settlement::default();
    let unknown = sessions.settle_events("nothing", late, nothing).await;
    assert_eq!(refused(unknown), SessionError::LeaseLost);
    settle(bench, &second, delivered(&second)).await;
    claims_run_out(bench).await;
    assert_eq!(claim(sessions, bench, AUDIT).await, []);
}

async fn one_that_fails_holds_up_its_own_stream_only(bench: &mut Bench) {
    let sessions = bench.sessions();
    set_roster(bench, "7a").await;
    set_roster(bench, "7b").await;
    let claimed = claim(sessions, bench, AUDIT).await;
    let keys: Vec<_> = claimed
        .iter()
        .map(|s| s.events[0].partition_key.as_str())
        .collect();
    assert_eq!(keys, ["class:7a", "class:7b"]);
    let first = &claimed[0];
    assert_eq!((first.attempts, first.first_attempt_time), (0, None));
    let failed_at = bench.clock.now().as_second();
    settle(bench, first, failed(first, false)).await;
    settle(bench, &claimed[1], delivered(&claimed[1])).await;
    // A later event of the same stream does not go before it.
    set_roster(bench, "7a").await;
    set_roster(bench, "7b").await;
    let claimed = claim(sessions, bench, AUDIT).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].events[0].partition_key, "class:7b");
    let backlog = sessions.backlog(AUDIT).await.unwrap();
    assert!(backlog.streams >= 2);
    let created = first.events[0].create_time.unwrap();
    assert!(backlog.oldest.unwrap().as_second() <= created.seconds);

    bench.clock.advance(Duration::from_secs(30));
    let again = claim(sessions, bench, AUDIT).await.remove(0);
    assert_eq!(again.events[0], first.events[0]);
    assert_eq!(again.events.len(), 2);
    assert_eq!(again.attempts, 1);
    let first_attempt = again.first_attempt_time.unwrap().seconds;
    assert!((failed_at..=failed_at + 1).contains(&first_attempt));
    settle(bench, &again, failed(&again, false)).await;
    bench.clock.advance(Duration::from_secs(30));
    let third = claim(sessions, bench, AUDIT).await.remove(0);
    assert_eq!(third.attempts, 2);
    assert_eq!(third.first_attempt_time, again.first_attempt_time);
    // The next event begins anew.
    let one = Settlement {
        delivered: third.events[0].position,
        release: true,
        ..Settlement::default()
    };
    settle(bench, &third, one).await;
    let next = claim(sessions, bench, AUDIT).await.remove(0);
    assert_eq!((next.attempts, next.first_attempt_time), (0, None));
    assert_eq!(next.events, third.events[1..]);
}

async fn one_that_is_given_up_becomes_a_dead_letter(bench: &mut Bench) {
    let sessions = bench.sessions();
    for _ in 0..3 {
        set_roster(bench, CLASS).await;
    }
    for number in 0..2 {
        let claimed = claim(sessions, bench, AUDIT).await.remove(0);
        assert_eq!(claimed.events.len(), 3 - number);
        settle(bench, &claimed, failed(&claimed, true)).await;
    }
    let page = sessions.dead_letters(&bench.tenant, None, 1).await.unwrap();
    let rest = sessions
        .dead_letters(&bench.tenant, page.before, 10)
        .await
        .unwrap();
    assert_eq!((rest.dead_letters.len(), rest.before), (1, None));
    let letter = &page.dead_letters[0];
    assert_eq!(letter.destination, "AUDIT_EVENT_URL");
    assert_eq!(letter.kind, "class-roster-set");
    assert_eq!(letter.subject, format!("class/{CLASS}"));
    assert_eq!((letter.attempts, letter.dropped), (1, 1));
    assert_eq!(letter.failure, "status_500");
    assert_ne!(letter.event_id, rest.dead_letters[0].event_id);
    let elsewhere = sessions.dead_letters("nobody", None, 10).await.unwrap();
    assert_eq!(elsewhere.dead_letters, []);
    assert_eq!(claim(sessions, bench, AUDIT).await[0].events.len(), 1);
    bench.clock.advance(Duration::from_secs(31 * 86_400));
    let later = sessions.dead_letters(&bench.tenant, None, 10).await;
    assert_eq!(later.unwrap().dead_letters, []);
}

async fn an_event_that_comes_late_is_found(bench: &mut Bench) {
    let sessions = bench.sessions();
    set_roster(bench, CLASS).await;
    let claimed = claim(sessions, bench, AUDIT).await.remove(0);
    // While it is claimed, and right after it was found empty.
    set_roster(bench, CLASS).await;
    settle(bench, &claimed, delivered(&claimed)).await;
    let claimed = claim(sessions, bench, AUDIT).await.remove(0);
    assert_eq!(claimed.events.len(), 1);
    settle(bench, &claimed, delivered(&claimed)).await;
    set_roster(bench, CLASS).await;
    let claimed = claim(sessions, bench, AUDIT).await.remove(0);
    settle(bench, &claimed, delivered(&claimed)).await;
}

async fn an_event_that_is_written_while_its_stream_is_looked_at_is_found(bench: &mut Bench) {
    let sessions = bench.sessions();
    let appends = |transaction: &Transaction| {
        let outbox = |write: &Write| matches!(write, Write::Append { key, .. } if key.as_str().starts_with("outbox:"));
        transaction.writes.iter().any(outbox)
    };
    // At first, and where the stream is in the index already, long after its last event.
    for age in [0, 3600] {
        bench.clock.advance(Duration::from_secs(age));
        let gate = Gate::new(bench.store(), appends);
        let slow = bench.sessions_over(Arc::clone(&gate) as _);
        let actor = bench.actor();
        let setting = tokio::spawn(async move {
            let names = vec!["Ada".to_owned()];
            slow.set_roster(&actor, CLASS, names, &fresh()).await
        });
        gate.arrival().await;
        // It is entered, and there is nothing in it yet.
        assert_eq!(claim(sessions, bench, AUDIT).await, []);
        gate.open();
        setting.await.unwrap().unwrap();
        bench.clock.advance(Duration::from_secs(6));
        let claimed = claim(sessions, bench, AUDIT).await;
        assert_eq!(claimed.len(), 1, "after {age} s");
        settle(bench, &claimed[0], delivered(&claimed[0])).await;
    }
}

async fn a_turn_pays_only_if_it_calls_for_help(bench: &mut Bench) {
    let ada = bench.student(ADA);
    make_thread(bench.sessions(), &ada, "t1").await;
    // What is read once is read.
    call_for_help(bench, &ada, "t1", "k0").await;
    let claimed = claim(bench.sessions(), bench, ALERT).await;
    settle(bench, &claimed[0], delivered(&claimed[0])).await;
    let counter = Counter::new(bench.store());
    let counted = bench.sessions_over(Arc::clone(&counter) as _);
    let mut paid = Vec::new();
    for (key, alert) in [("warm", true), ("k1", false), ("k2", true), ("k3", true)] {
        let start = started(&counted, &ada, begin("t1", key)).await;
        let turn = CommitTurn {
            alert: alert.then(|| NewAlert {
                kind: AlertKind::SelfHarm.into(),
                ..NewAlert::default()
            }),
            ..commit(&start, key, "words")
        };
        if key == "k2" {
            let claimed = claim(bench.sessions(), bench, ALERT).await;
            settle(bench, &claimed[0], delivered(&claimed[0])).await;
        }
        let before = counter.done();
        counted.commit_turn(&ada, turn).await.unwrap();
        paid.push(counter.done() - before);
    }
    // One step; with an alert its own and the entry of its stream; one more where alerts wait already.
    assert_eq!(paid[1..], [1, 3, 4]);
}

async fn ten_claimers_get_each_stream_once(bench: &mut Bench) {
    for number in 0..20 {
        set_roster(bench, &format!("class-{number}")).await;
    }
    let replicas = [bench.sessions().clone(), bench.replica().await];
    let mut claimers = JoinSet::new();
    for number in 0..10 {
        let sessions = replicas[number % 2].clone();
        claimers.spawn(async move {
            let claims = sessions.claim_streams(AUDIT, 3 + number, 1).await;
            claims.unwrap().streams
        });
    }
    let mut claimed = claimers.join_all().await.concat();
    claimed.extend(claim(bench.sessions(), bench, AUDIT).await);
    claimed.retain(|stream| stream.events[0].tenant == bench.tenant);
    let ids: HashSet<_> = claimed.iter().map(|s| &s.stream_id).collect();
    assert_eq!((claimed.len(), ids.len()), (20, 20));
}
