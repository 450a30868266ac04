//! Calls for help, as whoever watches a class hears of them.

use tokio::sync::mpsc::Receiver;
use turnwise_proto::{
    classes::v1::{AlertFilter, AlertKind},
    session::v1::{NewAlert, NewEscalation, WatchAlertsResponse},
    tutor::v1::SessionStatus,
};
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    sessions::{classes::watch_alerts::Watched, events::AppendEvents},
};

use crate::{
    bench::{Bench, CLASS, begin, commit, event, fresh, idempotency, make_thread, started},
    cases,
};

cases!(
    #[tokio::test]
    open_alerts_come_first_and_nobody_misses_one_who_breaks_off,
    a_hand_off_is_listed_apart_and_ends_with_its_thread_active,
);

async fn call_for_help(bench: &Bench, student: &StudentKey, key: &str) {
    let append = AppendEvents {
        thread_id: "t1".to_owned(),
        events: vec![event("safeguarding-alert", key)],
        idempotency: idempotency(key, 4),
        alert: Some(NewAlert {
            kind: AlertKind::Danger.into(),
            ..NewAlert::default()
        }),
    };
    let sessions = bench.sessions();
    sessions.append_events(student, append).await.unwrap();
}

fn watch(bench: &Bench, after: i64) -> Receiver<Watched> {
    let watched = bench.sessions().watch_alerts(&bench.tenant, CLASS, after);
    watched.unwrap()
}

async fn next(watch: &mut Receiver<Watched>) -> WatchAlertsResponse {
    watch.recv().await.unwrap().unwrap()
}

async fn open_alerts_come_first_and_nobody_misses_one_who_breaks_off(bench: &mut Bench) {
    let ada = bench.student("ada");
    make_thread(bench.sessions(), &ada, "t1").await;
    for key in ["a", "b", "c"] {
        call_for_help(bench, &ada, key).await;
    }
    let mut first = watch(bench, 0);
    let begun = next(&mut first).await;
    drop(first);
    // Whoever breaks off within the open ones begins anew.
    let mut again = watch(bench, begun.id);
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(next(&mut again).await);
    }
    let ids: Vec<_> = seen.iter().map(|told| told.id > 0).collect();
    assert_eq!(ids, [false, false, true]);
    drop(again);
    // Whoever has all of them hears of what came since: a new one, and one that was taken on.
    call_for_help(bench, &ada, "d").await;
    let taken = seen[0].alert.as_ref().unwrap().alert_id.clone();
    let sessions = bench.sessions();
    let acknowledged = sessions
        .acknowledge_alert(&bench.actor(), CLASS, (false, &taken), &fresh())
        .await
        .unwrap();
    assert_eq!(acknowledged.acknowledged_by, "principal");
    let mut resumed = watch(bench, seen[2].id);
    let new = next(&mut resumed).await;
    assert_eq!(new.id, seen[2].id + 1);
    assert_eq!(new.alert.unwrap().acknowledged_by, "");
    let told = next(&mut resumed).await;
    assert_eq!(told.alert, Some(acknowledged));
}

async fn a_hand_off_is_listed_apart_and_ends_with_its_thread_active(bench: &mut Bench) {
    let ada = bench.student("ada");
    let sessions = bench.sessions();
    make_thread(sessions, &ada, "t1").await;
    call_for_help(bench, &ada, "a").await;
    let start = started(sessions, &ada, begin("t1", "turn")).await;
    let mut turn = commit(&start, "turn", "turn");
    turn.escalation = Some(NewEscalation {
        document_id: "doc".to_owned(),
        turn_id: "turn-1".to_owned(),
    });
    sessions.commit_turn(&ada, turn.clone()).await.unwrap();
    // The same commit once more raises nothing new.
    sessions.commit_turn(&ada, turn).await.unwrap();

    let (open, all) = (AlertFilter::Open, AlertFilter::All);
    let list = async |handoffs: bool, filter: AlertFilter| {
        let page = sessions.list_alerts(&bench.tenant, CLASS, (handoffs, filter), None, 10);
        page.await.unwrap().alerts
    };
    let handoffs = list(true, open).await;
    assert_eq!(handoffs.len(), 1);
    let handoff = &handoffs[0];
    assert_eq!(handoff.kind(), AlertKind::Handoff);
    assert_eq!(
        (handoff.document_id.as_str(), handoff.turn_id.as_str()),
        ("doc", "turn-1")
    );
    let alerts = list(false, open).await;
    assert_eq!(alerts.len(), 1);
    assert_eq!(alerts[0].kind(), AlertKind::Danger);
    let mut watched = watch(bench, 0);
    let kinds = [next(&mut watched).await, next(&mut watched).await];
    let kinds = kinds.map(|told| told.alert.unwrap().kind());
    assert_eq!(kinds, [AlertKind::Danger, AlertKind::Handoff]);

    // Neither passes for the other.
    for (handoff, id) in [(true, &alerts[0].alert_id), (false, &handoff.alert_id)] {
        let refused = sessions
            .acknowledge_alert(&bench.actor(), CLASS, (handoff, id), &fresh())
            .await;
        assert!(matches!(refused, Err(SessionError::UnknownAlert { .. })));
    }
    let status = async |key: &str| {
        let start = started(sessions, &ada, begin("t1", key)).await;
        let status = start.session_status();
        let token = start.fencing_token;
        sessions.abandon_turn(&ada, "t1", token).await.unwrap();
        status
    };
    assert_eq!(status("before").await, SessionStatus::Escalated);
    for _ in 0..2 {
        let resolved = sessions
            .acknowledge_alert(&bench.actor(), CLASS, (true, &handoff.alert_id), &fresh())
            .await
            .unwrap();
        assert_eq!(resolved.acknowledged_by, "principal");
    }
    assert_eq!(status("after").await, SessionStatus::Active);
    assert_eq!(list(true, open).await, []);
    assert_eq!(list(true, all).await.len(), 1);
    // An erasure takes it along.
    let erased = sessions.erase_student(bench.actor(), ada.clone(), String::new());
    erased.await.unwrap();
    assert_eq!(list(true, all).await, []);
}
