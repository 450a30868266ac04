//! Calls for help, as whoever watches a class hears of them.

use tokio::sync::mpsc::Receiver;
use turnwise_proto::{
    classes::v1::AlertKind,
    session::v1::{NewAlert, WatchAlertsResponse},
};
use turnwise_session_store::StudentKey;
use turnwise_session_svc::sessions::{classes::watch_alerts::Watched, events::AppendEvents};

use crate::{
    bench::{Bench, CLASS, event, fresh, idempotency, make_thread},
    cases,
};

cases!(
    #[tokio::test]
    open_alerts_come_first_and_nobody_misses_one_who_breaks_off,
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
        .acknowledge_alert(&bench.actor(), CLASS, &taken, &fresh())
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
