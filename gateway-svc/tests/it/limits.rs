//! How many calls a caller may make, at one gateway or at several.

use std::{io::Write, sync::OnceLock, time::Duration};

use base64::Engine;
use clap::Parser;
use tonic::{Code, Request, Status, service::Routes};
use turnwise_gateway_svc::{Settings, StartError, Upstreams, routes};
use turnwise_kit::{
    CallContext, Caller, Fault, Kit,
    client::{ClientOptions, GrpcClient, local},
};
use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{
        CreateThreadRequest, ListThreadsRequest, tutor_service_client::TutorServiceClient,
    },
};
use turnwise_testing::redis::{RedisServer, ServerOptions};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

/// Every gateway needs keys for drills and scope tokens.
static KEYS: OnceLock<tempfile::NamedTempFile> = OnceLock::new();

fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

pub fn settings(more: &[&str]) -> Settings {
    let keys = KEYS.get_or_init(|| {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "k1 {}", base64(&[7; 32])).unwrap();
        file
    });
    let scope_keys = format!("--scope-token-keys-file={}", keys.path().display());
    let keys = format!("--drill-token-keys-file={}", keys.path().display());
    let limit = [
        "gateway-svc",
        "--helper-rate-limit-per-minute=3",
        "--helper-read-limit-per-minute=20",
        &keys,
        &scope_keys,
    ];
    Cli::parse_from(limit.iter().chain(more)).settings
}

/// A gateway without upstream services: what passes the limit is not implemented.
struct Gateway(TutorServiceClient<Routes>);

impl Gateway {
    async fn open(settings: &Settings) -> Result<Self, StartError> {
        let nobody = || -> GrpcClient {
            let options = ClientOptions {
                peer: "nobody",
                token: None,
            };
            local(Routes::default(), options)
        };
        let upstreams = Upstreams::new(nobody(), nobody(), nobody(), nobody(), None);
        let routes = routes(settings, upstreams, &Kit::for_tests()).await?;
        Ok(Self(TutorServiceClient::new(routes.prepare())))
    }

    async fn start(more: &[&str]) -> Self {
        Self::open(&settings(more)).await.unwrap()
    }

    /// Calls as this student; the refusal, if there are no calls left.
    async fn call(&self, subject: &str) -> Option<Fault> {
        let request = request(subject, CreateThreadRequest::default());
        limited(&self.0.clone().create_thread(request).await.unwrap_err())
    }

    /// Reads as this student; the refusal, if there are no reads left.
    async fn read(&self, subject: &str) -> Option<Fault> {
        let request = request(subject, ListThreadsRequest::default());
        limited(&self.0.clone().list_threads(request).await.unwrap_err())
    }
}

fn request<T>(subject: &str, message: T) -> Request<T> {
    let caller = Caller {
        tenant: "north".to_owned(),
        subject: subject.to_owned(),
        role: "student".to_owned(),
        groups: Vec::new(),
    };
    CallContext::default().on_behalf_of(caller).request(message)
}

fn limited(status: &Status) -> Option<Fault> {
    let fault = Fault::from_status(status);
    let limited = fault.reason() == ErrorReason::RateLimited;
    assert_eq!(limited, status.code() == Code::ResourceExhausted);
    limited.then_some(fault)
}

/// A third of a minute is what one of three calls takes to come back.
fn check(refused: Option<Fault>) {
    let refused = refused.expect("there are no calls left");
    assert_eq!(refused.metadata("per_minute"), Some("3"));
    let wait = refused.retry_delay().unwrap();
    assert!(wait > Duration::from_secs(10) && wait <= Duration::from_secs(20));
}

#[tokio::test]
async fn a_gateway_alone_counts_for_itself() {
    let (one, other) = (Gateway::start(&[]).await, Gateway::start(&[]).await);
    for _ in 0..3 {
        assert_eq!(one.call("ada").await, None);
    }
    check(one.call("ada").await);
    assert_eq!(one.call("ben").await, None);
    assert_eq!(other.call("ada").await, None);
}

/// A page that loads makes several reads: they cost no turn, and turns cost no read.
#[tokio::test(start_paused = true)]
async fn reads_have_a_limit_of_their_own() {
    let gateway = Gateway::start(&[]).await;
    for _ in 0..3 {
        assert_eq!(gateway.call("ada").await, None);
    }
    check(gateway.call("ada").await);
    for _ in 0..20 {
        assert_eq!(gateway.read("ada").await, None);
    }
    let refused = gateway.read("ada").await.expect("there are no reads left");
    assert_eq!(refused.metadata("per_minute"), Some("20"));
    let wait = refused.retry_delay().unwrap();
    assert!(wait <= Duration::from_secs(3), "{wait:?}");
    assert_eq!(gateway.read("ben").await, None);
    // A read comes back after a twentieth of a minute, a turn does not.
    tokio::time::advance(wait).await;
    assert_eq!(gateway.read("ada").await, None);
    assert!(gateway.call("ada").await.is_some());
}

#[tokio::test]
async fn gateways_with_one_redis_count_together() {
    let password = "not /a word%";
    let mut server = RedisServer::start_with(&ServerOptions::default().password(password)).unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "{password}").unwrap();
    let (url, path) = (server.url(), file.path().display().to_string());
    let more = [
        "--gateway-redis-url",
        url.as_str(),
        "--gateway-redis-password-file",
        path.as_str(),
    ];
    let (one, other) = (Gateway::start(&more).await, Gateway::start(&more).await);
    assert_eq!(one.call("ada").await, None);
    assert_eq!(other.call("ada").await, None);
    assert_eq!(one.call("ada").await, None);
    check(other.call("ada").await);
    check(one.call("ada").await);
    assert_eq!(other.call("ben").await, None);
    // Without it there is still a limit.
    server.kill();
    check(one.call("ada").await);
    for _ in 0..2 {
        assert_eq!(other.call("ben").await, None);
    }
    check(other.call("ben").await);
}

#[tokio::test]
async fn a_redis_that_is_not_there_yet_keeps_no_gateway_from_starting() {
    let more = ["--gateway-redis-url", "redis://127.0.0.1:1"];
    let gateway = Gateway::start(&more).await;
    for _ in 0..3 {
        assert_eq!(gateway.call("ada").await, None);
    }
    check(gateway.call("ada").await);
}

#[tokio::test]
async fn what_is_wrong_with_the_settings_is_said_without_a_password() {
    let refused = async |more: &[&str]| {
        let settings = settings(more);
        assert!(!format!("{settings:?}").contains("secret"));
        match Gateway::open(&settings).await {
            Err(error) => {
                let source = std::error::Error::source(&error);
                let source = source.map(ToString::to_string).unwrap_or_default();
                format!("{error}: {source}")
            }
            Ok(_) => panic!("it started"),
        }
    };
    let address = refused(&["--gateway-redis-url", "http://user:secret@redis"]).await;
    assert!(address.contains("GATEWAY_REDIS_URL"), "{address}");
    assert!(address.contains("redis+sentinel://"), "{address}");
    assert!(!address.contains("secret"), "{address}");
    let file = refused(&[
        "--gateway-redis-url",
        "redis://redis",
        "--gateway-redis-password-file",
        "/nowhere/at/all",
    ])
    .await;
    assert!(
        file.contains("GATEWAY_REDIS_PASSWORD_FILE (`/nowhere/at/all`)"),
        "{file}"
    );
    let alone = ["gateway-svc", "--gateway-redis-password-file", "/some/file"];
    assert!(Cli::try_parse_from(alone).is_err(), "it would be ignored");
}

#[test]
fn a_call_is_not_given_more_time_than_any_may_have() {
    let rule = |default: &str, most: &str| {
        let default = format!("--turn-deadline-seconds={default}");
        let most = format!("--turn-deadline-max-seconds={most}");
        settings(&[default.as_str(), most.as_str()]).deadline_rule()
    };
    let kept = rule("30", "30").unwrap();
    assert_eq!((kept.default.as_secs(), kept.most.as_secs()), (30, 30));
    let refused = rule("600", "1").unwrap_err().to_string();
    assert!(refused.contains("TURN_DEADLINE_SECONDS (600)"), "{refused}");
    assert!(
        refused.contains("TURN_DEADLINE_MAX_SECONDS (1)"),
        "{refused}"
    );
}
