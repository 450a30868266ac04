//! Receivers that misbehave, on a clock that the test moves: the outbox of a real session-svc, the gateway's own delivery,
//! and a receiver on a socket.

use std::{sync::Arc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use clap::Parser;
use serde_json::Value;
use tempfile::TempDir;
use turnwise_gateway_svc::{self as gateway, Upstreams, webhooks};
use turnwise_kit::{
    Kit,
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, local},
    clock::ManualClock,
    stack::{DeadlineRule, InternalAuth, Stack},
};
use turnwise_proto::{
    school::v1::{
        DeadLetter, ListDeadLettersRequest,
        student_records_service_client::StudentRecordsServiceClient,
    },
    session::v1::{SetClassRosterRequest, session_admin_service_client::SessionAdminServiceClient},
};
use turnwise_session_svc as session;
use turnwise_testing::write_secret;
use turnwise_tests::{eventually::eventually, evidence::as_service};
use uuid::Uuid;

use super::receiver::{Mode, Receiver};

/// Longer than the longest wait between two attempts.
const LATER: Duration = Duration::from_secs(1200);
const HOUR: Duration = Duration::from_secs(3600);
const BOUND: Duration = Duration::from_secs(30);

/// An outbox, and a gateway that delivers it.
struct World {
    session: GrpcClient,
    clock: Arc<ManualClock>,
    kit: Kit,
    keys: std::path::PathBuf,
    _home: TempDir,
}

#[derive(Parser)]
struct SessionCli {
    #[command(flatten)]
    settings: session::Settings,
}

#[derive(Parser)]
struct GatewayCli {
    #[command(flatten)]
    settings: gateway::Settings,
}

fn key(byte: u8) -> Vec<u8> {
    vec![byte; 32]
}

fn line(kid: &str, byte: u8) -> String {
    format!("{kid} whsec_{}\n", STANDARD.encode(key(byte)))
}

impl World {
    async fn start(receiver: &Receiver) -> Self {
        Self::calling(&receiver.url("audit"), "1").await
    }

    async fn calling(url: &str, allow_private: &str) -> Self {
        // As the main function of a process does; another test may have been first.
        let _ = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
        let home = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new("2026-09-01T08:00:00Z".parse().unwrap()));
        let kit = Kit::new(Arc::clone(&clock) as _);
        let store = format!("embedded:{}/session.redb", home.path().display());
        let cli = SessionCli::try_parse_from(["session-svc", "--session-store", &store]).unwrap();
        let routes = session::routes(&cli.settings, &kit).await.unwrap();
        let token = InternalToken::new(&"t".repeat(64)).unwrap();
        let stack = Stack {
            metrics: kit.metrics.clone(),
            auth: Arc::new(InternalAuth::token(token.clone())),
            deadline: DeadlineRule::default(),
            max_in_flight: 1000,
            drain: kit.drain.clone(),
        };
        let options = ClientOptions {
            peer: "session-svc",
            token: Some(token),
        };
        let session = local(stack.around(routes), options);
        let keys = home.path().join("keys");
        write_secret(&keys, line("one", 1)).unwrap();
        let cli = GatewayCli::try_parse_from([
            "gateway-svc",
            "--audit-event-url",
            url,
            "--webhook-keys-file",
            &keys.display().to_string(),
            "--webhook-allow-private",
            allow_private,
        ])
        .unwrap();
        // The clock goes as fast as any, and further where the test moves it.
        let (ticking, end) = (Arc::clone(&clock), kit.shutdown.clone());
        kit.tasks.spawn(async move {
            let step = Duration::from_millis(20);
            while end
                .run_until_cancelled(tokio::time::sleep(step))
                .await
                .is_some()
            {
                ticking.advance(20_000);
            }
        });
        let client = || session.clone();
        let upstreams = Upstreams::new(client(), client(), client(), client(), None);
        webhooks::start(&cli.settings, &upstreams, &kit).unwrap();
        Self {
            session,
            clock,
            kit,
            keys,
            _home: home,
        }
    }

    fn advance(&self, time: Duration) {
        self.clock.advance(time.as_micros().try_into().unwrap());
    }

    /// Something that is audited.
    async fn change(&self, class_id: &str, names: usize) {
        let request = as_service(SetClassRosterRequest {
            class_id: class_id.to_owned(),
            names: vec!["Ada Lovelace".to_owned(); names],
            idempotency_key: Uuid::new_v4().to_string(),
        });
        let mut admin = SessionAdminServiceClient::new(self.session.clone());
        admin.set_class_roster(request).await.unwrap();
    }

    async fn dead_letters(&self) -> Vec<DeadLetter> {
        let request = as_service(ListDeadLettersRequest::default());
        let mut records = StudentRecordsServiceClient::new(self.session.clone());
        let listed = records.list_dead_letters(request).await.unwrap();
        listed.into_inner().dead_letters
    }

    /// A metric of the gateway, by the beginning of its line.
    fn metric(&self, start: &str) -> u64 {
        let text = self.kit.metrics.encode();
        let line = text.lines().find(|line| line.starts_with(start));
        line.map_or(0, |line| line.rsplit(' ').next().unwrap().parse().unwrap())
    }

    async fn failures(&self, count: u64) {
        let failed =
            r#"turnwise_gateway_webhook_attempts_total{receiver="audit",outcome="failed"}"#;
        eventually("failed attempts", BOUND, async || {
            (self.metric(failed) >= count).then_some(())
        })
        .await;
        // An attempt is counted before the store has noted it.
        tokio::time::sleep(Duration::from_millis(300)).await;
    }

    async fn end(self) {
        self.kit.shutdown.cancel();
        self.kit.tasks.close();
        self.kit.tasks.wait().await;
    }
}

/// What was taken of a class, in its order: how many names its roster had.
fn of_class(receiver: &Receiver, class: &str) -> Vec<String> {
    let subject = format!("class/{class}");
    let taken = receiver.taken("audit");
    let of_class = taken
        .iter()
        .filter(|(_, event)| event["subject"] == subject.as_str());
    let names = |event: &Value| event["data"]["facts"]["names"].as_str().unwrap().to_owned();
    of_class.map(|(_, event)| names(event)).collect()
}

async fn all_taken(receiver: &Receiver, class: &str, count: usize) {
    let expected: Vec<_> = (1..=count).map(|number| number.to_string()).collect();
    eventually("all events of the class", BOUND, async || {
        (of_class(receiver, class).len() >= count).then_some(())
    })
    .await;
    assert_eq!(of_class(receiver, class), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn down_for_an_hour_and_nothing_is_lost() {
    let mut receiver = Receiver::new();
    let world = World::start(&receiver).await;
    for number in 1..=3 {
        world.change("7a", number).await;
        world.change("7b", number).await;
    }
    world.failures(2).await;
    for round in 2..=4 {
        world.advance(LATER);
        world.failures(2 * round).await;
    }
    receiver.up().await;
    world.advance(LATER);
    all_taken(&receiver, "7a", 3).await;
    all_taken(&receiver, "7b", 3).await;
    // Each came once, signed at the time of the attempt, with the time at which it happened.
    assert_eq!(receiver.count(), 6);
    let first = &receiver.received()[0];
    assert!(first.is_signed_with(&key(1)));
    assert_eq!(first.content_type, "application/cloudevents+json");
    let event = first.event();
    assert_eq!(event["specversion"], "1.0");
    assert_eq!(event["type"], "turnwise.class-roster-set");
    assert_eq!(event["source"], "/turnwise/tenants/default");
    assert_eq!(event["id"], first.id.as_str());
    assert!(
        event["time"]
            .as_str()
            .unwrap()
            .starts_with("2026-09-01T08:00:0")
    );
    let sent: i64 = first.timestamp.parse().unwrap();
    let happened: jiff::Timestamp = "2026-09-01T08:00:00Z".parse().unwrap();
    assert!(sent - happened.as_second() >= 3600);
    assert_eq!(world.dead_letters().await, []);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_class_that_fails_holds_up_no_other() {
    let mut receiver = Receiver::new();
    receiver.up().await;
    receiver.does("broken", Mode::Status(500));
    receiver.does("moved", Mode::Redirect);
    receiver.does("silent", Mode::Silent);
    receiver.does("dying", Mode::CutOff);
    let world = World::start(&receiver).await;
    let classes = ["broken", "moved", "silent", "dying"];
    for class in classes {
        for number in 1..=2 {
            world.change(class, number).await;
        }
    }
    world.change("well", 1).await;
    all_taken(&receiver, "well", 1).await;
    // The silent one is given up after ten seconds.
    world.failures(4).await;
    world.change("well", 2).await;
    all_taken(&receiver, "well", 2).await;
    for class in ["broken", "moved"] {
        assert_eq!(of_class(&receiver, class), [""; 0]);
    }
    assert!(
        receiver.received().iter().all(|r| r.path == "audit"),
        "a redirect was followed"
    );
    for class in classes {
        receiver.does(class, Mode::Status(200));
    }
    world.advance(LATER);
    for class in classes {
        all_taken(&receiver, class, 2).await;
    }
    // What was taken and not answered came again under its id.
    let ids: std::collections::BTreeSet<_> =
        receiver.received().into_iter().map(|r| r.id).collect();
    assert_eq!(ids.len(), 2 * classes.len() + 2);
    assert_eq!(world.dead_letters().await, []);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_wants_is_listed_and_the_rest_goes_on() {
    let mut receiver = Receiver::new();
    receiver.up().await;
    receiver.does("gone", Mode::Status(410));
    receiver.does("never", Mode::Status(503));
    let world = World::start(&receiver).await;
    world.change("gone", 1).await;
    world.change("never", 1).await;
    world.failures(2).await;
    let letters = async |count| {
        eventually("dead letters", BOUND, async || {
            let letters = world.dead_letters().await;
            (letters.len() >= count).then_some(letters)
        })
        .await
    };
    let first = letters(1).await;
    assert_eq!(first[0].subject, "class/gone");
    assert_eq!(
        (first[0].failure.as_str(), first[0].attempts),
        ("status_410", 1)
    );
    receiver.does("gone", Mode::Status(204));
    world.change("gone", 2).await;
    eventually("the next one", BOUND, async || {
        (of_class(&receiver, "gone") == ["2"]).then_some(())
    })
    .await;
    // After a day there is no point.
    world.advance(HOUR * 25);
    let both = letters(2).await;
    assert_eq!(both[0].subject, "class/never");
    let received = receiver.received().into_iter();
    let sent = received.filter(|event| event.id == both[0].event_id);
    let attempts = i32::try_from(sent.count()).unwrap();
    assert!(attempts >= 2);
    assert_eq!(
        (both[0].failure.as_str(), both[0].attempts),
        ("status_503", attempts)
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_rotate_and_a_damaged_file_changes_nothing() {
    let mut receiver = Receiver::new();
    receiver.up().await;
    let world = World::start(&receiver).await;
    let mut sent = 0;
    let mut next = async || {
        sent += 1;
        world.change("7b", sent).await;
        receiver.attempts(sent).await;
        let received = receiver.received();
        received[sent - 1].clone()
    };
    assert!(next().await.is_signed_with(&key(1)));
    let both = format!("{}{}", line("two", 2), line("one", 1));
    write_secret(&world.keys, both).unwrap();
    // The file is looked at once a second.
    let rotated = async {
        loop {
            let event = next().await;
            if event.is_signed_with(&key(2)) {
                return event;
            }
        }
    };
    let signed = tokio::time::timeout(BOUND, rotated).await.unwrap();
    assert!(signed.is_signed_with(&key(1)));
    assert_eq!(signed.signatures.len(), 2);
    write_secret(&world.keys, "two nonsense\n").unwrap();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let event = next().await;
    assert!(event.is_signed_with(&key(1)) && event.is_signed_with(&key(2)));
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_leads_into_a_private_network_is_not_called() {
    let listener = tokio::net::TcpListener::bind("0.0.0.0:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    // This machine's own name, which only the resolver knows to be here.
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let world = World::calling(&format!("https://{}:{port}/", host.trim()), "0").await;
    world.change("7b", 1).await;
    world.failures(1).await;
    world.advance(HOUR * 25);
    let letters = eventually("a dead letter", BOUND, async || {
        let letters = world.dead_letters().await;
        (!letters.is_empty()).then_some(letters)
    })
    .await;
    assert_eq!(letters[0].failure, "address_refused");
    let called = tokio::time::timeout(Duration::from_millis(100), listener.accept()).await;
    assert!(called.is_err(), "it was connected to");
    world.end().await;
}
