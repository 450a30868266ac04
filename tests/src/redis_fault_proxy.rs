//! A fault-injecting proxy between a service and a Redis server that strikes at a chosen byte of a chosen command: it lets so much of
//! the command or of its reply pass and nothing after it, on whatever connection.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    ops::ControlFlow,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::BytesMut;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{oneshot, watch},
    task::JoinHandle,
};

use crate::{precise_wait::wait_exactly, resp};

/// Where the proxy strikes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Point {
    /// Before the first byte of the command has passed.
    Before,
    /// After this share of the command.
    InCommand(f64),
    /// After the whole command: Redis runs it, and nobody reads the reply.
    AfterCommand,
    /// After this share of the reply.
    InReply(f64),
    /// So long after the whole reply.
    AfterReply(Duration),
}

impl Point {
    /// Whether Redis gets the whole command.
    pub fn is_run(self) -> bool {
        !matches!(self, Self::Before | Self::InCommand(_))
    }
}

/// The proxy. It ends with the value.
pub struct RedisFaultProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    trap: Mutex<Option<Trap>>,
    /// Changes with each strike: connections of before carry nothing any more.
    strikes: watch::Sender<u64>,
}

struct Trap {
    marker: Vec<u8>,
    point: Point,
    strike: Box<dyn FnOnce() + Send>,
    done: oneshot::Sender<()>,
}

impl RedisFaultProxy {
    /// A proxy to the server on this port of 127.0.0.1.
    pub async fn start(server: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let for_connections = Arc::clone(&shared);
        let accepting = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let shared = Arc::clone(&for_connections);
                tokio::spawn(async move {
                    // Either side may be gone at any time; then so is the connection.
                    let _ = Connection::new(client, server, shared).await?.carry().await;
                    io::Result::Ok(())
                });
            }
        });
        Self {
            address,
            shared,
            accepting,
        }
    }

    /// The proxy as services name it in their settings.
    pub fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    /// Waits for the first command that holds these bytes, and calls `strike` at this point of it. What is returned
    /// resolves when `strike` has returned, once Redis has run what it was to get of the command.
    pub fn strike_at(
        &self,
        marker: &str,
        point: Point,
        strike: impl FnOnce() + Send + 'static,
    ) -> oneshot::Receiver<()> {
        let (done, struck) = oneshot::channel();
        let trap = Trap {
            marker: marker.as_bytes().to_vec(),
            point,
            strike: Box::new(strike),
            done,
        };
        *self.shared.trap.lock().unwrap() = Some(trap);
        struck
    }
}

impl Drop for RedisFaultProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Shared {
    /// The trap, if it waits for this command.
    fn sprung_by(&self, command: &[u8]) -> Option<Trap> {
        let mut trap = self.trap.lock().unwrap();
        trap.take_if(|trap| {
            command
                .windows(trap.marker.len())
                .any(|bytes| bytes == trap.marker)
        })
    }

    fn strike(&self, strike: Box<dyn FnOnce() + Send>) {
        self.strikes.send_modify(|strikes| *strikes += 1);
        strike();
    }
}

/// One connection of the service.
struct Connection {
    client: TcpStream,
    server: TcpStream,
    shared: Arc<Shared>,
    /// What came and is not whole yet.
    from_client: BytesMut,
    from_server: BytesMut,
    commands: u64,
    replies: u64,
    /// The number of the command whose reply is waited for.
    reply_to: Option<(u64, Trap)>,
}

impl Connection {
    async fn new(client: TcpStream, server: u16, shared: Arc<Shared>) -> io::Result<Self> {
        let server = TcpStream::connect((Ipv4Addr::LOCALHOST, server)).await?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        Ok(Self {
            client,
            server,
            shared,
            from_client: BytesMut::new(),
            from_server: BytesMut::new(),
            commands: 0,
            replies: 0,
            reply_to: None,
        })
    }

    /// Carries whole commands and replies, until either side is gone or the proxy has struck.
    async fn carry(mut self) -> io::Result<()> {
        let mut strikes = self.shared.strikes.subscribe();
        loop {
            tokio::select! {
                biased;
                _ = strikes.changed() => return Ok(()),
                read = self.client.read_buf(&mut self.from_client) => {
                    if read? == 0 || self.pass_commands().await?.is_break() {
                        return Ok(());
                    }
                }
                read = self.server.read_buf(&mut self.from_server) => {
                    if read? == 0 || self.pass_replies().await?.is_break() {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn pass_commands(&mut self) -> io::Result<ControlFlow<()>> {
        while let Some(length) = resp::first_frame(&self.from_client) {
            let command = self.from_client.split_to(length);
            self.commands += 1;
            let Some(trap) = self.shared.sprung_by(&command) else {
                self.server.write_all(&command).await?;
                continue;
            };
            match trap.point {
                Point::Before => self.shared.strike(trap.strike),
                Point::InCommand(share) => {
                    self.server.write_all(part(&command, share)).await?;
                    self.shared.strike(trap.strike);
                }
                Point::AfterCommand => {
                    self.server.write_all(&command).await?;
                    self.shared.strike(trap.strike);
                    while self.replies < self.commands {
                        if self.whole_reply().is_none()
                            && self.server.read_buf(&mut self.from_server).await? == 0
                        {
                            break;
                        }
                    }
                }
                Point::InReply(_) | Point::AfterReply(_) => {
                    self.server.write_all(&command).await?;
                    self.reply_to = Some((self.commands, trap));
                    continue;
                }
            }
            let _ = trap.done.send(());
            return Ok(ControlFlow::Break(()));
        }
        Ok(ControlFlow::Continue(()))
    }

    async fn pass_replies(&mut self) -> io::Result<ControlFlow<()>> {
        while let Some(reply) = self.whole_reply() {
            let awaited = |trap: &mut (u64, Trap)| trap.0 == self.replies && !resp::is_push(&reply);
            let Some((_, trap)) = self.reply_to.take_if(awaited) else {
                self.client.write_all(&reply).await?;
                continue;
            };
            match trap.point {
                Point::InReply(share) => self.client.write_all(part(&reply, share)).await?,
                Point::AfterReply(time) => {
                    self.client.write_all(&reply).await?;
                    tokio::task::spawn_blocking(move || wait_exactly(time)).await?;
                }
                _ => {}
            }
            self.shared.strike(trap.strike);
            let _ = trap.done.send(());
            return Ok(ControlFlow::Break(()));
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The next reply that is there as a whole, counted.
    fn whole_reply(&mut self) -> Option<BytesMut> {
        let length = resp::first_frame(&self.from_server)?;
        let reply = self.from_server.split_to(length);
        if !resp::is_push(&reply) {
            self.replies += 1;
        }
        Some(reply)
    }
}

fn part(bytes: &[u8], share: f64) -> &[u8] {
    let length = (bytes.len() as f64 * share) as usize;
    &bytes[..length.clamp(1, bytes.len() - 1)]
}
