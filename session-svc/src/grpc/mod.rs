//! The gRPC services: checks and conversions only.

mod admin;
mod check;
mod context;
mod due;
mod events;
mod evidence;
mod records;
mod session;

pub use self::{admin::AdminGrpc, records::RecordsGrpc, session::SessionGrpc};
