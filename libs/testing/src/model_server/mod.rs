//! A model server that is none: it answers as OpenAI's, OpenAI-compatible and Ollama's servers do, after a service time
//! of one's choice, counts what runs at once, and fails in scripted ways.
//!
//! | path | what it is |
//! | --- | --- |
//! | `POST /v1/chat/completions`, `/v1/responses`, `/v1/embeddings` | OpenAI's, each with and without `stream` where it has one |
//! | `POST /api/chat`, `/api/embed`, `GET /api/tags` | Ollama's |
//! | `GET /control/statistics` | [`Statistics`] as JSON |
//! | `DELETE /control/statistics` | begins to count anew |
//! | `PUT /control/settings` | new [`Settings`] as JSON; what is left out is as in [`Settings::default`] |
//!
//! [`ModelServer`] runs in the process that asks for it; the binary `model-server` of the end-to-end tests is the same as
//! a process of its own, so that its CPU time can be told from others'.

mod answer;
mod body;
mod fault;
mod serve;
mod service_time;
mod settings;
mod socket;
mod statistics;
mod wire;

use std::{io, net::SocketAddr, sync::Arc};

use tokio::{net::TcpListener, task::JoinHandle};

pub use fault::{Fault, UnknownFault};
pub use service_time::ServiceTime;
pub use settings::{Mix, Settings};
pub use statistics::{Load, Statistics};

use serve::Server;

/// A running model server. It ends, and with it every connection to it, when the value is dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    server: Arc<Server>,
    accepting: JoinHandle<()>,
}

impl ModelServer {
    /// Starts one on a free port of 127.0.0.1, in the runtime of the caller.
    ///
    /// # Errors
    ///
    /// If no port is free.
    pub async fn start(settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let server = Arc::new(Server::new(settings));
        let accepting = tokio::spawn(serve::accept(listener, Arc::clone(&server)));
        Ok(Self {
            address,
            server,
            accepting,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its base address, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it has seen.
    pub fn statistics(&self) -> Statistics {
        self.server.statistics()
    }

    /// Begins to count anew. Calls that run stay counted as running.
    pub fn reset_statistics(&self) {
        self.server.reset_statistics();
    }

    /// Changes how the calls from now on are answered; its script and its seeds begin anew.
    pub fn set(&self, settings: Settings) {
        self.server.set(settings);
    }

    /// Serves until the process ends.
    pub async fn serve_for_ever(mut self) {
        // It ends only if it is aborted, and then there is nothing more to do.
        let _ = (&mut self.accepting).await;
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
