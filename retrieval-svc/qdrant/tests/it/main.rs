//! The engine and the store of sources over a real connection: against a server in this process, and against the database
//! at `QDRANT_URL` if that is set.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod conformance;
mod corpus;
mod databases;
mod fake;
mod faults;
mod generations;
mod isolation;
mod rankings;
mod uploads;
