//! session-svc keeps all state of the suite: threads and their messages, students' records, idempotent answers, and
//! the built-in exam system's records. It does not know how a decision is made.
//!
//! | module | is about |
//! | --- | --- |
//! | [`store`] | the port to the store, and the two stores behind it: a file, and Redis |
//! | [`access`] | who may touch whose records |
//! | [`exam`] | whether a question may be attempted now |
//! | [`grpc`] | the two services: checks and conversions only |
//! | [`config`], [`error`] | settings; failures and their reasons |
//!
//! Nothing here reads a clock of its own: the time of day comes from the kit's clock, leases are measured by the
//! store's.

pub mod access;
pub mod config;
pub mod error;
pub mod exam;
pub mod grpc;
pub mod store;

use std::sync::Arc;

use tonic::service::Routes;
use turnwise_kit::Kit;
use turnwise_proto::{
    exam::v1::exam_service_server::ExamServiceServer,
    session::v1::session_service_server::SessionServiceServer,
};

use crate::grpc::{ExamGrpc, SessionGrpc};

pub use crate::{config::Settings, error::StartError};

/// The gRPC services that [`routes`] serves.
pub const SERVICE_NAMES: &[&str] = &[
    "turnwise.session.v1.SessionService",
    "turnwise.exam.v1.ExamService",
];

/// The service's routes, without the server stack around them.
pub async fn routes(settings: &Settings, kit: &Kit) -> Result<Routes, StartError> {
    let store = settings.open_store(kit).await?;
    tracing::info!(store = %settings.session_store, "the session store is open");
    let session = SessionGrpc::new(Arc::clone(&store), Arc::clone(&kit.clock));
    let exam = ExamGrpc::new(store, Arc::clone(&kit.clock));
    Ok(Routes::new(SessionServiceServer::new(session)).add_service(ExamServiceServer::new(exam)))
}
