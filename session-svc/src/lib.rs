//! session-svc keeps all state of the suite: threads and their messages, students' records, what a thread waits for,
//! events, idempotent answers, deferred work, class rosters, the audit log, and the built-in exam system's records. It
//! does not know how a decision is made.
//!
//! | module | is about |
//! | --- | --- |
//! | [`sessions`] | every operation, written once: what is checked, written and read together |
//! | [`memory`], [`pending`] | pure rules: what a conversation remembers, what a thread may wait for |
//! | [`record`], [`compression`] | records as bytes, with their schema version |
//! | [`inventory`] | what a store holds, counted and checked |
//! | [`access`] | who may touch whose records |
//! | [`grpc`] | the services: checks and conversions only |
//! | [`config`], [`error`], [`metrics`] | settings; failures and their reasons; what is counted |
//! | [`program`] | the service as a process of its own |
//!
//! The store itself is a crate of its own, turnwise-session-store, and so are the archives, turnwise-session-archive.
//!
//! Nothing here reads a clock of its own: the time of day comes from the kit's clock, leases are measured by the
//! store's.

pub mod access;
pub mod compression;
pub mod config;
pub mod error;
pub mod grpc;
pub mod inventory;
pub mod memory;
pub mod metrics;
pub mod overlays;
pub mod pending;
pub mod program;
pub mod record;
pub mod retention;
pub mod sessions;

use tonic::service::Routes;
use turnwise_kit::{Gzip, Kit, sizes::INTERNAL_MESSAGE};
use turnwise_proto::{
    school::v1::student_records_service_server::StudentRecordsServiceServer,
    session::v1::{
        delivery_service_server::DeliveryServiceServer,
        session_admin_service_server::SessionAdminServiceServer,
        session_service_server::SessionServiceServer,
    },
};

use crate::{
    grpc::{AdminGrpc, DeliveryGrpc, RecordsGrpc, SessionGrpc},
    sessions::Sessions,
};

pub use crate::{config::Settings, error::StartError};

/// The gRPC services that [`routes`] serves.
pub const SERVICE_NAMES: &[&str] = &[
    "turnwise.session.v1.SessionService",
    "turnwise.session.v1.SessionAdminService",
    "turnwise.session.v1.DeliveryService",
    "turnwise.school.v1.StudentRecordsService",
];

/// The service's routes, without the server stack around them.
pub async fn routes(settings: &Settings, kit: &Kit) -> Result<Routes, StartError> {
    let sessions = settings.open(kit).await?;
    tracing::info!(store = %settings.session_store, "the session store is open");
    retention::start(&sessions);
    sessions::resets::start(&sessions);
    Ok(routes_over(sessions, kit))
}

/// The service's routes over sessions that are open already.
pub fn routes_over(sessions: Sessions, kit: &Kit) -> Routes {
    let session = SessionServiceServer::new(SessionGrpc::new(sessions.clone(), kit))
        .accept_compressed(Gzip)
        .max_decoding_message_size(INTERNAL_MESSAGE);
    let admin = SessionAdminServiceServer::new(AdminGrpc::new(sessions.clone(), kit))
        .accept_compressed(Gzip)
        .max_decoding_message_size(INTERNAL_MESSAGE);
    let delivery = DeliveryServiceServer::new(DeliveryGrpc::new(sessions.clone()))
        .accept_compressed(Gzip)
        .max_decoding_message_size(INTERNAL_MESSAGE);
    let records = StudentRecordsServiceServer::new(RecordsGrpc::new(sessions, kit))
        .accept_compressed(Gzip)
        .max_decoding_message_size(INTERNAL_MESSAGE);
    Routes::new(session)
        .add_service(admin)
        .add_service(delivery)
        .add_service(records)
}
