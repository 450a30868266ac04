//! What stands on the admin port.

use std::net::SocketAddr;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Status code and body of a path on the admin port.
pub async fn get(admin: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(admin).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {admin}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

/// How many calls of a method ended with a code, as `/metrics` says.
pub async fn handled(admin: SocketAddr, method: &str, code: &str) -> u64 {
    let (status, metrics) = get(admin, "/metrics").await;
    assert_eq!(status, 200);
    metrics
        .lines()
        .filter(|line| line.starts_with("rpc_server_handled_total{"))
        .filter(|line| line.contains(&format!("method=\"{method}\"")))
        .find(|line| line.contains(&format!("code=\"{code}\"")))
        .map_or(0, |line| line.rsplit(' ').next().unwrap().parse().unwrap())
}
