//! Connections to other services: in process, to one address, to a list of addresses, or to a name in DNS.
//!
//! All of them are one type, [`GrpcClient`], that the generated clients take. It carries the call's context: deadline,
//! verified caller, request id and trace, as it is within the process and as metadata over a socket; and it turns transport
//! failures into failures with a reason.

mod connect;
mod deadline;
mod failover;
mod outgoing;

use std::convert::Infallible;

use http::{Request, Response};
use tonic::{body::Body, service::Routes};
use tower::util::BoxCloneSyncService;

pub use connect::{ConnectError, channel, connect, endpoint};

use crate::caller::InternalToken;
use outgoing::Outgoing;

/// A transport for generated clients. It never fails: what goes wrong below becomes an answer with a status.
pub type GrpcClient = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

/// What a client says about itself.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// The service that is called, for messages and spans.
    pub peer: &'static str,
    /// Opens internal listeners and signs the caller. `None`: the channel vouches for us, or the listener is public.
    pub token: Option<InternalToken>,
}

/// A client of a service in this process: its routes, with their stack, without a socket.
pub fn local(routes: Routes, options: ClientOptions) -> GrpcClient {
    BoxCloneSyncService::new(Outgoing::in_process(routes.prepare(), options))
}
