//! A gateway that is killed while it delivers.

use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use turnwise_proto::session::v1::{
    SetClassRosterRequest, session_admin_service_client::SessionAdminServiceClient,
};
use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    evidence::as_service,
    options::{Options, Service},
};
use uuid::Uuid;

use super::receiver::{Mode, Receiver};

/// A claim of the killed gateway lasts a minute.
const BOUND: Duration = Duration::from_secs(100);

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_when_the_gateway_dies() {
    let mut receiver = Receiver::new();
    receiver.up().await;
    receiver.does("*", Mode::Silent);
    let home = tempfile::tempdir().unwrap();
    let keys = home.path().join("keys");
    turnwise_testing::write_secret(&keys, format!("one {}\n", STANDARD.encode([1; 32]))).unwrap();
    let options = Options::new()
        .env("AUDIT_EVENT_URL", receiver.url("audit"))
        .env("WEBHOOK_KEYS_FILE", keys.display().to_string())
        .env("WEBHOOK_ALLOW_PRIVATE", "1");
    let mut suite = Deployment::five_processes(options).await;
    let mut admin = SessionAdminServiceClient::new(suite.internal(Service::Session));
    let mut change = async |class_id: &str, names: usize| {
        let request = as_service(SetClassRosterRequest {
            class_id: class_id.to_owned(),
            names: vec!["Ada Lovelace".to_owned(); names],
            idempotency_key: Uuid::new_v4().to_string(),
        });
        admin.set_class_roster(request).await.unwrap();
    };
    for number in 1..=3 {
        change("7a", number).await;
    }
    change("7b", 1).await;
    // Both classes' first events are there, and neither is answered.
    receiver.attempts(2).await;
    suite.kill(Service::Gateway);
    receiver.does("*", Mode::Status(204));
    change("7b", 2).await;
    suite.restart(Service::Gateway);
    let names = |class: &str| {
        let subject = format!("class/{class}");
        let taken = receiver.taken("audit").into_iter();
        let of_class = taken.filter(|(_, event)| event["subject"] == subject.as_str());
        of_class
            .map(|(_, event)| event["data"]["facts"]["names"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    eventually("all events", BOUND, async || {
        (receiver.taken("audit").len() == 5).then_some(())
    })
    .await;
    assert_eq!(names("7a"), ["1", "2", "3"]);
    assert_eq!(names("7b"), ["1", "2"]);
    suite.stop();
}
