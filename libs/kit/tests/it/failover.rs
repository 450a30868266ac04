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
    time::timeout,
};
use tonic::Code;
use turnwise_kit::Kit;

use crate::probe::{NEVER, ask, over_tcp, serve};

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
