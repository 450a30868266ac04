//! Certificates between the services, in place of a shared token.

use tempfile::tempdir;
use tonic::{
    Code, Request, Status,
    transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity},
};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    policy::v1::{ListCoursesRequest, policy_service_client::PolicyServiceClient},
};
use turnwise_testing::certificates::Certificates;
use turnwise_tests::{
    answer::check_model_answer,
    deployment::Deployment,
    options::{Options, Service},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student},
};

#[tokio::test(flavor = "multi_thread")]
async fn five_processes_trust_certificates_alone() {
    let mut suite = Deployment::five_processes(Options::new().mutual_tls()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada.say(&thread, "how do I add negative numbers?").await;
    check_model_answer(&thread, &answer, &suite.decision(&answer.turn_id));

    let ours = suite.certificates.as_ref().unwrap();
    let elsewhere = tempdir().unwrap();
    let theirs = Certificates::make(elsewhere.path());
    let identity = |of: &Certificates| Identity::from_pem(&of.certificate, &of.key);
    let trusting = |of: &Certificates| {
        ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&of.authority))
    };
    for service in Service::INTERNAL {
        let address = suite.at(service).address;
        let https = |tls: ClientTlsConfig| {
            Endpoint::from_shared(format!("https://{address}"))
                .unwrap()
                .tls_config(tls)
                .unwrap()
                .connect_lazy()
        };
        let refused = [
            ("no certificate", https(trusting(ours))),
            (
                "a certificate of another authority",
                https(trusting(ours).identity(identity(&theirs))),
            ),
            (
                "a client that does not trust us",
                https(trusting(&theirs).identity(identity(ours))),
            ),
            (
                "no TLS",
                Endpoint::from_shared(format!("http://{address}"))
                    .unwrap()
                    .connect_lazy(),
            ),
        ];
        for (name, channel) in refused {
            let status = list_courses(channel).await.unwrap_err();
            assert!(nobody_answered(&status), "{name}: {status:?}");
        }
        let known = https(trusting(ours).identity(identity(ours)));
        match list_courses(known).await {
            Ok(()) => assert_eq!(service, Service::Policy),
            // It is let in, and asks for what is not there.
            Err(status) => {
                check_refusal(&status, Code::Unimplemented, Why::UnknownMethod, "");
                assert!(!nobody_answered(&status));
            }
        }
    }

    // The public port is encrypted, too, and asks students for a token and for no certificate.
    let plain = Endpoint::from_shared(format!("http://{}", suite.address()))
        .unwrap()
        .connect_lazy();
    let status = Student::new("ada", &ada.token, plain)
        .thread(&thread.thread_id)
        .await
        .unwrap_err();
    assert!(nobody_answered(&status), "{status:?}");
    suite.stop();
}

/// Whether the client itself made this status, for a connection that failed: every answer of ours has a request id.
fn nobody_answered(status: &Status) -> bool {
    !status.metadata().contains_key("x-request-id") && status.details().is_empty()
}

async fn list_courses(channel: Channel) -> Result<(), Status> {
    PolicyServiceClient::new(channel)
        .list_courses(Request::new(ListCoursesRequest::default()))
        .await
        .map(|_| ())
}
