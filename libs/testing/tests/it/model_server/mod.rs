//! The model server speaks the protocols, counts, and fails as it is told.

mod counts;
mod faults;
mod protocols;

use std::{io, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use turnwise_testing::model_server::{ModelServer, Settings, Statistics};

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
