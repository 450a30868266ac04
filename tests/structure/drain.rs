//! The manifests give a process the time that its settings let its end take.

use std::{collections::BTreeMap, path::Path};

use turnwise_tests::process::{binary, clean_command};

use crate::workspace::{files, read};

/// What an end takes beside DRAIN_DELAY_SECONDS and DRAIN_TIMEOUT_SECONDS: last answers, background work, spans.
const BESIDE: u64 = 10;

/// A setting of seconds: what one of these texts says of it, or its default.
fn seconds(name: &str, texts: &[&str]) -> u64 {
    for text in texts {
        for rest in text.split(name).skip(1) {
            let value = rest.trim_start_matches(['=', ':', ' ', '"']);
            let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
            if let Ok(seconds) = digits.parse() {
                return seconds;
            }
        }
    }
    panic!("{name} is not set")
}

/// The default of a setting, as `--help` says it.
fn default(name: &str) -> u64 {
    let home = tempfile::tempdir().unwrap();
    let help = clean_command(&binary("gateway-svc"), home.path())
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let after = help.split(&format!("[env: {name}=]")).nth(1).unwrap();
    seconds("[default: ", &[after])
}

/// Manifests below a folder, without comments.
fn manifests(below: &str) -> BTreeMap<String, String> {
    let all = files(&[".yaml"]).into_iter();
    let ours = all.filter(|file| file.starts_with(Path::new(below)));
    ours.map(|file| {
        let text = read(&file);
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'));
        (
            file.display().to_string(),
            lines.collect::<Vec<_>>().join("\n"),
        )
    })
    .collect()
}

#[test]
fn the_grace_of_kubernetes_covers_the_drain() {
    let all = manifests("deploy/kubernetes");
    let base = &all["deploy/kubernetes/base/kustomization.yaml"];
    let hardening = &all["deploy/kubernetes/base/hardening.yaml"];
    let delay = seconds("DRAIN_DELAY_SECONDS", &[base]);
    let timeout = seconds("DRAIN_TIMEOUT_SECONDS", &[base]);
    let drain = delay + timeout;
    let grace = seconds("terminationGracePeriodSeconds", &[hardening]);
    assert!(
        grace >= drain + BESIDE,
        "{grace} s for a drain of {drain} s"
    );
    let runbook = read(Path::new("docs/runbook.md"));
    let told = format!("Kubernetes {grace} s for {delay} + {timeout};");
    assert!(runbook.contains(&told), "the runbook does not say {told:?}");
    // One place says it, so that no overlay makes it untrue.
    for (file, text) in &all {
        let says = text.contains("DRAIN_DELAY_SECONDS") || text.contains("DRAIN_TIMEOUT_SECONDS");
        assert_eq!(says, file.ends_with("base/kustomization.yaml"), "{file}");
    }
}

#[test]
fn the_grace_of_compose_covers_the_drain() {
    let compose = &manifests("deploy")["deploy/compose.yaml"];
    let drain = default("DRAIN_DELAY_SECONDS") + seconds("DRAIN_TIMEOUT_SECONDS", &[compose]);
    let services = compose.split("x-service:").nth(1).unwrap();
    let grace = seconds("stop_grace_period", &[services]);
    assert!(
        grace >= drain + BESIDE,
        "{grace} s for a drain of {drain} s"
    );
}
