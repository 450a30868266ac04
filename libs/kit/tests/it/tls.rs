//! Certificates: which are refused at the start, and how they change while calls go on.

use std::{fs, path::PathBuf, time::Duration};

use tempfile::TempDir;
use turnwise_kit::{
    Kit,
    client::{GrpcClient, connect},
    files::NamedFile,
    tls::Tls,
};
use turnwise_proto::{common::v1::ErrorReason, exam::v1::exam_service_client::ExamServiceClient};
use turnwise_testing::certificates::Certificates;

use crate::probe::{NEVER, TOKEN, ask, options, serve_tls};

const OURS: [&str; 2] = ["127.0.0.1", "localhost"];

fn load(certificates: &Certificates) -> Result<Tls, String> {
    let [authority, certificate, key] = certificates.files();
    let public = |(setting, file): (&'static str, PathBuf)| NamedFile::public(setting, file);
    let key = NamedFile::secret(key.0, key.1);
    Tls::load(Some(public(authority)), Some([public(certificate), key]))
        .map_err(|error| error.to_string())
}

fn made() -> (TempDir, Certificates) {
    let home = TempDir::new().unwrap();
    let certificates = Certificates::make(home.path());
    (home, certificates)
}

#[tokio::test]
async fn certificates_that_cannot_serve_stop_the_start() {
    let (_home, mut ours) = made();
    assert!(load(&ours).is_ok());
    let refused = |ours: &Certificates, parts: &[&str]| {
        let Err(problem) = load(ours) else {
            panic!("nothing is wrong; wanted {parts:?}");
        };
        for part in parts {
            assert!(problem.contains(part), "{problem}");
        }
    };
    for (place, parts) in [
        (0, ["TLS_CLIENT_CA_FILE", "no whole certificate"]),
        (1, ["TLS_CERT_FILE", "no whole certificate"]),
        (2, ["TLS_KEY_FILE", "no whole private key"]),
    ] {
        ours.cut(place);
        refused(&ours, &parts);
        ours.write();
    }
    ours.issue(&OURS, 2001);
    ours.write();
    refused(
        &ours,
        &["TLS_CERT_FILE", "expired 2001-12-31", "write a new one"],
    );
    ours.issue(&OURS, 4096);
    let certificate = ours.certificate.clone();
    ours.issue(&OURS, 4096);
    ours.certificate = certificate;
    ours.write();
    refused(&ours, &["TLS_KEY_FILE", "it is no key of the certificate"]);
    ours.key = b"no key at all\n".to_vec();
    ours.write();
    refused(&ours, &["TLS_KEY_FILE", "no whole private key"]);
}

async fn calls(client: &GrpcClient) -> bool {
    let mut request = tonic::Request::new(ask("ok"));
    request.set_timeout(Duration::from_secs(5));
    let mut client = ExamServiceClient::new(client.clone());
    client.batch_get_question_status(request).await.is_ok()
}

/// Calls until one call succeeds, or fails.
async fn comes_to(client: impl Fn() -> GrpcClient, succeeds: bool) {
    let comes = async {
        while calls(&client()).await != succeeds {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let comes = tokio::time::timeout(NEVER, comes).await;
    comes.unwrap_or_else(|_| panic!("no call comes to {succeeds}"));
}

/// Server and client follow the same files; strangers have a copy that does not change.
#[tokio::test(flavor = "multi_thread")]
async fn certificates_and_their_authority_change_while_calls_go_on() {
    let kit = Kit::for_tests();
    let (_home, mut ours) = made();
    let tls = load(&ours).unwrap();
    tls.follow(&kit);
    let server = serve_tls(&kit, &tls).await;
    let address = server.address;
    let list = format!("https://{address},https://localhost:{}", address.port());
    let name = format!("dnss://localhost:{}", address.port());
    let one = format!("https://{address}");
    let lasting: Vec<GrpcClient> = [&one, &list, &name]
        .into_iter()
        .map(|endpoint| connect(endpoint, Some(&tls), options(TOKEN), &kit).unwrap())
        .collect();
    let going_on = tokio::spawn({
        let (lasting, end) = (lasting.clone(), kit.shutdown.clone());
        async move {
            let mut made = 0;
            while !end.is_cancelled() {
                for client in &lasting {
                    assert!(calls(client).await, "call {made}");
                    made += 1;
                }
            }
            made
        }
    });

    // With the files as they are now; it does not follow them.
    let fresh = |ours: &Certificates| {
        let tls = load(ours).unwrap();
        let (kit, one) = (kit.clone(), one.clone());
        move || connect(&one, Some(&tls), options(TOKEN), &kit).unwrap()
    };
    let before = fresh(&ours);
    comes_to(&before, true).await;

    // A half written file changes nothing.
    ours.cut(1);
    let refused = async {
        let line = "files_refused_total{setting=\"TLS_CERT_FILE\"} 1";
        while !kit.metrics.encode().contains(line) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(NEVER, refused).await.unwrap();
    assert!(calls(&before()).await);

    // Both authorities are trusted, then the new one signs, then the old one is forgotten.
    ours.replace_authority();
    ours.write();
    let read_again = |times: u32| {
        let kit = kit.clone();
        async move {
            let line = format!("files_read_again_total{{setting=\"TLS_CERT_FILE\"}} {times}");
            let read = async {
                while !kit.metrics.encode().contains(&line) {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            };
            tokio::time::timeout(NEVER, read).await.unwrap();
        }
    };
    read_again(1).await;
    ours.issue(&OURS, 3000);
    ours.write();
    // Who trusts the old authority alone does not know the server any more.
    comes_to(&before, false).await;
    let expires = "certificate_expires_timestamp_seconds 325";
    assert!(
        kit.metrics.encode().contains(expires),
        "{}",
        kit.metrics.encode()
    );
    ours.forget_authorities();
    ours.write();
    read_again(3).await;
    comes_to(fresh(&ours), true).await;

    kit.shutdown.cancel();
    assert!(going_on.await.unwrap() > 0);
    server.drain().await;
}

/// The failure is told in the log with what to do; the caller gets the reason.
#[tokio::test]
async fn a_server_with_a_certificate_for_another_name_is_not_called() {
    let kit = Kit::for_tests();
    let (_home, mut ours) = made();
    ours.issue(&["elsewhere.example"], 4096);
    ours.write();
    let tls = load(&ours).unwrap();
    let server = serve_tls(&kit, &tls).await;
    let endpoint = format!("https://{}", server.address);
    let client = connect(&endpoint, Some(&tls), options(TOKEN), &kit).unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    let subscriber = tracing_subscriber::fmt().with_writer(log.reopen().unwrap());
    let logged = tracing::subscriber::set_default(subscriber.with_ansi(false).finish());
    let status = ExamServiceClient::new(client)
        .batch_get_question_status(ask("ok"))
        .await
        .unwrap_err();
    drop(logged);
    let fault = turnwise_kit::Fault::from_status(&status);
    assert_eq!(fault.reason(), ErrorReason::DependencyUnavailable);
    assert_eq!(fault.metadata("service"), Some("probe"));
    assert_eq!(fault.message(), "probe does not answer; try again");
    let said = fs::read_to_string(log.path()).unwrap();
    for part in [
        "not valid for name",
        "its certificate must be valid now, name the host that is called, and be signed by TLS_CLIENT_CA_FILE",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    server.drain().await;
}
