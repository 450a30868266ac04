//! The server stack: what a caller sees when something goes wrong, in process and over TCP.

use std::time::Duration;

use futures_util::future::join_all;
use tonic::{Code, Status};
use turnwise_kit::{CallContext, Fault, Kit, client::GrpcClient};
use turnwise_proto::{common::v1::ErrorReason, exam::v1::exam_service_client::ExamServiceClient};

use crate::probe::{ask, in_process, over_tcp, serve, student};

async fn fails(
    client: &mut ExamServiceClient<GrpcClient>,
    course: &str,
    timeout: Duration,
) -> Status {
    let context = CallContext::background(Some(student()), timeout);
    client
        .batch_get_question_status(context.request(ask(course)))
        .await
        .unwrap_err()
}

#[tokio::test]
async fn a_panic_becomes_internal_and_the_next_call_works() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    for mut client in [in_process(&kit, 10), over_tcp(&kit, server.address)] {
        // The first panic's backtrace takes a debug build its time.
        let status = fails(&mut client, "panic", Duration::from_secs(60)).await;
        assert_eq!(status.code(), Code::Internal);
        assert_eq!(Fault::from_status(&status).reason(), ErrorReason::Internal);
        let context = CallContext::background(Some(student()), Duration::from_secs(5));
        assert!(
            client
                .batch_get_question_status(context.request(ask("ok")))
                .await
                .is_ok()
        );
    }
    let metrics = kit.metrics.encode();
    assert!(
        metrics.contains(r#"code="INTERNAL"} 2"#),
        "panics are counted: {metrics}"
    );
    server.drain().await;
}

#[tokio::test]
async fn a_deadline_is_exceeded_and_never_cancelled() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    for client in [in_process(&kit, 100), over_tcp(&kit, server.address)] {
        let calls = (0..20).map(|_| {
            let mut client = client.clone();
            async move { fails(&mut client, "stall", Duration::from_millis(40)).await }
        });
        for status in join_all(calls).await {
            assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
            let reason = Fault::from_status(&status).reason();
            assert_eq!(reason, ErrorReason::DeadlineExceeded);
        }
    }
    server.drain().await;
}

/// The server's own timer, seen by a client that has none.
#[tokio::test]
async fn the_server_enforces_the_deadline_that_a_foreign_client_sent() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{}", server.address))
        .unwrap()
        .connect()
        .await
        .unwrap();
    let mut client = ExamServiceClient::new(channel);
    let mut request = tonic::Request::new(ask("stall"));
    let token = format!("Bearer {}", crate::probe::TOKEN).parse().unwrap();
    request.metadata_mut().insert("authorization", token);
    request
        .metadata_mut()
        .insert("grpc-timeout", "30m".parse().unwrap());
    let status = client.batch_get_question_status(request).await.unwrap_err();
    // tonic's client watches the same header; whichever timer wins, a deadline was exceeded or the call was cut by it.
    assert!(
        matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled),
        "{status:?}"
    );
    server.drain().await;
}

#[tokio::test]
async fn what_travels_with_a_call_arrives() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    for mut client in [in_process(&kit, 10), over_tcp(&kit, server.address)] {
        let context = CallContext::background(Some(student()), Duration::from_secs(9));
        let mut request = context.request(ask("ok"));
        request
            .metadata_mut()
            .insert("x-request-id", "kept-1".parse().unwrap());
        let response = client.batch_get_question_status(request).await.unwrap();
        assert_eq!(response.metadata().get("x-request-id").unwrap(), "kept-1");
        let saw: Vec<String> = response
            .into_inner()
            .statuses
            .into_iter()
            .map(|s| s.question_id)
            .collect();
        assert_eq!(saw[0], "north/ada");
        assert_eq!(saw[1], "kept-1");
        let left: u64 = saw[2].parse().unwrap();
        assert!(left < 9_000, "a hop spends less than it was given: {left}");
        assert!(left > 5_000);
    }
    server.drain().await;
}

#[tokio::test]
async fn a_full_server_refuses_at_once_with_a_time_to_come_back() {
    let kit = Kit::for_tests();
    let mut client = in_process(&kit, 1);
    let mut first = client.clone();
    let stalled =
        tokio::spawn(async move { fails(&mut first, "stall", Duration::from_secs(2)).await });
    // The first call holds the only place once the gauge shows it.
    while !kit.metrics.encode().contains("rpc_server_in_flight 1") {
        tokio::task::yield_now().await;
    }
    let status = fails(&mut client, "ok", Duration::from_secs(1)).await;
    let fault = Fault::from_status(&status);
    assert_eq!(fault.reason(), ErrorReason::Busy);
    assert!(fault.retry_delay().is_some());
    stalled.abort();
}

#[tokio::test]
async fn a_service_that_is_away_is_named() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let address = server.address;
    server.drain().await;
    let mut client = over_tcp(&kit, address);
    let status = fails(&mut client, "ok", Duration::from_secs(5)).await;
    let fault = Fault::from_status(&status);
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(fault.reason(), ErrorReason::DependencyUnavailable);
    assert_eq!(fault.metadata("service"), Some("probe"));
    assert!(fault.retry_delay().is_some());
}

#[tokio::test]
async fn a_drain_ends_although_a_connection_stays_open() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let idle = tokio::net::TcpStream::connect(server.address)
        .await
        .unwrap();
    tokio::time::timeout(Duration::from_secs(10), server.drain())
        .await
        .expect("the drain is bounded");
    drop(idle);
}

/// An address where nobody listens costs no call as long as there is another.
#[tokio::test]
async fn a_dead_address_is_passed_over() {
    let kit = Kit::for_tests();
    let alive = serve(&kit).await;
    let dead = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let channel = turnwise_kit::client::connect(
        &format!("http://{dead},http://{}", alive.address),
        None,
        crate::probe::options(crate::probe::TOKEN),
        &kit,
    )
    .unwrap();
    let mut client = ExamServiceClient::new(channel);
    for _ in 0..50 {
        let context = CallContext::background(Some(student()), Duration::from_secs(5));
        let answer = client
            .batch_get_question_status(context.request(ask("ok")))
            .await;
        assert!(answer.is_ok(), "{answer:?}");
    }
}

#[tokio::test]
async fn a_list_and_a_name_are_endpoints_too() {
    let kit = Kit::for_tests();
    let (one, two) = (serve(&kit).await, serve(&kit).await);
    let list = format!("http://{},http://{}", one.address, two.address);
    let name = format!("dns://localhost:{}", one.address.port());
    for endpoint in [list, name] {
        let channel = turnwise_kit::client::connect(
            &endpoint,
            None,
            crate::probe::options(crate::probe::TOKEN),
            &kit,
        )
        .unwrap();
        let mut client = ExamServiceClient::new(channel);
        let context = CallContext::background(Some(student()), Duration::from_secs(5));
        let answer = client
            .batch_get_question_status(context.request(ask("ok")))
            .await;
        assert!(answer.is_ok(), "{endpoint}: {answer:?}");
    }
    for wrong in [
        "",
        "localhost:1",
        "ftp://x:1",
        "dns://x",
        "dns://x:y",
        "https://x:1",
    ] {
        let refused = turnwise_kit::client::connect(
            wrong,
            None,
            crate::probe::options(crate::probe::TOKEN),
            &kit,
        );
        assert!(refused.is_err(), "{wrong}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_outlasts_the_drain_is_handed_back() {
    const BOUND: Duration = Duration::from_secs(20);
    let kit = Kit::for_tests();
    let mut client = in_process(&kit, 10);
    let mut slow = client.clone();
    let began = tokio::time::Instant::now();
    let call = tokio::spawn(async move { fails(&mut slow, "stall", BOUND * 30).await });
    kit.drain.begin(BOUND);
    // Until then there is service: whoever is being finished needs it.
    let context = CallContext::background(Some(student()), BOUND);
    let served = client.batch_get_question_status(context.request(ask("ok")));
    served.await.unwrap();
    let status = call.await.unwrap();
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
    let fault = Fault::from_status(&status);
    assert_eq!(fault.reason(), ErrorReason::Draining);
    assert!(fault.retry_delay().is_some());
    let took = began.elapsed();
    assert!((BOUND..BOUND * 2).contains(&took), "{took:?}");
}
