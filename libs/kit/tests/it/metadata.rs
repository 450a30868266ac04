//! What a call's own metadata may say, and how much: sizes, compression, deadlines, and what may come once.

use std::io::Write;

use bytes::{BufMut, Bytes};
use http::{HeaderMap, Request};
use http_body_util::Full;
use prost::Message;
use tonic::{Code, Status, body::Body, transport::Channel};
use tower::{Service, ServiceExt};
use turnwise_kit::{Fault, Kit};
use turnwise_proto::common::v1::ErrorReason;

use crate::probe::{TOKEN, ask, channel, serve, shows};

const METHOD: &str = "/turnwise.exam.v1.ExamService/BatchGetQuestionStatus";
const KIB: usize = 1 << 10;

/// Posts a message of gRPC frames with these headers beside the usual ones.
async fn post(channel: &Channel, headers: &[(&str, &str)], frames: Vec<u8>) -> HeaderMap {
    let bearer = format!("Bearer {TOKEN}");
    let mut request = Request::post(format!("http://probe{METHOD}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("authorization", &bearer);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request
        .body(Body::new(Full::new(Bytes::from(frames))))
        .unwrap();
    let response = channel.clone().ready().await.unwrap().call(request).await;
    response.unwrap().into_parts().0.headers
}

/// A message in its frame.
fn frame(compressed: u8, message: &[u8]) -> Vec<u8> {
    let mut out = vec![compressed];
    out.put_u32(u32::try_from(message.len()).unwrap());
    out.extend_from_slice(message);
    out
}

fn plain() -> Vec<u8> {
    frame(0, &ask("ok").encode_to_vec())
}

fn gzip(message: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(message).unwrap();
    encoder.finish().unwrap()
}

/// The failure that stands in an answer's headers; none if the call went well.
fn failure(headers: &HeaderMap) -> Option<(Code, Fault)> {
    let status = Status::from_header_map(headers)?;
    Some((status.code(), Fault::from_status(&status)))
}

#[tokio::test]
async fn too_many_headers_end_their_call_and_no_other() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let channel = channel(server.address).await;
    let stalled = tokio::spawn({
        let channel = channel.clone();
        async move { post(&channel, &[], frame(0, &ask("stall").encode_to_vec())).await }
    });
    shows(&kit, "rpc_server_in_flight 1").await;
    for size in [KIB, 9 * KIB, 15 * KIB] {
        let headers = post(&channel, &[("x-pad", &"a".repeat(size))], plain()).await;
        assert!(failure(&headers).is_none(), "{size}: {headers:?}");
    }
    for size in [17, 24, 40, 64, 256, 1024].map(|kib| kib * KIB) {
        let headers = post(&channel, &[("x-pad", &"a".repeat(size))], plain()).await;
        let (code, fault) = failure(&headers).unwrap();
        assert_eq!(code, Code::ResourceExhausted, "{size}");
        assert_eq!(fault.reason(), ErrorReason::HeadersTooLarge, "{size}");
        assert_eq!(fault.metadata("max_bytes"), Some("16384"));
        assert!(fault.metadata("bytes").unwrap().parse::<usize>().unwrap() > size);
    }
    let many: Vec<String> = (0..1000).map(|n| format!("x-{n}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "a")).collect();
    let (_, fault) = failure(&post(&channel, &many, plain()).await).unwrap();
    assert_eq!(fault.reason(), ErrorReason::HeadersTooLarge);
    assert!(!stalled.is_finished(), "the neighbour's call goes on");
    shows(&kit, r#"connections_open{listener="grpc"} 1"#).await;
    stalled.abort();
    server.drain().await;
}

#[tokio::test]
async fn a_message_may_be_compressed_with_gzip_and_in_no_other_way() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let channel = channel(server.address).await;
    let message = ask("ok").encode_to_vec();
    let zipped = frame(1, &gzip(&message));
    for (encoding, frames) in [
        ("gzip", zipped.clone()),
        ("gzip", plain()),
        ("identity", plain()),
    ] {
        let headers = post(&channel, &[("grpc-encoding", encoding)], frames).await;
        assert!(failure(&headers).is_none(), "{encoding}: {headers:?}");
    }
    for encoding in ["deflate", "zstd", "br", "", "GZIP", "gzip, gzip", "snappy"] {
        let headers = post(&channel, &[("grpc-encoding", encoding)], zipped.clone()).await;
        let (code, fault) = failure(&headers).unwrap();
        assert_eq!(code, Code::Unimplemented, "{encoding}");
        assert_eq!(fault.reason(), ErrorReason::UnsupportedEncoding);
        assert_eq!(headers["grpc-accept-encoding"], "identity,gzip");
    }
    let twice = [("grpc-encoding", "gzip"), ("grpc-encoding", "identity")];
    let (_, fault) = failure(&post(&channel, &twice, zipped.clone()).await).unwrap();
    assert_eq!(fault.reason(), ErrorReason::UnsupportedEncoding);

    let bomb = gzip(&ask(&"\0".repeat(64 << 20)).encode_to_vec());
    assert!(bomb.len() < 100 * KIB);
    let mut cut = gzip(&message);
    cut.truncate(cut.len() / 2);
    let gzip_named = [("grpc-encoding", "gzip")];
    for (headers, frames, reason) in [
        (
            &gzip_named[..],
            frame(1, &bomb),
            ErrorReason::PayloadTooLarge,
        ),
        (
            &gzip_named[..],
            frame(1, b"no gzip"),
            ErrorReason::MalformedMessage,
        ),
        (
            &gzip_named[..],
            frame(1, &cut),
            ErrorReason::MalformedMessage,
        ),
        // Compressed, but nobody says how.
        (&[][..], zipped.clone(), ErrorReason::MalformedMessage),
        (&[][..], frame(7, &message), ErrorReason::MalformedMessage),
        // Half a frame.
        (
            &[][..],
            plain()[..4].to_vec(),
            ErrorReason::MalformedMessage,
        ),
    ] {
        let (code, fault) = failure(&post(&channel, headers, frames).await).unwrap();
        assert_eq!((fault.reason(), code), (reason, reason.code()));
    }
    server.drain().await;
}

#[tokio::test]
async fn a_timeout_that_cannot_be_read_is_refused() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let channel = channel(server.address).await;
    for good in ["1S", "99999999H", "5M", "2000m", "9000000u", "90000000n"] {
        let headers = post(&channel, &[("grpc-timeout", good)], plain()).await;
        assert!(failure(&headers).is_none(), "{good}: {headers:?}");
    }
    let bad = [
        "",
        "5",
        "5x",
        "-1S",
        "+1S",
        "1.5S",
        "123456789S",
        "S",
        "1 S",
        " ",
        "0x5S",
        "٣S",
        "1s",
        "5S,5S",
    ];
    let mut cases: Vec<Vec<(&str, &str)>> =
        bad.iter().map(|b| vec![("grpc-timeout", *b)]).collect();
    cases.push(vec![("grpc-timeout", "5S"), ("grpc-timeout", "6S")]);
    for case in cases {
        let headers = post(&channel, &case, plain()).await;
        let (code, fault) = failure(&headers).unwrap_or_else(|| panic!("{case:?}"));
        assert_eq!(code, Code::InvalidArgument, "{case:?}");
        assert_eq!(fault.reason(), ErrorReason::InvalidArgument);
        assert_eq!(fault.fields().collect::<Vec<_>>(), ["grpc-timeout"]);
    }
    server.drain().await;
}

#[tokio::test]
async fn who_one_is_stands_there_once() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let channel = channel(server.address).await;
    let bearer = format!("Bearer {TOKEN}");
    // Beside the good one that `post` sends.
    for second in ["Bearer x", bearer.as_str(), ""] {
        let headers = post(&channel, &[("authorization", second)], plain()).await;
        let (code, fault) = failure(&headers).unwrap();
        assert_eq!(code, Code::Unauthenticated, "{second}");
        assert_eq!(fault.reason(), ErrorReason::Unauthenticated);
    }
    server.drain().await;
}

#[tokio::test]
async fn what_only_connects_logs_is_ignored_where_it_cannot_be_read() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let channel = channel(server.address).await;
    let long = "a".repeat(5000);
    for case in [
        vec![("x-request-id", "a b")],
        vec![("x-request-id", long.as_str())],
        vec![("x-request-id", "one"), ("x-request-id", "two")],
        vec![("traceparent", "nonsense")],
        vec![(
            "traceparent",
            "00-00000000000000000000000000000000-0000000000000000-00",
        )],
        vec![("traceparent", "00-x"), ("traceparent", "00-y")],
        vec![("tracestate", "=,=,=")],
    ] {
        let headers = post(&channel, &case, plain()).await;
        assert!(failure(&headers).is_none(), "{case:?}: {headers:?}");
        let id = headers["x-request-id"].to_str().unwrap();
        assert_eq!(id.len(), 36, "a new one: {id}");
    }
    let headers = post(&channel, &[("x-request-id", "kept")], plain()).await;
    assert_eq!(headers["x-request-id"], "kept");
    server.drain().await;
}
