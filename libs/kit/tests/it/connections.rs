//! Who may hold a connection: peers that say nothing, say it slowly, or come in numbers; and those who call.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, interval, timeout},
};
use tonic::{Code, Status, transport::Channel};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use turnwise_kit::{Fault, Kit, connections::ConnectionLimits};
use turnwise_proto::{common::v1::ErrorReason, exam::v1::exam_service_client::ExamServiceClient};

use crate::probe::{NEVER, TOKEN, ask, channel, serve_with, shows};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: &[u8] = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00";
/// A HEADERS frame that announces 64 bytes and holds one.
const HALF_HEADERS: &[u8] = b"\x00\x00\x40\x01\x04\x00\x00\x00\x01\x82";
fn proof(milliseconds: u64) -> ConnectionLimits {
    ConnectionLimits {
        proof: Duration::from_millis(milliseconds),
        ..ConnectionLimits::default()
    }
}

async fn silent(address: SocketAddr, says: &[u8]) -> TcpStream {
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(says).await.unwrap();
    socket
}

/// Reads until the server closes the connection.
async fn closed(socket: &mut TcpStream) {
    let mut bytes = [0; 1024];
    let end = async { while let Ok(1..) = socket.read(&mut bytes).await {} };
    timeout(NEVER, end).await.expect("the server closes it");
}

async fn call(channel: Channel, what: &str) -> Result<(), Status> {
    let mut request = tonic::Request::new(ask(what));
    let token = format!("Bearer {TOKEN}").parse().unwrap();
    request.metadata_mut().insert("authorization", token);
    ExamServiceClient::new(channel)
        .batch_get_question_status(request)
        .await
        .map(|_| ())
}

#[tokio::test]
async fn a_connection_that_does_not_prove_itself_is_closed() {
    let kit = Kit::for_tests();
    let server = serve_with(&kit, proof(400)).await;
    let half = &PREFACE[..9];
    let settings = [PREFACE, SETTINGS].concat();
    let headers = [PREFACE, SETTINGS, HALF_HEADERS].concat();
    let started = Instant::now();
    let mut sockets = Vec::new();
    for says in [&[][..], half, PREFACE, &settings, &headers] {
        sockets.push(silent(server.address, says).await);
    }
    for (nth, socket) in sockets.iter_mut().enumerate() {
        closed(socket).await;
        let after = started.elapsed();
        assert!(after >= Duration::from_millis(390), "{nth}: {after:?}");
        assert!(after < Duration::from_secs(4), "{nth}: {after:?}");
    }
    shows(
        &kit,
        r#"connections_ended_total{listener="grpc",cause="unproved"} 5"#,
    )
    .await;
    shows(&kit, r#"connections_open{listener="grpc"} 0"#).await;
    server.drain().await;
}

/// Reads up to a frame of this kind: its stream and what it holds. `None`: the connection ended before it.
async fn hears(socket: &mut TcpStream, kind: u8) -> Option<(u32, Vec<u8>)> {
    let read = async {
        loop {
            let mut head = [0; 9];
            socket.read_exact(&mut head).await.ok()?;
            let [long @ .., is, _, a, b, c, d] = head;
            let long = u32::from_be_bytes([0, long[0], long[1], long[2]]);
            let mut payload = vec![0; long.try_into().unwrap()];
            socket.read_exact(&mut payload).await.ok()?;
            if is == kind {
                return Some((u32::from_be_bytes([a, b, c, d]), payload));
            }
        }
    };
    timeout(NEVER, read).await.expect("it answers or ends")
}

/// A first request may be on its way when the time for it ends: the peer is told, and what comes meanwhile is answered.
#[tokio::test]
async fn who_is_late_with_the_first_call_is_told_and_not_cut_off() {
    const HEADERS: u8 = 1;
    const GOAWAY: u8 = 7;
    let kit = Kit::for_tests();
    let server = serve_with(&kit, proof(300)).await;
    let mut socket = silent(server.address, &[PREFACE, SETTINGS].concat()).await;
    let (stream, farewell) = hears(&mut socket, GOAWAY).await.expect("a farewell");
    // Any stream, and no error.
    let any = [&[0x7f, 0xff, 0xff, 0xff][..], &[0; 4]].concat();
    assert_eq!((stream, &farewell[..8]), (0, &any[..]));
    // POST over http, a path, an authority, the kind of the content, and a message of no bytes.
    let path = b"/grpc.health.v1.Health/Check";
    let fields = [
        &[0x83, 0x86, 0x04, u8::try_from(path.len()).unwrap()][..],
        path,
        b"\x01\x01x\x0f\x10\x10application/grpc\x00\x02te\x08trailers",
    ]
    .concat();
    let long = u8::try_from(fields.len()).unwrap();
    let call = [
        &[0, 0, long, HEADERS, 4, 0, 0, 0, 1][..],
        &fields,
        b"\x00\x00\x05\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00",
    ]
    .concat();
    socket.write_all(&call).await.unwrap();
    let (stream, _) = hears(&mut socket, HEADERS).await.expect("an answer");
    assert_eq!(stream, 1);
    closed(&mut socket).await;
    shows(
        &kit,
        r#"connections_ended_total{listener="grpc",cause="unproved"} 1"#,
    )
    .await;
    server.drain().await;
}

#[tokio::test]
async fn a_byte_now_and_then_proves_nothing() {
    let kit = Kit::for_tests();
    let server = serve_with(&kit, proof(400)).await;
    let mut socket = silent(server.address, b"").await;
    let mut every = interval(Duration::from_millis(50));
    // A ping is 17 bytes and gets an answer: whole frames, one byte at a time, for ever.
    let ping = b"\x00\x00\x08\x06\x00\x00\x00\x00\x00pingpong";
    let drip = PREFACE.iter().chain(SETTINGS).chain(ping.iter().cycle());
    let started = Instant::now();
    for byte in drip {
        every.tick().await;
        if socket.write_all(&[*byte]).await.is_err() || started.elapsed() > NEVER {
            break;
        }
    }
    assert!(started.elapsed() < Duration::from_secs(4));
    server.drain().await;
}

#[tokio::test]
async fn another_protocol_is_turned_away_at_once() {
    let kit = Kit::for_tests();
    let server = serve_with(&kit, proof(60_000)).await;
    for says in [
        &b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01",
    ] {
        closed(&mut silent(server.address, &says.repeat(3)).await).await;
    }
    server.drain().await;
}

/// Not even the server's settings: whoever counts what can be read must not take a closed connection for an open one.
#[tokio::test]
async fn who_says_nothing_hears_nothing() {
    let kit = Kit::for_tests();
    let server = serve_with(&kit, proof(200)).await;
    for says in [&b""[..], &PREFACE[..20]] {
        let mut heard = Vec::new();
        let mut socket = silent(server.address, says).await;
        // A connection that is cut with bytes unread ends with a reset.
        let _ = timeout(NEVER, socket.read_to_end(&mut heard))
            .await
            .unwrap();
        assert!(heard.is_empty(), "{heard:?}");
    }
    let mut heard = Vec::new();
    let mut http1 = silent(server.address, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    let read = timeout(NEVER, http1.read_to_end(&mut heard)).await.unwrap();
    assert!(
        read.is_ok() && heard.starts_with(b"HTTP/1.1 505 "),
        "{heard:?}"
    );
    server.drain().await;
}

#[tokio::test]
async fn whoever_has_called_may_stay() {
    let kit = Kit::for_tests();
    let server = serve_with(&kit, proof(200)).await;
    let ada = channel(server.address).await;
    assert_eq!(call(ada.clone(), "ok").await.map_err(|s| s.code()), Ok(()));
    // Others are closed meanwhile, and she is not.
    for _ in 0..3 {
        closed(&mut silent(server.address, b"").await).await;
    }
    shows(&kit, r#"connections_open{listener="grpc"} 1"#).await;
    call(ada, "ok").await.unwrap();
    server.drain().await;
}

#[tokio::test]
async fn a_connection_without_calls_ends_and_one_with_a_call_does_not() {
    let kit = Kit::for_tests();
    let limits = ConnectionLimits {
        idle: Duration::from_millis(300),
        ..ConnectionLimits::default()
    };
    let server = serve_with(&kit, limits).await;
    let (idle, busy) = (channel(server.address).await, channel(server.address).await);
    call(idle.clone(), "ok").await.unwrap();
    let stalled = tokio::spawn(call(busy, "stall"));
    shows(&kit, "rpc_server_in_flight 1").await;
    shows(
        &kit,
        r#"connections_ended_total{listener="grpc",cause="idle"} 1"#,
    )
    .await;
    shows(&kit, r#"connections_open{listener="grpc"} 1"#).await;
    assert!(!stalled.is_finished());
    // The client connects again and does not notice; nor does anybody who comes when the server is old.
    call(idle, "ok").await.unwrap();
    for _ in 0..10 {
        call(channel(server.address).await, "ok").await.unwrap();
    }
    stalled.abort();
    server.drain().await;
}

#[tokio::test]
async fn of_an_address_with_many_silent_connections_the_oldest_make_place() {
    let kit = Kit::for_tests();
    let limits = ConnectionLimits {
        unproved_per_address: 4,
        ..proof(60_000)
    };
    let server = serve_with(&kit, limits).await;
    let mut sockets = Vec::new();
    for _ in 0..20 {
        sockets.push(silent(server.address, b"").await);
    }
    let kept = sockets.split_off(16);
    for socket in &mut sockets {
        closed(socket).await;
    }
    shows(&kit, r#"connections_open{listener="grpc"} 4"#).await;
    // Whoever means to call does it while the others are silent.
    for _ in 0..5 {
        call(channel(server.address).await, "ok").await.unwrap();
    }
    drop(kept);
    server.drain().await;
}

#[tokio::test]
async fn the_silent_do_not_take_the_places_of_those_who_call() {
    let kit = Kit::for_tests();
    let limits = ConnectionLimits {
        most: 16,
        ..proof(60_000)
    };
    let server = serve_with(&kit, limits).await;
    let mut callers = Vec::new();
    for _ in 0..12 {
        let caller = channel(server.address).await;
        call(caller.clone(), "ok").await.unwrap();
        callers.push(caller);
    }
    let mut crowd = Vec::new();
    for _ in 0..50 {
        crowd.push(silent(server.address, b"").await);
    }
    shows(
        &kit,
        r#"connections_ended_total{listener="grpc",cause="crowded"} 46"#,
    )
    .await;
    shows(&kit, r#"connections_open{listener="grpc"} 16"#).await;
    for caller in callers {
        call(caller, "ok").await.unwrap();
    }
    assert!(!kit.metrics.encode().contains(r#"cause="displaced""#));
    server.drain().await;
}

#[tokio::test]
async fn when_all_places_are_taken_the_longest_idle_one_makes_place() {
    let kit = Kit::for_tests();
    let limits = ConnectionLimits {
        most: 16,
        ..proof(60_000)
    };
    let server = serve_with(&kit, limits).await;
    let oldest = channel(server.address).await;
    let stalled = tokio::spawn(call(oldest, "stall"));
    shows(&kit, "rpc_server_in_flight 1").await;
    for _ in 0..30 {
        let caller = channel(server.address).await;
        call(caller.clone(), "ok").await.unwrap();
        std::mem::forget(caller);
    }
    shows(
        &kit,
        r#"connections_ended_total{listener="grpc",cause="displaced"} 19"#,
    )
    .await;
    shows(&kit, r#"connections_open{listener="grpc"} 12"#).await;
    // It is the oldest, and has a call.
    assert!(!stalled.is_finished());
    stalled.abort();
    server.drain().await;
}

#[tokio::test]
async fn a_full_server_says_so_and_is_healthy() {
    let kit = Kit::for_tests();
    let limits = ConnectionLimits {
        most: 16,
        ..proof(1000)
    };
    let server = serve_with(&kit, limits).await;
    let mut stalled = Vec::new();
    for _ in 0..12 {
        stalled.push(tokio::spawn(call(channel(server.address).await, "stall")));
    }
    shows(&kit, "rpc_server_in_flight 12").await;
    let late = channel(server.address).await;
    let status = call(late.clone(), "ok").await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    let fault = Fault::from_status(&status);
    assert_eq!(fault.reason(), ErrorReason::Busy);
    assert!(fault.retry_delay().is_some());
    let health = HealthClient::new(channel(server.address).await)
        .check(HealthCheckRequest::default())
        .await;
    assert_eq!(health.unwrap().into_inner().status, 1, "SERVING");
    // As soon as somebody has gone there is place again.
    stalled.pop().unwrap().abort();
    shows(&kit, "rpc_server_in_flight 11").await;
    call(late, "ok").await.unwrap();
    for call in stalled {
        call.abort();
    }
    server.drain().await;
}

/// Health watches are anybody's: they keep no place from those who call.
#[tokio::test]
async fn a_watch_does_not_keep_a_place() {
    let kit = Kit::for_tests();
    let limits = ConnectionLimits {
        most: 16,
        ..proof(60_000)
    };
    let server = serve_with(&kit, limits).await;
    let mut watches = Vec::new();
    for _ in 0..12 {
        let mut health = HealthClient::new(channel(server.address).await);
        let watch = health.watch(HealthCheckRequest::default()).await.unwrap();
        watches.push((health, watch));
    }
    for _ in 0..12 {
        call(channel(server.address).await, "ok").await.unwrap();
    }
    server.drain().await;
}
