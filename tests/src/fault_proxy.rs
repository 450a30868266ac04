//! A fault-injecting proxy in front of a service: calls pass as they are, until a test has those of a method answered with
//! garbage, or something done at the moment when one passes. It can keep what is asked.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
};

use axum::{Router, body::Body, extract::State};
use bytes::{BufMut, Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::{BodyExt, StreamBody};
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};
use tokio_stream::{StreamExt, wrappers::TcpListenerStream};
use tonic::{
    Status,
    service::Routes,
    transport::{Channel, Endpoint, Server},
};
use tower::ServiceExt;
use turnwise_kit::sizes::INTERNAL_MESSAGE;

type Frame = http_body::Frame<Bytes>;
type Edit = Arc<dyn Fn(Bytes) -> Bytes + Send + Sync>;

/// The length of what stands before a message: a flag and the message's length.
const PREFIX: usize = 5;
/// More bytes than any service reads of one message.
const TOO_MANY: usize = INTERNAL_MESSAGE + 1024 * 1024;

/// How calls of a method are answered.
#[derive(Clone)]
pub enum InjectedFault {
    /// An empty message: every field at its default.
    Empty,
    /// Success without a message.
    NoMessage,
    /// A message that is none of any type.
    Noise,
    /// The beginning of a message, and then a clean end.
    CutShort,
    /// The beginning of a message, and then a connection that breaks.
    Broken,
    /// The beginning of a message, and then nothing more.
    Unfinished,
    /// More than may be in a message.
    Oversized,
    /// What a web server in between would say.
    NotGrpc,
    /// Nothing, for as long as the caller waits.
    Silence,
    /// Nothing, once the service has done what was asked.
    SilenceAfter,
    /// A failure.
    Fails(Status),
    /// The service's own answer, changed.
    Edited(Edit),
}

impl InjectedFault {
    /// The service's own answer, changed so.
    pub fn edited<M: prost::Message + Default>(
        edit: impl Fn(&mut M) + Send + Sync + 'static,
    ) -> Self {
        Self::Edited(Arc::new(move |bytes| {
            let mut message = M::decode(bytes).unwrap();
            edit(&mut message);
            message.encode_to_vec().into()
        }))
    }

    /// Every way to answer garbage at once, whatever the method.
    pub fn garbage() -> [(&'static str, Self); 8] {
        [
            ("an empty message", Self::Empty),
            ("no message", Self::NoMessage),
            ("noise", Self::Noise),
            ("half a message", Self::CutShort),
            ("a broken connection", Self::Broken),
            ("too large a message", Self::Oversized),
            ("a web page", Self::NotGrpc),
            (
                "a failure nobody knows",
                Self::Fails(Status::data_loss("garbage")),
            ),
        ]
    }
}

/// When something is done to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Before the service gets it.
    Before,
    /// When the service has answered, before the caller hears of it.
    After,
}

/// The proxy. It ends with the value.
pub struct FaultProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    service: Mutex<Option<Channel>>,
    faults: Mutex<Vec<(&'static str, InjectedFault)>>,
    trap: Mutex<Option<Trap>>,
    calls: Mutex<Vec<String>>,
    /// What is kept of calls: their method, and what was asked.
    kept: Mutex<Vec<(&'static str, Vec<Bytes>)>>,
}

struct Trap {
    method: &'static str,
    when: When,
    strike: Box<dyn FnOnce() + Send>,
    done: oneshot::Sender<()>,
}

impl FaultProxy {
    /// A way that leads nowhere yet.
    pub async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let router = Router::new()
            .fallback(
                async |State(shared): State<Arc<Shared>>, request: Request<Body>| {
                    shared.pass(request).await
                },
            )
            .with_state(Arc::clone(&shared));
        let server = Server::builder()
            .add_routes(Routes::from(router))
            .serve_with_incoming(TcpListenerStream::new(listener));
        let serving = tokio::spawn(async move { server.await.unwrap() });
        Self {
            address,
            shared,
            serving,
        }
    }

    /// Where it takes calls.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where calls go.
    pub fn leads_to(&self, service: SocketAddr) {
        let endpoint = Endpoint::from_shared(format!("http://{service}")).unwrap();
        *self.shared.service.lock().unwrap() = Some(endpoint.connect_lazy());
    }

    /// Has calls of a method answered so, from now on.
    pub fn inject(&self, method: &'static str, fault: InjectedFault) {
        let mut faults = self.shared.faults.lock().unwrap();
        faults.retain(|(other, _)| *other != method);
        faults.push((method, fault));
    }

    /// Lets all calls pass again.
    pub fn leave_alone(&self) {
        self.shared.faults.lock().unwrap().clear();
    }

    /// How often a method was called.
    pub fn count(&self, method: &str) -> usize {
        let calls = self.shared.calls.lock().unwrap();
        calls.iter().filter(|call| *call == method).count()
    }

    /// Keeps what is asked of this method from now on.
    pub fn keep(&self, method: &'static str) {
        self.shared.kept.lock().unwrap().push((method, Vec::new()));
    }

    /// What was asked of a method that is kept, in order.
    pub fn asked<M: prost::Message + Default>(&self, method: &str) -> Vec<M> {
        let kept = self.shared.kept.lock().unwrap();
        let (_, asked) = kept.iter().find(|(kept, _)| *kept == method).unwrap();
        let asked = asked.iter().cloned();
        asked.map(|bytes| M::decode(bytes).unwrap()).collect()
    }

    /// Waits for the next call of this method, and calls `strike` then; the call goes on its way. What is returned
    /// resolves after the strike.
    pub fn strike_at(
        &self,
        method: &'static str,
        when: When,
        strike: impl FnOnce() + Send + 'static,
    ) -> oneshot::Receiver<()> {
        let (done, struck) = oneshot::channel();
        *self.shared.trap.lock().unwrap() = Some(Trap {
            method,
            when,
            strike: Box::new(strike),
            done,
        });
        struck
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Shared {
    async fn pass(&self, request: Request<Body>) -> Response<Body> {
        let path = request.uri().path();
        let method = path.rsplit('/').next().unwrap_or_default().to_owned();
        self.calls.lock().unwrap().push(method.clone());
        self.sprung_by(&method, When::Before);
        let request = self.keeping(&method, request).await;
        let fault = {
            let faults = self.faults.lock().unwrap();
            let mut faults = faults.iter();
            let of_this = faults.find(|(other, _)| *other == method);
            of_this.map(|(_, fault)| fault.clone())
        };
        let response = match fault {
            Some(fault) => self.play(fault, request).await,
            None => self.forward(request).await,
        };
        if self.trap.lock().unwrap().is_none() {
            return response;
        }
        // The whole answer is there before anything is done to it.
        let (parts, body) = response.into_parts();
        let body = whole(Body::new(body)).await;
        self.sprung_by(&method, When::After);
        Response::from_parts(parts, body)
    }

    /// The same request, all of which is there if it is kept.
    async fn keeping(&self, method: &str, request: Request<Body>) -> Request<Body> {
        let is_kept = {
            let kept = self.kept.lock().unwrap();
            kept.iter().any(|(kept, _)| *kept == method)
        };
        if !is_kept {
            return request;
        }
        let (parts, body) = request.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        assert_eq!(bytes[0], 0, "a message of {method} is not compressed");
        for (kept, asked) in self.kept.lock().unwrap().iter_mut() {
            if *kept == method {
                asked.push(bytes.slice(PREFIX..));
            }
        }
        Request::from_parts(parts, Body::from(bytes))
    }

    fn sprung_by(&self, method: &str, when: When) {
        let mut trap = self.trap.lock().unwrap();
        let trap = trap.take_if(|trap| trap.method == method && trap.when == when);
        if let Some(trap) = trap {
            (trap.strike)();
            let _ = trap.done.send(());
        }
    }

    async fn forward(&self, request: Request<Body>) -> Response<Body> {
        let service = self.service.lock().unwrap().clone();
        let service = service.expect("the way leads nowhere");
        match service.oneshot(request.map(tonic::body::Body::new)).await {
            Ok(response) => response.map(Body::new),
            Err(error) => Status::unavailable(error.to_string())
                .into_http::<tonic::body::Body>()
                .map(Body::new),
        }
    }

    async fn play(&self, fault: InjectedFault, request: Request<Body>) -> Response<Body> {
        let ends_well = || Ok(Frame::trailers(trailers()));
        let begun = || {
            Ok(Frame::data(Bytes::from_static(
                b"\0\0\0\0\x40\x0a\x05hello",
            )))
        };
        match fault {
            InjectedFault::Empty => answer(vec![Ok(Frame::data(framed(&[]))), ends_well()]),
            InjectedFault::NoMessage => answer(vec![ends_well()]),
            InjectedFault::Noise => answer(vec![Ok(Frame::data(framed(&[0xff; 64]))), ends_well()]),
            InjectedFault::CutShort => answer(vec![begun(), ends_well()]),
            InjectedFault::Broken => answer(vec![begun(), Err("broken")]),
            InjectedFault::Unfinished => {
                let frames = tokio_stream::iter([begun()]).chain(tokio_stream::pending());
                grpc(Body::new(StreamBody::new(frames)))
            }
            InjectedFault::Oversized => {
                // A field of bytes that no message has.
                let mut message = BytesMut::from(&b"\xfa\x7f\x80\x80\xc0\x02"[..]);
                message.put_bytes(b'x', TOO_MANY);
                answer(vec![Ok(Frame::data(framed(&message))), ends_well()])
            }
            InjectedFault::NotGrpc => {
                let page = Body::from("<html><body>502 Bad Gateway</body></html>");
                let mut response = Response::new(page);
                *response.status_mut() = StatusCode::BAD_GATEWAY;
                let html = HeaderValue::from_static("text/html");
                response.headers_mut().insert(CONTENT_TYPE, html);
                response
            }
            InjectedFault::Silence => std::future::pending().await,
            InjectedFault::SilenceAfter => {
                drop(whole(self.forward(request).await.into_body()).await);
                std::future::pending().await
            }
            InjectedFault::Fails(status) => status.into_http::<tonic::body::Body>().map(Body::new),
            InjectedFault::Edited(edit) => {
                let (parts, body) = self.forward(request).await.into_parts();
                let collected = body.collect().await.unwrap();
                let trailers = collected.trailers().cloned();
                let bytes = collected.to_bytes();
                if bytes.len() < PREFIX {
                    // A failure has no message.
                    return Response::from_parts(parts, Body::empty());
                }
                let edited = edit(bytes.slice(PREFIX..));
                answer(vec![
                    Ok(Frame::data(framed(&edited))),
                    Ok(Frame::trailers(trailers.unwrap_or_else(self::trailers))),
                ])
            }
        }
    }
}

/// The same body, all of which is there.
async fn whole(body: Body) -> Body {
    match body.collect().await {
        Ok(collected) => Body::new(collected),
        Err(error) => {
            let broken = tokio_stream::iter([Err::<Frame, _>(error)]);
            Body::new(StreamBody::new(broken))
        }
    }
}

fn framed(message: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(PREFIX + message.len());
    frame.put_u8(0);
    frame.put_u32(u32::try_from(message.len()).unwrap());
    frame.put_slice(message);
    frame.freeze()
}

fn trailers() -> HeaderMap {
    HeaderMap::from_iter([(
        http::HeaderName::from_static("grpc-status"),
        HeaderValue::from_static("0"),
    )])
}

fn answer(frames: Vec<Result<Frame, &'static str>>) -> Response<Body> {
    let frames = tokio_stream::iter(frames);
    grpc(Body::new(StreamBody::new(frames)))
}

fn grpc(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let grpc = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(CONTENT_TYPE, grpc);
    response
}
