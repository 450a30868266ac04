//! The receiver that the documentation shows, run as it stands there.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;
use turnwise_testing::ReservedPort;
use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options},
    process::repository,
    student::DEMO_COURSE,
};

in_both_deployments!(the_receiver_of_the_docs_takes_what_it_is_told);

const BOUND: Duration = Duration::from_secs(30);

/// The script in the document.
fn script() -> String {
    let text = fs::read_to_string(repository().join("docs/webhooks.md")).unwrap();
    let (_, rest) = text.split_once("```python\n").unwrap();
    let (script, _) = rest.split_once("```").unwrap();
    assert!(script.lines().count() <= 15, "fifteen lines are promised");
    script.to_owned()
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn the_receiver_of_the_docs_takes_what_it_is_told(kind: Kind) {
    let home = tempfile::tempdir().unwrap();
    let (keys, file) = (home.path().join("keys"), home.path().join("receiver.py"));
    let line = |kid, byte| format!("{kid} {}\n", STANDARD.encode([byte; 32]));
    turnwise_testing::write_secret(&keys, line("old", 1)).unwrap();
    fs::write(&file, script()).unwrap();
    let port = ReservedPort::new().unwrap();
    let receiver = Command::new("python3")
        .arg(&file)
        .args([keys.display().to_string(), port.number().to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut receiver = Running(receiver);
    let printed = BufReader::new(receiver.0.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in printed.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    // An access event is sent once: the receiver has to be there.
    eventually("the receiver listens", BOUND, async || {
        let address = ("127.0.0.1", port.number());
        tokio::net::TcpStream::connect(address).await.ok()
    })
    .await;
    // The gateway signs with a newer key, too, which the receiver does not know yet.
    turnwise_testing::write_secret(&keys, format!("{}{}", line("new", 2), line("old", 1))).unwrap();

    let url = format!("http://127.0.0.1:{}/", port.number());
    let options = Options::new()
        .env("ALERT_EVENT_URL", &url)
        .env("ACCESS_EVENT_URL", &url)
        .env("AUDIT_EVENT_URL", &url)
        .env("WEBHOOK_KEYS_FILE", keys.display().to_string())
        .env("WEBHOOK_ALLOW_PRIVATE", "1");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada.say(&thread, "I am going to commit suicide").await;
    let mut told = Vec::new();
    while told.len() < 2 {
        let line = lines.recv_timeout(BOUND).expect("two events come");
        assert!(!line.contains("going to"), "{line}");
        told.push(serde_json::from_str::<Value>(&line).unwrap());
    }
    told.sort_by_key(|event| event["type"].as_str().unwrap().to_owned());
    let [access, alert] = &told[..] else {
        panic!("{told:?}");
    };
    assert_eq!(access["type"], "turnwise.helper-chat-access");
    assert_eq!(access["data"]["studentId"], "ada");
    assert_eq!(access["data"]["turnId"], answer.turn_id.as_str());
    assert_eq!(alert["type"], "turnwise.safeguarding-alert");
    assert_eq!(alert["data"]["studentId"], "ada");
    assert_eq!(alert["data"]["threadId"], thread.thread_id.as_str());
    assert_eq!(alert["data"]["kind"], "ALERT_KIND_SELF_HARM");
    suite.stop();
}
