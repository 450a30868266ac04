//! What stands on a listener beside the service, and what malformed bytes get.

use std::time::Duration;

use bytes::{Buf, BufMut, Bytes};
use tonic::{
    Code, Status,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use turnwise_kit::{Fault, Kit};
use turnwise_proto::common::v1::ErrorReason;

use crate::probe::{TOKEN, serve};

/// Sends bytes as they are.
#[derive(Clone, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        out.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, input: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(input.copy_to_bytes(input.remaining())))
    }
}

async fn send_raw(address: std::net::SocketAddr, path: &'static str, bytes: Bytes) -> Status {
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{address}"))
        .unwrap()
        .connect()
        .await
        .unwrap();
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let mut request = tonic::Request::new(bytes);
    request
        .metadata_mut()
        .insert("authorization", format!("Bearer {TOKEN}").parse().unwrap());
    client
        .unary(request, http::uri::PathAndQuery::from_static(path), Raw)
        .await
        .unwrap_err()
}

#[tokio::test]
async fn every_failure_of_the_transport_gets_a_reason() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let method = "/turnwise.exam.v1.ExamService/BatchGetQuestionStatus";
    let cases = [
        // Field 1, a string of one byte that is not UTF-8.
        (
            method,
            Bytes::from_static(&[0x0a, 0x01, 0xff]),
            ErrorReason::MalformedMessage,
        ),
        (
            method,
            Bytes::from_static(&[0xff; 7]),
            ErrorReason::MalformedMessage,
        ),
        (
            method,
            Bytes::from(vec![0; 5 << 20]),
            ErrorReason::PayloadTooLarge,
        ),
        (
            "/turnwise.exam.v1.ExamService/Nothing",
            Bytes::new(),
            ErrorReason::UnknownMethod,
        ),
        (
            "/nothing.Here/AtAll",
            Bytes::new(),
            ErrorReason::UnknownMethod,
        ),
    ];
    for (path, bytes, reason) in cases {
        let status = send_raw(server.address, path, bytes).await;
        let fault = Fault::from_status(&status);
        assert_eq!(fault.reason(), reason, "{status:?}");
        assert_eq!(status.code(), reason.code());
        assert!(!status.details().is_empty(), "{path} carries ErrorInfo");
    }
    let metrics = kit.metrics.encode();
    assert!(!metrics.contains("AtAll"), "a stranger's path is no label");
    server.drain().await;
}

#[tokio::test]
async fn health_is_open_and_flips_when_draining() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{}", server.address))
        .unwrap()
        .connect()
        .await
        .unwrap();
    let mut health = HealthClient::new(channel);
    let mut watch = health
        .watch(HealthCheckRequest {
            service: String::new(),
        })
        .await
        .unwrap()
        .into_inner();
    let first = watch.message().await.unwrap().unwrap();
    assert_eq!(first.status, 1, "SERVING");
    let named = health
        .check(HealthCheckRequest {
            service: "turnwise.exam.v1.ExamService".to_owned(),
        })
        .await
        .unwrap();
    assert_eq!(named.into_inner().status, 1);
    let unknown = health
        .check(HealthCheckRequest {
            service: "nothing".to_owned(),
        })
        .await
        .unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound);

    let draining = tokio::spawn(server.drain());
    let second = watch.message().await.unwrap().unwrap();
    assert_eq!(second.status, 2, "NOT_SERVING");
    // A watcher who goes on watching does not hold the drain.
    let end = watch.message().await.unwrap_err();
    assert_eq!(end.code(), Code::Unavailable);
    tokio::time::timeout(Duration::from_secs(4), draining)
        .await
        .expect("an open watch does not hold the drain")
        .unwrap();
}
