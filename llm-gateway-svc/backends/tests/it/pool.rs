//! Connections: as many as there are calls, used again after good answers, closed at once by a caller that goes away.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{body::Body, response::Response};
use futures_util::{StreamExt, future::join_all};
use tokio::{io::AsyncWriteExt, net::TcpListener, sync::Barrier};
use turnwise_llm_backends::Piece;

use crate::{
    harness::{ask, connect},
    upstream::{
        HEAD, Upstream, at_ollama, chunk, ollama_delta, ollama_text, ollama_whole, read_request,
        stalling,
    },
};

#[tokio::test]
async fn many_calls_run_at_once() {
    const CALLS: usize = 300;
    let all_here = Arc::new(Barrier::new(CALLS));
    let server = Upstream::answering(move |_| {
        let all_here = all_here.clone();
        async move {
            all_here.wait().await;
            Response::new(Body::from(ollama_text("together")))
        }
    })
    .await;
    let ollama = connect(&at_ollama(&server.url));
    let ask = ask();
    let answers = join_all((0..CALLS).map(|_| ollama.complete(&ask))).await;
    assert!(answers.into_iter().all(|a| a.unwrap().text == "together"));
}

#[tokio::test]
async fn a_dropped_stream_closes_the_connection() {
    let first = ollama_delta("Hi");
    let (answer, dropped) = stalling(&[&first]);
    let answer = Arc::new(std::sync::Mutex::new(Some(answer)));
    let server = Upstream::answering(move |_| {
        let answer = answer.lock().unwrap().take();
        async move { answer.unwrap() }
    })
    .await;
    let ollama = connect(&at_ollama(&server.url));
    let mut pieces = ollama.pieces(&ask());
    let piece = pieces.next().await.unwrap().unwrap();
    assert_eq!(piece, Piece::Delta("Hi".to_owned()));
    drop(pieces);
    assert!(dropped.await.is_err(), "the server let go of its answer");
}

/// A server that answers the first request well, reads the second, writes so much of an answer, and tells when the
/// connection of the second is closed.
async fn hanging_at_the_second(
    first: String,
    then: Vec<u8>,
) -> (String, tokio::sync::mpsc::UnboundedReceiver<&'static str>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (events, seen) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        assert!(read_request(&mut socket).await);
        let body = [HEAD.as_bytes(), &chunk(&first), b"0\r\n\r\n"].concat();
        socket.write_all(&body).await.unwrap();
        // On the same connection.
        assert!(read_request(&mut socket).await);
        socket.write_all(&then).await.unwrap();
        events.send("asked").unwrap();
        assert!(!read_request(&mut socket).await);
        events.send("closed").unwrap();
    });
    (url, seen)
}

#[tokio::test]
async fn a_dropped_call_closes_the_connection_whether_or_not_the_answer_has_begun() {
    for then in [
        Vec::new(),
        HEAD.into(),
        [HEAD.as_bytes(), &chunk("{\"model\": ")].concat(),
    ] {
        let (url, mut seen) = hanging_at_the_second(ollama_text("a"), then).await;
        let ollama = connect(&at_ollama(&url));
        ollama.complete(&ask()).await.unwrap();
        let call = tokio::spawn({
            let ollama = ollama.clone();
            async move { ollama.complete(&ask()).await }
        });
        assert_eq!(seen.recv().await, Some("asked"));
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
        let closed = tokio::time::timeout(Duration::from_secs(5), seen.recv());
        assert_eq!(closed.await.unwrap(), Some("closed"));
    }
}

#[tokio::test]
async fn connections_are_used_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    tokio::spawn({
        let connections = connections.clone();
        async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                socket.set_nodelay(true).unwrap();
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    // A stream that Ollama's whole answer is, too.
                    let body = chunk(&ollama_whole("a", "stop"));
                    while read_request(&mut socket).await {
                        let head = [HEAD.as_bytes(), &body].concat();
                        socket.write_all(&head).await.unwrap();
                        socket.write_all(b"0\r\n\r\n").await.unwrap();
                    }
                });
            }
        }
    });
    let ollama = connect(&at_ollama(&url));
    for _ in 0..30 {
        assert_eq!(ollama.complete(&ask()).await.unwrap().text, "a");
        assert_eq!(ollama.streamed(&ask()).await.unwrap().text, "a");
    }
    let connections = connections.load(Ordering::SeqCst);
    assert_eq!(connections, 1);
}

#[tokio::test]
async fn a_connection_that_the_server_closed_while_idle_is_not_a_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            assert!(read_request(&mut socket).await);
            let body = [HEAD.as_bytes(), &chunk(&ollama_text("a")), b"0\r\n\r\n"].concat();
            socket.write_all(&body).await.unwrap();
            // Without having said so.
        }
    });
    let ollama = connect(&at_ollama(&url));
    for _ in 0..20 {
        assert_eq!(ollama.streamed(&ask()).await.unwrap().text, "a");
        tokio::task::yield_now().await;
    }
}
