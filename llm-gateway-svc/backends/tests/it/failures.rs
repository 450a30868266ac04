//! What a failure says: whether it may be tried again, whether a breaker counts it, and when to come back.

use std::time::Duration;

use axum::{body::Body, response::Response};
use turnwise_llm_backends::{Failure, failure::Problem};

use crate::{
    harness::{ask, connect},
    upstream::{Upstream, at_ollama, nobody},
};

#[tokio::test]
async fn statuses_say_what_they_are_and_hold_no_text_of_the_server() {
    for (status, retry, breaker, word) in [
        (429, true, false, "limited"),
        (500, true, true, "server_error"),
        (502, true, true, "server_error"),
        (503, true, true, "server_error"),
        (529, true, true, "server_error"),
        (400, false, false, "refused"),
        (401, false, false, "refused"),
        (403, false, false, "refused"),
        (408, false, false, "refused"),
        (422, false, false, "refused"),
        (302, false, false, "refused"),
        (204, false, false, "refused"),
    ] {
        let mut server = Upstream::status(status).await;
        let failure = connect(&at_ollama(&server.url)).stream(&ask()).await;
        let failure = failure.unwrap_err();
        let expected = Failure::Status {
            backend: "ollama",
            status,
            retry_after: None,
        };
        assert_eq!(failure, expected);
        assert_eq!(failure.backend(), "ollama");
        assert_eq!(failure.may_retry(), retry, "{status}");
        assert_eq!(failure.counts_against_breaker(), breaker, "{status}");
        assert_eq!(failure.word(), word, "{status}");
        assert!(failure.to_string().contains(&status.to_string()));
        assert!(!format!("{failure:?} {failure}").contains("secret"));
        server.asked.recv().await.unwrap();
        assert!(server.asked.try_recv().is_err(), "one attempt");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let mut elsewhere = Upstream::saying("{}").await;
    let location = elsewhere.url.clone();
    let server = Upstream::answering(move |_| {
        let answer = Response::builder()
            .status(307)
            .header("location", &location)
            .body(Body::empty());
        async { answer.unwrap() }
    })
    .await;
    let failure = connect(&at_ollama(&server.url)).stream(&ask()).await;
    assert!(failure.unwrap_err().to_string().contains("redirect"));
    assert!(elsewhere.asked.try_recv().is_err());
}

#[tokio::test]
async fn configuration_is_neither_tried_again_nor_held_against_the_server() {
    let server = Upstream::status(404).await;
    let failure = connect(&at_ollama(&server.url)).stream(&ask()).await;
    let unknown = failure.unwrap_err();
    assert_eq!(unknown.word(), "unknown_model");
    let remote = connect(&at_ollama("https://models.example.org"));
    let remote = remote.stream(&ask()).await.unwrap_err();
    assert_eq!(remote.word(), "remote_not_acknowledged");
    for failure in [unknown, remote] {
        assert!(!failure.may_retry() && !failure.counts_against_breaker());
        assert_eq!(failure.retry_after(), None);
        assert_eq!(failure.backend(), "ollama");
    }
}

#[tokio::test]
async fn nobody_listens() {
    let failure = connect(&at_ollama(&nobody().await)).stream(&ask()).await;
    let failure = failure.unwrap_err();
    assert_eq!(failure, Failure::Unreachable { backend: "ollama" });
    assert!(failure.may_retry() && failure.counts_against_breaker());
    assert_eq!(failure.word(), "unreachable");
}

#[tokio::test]
async fn something_else_listens() {
    let server = Upstream::raw("SSH-2.0-OpenSSH_9.9\r\n").await;
    let failure = connect(&at_ollama(&server.url)).stream(&ask()).await;
    let failure = failure.unwrap_err();
    let expected = Failure::Answer {
        backend: "ollama",
        status: None,
        problem: Problem::NoHttp,
    };
    assert_eq!(failure, expected);
    assert!(!failure.may_retry());
}

#[tokio::test]
async fn retry_after_is_read_in_both_forms_and_bounded() {
    let date = "Wed, 21 Oct 2015 07:28:00 GMT";
    for (status, retry_after, date, expected) in [
        (429, "7", None, Some(7)),
        (503, " 0 ", None, Some(0)),
        (429, "3601", None, Some(3600)),
        (429, "99999999999999999999999999", None, Some(3600)),
        (429, "Wed, 21 Oct 2015 07:28:30 GMT", Some(date), Some(30)),
        // The two older forms of a date.
        (
            429,
            "Wednesday, 21-Oct-15 07:29:00 GMT",
            Some(date),
            Some(60),
        ),
        (429, "Wed Oct 21 07:28:05 2015", Some(date), Some(5)),
        (429, "Thu, 22 Oct 2015 07:28:00 GMT", Some(date), Some(3600)),
        (429, "Wed, 21 Oct 2015 07:27:00 GMT", Some(date), Some(0)),
        // Our clock says nothing about the server's.
        (429, "Wed, 21 Oct 2015 07:28:30 GMT", Some("today"), None),
        (429, "-1", None, None),
        (429, "1.5", None, None),
        (429, "soon", None, None),
        (429, "", None, None),
    ] {
        let server = Upstream::answering(move |_| async move {
            let mut answer = Response::builder()
                .status(status)
                .header("retry-after", retry_after);
            if let Some(date) = date {
                answer = answer.header("date", date);
            }
            answer.body(Body::empty()).unwrap()
        })
        .await;
        let failure = connect(&at_ollama(&server.url)).stream(&ask()).await;
        let told = failure.unwrap_err().retry_after();
        assert_eq!(told, expected.map(Duration::from_secs), "{retry_after}");
    }
}
