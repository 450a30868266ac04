//! The bytes of the suite's own turn and chat: the suite is put together in this process with a tally at every client of
//! the gateway and a counting wire to Redis, and one thread of each script is played.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use clap::Parser;
use http::{Request, Response};
use http_body_util::BodyExt;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tonic::{body::Body, service::Routes};
use tower::{Service, ServiceExt, util::BoxCloneSyncService};
use turnwise::{data_dir::DataDir, suite::SuiteSettings};
use turnwise_gateway_svc as gateway;
use turnwise_kit::{
    CallContext, Caller, Kit,
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, local},
    stack::{DeadlineRule, InternalAuth, Stack},
};
use turnwise_llm_gateway_svc as llm;
use turnwise_policy_svc as policy;
use turnwise_proto::{
    helper::v1::helper_service_client::HelperServiceClient,
    tutor::v1::{CreateThreadRequest, tutor_service_client::TutorServiceClient},
};
use turnwise_retrieval_svc as retrieval;
use turnwise_session_svc as session;
use turnwise_testing::redis::RedisServer;
use turnwise_tests::{
    chat::{LESSON, lesson, page_of},
    floor::{self, Bytes, Call, Calls, To},
    process::repository,
    student::{DEMO_COURSE, Student, new_thread},
};

use crate::{
    chat::chat_request,
    load::turn_request,
    script::{CHAT_MESSAGES, CHAT_OPENING, MESSAGES},
};

/// gRPC's frame around a message.
const FRAME: usize = 5;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    suite: SuiteSettings,
}

/// What passed in a thread of a script, by method. The student's own call has all that the store saw of it.
pub type Seen = BTreeMap<String, Sum>;

/// What a script's turns send, and what its chats.
pub async fn measure() -> (Seen, Seen) {
    let redis = RedisServer::start().unwrap();
    let wire = Wire::start(redis.port()).await;
    let tally = Tally {
        wire: wire.clone(),
        seen: Arc::default(),
    };
    let home = tempfile::tempdir().unwrap();
    let data = DataDir::create(home.path()).unwrap();
    let face = suite(&tally, &format!("redis://{}", wire.address), &data).await;
    let turn = turns(&tally, face.clone()).await;
    (turn, chats(&tally, face).await)
}

fn context(role: &str) -> CallContext {
    let caller = Caller {
        tenant: "default".to_owned(),
        subject: format!("probe-{role}"),
        role: role.to_owned(),
        groups: vec![Student::CLASS.to_owned()],
    };
    CallContext::background(Some(caller), Duration::from_secs(60))
}

async fn turns(tally: &Tally, face: GrpcClient) -> Seen {
    let context = context("student");
    let mut client = TutorServiceClient::new(face);
    let new = CreateThreadRequest {
        class_id: Student::CLASS.to_owned(),
        ..new_thread(DEMO_COURSE)
    };
    let thread = client.create_thread(context.request(new)).await.unwrap();
    let thread_id = thread.into_inner().thread.unwrap().thread_id;
    // The first turn has the connection, the scripts and the first record to make: it is played before, elsewhere.
    let other = client
        .create_thread(context.request(new_thread(DEMO_COURSE)))
        .await
        .unwrap();
    let other_id = other.into_inner().thread.unwrap().thread_id;
    client
        .take_turn(context.request(turn_request(&other_id, MESSAGES[0])))
        .await
        .unwrap();
    drop(tally.take());

    for message in MESSAGES {
        client
            .take_turn(context.request(turn_request(&thread_id, message)))
            .await
            .unwrap();
    }
    tally.take()
}

async fn chats(tally: &Tally, face: GrpcClient) -> Seen {
    let mut client = HelperServiceClient::new(face);
    let minted = client
        .mint_scope_token(context("staff").request(page_of(lesson(LESSON))))
        .await;
    let page = minted.unwrap().into_inner().scope_token;
    let context = context("student");
    let mut conversation_id = String::new();
    for message in std::iter::once(CHAT_OPENING).chain(CHAT_MESSAGES) {
        let request = chat_request(&page, &conversation_id, message);
        let answer = client.chat(context.request(request)).await.unwrap();
        if conversation_id.is_empty() {
            // Only a conversation that has begun is counted.
            drop(tally.take());
            conversation_id = answer.into_inner().conversation_id;
        }
    }
    tally.take()
}

/// The suite in this process, over Redis, with a tally at each client. The answer is a client of its public face.
async fn suite(tally: &Tally, store: &str, data: &DataDir) -> GrpcClient {
    let courses = repository().join("courses");
    let (index, keys) = (data.retrieval_store(), data.drill_token_keys_file());
    let cli = Cli::parse_from([
        "probe",
        "--courses-dir",
        courses.to_str().unwrap(),
        "--session-store",
        store,
        "--helper-llm-backend",
        "mock",
        "--llm-allow-mock",
        "1",
        "--retrieval-store",
        &format!("embedded:{}", index.display()),
        "--drill-token-keys-file",
        keys.to_str().unwrap(),
        "--scope-token-keys-file",
        keys.to_str().unwrap(),
        "--helper-rate-limit-per-minute",
        "1000000",
    ]);
    let settings = cli.suite;
    let kit = Kit::for_tests();
    let token = InternalToken::new(&"x".repeat(InternalToken::MIN_CHARS)).unwrap();
    let stack = Stack {
        metrics: kit.metrics.clone(),
        auth: Arc::new(InternalAuth::token(token.clone())),
        deadline: DeadlineRule::default(),
        max_in_flight: 1024,
        drain: kit.drain.clone(),
    };
    let counted = |peer: &'static str, routes: Routes| {
        let options = ClientOptions {
            peer,
            token: Some(token.clone()),
        };
        tally.around(local(stack.around(routes), options))
    };
    let policy = policy::routes(&settings.policy, &kit).await.unwrap();
    let search = retrieval::Settings {
        courses: settings.policy.courses.clone(),
        own: settings.retrieval.clone(),
    };
    let retrieval = retrieval::routes(&search, None, &kit).await.unwrap();
    let llm = llm::routes(&settings.llm, &kit).await.unwrap();
    let session = session::routes(&settings.session, &kit).await.unwrap();
    let upstreams = gateway::Upstreams::new(
        counted("policy-svc", policy),
        counted("retrieval-svc", retrieval),
        counted("llm-gateway-svc", llm),
        counted("session-svc", session),
        None,
    );
    counted(
        "gateway-svc",
        gateway::routes(&settings.gateway, upstreams, &kit)
            .await
            .unwrap(),
    )
}

/// Sums over the calls of a method.
#[derive(Clone, Copy, Default)]
pub struct Sum {
    /// How many there were.
    pub calls: usize,
    message: Bytes,
    store: Bytes,
}

impl Sum {
    /// The bytes of one: of its messages, and on the wire to the store meanwhile.
    pub fn mean(self) -> (Bytes, Bytes) {
        let mean = |sum: Bytes| Bytes {
            request: sum.request / self.calls,
            response: sum.response / self.calls,
        };
        (mean(self.message), mean(self.store))
    }
}

/// The calls of a chat's floor.
pub fn chat_calls(mut seen: Seen) -> Calls {
    let mut take = |method: &str| {
        let sum = seen.remove(method).unwrap_or_else(|| {
            panic!("no chat called {method}; make the floor's graph the suite's again")
        });
        assert_eq!(
            sum.calls,
            CHAT_MESSAGES.len(),
            "{method} is not called once a chat; so the floor's graph must be made anew"
        );
        sum.mean()
    };
    let mut calls = Calls {
        front: take("Chat").0,
        ..Calls::default()
    };
    for phase in floor::CHAT {
        let phase = phase.iter().map(|(method, to)| {
            let (bytes, store) = take(method);
            match to {
                To::Begin => calls.store.begin = store,
                To::Commit => calls.store.commit = store,
                To::Policy | To::Retrieval | To::Llm => {}
            }
            Call {
                method: (*method).to_owned(),
                to: *to,
                bytes,
            }
        });
        let phase = phase.collect();
        calls.phases.push(phase);
    }
    let left: Vec<_> = seen.keys().collect();
    assert!(
        left.is_empty(),
        "the floor does not make these calls of a chat: {left:?}"
    );
    calls
}

/// Counts the calls of the clients that it is put around.
#[derive(Clone)]
struct Tally {
    wire: Wire,
    seen: Arc<Mutex<Seen>>,
}

impl Tally {
    fn around(&self, client: GrpcClient) -> GrpcClient {
        BoxCloneSyncService::new(Counted {
            inner: client,
            tally: self.clone(),
        })
    }

    /// What was counted so far; counting begins anew.
    fn take(&self) -> Seen {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }

    fn count(&self, method: String, message: Bytes, store: Bytes) {
        let mut seen = self.seen.lock().unwrap();
        let sum = seen.entry(method).or_default();
        sum.calls += 1;
        sum.message.request += message.request;
        sum.message.response += message.response;
        sum.store.request += store.request;
        sum.store.response += store.response;
    }
}

#[derive(Clone)]
struct Counted {
    inner: GrpcClient,
    tally: Tally,
}

impl Service<Request<Body>> for Counted {
    type Response = Response<Body>;
    type Error = std::convert::Infallible;
    type Future = std::pin::Pin<
        Box<dyn Future<Output = Result<Response<Body>, std::convert::Infallible>> + Send>,
    >;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let inner = self.inner.clone();
        let tally = self.tally.clone();
        Box::pin(async move {
            let method = request.uri().path().rsplit('/').next().unwrap().to_owned();
            let (head, body) = request.into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            let request_bytes = body.len() - FRAME;
            let before = tally.wire.passed();
            let whole = Body::new(http_body_util::Full::new(body));
            let request = Request::from_parts(head, whole);
            let response = inner.oneshot(request).await.unwrap();
            let (head, body) = response.into_parts();
            let body = body.collect().await.unwrap();
            let trailers = body.trailers().cloned();
            let body = body.to_bytes();
            let after = tally.wire.passed();
            let message = Bytes {
                request: request_bytes,
                response: body.len().saturating_sub(FRAME),
            };
            let store = Bytes {
                request: after.request - before.request,
                response: after.response - before.response,
            };
            tally.count(method, message, store);
            let whole =
                http_body_util::Full::new(body).with_trailers(async move { trailers.map(Ok) });
            Ok(Response::from_parts(head, Body::new(whole)))
        })
    }
}

/// A way to Redis that counts what passes.
#[derive(Clone)]
struct Wire {
    address: std::net::SocketAddr,
    there: Arc<AtomicUsize>,
    back: Arc<AtomicUsize>,
}

impl Wire {
    async fn start(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let wire = Self {
            address: listener.local_addr().unwrap(),
            there: Arc::default(),
            back: Arc::default(),
        };
        let counts = wire.clone();
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let Ok(far) = TcpStream::connect(("127.0.0.1", port)).await else {
                    // Redis is gone: everything has been counted.
                    return;
                };
                let (near_in, near_out) = near.into_split();
                let (far_in, far_out) = far.into_split();
                tokio::spawn(pump(near_in, far_out, Arc::clone(&counts.there)));
                tokio::spawn(pump(far_in, near_out, Arc::clone(&counts.back)));
            }
        });
        wire
    }

    fn passed(&self) -> Bytes {
        Bytes {
            request: self.there.load(Ordering::SeqCst),
            response: self.back.load(Ordering::SeqCst),
        }
    }
}

async fn pump(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    count: Arc<AtomicUsize>,
) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        // Counted before it is handed on: whoever has an answer finds its bytes counted.
        count.fetch_add(length, Ordering::SeqCst);
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
