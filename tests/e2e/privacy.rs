//! What identifies a person goes nowhere: not into the timeline, the prompt, a log or the store's file.

use std::{fs, path::Path};

use turnwise_tests::{
    answer::tutor,
    deployment::Deployment,
    options::{Kind, Options},
    student::{DEMO_COURSE, saying, writing},
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
    assert!(tutor(&answer).text.contains("[e-mail]"), "{answer:#?}");

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
        nowhere_below(suite.home(), secret);
    }
}

/// Insists that no file below the directory holds the secret.
fn nowhere_below(dir: &Path, secret: &str) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            nowhere_below(&path, secret);
        } else {
            let bytes = fs::read(&path).unwrap();
            let found = bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
            assert!(!found, "{} holds {secret}", path.display());
        }
    }
}
