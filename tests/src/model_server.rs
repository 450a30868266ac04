//! The model server as a process of its own, so that its CPU time can be told from others'.

use std::{net::SocketAddr, path::Path};

use serde::{Serialize, de::DeserializeOwned};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use turnwise_testing::model_server::{Settings, Statistics};

use crate::process::{Process, Program};

/// A running model server. It ends when the value is dropped.
pub struct ModelServerProcess {
    process: Process,
    address: SocketAddr,
}

impl ModelServerProcess {
    /// Starts one with these settings, which works in `home`.
    pub fn start(settings: &Settings, home: &Path) -> Self {
        let process = Process::spawn(&Program {
            name: "model-server",
            folder: None,
            args: vec![serde_json::to_string(settings).unwrap().into()],
            env: Vec::new(),
            home: home.to_owned(),
        });
        let address = process.listening().address;
        Self { process, address }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its base address, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// The process.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// What it has seen.
    pub async fn statistics(&self) -> Statistics {
        self.control("GET", "/control/statistics", &()).await
    }

    /// It begins to count anew.
    pub async fn reset_statistics(&self) {
        self.exchange("DELETE", "/control/statistics", &()).await;
    }

    /// Changes how calls are answered from now on.
    pub async fn set(&self, settings: &Settings) {
        self.exchange("PUT", "/control/settings", settings).await;
    }

    async fn control<T: DeserializeOwned>(&self, method: &str, path: &str, body: &()) -> T {
        let answer = self.exchange(method, path, body).await;
        serde_json::from_str(&answer).unwrap()
    }

    async fn exchange(&self, method: &str, path: &str, body: &impl Serialize) -> String {
        let body = serde_json::to_string(body).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(
            head.starts_with("HTTP/1.1 200 "),
            "{method} {path}: {answer}"
        );
        body.to_owned()
    }
}
