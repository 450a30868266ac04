//! The gRPC services: checks and conversions only.

mod admin;
mod check;
mod context;
mod due;
mod events;
mod evidence;
mod session;

pub use self::{admin::AdminGrpc, session::SessionGrpc};
