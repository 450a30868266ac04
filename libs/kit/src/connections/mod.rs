//! Connections: taken in, held while they are of use, and ended when they are not.
//!
//! | a peer that | ends |
//! | --- | --- |
//! | has not finished TLS, the preface and one request's headers | when `proof` is over: at once before the preface, and politely after it |
//! | has, and makes no call | politely, when `idle` is over; at once if its place is needed |
//! | does not answer pings | after [`PING_EVERY`] and [`PING_ANSWER`] |
//!
//! No option of the HTTP server bounds the first, so the accept loop, TLS and the connection's task are ours.

mod places;

use std::{
    convert::Infallible, future::Future, io::ErrorKind, net::SocketAddr, pin::pin, sync::Arc,
    time::Duration,
};

use axum::{Router, body::Body};
use http::{
    HeaderValue, Request, Response, StatusCode, Version,
    header::{CACHE_CONTROL, CONNECTION},
};
use http_body_util::BodyExt;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    time::{Instant, sleep, timeout},
};
use tonic::transport::server::TcpConnectInfo;
use tower::Service;

use crate::{
    CancellationToken, TaskTracker,
    metrics::{ConnectionMetrics, Ended},
    stack::{MAX_HEADER_LIST, OpenMethods, refuse_full},
    tls::Tls,
};
use places::{Place, Places};

/// How often a peer is asked whether it is still there, and how long it may take to answer.
const PING_EVERY: Duration = Duration::from_secs(30);
const PING_ANSWER: Duration = Duration::from_secs(10);
/// The most streams that one connection has open: far more than a client of ours needs, and a bound for the others.
const MAX_STREAMS: u32 = 20_000;
/// How long an idle connection gets for its farewell.
const FAREWELL: Duration = Duration::from_secs(5);
/// How long a first request gets that is on its way when the site, or the time for it, ends.
const ARRIVAL: Duration = Duration::from_secs(1);
/// The pauses of an accept loop that gets no file for a connection.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How often it says so.
const COMPLAIN_EVERY: Duration = Duration::from_secs(10);

/// How many connections a listener holds, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Time from the first packet to the end of the first request's headers.
    pub proof: Duration,
    /// Time without a call after which a connection is ended.
    pub idle: Duration,
    /// The most connections, in all.
    pub most: usize,
    /// The most connections from one address that have not proved themselves. Proved ones are not counted by address: a
    /// school stands behind one.
    pub unproved_per_address: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            proof: Duration::from_secs(5),
            idle: Duration::from_secs(900),
            most: 10_000,
            unproved_per_address: 128,
        }
    }
}

impl ConnectionLimits {
    /// The limits of an admin port beside a listener with these: it has few visitors.
    #[must_use]
    pub fn for_admin(self) -> Self {
        Self { most: 32, ..self }
    }

    /// A quarter of all places are for those that still have to prove themselves.
    fn unproved(&self) -> usize {
        (self.most / 4).max(1)
    }

    fn proved(&self) -> usize {
        self.most.saturating_sub(self.unproved()).max(1)
    }
}

/// What a listener speaks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Protocol {
    /// gRPC, over HTTP/2.
    Grpc,
    /// The admin port's HTTP/1, where nothing counts as use.
    Admin,
}

/// A socket and what is served there.
pub(crate) struct Site {
    pub(crate) listener: TcpListener,
    pub(crate) protocol: Protocol,
    /// Our certificates, and whether clients must show one.
    pub(crate) tls: Option<(Tls, bool)>,
    pub(crate) router: Router,
    pub(crate) limits: ConnectionLimits,
    pub(crate) metrics: ConnectionMetrics,
}

/// A site that is being served.
pub(crate) struct Serving {
    tasks: TaskTracker,
    cut: CancellationToken,
}

/// What the connections of a site share.
struct Shared {
    http: auto::Builder<TokioExecutor>,
    protocol: Protocol,
    tls: Option<(Tls, bool)>,
    router: Router,
    stop: CancellationToken,
    cut: CancellationToken,
}

/// Serves a site until `stop`: then whoever has come is taken in, the socket is closed, and every connection is told, and
/// ends when its calls have. In this order: who is told connects anew at once, and must not find the socket open.
pub(crate) fn serve(site: Site, stop: CancellationToken) -> Serving {
    let (tasks, cut) = (TaskTracker::new(), CancellationToken::new());
    let closed = CancellationToken::new();
    let places = Places::new(site.limits, site.metrics.clone());
    let shared = Arc::new(Shared {
        http: http(site.protocol, &site.limits),
        protocol: site.protocol,
        tls: site.tls,
        router: site.router,
        stop: closed.clone(),
        cut: cut.clone(),
    });
    let connections = tasks.clone();
    let mut door = Door::new(site.listener, site.metrics);
    tasks.spawn(async move {
        let take_in = |(socket, peer): (TcpStream, SocketAddr)| {
            let place = Arc::new(places.enter(peer.ip()));
            connections.spawn(Arc::clone(&shared).hold(socket, peer, place));
        };
        while let Some(came) = stop.run_until_cancelled(door.next()).await {
            take_in(came);
        }
        door.close().for_each(take_in);
        closed.cancel();
    });
    tasks.close();
    Serving { tasks, cut }
}

impl Serving {
    /// Waits for the end of all connections after `stop`; what has not ended by itself in this time is cut. Says whether
    /// all ended by themselves.
    pub(crate) async fn ended(self, within: Duration) -> bool {
        let all = tokio::time::timeout(within, self.tasks.wait())
            .await
            .is_ok();
        self.cut.cancel();
        self.tasks.wait().await;
        all
    }
}

fn http(protocol: Protocol, limits: &ConnectionLimits) -> auto::Builder<TokioExecutor> {
    let mut http = auto::Builder::new(TokioExecutor::new());
    http.http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle);
    http.http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_ANSWER)
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEADER_LIST);
    match protocol {
        // HTTP/1 is read, so that it can be told no; and so nothing is sent to a peer that has not sent the preface.
        Protocol::Grpc => http,
        Protocol::Admin => http.http1_only(),
    }
}

impl Shared {
    /// Holds a connection until it ends by itself or has to go.
    async fn hold(self: Arc<Self>, socket: TcpStream, peer: SocketAddr, place: Arc<Place>) {
        // Small answers leave at once. A socket that is gone already fails elsewhere.
        let _ = socket.set_nodelay(true);
        let from = TcpConnectInfo {
            local_addr: socket.local_addr().ok(),
            remote_addr: Some(peer),
        };
        let talk = async {
            let acceptor = self
                .tls
                .as_ref()
                .and_then(|(tls, mutual)| tls.acceptor(*mutual));
            let Some(acceptor) = acceptor else {
                return self.talk(socket, from, &place).await;
            };
            let accepted = tokio::select! {
                accepted = acceptor.accept(socket) => accepted,
                () = place.late() => return,
            };
            match accepted {
                Ok(stream) => self.talk(stream, from, &place).await,
                Err(error) => {
                    tracing::debug!(%error, "no TLS");
                    place.ended(Ended::Tls);
                }
            }
        };
        tokio::select! {
            () = place.lost() => {}
            () = self.cut.cancelled() => {}
            () = talk => {}
        }
    }

    async fn talk<IO>(&self, io: IO, from: TcpConnectInfo, place: &Arc<Place>)
    where
        IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = service_fn(|request| self.answer(request, from.clone(), place));
        let mut connection = pin!(self.http.serve_connection(TokioIo::new(io), service));
        // When the site ends, whoever waits for that has a farewell of its own.
        let farewell = tokio::select! {
            _ = connection.as_mut() => return,
            () = self.stops(place) => None,
            () = place.idle() => Some(FAREWELL),
            // Cut off, its first request could be lost on its way, and its client would not know whether it was begun.
            () = place.late() => Some(ARRIVAL),
        };
        connection.as_mut().graceful_shutdown();
        loop {
            tokio::select! {
                _ = connection.as_mut() => return,
                () = sleep(farewell.unwrap_or_default()), if farewell.is_some() => if !place.has_calls() { return },
            }
        }
    }

    /// Returns when a connection is to be told that the site ends: not before its first request, if that is on its way. The
    /// HTTP server drops what has not sent the preface without a word.
    async fn stops(&self, place: &Place) {
        self.stop.cancelled().await;
        let _ = timeout(ARRIVAL, place.proved()).await;
    }

    /// Answers one request, which counts as use of its connection until the last byte of the answer is handed over. Nothing
    /// between here and the caller may keep the answer, whatever it is.
    fn answer(
        &self,
        mut request: Request<Incoming>,
        from: TcpConnectInfo,
        place: &Arc<Place>,
    ) -> impl Future<Output = Result<Response<Body>, Infallible>> + Send + use<> {
        let use_of_place = match self.protocol {
            Protocol::Grpc if request.version() < Version::HTTP_2 => Err(no_grpc()),
            Protocol::Grpc if !OpenMethods::contains(request.uri().path()) => {
                place.call().map(Some).ok_or_else(refuse_full)
            }
            _ => {
                place.touch();
                Ok(None)
            }
        };
        request.extensions_mut().insert(from);
        let mut router = self.router.clone();
        async move {
            let mut response = match use_of_place {
                Ok(call) => router.call(request).await?.map(|body| {
                    Body::new(body.map_frame(move |frame| {
                        let _until_the_body_is_dropped = &call;
                        frame
                    }))
                }),
                Err(refusal) => refusal,
            };
            let no_store = HeaderValue::from_static("no-store");
            response.headers_mut().insert(CACHE_CONTROL, no_store);
            Ok(response)
        }
    }
}

/// The answer to HTTP/1, which proves nothing and ends the connection.
fn no_grpc() -> Response<Body> {
    let mut response = Response::new(Body::from("this port speaks gRPC, which needs HTTP/2\n"));
    *response.status_mut() = StatusCode::HTTP_VERSION_NOT_SUPPORTED;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// The accept loop's socket, and its patience.
struct Door {
    listener: TcpListener,
    metrics: ConnectionMetrics,
    complained: Option<Instant>,
}

impl Door {
    fn new(listener: TcpListener, metrics: ConnectionMetrics) -> Self {
        Self {
            listener,
            metrics,
            complained: None,
        }
    }

    /// Closes the socket behind those who stand there already: the system is asked, as the runtime may not have heard of them.
    fn close(self) -> impl Iterator<Item = (TcpStream, SocketAddr)> {
        let listener = self.listener.into_std().ok();
        std::iter::from_fn(move || {
            let (socket, peer) = listener.as_ref()?.accept().ok()?;
            socket.set_nonblocking(true).ok()?;
            Some((TcpStream::from_std(socket).ok()?, peer))
        })
    }

    /// The next connection. Where the process has no file left for it, it waits: to ask again at once would only spin.
    async fn next(&mut self) -> (TcpStream, SocketAddr) {
        let mut pause = FIRST_PAUSE;
        loop {
            let error = match self.listener.accept().await {
                Ok(accepted) => return accepted,
                Err(error) => error,
            };
            // The peer changed its mind.
            if matches!(
                error.kind(),
                ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted
            ) {
                continue;
            }
            self.metrics.ended(Ended::NotAccepted);
            if self
                .complained
                .is_none_or(|at| at.elapsed() >= COMPLAIN_EVERY)
            {
                self.complained = Some(Instant::now());
                tracing::warn!(%error, "connections cannot be accepted; if files ran out, raise the limit (ulimit -n) or lower MAX_CONNECTIONS");
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}
