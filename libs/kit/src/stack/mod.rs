//! The one ordered chain of layers around every service, in process and over sockets alike.
//!
//! From the outside in, each where it is for a reason:
//!
//! 1. **catch-panic**: outermost, so that a panic anywhere below becomes INTERNAL and not a dropped connection.
//! 2. **trace and metrics**: next, so that everything below logs within the call's span and the caller's trace; and
//!    outside all that refuses, so that refusals are counted like answers.
//! 3. **headers**: before anything reads them.
//! 4. **deadline**: before any work, so that the work of authentication counts, too; polls its timer first. So
//!    does the end of the process.
//! 5. **auth**: before limits, so that strangers cannot use up the places of known callers' calls.
//! 6. **limits**: last before the work, so that a place is held only while there is work.
//! 7. **errors**: innermost, where failures that tonic made by itself get their reason; the only place that does so.

mod auth;
mod deadline;
mod drain;
mod errors;
mod headers;
mod limits;
mod panic;
mod trace;

use std::{
    collections::HashMap,
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::{Arc, OnceLock},
    time::Duration,
};

use axum::{Router, extract::Request, response::Response, routing::Route};
use prost::Message;
use tokio::sync::Semaphore;
use tonic::service::Routes;
use tower::{Service, layer::layer_fn, service_fn};

pub(crate) use auth::InProcess;
pub use auth::{Authenticator, InternalAuth, OpenMethods};
pub use deadline::{DeadlineRule, format_timeout, parse_timeout};
pub(crate) use deadline::{before, expired};
pub use headers::{Repeated, only};
pub(crate) use trace::REQUEST_ID_HEADER;

use turnwise_proto::common::v1::ErrorReason;

use crate::{Drain, Fault, Metrics};

/// What the stack of one listener needs.
#[derive(Clone)]
pub struct Stack {
    /// Where RPCs are counted.
    pub metrics: Metrics,
    /// How callers prove who they are.
    pub auth: Arc<dyn Authenticator>,
    /// How long a call may take.
    pub deadline: DeadlineRule,
    /// How many calls may be worked on at once.
    pub max_in_flight: usize,
    /// The end of the process: watches end when it begins, other calls when it is over.
    pub drain: Drain,
}

impl Stack {
    /// Puts the stack around a service's routes.
    pub fn around(&self, routes: Routes) -> Routes {
        let chain = Arc::new(Chain {
            names: MethodNames::known(),
            places: limits::Places {
                free: Semaphore::new(self.max_in_flight),
                most: self.max_in_flight,
            },
            stack: self.clone(),
        });
        // `layer` wraps what stands before it: the last one is the outermost.
        let router: Router = routes
            .into_axum_router()
            .layer(layer_fn(move |route: Route| {
                let chain = Arc::clone(&chain);
                service_fn(move |request: Request| -> Work {
                    Box::pin(inside(Arc::clone(&chain), request, route.clone()))
                })
            }))
            .layer(panic::catch());
        Routes::from(router)
    }
}

/// What the layers inside catch-panic need.
struct Chain {
    names: &'static MethodNames,
    places: limits::Places,
    stack: Stack,
}

/// A call that is worked on. It is large, and so it stays where it is made.
type Work = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// All layers inside catch-panic, as one layer of the router: with one for each, every call would pay for as many boxed
/// futures and bodies. What stands last is the outermost.
async fn inside(chain: Arc<Chain>, request: Request, route: Route) -> Result<Response, Infallible> {
    let stack = &chain.stack;
    let work = |request| errors::explain(request, |request| run(route, request));
    let work = |request| limits::limit(&chain.places, request, work);
    let work = |request| auth::authenticate(&*stack.auth, request, work);
    let answers = chain.names.answers(request.uri().path());
    let work = |request| deadline::enforce(stack.deadline, &stack.drain, answers, request, work);
    let work = |request| headers::check(request, work);
    Ok(trace::trace(chain.names, &stack.metrics, request, work).await)
}

/// The work itself.
async fn run(mut route: Route, request: Request) -> Response {
    let Ok(response) = route.call(request).await;
    response
}

/// What a method answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    /// One message.
    One,
    /// A stream that comes to an end by itself.
    Many,
    /// A stream that lasts as long as somebody reads: its method's name begins with `Watch`.
    Watch,
}

/// The methods that exist, so that a stranger's made-up path never becomes a metric's label.
pub(crate) struct MethodNames(HashMap<&'static str, Answers>);

impl MethodNames {
    /// All of them; made once per process.
    pub(crate) fn known() -> &'static Self {
        static KNOWN: OnceLock<MethodNames> = OnceLock::new();
        KNOWN.get_or_init(|| {
            let mut names: HashMap<&'static str, Answers> = [
                ("/grpc.health.v1.Health/Check", Answers::One),
                ("/grpc.health.v1.Health/Watch", Answers::Watch),
                (
                    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
                    Answers::Watch,
                ),
                (
                    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
                    Answers::Watch,
                ),
            ]
            .into();
            names.extend(suite_methods());
            Self(names)
        })
    }

    /// The path as a label: itself if it exists, else `unknown`.
    pub(crate) fn label(&self, path: &str) -> &'static str {
        self.0
            .get_key_value(path)
            .map_or("unknown", |(name, _)| name)
    }

    /// What the method at this path answers with; a path that does not exist is refused once.
    fn answers(&self, path: &str) -> Answers {
        self.0.get(path).copied().unwrap_or(Answers::One)
    }

    /// Whether the method at this path exists and answers with one message.
    pub(crate) fn is_unary(&self, path: &str) -> bool {
        self.0.get(path) == Some(&Answers::One)
    }
}

/// Every method of the suite's protos. The set is small, fixed and made once per process, so its strings may live for
/// ever.
fn suite_methods() -> Vec<(&'static str, Answers)> {
    let set =
        prost_types::FileDescriptorSet::decode(turnwise_proto::DESCRIPTORS).unwrap_or_default();
    let mut methods = Vec::new();
    for file in &set.file {
        for service in &file.service {
            for method in &service.method {
                let path: &'static str = Box::leak(
                    format!("/{}.{}/{}", file.package(), service.name(), method.name())
                        .into_boxed_str(),
                );
                let answers = match method.server_streaming() {
                    false => Answers::One,
                    true if method.name().starts_with("Watch") => Answers::Watch,
                    true => Answers::Many,
                };
                methods.push((path, answers));
            }
        }
    }
    methods
}

/// The most bytes of headers that the transport reads of one call. What is above our own limit gets an answer up to here;
/// beyond, HTTP/2 knows no other end than the connection's.
pub(crate) const MAX_HEADER_LIST: u32 = (1 << 20) + (64 << 10);

/// The answer where every place for connections is taken.
pub(crate) fn refuse_full() -> Response {
    errors::respond(
        Fault::new(
            ErrorReason::Busy,
            "too many connections at once; try again when RetryInfo says",
        )
        .retry_after(RETRY_WHEN_FULL),
    )
}

/// How long a call that is refused for lack of room should wait before it tries again.
pub(crate) const RETRY_WHEN_FULL: Duration = Duration::from_secs(1);
