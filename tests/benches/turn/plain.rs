//! The plain FastAPI turn of tests/python/plain_turn.py: its process, and those who ask it.

use std::{
    net::SocketAddr,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{
    Request, StatusCode,
    client::conn::http1::{SendRequest, handshake},
    header::{CONTENT_TYPE, HOST},
};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpStream;
use turnwise_tests::{
    process::{Process, Program, repository},
    student::fresh_key,
};

use crate::{load::Worker, script::MESSAGES};

/// How long it may take until it takes calls.
const START_BOUND: Duration = Duration::from_secs(60);
/// What the script imports.
const IMPORTS: &str = "import fastapi, uvicorn, yaml";

/// Starts it with this Python. `None`: it is left out, which is said.
pub fn start(python: &Path, home: &Path) -> Option<(SocketAddr, Process)> {
    let python = std::path::absolute(python).unwrap();
    let mut imports = Command::new(&python);
    imports.args(["-c", IMPORTS]).stderr(Stdio::null());
    if !imports.status().is_ok_and(|status| status.success()) {
        println!(
            "the plain FastAPI turn is LEFT OUT: {} cannot do `{IMPORTS}`; scripts/requirements.txt has what it needs",
            python.display()
        );
        return None;
    }
    let process = Process::spawn(&Program {
        name: python.display().to_string().leak(),
        // The name is an absolute path.
        folder: Some("/".into()),
        args: vec![
            repository().join("tests/python/plain_turn.py").into(),
            "0".into(),
        ],
        env: Vec::new(),
        home: home.to_owned(),
    });
    let address = |line: &str| {
        let (_, url) = line.split_once("running on http://")?;
        url.split_whitespace().next()?.parse().ok()
    };
    let address = process.log().wait_for(START_BOUND, address);
    let address = address.unwrap_or_else(|| panic!("{}", process.log().all().join("\n")));
    Some((address, process))
}

/// One who asks it, over a connection that stays open, in threads as long as a student's.
pub struct Asker {
    host: String,
    sender: SendRequest<Full<Bytes>>,
    thread_id: String,
    taken: usize,
}

impl Asker {
    /// Opens the connection.
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
        // It ends with its sender.
        tokio::spawn(connection);
        Self {
            host: address.to_string(),
            sender,
            thread_id: String::new(),
            taken: 0,
        }
    }
}

impl Worker for Asker {
    async fn prepare(&mut self, _: usize) {}

    async fn turn(&mut self) -> String {
        let said = self.taken % MESSAGES.len();
        if said == 0 {
            self.thread_id = fresh_key();
        }
        self.taken += 1;
        let body = json!({"thread_id": self.thread_id, "text": MESSAGES[said]});
        let request = Request::post("/turn")
            .header(HOST, &self.host)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::from(body.to_string()))
            .unwrap();
        self.sender.ready().await.unwrap();
        let response = self.sender.send_request(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(!body.is_empty());
        String::new()
    }
}
