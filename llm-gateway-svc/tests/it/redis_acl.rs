//! The Redis user that deploy/ makes for this service: it suffices, and sees nothing else.

use std::{collections::BTreeSet, fs, path::Path};

use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{CompleteRequest, Purpose, QueueScope},
};
use turnwise_redis::{FailureKind, Redis, RedisOptions, cmd};
use turnwise_testing::redis::{RedisServer, ServerOptions, User, commands_of};

use crate::harness::{
    Gateway, LONG, fault, in_class, mock_taking, request_to, seconds, until, with_wait,
};

/// What connections, scripts and channels take, besides what the scripts do.
const BESIDES: [&str; 8] = [
    "evalsha",
    "hello",
    "ping",
    "role",
    "script|load",
    "select",
    "subscribe",
    // Used by the scripts, too.
    "publish",
];

fn user() -> User {
    User::deployed("llm").unwrap()
}

/// The commands that scripts call.
fn commands_of_scripts() -> BTreeSet<String> {
    [
        "llm-gateway-svc/queue/src/shared/queue.lua",
        "llm-gateway-svc/queue/src/shared/order.lua",
        "llm-gateway-svc/queue/src/shared/slots.lua",
        "llm-gateway-svc/queue/src/shared/operations.lua",
        "llm-gateway-svc/queue/src/shared/members.lua",
        "libs/breaker/src/breaker.lua",
        "libs/rate-limit/src/limits.lua",
    ]
    .iter()
    .flat_map(|file| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let calls = commands_of(&fs::read_to_string(root.join(file)).unwrap());
        assert!(!calls.is_empty(), "{file}");
        calls
    })
    .collect()
}

#[test]
fn the_user_may_do_what_is_needed_and_no_more() {
    let mut needed = commands_of_scripts();
    needed.extend(BESIDES.map(str::to_owned));
    assert_eq!(user().commands(), needed);
}

fn of(purpose: Purpose, request: CompleteRequest) -> CompleteRequest {
    CompleteRequest {
        purpose: purpose.into(),
        ..with_wait(LONG, request)
    }
}

/// A replica that leases its ordinal.
async fn replica(url: &str) -> Gateway {
    let args = [
        "--llm-redis-url",
        url,
        "--helper-circuit-breaker-failures",
        "1",
        "--helper-backend-max-attempts",
        "1",
        "--llm-actor-requests-per-minute",
        "1000",
        "--llm-class-tokens-per-day",
        "1000000",
    ];
    mock_taking(50, 2, &args).await
}

/// Waits until all replicas share the queue.
async fn shared(gateway: &Gateway) {
    until(async || {
        let queues = gateway.all_queues().await;
        !queues.is_empty()
            && queues
                .iter()
                .all(|queue| queue.scope() == QueueScope::Shared)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_suffices_and_sees_nothing_else() {
    let server = RedisServer::start_with(&user().known_to(ServerOptions::default())).unwrap();
    let url = user().url(&server);
    let replicas = [replica(&url).await, replica(&url).await];
    // The first slot is given out once nobody can come any more who would have it.
    let (one, other) = tokio::join!(
        replicas[0].complete_as("ada", in_class("7a")),
        replicas[1].complete_as("ben", in_class("7b")),
    );
    one.and(other).unwrap();
    for gateway in &replicas {
        shared(gateway).await;
    }

    // Classes, students and bands wait, somebody takes over a place, somebody leaves, and one place is held.
    let mut calls = Vec::new();
    for (number, class) in ["7a", "7b", "7a", "7b", "7c", "7a"].into_iter().enumerate() {
        let gateway = replicas[number % 2].clone();
        let purpose = if number == 3 {
            Purpose::Batch
        } else {
            Purpose::Help
        };
        let request = of(purpose, in_class(class));
        let who = format!("student-{}", number % 4);
        calls.push(tokio::spawn(async move {
            gateway.complete_as(&who, request).await
        }));
    }
    let refused = with_wait(seconds(0.0), in_class("7d"));
    let busy = async || {
        let asked = replicas[0].complete_as("eve", refused.clone()).await;
        asked.err()
    };
    until(async || busy().await.is_some()).await;
    calls.pop().unwrap().abort();
    for call in calls {
        if let Err(superseded) = call.await.unwrap() {
            fault(&superseded, ErrorReason::Superseded);
        }
    }

    // One failure opens a breaker, for everybody.
    let broken = request_to("mock:status:503");
    let (one, other) = tokio::join!(
        replicas[0].complete_as("ada", broken.clone()),
        replicas[1].complete_as("ben", broken.clone()),
    );
    one.and(other).unwrap_err();
    for gateway in &replicas {
        until(async || {
            let refused = gateway.complete_as("ada", broken.clone()).await;
            Fault::from_status(&refused.unwrap_err()).reason() == ErrorReason::CircuitOpen
        })
        .await;
    }

    for gateway in replicas {
        shared(&gateway).await;
        gateway.kit.shutdown.cancel();
        gateway.kit.served.cancel();
        gateway.kit.tasks.close();
        gateway.kit.tasks.wait().await;
    }
    let denied = server.command(&["ACL", "LOG"]).unwrap();
    assert_eq!(denied.items().len(), 0, "{denied:?}");

    let redis = Redis::open(&RedisOptions {
        keeps_records: false,
        ..RedisOptions::new(url)
    })
    .await
    .unwrap();
    for words in [
        &["GET", "turnwise:{school/ada}:snapshot"][..],
        &["GET", "turnwise:{limits:gateway:actor}"],
        &["HGETALL", "turnwise:{breaker:other:a}"],
        &["PUBLISH", "turnwise:changes", "x"],
        &["CONFIG", "GET", "requirepass"],
        &["KEYS", "*"],
        &["FLUSHALL"],
        &["ACL", "WHOAMI"],
    ] {
        let mut command = cmd(words[0]);
        command.arg(&words[1..]);
        let failure = redis.send("", vec![command]).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Denied, "{words:?}");
    }
}
