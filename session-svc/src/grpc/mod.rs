//! The gRPC services: they check and convert, and leave the rest to the store.

mod check;
mod exam;
mod session;

pub use exam::ExamGrpc;
pub use session::SessionGrpc;
