//! What identifies a person goes nowhere: not into the timeline, the prompt, a log or the store's file.

mod canaries;

use std::{fs, path::Path};

use turnwise_proto::session::v1::{
    SetClassRosterRequest, session_admin_service_client::SessionAdminServiceClient,
};
use turnwise_session_svc::record;
use turnwise_testing::redis::{RedisServer, Value};
use turnwise_tests::{
    answer::tutor,
    deployment::Deployment,
    evidence::as_service,
    options::{Kind, Options, Service},
    stored_rows::stored_rows,
    student::{DEMO_COURSE, Student, fresh_key, saying, writing},
};

in_both_deployments!(personal_data_goes_nowhere);

const SECRETS: [&str; 3] = [
    "grace.hopper@example.org",
    "+44 7700 900123",
    "555 0199 123",
];

async fn personal_data_goes_nowhere(kind: Kind) {
    // The model quotes what it was told; every log is on.
    let options = Options::new().model("mock:echo").env("LOG_FILTER", "trace");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let [address, plus, cued] = SECRETS;
    let said =
        format!("write to {address} or call me +44 7700 900123, my phone: {cued}. Is 12 - 5 = 7?");
    assert!(said.contains(plus));
    let answer = ada.say(&thread, &said).await;
    let stored = &answer.messages[0].text;
    assert!(
        stored.contains("[e-mail]") && stored.contains("[phone]"),
        "{stored}"
    );
    assert!(stored.contains("Is 12 - 5 = 7?"), "{stored}");
    // A model that repeats it gives no address away, redacted or not.
    assert!(!tutor(&answer).text.contains("[e-mail]"), "{answer:#?}");

    // Mathematics stays as it was written.
    let sum = "is 5550199123 + 447700900123 more than 4.5e11?";
    let answer = ada.say(&thread, sum).await;
    assert_eq!(answer.messages[0].text, sum);
    let latex = r"x@y = 2x + 3y";
    let answer = ada.turn(writing(&thread, latex)).await.unwrap();
    assert_eq!(answer.messages[0].latex, latex);
    // A refused message is not kept anywhere, either.
    ada.turn(saying(&thread, &format!("{said}\0")))
        .await
        .unwrap_err();

    suite.stop();
    for secret in SECRETS {
        for line in suite.logs() {
            assert!(!line.contains(secret), "{line}");
        }
        for (place, bytes) in left_below(suite.home()) {
            let holds = bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
            assert!(!holds, "{place} holds {secret}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rostered_name_goes_nowhere() {
    let options = Options::new().model("mock:echo").env("LOG_FILTER", "trace");
    let mut suite = Deployment::five_processes(options).await;
    SessionAdminServiceClient::new(suite.internal(Service::Session))
        .set_class_roster(as_service(SetClassRosterRequest {
            class_id: Student::CLASS.to_owned(),
            names: vec!["Zebedee Quux".to_owned()],
            idempotency_key: fresh_key(),
        }))
        .await
        .unwrap();
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada
        .say(&thread, "Zebedee says that 7 - 9 is 2, is Quux right?")
        .await;
    let stored = &answer.messages[0].text;
    assert!(
        stored.starts_with("[name] says that 7 - 9 is 2"),
        "{stored}"
    );
    assert!(!tutor(&answer).text.contains("Zebedee"), "{answer:#?}");

    // What Redis holds is asked of Redis: the roster itself is there, and nothing else.
    for (key, value) in redis_values(suite.redis().unwrap()) {
        let holds = value.windows(7).any(|word| word == b"Zebedee");
        assert_eq!(holds, key.ends_with(":roster"), "{key}");
    }
    suite.stop();
    for line in suite.logs() {
        assert!(
            !line.contains("Zebedee") && !line.contains("Quux"),
            "{line}"
        );
    }
}

/// Every key in Redis with what stands there, as it is and decompressed.
fn redis_values(redis: &RedisServer) -> Vec<(String, Vec<u8>)> {
    // Dumped without compression, so that a name would show.
    redis
        .command(&["CONFIG", "SET", "rdbcompression", "no"])
        .unwrap();
    let keys = redis.command(&["KEYS", "*"]).unwrap();
    let keys = keys.items().iter().map(Value::text);
    keys.map(|key| {
        let mut value = key.clone().into_bytes();
        // What was there a moment ago may be over.
        if let Value::Bytes(dump) = redis.command(&["DUMP", &key]).unwrap() {
            value.extend(dump);
            value.extend(readable(redis, &key).into_bytes());
        }
        (key, value)
    })
    .collect()
}

/// What is compressed in a hash or a log.
fn readable(redis: &RedisServer, key: &str) -> String {
    let values = match redis.command(&["TYPE", key]).unwrap().text().as_str() {
        "hash" => redis.command(&["HVALS", key]).unwrap().items().to_vec(),
        "stream" => {
            let entries = redis.command(&["XRANGE", key, "-", "+"]).unwrap();
            let fields = entries
                .items()
                .iter()
                .map(|entry| entry.items()[1].items().to_vec());
            fields.flatten().collect()
        }
        _ => Vec::new(),
    };
    let plain = values.iter().filter_map(|value| match value {
        Value::Bytes(bytes) => record::unstamp("value", &bytes.clone().into()).ok(),
        _ => None,
    });
    plain
        .map(|body| String::from_utf8_lossy(&body).into_owned())
        .collect()
}

/// Every file below the directory, and every row of a store's file, whose bytes are compressed there.
fn left_below(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut left = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            left.extend(left_below(&path));
            continue;
        }
        let archived = path.extension().is_some_and(|ending| ending == "jsonl");
        let kind = if archived { "archive" } else { "file" };
        left.push((
            format!("{kind} {}", path.display()),
            fs::read(&path).unwrap(),
        ));
        if path.ends_with("session.redb") {
            let rows = stored_rows(&path);
            assert!(rows.iter().any(|row| row.kind == "turn text"));
            let rows = rows.iter();
            left.extend(rows.map(|row| (format!("stored {}", row.kind), row.plain().to_vec())));
        }
    }
    left
}
