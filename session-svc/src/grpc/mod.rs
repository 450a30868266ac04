//! The gRPC services: checks and conversions only.

mod admin;
mod artifacts;
mod check;
mod context;
mod delivery;
mod due;
mod events;
mod evidence;
mod help_sessions;
mod records;
mod session;

pub use self::{
    admin::AdminGrpc, delivery::DeliveryGrpc, records::RecordsGrpc, session::SessionGrpc,
};
