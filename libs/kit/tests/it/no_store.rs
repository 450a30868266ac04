//! Nothing that a port answers may be kept by whatever stands between: every answer says so, the refusals too.

use std::{net::SocketAddr, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, Request};
use http_body_util::Full;
use prost::Message;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::{body::Body, transport::Channel};
use tower::{Service, ServiceExt};
use turnwise_kit::{Kit, admin, connections::ConnectionLimits};

use crate::probe::{NEVER, TOKEN, ask, channel, serve};

/// The headers of the answer to one call.
async fn headers(channel: &Channel, path: &str, token: &str, message: &[u8]) -> HeaderMap {
    let mut frame = vec![0];
    frame.extend_from_slice(&u32::try_from(message.len()).unwrap().to_be_bytes());
    frame.extend_from_slice(message);
    let request = Request::post(format!("http://probe{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("authorization", format!("Bearer {token}"))
        .body(Body::new(Full::new(Bytes::from(frame))))
        .unwrap();
    let answer = channel.clone().ready().await.unwrap().call(request);
    let answer = tokio::time::timeout(NEVER, answer).await.unwrap();
    answer.unwrap().into_parts().0.headers
}

/// The whole answer to a request of HTTP/1.
async fn http1(address: SocketAddr, request: &str) -> String {
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let read = socket.read_to_end(&mut answer);
    tokio::time::timeout(NEVER, read).await.unwrap().unwrap();
    String::from_utf8(answer).unwrap().to_ascii_lowercase()
}

#[tokio::test]
async fn every_answer_of_a_grpc_port_says_no_store() {
    const METHOD: &str = "/turnwise.exam.v1.ExamService/BatchGetQuestionStatus";
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let channel = channel(server.address).await;
    let good = ask("ok").encode_to_vec();
    let panics = ask("panic").encode_to_vec();
    for (what, path, token, message) in [
        ("an answer", METHOD, TOKEN, good.as_slice()),
        ("a refused caller", METHOD, "x", &good),
        ("bytes that are no message", METHOD, TOKEN, &[0xff; 7]),
        ("a panic", METHOD, TOKEN, &panics),
        ("an unknown method", "/nothing.Here/AtAll", TOKEN, b""),
        ("health", "/grpc.health.v1.Health/Check", "", b""),
        ("an open stream", "/grpc.health.v1.Health/Watch", "", b""),
        (
            "reflection",
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            "",
            b"",
        ),
    ] {
        let headers = headers(&channel, path, token, message).await;
        let said: Vec<_> = headers.get_all("cache-control").iter().collect();
        assert_eq!(said, ["no-store"], "{what}: {headers:?}");
    }
    let no_grpc = http1(server.address, "GET / HTTP/1.1\r\nhost: probe\r\n\r\n").await;
    assert!(no_grpc.starts_with("http/1.1 505"), "{no_grpc}");
    assert!(no_grpc.contains("cache-control: no-store"), "{no_grpc}");
    drop(channel);
    server.drain().await;
}

#[tokio::test]
async fn every_answer_of_the_admin_port_says_no_store() {
    let kit = Kit::for_tests();
    let address = admin::serve(
        "127.0.0.1:0".parse().unwrap(),
        &kit,
        admin::Readiness::default(),
        ConnectionLimits::default(),
    )
    .await
    .unwrap();
    for (request, status) in [
        ("GET /metrics", "200"),
        ("GET /healthz", "200"),
        ("GET /readyz", "503"),
        ("GET /nothing", "404"),
        ("POST /metrics", "405"),
        ("HEAD /healthz", "200"),
    ] {
        let text = format!("{request} HTTP/1.1\r\nhost: admin\r\nconnection: close\r\n\r\n");
        let answer = http1(address, &text).await;
        assert!(
            answer.starts_with(&format!("http/1.1 {status}")),
            "{answer}"
        );
        let said = answer.matches("cache-control: no-store\r\n").count();
        assert_eq!(said, 1, "{request}: {answer}");
    }
    kit.served.cancel();
    kit.tasks.close();
    tokio::time::timeout(Duration::from_secs(10), kit.tasks.wait())
        .await
        .unwrap();
}
