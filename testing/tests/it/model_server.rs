//! The model server speaks the protocols, counts, and fails as it is told.

use std::{io, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use turnwise_testing::{
    choices::Choices,
    model_server::{Fault, Mix, ModelServer, ServiceTime, Settings, Statistics},
};

/// Longer than anything here takes on a slow machine.
const BOUND: Duration = Duration::from_secs(20);

/// An answer as it came.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    /// Without the frames of chunks.
    body: String,
    /// Whether all came that was announced.
    whole: bool,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The data of server-sent events.
    fn events(&self) -> Vec<Value> {
        let data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        data.filter(|data| *data != "[DONE]")
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }
}

async fn send(server: &ModelServer, method: &str, path: &str, body: &Value) -> TcpStream {
    let body = body.to_string();
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: model\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

async fn ask(server: &ModelServer, method: &str, path: &str, body: &Value) -> io::Result<Answer> {
    let mut stream = send(server, method, path, body).await;
    let mut bytes = Vec::new();
    tokio::time::timeout(BOUND, stream.read_to_end(&mut bytes))
        .await
        .unwrap()?;
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let head = head.to_lowercase();
    let announced = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map(|length| length.parse::<usize>().unwrap());
    let (body, whole) = match announced {
        Some(length) => (body.to_owned(), body.len() == length),
        None => unchunked(body),
    };
    Ok(Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head,
        body,
        whole,
    })
}

fn unchunked(mut rest: &str) -> (String, bool) {
    let mut body = String::new();
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            return (body, true);
        }
        body.push_str(&after[..length]);
        rest = &after[length + 2..];
    }
    (body, false)
}

async fn post(server: &ModelServer, path: &str, body: Value) -> io::Result<Answer> {
    ask(server, "POST", path, &body).await
}

async fn server(settings: Settings) -> ModelServer {
    ModelServer::start(settings).await.unwrap()
}

fn chat(model: &str, stream: bool) -> Value {
    json!({"model": model, "stream": stream, "messages": [{"role": "user", "content": "hi \"there\""}]})
}

/// Looks until the statistics are as they should be: the server tells nobody of a caller that went away.
async fn until(server: &ModelServer, right: impl Fn(&Statistics) -> bool) {
    let looking = async {
        while !right(&server.statistics()) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let in_time = tokio::time::timeout(BOUND, looking).await;
    in_time.unwrap_or_else(|_| panic!("{:?}", server.statistics()));
}

#[tokio::test]
async fn chat_completions() {
    let server = server(Settings::default()).await;
    let text = Settings::default().text;
    let whole = post(&server, "/v1/chat/completions", chat("a \"model\"", false))
        .await
        .unwrap();
    assert_eq!(whole.json()["choices"][0]["message"]["content"], text);
    assert_eq!(whole.json()["model"], "a \"model\"");
    assert_eq!(whole.json()["usage"]["completion_tokens"], 8);

    let stream = post(&server, "/v1/chat/completions", chat("m", true))
        .await
        .unwrap();
    assert!(
        stream.head.contains("content-type: text/event-stream"),
        "{}",
        stream.head
    );
    assert!(stream.body.ends_with("data: [DONE]\n\n"));
    let events = stream.events();
    let deltas: Vec<&str> = events
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str())
        .collect();
    // The first one brings the role alone.
    assert_eq!(deltas.len(), 9);
    assert_eq!(deltas.concat(), text);
    let last = &events[events.len() - 1];
    assert_eq!(last["usage"]["total_tokens"], 33);
    assert_eq!(
        events[events.len() - 2]["choices"][0]["finish_reason"],
        "stop"
    );
}

#[tokio::test]
async fn responses() {
    let server = server(Settings {
        pieces: 3,
        ..Settings::default()
    })
    .await;
    let text = Settings::default().text;
    let whole = post(
        &server,
        "/v1/responses",
        json!({"model": "m", "input": "hi"}),
    )
    .await
    .unwrap();
    assert_eq!(whole.json()["output"][0]["content"][0]["text"], text);
    assert_eq!(whole.json()["status"], "completed");

    let ask = json!({"model": "m", "input": [{"role": "user", "content": "hi"}], "stream": true});
    let stream = post(&server, "/v1/responses", ask).await.unwrap();
    let events = stream.events();
    let kinds: Vec<_> = events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    let delta = "response.output_text.delta";
    assert_eq!(
        kinds,
        [
            "response.created",
            delta,
            delta,
            delta,
            "response.completed"
        ]
    );
    let deltas: String = events
        .iter()
        .filter_map(|event| event["delta"].as_str())
        .collect();
    assert_eq!(deltas, text);
    assert_eq!(events[4]["response"]["usage"]["output_tokens"], 3);
}

#[tokio::test]
async fn ollama() {
    let server = server(Settings {
        pieces: 2,
        ..Settings::default()
    })
    .await;
    let text = Settings::default().text;
    // Ollama streams unless it is told not to.
    let stream = post(&server, "/api/chat", json!({"model": "m", "messages": []}))
        .await
        .unwrap();
    let lines: Vec<Value> = stream
        .body
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let content: String = lines
        .iter()
        .filter_map(|line| line["message"]["content"].as_str())
        .collect();
    assert_eq!((lines.len(), content), (3, text.clone()));
    assert_eq!(lines[2]["done"], true);
    assert_eq!(lines[2]["eval_count"], 2);
    let whole = post(&server, "/api/chat", chat("m", false)).await.unwrap();
    assert_eq!(whole.json()["message"]["content"], text);

    let tags = ask(&server, "GET", "/api/tags", &json!(null))
        .await
        .unwrap();
    assert_eq!(tags.json()["models"][0]["name"], "llama3.2:1b");
    let embedded = post(
        &server,
        "/api/embed",
        json!({"model": "m", "input": ["a", "b"]}),
    )
    .await;
    assert_eq!(
        embedded.unwrap().json()["embeddings"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn embeddings_good_and_wrong() {
    let server = server(Settings {
        dimensions: 3,
        ..Settings::default()
    })
    .await;
    let vectors = async |model: &str, input: Value| {
        let answer = post(
            &server,
            "/v1/embeddings",
            json!({"model": model, "input": input}),
        )
        .await;
        let data = answer.unwrap().json()["data"].as_array().unwrap().clone();
        data.into_iter()
            .map(|one| one["embedding"].clone())
            .collect::<Vec<_>>()
    };
    let inputs = || json!(["a", "b"]);
    assert_eq!(
        vectors("m", inputs()).await,
        [json!([1.0, 0.0, 0.0]), json!([0.0, 1.0, 0.0])]
    );
    assert_eq!(vectors("m", json!("a")).await.len(), 1);
    assert_eq!(vectors("fault:embeddings_missing", inputs()).await.len(), 1);
    assert_eq!(
        vectors("fault:embeddings_uneven", inputs()).await[1],
        json!([0.0, 1.0])
    );
    assert_eq!(
        vectors("fault:embeddings_null", inputs()).await[1],
        json!([null, 1.0, 0.0])
    );
    let seen = server.statistics();
    assert_eq!((seen.embeddings.ended, seen.completions.begun), (5, 0));
    assert_eq!(seen.faults.len(), 3);
}

#[tokio::test]
async fn failures_with_a_status() {
    let server = server(Settings::default()).await;
    for (model, status, retry_after) in [
        ("fault:429", 429, None),
        ("fault:429:7", 429, Some("retry-after: 7")),
        ("fault:500", 500, None),
    ] {
        let answer = post(&server, "/v1/chat/completions", chat(model, true))
            .await
            .unwrap();
        assert_eq!(answer.status, status);
        assert!(answer.json()["error"]["message"].is_string());
        let given = answer
            .head
            .lines()
            .find(|line| line.starts_with("retry-after"));
        assert_eq!(given, retry_after);
    }
    let ollama = post(&server, "/api/chat", chat("fault:500", true))
        .await
        .unwrap();
    assert!(ollama.json()["error"].is_string());
    for (path, body) in [("/v1/chat/completions", json!([])), ("/nowhere", json!({}))] {
        assert!((400..500).contains(&post(&server, path, body).await.unwrap().status));
    }
}

#[tokio::test]
async fn answers_that_break_off() {
    let server = server(Settings::default()).await;
    for stream in [true, false] {
        let reset = post(&server, "/v1/chat/completions", chat("fault:reset", stream)).await;
        assert_eq!(reset.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        let midway = post(
            &server,
            "/v1/chat/completions",
            chat("fault:reset_midway", stream),
        )
        .await;
        assert_eq!(midway.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        let early = post(
            &server,
            "/v1/chat/completions",
            chat("fault:early_close", stream),
        )
        .await;
        let early = early.unwrap();
        assert!(!early.whole && !early.body.is_empty(), "{early:?}");
        let odd = post(
            &server,
            "/v1/chat/completions",
            chat("fault:malformed", stream),
        )
        .await;
        let odd = odd.unwrap();
        assert!(odd.whole);
        let bad = match stream {
            true => odd
                .body
                .lines()
                .filter_map(|line| line.strip_prefix("data: "))
                .any(|data| data != "[DONE]" && serde_json::from_str::<Value>(data).is_err()),
            false => serde_json::from_str::<Value>(&odd.body).is_err(),
        };
        assert!(bad, "{odd:?}");
    }
    let seen = server.statistics().completions;
    assert_eq!((seen.begun, seen.ended, seen.in_flight), (8, 8, 0));
}

#[tokio::test]
async fn long_and_slow_answers_are_whole() {
    let server = server(Settings {
        trickle_ms: 0,
        ..Settings::default()
    })
    .await;
    for stream in [true, false] {
        let large = post(&server, "/v1/chat/completions", chat("fault:large", stream))
            .await
            .unwrap();
        assert!(large.whole && large.body.len() >= 1_000_000);
        let usual = post(&server, "/v1/chat/completions", chat("m", stream))
            .await
            .unwrap();
        let slow = post(
            &server,
            "/v1/chat/completions",
            chat("fault:trickle", stream),
        )
        .await
        .unwrap();
        assert_eq!(slow.body, usual.body.replace("\"m\"", "\"fault:trickle\""));
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_is_seen() {
    let server = server(Settings::default()).await;
    for (n, model) in ["fault:stall", "fault:stall_midway"]
        .into_iter()
        .enumerate()
    {
        let mut stream = send(&server, "POST", "/v1/chat/completions", &chat(model, true)).await;
        if model == "fault:stall_midway" {
            assert_ne!(stream.read_u8().await.unwrap(), 0);
        }
        until(&server, |seen| seen.completions.in_flight == 1).await;
        drop(stream);
        until(&server, |seen| seen.completions.cancelled == n as u64 + 1).await;
        assert_eq!(server.statistics().completions.in_flight, 0);
    }
}

#[tokio::test]
async fn calls_at_once_are_counted_and_so_is_their_time() {
    let time = Duration::from_millis(40);
    let settings = Settings {
        service_time: ServiceTime::constant(time),
        ..Settings::default()
    };
    let server = server(settings).await;
    for round in 1..=2 {
        let calls = (0..3).map(|n| post(&server, "/v1/chat/completions", chat("m", n == 0)));
        for answer in futures_util::future::join_all(calls).await {
            assert!(answer.unwrap().whole);
        }
        let seen = server.statistics().completions;
        assert_eq!(
            (seen.begun, seen.ended, seen.max_in_flight),
            (3 * round, 3 * round, 3)
        );
    }
    let seen = server.statistics().completions;
    let three = seen.seconds_with(3);
    assert!(three <= seen.seconds_with(1) && seen.seconds_with(1) >= 2.0 * time.as_secs_f64());
    // From the first begin of the first round to the last one of the second, it had at most three to do.
    let busy = seen.busy_between_begins(3).unwrap();
    assert!(busy > 0.0 && busy <= 1.0, "{busy}");

    server.reset_statistics();
    assert_eq!(server.statistics(), Statistics::default());
    assert_eq!(server.statistics().completions.busy_between_begins(3), None);
}

#[tokio::test]
async fn a_script_comes_before_the_mix_and_a_seed_repeats_it() {
    let mix = Settings {
        script: vec![
            "500".parse().unwrap(),
            Fault::None,
            "429:3".parse().unwrap(),
        ],
        mix: Some(Mix {
            share: 0.5,
            faults: vec![Fault::InternalError, Fault::TooManyRequests(None)],
        }),
        seed: 7,
        ..Settings::default()
    };
    let server = server(Settings::default()).await;
    let mut rounds = Vec::new();
    for _ in 0..2 {
        let set = ask(
            &server,
            "PUT",
            "/control/settings",
            &serde_json::to_value(&mix).unwrap(),
        )
        .await;
        assert_eq!(set.unwrap().status, 200);
        let mut statuses = Vec::new();
        for _ in 0..43 {
            statuses.push(
                post(&server, "/api/chat", chat("m", false))
                    .await
                    .unwrap()
                    .status,
            );
        }
        assert_eq!(statuses[..3], [500, 200, 429]);
        let good = statuses[3..]
            .iter()
            .filter(|status| **status == 200)
            .count();
        assert!((8..32).contains(&good), "{statuses:?}");
        rounds.push(statuses);
    }
    assert_eq!(rounds[0], rounds[1]);

    let told = ask(&server, "GET", "/control/statistics", &json!(null))
        .await
        .unwrap();
    let told: Statistics = serde_json::from_str(&told.body).unwrap();
    assert_eq!(told.faults, server.statistics().faults);
    assert_eq!(told.completions.begun, 86);
    let forgotten = ask(&server, "DELETE", "/control/statistics", &json!(null))
        .await
        .unwrap();
    assert_eq!(
        (forgotten.status, server.statistics().completions.begun),
        (200, 0)
    );
    let odd = ask(&server, "PUT", "/control/settings", &json!({"slots": 2}))
        .await
        .unwrap();
    assert_eq!(odd.status, 400);
}

#[test]
fn every_fault_has_a_word() {
    for word in [
        "none",
        "reset",
        "stall_midway",
        "429",
        "429:12",
        "500",
        "embeddings_null",
    ] {
        assert_eq!(word.parse::<Fault>().unwrap().to_string(), word);
    }
    for word in ["", "429:", "429:soon", "fault:500"] {
        word.parse::<Fault>().unwrap_err();
    }
}

#[test]
fn service_times_are_distributed_as_they_are_named() {
    let mut choices = Choices::new(3);
    for (times, mean) in [
        (ServiceTime::Constant { ms: 8.0 }, 8.0),
        (
            ServiceTime::Uniform {
                from_ms: 4.0,
                to_ms: 8.0,
            },
            6.0,
        ),
        (ServiceTime::Exponential { mean_ms: 5.0 }, 5.0),
    ] {
        let drawn: Vec<f64> = (0..20_000)
            .map(|_| times.draw(&mut choices).as_secs_f64() * 1000.0)
            .collect();
        let seen = drawn.iter().sum::<f64>() / drawn.len() as f64;
        assert!((seen - mean).abs() < 0.1, "{times:?}: {seen}");
    }
}
