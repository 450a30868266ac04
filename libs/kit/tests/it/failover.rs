//! A server that ends while a request is on its way to it: whether the request is sent again.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    task::{JoinSet, yield_now},
    time::timeout,
};
use tonic::Code;
use turnwise_kit::{CancellationToken, Kit, client::connect};
use turnwise_proto::exam::v1::exam_service_client::ExamServiceClient;

use crate::probe::{NEVER, TOKEN, ask, options, over_tcp, serve, shows};

const SETTINGS: &[u8] = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00";
/// GOAWAY without an error, after no request and after the first.
const AFTER_NONE: &[u8] = b"\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00";
const AFTER_THE_FIRST: &[u8] =
    b"\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00";
/// RST_STREAM of the first request: refused, and an internal error.
const REFUSED: &[u8] = b"\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x07";
const BROKEN: &[u8] = b"\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x02";

/// A place whose first connection gets a request, says this and ends; later ones lead to a server. How many there were.
async fn ending(says: Vec<u8>, server: SocketAddr) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            if count.fetch_add(1, Ordering::SeqCst) == 0 {
                client.write_all(SETTINGS).await.unwrap();
                has_sent_headers(&mut client).await;
                client.write_all(&says).await.unwrap();
                client.shutdown().await.unwrap();
            } else {
                let mut server = TcpStream::connect(server).await.unwrap();
                tokio::spawn(async move { copy_bidirectional(&mut client, &mut server).await });
            }
        }
    });
    (address, connections)
}

/// Reads a client's frames to the first HEADERS.
async fn has_sent_headers(client: &mut TcpStream) {
    let mut preface = [0; 24];
    client.read_exact(&mut preface).await.unwrap();
    loop {
        let mut head = [0; 9];
        client.read_exact(&mut head).await.unwrap();
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut frame = vec![0; length as usize];
        client.read_exact(&mut frame).await.unwrap();
        if head[3] == 1 {
            return;
        }
    }
}

#[tokio::test]
async fn what_an_ending_server_has_not_begun_is_sent_again_and_nothing_else() {
    let cases: [(&[&[u8]], Option<usize>); 5] = [
        (&[AFTER_NONE], Some(2)),
        (&[REFUSED, AFTER_THE_FIRST], Some(2)),
        // It may have worked on these.
        (&[AFTER_THE_FIRST], None),
        (&[BROKEN, AFTER_THE_FIRST], None),
        (&[], None),
    ];
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    for (frames, answered) in cases {
        let (address, connections) = ending(frames.concat(), server.address).await;
        let mut client = over_tcp(&kit, address);
        let call = client.batch_get_question_status(ask("algebra"));
        let result = timeout(NEVER, call).await.unwrap();
        match answered {
            Some(count) => {
                result.unwrap();
                assert_eq!(connections.load(Ordering::SeqCst), count, "{frames:?}");
            }
            None => {
                assert_eq!(result.unwrap_err().code(), Code::Unavailable, "{frames:?}");
            }
        }
    }
}

/// A connection that a server has taken in, and has heard nothing of when it is told to end.
#[tokio::test]
async fn a_call_that_comes_on_a_new_connection_as_the_server_ends_is_answered() {
    let kit = Kit::for_tests();
    let server = serve(&kit).await;
    let address = server.address;
    let mut inner = TcpStream::connect(address).await.unwrap();
    shows(&kit, r#"connections_open{listener="grpc"} 1"#).await;
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = over_tcp(&Kit::for_tests(), proxy.local_addr().unwrap());
    let call = tokio::spawn(async move { client.batch_get_question_status(ask("algebra")).await });
    let (mut outer, _) = proxy.accept().await.unwrap();
    let draining = tokio::spawn(server.drain());
    while TcpStream::connect(address).await.is_ok() {
        yield_now().await;
    }
    tokio::spawn(async move { copy_bidirectional(&mut outer, &mut inner).await });
    timeout(NEVER, call).await.unwrap().unwrap().unwrap();
    timeout(NEVER, draining).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_fails_where_one_of_two_servers_ends() {
    /// How often one ends, and how many call meanwhile without a pause.
    const ENDS: usize = 30;
    const CALLERS: usize = 8;
    for _ in 0..ENDS {
        let (first, second) = (Kit::for_tests(), Kit::for_tests());
        let (ending, staying) = (serve(&first).await, serve(&second).await);
        let both = format!("http://{},http://{}", ending.address, staying.address);
        let client = connect(&both, None, options(TOKEN), &second).unwrap();
        let stop = CancellationToken::new();
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let (stop, mut client) = (stop.clone(), ExamServiceClient::new(client.clone()));
            callers.spawn(async move {
                while !stop.is_cancelled() {
                    let call = client.batch_get_question_status(ask("algebra"));
                    call.await.unwrap();
                }
            });
        }
        shows(&first, r#"code="OK""#).await;
        timeout(NEVER, ending.drain()).await.unwrap();
        stop.cancel();
        callers.join_all().await;
        staying.drain().await;
    }
}
