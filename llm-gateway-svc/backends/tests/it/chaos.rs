//! Servers that break off, stall, trickle, or write without end.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use tokio::time::Instant;
use turnwise_llm_backends::{
    Failure,
    failure::{Problem, Wait},
};

use crate::{
    harness::{Model, ask, connect, problem},
    upstream::{
        Act::{self, Hang, Pause, Reset},
        HEAD, Upstream, at_ollama, chunk, ollama_delta, ollama_end, ollama_text, streaming,
    },
};

/// A server that acts so, called with these time-outs.
async fn acting(acts: Vec<Act>, timeouts: &[&str]) -> (Upstream, Model) {
    let server = Upstream::acting(acts).await;
    let model = connect(&[&at_ollama(&server.url)[..], timeouts].concat());
    (server, model)
}

fn write(text: &str) -> Act {
    Act::Write(chunk(text))
}

fn head() -> Act {
    Act::Write(HEAD.into())
}

/// What a call waits for at the most, where the end of that is what is tried. Long beside a busy machine's pauses.
const LIMIT: Duration = Duration::from_secs(2);
/// How far apart a server sends bytes that trickle.
const DROP: Duration = Duration::from_millis(200);

#[tokio::test]
async fn a_connection_that_breaks_before_the_first_byte_may_be_tried_again() {
    for acts in [
        vec![],
        vec![Reset],
        vec![head()],
        vec![head(), Reset],
        vec![Act::Write(b"HTTP/1.1 200 OK\r\nconte".to_vec())],
        vec![Act::Write(
            b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n".to_vec(),
        )],
    ] {
        let (_server, model) = acting(acts, &[]).await;
        let failure = model.stream(&ask()).await.unwrap_err();
        assert_eq!(failure, Failure::Unreachable { backend: "ollama" });
        assert!(failure.may_retry());
    }
}

#[tokio::test]
async fn a_connection_that_breaks_after_it_may_not() {
    for acts in [
        vec![head(), write("{\"mess")],
        vec![head(), write("{\"mess"), Pause(LIMIT), Reset],
        vec![head(), write(&ollama_delta("half"))],
        vec![head(), write(&ollama_delta("half")), Pause(LIMIT), Reset],
        // A chunk that is announced and does not come.
        vec![head(), Act::Write(b"40\r\n{\"message\":".to_vec())],
        vec![
            head(),
            write(&ollama_delta("a")),
            Act::Write(b"zz\r\n".to_vec()),
        ],
    ] {
        let (_server, model) = acting(acts, &[]).await;
        let failure = model.stream(&ask()).await.unwrap_err();
        assert_eq!(problem(&failure), Problem::BrokeOff);
        assert!(failure.counts_against_breaker());
    }
}

#[tokio::test]
async fn silence_before_the_first_byte_may_be_tried_again() {
    for acts in [
        vec![Hang],
        vec![head(), Hang],
        vec![Act::Write(b"HTTP/1.1 2".to_vec()), Hang],
    ] {
        let (_server, model) = acting(acts, &["--ollama-timeout-seconds", "2"]).await;
        let begun = Instant::now();
        let failure = model.stream(&ask()).await.unwrap_err();
        let expected = Failure::Silent {
            backend: "ollama",
            wait: Wait::FirstByte,
            limit: LIMIT,
            setting: "OLLAMA_TIMEOUT_SECONDS",
        };
        assert_eq!(failure, expected);
        assert!(failure.may_retry() && failure.counts_against_breaker());
        assert!(failure.to_string().contains("OLLAMA_TIMEOUT_SECONDS"));
        assert!(begun.elapsed() >= LIMIT);
        assert!(begun.elapsed() < 10 * LIMIT);
    }
}

#[tokio::test]
async fn silence_between_tokens_ends_the_call() {
    let (_server, model) = acting(
        vec![
            head(),
            write(&ollama_delta("a")),
            write(&ollama_delta("b")),
            Hang,
        ],
        &["--llm-between-tokens-timeout-seconds", "2"],
    )
    .await;
    let begun = Instant::now();
    let failure = model.stream(&ask()).await.unwrap_err();
    assert_eq!(problem(&failure), Problem::Stalled);
    assert!(begun.elapsed() >= LIMIT && begun.elapsed() < 10 * LIMIT);
}

#[tokio::test]
async fn the_first_token_may_take_as_long_as_the_first_byte() {
    // Longer than between two tokens, and bytes that are no token come before it.
    let acts = vec![
        head(),
        write("\n"),
        Pause(2 * LIMIT),
        write(&ollama_text("late")),
        Act::Write(b"0\r\n\r\n".to_vec()),
    ];
    let args = ["--llm-between-tokens-timeout-seconds", "1"];
    let (_server, model) = acting(acts, &args).await;
    assert_eq!(model.streamed(&ask()).await.unwrap().text, "late");
}

#[tokio::test]
async fn bytes_that_are_no_token_do_not_count() {
    let trickle = |first: &str| {
        let mut acts = vec![head(), write(first)];
        for _ in 0..200 {
            acts.extend([Pause(DROP), write("\n")]);
        }
        acts
    };
    for (first, args) in [
        (
            ollama_delta("a"),
            ["--llm-between-tokens-timeout-seconds", "2"],
        ),
        ("\n".to_owned(), ["--ollama-timeout-seconds", "2"]),
    ] {
        let (_server, model) = acting(trickle(&first), &args).await;
        let begun = Instant::now();
        let failure = model.stream(&ask()).await.unwrap_err();
        assert_eq!(problem(&failure), Problem::Stalled);
        assert!(begun.elapsed() < 10 * LIMIT);
    }
}

#[tokio::test]
async fn a_server_that_trickles_tokens_is_given_up_in_the_end() {
    let mut acts = vec![head()];
    for _ in 0..200 {
        acts.extend([write(&ollama_delta("a")), Pause(DROP)]);
    }
    let args = [
        "--ollama-timeout-seconds",
        "3",
        "--llm-total-timeout-seconds",
        "5",
    ];
    let (_server, model) = acting(acts, &args).await;
    let begun = Instant::now();
    let failure = model.stream(&ask()).await.unwrap_err();
    assert_eq!(problem(&failure), Problem::TooSlow);
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(5) && took < Duration::from_secs(30));
}

#[tokio::test]
async fn a_whole_answer_that_stalls_or_trickles() {
    let whole = |acts: &[Act]| [&[head(), write("{\"model\": \"m\", ")], acts].concat();
    let trickle: Vec<Act> = (0..200).flat_map(|_| [Pause(DROP), write(" ")]).collect();
    for (acts, expected) in [
        (whole(&[Hang]), Problem::Stalled),
        (whole(&trickle), Problem::TooSlow),
        (whole(&[]), Problem::BrokeOff),
    ] {
        let args = [
            "--ollama-timeout-seconds",
            "2",
            "--llm-total-timeout-seconds",
            "4",
        ];
        let (_server, model) = acting(acts, &args).await;
        let failure = model.embed(&["a"]).await.unwrap_err();
        assert_eq!(problem(&failure), expected);
    }
}

#[tokio::test]
async fn no_answer_is_longer_than_its_bounds() {
    let line = ollama_delta(&"x".repeat(100_000));
    let text = line.repeat(11) + &ollama_end("stop");
    let long_line = ollama_delta(&"x".repeat(300_000));
    let no_line = "x".repeat(300_000);
    // Much that says nothing: a bound on text alone would read it for ever.
    let nothing = ollama_delta("").repeat(1_000);
    let nothing = nothing.repeat(17 * 1024 * 1024 / nothing.len() + 1);
    for body in [text, long_line, no_line, nothing] {
        // Without a length that would tell.
        let server = Upstream::answering(move |_| {
            let body = Bytes::from(body.clone());
            async { streaming(stream::iter([Ok(body)])) }
        })
        .await;
        let failure = connect(&at_ollama(&server.url)).stream(&ask()).await;
        assert_eq!(problem(&failure.unwrap_err()), Problem::TooLong);
    }
}

#[tokio::test]
async fn one_mebibyte_of_text_is_allowed() {
    let line = ollama_delta(&"x".repeat(128 * 1024));
    let server = Upstream::saying(line.repeat(8) + &ollama_end("stop")).await;
    let answer = connect(&at_ollama(&server.url)).streamed(&ask()).await;
    assert_eq!(answer.unwrap().text.len(), 1024 * 1024);
}

/// A listener that is full: the kernel lets nobody else in and refuses nobody.
async fn full() -> (std::net::TcpListener, Vec<tokio::net::TcpStream>) {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap().into_std().unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(Ok(stream)) =
        tokio::time::timeout(LIMIT, tokio::net::TcpStream::connect(address)).await
    {
        waiting.push(stream);
    }
    (listener, waiting)
}

#[tokio::test]
async fn a_connection_that_does_not_come_about_has_a_time_out_of_its_own() {
    let (listener, _waiting) = full().await;
    let url = format!("http://{}", listener.local_addr().unwrap());
    let args = [
        &at_ollama(&url)[..],
        &["--llm-connect-timeout-seconds", "2"],
    ]
    .concat();
    let begun = Instant::now();
    let failure = connect(&args).stream(&ask()).await.unwrap_err();
    let expected = Failure::Silent {
        backend: "ollama",
        wait: Wait::Connection,
        limit: LIMIT,
        setting: "LLM_CONNECT_TIMEOUT_SECONDS",
    };
    assert_eq!(failure, expected);
    assert!(begun.elapsed() < 10 * LIMIT);
}
