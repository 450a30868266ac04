//! Messages that are compressed: every service reads gzip, and says so where another way was tried.

use std::io::Write;

use bytes::{BufMut, Bytes};
use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, Request};
use http_body_util::Full;
use tonic::{Code, Status, body::Body, transport::Channel};
use tower::{Service as _, ServiceExt};
use turnwise_proto::common::v1::ErrorReason as Why;
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options, Service},
    refusal::check_refusal,
    token,
};

in_both_deployments!(gzip_is_read_and_nothing_else);

/// Posts an empty message in a compressed frame.
async fn post(channel: &Channel, path: &str, bearer: &str, encoding: &str) -> (HeaderMap, Status) {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(b"").unwrap();
    let message = gzip.finish().unwrap();
    let mut frame = vec![1];
    frame.put_u32(u32::try_from(message.len()).unwrap());
    frame.extend_from_slice(&message);
    let request = Request::post(format!("http://suite/{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("authorization", bearer)
        .header("grpc-encoding", encoding)
        .body(Body::new(Full::new(Bytes::from(frame))))
        .unwrap();
    let response = channel.clone().ready().await.unwrap().call(request).await;
    let headers = response.unwrap().into_parts().0.headers;
    let status = Status::from_header_map(&headers).unwrap_or_else(|| Status::ok(""));
    (headers, status)
}

async fn gzip_is_read_and_nothing_else(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let staff = token::with_role(&suite.data_dir, "prof", "7b", "staff");
    let public = suite.public_service();
    let mut methods = vec![
        (public, "turnwise.tutor.v1.TutorService/ListThreads"),
        (public, "turnwise.explain.v1.ExplainService/ExplainTurn"),
        (public, "turnwise.llm.v1.LlmQueueService/GetQueues"),
        (public, "turnwise.retrieval.v1.IndexService/ListSources"),
        (public, "grpc.health.v1.Health/Check"),
    ];
    if kind == Kind::FiveProcesses {
        methods.extend([
            (
                Service::Policy,
                "turnwise.policy.v1.PolicyService/ListCourses",
            ),
            (
                Service::Retrieval,
                "turnwise.retrieval.v1.RetrievalService/MapMessage",
            ),
            (
                Service::Retrieval,
                "turnwise.retrieval.v1.IndexService/ListSources",
            ),
            (Service::Llm, "turnwise.llm.v1.LlmGatewayService/Complete"),
            (Service::Llm, "turnwise.llm.v1.LlmQueueService/GetQueues"),
            (
                Service::Session,
                "turnwise.session.v1.SessionService/GetSnapshot",
            ),
            (
                Service::Session,
                "turnwise.session.v1.SessionAdminService/GetClassRoster",
            ),
            (Service::Session, "grpc.health.v1.Health/Check"),
        ]);
    }
    for (service, path) in methods {
        let bearer = if service == public {
            format!("Bearer {staff}")
        } else {
            suite.internal_bearer()
        };
        let address = format!("http://{}", suite.at(service).address);
        let channel = tonic::transport::Endpoint::from_shared(address)
            .unwrap()
            .connect()
            .await
            .unwrap();
        let (_, status) = post(&channel, path, &bearer, "gzip").await;
        // Whatever is wrong with an empty message: it was read.
        assert!(
            matches!(
                status.code(),
                Code::Ok | Code::InvalidArgument | Code::Unauthenticated | Code::PermissionDenied
            ),
            "{path}: {status:?}"
        );
        for other in ["deflate", "zstd", "br"] {
            let (headers, status) = post(&channel, path, &bearer, other).await;
            check_refusal(&status, Code::Unimplemented, Why::UnsupportedEncoding, "");
            assert_eq!(headers["grpc-accept-encoding"], "identity,gzip");
        }
    }
    suite.stop();
}
