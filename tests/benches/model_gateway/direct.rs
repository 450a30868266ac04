//! Calls straight to the model server, over a connection that stays open.

use std::net::SocketAddr;

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

/// A connection to the model server.
pub struct Direct {
    host: String,
    sender: SendRequest<Full<Bytes>>,
}

impl Direct {
    /// Opens it.
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
        // It ends with its sender.
        tokio::spawn(connection);
        Self {
            host: address.to_string(),
            sender,
        }
    }

    /// Asks for a completion and reads the whole answer.
    pub async fn chat(&mut self, system: &str, user: &str, stream: bool) {
        let mut body = json!({
            "model": "model",
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            "stream": stream,
            "max_tokens": 400,
        });
        if stream {
            body["stream_options"] = json!({"include_usage": true});
        }
        let request = Request::post("/v1/chat/completions")
            .header(HOST, &self.host)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::from(body.to_string()))
            .unwrap();
        self.sender.ready().await.unwrap();
        let response = self.sender.send_request(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(!body.is_empty());
    }
}
